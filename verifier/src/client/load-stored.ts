import type { RootKey } from '../core/keys/root-key.js';
import { readFloor, trustInStore } from '../core/publication/floor.js';
import type { Head } from '../core/publication/statements.js';
import {
  type StoredPublication,
  storedDelegationTime,
  storedFiles,
} from '../core/publication/stored-publication.js';
import { pinnedRoots, showChains } from '../core/statements/known-roots.js';
import { walkChains } from '../core/statements/root-chain.js';
import type { Loaded } from './client-events.js';
import type { HoldingTrust, PublicationReader } from './publication-reader.js';
import type { RegistryStore } from './store.js';

/** What the content of a store is verified with. */
interface Verification<H extends Head> {
  readonly reader: PublicationReader<H>;
  readonly trust: Omit<HoldingTrust<H>, 'roots'>;
  readonly pinned: readonly RootKey[];
}

/** Loads and verifies what was accepted in an earlier run (rule store-times). */
export async function loadStored<H extends Head>(
  store: RegistryStore,
  { reader, trust, pinned }: Verification<H>,
): Promise<Loaded<H>> {
  let roots = pinnedRoots(pinned);
  let held: H | undefined;
  let floor: Head | undefined;
  let failure: Loaded<H>['failure'];
  try {
    const stored = await store.load();
    if (stored === undefined) return { is: 'loaded', roots, held, floor, failure };
    const files = storedFiles(stored);
    const rotation = await files.get('keys/rotation.json');
    roots = showChains(roots, await walkChains(roots.bound, rotation, undefined));
    // Reads check the freshness, so this step does not.
    const anyTime = trustInStore(trust, roots.longest);
    const latest = trust.clock.now + trust.clock.tolerance;
    const complete = <T extends Head>(head: T) => withDelegationOf(stored, head, latest);
    try {
      held = complete(await reader.read(files, anyTime));
      floor = held;
    } catch (error) {
      floor = await readFloor(files, anyTime).then(complete, () => undefined);
      throw error;
    }
  } catch (error) {
    failure = { type: 'store-failed', error };
  }
  return { is: 'loaded', roots, held, floor, failure };
}

/** Adds the time of the newest delegation that the store knows, unless it is after `latest`. */
function withDelegationOf<T extends Head>(stored: StoredPublication, head: T, latest: number): T {
  const times = [head.delegatedAt, storedDelegationTime(stored, latest)].filter((time) => time !== undefined);
  return { ...head, delegatedAt: times.length === 0 ? undefined : Math.max(...times) };
}
