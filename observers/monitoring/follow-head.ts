import { RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  ANY_TIME,
  type IndexedEntry,
  keysAt,
  type LogTree,
  type PublicationStatement,
  pinnedChains,
  rootKeysOf,
  type SignedHead,
  signerAmong,
  verifyPublicationStatement,
  walkChains,
} from '@passport-registry/verifier/core';
import { shown } from '../../generator/diagnostics/diagnostic.js';
import { TreeRejected } from '../../generator/errors.js';
import {
  type LogFault,
  MAX_READ_BYTES,
  MAX_READ_ENTRIES,
  readEntries,
} from '../../generator/log/read-log.js';
import type { HostView } from './host-view.js';
import type { MonitoredHost } from './monitored-host.js';
import type { KnownLog, Round } from './round.js';

/** How the log of a host relates to the log that is known. */
type Relation =
  /** The known log begins with the log of the host, or is the same. */
  | { readonly kind: 'contained' }
  | Grown
  /** Neither log begins with the other. The tree of the host, if its entries were read. */
  | { readonly kind: 'forked'; readonly tree: LogTree | undefined }
  /** The files of the host do not belong to its head. */
  | { readonly kind: 'damaged'; readonly message: string };

/** The log of the host begins with the known log. */
export interface Grown {
  readonly kind: 'grown';
  readonly entries: readonly IndexedEntry[];
  /** The tree of all entries. */
  readonly tree: LogTree;
}

/**
 * Compares the log of a host with the log that is known. If the log of the host is longer, reads and verifies its new
 * entries.
 *
 * @throws {@link IoFailed}
 */
export async function relationOf(head: SignedHead, known: KnownLog, { host }: HostView): Promise<Relation> {
  const { tree } = known;
  if (head.size <= tree.size) {
    return (await tree.contains(head)) ? { kind: 'contained' } : { kind: 'forked', tree: undefined };
  }
  if (head.size - tree.size > MAX_READ_ENTRIES) {
    return {
      kind: 'damaged',
      message: `the log claims to have ${head.size} entries, too many to read in one round`,
    };
  }
  const before = host.malformedLogs.get(head.note.text);
  if (before !== undefined) return { kind: 'damaged', message: before };
  const fetchFile = (path: string) => readLogFile(host, path);
  try {
    return { kind: 'grown', ...(await readEntries({ fetchFile, invalid }, head, tree.leaves)) };
  } catch (error) {
    if (!(error instanceof DamagedLog)) throw error;
    const other = error.fault === 'other' ? await readOther(fetchFile, head) : undefined;
    if (other !== undefined) return { kind: 'forked', tree: other };
    // What is missing can still arrive. The rest is not read again in this round.
    if (error.fault !== 'missing') host.malformedLogs.set(head.note.text, error.message);
    return { kind: 'damaged', message: error.message };
  }
}

class DamagedLog extends TreeRejected {
  readonly fault: LogFault;

  constructor(message: string, fault: LogFault) {
    super(`the log ${message}`);
    this.fault = fault;
  }
}

const invalid = (message: string, fault: LogFault) => new DamagedLog(message, fault);

async function readLogFile(host: MonitoredHost, path: string): Promise<Uint8Array | undefined> {
  if (host.logBytes > MAX_READ_BYTES) throw invalid('is too large to be read in one round', 'malformed');
  const bytes = await host.read(path);
  host.logBytes += bytes?.length ?? 0;
  return bytes;
}

/** Reads a log from its beginning. Its tree is evidence if it is whole, but does not contain the known log. */
async function readOther(
  fetchFile: (path: string) => Promise<Uint8Array | undefined>,
  head: SignedHead,
): Promise<LogTree | undefined> {
  if (head.size > MAX_READ_ENTRIES) return undefined;
  try {
    return (await readEntries({ fetchFile, invalid }, head)).tree;
  } catch (error) {
    if (error instanceof DamagedLog) return undefined;
    throw error;
  }
}

/**
 * Returns why a head is not acceptable. The key of the log at its size must have signed it. If that key is not known yet, it
 * is the one that the publication of the host names. Undefined if it is signed.
 *
 * @throws {@link IoFailed}
 */
export async function signatureProblem(
  head: SignedHead,
  view: HostView,
  { log: known, logTrust }: Round,
): Promise<string | undefined> {
  const origin = known.head?.origin ?? logTrust?.origin;
  if (origin !== undefined && head.origin !== origin)
    return `has the origin ${shown(head.origin)}, but the log is ${origin}`;
  const { keys, size } = known.state;
  if ((await signerAmong(head, keysAt(keys, head.size))) !== undefined) return undefined;
  const isKnown = head.size <= size && head.size >= (keys[0]?.from ?? Number.POSITIVE_INFINITY);
  if (!isKnown) {
    const published = await verifiedUnder(view.statements?.publication, await rootsOf(known, view));
    if ((await signerAmong(head, [published?.log?.vkey ?? ''])) !== undefined) return undefined;
  }
  return 'is not signed by the key of the log that the root key names';
}

/** Verifies a publication statement under any of some root keys. Undefined if none of them has signed it. */
async function verifiedUnder(
  statement: string | undefined,
  roots: readonly RootKey[],
): Promise<PublicationStatement | undefined> {
  if (statement === undefined) return undefined;
  for (const root of roots) {
    try {
      return await verifyPublicationStatement(statement, root, ANY_TIME);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
    }
  }
  return undefined;
}

/** The known root keys, and their successors in the rotation of the host. */
async function rootsOf({ state }: KnownLog, { statements }: HostView): Promise<readonly RootKey[]> {
  const roots = await rootKeysOf(state);
  try {
    const chains = await walkChains(pinnedChains(roots.slice(-1)), statements?.rotation ?? [], undefined);
    return [...roots.slice(0, -1), ...chains.flatMap(({ keys }) => keys)];
  } catch (error) {
    if (error instanceof RegistryError) return roots;
    throw error;
  }
}
