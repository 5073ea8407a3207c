import { RegistryError, type RegistryFiles } from '@passport-registry/verifier';
import {
  currentRoots,
  logTrustOf,
  pinnedChains,
  type RootChain,
  readHead,
  type SummedHead,
  storedFiles,
  walkChains,
} from '@passport-registry/verifier/internal';
import { TreeRejected } from '../errors.js';
import { CLOCK_TOLERANCE_MS } from '../list/updated-at.js';
import { PATHS } from '../tree/paths.js';
import type { AcceptOptions } from './assert-acceptable.js';
import { ANY_AGE_SECONDS } from './assert-client-accepts.js';
import { trustAnchorOf } from './pinned-trust.js';
import { registryFiles, type TreeSource } from './tree-source.js';

/**
 * Applies the rules of a verifier's client to the statements of a tree, before its list is there: the rotation from the
 * pinned root key, the publication statement, and the checkpoint with its delegation.
 *
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function acceptStatements(source: TreeSource, options: AcceptOptions): Promise<SummedHead> {
  try {
    const known = await newestHeld(options);
    return (await readStatementsAfter(known, registryFiles(source), { ...options, expiry: true })).head;
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new TreeRejected(`${cause.code}, ${cause.message}`, { cause });
  }
}

/** The root keys that are known, and what was accepted under the newest. */
interface Known {
  readonly chains: readonly RootChain[];
  readonly head: SummedHead | undefined;
}

/**
 * Reads the newest publication that was accepted before. A damaged publication, one without a statement, or one that is
 * not valid under the pinned key, is no evidence here: the one before it counts.
 */
async function newestHeld(options: AcceptOptions): Promise<Known> {
  const pinned: Known = { chains: pinnedChains([options.trust.rootKey]), head: undefined };
  for (const stored of options.held) {
    try {
      return await readStatementsAfter(pinned, storedFiles(stored), { ...options, expiry: false });
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
    }
  }
  return pinned;
}

interface StatementConditions extends Pick<AcceptOptions, 'trust' | 'maxAgeDays'> {
  /** Whether to refuse what has expired. */
  readonly expiry: boolean;
}

/** Reads and verifies statements, and the rotation that leads to their root key, as what follows a known publication. */
async function readStatementsAfter(
  { chains: known, head: held }: Known,
  files: RegistryFiles,
  { trust, maxAgeDays, expiry }: StatementConditions,
): Promise<Known & { readonly head: SummedHead }> {
  const isAnyAge = maxAgeDays === undefined;
  const tolerance = isAnyAge ? ANY_AGE_SECONDS * 1000 : CLOCK_TOLERANCE_MS;
  const maxAge = isAnyAge ? ANY_AGE_SECONDS * 1000 : maxAgeDays * 24 * 60 * 60 * 1000;
  const clock = { now: Date.now(), tolerance };
  const chains = await walkChains(known, await files.get(PATHS.rotation), clock);
  const { requireCheckpoint, requirePublication } = trust;
  const log = logTrustOf(trustAnchorOf(trust));
  const conditions = { floor: held, clock, expiry, maxAge, requireCheckpoint, requirePublication, log };
  return { chains, head: await readHead(files, { ...conditions, roots: currentRoots(chains) }) };
}
