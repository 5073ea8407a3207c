import { type StatementsFile, statementHash } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { readPublicationStatement } from '../../generator/freshness/statements.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { rootKeyOf } from '../../generator/tree/published-tree.js';
import { readUnverified } from '../../generator/tree/statements-file.js';
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
  const found = [...strayStatements(view, log), ...findings, ...(await otherRootKey(view, log))];
  const published = publishedIndex(view, log.entries);
  const isRead = view.files.has(PATHS.statements) && newest !== undefined;
  return { findings: found, index: isRead ? Math.min(published, newest) : undefined };
}

/** Returns the number of entries before the publication that a host publishes. -1 if none of the log was read. */
export function publishedIndex({ statements }: HostView, entries: KnownLog['entries']): number {
  const hash = statements && statementHash(statements.publication);
  return entries.findIndex(({ type, sha256 }) => type === 'publication' && sha256 === hash);
}

/** @param problem - why a file is not part of the log, as a predicate */
function strayFinding({ host }: HostView, path: string, problem: string): Finding {
  return finding('not-logged', `${path} ${problem}`, { host: host.url, file: path });
}

function strayStatements(view: HostView, { entries }: KnownLog): Finding[] {
  const { statements, malformed } = view;
  const stray = (problem: string) => strayFinding(view, PATHS.statements, problem);
  if (malformed !== undefined) return [stray(`is malformed: ${malformed}`)];
  if (statements === undefined) return [];
  const found: Finding[] = [];
  const { publication, checkpoint, rotation } = statements;
  if (publishedIndex(view, entries) === -1)
    found.push(stray(`has the publication ${statementHash(publication)}, which is not in the log`));
  const named = readUnverified(checkpoint, 'registry-checkpoint+jwt')?.claims['publication'];
  const isNamed = entries.some(({ type, sha256 }) => type === 'publication' && sha256 === named);
  if (named !== undefined && named !== statementHash(publication) && !isNamed)
    found.push(stray('has a checkpoint for another publication, which is not in the log'));
  const logged = new Set(entries.flatMap((entry) => (entry.type === 'rotation' ? [entry.sha256] : [])));
  const step = rotation.findIndex((text) => !logged.has(statementHash(text)));
  if (step !== -1) found.push(stray(`has a rotation step ${step + 1} that is not in the log`));
  return found;
}

/** Returns the newest publication with a list. -1 if there is none. */
function newestWithList(list: string, { entries }: KnownLog): number {
  return entries.findLastIndex((entry) => entry.type === 'publication' && entry.list === list);
}

/** Compares the list of a host with the log. Its size is limited, because nothing else proves what it is. */
async function compareList(view: HostView, log: KnownLog): Promise<ShownPublication> {
  const { host, statements } = view;
  const isLogged = publishedIndex(view, log.entries) !== -1;
  const maxBytes = Math.max(log.publication?.size ?? 0, isLogged ? sizeNamedBy(statements) : 0);
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

/** Returns the size of the list that the publication statement names. 0 if there is no valid statement. */
function sizeNamedBy(statements: StatementsFile | undefined): number {
  try {
    return statements === undefined ? 0 : readPublicationStatement(statements.publication).size;
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
