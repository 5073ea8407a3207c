import type { RegistryError } from '../errors.js';
import type { PinnedRoot, RootKey } from '../keys/root-key.js';
import { currentRoots, longestChains, pinnedChains, type RootChain } from './root-chain.js';

/**
 * What a client knows of the root keys from the rotations of all sources (rule rotation-fork). `walkChains` refuses a source
 * that departs from a bound chain, and the caller knows when all sources have responded. This file has the other rules:
 *
 * - A chain is *bound* if it is pinned, if it comes from the store, or if the client has accepted a list under it. A
 *   chain also becomes bound when all sources have responded (or their deadline has passed) and no source has shown a
 *   different chain. The client refuses a source that departs from a bound chain, and continues to use the other
 *   sources.
 * - Beyond the bound part, the client compares the chains of all sources as they arrive. The longest valid chain wins.
 *   The client refuses a list signed by a replaced key, from any source. It keeps the longest chain while the process
 *   runs, unless there is a fork.
 * - If sources show two valid successors of one key beyond the bound part, the client refuses all sources, because it
 *   cannot tell which successor an attacker made. Each round decides again: the fork ends in a round in which the
 *   sources show exactly one successor, and continues in a round in which no source shows any.
 */
export interface KnownRoots {
  /** The part that no source may depart from. `walkChains` proves what a source adds to it. */
  readonly bound: readonly RootChain[];
  /** The longest chains. The array is the same object until the chains change. */
  readonly longest: readonly RootChain[];
  /** The fork that no round has resolved. */
  readonly fork: RegistryError | undefined;
  /**
   * What the sources of this round have shown beyond the part that was known when it began: two successors of one key, or
   * only longer chains. Undefined if nothing.
   */
  readonly shownInRound: 'fork' | 'longer' | undefined;
}

/** Returns what is known before any rotation. */
export function pinnedRoots(pinned: readonly PinnedRoot[]): KnownRoots {
  const bound = pinnedChains(pinned);
  return { bound, longest: bound, fork: undefined, shownInRound: undefined };
}

/** Begins a round. After a fork, only the bound chains count until the sources show their chains again. */
export function beginRound(roots: KnownRoots): KnownRoots {
  const { bound, longest, fork } = roots;
  return { ...roots, longest: fork === undefined ? longest : bound, shownInRound: undefined };
}

/** Compares the chains that a source has proven, which continue the bound chains, with the chains of other sources. */
export function showChains(roots: KnownRoots, shown: readonly RootChain[]): KnownRoots {
  try {
    const longest = longestChains(roots.longest, shown);
    const isSame = longest.every((chain, index) => chain === roots.longest[index]);
    return isSame ? roots : { ...roots, longest, shownInRound: roots.shownInRound ?? 'longer' };
  } catch (error) {
    return { ...roots, fork: error as RegistryError, shownInRound: 'fork' };
  }
}

/** Returns the fork for which all sources are refused. Undefined if there is none. */
export function forkOf({ fork, shownInRound }: KnownRoots): RegistryError | undefined {
  return shownInRound === 'longer' ? undefined : fork;
}

/** Returns whether a key is a current root key. */
export function isCurrentRoot(roots: KnownRoots, { thumbprint }: RootKey): boolean {
  return (
    forkOf(roots) === undefined && currentRoots(roots.longest).some((key) => key.thumbprint === thumbprint)
  );
}

/** Returns the rotation that contains a key. Empty if no rotation is needed. */
export function rotationWith({ longest }: KnownRoots, { thumbprint }: RootKey): readonly string[] {
  return longest.find(({ keys }) => keys.some((key) => key.thumbprint === thumbprint))?.rotation ?? [];
}

/**
 * Binds the longest chains.
 *
 * @param accepted - the key under which a list has been accepted. Binds only chains that end with this key
 * @returns the same `bound` array if the bound chains have not changed
 */
export function bindRoots(roots: KnownRoots, accepted?: RootKey): KnownRoots {
  if (forkOf(roots) !== undefined) return roots;
  const bound = roots.longest.map((chain, index) => {
    const isBound = accepted === undefined || chain.keys.at(-1)?.thumbprint === accepted.thumbprint;
    return isBound ? chain : (roots.bound[index] ?? chain);
  });
  const isSame = bound.every((chain, index) => chain === roots.bound[index]);
  return { ...roots, bound: isSame ? roots.bound : bound, fork: undefined };
}
