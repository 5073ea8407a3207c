import { RegistryError } from '@passport-registry/verifier';
import { readRotation } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { readPublicationStatement } from '../../generator/freshness/statements.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { rootKeyOf } from '../../generator/tree/published-tree.js';
import { type Finding, finding } from './finding.js';
import { type HostView, unreadable } from './host-view.js';
import { isTooLarge } from './monitored-host.js';
import type { KnownLog } from './round.js';

/** What a host publishes, compared with the log. */
interface ShownPublication {
  /** What is published, but not in the log, and what could not be read. */
  readonly findings: readonly Finding[];
  /**
   * The number of entries before the publication that the host publishes. -1 if it publishes none of the log. Undefined if
   * that could not be read.
   */
  readonly index: number | undefined;
}

/**
 * Compares the files that a host publishes with the log: every statement and every list must be in it (rule log-tree).
 */
export async function compareWithLog(view: HostView, log: KnownLog): Promise<ShownPublication> {
  const { index: newest, findings } = await compareList(view, log);
  const found = [
    ...strayPublication(view, log),
    ...strayRotation(view, log),
    ...findings,
    ...(await otherRootKey(view, log)),
  ];
  const published = publishedIndex(view, log.entries);
  const isRead = view.files.has(PATHS.publication) && newest !== undefined;
  return { findings: found, index: isRead ? Math.min(published, newest) : undefined };
}

/** Returns the number of entries before the publication that a host publishes. -1 if none of the log was read. */
export function publishedIndex(view: HostView, entries: KnownLog['entries']): number {
  const hash = hashOf(PATHS.publication, view);
  return entries.findIndex(({ type, sha256 }) => type === 'publication' && sha256 === hash);
}

function hashOf(path: string, { files }: HostView): string | undefined {
  const bytes = files.get(path);
  return bytes && sha256(bytes);
}

/** @param problem - why a file is not part of the log, as a predicate */
function strayFinding({ host }: HostView, path: string, problem: string): Finding {
  return finding('not-logged', `${path} ${problem}`, { host: host.url, file: path });
}

function strayPublication(view: HostView, { entries }: KnownLog): Finding[] {
  const hash = hashOf(PATHS.publication, view);
  if (hash === undefined || publishedIndex(view, entries) !== -1) return [];
  return [strayFinding(view, PATHS.publication, `has the SHA-256 ${hash}, which is not in the log`)];
}

function strayRotation(view: HostView, { entries }: KnownLog): Finding[] {
  const bytes = view.files.get(PATHS.rotation);
  if (bytes === undefined) return [];
  const logged = new Set(entries.flatMap((entry) => (entry.type === 'rotation' ? [entry.sha256] : [])));
  try {
    const at = readRotation(bytes).findIndex(({ text }) => !logged.has(sha256(text)));
    return at === -1
      ? []
      : [strayFinding(view, PATHS.rotation, `has a step ${at + 1} that is not in the log`)];
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return [strayFinding(view, PATHS.rotation, `is not a rotation: ${error.message}`)];
  }
}

/** Returns the newest publication with a list. -1 if there is none. */
function newestWithList(list: string, { entries }: KnownLog): number {
  return entries.findLastIndex((entry) => entry.type === 'publication' && entry.list === list);
}

/** Compares the list of a host with the log. Its size is limited, because nothing else proves what it is. */
async function compareList(view: HostView, log: KnownLog): Promise<ShownPublication> {
  const { host, files } = view;
  const isLogged = publishedIndex(view, log.entries) !== -1;
  const maxBytes = Math.max(
    log.publication?.size ?? 0,
    isLogged ? sizeNamedBy(files.get(PATHS.publication)) : 0,
  );
  try {
    const bytes = await host.read(PATHS.list, { maxBytes });
    if (bytes === undefined) return { findings: [], index: -1 };
    const hash = sha256(bytes);
    const index = newestWithList(hash, log);
    const problem = `has the SHA-256 ${hash}, which is not in the log`;
    return { findings: index === -1 ? [strayFinding(view, PATHS.list, problem)] : [], index };
  } catch (error) {
    if (!(error instanceof IoFailed)) throw error;
    if (!isTooLarge(error)) return { findings: [unreadable(host, error.message)], index: undefined };
    const problem = `is larger than the ${maxBytes} bytes of the list in the log`;
    return { findings: [strayFinding(view, PATHS.list, problem)], index: -1 };
  }
}

/** Returns the size of the list that a statement names. 0 for any other file. */
function sizeNamedBy(statement: Uint8Array | undefined): number {
  try {
    return statement === undefined ? 0 : readPublicationStatement(statement).size;
  } catch (error) {
    if (error instanceof TreeRejected) return 0;
    throw error;
  }
}

async function otherRootKey(
  { host, files }: HostView,
  { state: { roots }, entries }: KnownLog,
): Promise<Finding[]> {
  const bytes = files.get(PATHS.rootKey);
  if (bytes === undefined) return [];
  const thumbprint = (await rootKeyOf(bytes))?.thumbprint;
  const known = [
    ...roots.map((root) => root.thumbprint),
    ...entries.flatMap((entry) => (entry.type === 'rotation' ? [entry.next] : [])),
  ];
  if (thumbprint !== undefined && known.includes(thumbprint)) return [];
  const what =
    thumbprint === undefined ? 'is not a root key' : `is ${thumbprint}, which is not a root key of the log`;
  return [
    finding('other-root-key', `${PATHS.rootKey} ${what}`, { host: host.url, thumbprint: thumbprint ?? null }),
  ];
}
