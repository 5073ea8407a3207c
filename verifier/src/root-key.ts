import { calculateJwkThumbprint } from 'jose';
import { RootKeyInvalid } from './errors.js';
import type { RootJwk } from './generated/schemas.js';
import { importPublicKey, type KeyAlgorithm } from './public-key.js';

/** A root key that has been checked and is ready to verify with. */
export interface RootKey {
  /** The public key with exactly the members that the registry publishes; `kid` is the thumbprint. */
  readonly jwk: RootJwk & { readonly kid: string };
  /** RFC 7638 thumbprint: SHA-256, base64url. */
  readonly thumbprint: string;
  /** How this key signs, and the only way (SPEC B2). */
  readonly algorithm: KeyAlgorithm;
  /** The key for WebCrypto. */
  readonly cryptoKey: CryptoKey;
}

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
  const key = await importPublicKey(
    jwk,
    (message, cause) => new RootKeyInvalid(`the root key ${message}`, { cause }),
  );
  const thumbprint = await calculateJwkThumbprint(key.jwk);
  const named = (jwk as { kid?: unknown }).kid;
  if (named !== undefined && named !== null && named !== thumbprint) {
    throw new RootKeyInvalid(`kid is not the key's RFC 7638 thumbprint, ${thumbprint}`);
  }
  return { ...key, jwk: { ...key.jwk, kid: thumbprint }, thumbprint };
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
