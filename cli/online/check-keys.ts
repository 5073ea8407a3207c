import { findKeyFault, readKeySet } from '@passport-registry/passports/documents';
import { isPrivateJwk } from '@passport-registry/verifier/core';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { type Finding, shown } from '../../generator/diagnostics/diagnostic.js';

const MIN_RSA_BITS = 2048;

/** Checks that verifiers can use a JWK set (RFC 7517). */
export async function checkKeys(jwks: unknown): Promise<Finding[]> {
  const set = readKeySet(jwks);
  if ('fault' in set && set.fault.about !== 'private-key')
    return [{ rule: 'jwks-malformed', message: `the document at jwks_uri ${set.fault.message}` }];
  const all = (jwks as { readonly keys: readonly (JWK | null)[] }).keys;
  const found: Finding[] = [];
  let usable = 0;
  for (const [index, key] of all.entries()) {
    const name = typeof key?.kid === 'string' ? `the key ${shown(key.kid)}` : `keys[${index}]`;
    const problem = problemOf(key);
    if (problem === undefined) usable += 1;
    else found.push({ rule: problem.rule, message: `${name} at jwks_uri ${problem.message}` });
  }
  if (usable === 0)
    found.push({ rule: 'jwks-no-usable-key', message: 'no key at jwks_uri can verify a passport' });
  return [...found, ...(await findDuplicates(all))];
}

/** Returns why verifiers cannot use a key (rule issuer-keys), or should not, as a predicate. Undefined if they can. */
function problemOf(key: JWK | null): Pick<Finding, 'rule' | 'message'> | undefined {
  const fault = findKeyFault(key);
  if (key === null || typeof key !== 'object')
    return fault === undefined ? undefined : { rule: 'jwks-unusable-key', message: fault };
  if (isPrivateJwk(key)) return { rule: 'jwks-private-key', message: 'contains private key material' };
  const { kty, n } = key;
  const bits = kty === 'RSA' && typeof n === 'string' ? Buffer.from(n, 'base64url').length * 8 : undefined;
  if (bits !== undefined && bits < MIN_RSA_BITS)
    return { rule: 'jwks-weak-key', message: `has ${bits} bits` };
  return fault === undefined ? undefined : { rule: 'jwks-unusable-key', message: fault };
}

async function findDuplicates(keys: readonly (JWK | null)[]): Promise<Finding[]> {
  const kids = keys.map((key) => (typeof key?.kid === 'string' ? key.kid : undefined));
  const thumbprints = keys.map(async (key) => key && calculateJwkThumbprint(key).catch(() => undefined));
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
function repeated(values: readonly (string | null | undefined)[]): string[] {
  const again = values.filter((value, at) => values.indexOf(value) !== at);
  return [...new Set(again)].filter((value) => typeof value === 'string');
}
