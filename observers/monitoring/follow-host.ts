import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  formatNote,
  keysAt,
  type LogTree,
  type SignedHead,
  signerAmong,
} from '@passport-registry/verifier/core';
import { IoFailed } from '../../generator/errors.js';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { type Finding, finding } from './finding.js';
import { type Grown, relationOf, signatureProblem } from './follow-head.js';
import { type HostView, headsOf, type ShownHead, unreadable } from './host-view.js';
import { readLists } from './read-lists.js';
import type { Round } from './round.js';
import { verifyEntries } from './verify-entries.js';

/**
 * Follows the log of a host: each head that it shows must be consistent with the log that is known. New entries are
 * verified and added to the known log.
 *
 * @returns what is wrong with the host. What is wrong with new entries goes to the findings of the round
 */
export async function followHost(view: HostView, round: Round): Promise<Finding[]> {
  const { host, files } = view;
  const found: Finding[] = [];
  if (files.has(PATHS.logHead) && files.get(PATHS.logHead) === undefined) {
    const code = host.isMirror ? 'mirror-without-log' : 'log-missing';
    found.push(finding(code, `there is no ${PATHS.logHead}`, { host: host.url }));
  }
  const { heads, findings } = headsOf(view);
  found.push(...findings);
  for (const shown of heads) {
    try {
      found.push(...(await followHead(shown, view, round)));
    } catch (error) {
      if (!(error instanceof IoFailed)) throw error;
      // The known log is as before, so the next round repeats what this one could not finish.
      return [...found, unreadable(host, error.message)];
    }
  }
  return found;
}

async function followHead({ place, head }: ShownHead, view: HostView, round: Round): Promise<Finding[]> {
  const { url } = view.host;
  const problem = await signatureProblem(head, view, round);
  if (problem !== undefined)
    return [finding('head-not-signed', `the head in ${place} ${problem}`, { host: url })];
  const relation = await relationOf(head, round.log, view);
  if (relation.kind === 'damaged') return [finding('log-damaged', relation.message, { host: url })];
  if (relation.kind === 'forked') return forkFindings({ head, tree: relation.tree }, url, round);
  if (relation.kind === 'grown') await grow(head, relation, { view, round });
  return [];
}

/** Tells of two heads that are not consistent: the log has shown different histories. */
function forkFindings(other: LogEvidence, host: string, { log, options }: Round): Finding[] {
  const { head, tree } = log;
  if (head === undefined) return [];
  const known = { head, tree };
  const message =
    `the log has forked: its head with ${other.head.size} entries is not consistent with the known head with ` +
    `${head.size} entries`;
  const { evidence, where } = kept(known, other, options.folder);
  const heads = [headText(known), headText(other)];
  return [finding('log-forked', message + where, { host, heads, evidence })];
}

/** Keeps the evidence of a fork, if there is a folder for it. A full disk must not hide the fork. */
function kept(known: LogEvidence, other: LogEvidence, folder: string | undefined) {
  if (folder === undefined) return { evidence: null, where: '' };
  try {
    const evidence = keepEvidence(folder, known, other);
    return { evidence, where: `; both signed heads are kept in ${evidence}` };
  } catch (error) {
    if (!(error instanceof IoFailed)) throw error;
    return { evidence: null, where: `; the evidence is not kept: ${error.message}` };
  }
}

/** Verifies new entries, their statements and lists, and adds them to the known log. */
async function grow(
  head: SignedHead,
  { entries, tree }: Grown,
  { view, round }: { readonly view: HostView; readonly round: Round },
): Promise<void> {
  const { host } = view;
  const { log, options } = round;
  const hosts = [host, ...round.hosts.filter((other) => other !== host)];
  const all = [...log.entries, ...entries.map(({ entry }) => entry)];
  const { from, told } = firstTold({ entries, tree }, round);
  const verified = await verifyEntries(log, { entries, hosts, from, told });
  const { state, publications } = verified;
  const watch = { issuers: options.watch, from: told };
  const lists = await readLists(publications, log.list, { hosts, watch });
  // If something cannot be read, all of this is repeated later, and told then. Notes about the past are not told.
  const isTold = ({ severity, entry = told }: Finding) => severity !== 'note' || entry >= told;
  round.findings.push(...[...verified.findings, ...lists.findings].filter(isTold));
  round.isComplete &&= verified.isComplete && lists.isComplete;
  const publication = publications.at(-1) ?? log.publication;
  round.log = { ...log, head, tree, entries: all, state, publication, list: lists.list };
  const vkeys = keysAt(state.keys, head.size);
  if (vkeys.length === 0 || (await signerAmong(head, vkeys)) !== undefined) return;
  const message = 'the head is not signed by the key of the log that its newest publication names';
  round.findings.push(finding('head-not-signed', message, { host: host.url }));
}

/** A log by its head, and the tree of its entries if they are known. */
interface LogEvidence {
  readonly head: SignedHead;
  readonly tree: LogTree | undefined;
}

/** Returns the signed head of a log as text: everybody who has the key of the log can verify it. */
function headText({ head }: LogEvidence): string {
  return formatNote(head.note);
}

/**
 * Keeps two heads of a log that are not consistent, and the hashes of their entries. With them, anybody can compute both
 * roots, and see where the logs differ. The same two heads are kept once.
 *
 * @param folder - the folder of the monitor
 * @returns the folder with the evidence
 * @throws {@link IoFailed}
 */
function keepEvidence(folder: string, known: LogEvidence, other: LogEvidence): string {
  const place = join(folder, 'evidence', sha256(headText(known) + headText(other)).slice(0, 16));
  try {
    mkdirSync(place, { recursive: true });
  } catch (cause) {
    throw new IoFailed(`${place} cannot be created: ${(cause as Error).message}`, { cause });
  }
  for (const [name, log] of Object.entries({ known, other })) {
    writeWholeFile(join(place, `${name}.checkpoint`), headText(log));
    const lines = log.tree?.leaves.map((hash) => `${Buffer.from(hash).toString('hex')}\n`);
    if (lines !== undefined) writeWholeFile(join(place, `${name}.hashes`), lines.join(''));
  }
  return place;
}

/** Returns the first new entry that is verified, and the first whose changes are told. */
function firstTold(
  { entries, tree }: Pick<Grown, 'entries' | 'tree'>,
  { before, options, now }: Round,
): { readonly from: number; readonly told: number } {
  if (before.head !== undefined) return { from: 0, told: 0 };
  if (options.sinceMs === undefined) return { from: 0, told: Number.POSITIVE_INFINITY };
  const since = now - options.sinceMs;
  // The dates of the lists, by the registry's own clock.
  const told =
    entries.find(({ entry }) => entry.type === 'publication' && Date.parse(entry.updated_at) >= since)
      ?.index ?? tree.size;
  // The publication before is what the changes are compared with.
  const compared = entries.findLast(({ index, entry }) => index < told && entry.type === 'publication');
  return { from: compared?.index ?? 0, told };
}
