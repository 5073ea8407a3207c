import type { History, PastEntry } from './history.js';
import { type PastPublication, readPastPublication, type Unproven } from './past-publication.js';

/** The publication that was in force at a time. */
export interface InForce {
  /** Who says so: witnesses have proven it, or it is only the word of the publisher. */
  readonly evidence: 'witnesses' | 'publisher';
  readonly publication: PastPublication;
}

/** Nothing shows which publication was in force at a time. */
export interface NotShown {
  readonly evidence: 'none';
  /** The publications with the nearest times before and after. Undefined if there is none. */
  readonly before: PastPublication | undefined;
  readonly after: PastPublication | undefined;
  /** Publications between the two for which nothing shows when they were in force. */
  readonly unproven: readonly Unproven[];
}

/**
 * Finds the publication that was in force at a time (rule log-files). The number of files that are read grows with the
 * logarithm of the number of publications, if they are proven.
 *
 * @param time - milliseconds since 1970
 * @throws {@link TreeRejected} | {@link IoFailed}; the errors of the verifier
 */
export async function findAt(history: History, time: number): Promise<InForce | NotShown> {
  const around = await searchAround(history, time);
  const { before, after } = around;
  if (before === undefined) return around;
  if (before.proof === undefined) {
    const until = after?.from ?? before.until;
    return { evidence: 'publisher', publication: { ...before, until } };
  }
  if (time <= before.until) return { evidence: 'witnesses', publication: before };
  return around;
}

/** Finds the last publication that begins at a time or before, and the first one that begins after it. */
async function searchAround(history: History, time: number): Promise<NotShown> {
  const { publications } = history;
  let [before, after]: [PastPublication | undefined, PastPublication | undefined] = [undefined, undefined];
  const unproven = new Map<number, Unproven>();
  for (let [low, high] = [0, publications.length]; low < high; ) {
    const middle = Math.floor((low + high) / 2);
    const { at, found } = await firstShown(middle, high);
    if (found !== undefined && found.from <= time) {
      [before, low] = [found, at + 1];
    } else {
      [after, high] = [found ?? after, middle];
    }
  }
  const [start, end] = [before?.index ?? -1, after?.index ?? Number.POSITIVE_INFINITY];
  const between = [...unproven].filter(([index]) => index > start && index < end);
  const sorted = between.sort(([one], [next]) => one - next).map(([, found]) => found);
  return { evidence: 'none', before, after, unproven: sorted };

  /** Returns the first publication from a position on whose time is known. */
  async function firstShown(start: number, end: number): Promise<{ at: number; found?: PastPublication }> {
    for (let at = start; at < end; at++) {
      const publication = publications[at] as PastEntry;
      const found = await readPastPublication(history, publication);
      if ('statement' in found) return { at, found };
      unproven.set(publication.index, found);
    }
    return { at: end };
  }
}
