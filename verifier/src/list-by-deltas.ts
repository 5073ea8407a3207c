import { appliedDelta, deltaPath, parseDelta } from './delta.js';
import { readList, type VerifiedList } from './list.js';
import type { RegistryFiles } from './publication.js';
import { sha256Hex } from './sha256.js';

/** Whoever is further behind is better served by the whole list. */
const MOST_STEPS = 16;

/** A list with its bytes. */
export interface HeldList extends VerifiedList {
  readonly list: Uint8Array;
}

/**
 * The list that follows on one that is held, made of what has changed since, step by step. Nothing of it is trusted before the
 * root key's signature over the result holds.
 *
 * @param isGoal - whether this is the list that was looked for
 * @returns undefined where the deltas do not lead there; the whole list does
 */
export async function listByDeltas(
  files: RegistryFiles,
  held: HeldList,
  isGoal: (list: HeldList) => Promise<boolean>,
): Promise<HeldList | undefined> {
  let current = held;
  for (let step = 0; step < MOST_STEPS; step++) {
    const next = await nextList(files, current);
    if (next === undefined || (await isGoal(next))) return next;
    current = next;
  }
  return undefined;
}

async function nextList(files: RegistryFiles, current: HeldList): Promise<HeldList | undefined> {
  const bytes = await files.get(deltaPath(current.sha256));
  const delta = bytes && parseDelta(bytes);
  // Time must go on, or a chain of deltas could lead round for ever.
  const follows = delta?.from === current.sha256 && delta.updated_at > current.registry.updated_at;
  if (delta === undefined || !follows) return undefined;
  const list = appliedDelta(current.registry, delta);
  const sha256 = await sha256Hex(list);
  return sha256 === delta.to ? { list, sha256, registry: readList(list) } : undefined;
}
