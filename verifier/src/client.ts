import {
  NoUsableSource,
  RegistryError,
  RegistryNotReady,
  RegistryStale,
  SourceUnreachable,
} from './errors.js';
import type { RootJwk } from './generated/schemas.js';
import { guarded } from './guarded.js';
import { HttpFiles } from './http-files.js';
import { type Publication, type RegistryFiles, readPublication } from './publication.js';
import { indexed, type Registry } from './registry.js';
import { importRootKeys, type RootKey } from './root-key.js';
import { memoryStore, type RegistryStore, storedFiles, toStored } from './store.js';

/** How a client works. Times are in seconds. */
export interface RegistryClientOptions {
  /** The base addresses of the registry and its mirrors, in the order in which they are asked. */
  readonly sources: readonly string[];
  /** The pinned root key, or several during a rotation. */
  readonly rootKey: RootJwk | readonly RootJwk[];
  /** How old `updated_at` may be where the registry has no checkpoints. Default: 30 days. */
  readonly maxAge?: number;
  /** How often the sources are asked: a revocation arrives within this time. Default: 60. */
  readonly refreshInterval?: number;
  /** How long a list is used on after it has ceased to be fresh, when no source has a newer one. Default: 3600. */
  readonly grace?: number;
  /** How much clocks may differ. Default: 300. */
  readonly clockTolerance?: number;
  /** Whether a registry without checkpoints is refused. Default: false; but one that had them must keep them. */
  readonly requireCheckpoint?: boolean;
  /** Longest time for one file. Default: 30. */
  readonly timeout?: number;
  /** Largest file, in bytes. Default: 256 MiB. */
  readonly maxBytes?: number;
  /** What is remembered between runs. Default: nothing. */
  readonly store?: RegistryStore;
  /** Called with everything that happens; what it throws is ignored. */
  readonly onEvent?: (event: RegistryEvent) => void;
  /** Default: the platform's. */
  readonly fetch?: typeof fetch;
  /** The clock, in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

/** Something that happened, for a log. */
export type RegistryEvent =
  | {
      readonly type: 'accepted';
      readonly source: string;
      readonly updatedAt: string;
      readonly sha256: string;
    }
  | { readonly type: 'unchanged'; readonly source: string; readonly updatedAt: string }
  | { readonly type: 'source-failed'; readonly source: string; readonly error: RegistryError }
  | { readonly type: 'refresh-failed'; readonly error: NoUsableSource }
  | { readonly type: 'store-failed'; readonly error: unknown };

/** What a client holds, and how it came by it. */
export interface RegistryStatus {
  /** The source of the list that is held: an address, or `store`. Undefined when none is held. */
  readonly source: string | undefined;
  readonly updatedAt: string | undefined;
  /** RFC 7638 thumbprints of the root keys that are trusted now. */
  readonly rootKeys: readonly string[];
  /** Whether a checkpoint vouches for the list. */
  readonly checkpoint: boolean;
  /** How long ago the list was last confirmed by a source, in seconds. */
  readonly age: number | undefined;
  /** Until when the list is fresh; it is used on until the grace is over. */
  readonly freshUntil: Date | undefined;
  /** The last error of each source that has had one since it last succeeded. */
  readonly errors: Readonly<Record<string, RegistryError>>;
}

/** A registry that keeps itself current. Reads are immediate; they never wait for the network. */
export interface RegistryClient extends Registry {
  /**
   * Resolves once there is a list to answer from: one from the store at once, else one from a source.
   *
   * @throws {@link NoUsableSource}
   */
  ready(): Promise<void>;
  /** Asks the sources now. Calls at the same time share one refresh. @throws {@link NoUsableSource} */
  refresh(): Promise<void>;
  /** What is held, and how it came. */
  status(): RegistryStatus;
  /** Stops asking. */
  close(): void;
}

/**
 * A client of a registry and its mirrors. It verifies everything against the pinned root key, refuses to go back in
 * time, asks again by itself, and fails closed: once what it holds is neither fresh nor within the grace, every read
 * throws {@link RegistryStale}. Before the first list, reads throw {@link RegistryNotReady}.
 *
 * @example
 * ```ts
 * import { createRegistryClient } from '@passport-registry/verifier';
 *
 * const registry = createRegistryClient({ sources: ['https://registry.example'], rootKey: pinnedJwk });
 * await registry.ready();
 * const { accepted, reasons } = registry.decide('alpha', { tiers: ['founding', 'certified'] });
 * console.log(accepted, reasons[0].code); // true policy-met
 * registry.close();
 * ```
 */
export function createRegistryClient(options: RegistryClientOptions): RegistryClient {
  const client = new Client(options);
  const registry = guarded(() => client.current());
  return Object.defineProperties(
    {
      ready: () => client.ready(),
      refresh: () => client.refresh(),
      status: () => client.status(),
      close: () => client.close(),
    },
    Object.getOwnPropertyDescriptors(registry),
  ) as RegistryClient;
}

const RETRIES = 2;
/** Two requests straddle a publication for some milliseconds; a cache that holds one of the files needs longer. */
const RETRY_DELAY = 200;
/** Timers overflow beyond this, and would fire at once. Milliseconds, about 24 days. */
const LONGEST_TIMER = 2 ** 31 - 1;
/** What a source can show in the middle of a publication, and no longer a moment later (SPEC B6). */
const PASSING = ['ERR_SIGNATURE_INVALID', 'ERR_SIGNATURE_MALFORMED', 'ERR_CHECKPOINT_MISMATCH'];

class Client {
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
    const { now, clockTolerance, grace } = this.#options;
    if (this.#registry === undefined || this.#held === undefined) {
      throw new RegistryNotReady('nothing has been loaded yet: wait for ready()');
    }
    const time = now();
    // Where timers do not run between requests, reads are what keeps the clock going.
    if (time >= this.#nextRefresh) this.#refreshInBackground();
    const { freshUntil } = this.#held;
    if (!(time <= freshUntil + clockTolerance + grace)) throw new RegistryStale(new Date(freshUntil));
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
    if (this.#registry !== undefined && this.#isUsable()) this.#refreshInBackground();
    else await this.refresh();
  }

  #isUsable(): boolean {
    const { now, clockTolerance, grace } = this.#options;
    return this.#held !== undefined && now() <= this.#held.freshUntil + clockTolerance + grace;
  }

  async #loadFromStore(): Promise<void> {
    try {
      const stored = await this.#store.load();
      if (stored === undefined) return;
      // Its age is judged when it is read, so that even an old list still guards against a rollback.
      const publication = await this.#read(storedFiles(stored), {
        expiry: false,
        maxAge: Number.POSITIVE_INFINITY,
      });
      const { checkpoint, registry } = publication;
      const freshUntil = checkpoint?.expiresAt ?? Date.parse(registry.updated_at) + this.#options.maxAge;
      this.#hold({ ...publication, freshUntil }, 'store');
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
        await this.#accept(await this.#read(source, {}), source.base);
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

  async #read(files: RegistryFiles, overrides: { expiry?: boolean; maxAge?: number }): Promise<Publication> {
    const { clockTolerance, now, maxAge, requireCheckpoint } = this.#options;
    return readPublication(files, {
      roots: this.#held?.roots ?? (await this.#pinnedRoots()),
      held: this.#held,
      clock: { now: now(), tolerance: clockTolerance },
      expiry: true,
      maxAge,
      requireCheckpoint,
      ...overrides,
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
    return {
      source: this.#source,
      updatedAt: held?.registry.updated_at,
      rootKeys: (held?.roots ?? []).map(({ thumbprint }) => thumbprint),
      checkpoint: held?.checkpoint !== undefined,
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
