import { decodeUtf8 } from '../encoding/utf8.js';
import { RotationFork } from '../errors.js';
import type { RootKey } from './root-key.js';
import { readRotation, walkSteps } from './rotation.js';
import type { Clock } from './statement.js';

/** A pinned root key, and the root keys that have followed it by rotation. */
export interface RootChain {
  /** The pinned key first, the current one last. */
  readonly keys: readonly RootKey[];
  /** The text of rotation.json that shows them; undefined if the pinned key is the current one. */
  readonly rotation: string | undefined;
}

/** The chains of pinned keys, before any rotation is known. */
export function pinnedChains(roots: readonly RootKey[]): readonly RootChain[] {
  return roots.map((root) => ({ keys: [root], rotation: undefined }));
}

/** The last key of each chain: the keys that are trusted now. */
export function currentRoots(chains: readonly RootChain[]): readonly RootKey[] {
  const current = chains.map(({ keys }) => keys.at(-1) as RootKey);
  return [...new Map(current.map((key) => [key.thumbprint, key])).values()];
}

/**
 * Extends chains with a rotation. A chain never gets shorter: a shorter rotation changes nothing. A rotation need not
 * extend every chain; its fault is an error only if it extends none of them.
 *
 * @param rotation - the bytes of keys/rotation.json; undefined if there is no such file
 * @throws {@link RotationFork} if it leaves a given chain, {@link NotYetValid}, and the errors of {@link readRotation}
 */
export async function walkChains(
  chains: readonly RootChain[],
  rotation: Uint8Array | undefined,
  clock: Clock | undefined,
): Promise<readonly RootChain[]> {
  if (rotation === undefined) return chains;
  const steps = readRotation(rotation);
  const walked = await Promise.allSettled(chains.map(({ keys }) => walkSteps(keys, steps, clock)));
  const [first] = walked;
  if (first?.status === 'rejected' && walked.every(({ status }) => status === 'rejected')) throw first.reason;
  const text = decodeUtf8(rotation);
  return chains.map((chain, index) => {
    const result = walked[index];
    return result?.status === 'fulfilled' ? longer(chain, { keys: result.value, rotation: text }) : chain;
  });
}

/**
 * The longer chain of each pair with the same pinned key.
 *
 * @throws {@link RotationFork} if one chain does not contain the other
 */
export function longestChains(
  chains: readonly RootChain[],
  others: readonly RootChain[],
): readonly RootChain[] {
  return chains.map((chain, index) => longer(chain, others[index] ?? chain));
}

function longer(one: RootChain, other: RootChain): RootChain {
  const [long, short] = other.keys.length > one.keys.length ? [other, one] : [one, other];
  const at = short.keys.findIndex(({ thumbprint }, index) => long.keys[index]?.thumbprint !== thumbprint);
  if (at === -1) return long;
  throw new RotationFork(
    `the root key ${long.keys[at - 1]?.thumbprint} has two valid successors, ` +
      `${long.keys[at]?.thumbprint} and ${short.keys[at]?.thumbprint}`,
  );
}
