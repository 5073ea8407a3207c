import { LIMITS } from '../core/limits.js';
import { BYTES } from '../core/options.js';
import { type Publication, pathsReadFirst, readPublication } from '../core/publication/publication.js';
import { toStored } from '../core/publication/stored-publication.js';
import {
  type AnchoredClientOptions,
  clientSettings,
  type RegistryClientOptions,
  type RegistryStatus,
} from './client-options.js';
import { CurrentList } from './current-list.js';
import { namingClients } from './naming-client.js';
import { RefreshingRegistry } from './refreshing-registry.js';
import { createRegistryView, type Registry, withFreshnessCheck } from './registry.js';

/** A registry that refreshes itself. Reads return immediately, and never wait for the network. */
export interface RegistryClient extends Registry {
  /**
   * Resolves once the client has a list: from the store if possible, otherwise from a source.
   *
   * @throws {@link NoUsableSource} | `ERR_REGISTRY_CLOSED`
   */
  ready(): Promise<void>;
  /**
   * Asks the sources now. Concurrent calls share one refresh.
   *
   * @throws {@link NoUsableSource} | `ERR_REGISTRY_CLOSED`
   */
  refresh(): Promise<void>;
  /**
   * Returns information about the current list and its source, and the errors of the sources.
   *
   * @example
   * ```ts
   * import { createRegistryClient } from '@passport-registry/verifier';
   *
   * const log = { log: 'registry.example/log', witnesses: witnessKeys, quorum: 2 };
   * const registry = createRegistryClient({ trustAnchor: { ...trustAnchor, ...log } });
   * await registry.ready();
   * const { logSize, cosignedBy } = registry.status();
   * console.log(logSize, cosignedBy.join(' and ')); // 1 mirror-a.example and mirror-b.example
   * registry.close();
   * ```
   */
  status(): RegistryStatus;
  /** Stops all requests and timers. From then on, `ready()` and `refresh()` reject with `ERR_REGISTRY_CLOSED`. */
  close(): void;
}

/**
 * Creates a client of a registry and its mirrors. The client verifies everything with the pinned root key, or with the
 * pinned trust anchor, refuses rollbacks, refreshes itself, and fails closed: when the list is neither fresh nor within
 * the grace period, every read throws {@link RegistryStale}. Before the first list, every read throws
 * `ERR_REGISTRY_NOT_READY`.
 *
 * @throws {@link OptionsInvalid} | `ERR_ROOT_KEY_INVALID` | `ERR_TRUST_ANCHOR_INVALID`
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
export function createRegistryClient(options: RegistryClientOptions | AnchoredClientOptions): RegistryClient {
  const settings = clientSettings(options, 'createRegistryClient', { maxBytes: BYTES });
  const { maxBytes: maxListBytes = LIMITS.list } = options;
  const needsBytes = options.store !== undefined;
  let records: CurrentList | undefined;
  let view: Registry | undefined;
  const client = new RefreshingRegistry<ClientPublication>(settings, {
    pathsReadFirst,
    read: async (files, trust) =>
      withRecords(await readPublication(files, { ...trust, maxListBytes, needsBytes }), trust),
    toStored,
    onUse: (publication) => {
      if (records !== publication.records) records?.stop();
      records = publication.records;
      if (publication.change !== undefined) records.update(publication.change);
      // The next update needs the tree of sums.
      records.startHashing();
      view = createRegistryView(records, publication, settings.now);
    },
  });
  const registry = withFreshnessCheck(() => {
    client.current();
    return view as Registry;
  });
  const made = Object.defineProperties(
    {
      ready: () => client.ready(),
      refresh: () => client.refresh(),
      status: () => client.status(),
      close: () => {
        client.close();
        records?.stop();
      },
    },
    Object.getOwnPropertyDescriptors(registry),
  ) as RegistryClient;
  namingClients.set(made, client);
  return made;
}

/** A publication with the records that the client answers from, once the change has been applied. */
interface ClientPublication extends Publication {
  readonly records: CurrentList;
}

/** Adds the records: of a new list, or of the current list. The client changes the latter when it begins to use them. */
function withRecords(
  publication: Publication,
  { current }: { readonly current: ClientPublication | undefined },
): ClientPublication {
  const { issuers, publication: statement } = publication;
  const records = issuers === undefined ? current?.records : new CurrentList(issuers, statement);
  if (records === undefined) throw new TypeError('a list that is the same or changed needs the list before');
  return { ...publication, issuers: undefined, records };
}
