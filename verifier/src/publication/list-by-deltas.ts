import { sha256Hex } from '../encoding/sha256.js';
import { limitOf } from '../limits.js';
import { readList } from '../list/list.js';
import type { VerifiedList } from '../trust/signed-list.js';
import { deltaPath, listAfter, listBytes, parseDelta } from './delta.js';
import type { RegistryFiles } from './registry-files.js';

/** The maximum number of deltas. If a client needs more, the whole list is cheaper. */
const MAX_DELTAS = 16;

/** A list with its bytes. */
export interface HeldList extends VerifiedList {
  readonly list: Uint8Array;
}

/** The list that the deltas must lead to. */
export interface DeltaGoal {
  /** Returns whether a list is the wanted list and is signed. */
  readonly isReached: (list: Omit<HeldList, 'registry'>) => Promise<boolean>;
  /** The maximum size of each intermediate list, in bytes. */
  readonly maxListBytes: number;
}

/**
 * Updates a list delta by delta. Deltas are not signed, so a source could send useless ones. To limit the wasted work,
 * all deltas together must not be larger than the held list, each intermediate list has a size limit, and only the
 * wanted list is parsed.
 *
 * @returns undefined if the deltas do not lead to the wanted list. The caller then downloads the whole list
 */
export async function listByDeltas(
  files: RegistryFiles,
  held: HeldList,
  { isReached, maxListBytes }: DeltaGoal,
): Promise<HeldList | undefined> {
  let { registry, sha256 } = held;
  let allowance = held.list.length;
  for (let step = 0; step < MAX_DELTAS; step++) {
    const path = deltaPath(sha256);
    const bytes = await files.get(path, Math.min(limitOf(path), allowance));
    const delta = bytes && parseDelta(bytes);
    // Each list must be newer than the previous list, because deltas could form a loop.
    const follows = delta?.from === sha256 && delta.updated_at > registry.updated_at;
    if (bytes === undefined || delta === undefined || !follows) return undefined;
    allowance -= bytes.length;
    registry = listAfter(registry, delta);
    const list = listBytes(registry);
    if (list.length > maxListBytes) return undefined;
    sha256 = await sha256Hex(list);
    if (sha256 !== delta.to) return undefined;
    if (await isReached({ list, sha256 })) return { list, sha256, registry: readList(list) };
  }
  return undefined;
}
