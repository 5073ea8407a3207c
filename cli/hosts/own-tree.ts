import type { Issuer, RootKey } from '@passport-registry/verifier';
import { GeneratorError } from '../../generator/errors.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import { sha256 } from '../../generator/tree/checksums.js';
import type { PublishedTree } from '../../generator/tree/published-tree.js';
import type { ProvenStatements } from '../../generator/verification/check-tree.js';

/** The tree in the output folder, as far as it is compared with hosts. */
export interface OwnTree extends ProvenStatements {
  readonly folder: string;
  readonly updatedAt: string | undefined;
  /** SHA-256 of the list. */
  readonly sha256: string | undefined;
  /** RFC 7638 thumbprint. */
  readonly rootKey: string | undefined;
  /** The records of the list; none if it cannot be read. */
  readonly issuers: readonly Issuer[];
}

/** What a command that signs over a tree has of it, without a whole verification. */
export function ownTree(published: PublishedTree, rootKey: RootKey): OwnTree {
  const { folder, list, updatedAt, checkpoint, statement } = published;
  return {
    ...{ folder, updatedAt, checkpoint, publication: statement, rootKey: rootKey.thumbprint },
    sha256: list && sha256(list),
    issuers: issuersOf(published),
  };
}

/** The records of the list in a tree; none if it cannot be read. */
export function issuersOf(published: PublishedTree | undefined): readonly Issuer[] {
  return published?.intact.list === true ? published.issuers() : [];
}

/** The ids of the issuers that a list has as active, or that it suspends or revokes. */
export function idsOf(issuers: readonly Issuer[], which: 'active' | 'stopped'): readonly string[] {
  return issuers
    .filter(({ status }) => (status === 'active') === (which === 'active'))
    .map(({ issuer_id }) => issuer_id);
}

/** The thumbprint of a public key in a file. Undefined if it cannot be read: the commands that need it say why. */
export async function thumbprintIn(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  try {
    return file === undefined ? undefined : (await loadRootKey(file, env)).thumbprint;
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error;
    return undefined;
  }
}
