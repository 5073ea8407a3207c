import { setTimeout } from 'node:timers/promises';
import { RegistryError, type RegistryFiles, type RootKey } from '@passport-registry/verifier';
import {
  currentRoots,
  type NoteKey,
  newestPublication,
  type PinnedRoot,
  type PublicationStatement,
  parseHead,
  parseNoteKey,
  pinnedChains,
  type RootChain,
  readStatementsFile,
  verifyPublicationStatement,
  walkChains,
} from '@passport-registry/verifier/core';
import { TreeRejected, UsageError } from '../../generator/errors.js';
import { clockAt } from '../../generator/list/updated-at.js';
import { PATHS } from '../../generator/tree/paths.js';
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
 * Reads the key of a registry's log from statements of its root key: from the published one, and from the newest one in the
 * log, which can name a new key of the log before it is published.
 *
 * @param url - the URL of the registry
 * @param root - the pinned root key. A rotation may have replaced the key since
 * @throws {@link TreeRejected} | {@link IoFailed} if the registry cannot be read, or has no log
 */
export async function registryLog(url: string, root: PinnedRoot): Promise<KnownLogs> {
  let known = await readStatements(url, { chains: pinnedChains([root]), statements: [] });
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
    keys: () => known.statements.flatMap(({ log }) => (log ? parseNoteKey(log.vkey, 'log', invalid) : [])),
    refresh: () => {
      next ??= readSoon();
      return next;
    },
  };
}

/** What is known of a registry. */
interface Known {
  readonly chains: readonly RootChain[];
  /** The published statement, and one that is only in the log, if any. */
  readonly statements: readonly PublicationStatement[];
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
    const pending = await newestLogged(files, chains[0]?.keys ?? []).catch(() => undefined);
    // A host that serves an old statement does not bring back an old key.
    const isRotated = currentRoots(before.chains)[0]?.thumbprint !== root.thumbprint;
    const earlier = isRotated ? [] : before.statements.slice(0, 1);
    const newest = [published, ...earlier].reduce((one, next) => (next.sequence > one.sequence ? next : one));
    const statements =
      pending !== undefined && pending.sequence > newest.sequence ? [newest, pending] : [newest];
    return { chains, statements };
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw unreadable(cause.message);
  }
}

/** Reads the newest publication in the log, which need not be published yet. */
async function newestLogged(
  files: RegistryFiles,
  roots: readonly RootKey[],
): Promise<PublicationStatement | undefined> {
  const head = await files.get(PATHS.logHead);
  if (head === undefined) return undefined;
  const read = (index: number) => files.get(PATHS.loggedStatement(index));
  return newestPublication(parseHead(head, invalid).size, { roots, read });
}
