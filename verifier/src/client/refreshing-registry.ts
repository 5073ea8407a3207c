import { RegistryError, RegistryStale } from '../core/errors.js';
import { type CheckedRootKey, checkRootKeys, importCheckedRootKeys } from '../core/keys/root-key.js';
import { MAX_TIMER_MS } from '../core/options.js';
import type { AcceptedStatements } from '../core/publication/statements.js';
import { readStatementsFile } from '../core/publication/statements-file.js';
import { currentRoots, walkChains } from '../core/statements/root-chain.js';
import { askAgain } from '../http/ask-again.js';
import { inTime, untilAborted } from '../http/bounded-fetch.js';
import type { Attempt, Effect, Occurrence, ShownRotation } from './client-events.js';
import type { ClientSettings, RegistryEvent, RegistryStatus } from './client-options.js';
import { initialState, isRefreshDue, isUsable, type State, statusOf } from './client-state.js';
import { asRegistryError, type HttpFiles, HttpSource } from './http-files.js';
import { type ClientTrust, loadStored, type PublicationReader } from './load-stored.js';
import { closedError, step } from './machine.js';
import { Tasks } from './tasks.js';

/** An effect by its name. */
type Do<S extends AcceptedStatements, N extends Effect<S>['do']> = Extract<Effect<S>, { do: N }>;

/**
 * A client: does what the machine decides, and tells the machine what comes of it. This is the part of a client that
 * sends requests, sets timers, reads the clock and uses the store. `S` is what the client keeps of a registry.
 */
export class RefreshingRegistry<S extends AcceptedStatements> {
  /** What sends requests. They end when the client is closed. */
  readonly tasks = new Tasks();
  /** Of each source, in milliseconds. */
  readonly deadline: number;
  readonly #reader: PublicationReader<S>;
  readonly #settings: ClientSettings;
  readonly #sources: ReadonlyMap<string, HttpSource>;
  /** How long work can take, in milliseconds: each source may need its deadline, and so may the store. */
  readonly #longest: number;
  readonly #pinned: readonly CheckedRootKey[];
  /** The files of the attempts under way, by source. */
  readonly #opened = new Map<string, HttpFiles>();
  /** What the machine has not been told yet, because the effects of something else are being performed. */
  readonly #untold: Occurrence<S>[] = [];
  #isTelling = false;
  #state: State<S>;
  #ready: Promise<void> | undefined;
  #loading: Promise<void> | undefined;
  #refreshing: Promise<void> | undefined;
  /** When the work that was begun last must have ended, in milliseconds since 1970. Then nobody waits for it any more. */
  #workUntil = Number.POSITIVE_INFINITY;
  /** Of all who wait for the refresh under way. */
  readonly #settles: ((error: RegistryError | undefined) => void)[] = [];
  /** The end of the last save. A save that began earlier must not overwrite a later one. */
  #saved: Promise<unknown> = Promise.resolve();
  /** Whether `close` was called, although the machine may not have been told yet. */
  #isClosed = false;
  #lastTime = 0;

  /** @param isTimed - whether the client refreshes itself; otherwise `upToDate` does */
  constructor(settings: ClientSettings, reader: PublicationReader<S>, isTimed = true) {
    this.#settings = settings;
    this.deadline = settings.deadline;
    this.#reader = reader;
    this.#pinned = checkRootKeys(settings);
    this.#sources = new Map(settings.sources.map((base) => [base, new HttpSource(base, settings.fetch)]));
    this.#longest = Math.min((this.#sources.size + 1) * settings.deadline, MAX_TIMER_MS);
    this.#state = initialState({ ...settings, isTimed });
  }

  /** Returns what answers come from. Starts a refresh in the background if one is due. */
  current(): S {
    const time = this.#settings.now();
    // Some platforms run no timers between requests, so reads also start due refreshes.
    if (time >= this.#state.nextRefresh) this.#refreshInBackground();
    const { current } = this.#state;
    if (current === undefined) {
      throw new RegistryError('ERR_REGISTRY_NOT_READY', 'no list has been loaded yet: wait for ready()');
    }
    if (!isUsable(this.#state, time)) throw new RegistryStale(new Date(current.freshUntil));
    return current;
  }

  /**
   * Waits for a refresh if none has succeeded within the refresh interval. If it fails, the client continues to use what
   * it has. Reads cannot shorten the pause after a failure.
   *
   * @throws {@link NoUsableSource} if the client has nothing; `ERR_REGISTRY_CLOSED`
   */
  async upToDate(): Promise<void> {
    this.assertOpen();
    const { current, failure } = this.#state;
    if (current === undefined) {
      // After a failure, reads fail at once until the next refresh is due.
      if (this.#ready === undefined && failure !== undefined && !this.#isRefreshDue()) throw failure;
      await this.#whileItMayTake(this.ready());
    }
    if (this.#isRefreshDue()) await this.#whileItMayTake(this.refresh().catch(() => undefined));
    this.assertOpen();
  }

  /** Waits for work that a request may have begun which has ended. */
  #whileItMayTake(work: Promise<void>): Promise<void> {
    return inTime(work, this.#longest, () => undefined);
  }

  #isRefreshDue(): boolean {
    return isRefreshDue(this.#state, this.#settings.now());
  }

  async ready(): Promise<void> {
    this.assertOpen();
    this.#leaveLostWork();
    this.#ready ??= this.#start().catch((error) => {
      this.#ready = undefined;
      throw error;
    });
    await this.#ready;
  }

  /** A usable list from the store ends the wait. A refresh begins in any case. */
  async #start(): Promise<void> {
    await this.#load();
    if (isUsable(this.#state, this.#settings.now())) this.#refreshInBackground();
    else await this.refresh();
  }

  /**
   * Begins work: loads from the store, once. The client accepts nothing from a source before it knows what it accepted
   * in an earlier run.
   */
  async #load(): Promise<void> {
    this.assertOpen();
    this.#workUntil = Date.now() + this.#longest;
    if (this.#state.round > 0) return;
    // An invalid pinned key is an error of the caller, and not of a source.
    this.#loading ??= importCheckedRootKeys(this.#pinned).then(async (pinned) => {
      const verification = { reader: this.#reader, trust: this.#trust(), pinned };
      this.#tell(await loadStored(this.#settings.store, verification));
    });
    try {
      // A store that never answers must not outlast the client.
      await untilAborted(this.#loading, this.tasks.signalOf('store'));
    } finally {
      this.assertOpen();
    }
  }

  refresh(): Promise<void> {
    this.#leaveLostWork();
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  /**
   * Some platforms drop the work of a request that has ended, with its timers. Once the work must have ended, nobody
   * joins it any more, and it begins again.
   */
  #leaveLostWork(): void {
    if (Date.now() < this.#workUntil) return;
    this.#ready = undefined;
    this.#refreshing = undefined;
    this.#saved = Promise.resolve();
    this.#loading = undefined;
    this.#tell({ is: 'lost' });
  }

  #refreshInBackground(): void {
    this.refresh().catch(() => undefined);
  }

  async #refresh(): Promise<void> {
    await this.#load();
    const error = await new Promise<RegistryError | undefined>((resolve) => {
      // The client may have been closed since it was loaded. Then nobody would settle this promise.
      this.assertOpen();
      this.#settles.push(resolve);
      this.#tell({ is: 'refresh' });
    });
    // A caller may end the program after the refresh, so the save comes first. It also keeps the rotation of a refused source.
    await this.#saved;
    if (error !== undefined) throw error;
  }

  /** All sources, first the one of the current list: another one may just have been slow. */
  sources(): HttpSource[] {
    const { source } = this.#state;
    const isOther = ({ base }: HttpSource) => Number(base !== source);
    return [...this.#sources.values()].sort((one, next) => isOther(one) - isOther(next));
  }

  /** Reports that a source has failed to answer something else. */
  report(source: string, error: RegistryError): void {
    this.#tell({ is: 'failed', source, error });
  }

  /** @throws `ERR_REGISTRY_CLOSED` */
  assertOpen(): void {
    if (this.#isClosed) throw closedError();
  }

  status(): RegistryStatus {
    return statusOf(this.#state, this.#settings.now());
  }

  close(): void {
    this.#isClosed = true;
    this.#tell({ is: 'close' });
  }

  /** Tells the machine what has happened, and performs the effects. What happens meanwhile is told afterwards. */
  #tell(occurrence: Occurrence<S>): void {
    this.#untold.push(occurrence);
    if (this.#isTelling) return;
    this.#isTelling = true;
    try {
      for (let next = this.#untold.shift(); next !== undefined; next = this.#untold.shift()) {
        const event = { ...next, at: this.#time(), random: Math.random() };
        const { state, effects } = step(this.#state, event);
        this.#state = state;
        for (const effect of effects) this.#perform(effect);
      }
    } finally {
      this.#untold.length = 0;
      this.#isTelling = false;
    }
  }

  #perform(effect: Effect<S>): void {
    switch (effect.do) {
      case 'wake':
        this.#wake(effect);
        break;
      case 'stop':
        this.tasks.stop(effect.task);
        if (effect.task !== undefined) this.#opened.get(effect.task)?.discard();
        break;
      case 'open':
        this.#open(effect.of);
        break;
      case 'follow':
        this.#follow(effect.of);
        break;
      case 'verify':
        this.#verify(effect);
        break;
      case 'forget':
        this.#source(effect.source).forget();
        this.#opened.get(effect.source)?.discard();
        break;
      case 'use':
        this.#reader.onUse?.(effect.current);
        break;
      case 'save':
        this.#save(effect);
        break;
      case 'emit':
        this.#emit(effect.event);
        break;
      case 'settle':
        for (const settle of this.#settles.splice(0)) settle(effect.error);
        break;
      default:
        effect satisfies never;
    }
  }

  #wake({ task, after, then }: Do<S, 'wake'>): void {
    const timer = this.tasks.wake(task, Math.min(after, MAX_TIMER_MS), () =>
      then.is === 'refresh' ? this.#refreshInBackground() : this.#tell(then),
    );
    // In Node.js, a timer that no source has must not keep the process alive.
    if (!this.#sources.has(task)) (timer as { unref?: () => void }).unref?.();
  }

  #open(of: Attempt): void {
    const files = this.#filesOf(of, this.tasks.signalOf(of.source));
    this.#opened.set(of.source, files);
    files.request(this.#reader.pathsReadFirst(this.#trust()));
  }

  #follow(of: Attempt): void {
    this.#followRotation(of)
      .catch(asRegistryError)
      .then((shown) => this.#tell({ is: 'rotation', of, shown }));
  }

  #verify({ of, chains }: Do<S, 'verify'>): void {
    const files = this.#opened.get(of.source) as HttpFiles;
    const reading = this.#reader
      .read(askAgain(files), { ...this.#trust(), roots: currentRoots(chains) })
      .finally(() => files.discard());
    reading.then(
      (read) => this.#tell({ is: 'verified', of, chains, read }),
      (thrown) => this.#tell({ is: 'refused', of, error: asRegistryError(thrown) }),
    );
  }

  #save({ current, rotation }: Do<S, 'save'>): void {
    this.#saved = this.#saved
      .then(async () => {
        const stored = this.#reader.toStored(current, rotation);
        if (stored !== undefined) await this.#settings.store.save(stored);
      })
      .then(
        () => undefined,
        (error): RegistryEvent => ({ type: 'store-failed', error }),
      )
      .then((failure) => this.#tell({ is: 'saved', failure }));
  }

  #emit(event: RegistryEvent): void {
    if (this.#isClosed) return;
    try {
      this.#settings.onEvent?.(event);
    } catch {
      // An exception in a log callback must not break the client.
    }
  }

  async #followRotation(of: Attempt): Promise<ShownRotation> {
    const { source, attempt } = of;
    const files =
      attempt === 0
        ? this.#filesOf(of, this.tasks.signalOf('rotations'))
        : (this.#opened.get(source) as HttpFiles);
    const { rotation } = await readStatementsFile(files);
    const { bound } = this.#state.roots;
    return { bound, chains: await walkChains(bound, rotation, this.#trust().clock) };
  }

  /** Returns the files of a source. The first attempt shares `statements.json` with the code that follows the rotation. */
  #filesOf({ source: base, round, attempt }: Attempt, signal: AbortSignal): HttpFiles {
    const source = this.#source(base);
    const rotations = this.tasks.signalOf('rotations');
    return source.files(signal, attempt === 0 ? source.statements(round, rotations) : undefined);
  }

  /** Reads the clock. An exception of the caller's clock must not break the client: reads throw it. */
  #time(): number {
    try {
      this.#lastTime = this.#settings.now();
    } catch {
      // The last time counts.
    }
    return this.#lastTime;
  }

  #trust(): Omit<ClientTrust<S>, 'roots'> {
    const { clockTolerance, log } = this.#settings;
    const { current, accepted } = this.#state;
    const clock = { now: this.#time(), tolerance: clockTolerance };
    return { current, accepted, clock, expiry: true, log };
  }

  #source(base: string): HttpSource {
    return this.#sources.get(base) as HttpSource;
  }
}
