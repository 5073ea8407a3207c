import { isPrivateJwk, publicMembers } from '@passport-registry/verifier/core';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { type Finding, shown } from '../diagnostics/diagnostic.js';

const MAX_KEYS = 100;
const MIN_RSA_BITS = 2048;

/** Checks that verifiers can use a JWK set (RFC 7517). */
export async function checkKeys(jwks: unknown): Promise<Finding[]> {
  const keys = (jwks as { keys?: unknown } | null)?.keys;
  const isKey = (key: unknown) => typeof key === 'object' && key !== null && !Array.isArray(key);
  if (!Array.isArray(keys) || keys.length > MAX_KEYS || !keys.every(isKey)) {
    return [{ rule: 'jwks-malformed', message: 'the document at jwks_uri is not a JWK set' }];
  }
  const all: readonly JWK[] = keys;
  const found: Finding[] = [];
  let usable = 0;
  for (const [index, key] of all.entries()) {
    const name = typeof key.kid === 'string' ? `the key ${shown(key.kid)}` : `key ${index + 1}`;
    const problem = isPrivate(key)
      ? explainPrivateKey(name)
      : (explainWeakKey(key, name) ?? explainUnusableKey(key, name));
    if (problem === undefined) usable += 1;
    else found.push(problem);
  }
  if (usable === 0)
    found.push({ rule: 'jwks-no-usable-key', message: 'no key at jwks_uri can verify a passport' });
  return [...found, ...(await findDuplicates(all))];
}

const isPrivate = (key: JWK) => key.kty === 'oct' || isPrivateJwk(key);

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
  const isEd25519 = key.kty === 'OKP' && key.crv === 'Ed25519';
  const isP256 = key.kty === 'EC' && key.crv === 'P-256';
  if (!isEd25519 && !isP256) return unusable('is neither Ed25519 nor P-256');
  if (typeof key.kid !== 'string' || key.kid === '') return unusable('has no kid');
  if (key.use !== undefined && key.use !== 'sig') return unusable('is not for signatures (use)');
  if (key.key_ops !== undefined && !(Array.isArray(key.key_ops) && key.key_ops.includes('verify'))) {
    return unusable('is not for verifying (key_ops)');
  }
  const names = isEd25519 ? ['EdDSA', 'Ed25519'] : ['ES256'];
  if (key.alg !== undefined && !names.includes(key.alg)) return unusable(`is marked ${shown(key.alg)} (alg)`);
  try {
    // The verifier uses the same function for every key.
    publicMembers(key, (message) => new Error(message));
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
