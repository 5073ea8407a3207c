import { decodeUtf8 } from '../core/bytes/utf8.js';
import { RegistryError } from '../core/errors.js';
import { instantOf, isDateTime } from '../core/list/date-time.js';
import type { Publication } from '../core/publication/publication.js';
import type { RegistryFiles } from '../core/publication/registry-files.js';
import type { Head } from '../core/publication/statements.js';

/**
 * An accepted publication as plain JSON. The client verifies it again after loading, so you need not trust the store.
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
 * Keeps the last accepted publication, so that a restart cannot cause a rollback and needs no network. An
 * implementation must replace the stored publication completely or not at all.
 */
export interface RegistryStore {
  /** Returns the last saved publication, or undefined if there is no readable publication. */
  load(): Promise<StoredPublication | undefined>;
  /** Replaces the stored publication. */
  save(publication: StoredPublication): Promise<void>;
}

/**
 * Creates a store in memory. Its content is lost when the process ends.
 *
 * @example
 * ```ts
 * import { createRegistryClient, memoryStore } from '@passport-registry/verifier';
 *
 * const options = { sources: ['https://registry.example'], rootKey: pinnedJwk, store: memoryStore() };
 * const first = createRegistryClient(options);
 * await first.ready();
 * first.close();
 *
 * const second = createRegistryClient(options);
 * await second.ready();
 * console.log(second.status().source); // store
 * second.close();
 * ```
 */
export function memoryStore(): RegistryStore {
  let held: StoredPublication | undefined;
  return {
    load: async () => held,
    save: async (publication) => {
      held = publication;
    },
  };
}

/** The methods of `localStorage` that a store needs. */
export interface KeyValueStorage {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
}

/**
 * Creates a store in `localStorage`, or in any object with the same two methods.
 *
 * @param key - the name of the entry. Use a different name for each registry
 *
 * @example
 * ```ts
 * import { createRegistryClient, keyValueStore } from '@passport-registry/verifier';
 *
 * const kept = new Map<string, string>();
 * const storage = {
 *   getItem: (key: string) => kept.get(key) ?? null,
 *   setItem: (key: string, value: string) => kept.set(key, value),
 * };
 * const registry = createRegistryClient({
 *   sources: ['https://registry.example'],
 *   rootKey: pinnedJwk,
 *   store: keyValueStore(storage),
 * });
 * await registry.ready();
 * registry.close();
 * ```
 */
export function keyValueStore(storage: KeyValueStorage, key = 'passport-registry'): RegistryStore {
  return {
    load: async () => JSON.parse((await storage.getItem(key)) ?? 'null') ?? undefined,
    save: async (publication) => {
      await storage.setItem(key, JSON.stringify(publication));
    },
  };
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
    ...headToStored(publication, rotation),
    list: decodeUtf8(pair.list),
    signature: pair.signature,
  };
}

/** Converts the head of a publication to its stored form, without the list. The parameters are those of `toStored`. */
export function headToStored(
  { checkpoint, statement, logged, delegatedAt }: Head,
  rotation: string | undefined,
): StoredPublication {
  return {
    version: 1,
    ...(rotation !== undefined && { rotation }),
    ...(checkpoint !== undefined && { checkpoint: checkpoint.checkpoint }),
    ...(statement !== undefined && { publication: statement.text }),
    ...(logged !== undefined && { proof: logged.proof }),
    ...(checkpoint?.delegationText !== undefined && { delegation: checkpoint.delegationText }),
    ...(delegatedAt !== undefined && { delegatedAt: new Date(delegatedAt).toISOString() }),
  };
}

/**
 * Returns the files of a stored publication, which can be read like the files of any other source.
 *
 * @throws `ERR_BUNDLE_INVALID`
 */
export function storedFiles(stored: StoredPublication): RegistryFiles {
  assertStored(stored);
  const texts: Record<string, string | undefined> = {
    'issuers.json': stored.list,
    'issuers.sig': stored.signature,
    'keys/rotation.json': stored.rotation,
    'checkpoint.jwt': stored.checkpoint,
    'publication.jwt': stored.publication,
    'log/publication.tlog-proof': stored.proof,
    'keys/delegation.jwt': stored.delegation,
  };
  return {
    get: async (path) => {
      if (path === 'issuers.json' && stored.list === undefined) {
        throw new RegistryError(
          'ERR_BUNDLE_INVALID',
          'the stored publication has no list: createIssuerLookup saved it',
        );
      }
      const text = Object.hasOwn(texts, path) ? texts[path] : undefined;
      return text === undefined ? undefined : new TextEncoder().encode(text);
    },
  };
}

/**
 * Returns when the newest delegation in the store was signed, in milliseconds since 1970. Nothing proves this time. The
 * function therefore ignores a time that the client could not have accepted: such a time would lock out valid sources.
 *
 * @param latest - the latest plausible time, in milliseconds since 1970
 */
export function storedDelegationTime({ delegatedAt }: StoredPublication, latest: number): number | undefined {
  const time = delegatedAt === undefined ? undefined : instantOf(delegatedAt);
  return time === undefined || time > latest ? undefined : time;
}

function assertStored(value: unknown): asserts value is StoredPublication {
  const { version, ...members } = (value ?? {}) as Partial<StoredPublication>;
  const { list, signature, publication, delegatedAt } = members;
  const isWhole = typeof list === 'string' && typeof signature === 'string';
  const isHead = list === undefined && signature === undefined && publication !== undefined;
  const isText = () => Object.values(members).every((text) => typeof text === 'string');
  const isTime = () => delegatedAt === undefined || isDateTime(delegatedAt);
  if (version !== 1 || !(isWhole || isHead) || !isText() || !isTime()) {
    throw new RegistryError('ERR_BUNDLE_INVALID', 'this is not a stored publication of version 1');
  }
}
