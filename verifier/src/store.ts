import { BundleInvalid } from './errors.js';
import type { Publication, RegistryFiles } from './publication.js';

/** What a verifier remembers, as plain JSON. It is verified again when it is loaded: a store need not be trusted. */
export interface StoredPublication {
  readonly version: 1;
  /** The text of issuers.json. */
  readonly list: string;
  /** The text of issuers.sig. */
  readonly signature: string;
  readonly rotation?: string;
  readonly checkpoint?: string;
  readonly delegation?: string;
}

/**
 * Where a verifier keeps the publication that it accepted last, so that a restart neither goes back nor needs the
 * network. Implementations replace what they hold as a whole or not at all.
 */
export interface RegistryStore {
  /** What was saved last; undefined when there is nothing, or nothing that can be read. */
  load(): Promise<StoredPublication | undefined>;
  save(publication: StoredPublication): Promise<void>;
}

/**
 * A store that lasts as long as the process.
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

/** What localStorage and its likes have. */
export interface KeyValueStorage {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): unknown;
}

/**
 * A store in localStorage, or in anything with its two methods.
 *
 * @param key - under which name; one for each registry
 *
 * @example
 * ```ts
 * import { createRegistryClient, keyValueStore } from '@passport-registry/verifier';
 *
 * const kept = new Map();
 * const storage = { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
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

/** A publication as it is stored. */
export function toStored({ list, signature, rotation, checkpoint }: Publication): StoredPublication {
  return {
    version: 1,
    list: new TextDecoder().decode(list),
    signature,
    ...(rotation !== undefined && { rotation }),
    ...(checkpoint !== undefined && { checkpoint: checkpoint.checkpoint }),
    ...(checkpoint?.delegation !== undefined && { delegation: checkpoint.delegation }),
  };
}

/**
 * The files of a stored publication, to be read like those of any other source.
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
    'keys/delegation.jwt': stored.delegation,
  };
  return {
    get: async (path) => {
      const text = Object.hasOwn(texts, path) ? texts[path] : undefined;
      return text === undefined ? undefined : new TextEncoder().encode(text);
    },
  };
}

function assertStored(value: unknown): asserts value is StoredPublication {
  const { version, list, signature, ...others } = (value ?? {}) as Partial<StoredPublication>;
  const texts = [list, signature, ...Object.values(others)];
  if (version !== 1 || !texts.every((text) => typeof text === 'string')) {
    throw new BundleInvalid('this is no stored publication of version 1');
  }
}
