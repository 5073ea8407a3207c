import type { RegistryClientOptions, RegistryStatus } from './client-options.js';
import { guarded } from './guarded.js';
import { RefreshingRegistry } from './refreshing-registry.js';
import type { Registry } from './registry.js';

/** A registry that keeps itself current. Reads are immediate; they never wait for the network. */
export interface RegistryClient extends Registry {
  /**
   * Resolves once there is a list to answer from: one from the store at once, else one from a source.
   *
   * @throws {@link NoUsableSource}
   */
  ready(): Promise<void>;
  /** Asks the sources now. Calls at the same time share one refresh. @throws {@link NoUsableSource} */
  refresh(): Promise<void>;
  /** What is held, and how it came. */
  status(): RegistryStatus;
  /** Stops asking. */
  close(): void;
}

/**
 * A client of a registry and its mirrors. It verifies everything against the pinned root key, refuses to go back in
 * time, asks again by itself, and fails closed: once what it holds is neither fresh nor within the grace, every read
 * throws {@link RegistryStale}. Before the first list, reads throw {@link RegistryNotReady}.
 *
 * @example
 * ```ts
 * import { createRegistryClient } from '@passport-registry/verifier';
 *
 * const registry = createRegistryClient({ sources: ['https://registry.example'], rootKey: pinnedJwk });
 * await registry.ready();
 * const { accepted, reasons } = registry.decide('alpha', { tiers: ['founding', 'certified'] });
 * console.log(accepted, reasons[0].code); // true policy-met
 * registry.close();
 * ```
 */
export function createRegistryClient(options: RegistryClientOptions): RegistryClient {
  const client = new RefreshingRegistry(options);
  const registry = guarded(() => client.current());
  return Object.defineProperties(
    {
      ready: () => client.ready(),
      refresh: () => client.refresh(),
      status: () => client.status(),
      close: () => client.close(),
    },
    Object.getOwnPropertyDescriptors(registry),
  ) as RegistryClient;
}
