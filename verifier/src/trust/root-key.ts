import type { CryptoKey } from 'jose';
import { RootKeyInvalid } from '../errors.js';
import type { RootJwk } from '../generated/schemas.js';
import { importPublicKey, type KeyAlgorithm, publicMembers } from './public-key.js';
import { thumbprintOf } from './thumbprint.js';

/** A checked and imported root key. */
export interface RootKey {
  /** The public key with exactly the members that the registry publishes. `kid` is the thumbprint. */
  readonly jwk: RootJwk & { readonly kid: string };
  /** The RFC 7638 thumbprint: SHA-256 in base64url. */
  readonly thumbprint: string;
  /** The algorithm of this key. A key has exactly one (SPEC B2). */
  readonly algorithm: KeyAlgorithm;
  /** The key for WebCrypto. */
  readonly cryptoKey: CryptoKey;
}

/**
 * Checks and imports the root key of a registry: a public JWK, OKP/Ed25519 (RFC 8037) or EC/P-256 (RFC 7518).
 * The function refuses other keys, and JWKs with a private member (SPEC B2): a private key is the wrong file to pin.
 * Other members, such as `use` or `alg`, are ignored, as RFC 7517 requires.
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
  const key = await importPublicKey(jwk, invalid);
  const thumbprint = await thumbprintOf(key.jwk);
  const named = (jwk as { kid?: unknown }).kid;
  if (named !== undefined && named !== null && named !== thumbprint) {
    throw new RootKeyInvalid(`kid is not the key's RFC 7638 thumbprint, ${thumbprint}`);
  }
  return { ...key, jwk: { ...key.jwk, kid: thumbprint }, thumbprint };
}

const invalid = (message: string, cause?: unknown) =>
  new RootKeyInvalid(`the root key ${message}`, { cause });

/**
 * Checks the pinned root keys without WebCrypto. {@link importRootKeys} makes the remaining checks.
 *
 * @throws {@link RootKeyInvalid}, also for an empty array
 */
export function assertRootKeys(jwks: RootJwk | readonly RootJwk[]): void {
  const list = listOf(jwks);
  if (list.length === 0) throw new RootKeyInvalid('no root key is pinned');
  for (const jwk of list) publicMembers(jwk, invalid);
}

/**
 * Imports one pinned root key, or several during a rotation.
 *
 * @throws {@link RootKeyInvalid}, also for an empty array
 */
export async function importRootKeys(jwks: RootJwk | readonly RootJwk[]): Promise<readonly RootKey[]> {
  assertRootKeys(jwks);
  return Promise.all(listOf(jwks).map(importRootKey));
}

function listOf(jwks: RootJwk | readonly RootJwk[]): readonly unknown[] {
  return Array.isArray(jwks) ? jwks : [jwks];
}
