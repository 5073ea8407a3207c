import { type RegistryError, SourceTimeout } from '../errors.js';
import { type Deadline, startDeadline } from '../http/deadline.js';
import type { Head, SourceTrust } from '../publication/statements.js';
import type { HttpSource } from './http-files.js';
import type { KnownRoots } from './known-roots.js';
import type { PublicationReader } from './publication-reader.js';
import { readSource } from './source-reader.js';
import { askStaggered } from './staggered.js';

/** The inputs of a round, in which the client asks its sources. */
export interface RefreshRound<H extends Head> {
  readonly sources: readonly HttpSource[];
  /** One promise for each source. It settles once the rotation of the source has been processed. */
  readonly rotations: readonly Promise<void>[];
  readonly roots: KnownRoots;
  readonly reader: PublicationReader<H>;
  readonly trust: Omit<SourceTrust<H>, 'roots'>;
  /** The deadline of each source, in milliseconds. */
  readonly deadline: number;
  /** Ends the round. */
  readonly signal: AbortSignal;
  readonly onSuccess: (source: HttpSource) => void;
  readonly onFailure: (source: HttpSource, error: RegistryError) => void;
}

/** What a source has, and the source. */
export interface Found<H extends Head> {
  readonly source: HttpSource;
  readonly head: H;
}

/** A source that the client is still reading. */
interface PendingSource {
  readonly since: number;
  readonly deadline: Deadline;
  /** Why the client retries the source. Undefined before the first retry. */
  failure: RegistryError | undefined;
}

/** The client asks the next source after this share of the deadline (SPEC C5). */
const STAGGER_SHARE = 1 / 3;

/**
 * Asks sources for an acceptable publication (SPEC C5). Each source has one deadline for all its requests. The client
 * asks the next source after a third of the deadline, or at once if a source fails. The first acceptable publication
 * with a checkpoint ends the round. Without checkpoints, the client waits up to one deadline for the sources that it
 * has asked, and uses the newest list.
 *
 * @returns undefined if no source has an acceptable publication
 */
export async function askSources<H extends Head>(round: RefreshRound<H>): Promise<Found<H> | undefined> {
  const { sources, deadline, onFailure } = round;
  const underWay = new Map<HttpSource, PendingSource>();

  const ask = async (index: number, giveWay: () => void): Promise<Found<H>> => {
    const source = sources[index] as HttpSource;
    const own = startDeadline(deadline, round.signal);
    const state: PendingSource = { since: Date.now(), deadline: own, failure: undefined };
    underWay.set(source, state);
    try {
      const head = await readSource({
        ...round,
        source,
        signal: own.signal,
        rotation: round.rotations[index] as Promise<void>,
        onRetry: (failure) => {
          state.failure = failure;
          giveWay();
        },
      });
      round.onSuccess(source);
      return { source, head };
    } catch (error) {
      // After the round has ended, the abort itself makes a source fail. Such a failure is not reported.
      if (underWay.has(source)) onFailure(source, error as RegistryError);
      throw error;
    } finally {
      own.clear();
      underWay.delete(source);
    }
  };

  const found = await askStaggered({
    count: sources.length,
    ask,
    staggerMs: deadline * STAGGER_SHARE,
    timeoutMs: deadline,
    isDecisive: ({ head }) => head.checkpoint !== undefined,
    isBetter: (one, best) => isNewer(one.head, best.head),
  });
  const stopped = [...underWay];
  underWay.clear();
  for (const [source, { since, deadline: own, failure }] of stopped) {
    const slow = new SourceTimeout('the source had not responded when another source did');
    own.abort(slow);
    // A source that took longer than the stagger delay has failed. A source that was asked only recently has not.
    const isSlow = Date.now() - since >= deadline * STAGGER_SHARE;
    if (failure !== undefined || isSlow) onFailure(source, failure ?? slow);
  }
  return found;
}

/** Returns whether a head is newer. An unchanged list can have a new publication statement (SPEC C1). */
function isNewer(head: Head, other: Head): boolean {
  if (head.updatedAt !== other.updatedAt) return head.updatedAt > other.updatedAt;
  return (head.statement?.sequence ?? 0) > (other.statement?.sequence ?? 0);
}
