import { type IssuerRegistry, RegistryError } from '@passport-registry/verifier';
import { findMisnamed, LIMITS, mayHaveLevels, readList, sumsTree } from '@passport-registry/verifier/core';
import { recordsBytes } from '../../generator/list/list.js';
import { KEPT_LIST_BYTES } from '../../generator/log/log-choice.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { summedRecord } from '../../generator/tree/sums.js';
import { factsOf } from '../../generator/verification/verify-publication.js';
import { finding, type Report } from './finding.js';
import type { KnownList, KnownPublication } from './known-log.js';
import { reportChanges, type Watch } from './list-changes.js';
import { type MonitoredHost, readFromAny } from './monitored-host.js';

/** How many lists a publisher keeps in the folder `snapshots`, whatever their sizes. */
const SNAPSHOTS = 3;

/** How to read lists, and what to tell of them. */
export interface ListReading {
  readonly hosts: readonly MonitoredHost[];
  readonly watch: Watch;
  readonly report: Report;
}

/** The newest list that could be read, and whether all were read that a publisher keeps. */
export interface ReadLists {
  readonly list: KnownList | undefined;
  readonly isComplete: boolean;
}

/**
 * Reads the list of each publication, verifies it against its statement, and reports what it changed.
 *
 * @param publications - oldest first
 * @param held - the list before them
 * @throws {@link IoFailed} if no host responds
 */
export async function readLists(
  publications: readonly KnownPublication[],
  held: KnownList | undefined,
  reading: ListReading,
): Promise<ReadLists> {
  const kept = new Set(publications.slice(-SNAPSHOTS));
  let [list, before, isComplete] = [held, held && readList(held.bytes), true];
  for (const publication of publications) {
    if (publication.sha256 === list?.sha256) continue;
    const bytes = await readFromAny(reading.hosts, fileOf(publication));
    if (bytes === undefined) {
      isComplete &&= !kept.has(publication);
      reportMissing(publication, kept.has(publication), reading.report);
      continue;
    }
    const registry = checkList(bytes, publication, reading.report);
    if (registry === undefined) continue;
    if (before !== undefined) reportChanges(before, { registry, publication }, reading);
    list = { sha256: publication.sha256, bytes };
    before = registry;
  }
  return { list, isComplete };
}

function fileOf({ sha256, size }: KnownPublication) {
  const kept = PATHS.loggedList(sha256);
  const snapshot = PATHS.snapshot(sha256, PATHS.list);
  const paths = size <= KEPT_LIST_BYTES ? [kept, snapshot] : [snapshot, kept];
  return { paths: [...paths, PATHS.list], sha256, maxBytes: Math.min(size, LIMITS.list) };
}

/** Small lists are kept permanently, unless the operator has decided otherwise. Older large ones need not be there. */
function reportMissing(
  { index, sequence, sha256: list, size }: KnownPublication,
  isKept: boolean,
  report: Report,
) {
  const code = isKept || size <= KEPT_LIST_BYTES ? 'list-missing' : 'list-not-kept';
  const message = `no host that answers has the list ${list} of publication ${sequence}, entry ${index}`;
  report(finding(code, message, { entry: index, sequence, list }));
}

/** Verifies a list whose hash is right. Undefined if it cannot be read. */
function checkList(
  bytes: Uint8Array,
  publication: KnownPublication,
  report: Report,
): IssuerRegistry | undefined {
  const { index, sequence } = publication;
  const invalid = (problem: string) =>
    report(
      finding('list-invalid', `the list of publication ${sequence}: ${problem}`, { entry: index, sequence }),
    );
  try {
    const registry = readList(bytes);
    for (const problem of findMisnamed(publication, factsOf({ list: bytes, registry })))
      invalid(`the statement ${problem}`);
    const problem = sumsProblem(registry, publication);
    if (problem !== undefined) invalid(problem);
    return registry;
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    invalid(error.message);
    return undefined;
  }
}

/**
 * Computes the tree of sums anew, so that a registry cannot show another one to clients that read one record
 * (rule sums-whole).
 */
function sumsProblem(
  { issuers }: IssuerRegistry,
  { levels, sumsSha256 }: KnownPublication,
): string | undefined {
  const records = [...recordsBytes(issuers)].map(([id, bytes]) => summedRecord(id, sha256(bytes)));
  if (!mayHaveLevels(records, levels)) return `its tree of sums must not have ${levels} levels`;
  const { sha256: found } = sumsTree(records, levels, sha256);
  return found === sumsSha256
    ? undefined
    : `its tree of sums is ${found}, but the statement names ${sumsSha256}`;
}
