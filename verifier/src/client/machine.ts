import { NoUsableSource, RegistryError } from '../core/errors.js';
import type { AcceptedStatements } from '../core/publication/statements.js';
import {
  beginRound,
  bindRoots,
  forkOf,
  isCurrentRoot,
  rotationWith,
  showChains,
} from '../core/statements/known-roots.js';
import type { Attempt, ClientEvent, Effect, Loaded, Occurrence, Refused, Task } from './client-events.js';
import type { RegistryEvent } from './client-options.js';
import type { State } from './client-state.js';
import { retryDelay } from './retries.js';
import {
  type Found,
  overdue,
  type Round,
  type RoundEvent,
  type RoundTurn,
  STAGGER_SHARE,
  startRound,
  stepRound,
} from './round.js';

/**
 * Decides what a client does: which source to ask and when, which answer wins, which root keys count, what is used and
 * saved, and when the next refresh is due. Reads no clock, and waits for nothing.
 *
 * @returns the next state, and what to do, in this order. Events come last: a listener may read the registry,
 *   and must find what the event says
 */
export function step<S extends AcceptedStatements>(
  state: State<S>,
  event: ClientEvent<S>,
): { readonly state: State<S>; readonly effects: readonly Effect<S>[] } {
  const turn = new Turn(state, event);
  const isOfEarlierRound = 'of' in event && event.of.round !== state.round;
  // Nothing changes a closed client, and answers of earlier rounds change nothing.
  if (!state.isClosed && !isOfEarlierRound) turn.take(event);
  return turn;
}

/** An event by its name. */
type Is<S extends AcceptedStatements, N extends Occurrence<S>['is']> = Extract<Occurrence<S>, { is: N }>;

/** What follows from one event. The state before the event does not change. */
class Turn<S extends AcceptedStatements> {
  state: State<S>;
  readonly #effects: Effect<S>[] = [];
  readonly #events: Effect<S>[] = [];
  readonly #at: number;
  readonly #random: number;

  constructor(state: State<S>, { at, random }: ClientEvent<S>) {
    this.state = state;
    this.#at = at;
    this.#random = random;
  }

  get effects(): readonly Effect<S>[] {
    return [...this.#effects, ...this.#events];
  }

  take(event: Occurrence<S>): void {
    switch (event.is) {
      case 'loaded':
        this.#loaded(event);
        break;
      case 'refresh':
        this.#refresh();
        break;
      case 'lost':
        this.#lost();
        break;
      case 'close':
        this.#close();
        break;
      case 'rotation':
        this.#rotation(event);
        break;
      case 'verified':
        this.#verified(event);
        break;
      case 'refused':
        this.#refused(event);
        break;
      case 'retry':
        this.#retry(event);
        break;
      case 'passed':
        this.#passed(event);
        break;
      case 'saved':
        this.#emit(event.failure);
        break;
      case 'failed':
        this.#failed(event);
        break;
      default:
        event satisfies never;
    }
  }

  #loaded({ roots, current, accepted, failure }: Loaded<S>): void {
    // A store that answers late may know less than this client.
    if (this.state.round > 0) return;
    this.#change({ accepted, roots: accepted === undefined ? roots : bindRoots(roots) });
    if (current !== undefined) this.#use(current, 'store');
    // A list signed by a replaced root key is not used, but it still protects against rollbacks.
    this.#outdateIfReplaced(0);
    this.#emit(failure);
  }

  /** Ends the refresh under way: the sources that were asked are overdue, and no other one is asked. */
  #lost(): void {
    const { refresh } = this.state;
    if (refresh === undefined) return;
    this.#change({ refresh: { ...refresh, waiting: [] } });
    for (const source of refresh.asked.keys()) this.#tellRound({ is: 'overdue', source });
  }

  #close(): void {
    this.#change({ isClosed: true });
    this.#perform({ do: 'stop', task: undefined });
    if (this.state.refresh !== undefined) this.#settle(closedError());
  }

  /**
   * Asks all sources for their rotations, and the first source for everything else. A source is read only after its
   * rotation. Other rotations may arrive later, even after the refresh.
   */
  #refresh(): void {
    if (this.state.refresh !== undefined) return;
    const { settings, roots } = this.state;
    const sources = [...new Set(settings.sources)];
    const round = this.state.round + 1;
    const rotations = Object.fromEntries(sources.map((source) => [source, 'pending'] as const));
    this.#change({ round, roots: beginRound(roots), rotations });
    this.#perform({ do: 'stop', task: 'rotations' });
    for (const source of sources) this.#perform({ do: 'follow', of: { round, source, attempt: 0 } });
    this.#wake('rotations', settings.deadline, { is: 'passed', of: { round }, event: { is: 'late' } });
    this.#continueRound(startRound(sources));
  }

  #rotation({ of, shown }: Omit<Is<S, 'rotation'>, 'is'>): void {
    const { rotations, roots } = this.state;
    const { source, attempt } = of;
    const isExpected = attempt === 0 ? rotations[source] === 'pending' : this.#isCurrent(of);
    if (!isExpected) return;
    if (!(shown instanceof RegistryError)) {
      // The chains were bound further in the meantime.
      if (shown.bound !== roots.bound) {
        this.#perform({ do: 'follow', of });
        return;
      }
      this.#change({ roots: showChains(roots, shown.chains) });
    }
    const isReplaced = this.#outdateIfReplaced(this.#at);
    const result = shown instanceof RegistryError ? shown : 'shown';
    if (attempt === 0) this.#endRotation(source, result);
    if (this.#isCurrent(of)) this.#verify(of, result);
    else if (isReplaced) this.#refresh();
  }

  #verified({ of, chains, read }: Is<S, 'verified'>): void {
    if (!this.#isCurrent(of)) return;
    const { roots, errors } = this.state;
    const { source } = of;
    // Another source may have shown a new rotation in the meantime.
    if (forkOf(roots) !== undefined || chains !== roots.longest) {
      this.#verify(of, 'shown');
      return;
    }
    const others = Object.entries(errors).filter(([base]) => base !== source);
    this.#change({ errors: Object.fromEntries(others) });
    this.#perform({ do: 'stop', task: source });
    this.#tellRound({ is: 'answered', source, answer: read });
  }

  /** Asks a source again that may be in the middle of a publication, within its deadline. */
  #refused(refused: Refused): void {
    const { of, error } = refused;
    const { source, attempt } = of;
    if (!this.#isCurrent(of)) return;
    const delay = retryDelay(refused, this.#random);
    if (delay !== undefined) {
      this.#perform({ do: 'forget', source });
      this.#wake(source, delay, { is: 'retry', of: { ...of, attempt: attempt + 1 } });
    }
    this.#tellRound({ is: delay === undefined ? 'failed' : 'asked again', source, error });
  }

  /** Asks a source for everything again, also for its rotation. */
  #retry({ of }: Is<S, 'retry'>): void {
    if (!this.#isCurrent(of)) return;
    this.#perform({ do: 'open', of });
    this.#perform({ do: 'follow', of });
  }

  /** The time of a source, or of the rotations, has passed. */
  #passed({ event }: Is<S, 'passed'>): void {
    if (event.is !== 'late') {
      this.#tellRound(event);
      return;
    }
    const { rotations, round } = this.state;
    for (const source of Object.keys(rotations)) {
      // A rotation that fails can begin the next round.
      if (round !== this.state.round) return;
      this.#rotation({ of: { round, source, attempt: 0 }, shown: overdue() });
    }
  }

  #failed({ source, error }: Omit<Is<S, 'failed'>, 'is'>): void {
    this.#change({ errors: { ...this.state.errors, [source]: error } });
    this.#emit({ type: 'source-failed', source, error });
  }

  #tellRound(event: RoundEvent<S>): void {
    const { refresh } = this.state;
    if (refresh !== undefined) this.#continueRound(stepRound(refresh, event));
  }

  #continueRound({ round, ask, stopped = [] }: RoundTurn<S>): void {
    this.#change({ refresh: round });
    for (const [source, error] of stopped) {
      if (error !== undefined) this.#failed({ source, error });
      this.#perform({ do: 'forget', source });
      this.#perform({ do: 'stop', task: source });
    }
    if (ask !== undefined) this.#ask(ask);
    else if (round.asked.size === 0) this.#decide(round);
  }

  #ask(source: string): void {
    const { settings, round, rotations } = this.state;
    const of = { round, source, attempt: 0 };
    this.#perform({ do: 'open', of });
    const { deadline } = settings;
    this.#wake(source, deadline * STAGGER_SHARE, { is: 'passed', of, event: { is: 'slow', source } });
    this.#wake(source, deadline, { is: 'passed', of, event: { is: 'overdue', source } });
    const rotation = rotations[source];
    if (rotation !== 'pending') this.#verify(of, rotation);
  }

  /** Verifies an attempt under the current root keys, unless its rotation has been refused. */
  #verify(of: Attempt, rotation: 'shown' | RegistryError | undefined): void {
    const { roots } = this.state;
    const error = rotation instanceof RegistryError ? rotation : forkOf(roots);
    if (error === undefined) this.#perform({ do: 'verify', of, chains: roots.longest });
    else this.#refused({ is: 'refused', of, error });
  }

  /**
   * Binds all chains, once all sources have shown their rotation. A rotation that replaced the root key of the current list
   * must survive a restart.
   */
  #endRotation(source: string, result: 'shown' | RegistryError): void {
    const { roots, isOutdated } = this.state;
    const rotations = { ...this.state.rotations, [source]: result };
    this.#change({ rotations });
    if (Object.values(rotations).includes('pending')) return;
    this.#stopRotations();
    this.#change({ roots: bindRoots(roots) });
    if (this.state.roots.bound !== roots.bound && isOutdated) this.#save();
  }

  #decide({ found, errors }: Round<S>): void {
    if (found !== undefined && isCurrentRoot(this.state.roots, found.answer.rootKey)) {
      this.#accept(found);
      return;
    }
    const replaced = new RegistryError('ERR_SIGNATURE_INVALID', 'the root key of the list was replaced');
    const error = new NoUsableSource(found === undefined ? errors : { ...errors, [found.source]: replaced });
    this.#change({ failures: this.state.failures + 1, failure: error });
    this.#emit({ type: 'refresh-failed', error });
    this.#end(error);
  }

  #accept({ source, answer }: Found<S>): void {
    const { sha256, updatedAt, rootKey } = answer;
    const { current, roots } = this.state;
    const type = current?.sha256 === sha256 ? 'unchanged' : 'accepted';
    this.#change({
      roots: bindRoots(roots, rootKey),
      confirmedAt: this.#at,
      failures: 0,
      failure: undefined,
    });
    this.#use(answer, source);
    this.#emit(type === 'accepted' ? { type, source, updatedAt, sha256 } : { type, source, updatedAt });
    const hold = answer.checkpoint.hold;
    if (String(hold) !== String(current?.checkpoint.hold ?? [])) {
      this.#emit({ type: 'hold-changed', source, hold });
    }
    if (current === undefined || evidenceOf(current) !== evidenceOf(answer)) this.#save();
    this.#end();
  }

  #use(current: S, source: string): void {
    this.#change({ current, accepted: current, isOutdated: false, source });
    this.#perform({ do: 'use', current });
  }

  /** Saves what is current. Every check must have passed before (rule save-last). */
  #save(): void {
    const { current, roots } = this.state;
    if (current === undefined) return;
    this.#perform({ do: 'save', current, rotation: rotationWith(roots, current.rootKey) });
  }

  /** Ends the freshness of a list whose root key was replaced. @param time - in milliseconds since 1970 */
  #outdateIfReplaced(time: number): boolean {
    const { current, isOutdated, roots } = this.state;
    if (current === undefined || isOutdated || isCurrentRoot(roots, current.rootKey)) return false;
    const outdated = { ...current, freshUntil: Math.min(current.freshUntil, time) };
    this.#change({ isOutdated: true, current: outdated });
    return true;
  }

  /**
   * Ends a refresh and schedules the next one. Jitter prevents a fleet from asking all at once. After a failure, the
   * delay is shorter.
   */
  #end(error?: NoUsableSource): void {
    const { settings, isOutdated, failures } = this.state;
    const { refreshInterval, isTimed } = settings;
    const pause = isOutdated ? 0 : refreshInterval;
    const backOff = failures === 0 ? pause : Math.min(refreshInterval, 1000 * 2 ** failures);
    const delay = backOff * (0.8 + 0.2 * this.#random);
    this.#change({ nextRefresh: this.#at + delay });
    this.#settle(error);
    this.#stopRotations();
    if (!isTimed) return;
    this.#perform({ do: 'stop', task: 'next' });
    this.#wake('next', delay, { is: 'refresh' });
  }

  /** Ends the wait for rotations, once nothing needs it: a client that nobody asks has no timer. */
  #stopRotations(): void {
    const { rotations, refresh } = this.state;
    const isWaiting = refresh !== undefined || Object.values(rotations).includes('pending');
    if (!isWaiting) this.#perform({ do: 'stop', task: 'rotations' });
  }

  #settle(error: RegistryError | undefined): void {
    this.#change({ refresh: undefined });
    this.#perform({ do: 'settle', error });
  }

  /** Whether a source is being asked by this attempt. */
  #isCurrent({ source, attempt }: Attempt): boolean {
    const { refresh } = this.state;
    return refresh?.asked.get(source)?.attempt === attempt;
  }

  #change(part: Partial<State<S>>): void {
    this.state = { ...this.state, ...part };
  }

  #emit(event: RegistryEvent | undefined): void {
    if (event !== undefined && !this.state.isClosed) this.#events.push({ do: 'emit', event });
  }

  #wake(task: Task, after: number, then: Occurrence<S>): void {
    this.#perform({ do: 'wake', task, after, then });
  }

  #perform(effect: Effect<S>): void {
    this.#effects.push(effect);
  }
}

/** Returns all that a store keeps of statements, apart from the rotation. The publication names the list. */
function evidenceOf({ checkpoint, publication, logged }: AcceptedStatements): string {
  return `${[publication.text, checkpoint.text, logged?.proof]}`;
}

/** Returns the error of every call to a closed client. */
export function closedError(): RegistryError {
  return new RegistryError('ERR_REGISTRY_CLOSED', 'the client has been closed');
}
