import { hasItems, isCount, isListOf, isObject, isSha256 } from '../bytes/checks.js';
import { shown } from '../bytes/fault.js';
import type { Invalid } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import { isValidLogOrigin, isValidUtcSecond } from '../generated/predicates.js';
import { parseNoteKey } from '../keys/note-key.js';
import type { RootKey } from '../keys/root-key.js';
import { MAX_LEVELS } from '../sums/sums-file.js';
import { type OnlineKeys, onlineKeysOf } from './online-keys.js';
import {
  readStatement,
  type Statement,
  type StatementTimes,
  statementHash,
  verifyStatement,
} from './statement.js';

/** The maximum number of earlier statements that a publication statement names. */
export const MAX_PREVIOUS = 16;

/** A log and its key (rule log-name). */
export interface LogIdentity {
  /** The name of the log, such as `registry.example/log`. */
  readonly origin: string;
  /** The key of the log, in the form of C2SP signed-note. */
  readonly vkey: string;
}

/** The content of a publication statement (rule statement-claims). */
export interface PublicationStatement {
  /** The RFC 7638 thumbprint of the root key that the header names. Only the signature shows that the key signed. */
  readonly kid: string;
  /** The {@link statementHash} of the statement. */
  readonly hash: string;
  /** The hashes of up to {@link MAX_PREVIOUS} statements before it, newest first. Empty in the first. */
  readonly previous: readonly string[];
  /** Every new statement has a higher sequence. Gaps are allowed. */
  readonly sequence: number;
  /** The `updated_at` of the list. */
  readonly updatedAt: string;
  /** SHA-256 of issuers.json, lower-case hexadecimal. */
  readonly sha256: string;
  /** Size of issuers.json, in bytes. */
  readonly size: number;
  /** The number of issuers in the list. */
  readonly issuers: number;
  /** SHA-256 of `sums/root`, lower-case hexadecimal. */
  readonly sumsSha256: string;
  /** The number of levels of the tree of sums. */
  readonly levels: number;
  /** The log of the registry. Undefined if the registry has none. */
  readonly log: LogIdentity | undefined;
  /** The keys that may sign checkpoints. Undefined if only the root key may. */
  readonly online: OnlineKeys | undefined;
  /** SHA-256 of about.json. Undefined if there is no such file, empty if the claim is no hash: no decision depends on it. */
  readonly aboutSha256: string | undefined;
  /** When the statement was signed, in milliseconds since 1970. */
  readonly issuedAt: number;
  /** From when the statement is valid, in milliseconds since 1970. */
  readonly notBefore: number;
  /** The statement itself, a JWT. */
  readonly text: string;
}

const invalid = (message: string, cause?: unknown) =>
  new RegistryError('ERR_PUBLICATION_INVALID', `the publication statement ${message}`, { cause });

/**
 * Verifies a publication statement, with which the root key names the newest list and its tree of sums (rule statement-form).
 *
 * @param statement - a JWT, or the bytes of one
 * @throws `ERR_PUBLICATION_INVALID` | `ERR_NOT_YET_VALID`
 */
export async function verifyPublicationStatement(
  statement: Uint8Array | string,
  rootKey: RootKey,
  { clock }: StatementTimes,
): Promise<PublicationStatement> {
  const read = readStatement(statement, 'registry-publication+jwt', invalid);
  // A statement that names another root key is most likely from a registry whose root key is not pinned.
  const names = `its kid is ${shown(read.kid)}, and the root key is ${rootKey.thumbprint}`;
  const withKeys: Invalid = (message, cause) => invalid(`${message}; ${names}`, cause);
  await verifyStatement(read, rootKey, { clock, invalid: withKeys });
  return publicationStatementOf(read);
}

/** Reads what a publication statement says, whose signature the caller verifies. @throws `ERR_PUBLICATION_INVALID` */
export function publicationStatementOf(read: Statement<'registry-publication+jwt'>): PublicationStatement {
  const { kid = '', claims, issuedAt, notBefore, text } = read;
  const { sequence, previous, updated_at, sha256, size, issuers, sums_sha256 } = claims;
  const { levels, log, online, about_sha256 } = claims;
  const hasList = isValidUtcSecond(updated_at) && isSha256(sha256) && isCount(size) && isCount(issuers);
  const hasSums = isSha256(sums_sha256) && isCount(levels) && levels <= MAX_LEVELS;
  if (!hasList || !hasSums || !isCount(sequence) || !isPrevious(previous)) {
    throw invalid('has a claim that is missing or malformed');
  }
  return {
    kid,
    hash: statementHash(text),
    previous: previous ?? [],
    sequence,
    updatedAt: updated_at,
    sha256,
    size,
    issuers,
    sumsSha256: sums_sha256,
    levels,
    log: log === undefined ? undefined : logIdentity(log),
    online: online === undefined ? undefined : onlineKeysOf(online, invalid),
    // No verifier refuses a statement for this claim. Another value is the hash of no file.
    aboutSha256: about_sha256 === undefined || isSha256(about_sha256) ? about_sha256 : '',
    issuedAt,
    notBefore,
    text,
  };
}

/** Returns whether a claim names 1 to {@link MAX_PREVIOUS} statements, or nothing. */
function isPrevious(previous: unknown): previous is readonly string[] | undefined {
  if (previous === undefined) return true;
  return isListOf(previous, isSha256) && hasItems(previous, 1, MAX_PREVIOUS);
}

/** Reads the log that a statement names. Unknown members are ignored. */
function logIdentity(log: unknown): LogIdentity {
  const { origin, vkey } = isObject(log) ? log : {};
  const { name } = parseNoteKey(vkey, 'log', (message) => invalid(`has a log whose vkey ${message}`));
  if (isValidLogOrigin(origin) && origin === name) return { origin, vkey: String(vkey) };
  throw invalid('has a log whose origin is invalid, or not the name in its vkey');
}
