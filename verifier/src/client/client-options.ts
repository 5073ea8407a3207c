import { CLOCK_TOLERANCE_MS } from '../core/bytes/clock.js';
import { type NoUsableSource, OptionsInvalid, type RegistryError } from '../core/errors.js';
import {
  assertOptions,
  FUNCTION,
  INTERVAL,
  MAX_TIMER_MS,
  milliseconds,
  type OptionCheck,
  type OptionChecks,
  objectWith,
  required,
  SECONDS,
} from '../core/options.js';
import {
  isAnchored,
  type PinnedOptions,
  type PinnedRootKey,
  type PinnedTrustAnchor,
  pinnedBy,
  withTrustAnchor,
} from '../options/pinned-trust.js';
import { memoryStore, type RegistryStore, timedStore } from './store.js';

/** Options of {@link createRegistryClient} with a root key. Times are in seconds. */
export interface RegistryClientOptions extends IssuerLookupOptions, RegistryClientSettings {}

/** Options of {@link createRegistryClient} with a trust anchor. Times are in seconds. */
export interface AnchoredClientOptions extends AnchoredLookupOptions, RegistryClientSettings {}

/** Options of {@link createIssuerLookup} with a root key. Times are in seconds. */
export interface IssuerLookupOptions extends PinnedRootKey, IssuerLookupSettings {
  /** The base URLs of the registry and its mirrors, in the order in which the client asks them. */
  readonly sources: readonly string[];
}

/** Options of {@link createIssuerLookup} with a trust anchor. Times are in seconds. */
export interface AnchoredLookupOptions extends PinnedTrustAnchor, IssuerLookupSettings {
  /** The URLs that the client asks instead of the sources of the trust anchor. */
  readonly sources?: readonly string[];
}

/** Options of {@link createRegistryClient} besides the trust and the sources. Times are in seconds. */
export interface RegistryClientSettings extends IssuerLookupSettings {
  /**
   * The maximum size of the list in bytes. If the publication statement states a smaller size, that size is the limit.
   * Default: 256 MiB.
   */
  readonly maxBytes?: number;
}

/** Options of {@link createIssuerLookup} besides the trust and the sources. Times are in seconds. */
export interface IssuerLookupSettings {
  /**
   * How often the client asks the sources. A revocation arrives within this time, if the first source that answers has it.
   * Default: 60.
   */
  readonly refreshInterval?: number;
  /**
   * How long the client continues to use a list that is no longer fresh, if no source has a newer one. Default: 3600.
   */
  readonly grace?: number;
  /** The maximum difference between clocks. Default: 300. */
  readonly clockTolerance?: number;
  /**
   * The deadline of each source for all its requests in one refresh, including retries. After a third of this time, the
   * client also asks the next source. Also the deadline of the store. Default: 15.
   */
  readonly timeout?: number;
  /** Keeps the accepted publication between runs. Default: the client keeps nothing when the process ends. */
  readonly store?: RegistryStore;
  /** Called with every event, for a log. Exceptions from the callback are ignored. */
  readonly onEvent?: (event: RegistryEvent) => void;
  /** The function that sends requests. Default: the platform's `fetch`. */
  readonly fetch?: typeof fetch;
  /** Returns the current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/** An event of a client. */
export type RegistryEvent =
  | {
      readonly type: 'accepted';
      readonly source: string;
      readonly updatedAt: string;
      readonly sha256: string;
    }
  | { readonly type: 'unchanged'; readonly source: string; readonly updatedAt: string }
  /** A checkpoint holds other issuers than before. Comes after `accepted` or `unchanged`. */
  | { readonly type: 'hold-changed'; readonly source: string; readonly hold: readonly string[] }
  | { readonly type: 'source-failed'; readonly source: string; readonly error: RegistryError }
  | { readonly type: 'refresh-failed'; readonly error: NoUsableSource }
  | { readonly type: 'store-failed'; readonly error: unknown };

/** The state of a client. */
export interface RegistryStatus {
  /** The source of the current list: a URL, or `store`. Undefined before the first list. */
  readonly source: string | undefined;
  readonly updatedAt: string | undefined;
  /** The RFC 7638 thumbprint of the root key that signed the current list. Empty before the first list. */
  readonly rootKeys: readonly string[];
  /**
   * The number of entries of the log that contains the list. Undefined unless the trust anchor names the log.
   */
  readonly logSize: number | undefined;
  /**
   * The names of witnesses that have cosigned the log, newest cosignature first: as many as the quorum demands. Empty
   * without a quorum.
   */
  readonly cosignedBy: readonly string[];
  /** The time of the oldest cosignature that the quorum counts. Undefined without a quorum. */
  readonly cosignedAt: Date | undefined;
  /** When the checkpoint was signed. Undefined before the first list. */
  readonly checkpointSignedAt: Date | undefined;
  /** The SHA-256 of SHA256SUMS that the checkpoint names, in lower-case hexadecimal. Undefined before the first list. */
  readonly treeSha256: string | undefined;
  /**
   * How long ago a source last confirmed the list, in seconds. Undefined before the first list, and for a list from the
   * store that no source has confirmed yet.
   */
  readonly age: number | undefined;
  /** When the list stops being fresh. The client uses the list until the end of the grace period. */
  readonly freshUntil: Date | undefined;
  /** The last error of each source, by URL. A success removes the error of the source. */
  readonly errors: Readonly<Record<string, RegistryError>>;
}

/**
 * Checks the options of a client and adds the defaults. Times in the result are in milliseconds.
 *
 * @param caller - the name of the function that takes the options
 * @param more - the checks of the options that only this function takes
 * @throws {@link OptionsInvalid}
 */
export function clientSettings(
  options: IssuerLookupOptions | AnchoredLookupOptions,
  caller: string,
  more: Readonly<Record<string, OptionCheck>> = {},
) {
  const sourcesCheck = isAnchored(options) ? SOURCES : required(SOURCES);
  assertOptions<PinnedOptions & IssuerLookupSettings>(
    options,
    { sources: sourcesCheck, ...pinnedBy(options), ...CHECKS, ...more },
    caller,
  );
  const { rootKey, nextRoots, sources = [], log } = withTrustAnchor(options, caller);
  if (!SOURCES.check(sources)) {
    throw new OptionsInvalid(caller, 'sources', `the trust anchor has none; give ${SOURCES.expected}`);
  }
  const deadline = Math.min(milliseconds(options.timeout, 15_000), MAX_TIMER_MS);
  return {
    sources: [...sources],
    rootKey,
    nextRoots,
    refreshInterval: milliseconds(options.refreshInterval, 60_000),
    grace: milliseconds(options.grace, 60 * 60_000),
    clockTolerance: milliseconds(options.clockTolerance, CLOCK_TOLERANCE_MS),
    log,
    deadline,
    store: timedStore(options.store ?? memoryStore(), deadline),
    onEvent: options.onEvent,
    fetch: options.fetch ?? globalThis.fetch.bind(globalThis),
    now: options.now ?? Date.now,
  };
}

/** The options of a client with all defaults. Times are in milliseconds. */
export type ClientSettings = ReturnType<typeof clientSettings>;

const SOURCES: OptionCheck = {
  check: (value) => Array.isArray(value) && value.length > 0 && value.every(isWebAddress),
  expected: 'an array of one or more http(s) URLs without credentials, query or fragment',
};

const CHECKS: OptionChecks<IssuerLookupSettings> = {
  refreshInterval: INTERVAL,
  grace: SECONDS,
  clockTolerance: SECONDS,
  timeout: INTERVAL,
  store: objectWith('load', 'save'),
  onEvent: FUNCTION,
  fetch: FUNCTION,
  now: FUNCTION,
};

/**
 * Accepts a base URL. The client appends file paths to it, and shows it in errors and events, so credentials are
 * refused.
 */
function isWebAddress(value: unknown): boolean {
  if (typeof value !== 'string' || /[?#]/.test(value) || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return ['http:', 'https:'].includes(protocol) && username === '' && password === '';
}
