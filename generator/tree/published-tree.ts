import {
  type Issuer,
  importRootKey,
  RegistryError,
  type RootKey,
  verifySignature,
} from '@passport-registry/verifier';
import {
  type AboutIssuers,
  type Checkpoint,
  type PublicationStatement,
  parseStrictJson,
  type StatementsFile,
} from '@passport-registry/verifier/core';
import { ignoring } from '../errors.js';
import type { ListBytes } from '../list/list.js';
import type { ReadFileSync } from '../log/log-files.js';

/** A published tree that an audit has passed. */
export interface PublishedTree {
  /** The name of the tree in messages: the folder that contains it. */
  readonly folder: string;
  /** Reads a file of the tree. */
  readonly read: ReadFileSync;
  readonly list: Uint8Array;
  /** The updated_at of the list, which the next updated_at must exceed. */
  readonly updatedAt: string;
  /** The text of issuers.sig, without a line end. */
  readonly signature: string;
  /** With the keys to which the rotation of the tree commits it. */
  readonly rootKey: RootKey;
  /** The content of statements.json. */
  readonly statements: StatementsFile;
  readonly statement: PublicationStatement;
  /** The checkpoint, whenever it expires. */
  readonly checkpoint: Checkpoint;
  /** The names and reasons that the publication statement names: none if it names none. */
  readonly about: AboutIssuers;
  /** Whether a development key signed the tree. */
  readonly development: boolean;
  /** The records of the list. */
  readonly issuers: readonly Issuer[];
}

/** Reads the key from the bytes of keys/root.json. Returns undefined if there is no valid key. */
export async function rootKeyOf(bytes: Uint8Array | undefined): Promise<RootKey | undefined> {
  try {
    return bytes && (await importRootKey(parseStrictJson(bytes)));
  } catch {
    return undefined;
  }
}

/** Whether a published tree has exactly this list. */
export function hasList(
  published: Pick<PublishedTree, 'list'> | undefined,
  { list }: Pick<ListBytes, 'list'>,
): boolean {
  return published !== undefined && Buffer.compare(published.list, list) === 0;
}

/** Whether a signature is valid for a list under a root key. */
export async function isSigned(list: Uint8Array, signature: string, rootKey: RootKey): Promise<boolean> {
  const verified = verifySignature(list, signature, rootKey).then(() => true);
  return (await verified.catch(ignoring(RegistryError))) ?? false;
}
