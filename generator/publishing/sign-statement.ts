import type { RootKey } from '@passport-registry/verifier';
import {
  type LogIdentity,
  MAX_PREVIOUS,
  type PublicationStatement,
  type SumsTree,
} from '@passport-registry/verifier/core';
import { RequestRejected, UsageError } from '../errors.js';
import { claimsOfOnline, keepsOnlineKeys, type OnlineClaims } from '../freshness/online-keys.js';
import {
  type PublicationClaims,
  parsePublicationStatement,
  readPublicationStatement,
  signingInput,
} from '../freshness/statements.js';
import type { ListBytes } from '../list/list.js';

/** A list with what a publication statement names beside it. */
export interface SummedList {
  readonly list: ListBytes;
  /** The payload hash of the list. */
  readonly sha256: string;
  readonly sums: SumsTree;
  /** SHA-256 of about.json; undefined if the tree has no such file. */
  readonly about: string | undefined;
}

/** What a publication statement says, apart from its place in the order of statements. */
export interface StatementSubject extends SummedList {
  /** The log of the registry; undefined if the published statement decides. */
  readonly log: LogIdentity | undefined;
  /** The keys that may sign checkpoints besides the root key. */
  readonly online: OnlineClaims | undefined;
  /** When the statement is signed, if a new one is needed: milliseconds since 1970. */
  readonly signedAt: number;
}

/**
 * Returns the claims of the next publication statement (rule next-statement). Undefined if the newest statement says
 * the same already, under the same root key.
 *
 * @param previous - the newest statement, which may still wait for witnesses
 */
export function nextClaims(
  { list, sha256: hash, sums, log: named, online, about, signedAt }: StatementSubject,
  rootKey: RootKey,
  previous: PublicationStatement | undefined,
): PublicationClaims | undefined {
  const log = named ?? previous?.log;
  const says = {
    updated_at: list.updatedAt,
    sha256: hash,
    size: list.list.length,
    issuers: list.records.size,
    sums_sha256: sums.sha256,
    levels: sums.levels,
    ...(log !== undefined && { log }),
    ...(online !== undefined && { online }),
    ...(about !== undefined && { about_sha256: about }),
  };
  // After a killed rotation, keys/root.json may already be the next key.
  const isSameKey = previous !== undefined && previous.kid === rootKey.thumbprint;
  if (previous !== undefined && isSameKey && saysTheSame(previous, says)) {
    if (keepsOnlineKeys(previous, online, signedAt)) return undefined;
  }
  const earliest = Math.max(Date.parse(list.updatedAt), previous?.issuedAt ?? 0);
  return {
    ...says,
    iat: Math.floor(Math.max(signedAt, earliest) / 1000),
    sequence: nextSequence(previous, isSameKey),
    ...(previous !== undefined && { previous: [previous.hash, ...previous.previous].slice(0, MAX_PREVIOUS) }),
  };
}

/** The highest sequence that continues under the next root key. No registry publishes so often. */
const MAX_CONTINUED_SEQUENCE = 2 ** 52;

/**
 * A rotation lets a registry recover from a sequence that a thief has driven up, because verifiers compare only
 * statements by the same root key. So the next root key continues only a sequence that leaves room for its own.
 */
function nextSequence(previous: PublicationStatement | undefined, isSameKey: boolean): number {
  if (previous === undefined) return 1;
  if (!isSameKey && previous.sequence > MAX_CONTINUED_SEQUENCE) return 1;
  if (previous.sequence < Number.MAX_SAFE_INTEGER) return previous.sequence + 1;
  throw new UsageError(
    `the published statement has the highest possible sequence, ${previous.sequence}, which somebody else has signed: rotate to a new root ` +
      'key',
    { see: 'docs/operators/emergency.md#the-root-key-has-leaked' },
  );
}

function saysTheSame(
  statement: PublicationStatement,
  says: Omit<PublicationClaims, 'iat' | 'sequence' | 'previous'>,
): boolean {
  return (
    statement.updatedAt === says.updated_at &&
    statement.sha256 === says.sha256 &&
    statement.size === says.size &&
    statement.issuers === says.issuers &&
    statement.sumsSha256 === says.sums_sha256 &&
    statement.levels === says.levels &&
    statement.log?.origin === says.log?.origin &&
    statement.log?.vkey === says.log?.vkey &&
    statement.aboutSha256 === says.about_sha256
  );
}

/**
 * Asserts that a publication statement that somebody else has made is, byte by byte, the one that this program would
 * make for the list: the next sequence, the hash of the statement before, and everything about the list. The maker
 * chooses only the time, the online keys and the log.
 *
 * @param input - the bytes to sign, as text: header and claims in base64url
 * @param context - the root key that signs, and the statement that this one follows: undefined for a first one
 * @throws {@link RequestRejected} | {@link UsageError}
 */
export function assertExpectedStatement(
  input: string,
  list: SummedList,
  { rootKey, previous }: { readonly rootKey: RootKey; readonly previous: PublicationStatement | undefined },
): PublicationStatement {
  const said = readStatementInput(input);
  const { log, issuedAt } = said;
  const online = said.online && claimsOfOnline(said.online);
  const expected = nextClaims({ ...list, log, online, signedAt: issuedAt }, rootKey, previous);
  if (expected === undefined) {
    throw unexpected(`repeats publication ${previous?.sequence}, so there is nothing to sign`);
  }
  if (input !== signingInput(rootKey, 'registry-publication+jwt', expected)) {
    throw unexpected(differenceFrom(expected, input, rootKey));
  }
  return said;
}

const unexpected = (problem: string) =>
  new RequestRejected('ERR_REQUEST_PAYLOAD', `the publication statement ${problem}`);

/** Reads a publication statement that is not signed yet. @throws {@link TreeRejected} */
export function readStatementInput(input: string): PublicationStatement {
  return readPublicationStatement(withoutSignature(input));
}

/** A JWS needs a signature, which need not be valid to be read. */
const withoutSignature = (input: string) => `${input}.AA`;

/** Names the first difference of a statement from the expected one. */
function differenceFrom(expected: PublicationClaims, input: string, { thumbprint }: RootKey): string {
  const { kid, claims } = parsePublicationStatement(withoutSignature(input));
  if (kid !== thumbprint) {
    return `is for the root key ${kid}, but the root key is ${thumbprint}: make the request with --root-key`;
  }
  const wanted: Readonly<Record<string, unknown>> = { ...expected };
  const shown = (value: unknown) => (value === undefined ? 'no value' : JSON.stringify(value));
  const name = [...Object.keys(wanted), ...Object.keys(claims)].find(
    (key) => shown(claims[key]) !== shown(wanted[key]),
  );
  if (name === undefined) return 'is not in the canonical form that a build writes';
  return `has ${shown(claims[name])} as its ${name}, but after the previous publication, this list needs ${shown(wanted[name])}`;
}
