import type { NoUsableSource, RegistryError } from '../core/errors.js';
import type { AcceptedStatements } from '../core/publication/statements.js';
import { type KnownRoots, pinnedRoots } from '../core/statements/known-roots.js';
import type { ClientSettings, RegistryStatus } from './client-options.js';
import type { Round } from './round.js';

/** The settings that decide what a client does. Times are in milliseconds. */
type MachineSettings = Pick<
  ClientSettings,
  'sources' | 'deadline' | 'refreshInterval' | 'clockTolerance' | 'grace'
> & {
  /** Whether the client refreshes itself. Otherwise it refreshes only when it is told to. */
  readonly isTimed: boolean;
};

/** What a client knows, and what it is doing. `S` is what it keeps of a registry. */
export interface State<S extends AcceptedStatements> {
  readonly settings: MachineSettings;
  readonly roots: KnownRoots;
  /** What answers come from now. */
  readonly current: S | undefined;
  /** The newest statements that were accepted. Nothing older is accepted, even if no answer can come from it. */
  readonly accepted: AcceptedStatements | undefined;
  /** Whether a rotation has replaced the root key of the current list. */
  readonly isOutdated: boolean;
  /** Where the current list comes from: a URL, or `store`. */
  readonly source: string | undefined;
  readonly confirmedAt: number | undefined;
  /** The last error of each source, by URL. */
  readonly errors: Readonly<Record<string, RegistryError>>;
  /** The round of the refresh under way. */
  readonly refresh: Round<S> | undefined;
  /** The number of the latest round. */
  readonly round: number;
  /** The rotations of the latest round, which may arrive after its refresh: by source, what has become of them. */
  readonly rotations: Readonly<Record<string, 'pending' | 'shown' | RegistryError>>;
  readonly nextRefresh: number;
  /** How many refreshes have failed since the last success, and why the latest failed. */
  readonly failures: number;
  readonly failure: NoUsableSource | undefined;
  readonly isClosed: boolean;
}

/** Returns the state of a client that has done nothing. */
export function initialState<S extends AcceptedStatements>(settings: MachineSettings): State<S> {
  return {
    settings,
    roots: pinnedRoots([]),
    current: undefined,
    accepted: undefined,
    isOutdated: false,
    source: undefined,
    confirmedAt: undefined,
    errors: {},
    refresh: undefined,
    round: 0,
    rotations: {},
    nextRefresh: Number.POSITIVE_INFINITY,
    failures: 0,
    failure: undefined,
    isClosed: false,
  };
}

/** Returns whether answers may come from the current list: it is fresh, or within the grace period. */
export function isUsable({ current, settings }: State<AcceptedStatements>, now: number): boolean {
  return current !== undefined && now <= current.freshUntil + settings.clockTolerance + settings.grace;
}

/** Returns whether no refresh has succeeded within the refresh interval. */
export function isRefreshDue({ settings, nextRefresh }: State<AcceptedStatements>, now: number): boolean {
  const pause = nextRefresh - now;
  // A pause of more than the interval means that there was no refresh yet, or that the clock was set back.
  return pause <= 0 || pause > settings.refreshInterval;
}

/** Returns what a client tells of itself. */
export function statusOf(
  { current, source, confirmedAt, errors }: State<AcceptedStatements>,
  now: number,
): RegistryStatus {
  const checkpoint = current?.checkpoint;
  return {
    source,
    updatedAt: current?.updatedAt,
    rootKeys: current === undefined ? [] : [current.rootKey.thumbprint],
    logSize: current?.logged?.size,
    cosignedBy: current?.logged?.cosignatures.map(({ witness }) => witness.name) ?? [],
    cosignedAt: dateOf(current?.logged?.witnessedAt),
    checkpointSignedAt: dateOf(checkpoint?.issuedAt),
    treeSha256: checkpoint?.treeSha256,
    age: confirmedAt === undefined ? undefined : (now - confirmedAt) / 1000,
    freshUntil: dateOf(current?.freshUntil),
    errors: { ...errors },
  };
}

function dateOf(time: number | undefined): Date | undefined {
  return time === undefined ? undefined : new Date(time);
}
