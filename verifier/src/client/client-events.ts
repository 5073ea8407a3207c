import type { RegistryError } from '../core/errors.js';
import type { AcceptedStatements } from '../core/publication/statements.js';
import type { KnownRoots } from '../core/statements/known-roots.js';
import type { RootChain } from '../core/statements/root-chain.js';
import type { RegistryEvent } from './client-options.js';
import type { RoundEvent } from './round.js';

/** One attempt at one source. */
export interface Attempt {
  readonly round: number;
  /** The URL of the source. */
  readonly source: string;
  /** 0, or the number of the retry. */
  readonly attempt: number;
}

/** What requests and timers belong to: `rotations` of a round, `next` for the next refresh, or the URL of a source being asked. */
export type Task = string;

/** What happens to a client. An answer repeats, in `of`, what was asked. */
export type Occurrence<S extends AcceptedStatements> =
  | Loaded<S>
  /** Somebody needs a refresh, or one is due. */
  | { readonly is: 'refresh' }
  /** Nothing comes of the refresh under way. */
  | { readonly is: 'lost' }
  | { readonly is: 'close' }
  | { readonly is: 'rotation'; readonly of: Attempt; readonly shown: ShownRotation | RegistryError }
  /** The files of an attempt are good under the last key of each chain. */
  | { readonly is: 'verified'; readonly of: Attempt; readonly chains: readonly RootChain[]; readonly read: S }
  | Refused
  /** The pause before a retry has passed. */
  | { readonly is: 'retry'; readonly of: Attempt }
  /** The stagger delay or the deadline of a source has passed, or one deadline since the round began. */
  | { readonly is: 'passed'; readonly of: Pick<Attempt, 'round'>; readonly event: TimeEvent }
  | { readonly is: 'saved'; readonly failure: RegistryEvent | undefined }
  /** A source has failed, in the refresh or to answer something else. */
  | { readonly is: 'failed'; readonly source: string; readonly error: RegistryError };

/** What only time does to a source, or to the wait for the rotations. */
type TimeEvent = Extract<RoundEvent<never>, { is: 'slow' | 'overdue' }> | { readonly is: 'late' };

/** An occurrence, its time in milliseconds since 1970, and a random number from 0 to 1. */
export type ClientEvent<S extends AcceptedStatements> = Occurrence<S> & {
  readonly at: number;
  readonly random: number;
};

/** What the store proves. Nothing else happens before. */
export interface Loaded<S extends AcceptedStatements> {
  readonly is: 'loaded';
  /** The pinned root keys with the rotation of the store, which is bound only if something was accepted. */
  readonly roots: KnownRoots;
  readonly current: S | undefined;
  readonly accepted: AcceptedStatements | undefined;
  readonly failure: RegistryEvent | undefined;
}

/** What the rotation of a source proves. */
export interface ShownRotation {
  /** The bound chains that the rotation was compared with. */
  readonly bound: readonly RootChain[];
  readonly chains: readonly RootChain[];
}

/** An attempt that is refused. */
export interface Refused {
  readonly is: 'refused';
  readonly of: Attempt;
  readonly error: RegistryError;
}

/** What a client does next. */
export type Effect<S extends AcceptedStatements> =
  /** Tell something after some milliseconds. */
  | { readonly do: 'wake'; readonly task: Task; readonly after: number; readonly then: Occurrence<S> }
  /** End the requests and timers of a task. Without a task: of all. */
  | { readonly do: 'stop'; readonly task: Task | undefined }
  /** Open an attempt, and request the files that are always needed. */
  | { readonly do: 'open'; readonly of: Attempt }
  /** Request the rotation of a source, and follow it from the bound chains. */
  | { readonly do: 'follow'; readonly of: Attempt }
  /** Read and verify the files of an attempt under the last key of each chain. */
  | { readonly do: 'verify'; readonly of: Attempt; readonly chains: readonly RootChain[] }
  /** Have a source send all files in full the next time: those that it has sent do not fit together. */
  | { readonly do: 'forget'; readonly source: string }
  /** Answer from this from now on. */
  | { readonly do: 'use'; readonly current: S }
  /** Save this, before the refresh settles. */
  | { readonly do: 'save'; readonly current: S; readonly rotation: readonly string[] }
  | { readonly do: 'emit'; readonly event: RegistryEvent }
  /** Tell those who wait for the refresh its outcome. */
  | { readonly do: 'settle'; readonly error: RegistryError | undefined };
