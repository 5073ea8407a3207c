import type { PinnedRoot } from '../core/keys/root-key.js';
import type { RegistryFiles } from '../core/publication/registry-files.js';
import type { AcceptedStatements, SourceTrust } from '../core/publication/statements.js';
import { readStatementsFile } from '../core/publication/statements-file.js';
import {
  readAccepted,
  type StoredPublication,
  storedFiles,
  trustInStore,
} from '../core/publication/stored-publication.js';
import { pinnedRoots, showChains } from '../core/statements/known-roots.js';
import { walkChains } from '../core/statements/root-chain.js';
import type { Loaded } from './client-events.js';
import type { RegistryStore } from './store.js';

/** What a client trusts when it reads a source, and what it answers from. */
export interface ClientTrust<S extends AcceptedStatements> extends SourceTrust {
  /** What answers come from now. Undefined if there is nothing, or only what protects against rollbacks. */
  readonly current: S | undefined;
}

/** What a client reads from a source and keeps: a publication with its list, or only its statements. */
export interface PublicationReader<S extends AcceptedStatements> {
  /** Returns the files to request together with the statements. */
  pathsReadFirst(trust: Omit<ClientTrust<S>, 'roots'>): readonly string[];
  /** Reads and verifies the files of a source. */
  read(files: RegistryFiles, trust: ClientTrust<S>): Promise<S>;
  /**
   * Converts to the stored form. Returns undefined if there is nothing to save.
   *
   * @param rotation - the rotation that leads to the root key
   */
  toStored(publication: S, rotation: readonly string[]): StoredPublication | undefined;
  /** Called when the client begins to use what it has read. */
  onUse?(publication: S): void;
}

/** What the content of a store is verified with. */
interface Verification<S extends AcceptedStatements> {
  readonly reader: PublicationReader<S>;
  readonly trust: Omit<ClientTrust<S>, 'roots'>;
  readonly pinned: readonly PinnedRoot[];
}

/** Loads and verifies what was accepted in an earlier run (rule store-times). */
export async function loadStored<S extends AcceptedStatements>(
  store: RegistryStore,
  { reader, trust, pinned }: Verification<S>,
): Promise<Loaded<S>> {
  let roots = pinnedRoots(pinned);
  let current: S | undefined;
  let accepted: AcceptedStatements | undefined;
  let failure: Loaded<S>['failure'];
  try {
    const stored = await store.load();
    if (stored === undefined) return { is: 'loaded', roots, current, accepted, failure };
    const files = storedFiles(stored);
    const { rotation } = await readStatementsFile(files);
    roots = showChains(roots, await walkChains(roots.bound, rotation, undefined));
    // Reads check the freshness, so this step does not.
    const anyTime = trustInStore(trust, roots.longest);
    try {
      current = await reader.read(files, anyTime);
      accepted = current;
    } catch (error) {
      accepted = await readAccepted(files, anyTime).catch(() => undefined);
      throw error;
    }
  } catch (error) {
    failure = { type: 'store-failed', error };
  }
  return { is: 'loaded', roots, current, accepted, failure };
}
