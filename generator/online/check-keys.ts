import { isPrivateJwk } from '@passport-registry/verifier/core';
import { keysOfSet, signingKeyOf } from '@passport-registry/verifier/http';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { type Finding, shown } from '../diagnostics/diagnostic.js';

const MIN_RSA_BITS = 2048;

/** Checks that verifiers can use a JWK set (RFC 7517). */
export async function checkKeys(jwks: unknown): Promise<Finding[]> {
  const all: readonly JWK[] | undefined = keysOfSet(jwks);
  if (all === undefined)
    return [{ rule: 'jwks-malformed', message: 'the document at jwks_uri is not a JWK set' }];
  const found: Finding[] = [];
  let usable = 0;
  for (const [index, key] of all.entries()) {
    const name = typeof key.kid === 'string' ? `the key ${shown(key.kid)}` : `key ${index + 1}`;
    const problem = problemOf(key);
    if (problem === undefined) usable += 1;
    else found.push({ rule: problem.rule, message: `${name} at jwks_uri ${problem.message}` });
  }
  if (usable === 0)
    found.push({ rule: 'jwks-no-usable-key', message: 'no key at jwks_uri can verify a passport' });
  return [...found, ...(await findDuplicates(all))];
}

/** Returns why verifiers cannot use a key (rule issuer-keys), or should not, as a predicate. Undefined if they can. */
function problemOf(key: JWK): Pick<Finding, 'rule' | 'message'> | undefined {
  if (isPrivateJwk(key)) return { rule: 'jwks-private-key', message: 'contains private key material' };
  const { kty, n, kid } = key;
  const bits = kty === 'RSA' && typeof n === 'string' ? Buffer.from(n, 'base64url').length * 8 : undefined;
  if (bits !== undefined && bits < MIN_RSA_BITS)
    return { rule: 'jwks-weak-key', message: `has ${bits} bits` };
  // A token names its key by the kid.
  if (typeof kid !== 'string' || kid === '') return { rule: 'jwks-unusable-key', message: 'has no kid' };
  try {
    signingKeyOf({ ...key }, (message) => new Error(message));
    return undefined;
  } catch (error) {
    return { rule: 'jwks-unusable-key', message: (error as Error).message };
  }
}

async function findDuplicates(keys: readonly JWK[]): Promise<Finding[]> {
  const kids = keys.map(({ kid }) => (typeof kid === 'string' ? kid : undefined));
  const thumbprints = keys.map((key) => calculateJwkThumbprint(key).catch(() => undefined));
  return [
    ...repeated(kids).map(
      (kid): Finding => ({
        rule: 'jwks-duplicate-kid',
        message: `more than one key at jwks_uri has the kid ${shown(kid)}`,
      }),
    ),
    ...repeated(await Promise.all(thumbprints)).map(
      (thumbprint): Finding => ({
        rule: 'jwks-duplicate-key',
        message: `the key with the thumbprint ${thumbprint} appears more than once at jwks_uri`,
      }),
    ),
  ];
}

/** Returns each value that occurs more than once. */
function repeated(values: readonly (string | undefined)[]): string[] {
  const again = values.filter((value, at) => values.indexOf(value) !== at);
  return [...new Set(again)].filter((value) => value !== undefined);
}
