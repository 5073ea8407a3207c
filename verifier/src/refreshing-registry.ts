import type { RegistryClientOptions, RegistryEvent, RegistryStatus } from './client-options.js';
import {
  NoUsableSource,
  RegistryError,
  RegistryNotReady,
  RegistryStale,
  SourceUnreachable,
} from './errors.js';
import { HttpFiles } from './http-files.js';
import { type Publication, type RegistryFiles, readPublication } from './publication.js';
import { indexed, type Registry } from './registry.js';
import { importRootKeys, type RootKey } from './root-key.js';
import { memoryStore, type RegistryStore, storedFiles, toStored } from './store.js';

const RETRIES = 2;
/** Two requests straddle a publication for some milliseconds; a cache that holds one of the files needs longer. */
const RETRY_DELAY = 200;
/** Timers overflow beyond this, and would fire at once. Milliseconds, about 24 days. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** What a source can show in the middle of a publication, and no longer a moment later (SPEC B6). */
const PASSING = ['ERR_SIGNATURE_INVALID', 'ERR_SIGNATURE_MALFORMED', 'ERR_CHECKPOINT_MISMATCH'];

/** The workings of a client: what it holds, whom it asks, when. */
export class RefreshingRegistry {
  readonly #options;
  readonly #sources: readonly HttpFiles[];
  readonly #store: RegistryStore;
  readonly #errors = new Map<string, RegistryError>();
  #roots: Promise<readonly RootKey[]> | undefined;
  #held: Publication | undefined;
  #registry: Registry | undefined;
  #source: string | undefined;
  #confirmedAt = 0;
  #refreshing: Promise<void> | undefined;
  #loading: Promise<void> | undefined;
  #nextRefresh = 0;
  #failures = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(options: RegistryClientOptions) {
    const milliseconds = (value: number | undefined, byDefault: number) => (value ?? byDefault) * 1000;
    this.#options = {
      ...options,
      maxAge: milliseconds(options.maxAge, 30 * 24 * 60 * 60),
      refreshInterval: milliseconds(options.refreshInterval, 60),
      grace: milliseconds(options.grace, 60 * 60),
      clockTolerance: milliseconds(options.clockTolerance, 300),
      requireCheckpoint: options.requireCheckpoint ?? false,
      now: options.now ?? Date.now,
    };
    const limits = {
      fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
      timeout: milliseconds(options.timeout, 30),
      maxBytes: options.maxBytes ?? 256 * 1024 * 1024,
    };
    this.#sources = options.sources.map((base) => new HttpFiles(base, limits));
    this.#store = options.store ?? memoryStore();
  }

  /** The registry to answer from; a refresh that is due starts behind it. */
  current(): Registry {
    if (this.#registry === undefined || this.#held === undefined) {
      throw new RegistryNotReady('nothing has been loaded yet: wait for ready()');
    }
    const time = this.#options.now();
    // Where timers do not run between requests, reads are what keeps the clock going.
    if (time >= this.#nextRefresh) this.#refreshInBackground();
    if (!this.#isUsable(this.#held, time)) throw new RegistryStale(new Date(this.#held.freshUntil));
    return this.#registry;
  }

  ready(): Promise<void> {
    this.#loading ??= this.#load().catch((error) => {
      this.#loading = undefined;
      throw error;
    });
    return this.#loading;
  }

  async #load(): Promise<void> {
    await this.#pinnedRoots();
    await this.#loadFromStore();
    const usable = this.#held !== undefined && this.#isUsable(this.#held, this.#options.now());
    if (usable) this.#refreshInBackground();
    else await this.refresh();
  }

  #isUsable({ freshUntil }: Publication, time: number): boolean {
    const { clockTolerance, grace } = this.#options;
    return time <= freshUntil + clockTolerance + grace;
  }

  async #loadFromStore(): Promise<void> {
    try {
      const stored = await this.#store.load();
      if (stored === undefined) return;
      // Its age is judged when it is read, so that even an old list still guards against a rollback.
      this.#hold(await this.#read(storedFiles(stored), false), 'store');
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
    if (this.#refreshing === undefined && !this.#closed) this.refresh().catch(() => undefined);
  }

  async #refreshOnce(): Promise<void> {
    const errors: Record<string, RegistryError> = {};
    try {
      await this.#pinnedRoots();
      for (const source of this.#sources) {
        const error = await this.#tryWithRetries(source);
        if (error === undefined) {
          this.#failures = 0;
          return;
        }
        errors[source.base] = error;
      }
      this.#failures += 1;
      const failure = new NoUsableSource(errors);
      this.#emit({ type: 'refresh-failed', error: failure });
      throw failure;
    } finally {
      this.#schedule();
    }
  }

  /** Asks one source; gives the error that it is left for. */
  async #tryWithRetries(source: HttpFiles): Promise<RegistryError | undefined> {
    for (let attempt = 0; ; attempt++) {
      try {
        await this.#accept(await this.#read(source, true), source.base);
        this.#errors.delete(source.base);
        return undefined;
      } catch (thrown) {
        const error = asRegistryError(thrown);
        source.forget();
        if (attempt < RETRIES && PASSING.includes(error.code)) {
          await new Promise((resolve) =>
            setTimeout(resolve, RETRY_DELAY * (attempt + 1) * (0.5 + Math.random())),
          );
          continue;
        }
        this.#errors.set(source.base, error);
        this.#emit({ type: 'source-failed', source: source.base, error });
        return error;
      }
    }
  }

  async #read(files: RegistryFiles, expiry: boolean): Promise<Publication> {
    const { clockTolerance, now, maxAge, requireCheckpoint } = this.#options;
    return readPublication(files, {
      roots: this.#held?.roots ?? (await this.#pinnedRoots()),
      held: this.#held,
      clock: { now: now(), tolerance: clockTolerance },
      expiry,
      maxAge,
      requireCheckpoint,
    });
  }

  /** A pinned key that is none is the caller's mistake, and no source's. */
  #pinnedRoots(): Promise<readonly RootKey[]> {
    this.#roots ??= importRootKeys(this.#options.rootKey);
    return this.#roots;
  }

  async #accept(publication: Publication, source: string): Promise<void> {
    const { sha256, registry, checkpoint } = publication;
    const held = this.#held;
    const unchanged = held?.sha256 === sha256;
    this.#hold(publication, source);
    this.#emit(
      unchanged
        ? { type: 'unchanged', source, updatedAt: registry.updated_at }
        : { type: 'accepted', source, updatedAt: registry.updated_at, sha256 },
    );
    const remembered = unchanged && checkpoint?.checkpoint === held.checkpoint?.checkpoint;
    if (remembered && publication.roots === held.roots) return;
    // Only now, after every check, is it remembered.
    try {
      await this.#store.save(toStored(publication));
    } catch (error) {
      this.#emit({ type: 'store-failed', error });
    }
  }

  #hold(publication: Publication, source: string): void {
    const { sha256, registry } = publication;
    if (this.#held?.sha256 !== sha256) this.#registry = indexed(registry, sha256, this.#options.now);
    this.#held = publication;
    this.#source = source;
    this.#confirmedAt = this.#options.now();
  }

  /** A little earlier or later each time, so that a fleet does not ask as one; sooner after a failure. */
  #schedule(): void {
    const { refreshInterval, now } = this.#options;
    const backOff =
      this.#failures === 0 ? refreshInterval : Math.min(refreshInterval, 1000 * 2 ** this.#failures);
    const delay = backOff * (0.8 + 0.2 * Math.random());
    this.#nextRefresh = now() + delay;
    clearTimeout(this.#timer);
    if (this.#closed || this.#held === undefined) return;
    this.#timer = setTimeout(() => this.#refreshInBackground(), Math.min(delay, LONGEST_TIMER));
    // In Node.js a client must not keep the process alive.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  status(): RegistryStatus {
    const held = this.#held;
    const checkpoint = held?.checkpoint;
    return {
      source: this.#source,
      updatedAt: held?.registry.updated_at,
      rootKeys: (held?.roots ?? []).map(({ thumbprint }) => thumbprint),
      checkpoint: checkpoint !== undefined,
      checkpointSignedAt: checkpoint && new Date(checkpoint.issuedAt),
      treeSha256: checkpoint?.treeSha256,
      age: held && (this.#options.now() - this.#confirmedAt) / 1000,
      freshUntil: held && new Date(held.freshUntil),
      errors: Object.fromEntries(this.#errors),
    };
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #emit(event: RegistryEvent): void {
    try {
      this.#options.onEvent?.(event);
    } catch {
      // A log must not decide whether a registry can be read.
    }
  }
}

function asRegistryError(thrown: unknown): RegistryError {
  if (thrown instanceof RegistryError) return thrown;
  return new SourceUnreachable(`the source failed: ${(thrown as Error).message}`, { cause: thrown });
}
