import { calculateJwkThumbprint } from 'jose';
import { RootKeyInvalid } from './errors.js';
import { GRAMMAR, type RootJwk } from './generated/schemas.js';

/** A root key that has been checked and is ready to verify with. */
export interface RootKey {
  /** The public key with exactly the members that the registry publishes; `kid` is the thumbprint. */
  readonly jwk: RootJwk & { readonly kid: string };
  /** RFC 7638 thumbprint: SHA-256, base64url. */
  readonly thumbprint: string;
  /** How this key signs, and the only way (SPEC B2). */
  readonly algorithm: 'Ed25519' | 'ES256';
  /** The key for WebCrypto. */
  readonly cryptoKey: CryptoKey;
}

const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const IMPORT_PARAMETERS = {
  Ed25519: { name: 'Ed25519' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
};

/**
 * Checks and imports the root key of a registry: a public JWK, OKP/Ed25519 (RFC 8037) or EC/P-256 (RFC 7518).
 * Other keys are refused, and so is a JWK with a private member (SPEC B2): whoever pins that has the wrong file.
 * Members that do not matter here, such as `use` or `alg`, are ignored, as RFC 7517 asks.
 *
 * @throws {@link RootKeyInvalid}
 *
 * @example
 * ```ts
 * import { importRootKey } from '@passport-registry/verifier';
 *
 * const rootKey = await importRootKey({
 *   kty: 'OKP',
 *   crv: 'Ed25519',
 *   x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
 * });
 * console.log(rootKey.algorithm, rootKey.thumbprint); // Ed25519 kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k
 * ```
 */
export async function importRootKey(jwk: unknown): Promise<RootKey> {
  const { algorithm, ...publicMembers } = publicKeyMembers(jwk);
  const cryptoKey = await importPoint(publicMembers, algorithm);
  const thumbprint = await calculateJwkThumbprint(publicMembers);
  const named = (jwk as { kid?: unknown }).kid;
  if (named !== undefined && named !== null && named !== thumbprint) {
    throw new RootKeyInvalid(`kid is not the key's RFC 7638 thumbprint, ${thumbprint}`);
  }
  return { jwk: { ...publicMembers, kid: thumbprint }, thumbprint, algorithm, cryptoKey };
}

/**
 * Imports one pinned root key, or several during a rotation.
 *
 * @throws {@link RootKeyInvalid}, also when there is none
 */
export async function importRootKeys(jwks: RootJwk | readonly RootJwk[]): Promise<readonly RootKey[]> {
  const list: readonly unknown[] = Array.isArray(jwks) ? jwks : [jwks];
  if (list.length === 0) throw new RootKeyInvalid('no root key is pinned');
  return Promise.all(list.map(importRootKey));
}

type PublicMembers = { kty: 'OKP' | 'EC'; crv: 'Ed25519' | 'P-256'; x: string; y?: string };

function publicKeyMembers(jwk: unknown): PublicMembers & { algorithm: RootKey['algorithm'] } {
  if (typeof jwk !== 'object' || jwk === null || Array.isArray(jwk)) {
    throw new RootKeyInvalid('the root key is no JSON object');
  }
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(jwk, member))) {
    throw new RootKeyInvalid('the root key carries a private member: this is not the public key');
  }
  const { kty, crv, x, y } = jwk as Record<string, unknown>;
  if (!isCoordinate(x)) throw new RootKeyInvalid('x is not 32 bytes in base64url without padding');
  if (kty === 'OKP' && crv === 'Ed25519') {
    if (y !== undefined && y !== null) throw new RootKeyInvalid('an Ed25519 key has no y');
    return { kty, crv, x, algorithm: 'Ed25519' };
  }
  if (kty === 'EC' && crv === 'P-256') {
    if (!isCoordinate(y)) throw new RootKeyInvalid('y is not 32 bytes in base64url without padding');
    return { kty, crv, x, y, algorithm: 'ES256' };
  }
  throw new RootKeyInvalid('the root key is neither OKP/Ed25519 nor EC/P-256');
}

function isCoordinate(value: unknown): value is string {
  return typeof value === 'string' && GRAMMAR.bytes32.pattern.test(value);
}

async function importPoint(jwk: PublicMembers, algorithm: RootKey['algorithm']): Promise<CryptoKey> {
  try {
    return await crypto.subtle.importKey('jwk', jwk, IMPORT_PARAMETERS[algorithm], true, ['verify']);
  } catch (cause) {
    throw new RootKeyInvalid(`x and y are no point on ${jwk.crv}`, { cause });
  }
}
