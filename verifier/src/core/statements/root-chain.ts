import type { Clock } from '../bytes/clock.js';
import { RegistryError } from '../errors.js';
import type { PinnedRoot, RootKey } from '../keys/root-key.js';
import { readRotation, walkSteps } from './rotation.js';

/** A pinned root key and its successors by rotation. */
export interface RootChain {
  /** The pinned key first, the current one last. */
  readonly keys: readonly RootKey[];
  /** The rotation that proves the successors. Empty if the pinned key is the current key. */
  readonly rotation: readonly string[];
}

/** Creates the chains of pinned keys, before any rotation is known. */
export function pinnedChains(roots: readonly PinnedRoot[]): readonly RootChain[] {
  return roots.map((root) => ({ keys: [root], rotation: [] }));
}

/** Returns the last key of each chain: the root keys that are trusted now. */
export function currentRoots(chains: readonly RootChain[]): readonly RootKey[] {
  const current = chains.map(({ keys }) => keys.at(-1) as RootKey);
  return [...new Map(current.map((key) => [key.thumbprint, key])).values()];
}

/**
 * Extends chains with a rotation. A shorter rotation changes nothing: a chain never gets shorter. A rotation need not
 * fit every chain. The function throws only if the rotation fits no chain, or departs from one.
 *
 * @param rotation - the steps, JWTs, oldest first. Empty if there is none
 * @throws the errors of {@link readRotation}, whatever chains there are; `ERR_ROTATION_FORK` if the rotation departs from a
 *   chain; if it fits none, what is wrong with it for the first one: `ERR_ROTATION_GAP` | `ERR_ROTATION_SIGNATURE` |
 *   `ERR_NOT_YET_VALID` | `ERR_ROTATION_INVALID` | `ERR_ROTATION_LOOP` | `ERR_ROTATION_NOT_COMMITTED`
 */
export async function walkChains(
  chains: readonly RootChain[],
  rotation: readonly string[],
  clock: Clock | undefined,
): Promise<readonly RootChain[]> {
  if (rotation.length === 0) return chains;
  const steps = readRotation(rotation);
  const walked = await Promise.allSettled(chains.map(({ keys }) => walkSteps(keys, steps, clock)));
  const [first] = walked;
  if (first?.status === 'rejected' && walked.every(({ status }) => status === 'rejected')) throw first.reason;
  return chains.map((chain, index) => {
    const result = walked[index];
    return result?.status === 'fulfilled' ? longerOf(chain, { keys: result.value, rotation }) : chain;
  });
}

/**
 * Returns the longer chain of each pair with the same pinned key.
 *
 * @throws `ERR_ROTATION_FORK` if neither chain contains the other, with the same commitments
 */
export function longestChains(
  chains: readonly RootChain[],
  others: readonly RootChain[],
): readonly RootChain[] {
  return chains.map((chain, index) => longerOf(chain, others[index] ?? chain));
}

function longerOf(one: RootChain, other: RootChain): RootChain {
  if (other.keys.length > one.keys.length) return longerOf(other, one);
  const longNames = one.keys.map(nameOf);
  const shortNames = other.keys.map(nameOf);
  const at = shortNames.findIndex((name, index) => longNames[index] !== name);
  if (at === -1) return one;
  throw new RegistryError(
    'ERR_ROTATION_FORK',
    `the root key ${one.keys[at - 1]?.thumbprint} has two valid successors, ${longNames[at]} and ${shortNames[at]}`,
  );
}

/**
 * Names a key and what it is committed to: two steps to one key with other commitments are two successors (rule
 * commitment-bound).
 */
function nameOf({ thumbprint, nextRoots }: RootKey): string {
  return nextRoots === undefined ? thumbprint : `${thumbprint} with next_roots ${nextRoots}`;
}
