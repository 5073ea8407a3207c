import { setTimeout } from 'node:timers/promises';
import { RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  currentRoots,
  type NoteKey,
  type PinnedRoot,
  type PublicationStatement,
  parseNoteKey,
  pinnedChains,
  type RootChain,
  readStatementsFile,
  verifyPublicationStatement,
  walkChains,
} from '@passport-registry/verifier/core';
import { TreeRejected, UsageError } from '../../generator/errors.js';
import { clockAt } from '../../generator/list/updated-at.js';
import { httpSource, registryFiles } from '../../generator/verification/tree-source.js';

/** The logs that a witness service cosigns. */
export interface KnownLogs {
  /** The keys of the logs. A log can have several keys. The name of a key is the name of its log. */
  keys(): readonly NoteKey[];
  /** Looks for new keys of the logs. This can take some seconds. */
  refresh(): Promise<void>;
}

/** Makes the logs of verifier keys, which do not change. @throws {@link UsageError} */
export function namedLogs(vkeys: readonly string[]): KnownLogs {
  const keys = vkeys.map((vkey) =>
    parseNoteKey(
      vkey,
      'log',
      (message) => new UsageError(`the key ${JSON.stringify(vkey)} of a log ${message}`),
    ),
  );
  return { keys: () => keys, refresh: async () => undefined };
}

/** Joins logs from several places. */
export function allLogs(places: readonly KnownLogs[]): KnownLogs {
  return {
    keys: () => places.flatMap((place) => place.keys()),
    refresh: async () => {
      await Promise.all(places.map((place) => place.refresh()));
    },
  };
}

/** The time limit for reading the statements of a registry, in milliseconds. A request can wait for them. */
const TIMEOUT_MS = 10_000;
/** The time between two readings, in milliseconds, so that no stranger makes the witness ask the registry all the time. */
const PAUSE_MS = 3000;

/**
 * Reads the key of a registry's log from its publication. A new key of the log signs a head before the publication that names
 * it is served, so the operator of the witness names it beforehand (`--log`).
 *
 * @param url - the URL of the registry
 * @param root - the pinned root key. A rotation may have replaced the key since
 * @throws {@link TreeRejected} | {@link IoFailed} if the registry cannot be read, or has no log
 */
export async function registryLog(url: string, root: PinnedRoot): Promise<KnownLogs> {
  let known = await readStatements(url, { chains: pinnedChains([root]), statement: undefined });
  let readAt = performance.now();
  let running = Promise.resolve();
  let next: Promise<void> | undefined;
  const read = async () => {
    known = await readStatements(url, known);
  };
  /** Reads the statements after the pause. A reading that has begun may have missed what is published meanwhile. */
  const readSoon = async () => {
    await running.catch(() => undefined);
    await setTimeout(Math.max(0, readAt + PAUSE_MS - performance.now()));
    next = undefined;
    readAt = performance.now();
    running = read();
    await running;
  };
  return {
    keys: () => {
      const log = known.statement?.log;
      return log === undefined ? [] : [parseNoteKey(log.vkey, 'log', invalid)];
    },
    refresh: () => {
      next ??= readSoon();
      return next;
    },
  };
}

/** What is known of a registry. */
interface Known {
  readonly chains: readonly RootChain[];
  /** The newest publication. Undefined before the first reading. */
  readonly statement: PublicationStatement | undefined;
}

const invalid = (message: string) => new TreeRejected(`the key of the log ${message}`);

async function readStatements(url: string, before: Known): Promise<Known> {
  const files = registryFiles(httpSource(url, AbortSignal.timeout(TIMEOUT_MS)));
  const unreadable = (message: string) => new TreeRejected(`${url}: ${message}`);
  try {
    const clock = clockAt();
    const { publication, rotation } = await readStatementsFile(files);
    const chains = await walkChains(before.chains, rotation, clock);
    const root = currentRoots(chains)[0] as RootKey;
    const published = await verifyPublicationStatement(publication, root, { clock, expiry: false });
    if (published.log === undefined) throw unreadable('its publication statement names no log');
    // A host that serves an old statement does not bring back an old key.
    const isRotated = currentRoots(before.chains)[0]?.thumbprint !== root.thumbprint;
    const earlier = isRotated ? undefined : before.statement;
    const isOld = earlier !== undefined && earlier.sequence > published.sequence;
    return { chains, statement: isOld ? earlier : published };
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw unreadable(cause.message);
  }
}
