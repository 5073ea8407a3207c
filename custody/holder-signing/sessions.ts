import type { GroupSize } from '../shared-key/frost.js';

/** The holders who sign together in one session: their numbers, ascending. */
export type Signers = readonly number[];

/** Returns every set of `threshold` of the holders 1 to `holders`, in lexicographic order. */
export function sessionsOf({ threshold, holders }: GroupSize): Signers[] {
  const extend = (chosen: Signers, next: number): Signers[] => {
    if (chosen.length === threshold) return [chosen];
    const candidates = Array.from({ length: Math.max(holders - next + 1, 0) }, (_, index) => next + index);
    return candidates.flatMap((number) => extend([...chosen, number], number + 1));
  };
  return extend([], 1);
}

/** The name of a session, in messages and file names: `1-3-4`. */
export const sessionName = (signers: Signers): string => signers.join('-');
