import type { RootKey } from '@passport-registry/verifier';
import { GRAMMAR, readStatement, type Statement } from '@passport-registry/verifier/core';
import { RequestRejected } from '../../generator/errors.js';

/** The payloads that this program makes from their claims alone: their names in messages, and the `typ` of the JWT. */
const INPUTS = {
  delegation: { name: 'the delegation', typ: 'registry-delegation+jwt' },
  rotation: { name: 'the rotation step', typ: 'registry-root-rotation+jwt' },
} as const;

type ClaimsType = keyof typeof INPUTS;

/** Creates the error for a payload. The message is a predicate. */
export function refusedInput(type: ClaimsType, message: string, cause?: unknown): RequestRejected {
  return new RequestRejected('ERR_REQUEST_PAYLOAD', `${INPUTS[type].name} ${message}`, { cause });
}

/**
 * Reads a payload that is not signed yet: header and claims of a JWT. A claim that would not be shown must not be
 * signed, so unknown claims are refused.
 *
 * @param rootKey - the root key that is to sign
 * @param known - the claims that this version shows
 * @throws {@link RequestRejected}
 */
export function readInput(
  input: string,
  { type, rootKey }: { readonly type: ClaimsType; readonly rootKey: RootKey },
  known: readonly string[],
): Statement {
  // A JWS needs a signature, which need not be valid to be read.
  const statement = readStatement(`${input}.AA`, INPUTS[type].typ, (message, cause) =>
    refusedInput(type, message, cause),
  );
  if (statement.kid !== rootKey.thumbprint) {
    throw refusedInput(
      type,
      `is for the root key ${statement.kid}, but the root key is ${rootKey.thumbprint}: make the request with --root-key`,
    );
  }
  const unknown = Object.keys(statement.claims).find((name) => !known.includes(name));
  if (unknown === undefined) return statement;
  throw refusedInput(type, `has the claim ${unknown}, which this version does not know: nothing was signed`);
}

/**
 * Asserts that a payload is, byte by byte, the one that this program makes of its claims, so that what is shown is all
 * that is signed.
 *
 * @throws {@link RequestRejected}
 */
export function assertCanonicalInput(type: ClaimsType, input: string, canonical: string): void {
  if (input !== canonical) throw refusedInput(type, 'is not in the canonical form that this program writes');
}

/** Whether a claim is an RFC 7638 thumbprint. */
export function isThumbprint(value: unknown): value is string {
  return typeof value === 'string' && GRAMMAR.bytes32.pattern.test(value);
}
