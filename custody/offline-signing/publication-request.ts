import { type IssuerRegistry, RegistryError } from '@passport-registry/verifier';
import {
  canonicalBytes,
  type LogIdentity,
  type PublicationStatement,
  type PublishedStatement,
  readList,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { validateIssuer } from '../../generator/generated/issuer-validator.js';
import type { ListBytes } from '../../generator/list/list.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import type { StatementSubject } from '../../generator/publishing/sign-statement.js';
import { byId } from '../../generator/records/check-records.js';
import { describeDifference, listDifference } from '../../generator/review/difference.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { sumsOfList } from '../../generator/tree/sums.js';

/** A list and its publication statement, to be signed. */
export interface RequestedPublication {
  /** The bytes of the list. */
  readonly list: Uint8Array;
  readonly registry: IssuerRegistry;
  /** The payload hash of the list. */
  readonly sha256: string;
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
  readonly registry: IssuerRegistry;
  /** The payload hash of the list. */
  readonly sha256: string;
  /** The text of issuers.sig. */
  readonly signature: string;
  /** Undefined if an older version built the tree. */
  readonly statement: PublishedStatement | undefined;
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

/** Returns the bytes of a list and of each of its records. */
export function bytesOfList(list: Uint8Array, { issuers, updated_at }: IssuerRegistry): ListBytes {
  const records = new Map(issuers.map((issuer) => [issuer.issuer_id, canonicalBytes(issuer)]));
  return { updatedAt: updated_at, list, records };
}

/** Returns what the publication statement of a list is about: the list, and its tree of sums computed anew. */
export function subjectOf(list: ListBytes, previousLevels: number): StatementSubject {
  const sums = sumsOfList(list, previousLevels);
  return { list, sha256: sha256(list.list), sums, checkpoint: false, log: undefined, signedAt: 0 };
}

/** Describes a publication in words: the difference of the lists, and what the statement says. */
export function describePublication({
  registry,
  statement,
  previous,
  kept,
}: RequestedPublication): readonly string[] {
  return [...describeList(registry, previous?.registry, kept), ...describeStatement(statement, previous)];
}

function describeList(
  registry: IssuerRegistry,
  previous: IssuerRegistry | undefined,
  kept: boolean,
): readonly string[] {
  const { updated_at } = registry;
  if (kept) return [`list of ${updated_at}, which is published already: it keeps its signature`];
  const difference = describeDifference(listDifference(previous, registry), byId(registry.issuers));
  const heading =
    previous === undefined
      ? `FIRST LIST of ${updated_at}: there is no previous signed list`
      : `list of ${updated_at}, after the list of ${previous.updated_at}`;
  return [heading, ...(difference.length === 0 ? ['  no record changes'] : difference)];
}

function describeStatement(
  { sequence, issuers, levels, checkpoint, log, issuedAt, sumsSha256 }: PublicationStatement,
  previous: PreviousPublication | undefined,
): readonly string[] {
  const before = previous?.statement;
  const begins = checkpoint && before?.checkpoint !== true;
  return [
    before === undefined
      ? `publication ${sequence}: the FIRST PUBLICATION STATEMENT of this registry`
      : `publication ${sequence}, after publication ${before.sequence}`,
    `  signed    ${formatUpdatedAt(issuedAt)}`,
    `  issuers   ${issuers}`,
    `  sums      ${sumsSha256}, in ${levels} levels`,
    `  checkpoint ${
      checkpoint
        ? `required${begins ? ' FROM NOW ON: verifiers refuse this registry without a checkpoint' : ''}`
        : 'not required'
    }`,
    ...describeLog(log, before?.log),
  ];
}

/** Describes a log that begins, and another key of the log. */
function describeLog(log: LogIdentity | undefined, before: LogIdentity | undefined): readonly string[] {
  if (log === undefined) return [];
  const begins =
    before === undefined ? ' FROM NOW ON: it cannot be withdrawn, and never gets another name' : '';
  const isNewKey = before !== undefined && before.vkey !== log.vkey;
  return [
    `  log       ${log.origin}${begins}`,
    ...(begins === '' && !isNewKey ? [] : [`  log key   ${log.vkey}${isNewKey ? ', A NEW KEY' : ''}`]),
  ];
}
