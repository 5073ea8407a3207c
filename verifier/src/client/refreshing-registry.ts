import { NoUsableSource, RegistryError, RegistryStale } from '../core/errors.js';
import { type CheckedRootKey, checkRootKeys, importCheckedRootKeys } from '../core/keys/root-key.js';
import { readFloor, trustInStore } from '../core/publication/floor.js';
import type { Head } from '../core/publication/statements.js';
import {
  beginRound,
  bindRoots,
  isCurrentRoot,
  pinnedRoots,
  rotationWith,
  showChains,
} from '../core/statements/known-roots.js';
import { walkChains } from '../core/statements/root-chain.js';
import { startDeadline, untilAborted } from '../http/deadline.js';
import { type Asking, askSources, type Found, type Question } from './ask-sources.js';
import {
  type ClientSettings,
  MAX_TIMER_MS,
  type RegistryEvent,
  type RegistryStatus,
} from './client-options.js';
import { HttpSource } from './http-files.js';
import type { HoldingTrust, PublicationReader } from './publication-reader.js';
import { type RootsOfClient, readRotationOf, readSource } from './source-reader.js';
import { type StoredPublication, storedDelegationTime, storedFiles } from './store.js';

/** Why requests of an earlier refresh end. */
const SUPERSEDED = /* @__PURE__ */ new RegistryError('ERR_SOURCE_UNREACHABLE', 'a newer refresh has begun');

/** The sources to ask, in order. */
interface AskedSources {
  readonly sources: readonly HttpSource[];
  readonly signal: AbortSignal;
  /** Gets the error of each source, by URL. */
  readonly errors: Record<string, RegistryError>;
}

/** The implementation of a client: its state, its sources and its timers. `H` is what the client keeps of a registry. */
export class RefreshingRegistry<H extends Head> {
  readonly #reader: PublicationReader<H>;
  readonly #isTimed: boolean;
  readonly #settings: ClientSettings;
  readonly #sources: readonly HttpSource[];
  readonly #errors = new Map<string, RegistryError>();
  readonly #pinned: readonly CheckedRootKey[];
  #known: Promise<RootsOfClient> | undefined;
  #held: H | undefined;
  /** The newest head that was accepted. Nothing older is accepted, even if no answer can come from it. */
  #floor: Head | undefined;
  /** Whether a rotation has replaced the root key of the held list. */
  #isOutdated = false;
  #source: string | undefined;
  #confirmedAt: number | undefined;
  #refreshing: Promise<void> | undefined;
  #loading: Promise<void> | undefined;
  #restoring: Promise<void> | undefined;
  /** Ends the requests of the latest refresh. Requests for rotations may outlast the refresh. */
  #asking = new AbortController();
  /** Ends the requests of `ask`. One signal for all of them would get too many listeners. */
  readonly #questions = new Set<AbortController>();
  #nextRefresh = Number.POSITIVE_INFINITY;
  #failures = 0;
  /** Why the latest refresh failed. Undefined after a success. */
  #failure: NoUsableSource | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  /** @param isTimed - whether the client refreshes itself; otherwise `upToDate` does */
  constructor(settings: ClientSettings, reader: PublicationReader<H>, isTimed = true) {
    this.#settings = settings;
    this.#isTimed = isTimed;
    this.#reader = reader;
    this.#pinned = checkRootKeys(settings);
    const { sources, fetch } = this.#settings;
    this.#sources = sources.map((base) => new HttpSource(base, fetch));
  }

  /** Returns what the client holds. Starts a refresh in the background if one is due. */
  current(): H {
    const time = this.#settings.now();
    // Some platforms run no timers between requests, so reads also start due refreshes.
    if (time >= this.#nextRefresh) this.#refreshInBackground();
    if (this.#held === undefined) {
      throw new RegistryError('ERR_REGISTRY_NOT_READY', 'no list has been loaded yet: wait for ready()');
    }
    if (!this.#isUsable(this.#held, time)) throw new RegistryStale(new Date(this.#held.freshUntil));
    return this.#held;
  }

  /**
   * Waits for a refresh if none has succeeded within the refresh interval. If it fails, the client continues to use what
   * it holds. Reads cannot shorten the pause after a failure.
   *
   * @throws {@link NoUsableSource} if the client holds nothing; `ERR_REGISTRY_CLOSED`
   */
  async upToDate(): Promise<void> {
    this.assertOpen();
    if (this.#held === undefined) await this.#firstHeld();
    if (this.#isRefreshDue()) await this.refresh().catch(() => undefined);
    this.assertOpen();
  }

  /** Waits until the client holds something. After a failure, reads fail at once until the next refresh is due. */
  async #firstHeld(): Promise<void> {
    if (this.#loading === undefined && this.#failure !== undefined && !this.#isRefreshDue())
      throw this.#failure;
    await this.ready();
  }

  #isRefreshDue(): boolean {
    const { now, refreshInterval } = this.#settings;
    const pause = this.#nextRefresh - now();
    // A pause of more than the interval means that there was no refresh yet, or that the clock was set back.
    return pause <= 0 || pause > refreshInterval;
  }

  ready(): Promise<void> {
    if (this.#isClosed)
      return Promise.reject(
        new RegistryError('ERR_REGISTRY_CLOSED', 'the client has been closed: create a new one'),
      );
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    this.assertOpen();
    await this.#restored();
    this.assertOpen();
    const usable = this.#held !== undefined && this.#isUsable(this.#held, this.#settings.now());
    if (usable) this.#refreshInBackground();
    else await this.refresh();
  }

  #isUsable({ freshUntil }: Head, time: number): boolean {
    const { clockTolerance, grace } = this.#settings;
    return time <= freshUntil + clockTolerance + grace;
  }

  /**
   * Loads from the store, once. The client accepts nothing from a source before it knows what it accepted in an earlier
   * run.
   */
  #restored(): Promise<void> {
    this.#restoring ??= this.#knownRoots().then((known) => this.#loadFromStore(known));
    return this.#restoring;
  }

  async #loadFromStore(known: RootsOfClient): Promise<void> {
    try {
      const stored = await this.#settings.store.load();
      if (stored === undefined) return;
      const files = storedFiles(stored);
      const rotation = await files.get('keys/rotation.json');
      known.roots = showChains(known.roots, await walkChains(known.roots.bound, rotation, undefined));
      // Reads check the freshness, so this step does not.
      const trust = trustInStore(this.#trust(), known.roots.longest);
      try {
        const held = this.#withDelegationOf(stored, await this.#reader.read(files, trust));
        this.#hold(held, 'store');
        if (!isCurrentRoot(known.roots, held.root)) this.#outdate(0);
      } catch (error) {
        const floor = await readFloor(files, trust).catch(() => undefined);
        if (floor !== undefined) this.#floor = this.#withDelegationOf(stored, floor);
        throw error;
      } finally {
        if (this.#floor !== undefined) known.roots = bindRoots(known.roots);
      }
    } catch (error) {
      this.#emit({ type: 'store-failed', error });
    }
  }

  /** Adds the time of the newest delegation that the store knows. */
  #withDelegationOf<T extends Head>(stored: StoredPublication, head: T): T {
    const { now, clockTolerance } = this.#settings;
    const storedTime = storedDelegationTime(stored, now() + clockTolerance);
    return { ...head, delegatedAt: latest(head.delegatedAt, storedTime) };
  }

  refresh(): Promise<void> {
    this.#refreshing ??= this.#refreshOnce().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  #refreshInBackground(): void {
    if (this.#refreshing === undefined && !this.#isClosed) this.refresh().catch(() => undefined);
  }

  async #refreshOnce(): Promise<void> {
    this.assertOpen();
    const known = await this.#knownRoots();
    await this.#restored();
    this.assertOpen();
    try {
      const errors: Record<string, RegistryError> = {};
      this.#asking.abort(SUPERSEDED);
      const asking = new AbortController();
      this.#asking = asking;
      known.roots = beginRound(known.roots);
      const rotations = this.#askForRotations(known, asking.signal);
      Promise.allSettled(rotations).then(() => {
        if (this.#asking === asking) this.#bindAll(known);
      });
      const trust = this.#trust();
      const found = await this.#askSources(
        { sources: this.#sources, signal: asking.signal, errors },
        {
          ask: async (source, how) => {
            const rotation = rotations[this.#sources.indexOf(source)] as Promise<void>;
            const head = await readSource({ ...how, source, rotation, known, reader: this.#reader, trust });
            this.#errors.delete(source.base);
            return head;
          },
          isDecisive: ({ checkpoint }) => checkpoint !== undefined,
          isBetter: isNewer,
        },
      );
      this.assertOpen();
      await this.#decide(found, known, errors);
    } finally {
      this.#schedule();
    }
  }

  /**
   * Asks the sources for something that belongs to the held head, and first the source of the head: another one may just
   * have been slow. The first answer counts.
   *
   * @throws {@link NoUsableSource}
   */
  async ask<T>(ask: (source: HttpSource, asking: Asking) => Promise<T>): Promise<T> {
    const errors: Record<string, RegistryError> = {};
    const question = { ask, isDecisive: () => true, isBetter: () => false };
    const ended = new AbortController();
    this.#questions.add(ended);
    const isOther = ({ base }: HttpSource) => Number(base !== this.#source);
    const sources = [...this.#sources].sort((one, next) => isOther(one) - isOther(next));
    const found = await this.#askSources({ sources, signal: ended.signal, errors }, question);
    this.#questions.delete(ended);
    this.assertOpen();
    if (found === undefined) throw new NoUsableSource(errors);
    return found.answer;
  }

  /** Asks the sources. Reports the failures. */
  #askSources<T>(
    { sources, signal, errors }: AskedSources,
    question: Question<T>,
  ): Promise<Found<T> | undefined> {
    const round = {
      sources,
      deadline: this.#settings.deadline,
      signal,
      onFailure: ({ base }: HttpSource, error: RegistryError) => {
        errors[base] = error;
        this.#errors.set(base, error);
        this.#emit({ type: 'source-failed', source: base, error });
      },
    };
    return askSources(round, question);
  }

  /**
   * Requests the rotations of all sources, in parallel with all other requests. The client reads a source only after
   * the rotation of that source. Other rotations may arrive later, even after the refresh. The client then checks the
   * held list again.
   */
  #askForRotations(known: RootsOfClient, signal: AbortSignal): readonly Promise<void>[] {
    const deadline = startDeadline(this.#settings.deadline, signal);
    const rotations = this.#sources.map(async (source) => {
      const files = source.files(deadline.signal);
      await untilAborted(readRotationOf(files, known, this.#trust()), deadline.signal);
      this.#reconsider(known);
    });
    // `readSource` handles the error of a failed rotation.
    Promise.allSettled(rotations).then(() => deadline.clear());
    return rotations;
  }

  /** Ends the freshness of a list whose root key was replaced, and starts a refresh at once. */
  #reconsider({ roots }: RootsOfClient): void {
    if (this.#held === undefined || this.#isOutdated || isCurrentRoot(roots, this.#held.root)) return;
    this.#outdate(this.#settings.now());
    this.#refreshInBackground();
  }

  /** Ends the freshness of the held list. @param freshUntil - in milliseconds since 1970 */
  #outdate(freshUntil: number): void {
    if (this.#held === undefined) return;
    this.#isOutdated = true;
    this.#held = { ...this.#held, freshUntil: Math.min(this.#held.freshUntil, freshUntil) };
  }

  /**
   * Binds all chains, once all sources have shown their rotation. A rotation that replaced the root key of the held
   * list must survive a restart.
   */
  #bindAll(known: RootsOfClient): void {
    const held = this.#held;
    const { bound } = known.roots;
    known.roots = bindRoots(known.roots);
    if (known.roots.bound !== bound && held !== undefined && this.#isOutdated) void this.#save(held, known);
  }

  async #decide(
    found: Found<H> | undefined,
    known: RootsOfClient,
    errors: Record<string, RegistryError>,
  ): Promise<void> {
    if (found !== undefined && isCurrentRoot(known.roots, found.answer.root)) {
      this.#failures = 0;
      this.#failure = undefined;
      known.roots = bindRoots(known.roots, found.answer.root);
      await this.#accept(found.answer, found.source.base, known);
      this.#reconsider(known);
      return;
    }
    if (found !== undefined) {
      errors[found.source.base] = new RegistryError(
        'ERR_SIGNATURE_INVALID',
        'the list is signed by a root key that has been rotated out',
      );
    }
    this.#failures += 1;
    this.#failure = new NoUsableSource(errors);
    this.#emit({ type: 'refresh-failed', error: this.#failure });
    throw this.#failure;
  }

  #trust(): Omit<HoldingTrust<H>, 'roots'> {
    const { clockTolerance, now, maxAge, requireCheckpoint, requirePublication, log } = this.#settings;
    return {
      held: this.#held,
      floor: this.#floor,
      clock: { now: now(), tolerance: clockTolerance },
      expiry: true,
      maxAge,
      requireCheckpoint,
      requirePublication,
      log,
    };
  }

  /** Imports the pinned keys. An invalid pinned key is an error of the caller, and not of a source. */
  #knownRoots(): Promise<RootsOfClient> {
    this.#known ??= importCheckedRootKeys(this.#pinned).then((keys) => ({ roots: pinnedRoots(keys) }));
    return this.#known;
  }

  async #accept(head: H, source: string, known: RootsOfClient): Promise<void> {
    const { sha256, updatedAt, checkpoint, statement, logged, root, delegatedAt } = head;
    const held = this.#held;
    const unchanged = held?.sha256 === sha256;
    this.#hold(head, source);
    this.#confirmedAt = this.#settings.now();
    this.#emit(
      unchanged ? { type: 'unchanged', source, updatedAt } : { type: 'accepted', source, updatedAt, sha256 },
    );
    const isStored =
      unchanged &&
      checkpoint?.checkpoint === held.checkpoint?.checkpoint &&
      statement?.text === held.statement?.text &&
      logged?.proof === held.logged?.proof &&
      delegatedAt === held.delegatedAt &&
      root.thumbprint === held.root.thumbprint;
    if (!isStored) await this.#save(head, known);
  }

  /** Saves what the client holds. Every check must have passed before (rule save-last). */
  async #save(held: H, { roots }: RootsOfClient): Promise<void> {
    try {
      const stored = this.#reader.toStored(held, rotationWith(roots, held.root));
      if (stored !== undefined) await this.#settings.store.save(stored);
    } catch (error) {
      this.#emit({ type: 'store-failed', error });
    }
  }

  #hold(head: H, source: string): void {
    this.#held = head;
    this.#floor = head;
    this.#isOutdated = false;
    this.#source = source;
    this.#reader.onHold?.(head);
  }

  /**
   * Schedules the next refresh. Jitter prevents a fleet from asking all at once. After a failure, the delay is shorter.
   */
  #schedule(): void {
    const { refreshInterval, now } = this.#settings;
    const pause = this.#isOutdated ? 0 : refreshInterval;
    const backOff = this.#failures === 0 ? pause : Math.min(refreshInterval, 1000 * 2 ** this.#failures);
    const delay = backOff * (0.8 + 0.2 * Math.random());
    this.#nextRefresh = now() + delay;
    clearTimeout(this.#timer);
    if (this.#isClosed || !this.#isTimed) return;
    this.#timer = setTimeout(() => this.#refreshInBackground(), Math.min(delay, MAX_TIMER_MS));
    // In Node.js, the timer must not keep the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  /** @throws `ERR_REGISTRY_CLOSED` */
  assertOpen(): void {
    if (this.#isClosed)
      throw new RegistryError('ERR_REGISTRY_CLOSED', 'the client has been closed: create a new one');
  }

  status(): RegistryStatus {
    const held = this.#held;
    const checkpoint = held?.checkpoint;
    const confirmedAt = this.#confirmedAt;
    return {
      source: this.#source,
      updatedAt: held?.updatedAt,
      rootKeys: held === undefined ? [] : [held.root.thumbprint],
      checkpoint: checkpoint !== undefined,
      publication: held?.statement !== undefined,
      logSize: held?.logged?.size,
      cosignedBy: held?.logged?.cosignatures.map(({ witness }) => witness.name) ?? [],
      cosignedAt: dateOf(held?.logged?.witnessedAt),
      checkpointSignedAt: dateOf(checkpoint?.issuedAt),
      delegatedAt: dateOf(checkpoint?.delegation?.issuedAt),
      treeSha256: checkpoint?.treeSha256,
      age: confirmedAt === undefined ? undefined : (this.#settings.now() - confirmedAt) / 1000,
      freshUntil: held && new Date(held.freshUntil),
      errors: Object.fromEntries(this.#errors),
    };
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    const closed = new RegistryError('ERR_SOURCE_UNREACHABLE', 'the client was closed');
    this.#asking.abort(closed);
    for (const question of this.#questions) question.abort(closed);
  }

  #emit(event: RegistryEvent): void {
    if (this.#isClosed) return;
    try {
      this.#settings.onEvent?.(event);
    } catch {
      // An exception in a log callback must not break the client.
    }
  }
}

function dateOf(time: number | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}

function latest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** Returns whether a head is newer. An unchanged list can have a new publication statement (rule statement-order). */
function isNewer(head: Head, other: Head): boolean {
  if (head.updatedAt !== other.updatedAt) return head.updatedAt > other.updatedAt;
  return (head.statement?.sequence ?? 0) > (other.statement?.sequence ?? 0);
}
