import { decodeUtf8 } from '../bytes/utf8.js';
import { hasCode, RegistryError } from '../errors.js';
import type { RootChain } from '../statements/root-chain.js';
import { LISTS_FOLDER, TREE_FILES } from '../tree-files.js';
import type { Publication } from './publication.js';
import type { RegistryFiles } from './registry-files.js';
import {
  type AcceptedStatements,
  readAcceptedStatements,
  type SourceTrust,
  underAnyRoot,
} from './statements.js';
import { formatStatementsFile } from './statements-file.js';

/**
 * An accepted publication as plain JSON. The client verifies it again after loading, so nobody who can write to the store can
 * forge a list. But they can remove the protection against older lists.
 */
export interface StoredPublication {
  readonly version: 1;
  /** The content of statements.json, with the longest rotation that is known. */
  readonly statements: string;
  /** The content of issuers.json. Absent if `createIssuerLookup` saved the publication, which reads no list. */
  readonly list?: string;
}

/**
 * Converts a publication to its stored form.
 *
 * @param rotation - the rotation that leads to the root key. Empty if no rotation is needed
 * @returns undefined if the publication has been read without bytes
 */
export function toStored(
  publication: Publication,
  rotation: readonly string[],
): StoredPublication | undefined {
  const { bytes } = publication;
  if (bytes === undefined) return undefined;
  return { ...statementsToStored(publication, rotation), list: decodeUtf8(bytes) };
}

/** Converts statements to their stored form, without the list. The parameters are those of `toStored`. */
export function statementsToStored(
  { checkpoint, publication, logged }: AcceptedStatements,
  rotation: readonly string[],
): StoredPublication {
  const statements = formatStatementsFile({
    publication: publication.text,
    checkpoint: checkpoint.text,
    rotation,
    logProof: logged?.proof,
  });
  return { version: 1, statements: decodeUtf8(statements) };
}

/**
 * Returns the files of a stored publication, which can be read like the files of any other source.
 *
 * @throws `ERR_BUNDLE_INVALID`
 */
export function storedFiles(stored: StoredPublication): RegistryFiles {
  assertStored(stored);
  const { statements, list } = stored;
  return {
    get: async (path) => {
      if (path === TREE_FILES.statements) return encode(statements);
      // The stored list is all that there is, whatever list the statements name.
      if (path !== TREE_FILES.list && !path.startsWith(LISTS_FOLDER)) return undefined;
      if (list !== undefined) return encode(list);
      throw new RegistryError('ERR_BUNDLE_INVALID', 'the store has no list');
    },
  };
}

const encode = (text: string) => new TextEncoder().encode(text);

function assertStored(value: unknown): asserts value is StoredPublication {
  const { version, statements, list, ...others } = (value ?? {}) as Partial<StoredPublication>;
  const hasTexts = typeof statements === 'string' && (list === undefined || typeof list === 'string');
  if (version === 1 && hasTexts && Object.keys(others).length === 0) return;
  throw new RegistryError('ERR_BUNDLE_INVALID', 'the store has no publication of version 1');
}

/**
 * Returns how to read a store: whatever its age, and under every root key that is known. A list by a root key that was
 * replaced since is not used any more, but it still protects against older ones. So does one that seems to be from the
 * future after the clock was set back (rule store-times).
 */
export function trustInStore<T extends Pick<SourceTrust, 'clock'>>(trust: T, chains: readonly RootChain[]) {
  return {
    ...trust,
    roots: chains.flatMap(({ keys }) => [...keys].reverse()),
    clock: { now: trust.clock.now, tolerance: Number.POSITIVE_INFINITY },
    expiry: false,
  };
}

/**
 * Reads what the files of a store prove about the newest list that was accepted. A store whose proof of the log no longer
 * suffices, or that has no list, still protects against rollbacks (rule store-times).
 */
export function readAccepted(files: RegistryFiles, trust: SourceTrust): Promise<AcceptedStatements> {
  return underAnyRoot(trust.roots, (rootKey) => readUnderRoot(files, { ...trust, roots: [rootKey] }));
}

async function readUnderRoot(files: RegistryFiles, trust: SourceTrust): Promise<AcceptedStatements> {
  const { log } = trust;
  // The head of the log counts even if its cosignatures are too old by now.
  const demands = log === undefined ? [] : [log, { ...log, quorum: 0 }];
  for (const demanded of demands) {
    try {
      return await readAcceptedStatements(files, { ...trust, log: demanded });
    } catch (error) {
      if (!hasCode(error, 'ERR_TOO_FEW_COSIGNATURES', 'ERR_NOT_LOGGED')) throw error;
    }
  }
  // The client that wrote the store may not have read the log.
  return readAcceptedStatements(files, { ...trust, log: undefined });
}
