import {
  NoUsableSource,
  RegistryClosed,
  type RegistryError,
  RegistryNotReady,
  RegistryStale,
  SignatureInvalid,
  SourceUnreachable,
} from '../errors.js';
import { startDeadline, untilAborted } from '../http/deadline.js';
import type { Head, SourceTrust } from '../publication/statements.js';
import { storedDelegationTime, storedFiles } from '../publication/store.js';
import { assertRootKeys, importRootKeys } from '../trust/root-key.js';
import {
  type ClientSettings,
  MAX_TIMER_MS,
  type RegistryEvent,
  type RegistryStatus,
} from './client-options.js';
import { HttpSource } from './http-files.js';
import { KnownRoots } from './known-roots.js';
import type { PublicationReader } from './publication-reader.js';
import { askSources, type Found } from './refresh-round.js';
import { readRotationOf } from './source-reader.js';

/** The implementation of a client: its state, its sources and its timers. `H` is what the client keeps of a registry. */
export class RefreshingRegistry<H extends Head> {
  readonly #reader: PublicationReader<H>;
  readonly #settings: ClientSettings;
  readonly #sources: readonly HttpSource[];
  readonly #errors = new Map<string, RegistryError>();
  #roots: Promise<KnownRoots> | undefined;
  #held: H | undefined;
  /** Whether a rotation has replaced the root key of the held list. */
  #isOutdated = false;
  #source: string | undefined;
  #confirmedAt: number | undefined;
  #refreshing: Promise<void> | undefined;
  #loading: Promise<void> | undefined;
  /** Ends the requests of the latest refresh. Requests for rotations may outlast the refresh. */
  #asking = new AbortController();
  #nextRefresh = Number.POSITIVE_INFINITY;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isClosed = false;

  constructor(settings: ClientSettings, reader: PublicationReader<H>) {
    this.#settings = settings;
    this.#reader = reader;
    assertRootKeys(this.#settings.rootKey);
    const { sources, fetch } = this.#settings;
    this.#sources = sources.map((base) => new HttpSource(base, fetch));
  }

  /** Returns what the client holds. Starts a refresh in the background if one is due. */
  current(): H {
    const time = this.#settings.now();
    // Some platforms run no timers between requests, so reads also start due refreshes.
    if (time >= this.#nextRefresh) this.#refreshInBackground();
    if (this.#held === undefined) {
      throw new RegistryNotReady('no list has been loaded yet: wait for ready()');
    }
    if (!this.#isUsable(this.#held, time)) throw new RegistryStale(new Date(this.#held.freshUntil));
    return this.#held;
  }

  ready(): Promise<void> {
    if (this.#isClosed) return Promise.reject(new RegistryClosed());
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    this.#assertOpen();
    const roots = await this.#knownRoots();
    if (this.#held === undefined) await this.#loadFromStore(roots);
    this.#assertOpen();
    const usable = this.#held !== undefined && this.#isUsable(this.#held, this.#settings.now());
    if (usable) this.#refreshInBackground();
    else await this.refresh();
  }

  #isUsable({ freshUntil }: Head, time: number): boolean {
    const { clockTolerance, grace } = this.#settings;
    return time <= freshUntil + clockTolerance + grace;
  }

  async #loadFromStore(roots: KnownRoots): Promise<void> {
    try {
      const stored = await this.#settings.store.load();
      if (stored === undefined) return;
      const files = storedFiles(stored);
      await roots.add(await files.get('keys/rotation.json'), undefined);
      // Reads check the freshness, so this step does not. Even a stale list protects against rollbacks, and so does a
      // list that seems to be from the future after the clock was set back.
      const held = await this.#reader.read(files, {
        ...this.#trust(),
        // A list signed by a replaced root key is not used, but it still protects against rollbacks.
        roots: roots.chains().flatMap(({ keys }) => [...keys].reverse()),
        clock: { now: this.#settings.now(), tolerance: Number.POSITIVE_INFINITY },
        expiry: false,
      });
      roots.bind();
      const { now, clockTolerance } = this.#settings;
      const delegatedAt = latest(held.delegatedAt, storedDelegationTime(stored, now() + clockTolerance));
      this.#hold({ ...held, delegatedAt }, 'store');
      if (!roots.isCurrent(held.root)) this.#outdate(0);
    } catch (error) {
      this.#emit({ type: 'store-failed', error });
    }
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
    this.#assertOpen();
    const roots = await this.#knownRoots();
    this.#assertOpen();
    try {
      const errors: Record<string, RegistryError> = {};
      this.#asking.abort(new SourceUnreachable('a newer refresh has begun'));
      const asking = new AbortController();
      this.#asking = asking;
      roots.beginRound();
      const rotations = this.#askForRotations(roots, asking.signal);
      Promise.allSettled(rotations).then(() => {
        if (this.#asking === asking) this.#bindAll(roots);
      });
      const found = await askSources({
        sources: this.#sources,
        rotations,
        roots,
        reader: this.#reader,
        trust: this.#trust(),
        deadline: this.#settings.deadline,
        signal: asking.signal,
        onSuccess: ({ base }) => this.#errors.delete(base),
        onFailure: ({ base }, error) => {
          errors[base] = error;
          this.#errors.set(base, error);
          this.#emit({ type: 'source-failed', source: base, error });
        },
      });
      this.#assertOpen();
      await this.#decide(found, roots, errors);
    } finally {
      this.#schedule();
    }
  }

  /**
   * Requests the rotations of all sources, in parallel with all other requests. The client reads a source only after
   * the rotation of that source. Other rotations may arrive later, even after the refresh. The client then checks the
   * held list again.
   */
  #askForRotations(roots: KnownRoots, signal: AbortSignal): readonly Promise<void>[] {
    const deadline = startDeadline(this.#settings.deadline, signal);
    const rotations = this.#sources.map(async (source) => {
      const files = source.files(deadline.signal);
      await untilAborted(readRotationOf(files, roots, this.#trust()), deadline.signal);
      this.#reconsider(roots);
    });
    // `readSource` handles the error of a failed rotation.
    Promise.allSettled(rotations).then(() => deadline.clear());
    return rotations;
  }

  /** Ends the freshness of a list whose root key was replaced, and starts a refresh at once. */
  #reconsider(roots: KnownRoots): void {
    if (this.#held === undefined || this.#isOutdated || roots.isCurrent(this.#held.root)) return;
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
  #bindAll(roots: KnownRoots): void {
    const held = this.#held;
    if (roots.bind() && held !== undefined && this.#isOutdated) void this.#save(held, roots);
  }

  async #decide(
    found: Found<H> | undefined,
    roots: KnownRoots,
    errors: Record<string, RegistryError>,
  ): Promise<void> {
    if (found !== undefined && roots.isCurrent(found.head.root)) {
      this.#failures = 0;
      roots.bind(found.head.root);
      await this.#accept(found.head, found.source.base, roots);
      this.#reconsider(roots);
      return;
    }
    if (found !== undefined) {
      errors[found.source.base] = new SignatureInvalid(
        'the list is signed by a root key that has been rotated out',
      );
    }
    this.#failures += 1;
    const failure = new NoUsableSource(errors);
    this.#emit({ type: 'refresh-failed', error: failure });
    throw failure;
  }

  #trust(): Omit<SourceTrust<H>, 'roots'> {
    const { clockTolerance, now, maxAge, requireCheckpoint, requirePublication } = this.#settings;
    return {
      held: this.#held,
      clock: { now: now(), tolerance: clockTolerance },
      expiry: true,
      maxAge,
      requireCheckpoint,
      requirePublication,
    };
  }

  /** Imports the pinned keys. An invalid pinned key is an error of the caller, and not of a source. */
  #knownRoots(): Promise<KnownRoots> {
    this.#roots ??= importRootKeys(this.#settings.rootKey).then((keys) => new KnownRoots(keys));
    return this.#roots;
  }

  async #accept(head: H, source: string, roots: KnownRoots): Promise<void> {
    const { sha256, updatedAt, checkpoint, statement, root, delegatedAt } = head;
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
      delegatedAt === held.delegatedAt &&
      root.thumbprint === held.root.thumbprint;
    if (!isStored) await this.#save(head, roots);
  }

  /** Saves what the client holds. Every check must have passed before. */
  async #save(held: H, roots: KnownRoots): Promise<void> {
    try {
      await this.#settings.store.save(this.#reader.toStored(held, roots.rotationWith(held.root)));
    } catch (error) {
      this.#emit({ type: 'store-failed', error });
    }
  }

  #hold(head: H, source: string): void {
    this.#held = head;
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
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => this.#refreshInBackground(), Math.min(delay, MAX_TIMER_MS));
    // In Node.js, the timer must not keep the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  #assertOpen(): void {
    if (this.#isClosed) throw new RegistryClosed();
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
      checkpointSignedAt: checkpoint && new Date(checkpoint.issuedAt),
      treeSha256: checkpoint?.treeSha256,
      age: confirmedAt === undefined ? undefined : (this.#settings.now() - confirmedAt) / 1000,
      freshUntil: held && new Date(held.freshUntil),
      errors: Object.fromEntries(this.#errors),
    };
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#asking.abort(new SourceUnreachable('the client was closed'));
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

function latest(...times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.max(...known);
}
