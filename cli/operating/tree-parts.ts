import type { Issuer } from '@passport-registry/verifier';
import { CLOCK_TOLERANCE_MS, clockNote, DAY_MS } from '@passport-registry/verifier/core';
import { formatDuration } from '../../generator/freshness/expiry.js';
import type { IssuerChange } from '../../generator/review/difference.js';
import type { Facts, RecordFacts, TreeFacts } from './facts.js';
import { type Part, summarize } from './part.js';

/** Says whether the tree is whole. */
export function treePart(
  { folder, isThere, problems, notes }: Pick<TreeFacts, 'folder' | 'isThere' | 'problems' | 'notes'>,
  hasStage: boolean,
): Part {
  const data = { folder, isThere, problems, notes };
  if (!isThere) {
    const hint = 'If the registry was published, run `load`';
    return { level: 'note', fact: `${folder} has no tree`, hint, data };
  }
  if (problems.length > 0) {
    const hint = hasStage ? 'Run `checkpoint`, which first completes the stage' : 'Run `load`';
    return { level: 'error', fact: `${folder} is not whole: ${summarize(problems)}`, hint, data };
  }
  if (notes.length > 0) return { level: 'note', fact: `${folder} is whole, but ${summarize(notes)}`, data };
  return { level: 'ok', fact: `${folder} is whole`, data };
}

/** Counts the issuers of the list by status. */
export function listPart(
  { publication, issuers }: Pick<TreeFacts, 'publication' | 'issuers'>,
  now: number,
): Part | undefined {
  if (publication === undefined) return undefined;
  const { updatedAt } = publication;
  const count = (status: Issuer['status']) => issuers.filter((issuer) => issuer.status === status).length;
  const counts = { active: count('active'), suspended: count('suspended'), revoked: count('revoked') };
  const ageMs = now - Date.parse(updatedAt);
  const data = { updatedAt, issuers: issuers.length, ...counts, ageDays: Math.floor(ageMs / DAY_MS) };
  if (-ageMs > CLOCK_TOLERANCE_MS) {
    const fact = `the list is dated ${updatedAt}, which is in the future ${clockNote(now)}`;
    return { level: 'error', fact, data };
  }
  const { active, suspended, revoked } = counts;
  const fact = `${active} active, ${suspended} suspended, ${revoked} revoked, of ${updatedAt}, ${formatDuration(ageMs)} ago`;
  return { level: 'ok', fact, data };
}

/** Says what the records would change. */
export function recordsPart(
  records: RecordFacts,
  { isPublished, hasStage }: { readonly isPublished: boolean; readonly hasStage: boolean },
): Part {
  if ('problem' in records) {
    const { problem, isMissing } = records;
    const level = isMissing && !isPublished ? 'note' : 'error';
    return { level, fact: problem, data: { problem, changes: [], problems: [], warnings: [] } };
  }
  const { changes, problems, warnings } = records;
  const data = { changes, problems, warnings };
  if (problems.length > 0) {
    const fact = `a build would stop: ${summarize(problems.map(({ file, message }) => `${file}: ${message}`))}`;
    return { level: 'error', fact, hint: 'Run `diff`, or `check` without a tree', data };
  }
  if (changes.length === 0) return { level: 'ok', fact: 'the records are those of the list', data };
  const waiting = `${changes.length} not published yet: ${changes.slice(0, MAX_IDS).map(inWords).join(', ')}`;
  const more = changes.length > MAX_IDS ? `, and ${changes.length - MAX_IDS} more` : '';
  const warned =
    warnings.length === 0 ? '' : `; ${summarize(warnings.map(({ file, message }) => `${file}: ${message}`))}`;
  // Verifiers accept an issuer until its stop is published.
  const level = changes.some(isStop) ? 'error' : 'note';
  const hint = hasStage ? 'A publication waits: run `checkpoint` first' : 'Run `build`';
  return { level, fact: `${waiting}${more}${warned}`, hint, data };
}

/** How many issuers to name. */
const MAX_IDS = 5;

function isStop({ fields }: IssuerChange): boolean {
  return fields.some(({ field, from, to }) => field === 'status' && from === 'active' && to !== 'active');
}

/** Names the change of an issuer, or that of its status, which is the most important. */
function inWords({ issuer_id, kind, fields }: IssuerChange): string {
  const status = fields.find(({ field }) => field === 'status');
  return `${issuer_id} ${status === undefined ? kind : `${status.from} -> ${status.to}`}`;
}

/** Says that a committed publication waits beside the tree. */
export function stagePart({
  hasStage,
  tree: { folder },
}: Pick<Facts, 'hasStage' | 'tree'>): Part | undefined {
  if (!hasStage) return undefined;
  const fact = `a publication waits beside ${folder}, signed and not published`;
  return { level: 'warning', fact, hint: 'Run `checkpoint`, which asks the witnesses again', data: {} };
}
