import { importRootKey, RegistryError, type RootKey } from '@passport-registry/verifier';
import { isAnchorMember, readStatement, type Statement } from '@passport-registry/verifier/core';
import { RequestRejected } from '../../generator/errors.js';
import { type RotationClaims, signingInput } from '../../generator/freshness/statements.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';

/** A rotation step to be signed. */
export interface RequestedRotation {
  /** The bytes to sign, as text. */
  readonly input: string;
  /** The next root key. */
  readonly next: RootKey;
  /** The thumbprints of the keys of which the following step must lead to one; empty if the step names none. */
  readonly nextRoots: readonly string[];
  /** The position of the step, counted from 1, if the step says it. */
  readonly step: number | undefined;
  /** In milliseconds since 1970. */
  readonly issuedAt: number;
}

/**
 * Reads a rotation step that is not signed yet, and asserts that it is the one that this program makes of its claims.
 *
 * @param rootKey - the outgoing root key, which is to sign
 * @throws {@link TreeRejected}
 */
export async function readRotationInput(input: string, rootKey: RootKey): Promise<RequestedRotation> {
  const { claims, issuedAt } = readInput(input, rootKey);
  const next = await importRootKey(claims['next_root']).catch((cause: unknown) => {
    if (!(cause instanceof RegistryError)) throw cause;
    throw refused(`does not name a root key: ${cause.message}`, cause);
  });
  if (next.thumbprint === rootKey.thumbprint) {
    throw refused(`leads from ${rootKey.thumbprint} to the same key`);
  }
  const canonical: RotationClaims = { ...(claims as unknown as RotationClaims), next_root: next.jwk };
  const { next_roots: nextRoots, step } = canonical;
  if (nextRoots !== undefined && !isAnchorMember('next_roots', nextRoots)) {
    throw refused('has next_roots that are not 1 to 3 different thumbprints');
  }
  const used = [rootKey, next].find(({ thumbprint }) => nextRoots?.includes(thumbprint));
  if (used !== undefined) {
    throw refused(`has next_roots with ${used.thumbprint}, to which no later step may lead`);
  }
  if (step !== undefined && !(Number.isSafeInteger(step) && step > 0)) {
    throw refused('has a step that is not a number from 1');
  }
  // What is shown must be all that is signed.
  if (input !== signingInput(rootKey, 'registry-root-rotation+jwt', canonical)) {
    throw refused('is not in the canonical form that this program writes');
  }
  return { input, next, nextRoots: nextRoots ?? [], step, issuedAt };
}

/** Makes the error for a step. The message is a predicate. */
function refused(message: string, cause?: unknown): RequestRejected {
  return new RequestRejected('ERR_REQUEST_PAYLOAD', `the rotation step ${message}`, { cause });
}

/** The claims of a step that this version shows. A claim that would not be shown must not be signed. */
const KNOWN_CLAIMS = ['iat', 'next_root', 'next_roots', 'step'];

/** Reads a step that is not signed yet: header and claims of a JWT. */
function readInput(input: string, rootKey: RootKey): Statement<'registry-root-rotation+jwt'> {
  // A JWS needs a signature, which need not be valid to be read.
  const statement = readStatement(`${input}.AA`, 'registry-root-rotation+jwt', refused);
  if (statement.kid !== rootKey.thumbprint) {
    throw refused(`is for the root key ${statement.kid}, but the outgoing root key is ${rootKey.thumbprint}`);
  }
  const unknown = Object.keys(statement.claims).find((name) => !KNOWN_CLAIMS.includes(name));
  if (unknown === undefined) return statement;
  throw refused(`has the claim ${unknown}, which this version does not know`);
}

/** Describes a rotation step in words. */
export function describeRotation(
  { next, nextRoots, step, issuedAt }: RequestedRotation,
  { thumbprint }: RootKey,
): readonly string[] {
  return [
    `ROTATION FROM ROOT KEY ${thumbprint} TO ROOT KEY ${next.thumbprint}`,
    '  after the first list by the next key, verifiers refuse everything that the outgoing key signs',
    `  signed    ${formatUpdatedAt(issuedAt)}${step === undefined ? '' : `, as step ${step}`}`,
    ...nextRoots.map(
      (root) =>
        `  next_root ${root}: the step after this one must lead to ${nextRoots.length === 1 ? 'this key' : 'one of these keys'}`,
    ),
  ];
}
