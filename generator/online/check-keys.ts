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
    const problem = isPrivateJwk(key)
      ? explainPrivateKey(name)
      : (explainWeakKey(key, name) ?? explainUnusableKey(key, name));
    if (problem === undefined) usable += 1;
    else found.push(problem);
  }
  if (usable === 0)
    found.push({ rule: 'jwks-no-usable-key', message: 'no key at jwks_uri can verify a passport' });
  return [...found, ...(await findDuplicates(all))];
}

function explainPrivateKey(name: string): Finding {
  return { rule: 'jwks-private-key', message: `${name} at jwks_uri contains private key material` };
}

function explainWeakKey({ kty, n }: JWK, name: string): Finding | undefined {
  if (kty !== 'RSA' || typeof n !== 'string') return undefined;
  const bits = Buffer.from(n, 'base64url').length * 8;
  if (bits >= MIN_RSA_BITS) return undefined;
  return { rule: 'jwks-weak-key', message: `${name} at jwks_uri has ${bits} bits` };
}

/** Explains why verifiers cannot use a key (rule issuer-keys). Undefined if they can. */
function explainUnusableKey(key: JWK, name: string): Finding | undefined {
  const unusable = (why: string): Finding => ({
    rule: 'jwks-unusable-key',
    message: `${name} at jwks_uri ${why}`,
  });
  // A token names its key by the kid.
  if (typeof key.kid !== 'string' || key.kid === '') return unusable('has no kid');
  try {
    signingKeyOf({ ...key }, (message) => new Error(message));
    return undefined;
  } catch (error) {
    return unusable((error as Error).message);
  }
}

async function findDuplicates(keys: readonly JWK[]): Promise<Finding[]> {
  const kids = keys.flatMap(({ kid }) => (typeof kid === 'string' ? [kid] : []));
  const twice = new Set(kids.filter((kid, index) => kids.indexOf(kid) !== index));
  const found = [...twice].map(
    (kid): Finding => ({
      rule: 'jwks-duplicate-kid',
      message: `more than one key at jwks_uri has the kid ${shown(kid)}`,
    }),
  );
  const thumbprints = await Promise.all(
    keys.map((key) => calculateJwkThumbprint(key).catch(() => undefined)),
  );
  const same = thumbprints.filter((one, index) => one !== undefined && thumbprints.indexOf(one) !== index);
  return [
    ...found,
    ...[...new Set(same)].map(
      (thumbprint): Finding => ({
        rule: 'jwks-duplicate-key',
        message: `the key with the thumbprint ${thumbprint} appears more than once at jwks_uri`,
      }),
    ),
  ];
}
