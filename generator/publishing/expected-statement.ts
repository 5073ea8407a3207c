import type { RootKey } from '@passport-registry/verifier';
import type { PublicationStatement } from '@passport-registry/verifier/core';
import { RequestRejected } from '../errors.js';
import {
  type PublicationClaims,
  parsePublicationStatement,
  readPublicationStatement,
  signingInput,
} from '../freshness/statements.js';
import { nextClaims, type Predecessor, type SummedList } from './sign-statement.js';

/**
 * Asserts that a publication statement that somebody else has made is, byte by byte, the one that this program would
 * make for the list: the next sequence, the hash of the statement before, and everything about the list. The maker
 * chooses only the time, whether checkpoints begin, and the log.
 *
 * @param input - the bytes to sign, as text: header and claims in base64url
 * @param context - the root key that signs, and the publication that the statement follows: undefined for a first one
 * @throws {@link RequestRejected} | {@link UsageError}
 */
export function assertExpectedStatement(
  input: string,
  list: SummedList,
  { rootKey, predecessor }: { readonly rootKey: RootKey; readonly predecessor: Predecessor | undefined },
): PublicationStatement {
  const said = readStatementInput(input);
  const { checkpoint, log, issuedAt } = said;
  const expected = nextClaims({ ...list, checkpoint, log, signedAt: issuedAt }, rootKey, predecessor);
  if (expected === undefined) {
    throw new RequestRejected(
      'ERR_REQUEST_PAYLOAD',
      `the publication statement repeats publication ${predecessor?.statement?.sequence}, so there is nothing to sign`,
    );
  }
  if (input !== signingInput(rootKey, 'registry-publication+jwt', expected)) {
    throw new RequestRejected(
      'ERR_REQUEST_PAYLOAD',
      `the publication statement ${differenceFrom(expected, input, rootKey)}`,
    );
  }
  return said;
}

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
  const name = [...Object.keys(wanted), ...Object.keys(claims)].find((key) => claims[key] !== wanted[key]);
  if (name === undefined) return 'is not in the canonical form that a build writes';
  const shown = (value: unknown) => (value === undefined ? 'no value' : JSON.stringify(value));
  return `has ${shown(claims[name])} as its ${name}, but after the previous publication, this list needs ${shown(wanted[name])}`;
}
