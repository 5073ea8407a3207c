import { RegistryError } from '../core/errors.js';

/** An answer, and the URL of its source. */
export interface Found<T> {
  readonly source: string;
  readonly answer: T;
}

/** A source that has been asked, and has neither answered nor failed. */
interface Asked {
  /** How often the source has been asked again. */
  readonly attempt: number;
  /** Why the source is asked again. Undefined before that. */
  readonly failure: RegistryError | undefined;
  /** Whether the source needs longer than the stagger delay. */
  readonly isSlow: boolean;
  /** Whether the next source has been asked because of this one. */
  readonly hasGivenWay: boolean;
}

/**
 * One question for several sources (rule deadlines). Each source has one deadline for everything. The next source is
 * asked when a source is slow, is asked again, or fails. The first answer ends the round. The round is over when no source
 * is being asked any more.
 */
export interface Round<T> {
  /** The sources that have not been asked, in order. */
  readonly waiting: readonly string[];
  readonly asked: ReadonlyMap<string, Asked>;
  readonly errors: Readonly<Record<string, RegistryError>>;
  /** The answer that ended the round. */
  readonly found: Found<T> | undefined;
}

/** What happens to a source. */
export type RoundEvent<T> =
  | ({ readonly is: 'answered' } & Found<T>)
  | { readonly is: 'failed' | 'asked again'; readonly source: string; readonly error: RegistryError }
  /** The stagger delay of the source, or its deadline, has passed. */
  | { readonly is: 'slow' | 'overdue'; readonly source: string };

/** A round after an event. */
export interface RoundTurn<T> {
  readonly round: Round<T>;
  /** The source to ask now. */
  readonly ask?: string | undefined;
  /** The sources that need not answer any more, and the error of those that have failed. */
  readonly stopped?: readonly (readonly [source: string, error: RegistryError | undefined])[];
}

/** A source is slow after this share of the deadline. */
export const STAGGER_SHARE = 1 / 3;

const timeout = (message: string) => new RegistryError('ERR_SOURCE_TIMEOUT', `the source ${message}`);

/** Returns the error of a source whose deadline has passed. */
export const overdue = () => timeout('did not respond before its deadline');

/** Begins a round by asking the first source. */
export function startRound<T>(sources: readonly string[]): RoundTurn<T> {
  return askNext({ waiting: sources, asked: new Map(), errors: {}, found: undefined });
}

/** Returns what follows from an event. Events of sources that are not being asked change nothing. */
export function stepRound<T>(round: Round<T>, event: RoundEvent<T>): RoundTurn<T> {
  const { source } = event;
  const asked = round.asked.get(source);
  if (asked === undefined) return { round };
  switch (event.is) {
    case 'answered':
      return accept(round, event);
    case 'failed':
      return fail(round, source, event.error);
    case 'overdue':
      return fail(round, source, asked.failure ?? overdue());
    case 'asked again':
      return giveWay(round, source, { ...asked, attempt: asked.attempt + 1, failure: event.error });
    case 'slow':
      return giveWay(round, source, { ...asked, isSlow: true });
  }
}

/** Asks the next source, too, unless that was done for this source before. */
function giveWay<T>(round: Round<T>, source: string, asked: Asked): RoundTurn<T> {
  const given = { ...round, asked: new Map(round.asked).set(source, { ...asked, hasGivenWay: true }) };
  return asked.hasGivenWay ? { round: given } : askNext(given);
}

/** Returns why a source without an answer counts as failed. Undefined if it was asked only recently. */
function failureOf({ failure, isSlow }: Asked): RegistryError | undefined {
  if (failure !== undefined) return failure;
  return isSlow ? timeout('did not respond before another source') : undefined;
}

/** Ends a round. A source that is slow, or asked again, has failed. */
function accept<T>(round: Round<T>, { source, answer }: Found<T>): RoundTurn<T> {
  const { asked } = without(round, source);
  const errors = { ...round.errors };
  const stopped = [...asked].map(([other, state]) => {
    const error = failureOf(state);
    if (error !== undefined) errors[other] = error;
    return [other, error] as const;
  });
  return { round: { ...round, asked: new Map(), errors, found: { source, answer } }, stopped };
}

function fail<T>(round: Round<T>, source: string, error: RegistryError): RoundTurn<T> {
  const rest = { ...without(round, source), errors: { ...round.errors, [source]: error } };
  const turn = round.asked.get(source)?.hasGivenWay ? { round: rest } : askNext(rest);
  return { ...turn, stopped: [[source, error]] };
}

function askNext<T>(round: Round<T>): RoundTurn<T> {
  const [ask, ...waiting] = round.waiting;
  if (ask === undefined) return { round };
  const asked = { attempt: 0, failure: undefined, isSlow: false, hasGivenWay: false };
  return { round: { ...round, waiting, asked: new Map(round.asked).set(ask, asked) }, ask };
}

function without<T>(round: Round<T>, source: string): Round<T> {
  const asked = new Map(round.asked);
  asked.delete(source);
  return { ...round, asked };
}
