import { RegistryError, type RootKey } from '@passport-registry/verifier';
import { ANY_TIME, type Delegation, delegationOf, verifyDelegation } from '@passport-registry/verifier/core';
import { KeyRejected } from '../../generator/errors.js';
import { formatDuration } from '../../generator/freshness/expiry.js';
import { type DelegationClaims, signingInput } from '../../generator/freshness/statements.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { assertCanonicalInput, isThumbprint, readInput, refusedInput } from './read-input.js';

/** A delegation to be signed. */
export interface RequestedDelegation extends Pick<Delegation, 'keys' | 'mayHold' | 'issuedAt' | 'expiresAt'> {
  /** The bytes to sign, as text. */
  readonly input: string;
  /** The thumbprint of the next root key, if the delegation announces one. */
  readonly nextRoot: string | undefined;
  /** The delegation that this one replaces, verified; undefined if there is none. */
  readonly previous: PreviousDelegation | undefined;
}

/** The published delegation. */
interface PreviousDelegation extends Delegation {
  /** The root key that signed it. */
  readonly rootKey: RootKey;
}

/**
 * Reads a delegation that is not signed yet, and asserts that it is the one that this program makes of its claims.
 *
 * @param rootKey - the root key that is to sign
 * @param previous - the delegation that is replaced
 * @throws {@link TreeRejected}
 */
export async function readDelegationInput(
  input: string,
  rootKey: RootKey,
  previous?: PreviousDelegation,
): Promise<RequestedDelegation> {
  const known = ['iat', 'exp', 'keys', 'hold', 'next_root_thumbprint'] as const;
  const statement = readInput(input, { type: 'delegation', rootKey }, known);
  const delegation = await delegationOf(statement).catch((cause: unknown) => {
    if (!(cause instanceof RegistryError)) throw cause;
    throw refusedInput('delegation', `is not valid: ${cause.message}`, cause);
  });
  const { claims } = statement;
  const nextRoot = claims['next_root_thumbprint'];
  if (nextRoot !== undefined && !isThumbprint(nextRoot)) {
    throw refusedInput('delegation', 'has a next_root_thumbprint that is not a thumbprint');
  }
  const { issuedAt, expiresAt, keys, mayHold } = delegation;
  if (expiresAt <= issuedAt) throw refusedInput('delegation', 'expires before it begins');
  if (previous !== undefined && issuedAt < previous.issuedAt) {
    throw refusedInput(
      'delegation',
      `was made at ${formatUpdatedAt(issuedAt)}, before the published one of ${formatUpdatedAt(previous.issuedAt)}`,
    );
  }
  const canonical = { ...(claims as unknown as DelegationClaims), keys: keys.map(({ jwk }) => jwk) };
  assertCanonicalInput('delegation', input, signingInput(rootKey, 'registry-delegation+jwt', canonical));
  return { input, keys, issuedAt, expiresAt, mayHold, nextRoot, previous };
}

/**
 * Verifies the published delegation that a request replaces.
 *
 * @param rootKey - the root key that signed it
 * @throws {@link KeyRejected}
 */
export async function readPreviousDelegation(
  bytes: Uint8Array,
  rootKey: RootKey,
  where: string,
): Promise<PreviousDelegation> {
  try {
    return { ...(await verifyDelegation(bytes, rootKey, ANY_TIME)), rootKey };
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new KeyRejected(
      `the delegation in ${where}, which would be replaced, is not signed by ${rootKey.thumbprint}: after a rotation, name the ` +
        `previous key with --previous-root-key (${cause.message})`,
      { cause },
    );
  }
}

/** Describes a delegation in words. */
export function describeDelegation(delegation: RequestedDelegation): readonly string[] {
  const { keys, issuedAt, expiresAt, mayHold, nextRoot, previous } = delegation;
  const count = `${keys.length} online key${keys.length === 1 ? '' : 's'}`;
  const isIn = (list: readonly RootKey[] | undefined, { thumbprint }: RootKey) =>
    list?.some((key) => key.thumbprint === thumbprint) === true;
  const gone = (previous?.keys ?? []).filter((key) => !isIn(keys, key));
  return [
    previous === undefined
      ? `FIRST DELEGATION, to ${count}: there is no published delegation`
      : `delegation to ${count}, after the delegation of ${formatUpdatedAt(previous.issuedAt)} by root key ${previous.rootKey.thumbprint}`,
    `  valid     from ${formatUpdatedAt(issuedAt)} until ${formatUpdatedAt(expiresAt)}, ${formatDuration(expiresAt - issuedAt)}`,
    ...keys.map((key) => `  key       ${key.thumbprint}${isIn(previous?.keys, key) ? '' : ', A NEW KEY'}`),
    ...gone.map(({ thumbprint }) => `  key       ${thumbprint}, NO LONGER DELEGATED`),
    ...describeHold(mayHold, previous?.mayHold === true),
    ...(nextRoot === undefined ? [] : [`  next root ${nextRoot}, which is announced as the next root key`]),
  ];
}

/** Describes a permission to hold issuers, and one that is new or gone. */
function describeHold(mayHold: boolean, before: boolean): readonly string[] {
  if (mayHold) {
    const isNew = before ? '' : ', A NEW PERMISSION';
    return [`  hold      checkpoints by these keys may hold issuers, so that verifiers refuse them${isNew}`];
  }
  return before ? ['  hold      NO LONGER PERMITTED: checkpoints by these keys hold no issuers'] : [];
}
