import { decodeUtf8 } from '../bytes/utf8.js';
import { hasCode, RegistryError } from '../errors.js';
import type { RootChain } from '../statements/root-chain.js';
import { TREE_FILES } from '../tree-files.js';
import type { Publication } from './publication.js';
import type { RegistryFiles } from './registry-files.js';
import {
  type AcceptedStatements,
  readAcceptedStatements,
  type SourceTrust,
  underAnyRoot,
} from './statements.js';

/**
 * An accepted publication as plain JSON. The client verifies it again after loading: whoever can write to the store cannot forge
 * a list. But they can take away what protects against older ones.
 */
export interface StoredPublication {
  readonly version: 1;
  /** The content of issuers.json. Absent if `createIssuerLookup` saved the publication, which reads no list. */
  readonly list?: string;
  /** The content of issuers.sig. Absent if there is no list. */
  readonly signature?: string;
  readonly rotation?: string;
  readonly checkpoint: string;
  /** The content of publication.jwt. */
  readonly publication: string;
  /** The content of log/publication.tlog-proof. */
  readonly proof?: string;
}

/**
 * Converts a publication to its stored form.
 *
 * @param rotation - the content of the rotation.json that leads to the root key. Undefined if no rotation is needed
 * @returns undefined if the publication has been read without bytes
 */
export function toStored(
  publication: Publication,
  rotation: string | undefined,
): StoredPublication | undefined {
  const { pair } = publication;
  if (pair === undefined) return undefined;
  return {
    ...statementsToStored(publication, rotation),
    list: decodeUtf8(pair.list),
    signature: pair.signature,
  };
}

/** Converts statements to their stored form, without the list. The parameters are those of `toStored`. */
export function statementsToStored(
  { checkpoint, publication, logged }: AcceptedStatements,
  rotation: string | undefined,
): StoredPublication {
  const texts = {
    rotation,
    proof: logged?.proof,
  };
  return {
    version: 1,
    checkpoint: checkpoint.text,
    publication: publication.text,
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== undefined)),
  };
}

/** The files whose contents the members of a stored publication are. */
export const STORED_FILES = {
  list: TREE_FILES.list,
  signature: TREE_FILES.signature,
  rotation: TREE_FILES.rotation,
  checkpoint: TREE_FILES.checkpoint,
  publication: TREE_FILES.publication,
  proof: TREE_FILES.logProof,
} as const;

/**
 * Returns the files of a stored publication, which can be read like the files of any other source.
 *
 * @throws `ERR_BUNDLE_INVALID`
 */
export function storedFiles(stored: StoredPublication): RegistryFiles {
  assertStored(stored);
  const members = Object.keys(STORED_FILES) as (keyof typeof STORED_FILES)[];
  const texts = new Map<string, string | undefined>(
    members.map((name) => [STORED_FILES[name], stored[name]]),
  );
  return {
    get: async (path) => {
      if (path === TREE_FILES.list && stored.list === undefined) {
        throw new RegistryError(
          'ERR_BUNDLE_INVALID',
          'the stored publication has no list: createIssuerLookup saved it',
        );
      }
      const text = texts.get(path);
      return text === undefined ? undefined : new TextEncoder().encode(text);
    },
  };
}

function assertStored(value: unknown): asserts value is StoredPublication {
  const { version, ...members } = (value ?? {}) as Partial<StoredPublication>;
  const { list, signature, checkpoint, publication } = members;
  const hasStatements = checkpoint !== undefined && publication !== undefined;
  const hasPairOrNothing = (list === undefined) === (signature === undefined);
  const isText = () => Object.values(members).every((text) => typeof text === 'string');
  if (version !== 1 || !hasStatements || !hasPairOrNothing || !isText()) {
    throw new RegistryError('ERR_BUNDLE_INVALID', 'this is not a stored publication of version 1');
  }
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
  // The head of the log counts even if its cosignatures do not suffice any more.
  for (const quorum of log === undefined ? [] : [log.quorum, 0]) {
    try {
      return await readAcceptedStatements(files, { ...trust, log: log && { ...log, quorum } });
    } catch (error) {
      // No other fault is one of the proof.
      if (!hasCode(error, 'ERR_TOO_FEW_COSIGNATURES', 'ERR_NOT_LOGGED')) throw error;
    }
  }
  // A client that does not read the log wrote the store.
  return readAcceptedStatements(files, { ...trust, log: undefined });
}
