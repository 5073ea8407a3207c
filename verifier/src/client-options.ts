import type { NoUsableSource, RegistryError } from './errors.js';
import type { RootJwk } from './generated/schemas.js';
import type { RegistryStore } from './store.js';

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
  /** When that checkpoint was signed; undefined where there is none. */
  readonly checkpointSignedAt: Date | undefined;
  /** What it says of the whole tree: SHA-256 of SHA256SUMS, lower-case hexadecimal. Undefined where there is none. */
  readonly treeSha256: string | undefined;
  /** How long ago the list was last confirmed by a source, in seconds. */
  readonly age: number | undefined;
  /** Until when the list is fresh; it is used on until the grace is over. */
  readonly freshUntil: Date | undefined;
  /** The last error of each source that has had one since it last succeeded. */
  readonly errors: Readonly<Record<string, RegistryError>>;
}
