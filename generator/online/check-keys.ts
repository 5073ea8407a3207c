import { isPrivateJwk, publicMembers } from '@passport-registry/verifier/internal';
import { calculateJwkThumbprint, type JWK } from 'jose';
import { type Finding, shown } from '../diagnostics/diagnostic.js';

const MAX_KEYS = 100;
const MIN_RSA_BITS = 2048;

/** Holds a JWK set (RFC 7517) against what verifiers need of it. */
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
    const problem = isPrivate(key) ? privateKey(name) : (weakKey(key, name) ?? unusableKey(key, name));
    if (problem === undefined) usable += 1;
    else found.push(problem);
  }
  if (usable === 0)
    found.push({ rule: 'jwks-no-usable-key', message: 'no key at jwks_uri can verify a passport' });
  return [...found, ...(await duplicates(all))];
}

const isPrivate = (key: JWK) => key.kty === 'oct' || isPrivateJwk(key);

function privateKey(name: string): Finding {
  return { rule: 'jwks-private-key', message: `${name} at jwks_uri is published with its private half` };
}

function weakKey({ kty, n }: JWK, name: string): Finding | undefined {
  if (kty !== 'RSA' || typeof n !== 'string') return undefined;
  const bits = Buffer.from(n, 'base64url').length * 8;
  if (bits >= MIN_RSA_BITS) return undefined;
  return { rule: 'jwks-weak-key', message: `${name} at jwks_uri has ${bits} bits` };
}

/** Why verifiers cannot use a key (SPEC B10, B11). */
function unusableKey(key: JWK, name: string): Finding | undefined {
  const say = (why: string): Finding => ({
    rule: 'jwks-unusable-key',
    message: `${name} at jwks_uri ${why}`,
  });
  const isEd25519 = key.kty === 'OKP' && key.crv === 'Ed25519';
  const isP256 = key.kty === 'EC' && key.crv === 'P-256';
  if (!isEd25519 && !isP256) return say('is neither Ed25519 nor P-256');
  if (typeof key.kid !== 'string' || key.kid === '') return say('has no kid');
  if (key.use !== undefined && key.use !== 'sig') return say('is not for signatures (use)');
  if (key.key_ops !== undefined && !(Array.isArray(key.key_ops) && key.key_ops.includes('verify'))) {
    return say('is not for verifying (key_ops)');
  }
  const names = isEd25519 ? ['EdDSA', 'Ed25519'] : ['ES256'];
  if (key.alg !== undefined && !names.includes(key.alg)) return say(`is marked ${shown(key.alg)} (alg)`);
  try {
    // The door through which every verifier's keys come in.
    publicMembers(key, (message) => new Error(message));
    return undefined;
  } catch (error) {
    return say((error as Error).message);
  }
}

async function duplicates(keys: readonly JWK[]): Promise<Finding[]> {
  const kids = keys.flatMap(({ kid }) => (typeof kid === 'string' ? [kid] : []));
  const twice = new Set(kids.filter((kid, index) => kids.indexOf(kid) !== index));
  const found = [...twice].map(
    (kid): Finding => ({
      rule: 'jwks-duplicate-kid',
      message: `two keys at jwks_uri are named ${shown(kid)}`,
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
        message: `the key with the thumbprint ${thumbprint} appears at jwks_uri more than once`,
      }),
    ),
  ];
}
