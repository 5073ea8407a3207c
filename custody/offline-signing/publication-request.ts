import { type IssuerRegistry, RegistryError } from '@passport-registry/verifier';
import {
  type AboutIssuers,
  canonicalBytes,
  type LogIdentity,
  type OnlineKeys,
  type PublicationStatement,
  readAbout,
  readList,
} from '@passport-registry/verifier/core';
import { RequestRejected, TreeRejected } from '../../generator/errors.js';
import { namesIn } from '../../generator/freshness/online-keys.js';
import { validateIssuer } from '../../generator/generated/issuer-validator.js';
import { findAboutFaults, withStatusSince } from '../../generator/list/about.js';
import type { ListBytes } from '../../generator/list/list.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import type { SummedList } from '../../generator/publishing/sign-statement.js';
import { recordsOfList } from '../../generator/records/check-records.js';
import { describeDifference, difference, NO_RECORDS } from '../../generator/review/difference.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { sumsOfList } from '../../generator/tree/sums.js';

/** A list and its publication statement, to be signed. */
export interface RequestedPublication {
  /** The bytes of the list. */
  readonly list: Uint8Array;
  readonly registry: IssuerRegistry;
  /** The names and reasons that are published with the list. The statement contains the hash of their file. */
  readonly about: AboutIssuers;
  /** The bytes of the statement, as text. */
  readonly input: string;
  readonly statement: PublicationStatement;
  /** The list and the statement that the request follows, verified; undefined for a first list. */
  readonly previous: PreviousPublication | undefined;
  /** Whether the list is the published one, so that only the statement is new. */
  readonly kept: boolean;
}

/** A published list and its publication statement. */
export interface PreviousPublication {
  /** The bytes of the list. */
  readonly list: Uint8Array;
  readonly registry: IssuerRegistry;
  /** The payload hash of the list. */
  readonly sha256: string;
  /** The text of issuers.sig. */
  readonly signature: string;
  readonly statement: PublicationStatement;
  /** The published names and reasons; undefined if about.json is missing or damaged. */
  readonly about: AboutIssuers | undefined;
}

/**
 * Reads the list of a request, and checks its records as a build does: verifiers accept some URLs that a build refuses,
 * such as one with the port 99999.
 *
 * @throws {@link TreeRejected}
 */
export function readRequestedList(list: Uint8Array, name: string): IssuerRegistry {
  let registry: IssuerRegistry;
  try {
    registry = readList(list);
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new TreeRejected(`${name} is not valid: ${cause.code}, ${cause.message}`, { cause });
  }
  for (const issuer of registry.issuers) {
    if (validateIssuer(issuer)) continue;
    const [error] = validateIssuer.errors ?? [];
    throw new TreeRejected(
      `${name} is not valid: the record ${issuer.issuer_id} is not valid: ${error?.instancePath} ${error?.message}`,
    );
  }
  return registry;
}

/**
 * Reads the names and reasons of a request. Only the publication statement with the hash of the file is signed.
 *
 * @throws {@link RequestRejected} if no build would write the file
 */
export function readRequestedAbout(
  bytes: Uint8Array | undefined,
  { issuers }: Pick<IssuerRegistry, 'issuers'>,
): AboutIssuers {
  if (bytes === undefined) return new Map();
  const refused = (message: string) =>
    new RequestRejected('ERR_REQUEST_PAYLOAD', `about.json of the request ${message}`);
  const about = readAbout(bytes, refused);
  const [fault] = findAboutFaults(about, issuers);
  if (fault !== undefined) throw refused(fault);
  return about;
}

/**
 * Asserts that a request says of each issuer that is not active what a build says: since when (rule status-since). The maker of a
 * request could otherwise write an earlier time, after which an old record would end the suspension.
 *
 * @throws {@link RequestRejected}
 */
export function assertStatusSince(
  about: AboutIssuers,
  { issuers, updated_at: updatedAt }: IssuerRegistry,
  previous: PreviousPublication | undefined,
): void {
  const before = previous && recordsOfList(previous.registry.issuers, previous.about);
  for (const [id, { status_since }] of withStatusSince(about, { issuers, updatedAt }, before)) {
    const said = about.get(id)?.status_since;
    if (said === status_since) continue;
    throw new RequestRejected(
      'ERR_REQUEST_PAYLOAD',
      `about.json of the request says that ${id} is not active since ${said}, but the publications say since ${status_since}`,
    );
  }
}

/** Returns the bytes of a list and of each of its records. */
export function bytesOfList(list: Uint8Array, { issuers, updated_at }: IssuerRegistry): ListBytes {
  const records = new Map(issuers.map((issuer) => [issuer.issuer_id, canonicalBytes(issuer)]));
  return { updatedAt: updated_at, list, records };
}

/**
 * Computes what the publication statement of a list names: the hash of the list, its tree of sums, and the hash of about.json.
 *
 * @param about - the content of about.json; undefined if there is none
 */
export function summedList(
  list: ListBytes,
  previousLevels: number,
  about: Uint8Array | undefined,
): SummedList {
  const sums = sumsOfList(list, previousLevels);
  return { list, sha256: sha256(list.list), sums, about: about && sha256(about) };
}

/** Describes a publication in words: the difference of the lists, and what the statement says. */
export function describePublication(publication: RequestedPublication): readonly string[] {
  return [...describeList(publication), ...describeStatement(publication.statement, publication.previous)];
}

function describeList({ registry, about, previous, kept }: RequestedPublication): readonly string[] {
  const { updated_at } = registry;
  // If the published names are not known, all names are shown, because any of them can be new.
  const before = previous && recordsOfList(previous.registry.issuers, previous.about ?? new Map());
  const after = recordsOfList(registry.issuers, about);
  const found = describeDifference(difference(before ?? NO_RECORDS, after), after);
  const unknown =
    previous !== undefined && previous.about === undefined
      ? ['  the published names and reasons are not known, so all are shown']
      : [];
  if (kept) {
    const heading = `list of ${updated_at}, which is published already: it keeps its signature`;
    return [heading, ...unknown, ...found];
  }
  const heading =
    previous === undefined
      ? `FIRST LIST of ${updated_at}: there is no previous signed list`
      : `list of ${updated_at}, after the list of ${previous.registry.updated_at}`;
  return [heading, ...unknown, ...(found.length === 0 ? ['  no record changes'] : found)];
}

function describeStatement(
  { sequence, issuers, levels, log, online, issuedAt, sumsSha256, aboutSha256 }: PublicationStatement,
  previous: PreviousPublication | undefined,
): readonly string[] {
  const before = previous?.statement;
  return [
    before === undefined
      ? `publication ${sequence}: the FIRST PUBLICATION STATEMENT of this registry`
      : `publication ${sequence}, after publication ${before.sequence}`,
    `  signed    ${formatUpdatedAt(issuedAt)}`,
    `  issuers   ${issuers}`,
    `  sums      ${sumsSha256}, in ${levels} levels`,
    ...describeOnline(online, before?.online),
    ...describeLog(log, before?.log),
    ...(aboutSha256 === undefined ? [] : [`  names     ${aboutSha256}`]),
  ];
}

/** Describes the keys that may sign checkpoints: new keys and permissions, and those that are gone. */
function describeOnline(online: OnlineKeys | undefined, before: OnlineKeys | undefined): readonly string[] {
  const keys = online === undefined ? [] : namesIn(online);
  const known = before === undefined ? [] : namesIn(before);
  const gone = known.filter((key) => !keys.includes(key));
  return [
    ...keys.map((key) => `  online    ${key}${known.includes(key) ? '' : ', A NEW KEY'}`),
    ...gone.map((key) => `  online    ${key}, NO LONGER AN ONLINE KEY`),
    ...(online === undefined ? [] : [`  until     ${formatUpdatedAt(online.expiresAt)}`]),
    ...describeHold(online?.mayHold === true, before?.mayHold === true),
  ];
}

/** Describes a permission to hold issuers, and one that is new or gone. */
function describeHold(mayHold: boolean, before: boolean): readonly string[] {
  if (mayHold) {
    const isNew = before ? '' : ', A NEW PERMISSION';
    return [`  hold      checkpoints by online keys may hold issuers, so that verifiers refuse them${isNew}`];
  }
  return before ? ['  hold      NO LONGER PERMITTED: checkpoints by online keys hold no issuers'] : [];
}

/** Describes a log that begins, and another key of the log. */
function describeLog(log: LogIdentity | undefined, before: LogIdentity | undefined): readonly string[] {
  if (log === undefined) return [];
  const { origin, vkey } = log;
  if (before === undefined) {
    const begins = 'FROM NOW ON: it cannot be withdrawn, and never gets another name';
    return [`  log       ${origin} ${begins}`, `  log key   ${vkey}`];
  }
  if (before.vkey !== vkey) return [`  log       ${origin}`, `  log key   ${vkey}, A NEW KEY`];
  return [`  log       ${origin}`];
}
