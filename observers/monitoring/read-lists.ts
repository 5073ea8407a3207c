import { type IssuerRegistry, RegistryError } from '@passport-registry/verifier';
import { findMisnamed, LIMITS, mayHaveLevels, readList, sumsTree } from '@passport-registry/verifier/core';
import { recordsBytes } from '../../generator/list/list.js';
import { KEPT_LIST_BYTES } from '../../generator/log/log-choice.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { summedRecord } from '../../generator/tree/sums.js';
import { factsOf } from '../../generator/verification/check-publication.js';
import { type Finding, finding } from './finding.js';
import type { KnownList, KnownPublication } from './known-log.js';
import { changeFindings, type Watch } from './list-changes.js';
import { type MonitoredHost, readFromAny } from './monitored-host.js';

/** How many lists a publisher keeps in the folder `snapshots`, whatever their sizes. */
const SNAPSHOTS = 3;

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
  const kept = new Set(publications.slice(-SNAPSHOTS));
  const findings: Finding[] = [];
  let [list, before, isComplete] = [held, held && readList(held.bytes), true];
  for (const publication of publications) {
    if (publication.sha256 === list?.sha256) continue;
    const bytes = await readFromAny(hosts, fileOf(publication));
    if (bytes === undefined) {
      isComplete &&= !kept.has(publication);
      findings.push(missingList(publication, kept.has(publication)));
      continue;
    }
    const { registry, problems } = checkList(bytes, publication);
    findings.push(...problems.map((problem) => invalidList(publication, problem)));
    if (registry === undefined) continue;
    if (before !== undefined) findings.push(...changeFindings(before, { registry, publication }, watch));
    list = { sha256: publication.sha256, bytes };
    before = registry;
  }
  return { list, isComplete, findings };
}

function fileOf({ sha256, size }: KnownPublication) {
  const kept = PATHS.loggedList(sha256);
  const snapshot = PATHS.snapshot(sha256, PATHS.list);
  const paths = size <= KEPT_LIST_BYTES ? [kept, snapshot] : [snapshot, kept];
  return { paths: [...paths, PATHS.list], sha256, maxBytes: Math.min(size, LIMITS.list) };
}

/** Small lists are kept permanently, unless the operator has decided otherwise. Older large ones need not be there. */
function missingList({ index, sequence, sha256: list, size }: KnownPublication, isKept: boolean): Finding {
  const code = isKept || size <= KEPT_LIST_BYTES ? 'list-missing' : 'list-not-kept';
  const message = `no host that answers has the list ${list} of publication ${sequence}, entry ${index}`;
  return finding(code, message, { entry: index, sequence, list });
}

function invalidList({ index, sequence }: KnownPublication, problem: string): Finding {
  const message = `the list of publication ${sequence}: ${problem}`;
  return finding('list-invalid', message, { entry: index, sequence });
}

/** Verifies a list whose hash is right. Returns no registry if it cannot be read. */
function checkList(
  bytes: Uint8Array,
  publication: KnownPublication,
): { readonly registry?: IssuerRegistry; readonly problems: readonly string[] } {
  try {
    const registry = readList(bytes);
    const misnamed = findMisnamed(publication, factsOf({ list: bytes, registry }));
    const problem = sumsProblem(registry, publication);
    return {
      registry,
      problems: [
        ...misnamed.map((one) => `the statement ${one}`),
        ...(problem === undefined ? [] : [problem]),
      ],
    };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { problems: [error.message] };
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
