import { decodeUtf8 } from '../encoding/utf8.js';
import { BundleInvalid } from '../errors.js';
import { instantOf, isDateTime } from '../list/date-time.js';
import type { Publication } from './publication.js';
import type { RegistryFiles } from './registry-files.js';

/**
 * An accepted publication as plain JSON. The client verifies it again after loading, so you need not trust the store.
 */
export interface StoredPublication {
  readonly version: 1;
  /** The content of issuers.json. */
  readonly list: string;
  /** The content of issuers.sig. */
  readonly signature: string;
  readonly rotation?: string;
  readonly checkpoint?: string;
  /** The content of publication.jwt. */
  readonly publication?: string;
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
  { pair, checkpoint, statement, delegatedAt }: Publication,
  rotation: string | undefined,
): StoredPublication | undefined {
  if (pair === undefined) return undefined;
  return {
    version: 1,
    list: decodeUtf8(pair.list),
    signature: pair.signature,
    ...(rotation !== undefined && { rotation }),
    ...(checkpoint !== undefined && { checkpoint: checkpoint.checkpoint }),
    ...(statement !== undefined && { publication: statement.text }),
    ...(checkpoint?.delegation !== undefined && { delegation: checkpoint.delegation }),
    ...(delegatedAt !== undefined && { delegatedAt: new Date(delegatedAt).toISOString() }),
  };
}

/**
 * Returns the files of a stored publication, which can be read like the files of any other source.
 *
 * @throws {@link BundleInvalid}
 */
export function storedFiles(stored: StoredPublication): RegistryFiles {
  assertStored(stored);
  const texts: Record<string, string | undefined> = {
    'issuers.json': stored.list,
    'issuers.sig': stored.signature,
    'keys/rotation.json': stored.rotation,
    'checkpoint.jwt': stored.checkpoint,
    'publication.jwt': stored.publication,
    'keys/delegation.jwt': stored.delegation,
  };
  return {
    get: async (path) => {
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
  const { version, list, signature, ...others } = (value ?? {}) as Partial<StoredPublication>;
  const texts = [list, signature, ...Object.values(others)];
  const isTime = () => others.delegatedAt === undefined || isDateTime(others.delegatedAt);
  if (version !== 1 || !texts.every((text) => typeof text === 'string') || !isTime()) {
    throw new BundleInvalid('this is not a stored publication of version 1');
  }
}
