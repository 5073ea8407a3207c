import type { Invalid } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import type { RootJwk } from '../generated/schemas.js';
import {
  type CryptoKey,
  importChecked,
  type KeyAlgorithm,
  type PublicJwk,
  publicMembers,
  thumbprintOf,
} from './public-key.js';

/** A checked and imported root key. */
export interface RootKey {
  /** The public key with exactly the members that the registry publishes. `kid` is the thumbprint. */
  readonly jwk: RootJwk & { readonly kid: string };
  /** The RFC 7638 thumbprint: SHA-256 in base64url. */
  readonly thumbprint: string;
  /** The algorithm of this key. A key has exactly one (docs/protocol.md#signature-algorithm). */
  readonly algorithm: KeyAlgorithm;
  /** The key for WebCrypto. */
  readonly cryptoKey: CryptoKey;
  /**
   * The thumbprints of the only keys to which this key may rotate (docs/protocol/rotation.md#rotation-commitment).
   * Undefined if the key is not committed. A JWK cannot say this: it comes from a trust anchor, or from the rotation
   * step that leads to this key.
   */
  readonly nextRoots?: readonly string[] | undefined;
}

/**
 * A root key from which a rotation may continue. It is known to which keys the root key is committed, or that it is not:
 * {@link importRootKey} cannot know.
 */
export type PinnedRoot = RootKey & { readonly nextRoots: readonly string[] | undefined };

/**
 * Checks and imports the root key of a registry: a public JWK, OKP/Ed25519 (RFC 8037) or EC/P-256 (RFC 7518).
 * The function refuses other keys, and JWKs with a private member (docs/protocol.md#public-key-values): a private key
 * is the wrong file to pin. Other members, such as `use` or `alg`, are ignored, as RFC 7517 requires.
 *
 * The result is not committed to any successor: `importAnchorRoot` imports the root key of a trust anchor with its
 * `next_roots`.
 *
 * @throws `ERR_ROOT_KEY_INVALID`
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
  return importCheckedRootKey(checkedPublicKey(jwk, invalid));
}

const invalid = (message: string, cause?: unknown) =>
  new RegistryError('ERR_ROOT_KEY_INVALID', `the root key ${message}`, { cause });

/** A root key that was checked without WebCrypto. {@link importCheckedRootKeys} imports it. */
export interface CheckedRootKey extends Pick<RootKey, 'thumbprint' | 'algorithm' | 'nextRoots'> {
  readonly jwk: PublicJwk & { readonly kid: string };
}

/**
 * Checks a key of a registry without WebCrypto: a public key whose `kid`, if it has one, is its thumbprint.
 *
 * @param refused - creates the error to throw. The message is a predicate
 */
export function checkedPublicKey(jwk: unknown, refused: Invalid): CheckedRootKey {
  const { algorithm, ...key } = publicMembers(jwk, refused);
  const { kid } = jwk as { kid?: unknown };
  const thumbprint = thumbprintOf(key);
  if (kid !== undefined && kid !== null && kid !== thumbprint) {
    throw refused(`has a kid that is not its RFC 7638 thumbprint, ${thumbprint}`);
  }
  return { jwk: { ...key, kid: thumbprint }, thumbprint, algorithm };
}

/** Imports a checked key. @throws `ERR_ROOT_KEY_INVALID` */
export async function importCheckedRootKey(checked: CheckedRootKey): Promise<PinnedRoot> {
  const { jwk, algorithm, nextRoots } = checked;
  const { cryptoKey } = await importChecked({ ...jwk, algorithm }, invalid);
  return { ...checked, cryptoKey, nextRoots };
}

/**
 * One pinned root key, or several during a rotation, and the keys to which the one key is committed. They come from the
 * caller: nothing here reads the published key (rule root-key-pinned).
 */
interface PinnedRoots extends Pick<RootKey, 'nextRoots'> {
  readonly rootKey: RootJwk | readonly RootJwk[];
}

/**
 * Checks pinned root keys without WebCrypto.
 *
 * @throws `ERR_ROOT_KEY_INVALID`, also for an empty array
 */
export function checkRootKeys({ rootKey, nextRoots }: PinnedRoots): readonly CheckedRootKey[] {
  const list: readonly unknown[] = Array.isArray(rootKey) ? rootKey : [rootKey];
  if (list.length === 0) throw new RegistryError('ERR_ROOT_KEY_INVALID', 'no root key is pinned');
  return list.map((jwk) => ({ ...checkedPublicKey(jwk, invalid), nextRoots }));
}

/** Imports checked root keys. @throws `ERR_ROOT_KEY_INVALID` */
export function importCheckedRootKeys(checked: readonly CheckedRootKey[]): Promise<readonly PinnedRoot[]> {
  return Promise.all(checked.map(importCheckedRootKey));
}
