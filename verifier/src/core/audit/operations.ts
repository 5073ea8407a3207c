import { isCount, isIntegerWithin, isListOf, isObjectOf, oneOf } from '../bytes/checks.js';
import type { Invalid } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import { isValidSourceUrl, isValidUtcSecond, isValidWitnessKey } from '../generated/predicates.js';
import { parseNoteKey } from '../keys/note-key.js';
import type { RootKey } from '../keys/root-key.js';
import { type DelegationFile, verifyBySigner } from '../statements/delegation.js';
import { readStatement, type StatementTimes } from '../statements/statement.js';

/** The states of a mirror, compared with the registry. */
const MIRROR_STATES = ['in sync', 'behind', 'ahead', 'expired', 'altered', 'unreachable'] as const;

/** The state of a mirror, compared with the registry. */
export type MirrorState = (typeof MIRROR_STATES)[number];

/** What the publisher found on a mirror. */
export interface ReportedMirror {
  readonly url: string;
  readonly state: MirrorState;
  /** How much older the mirror's list or publication statement is, in seconds. Undefined if that is unknown. */
  readonly behind?: number;
  /** The updated_at of the mirror's list. Undefined if that is unknown. */
  readonly updated_at?: string;
}

/** The content of operations.jwt: what the publisher says of its mirrors and witnesses. No verifier decides by it. */
export interface Operations {
  readonly mirrors: readonly ReportedMirror[];
  /** The keys of the witnesses, in the form of C2SP signed-note. */
  readonly witnesses: readonly string[];
  /** How many witnesses must cosign. Undefined if the publisher demands none. */
  readonly quorum: number | undefined;
  /** When the publisher asked the mirrors, in milliseconds since 1970. */
  readonly issuedAt: number;
  /** From when on the statement is valid, in milliseconds since 1970. */
  readonly notBefore: number;
  /** When the statement or its delegation expires, whichever is earlier, in milliseconds since 1970. */
  readonly expiresAt: number;
}

/** An operations statement and its delegation: strings, or the bytes exactly as received. */
export interface OperationsFiles {
  readonly operations: Uint8Array | string;
  readonly delegation: DelegationFile;
}

const MAX_MIRRORS = 64;
const MAX_WITNESSES = 32;

const invalid: Invalid = (message, cause) =>
  new RegistryError('ERR_OPERATIONS_INVALID', `the operations statement ${message}`, { cause });
const expired = (message: string) =>
  new RegistryError('ERR_OPERATIONS_EXPIRED', `the operations statement ${message}`);

/**
 * Verifies an operations statement. The same keys may sign it as a checkpoint ({@link verifyBySigner}).
 *
 * @throws `ERR_OPERATIONS_INVALID` | `ERR_OPERATIONS_EXPIRED` | `ERR_DELEGATION_INVALID` |
 *   `ERR_DELEGATION_EXPIRED` | `ERR_NOT_YET_VALID`
 */
export async function verifyOperations(
  { operations, delegation }: OperationsFiles,
  rootKey: RootKey,
  times: StatementTimes,
): Promise<Operations> {
  const statement = readStatement(operations, 'registry-operations+jwt', invalid);
  const delegated = await verifyBySigner(statement, { rootKey, delegation, times }, { invalid, expired });
  const { mirrors, witnesses, quorum } = statement.claims;
  if (!areMirrors(mirrors)) throw malformed('mirrors');
  if (!areWitnesses(witnesses)) throw malformed('witnesses');
  if (quorum !== undefined && !isIntegerWithin(quorum, 1, witnesses.length)) throw malformed('quorum');
  return {
    mirrors,
    witnesses,
    quorum: quorum as number | undefined,
    issuedAt: statement.issuedAt,
    notBefore: statement.notBefore,
    expiresAt: Math.min(statement.expiresAt, delegated?.expiresAt ?? Number.POSITIVE_INFINITY),
  };
}

const malformed = (claim: string) => invalid(`has the claim ${claim} missing or malformed`);

function areMirrors(value: unknown): value is readonly ReportedMirror[] {
  return (
    isListOf(value, isMirror) &&
    value.length <= MAX_MIRRORS &&
    new Set((value as ReportedMirror[]).map(({ url }) => url)).size === value.length
  );
}

function isMirror(value: unknown): boolean {
  return isObjectOf(value, ['url', 'state'], (member, content) => {
    switch (member) {
      case 'url':
        return isValidSourceUrl(content);
      case 'state':
        return oneOf(MIRROR_STATES)(content);
      case 'behind':
        return isCount(content);
      case 'updated_at':
        return isValidUtcSecond(content);
      default:
        return undefined;
    }
  });
}

function areWitnesses(value: unknown): value is readonly string[] {
  if (!isListOf(value, isValidWitnessKey) || value.length > MAX_WITNESSES) return false;
  const keys = value.map((key) => parseNoteKey(key, 'witness', () => malformed('witnesses')).jwk.x);
  return new Set(keys).size === keys.length;
}
