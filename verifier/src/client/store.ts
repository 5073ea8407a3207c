import { RegistryError } from '../core/errors.js';
import type { StoredPublication } from '../core/publication/stored-publication.js';
import { inTime } from '../http/bounded-fetch.js';

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
  let saved: StoredPublication | undefined;
  return {
    load: async () => saved,
    save: async (publication) => {
      saved = publication;
    },
  };
}

/**
 * A store that fails if it does not answer in time, because it may be a service in a network. What was late counts as failed,
 * although a late `save` may still take place.
 *
 * @param deadline - milliseconds
 */
export function timedStore(store: RegistryStore, deadline: number): RegistryStore {
  const late = () => {
    throw new RegistryError('ERR_SOURCE_TIMEOUT', 'the store did not respond in time');
  };
  return {
    load: () => inTime(store.load(), deadline, late),
    save: (publication) => inTime(store.save(publication), deadline, late),
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
    load: async () => {
      const text = (await storage.getItem(key)) ?? 'null';
      return JSON.parse(text) ?? undefined;
    },
    save: async (publication) => {
      await storage.setItem(key, JSON.stringify(publication));
    },
  };
}
