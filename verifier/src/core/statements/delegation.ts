import type { Invalid } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import { isValidBytes32 } from '../generated/predicates.js';
import { importRootKey, type RootKey } from '../keys/root-key.js';
import {
  readStatement,
  type Statement,
  type StatementErrors,
  type StatementTimes,
  verifyStatement,
} from './statement.js';

/** A delegation, or none. Neither read nor awaited if the root key itself signed a statement. */
export type DelegationFile = Uint8Array | string | undefined | Promise<Uint8Array | undefined>;

/** What a delegation says. */
export interface Delegation {
  /** The online keys. They are checked like root keys and have their type, but only {@link verifyBySigner} trusts them. */
  readonly keys: readonly RootKey[];
  /** Whether a checkpoint by these keys may hold issuers. */
  readonly mayHold: boolean;
  /** Milliseconds since 1970. */
  readonly issuedAt: number;
  /** Milliseconds since 1970. */
  readonly notBefore: number;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** The delegation itself: the content of keys/delegation.jwt. */
  readonly text: string;
}

/** The maximum number of keys in a delegation. */
const MAX_DELEGATED_KEYS = 16;

const invalid: Invalid = (message, cause) =>
  new RegistryError('ERR_DELEGATION_INVALID', `the delegation ${message}`, { cause });
const expired = (message: string) => new RegistryError('ERR_DELEGATION_EXPIRED', `the delegation ${message}`);

/** Who may sign: the root key, and the keys in a delegation of the same tree. */
export interface Signers {
  readonly rootKey: RootKey;
  readonly delegation: DelegationFile;
}

/**
 * Verifies a statement that online keys may sign. The root key, or an online key that the root key has delegated, must have
 * signed the statement (rule checkpoint-signer). If an online key signed the statement, its `iat` must lie within `iat` and `exp` of the delegation,
 * both included, even in an old copy (rule checkpoint-within-delegation). An online key therefore cannot date a
 * statement after the end of its delegation.
 *
 * @returns the delegation; undefined if the root key signed the statement
 * @throws the errors passed, `ERR_DELEGATION_INVALID` | `ERR_DELEGATION_EXPIRED` | `ERR_NOT_YET_VALID`
 */
export async function verifyBySigner(
  statement: Statement,
  { rootKey, delegation, times }: Signers & { readonly times: StatementTimes },
  errors: StatementErrors,
): Promise<Delegation | undefined> {
  const { kid, issuedAt } = statement;
  const checks = { ...times, ...errors };
  if (kid === undefined) throw errors.invalid('has no kid');
  if (kid === rootKey.thumbprint) {
    await verifyStatement(statement, rootKey, checks);
    return undefined;
  }
  const bytes = await delegation;
  if (bytes === undefined) {
    throw errors.invalid(`is not signed by the root key ${rootKey.thumbprint}, and there is no delegation`);
  }
  const delegated = await verifyDelegation(bytes, rootKey, times);
  const key = delegated.keys.find(({ thumbprint }) => thumbprint === kid);
  if (key === undefined) throw errors.invalid('is signed by a key that the delegation does not name');
  await verifyStatement(statement, key, checks);
  if (issuedAt < delegated.issuedAt || issuedAt > delegated.expiresAt) {
    throw errors.invalid('has an iat that is not within the iat and exp of its delegation');
  }
  return delegated;
}

/** Verifies a delegation. */
export async function verifyDelegation(
  bytes: Uint8Array | string,
  rootKey: RootKey,
  times: StatementTimes,
): Promise<Delegation> {
  const statement = readStatement(bytes, 'registry-delegation+jwt', invalid);
  const withHint: Invalid = (message, cause) =>
    invalid(`${message}${wrongRootHint(statement, rootKey)}`, cause);
  await verifyStatement(statement, rootKey, { ...times, invalid: withHint, expired });
  return delegationOf(statement);
}

/** Reads what a delegation says (rule delegation-form). The caller verifies its signature. @throws `ERR_DELEGATION_INVALID` */
export async function delegationOf({
  claims: { keys, hold },
  issuedAt,
  notBefore,
  expiresAt,
  text,
}: Statement<'registry-delegation+jwt'>): Promise<Delegation> {
  if (hold !== undefined && hold !== true) throw invalid('has another hold than true');
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_DELEGATED_KEYS) {
    throw invalid(`does not name 1 to ${MAX_DELEGATED_KEYS} keys`);
  }
  try {
    const imported = await Promise.all(keys.map(importRootKey));
    return { keys: imported, mayHold: hold === true, issuedAt, notBefore, expiresAt, text };
  } catch (cause) {
    throw invalid(`names an invalid key: ${(cause as Error).message}`, cause);
  }
}

/** A delegation that names another root key as its signer is most likely from a registry whose root key is not pinned. */
function wrongRootHint({ kid }: Statement, { thumbprint }: RootKey): string {
  if (!isValidBytes32(kid) || kid === thumbprint) return '';
  return (
    `; it names the root key ${kid} as its signer, not ${thumbprint}, and no rotation leads there: ` +
    'you may have pinned the root key of another registry'
  );
}
