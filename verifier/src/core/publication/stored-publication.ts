import type { Clock } from '../bytes/clock.js';
import { sha256Hex } from '../bytes/sha256.js';
import { decodeUtf8 } from '../bytes/utf8.js';
import { hasCode, RegistryError } from '../errors.js';
import { isValidDateTime, isValidUtcSecond } from '../generated/predicates.js';
import type { RootKey } from '../keys/root-key.js';
import { verifySignature } from '../keys/signature.js';
import { instantOf } from '../list/date-time.js';
import type { RootChain } from '../statements/root-chain.js';
import { TREE_FILES } from '../tree-files.js';
import { LISTS_FOLDER, readSignature } from './list-files.js';
import type { Publication } from './publication.js';
import { limitFiles, type RegistryFiles } from './registry-files.js';
import type { DatedList } from './rollback.js';
import {
  type AcceptedStatements,
  acceptList,
  namedBy,
  readStatements,
  type SourceTrust,
  type Statements,
  type StatementTrust,
  underAnyRoot,
} from './statements.js';

/**
 * An accepted publication as plain JSON. The client verifies it again after loading: whoever can write to the store cannot forge
 * a list. But they can take away what protects against older ones, and nothing proves `delegatedAt`, which can make a client
 * refuse valid sources.
 */
export interface StoredPublication {
  readonly version: 1;
  /** The content of issuers.json. Absent if `createIssuerLookup` saved the publication, which reads no list. */
  readonly list?: string;
  /** The content of issuers.sig. Absent if there is no list. */
  readonly signature?: string;
  readonly rotation?: string;
  readonly checkpoint?: string;
  /** The content of publication.jwt. */
  readonly publication?: string;
  /** The content of log/publication.tlog-proof. */
  readonly proof?: string;
  readonly delegation?: string;
  /** When the newest accepted delegation under the current root key was signed (RFC 3339, UTC). */
  readonly delegatedAt?: string;
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
  { checkpoint, publication, logged, delegatedAt }: AcceptedStatements,
  rotation: string | undefined,
): StoredPublication {
  const texts = {
    rotation,
    checkpoint: checkpoint?.text,
    publication: publication?.text,
    proof: logged?.proof,
    delegation: checkpoint?.delegation?.text,
    delegatedAt: delegatedAt === undefined ? undefined : new Date(delegatedAt).toISOString(),
  };
  return {
    version: 1,
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
  delegation: TREE_FILES.delegation,
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
    get: async (asked) => {
      // The stored list is all that there is, whatever list the statements name.
      const path = asked.startsWith(LISTS_FOLDER) ? TREE_FILES.list : asked;
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

/**
 * Adds to the statements of a store when the newest delegation was signed. Nothing proves this time. The function therefore
 * ignores a time that nobody could have accepted by the clock: such a time would lock out valid sources. A time in the past
 * that nobody has accepted can do so, too.
 */
export function withDelegationTime<T extends AcceptedStatements>(
  statements: T,
  { delegatedAt: text }: StoredPublication,
  { now, tolerance }: Clock,
): T {
  const time = text === undefined ? undefined : instantOf(text);
  if (time === undefined || time > now + tolerance) return statements;
  return { ...statements, delegatedAt: Math.max(time, statements.delegatedAt ?? time) };
}

function assertStored(value: unknown): asserts value is StoredPublication {
  const { version, ...members } = (value ?? {}) as Partial<StoredPublication>;
  const { list, signature, publication, delegatedAt } = members;
  const isWhole = typeof list === 'string' && typeof signature === 'string';
  const isWithoutList = list === undefined && signature === undefined && publication !== undefined;
  const isText = () => Object.values(members).every((text) => typeof text === 'string');
  const isTime = () => delegatedAt === undefined || isValidDateTime(delegatedAt);
  if (version !== 1 || !(isWhole || isWithoutList) || !isText() || !isTime()) {
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
 * Reads what the files of a store prove about the newest list that was accepted: its statements, or else the list itself.
 * A store that lacks what the verifier requires today, or that has no list, still protects against rollbacks
 * (rule store-times).
 */
export async function readAccepted(files: RegistryFiles, trust: SourceTrust): Promise<AcceptedStatements> {
  const source = limitFiles(files);
  const lenient = { ...trust, requireCheckpoint: false, requirePublication: false };
  return underAnyRoot(trust.roots, async (rootKey) => {
    const statements = await readLenient(source, rootKey, lenient);
    const named = namedBy(statements) ?? (await readStoredList(source, statements));
    return acceptList(statements, named, lenient);
  });
}

/** Reads statements with as much of what the verifier demands of the log as they prove, even if that is not enough. */
async function readLenient(
  files: RegistryFiles,
  rootKey: RootKey,
  { log, ...trust }: StatementTrust,
): Promise<Statements> {
  // The head of the log counts even if its cosignatures do not suffice any more.
  for (const quorum of log === undefined ? [] : [log.quorum, 0]) {
    try {
      return await readStatements(files, rootKey, { ...trust, log: log && { ...log, quorum } });
    } catch (error) {
      // No other fault is one of the proof.
      if (!hasCode(error, 'ERR_TOO_FEW_COSIGNATURES', 'ERR_NOT_LOGGED', 'ERR_PUBLICATION_MISSING'))
        throw error;
    }
  }
  // A client that does not read the log wrote the store.
  return readStatements(files, rootKey, { ...trust, log: undefined });
}

/**
 * Reads the time and the hash of a list that the root key has signed. No issuer is read from the list, so its form does
 * not matter.
 */
async function readStoredList(files: RegistryFiles, { rootKey }: Statements): Promise<DatedList> {
  const list = (await files.get(TREE_FILES.list)) ?? new Uint8Array();
  await verifySignature(list, (await readSignature(files)) ?? '', rootKey);
  const { updated_at: updatedAt } = JSON.parse(decodeUtf8(list)) as { updated_at?: unknown };
  if (!isValidUtcSecond(updatedAt))
    throw new RegistryError('ERR_LIST_MALFORMED', 'the list has no updated_at');
  return { updatedAt, sha256: await sha256Hex(list) };
}
