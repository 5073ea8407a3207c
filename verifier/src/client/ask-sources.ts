import { RegistryError } from '../core/errors.js';
import { type Deadline, startDeadline } from '../http/deadline.js';
import type { HttpSource } from './http-files.js';
import { askStaggered } from './staggered.js';

/** A question for the sources of a client. */
export interface Question<T> {
  /** Asks a source. */
  readonly ask: (source: HttpSource, asking: Asking) => Promise<T>;
  /** Returns whether an answer ends the round at once. */
  readonly isDecisive: (answer: T) => boolean;
  /** Returns whether an answer is better than the best answer so far. */
  readonly isBetter: (answer: T, best: T) => boolean;
}

/** How to ask a source. */
export interface Asking {
  /** Ends all requests, at the deadline of the source or at the end of the round. */
  readonly signal: AbortSignal;
  /** To be called before each retry. The client then asks the next source, too. */
  readonly onRetry: (failure: RegistryError) => void;
}

/** The sources of a round, in which the client asks them, and the callback for failures. */
export interface Round {
  readonly sources: readonly HttpSource[];
  /** The deadline of each source, in milliseconds. */
  readonly deadline: number;
  /** Ends the round. */
  readonly signal: AbortSignal;
  readonly onFailure: (source: HttpSource, error: RegistryError) => void;
}

/** An answer and its source. */
export interface Found<T> {
  readonly source: HttpSource;
  readonly answer: T;
}

/** A source that the client is still asking. */
interface PendingSource {
  readonly since: number;
  readonly deadline: Deadline;
  /** Why the client retries the source. Undefined before the first retry. */
  failure: RegistryError | undefined;
}

/** Why requests end that a source need not answer any more. */
export const UNNEEDED = /* @__PURE__ */ new RegistryError(
  'ERR_SOURCE_UNREACHABLE',
  'the response is no longer needed',
);

/** A source is slow after this share of the deadline. The client then also asks the next one. */
export const STAGGER_SHARE = 1 / 3;

/**
 * Asks sources for an acceptable answer (rule deadlines). Each source has one deadline for all its requests. The client
 * asks the next source after a third of the deadline, or at once if a source fails. The first decisive answer ends the
 * round. Without a decisive answer, the client waits up to one deadline for the sources that it has asked, and uses the
 * best answer.
 *
 * @returns undefined if no source has an acceptable answer
 */
export async function askSources<T>(round: Round, question: Question<T>): Promise<Found<T> | undefined> {
  const { sources, deadline, onFailure } = round;
  const underWay = new Map<HttpSource, PendingSource>();

  const ask = async (index: number, giveWay: () => void): Promise<Found<T>> => {
    const source = sources[index] as HttpSource;
    const own = startDeadline(deadline, round.signal);
    const state: PendingSource = { since: Date.now(), deadline: own, failure: undefined };
    const onRetry = (failure: RegistryError) => {
      state.failure = failure;
      giveWay();
    };
    underWay.set(source, state);
    try {
      const answer = await question.ask(source, { signal: own.signal, onRetry });
      return { source, answer };
    } catch (thrown) {
      // After the round has ended, the abort itself makes a source fail. Such a failure is not reported.
      if (underWay.has(source)) onFailure(source, asRegistryError(thrown));
      throw thrown;
    } finally {
      // Some requests may not have been needed.
      own.abort(UNNEEDED);
      own.clear();
      underWay.delete(source);
    }
  };

  const found = await askStaggered({
    count: sources.length,
    ask,
    staggerMs: deadline * STAGGER_SHARE,
    timeoutMs: deadline,
    isDecisive: ({ answer }) => question.isDecisive(answer),
    isBetter: (one, best) => question.isBetter(one.answer, best.answer),
  });
  const stopped = [...underWay];
  underWay.clear();
  for (const [source, { since, deadline: own, failure }] of stopped) {
    const slow = new RegistryError(
      'ERR_SOURCE_TIMEOUT',
      'the source had not responded when another source did',
    );
    own.abort(slow);
    // A source that took longer than the stagger delay has failed. A source that was asked only recently has not.
    const isSlow = Date.now() - since >= deadline * STAGGER_SHARE;
    if (failure !== undefined || isSlow) onFailure(source, failure ?? slow);
  }
  return found;
}

/** Returns the error of a source. Any other error comes from the function that sends requests. */
export function asRegistryError(thrown: unknown): RegistryError {
  if (thrown instanceof RegistryError) return thrown;
  return new RegistryError('ERR_SOURCE_UNREACHABLE', `the source failed: ${(thrown as Error).message}`, {
    cause: thrown,
  });
}
