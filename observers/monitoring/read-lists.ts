import { type IssuerRegistry, RegistryError } from '@passport-registry/verifier';
import { findMisnamed, LIMITS, mayHaveLevels, readList, sumsTree } from '@passport-registry/verifier/core';
import { isError } from '../../generator/diagnostics/diagnostic.js';
import { recordsBytes } from '../../generator/list/list.js';
import { KEPT_LIST_BYTES } from '../../generator/log/log-choice.js';
import { recordsOfList } from '../../generator/records/check-records.js';
import {
  type Compared,
  describeDifference,
  difference,
  type IssuerChange,
  weightiestFirst,
} from '../../generator/review/difference.js';
import { checkTransitions } from '../../generator/review/forbidden-changes.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { LISTS_BEFORE } from '../../generator/tree/named-lists.js';
import { PATHS } from '../../generator/tree/paths.js';
import { summedRecord } from '../../generator/tree/sums.js';
import { factsOf } from '../../generator/verification/check-publication.js';
import { type Finding, finding, issuerChanged } from './finding.js';
import { type MonitoredHost, readFromAny } from './monitored-host.js';
import type { KnownList, KnownPublication } from './round.js';

/** How many lists a publisher keeps, whatever their sizes. */
const NEWEST_LISTS = LISTS_BEFORE + 1;

/** What lists say, and whether all were read that a publisher keeps. */
interface ReadLists {
  /** The newest list that could be read. */
  readonly list: KnownList | undefined;
  readonly isComplete: boolean;
  readonly findings: readonly Finding[];
}

/**
 * Reads the list of each publication, verifies it against its statement, and finds what it changed.
 *
 * @param publications - oldest first
 * @param held - the list before them
 * @throws {@link IoFailed} if no host responds
 */
export async function readLists(
  publications: readonly KnownPublication[],
  held: KnownList | undefined,
  { hosts, watch }: { readonly hosts: readonly MonitoredHost[]; readonly watch: Watch },
): Promise<ReadLists> {
  const kept = new Set(publications.slice(-NEWEST_LISTS));
  const findings: Finding[] = [];
  let list = held;
  let before = held && readList(held.bytes);
  let isComplete = true;
  for (const publication of publications) {
    if (publication.sha256 === list?.sha256) continue;
    const bytes = await readFromAny(hosts, fileOf(publication));
    if (bytes === undefined) {
      isComplete &&= !kept.has(publication);
      findings.push(missingList(publication, kept.has(publication)));
      continue;
    }
    const { registry, problems } = checkList(bytes, publication);
    const { index: entry, sequence } = publication;
    for (const problem of problems) {
      const message = `the list of publication ${sequence}: ${problem}`;
      findings.push(finding('list-invalid', message, { entry, sequence }));
    }
    if (registry === undefined) continue;
    if (before !== undefined) findings.push(...changeFindings(before, { registry, publication }, watch));
    list = { sha256: publication.sha256, bytes };
    before = registry;
  }
  return { list, isComplete, findings };
}

function fileOf({ sha256: hash, size }: KnownPublication) {
  return { path: PATHS.namedList(hash), hash, hashOf: sha256, maxBytes: Math.min(size, LIMITS.list) };
}

/** Small lists are kept permanently, unless the operator has decided otherwise. Older large ones need not be there. */
function missingList({ index, sequence, sha256: list, size }: KnownPublication, isKept: boolean): Finding {
  const code = isKept || size <= KEPT_LIST_BYTES ? 'list-missing' : 'list-not-kept';
  const message = `no host that answers has the list ${list} of publication ${sequence}, entry ${index}`;
  return finding(code, message, { entry: index, sequence, list });
}

/** Verifies a list whose hash is right. Returns no registry if it cannot be read. */
function checkList(
  bytes: Uint8Array,
  publication: KnownPublication,
): { readonly registry?: IssuerRegistry; readonly problems: readonly string[] } {
  try {
    const registry = readList(bytes);
    const misnamed = findMisnamed(publication, factsOf({ list: bytes, registry }));
    const problems = misnamed.map((one) => `the statement ${one}`);
    return { registry, problems: [...problems, ...sumsProblems(registry, publication)] };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { problems: [error.message] };
  }
}

/**
 * Computes the tree of sums anew, so that a registry cannot show another one to clients that read one record
 * (rule sums-whole).
 */
function sumsProblems({ issuers }: IssuerRegistry, { levels, sumsSha256 }: KnownPublication): string[] {
  const records = [...recordsBytes(issuers)].map(([id, bytes]) => summedRecord(id, sha256(bytes)));
  if (!mayHaveLevels(records, levels)) return [`its tree of sums must not have ${levels} levels`];
  const { sha256: found } = sumsTree(records, levels, sha256);
  return found === sumsSha256 ? [] : [`its tree of sums is ${found}, but the statement names ${sumsSha256}`];
}

/** Which changes of lists are told. */
interface Watch {
  /** The ids of the issuers whose changes are told. If there are none, the changes of all issuers are notes. */
  readonly issuers: readonly string[];
  /** The first entry of the log whose changes are told. */
  readonly from: number;
}

/**
 * Returns what a publication changed against the list before, and changes that no registry may make
 * (rule record-changes).
 */
function changeFindings(
  before: IssuerRegistry,
  { registry, publication }: { readonly registry: IssuerRegistry; readonly publication: KnownPublication },
  watch: Watch,
): Finding[] {
  const { index, sequence } = publication;
  const old = recordsOfList(before.issuers);
  const current = recordsOfList(registry.issuers);
  const forbidden = checkTransitions(old, current, [])
    .filter(isError)
    .map(({ rule, file: issuer_id, message }) => {
      const text = `publication ${sequence} breaks the rule ${rule} for ${issuer_id}: ${message}`;
      return finding('forbidden-change', text, { entry: index, sequence, rule, issuer_id });
    });
  if (index < watch.from) return forbidden;
  const changes = difference(old, current);
  const dated = { ...publication, updatedAt: registry.updated_at };
  const issuers = changes.map(({ issuer_id }) => issuer_id);
  const changed = issuers.length === 1 ? '1 issuer' : `${issuers.length} issuers`;
  const message = `publication ${sequence} of ${registry.updated_at}, entry ${index}, changes ${changed}`;
  return [
    ...forbidden,
    finding('publication-logged', message, { entry: index, sequence, since: registry.updated_at, issuers }),
    ...changes.flatMap((change) => changeOf(change, current, { publication: dated, watch })),
  ];
}

/**
 * Tells a change of an issuer, in words and as data.
 *
 * @param records - the issuers after the change
 */
export function changeOf(
  change: IssuerChange,
  records: Compared,
  { publication, watch }: { readonly publication: KnownPublication; readonly watch: Omit<Watch, 'from'> },
): Finding[] {
  const { issuer_id, kind } = change;
  const { index, sequence, updatedAt: since } = publication;
  // The first two characters of each line are a mark, such as "~ ".
  const lines = describeDifference([change], records).map((line) => line.slice(2));
  const fields = weightiestFirst(change.fields).map(({ field, from, to }) => ({
    field,
    from: from ?? null,
    to: to ?? null,
  }));
  return issuerChanged(watch.issuers, `${lines.join('; ')}, since ${since}, by publication ${sequence}`, {
    entry: index,
    sequence,
    since,
    issuer_id,
    kind,
    fields,
  });
}
