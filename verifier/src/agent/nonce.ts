import { encodeBase64url } from '../core/bytes/encodings.js';
import { RegistryError } from '../core/errors.js';
import type { PublicJwk } from '../core/keys/public-key.js';
import { isDateTime } from '../core/list/date-time.js';
import { type AgentKeys, signJws, signRaw } from './agent-keys.js';
import { type IssuerRequestOptions, postToIssuer } from './issuer-api.js';

/** A request for a nonce (docs/protocol/passports.md#nonce). */
export interface NonceRequest {
  readonly principal_id: string;
  readonly realm_id: string;
  readonly owner_user_id?: string | null;
  /** Binds the nonce to a key from the start. */
  readonly public_key?: PublicJwk;
}

/** A nonce that can be used once. */
export interface IssuanceNonce {
  readonly nonce_id: string;
  /** 256 random bits in base64url. */
  readonly nonce: string;
  /** RFC 3339. At most five minutes from now. */
  readonly expires_at: string;
}

/**
 * Requests a nonce from an issuer: the first of three steps to a passport.
 *
 * @param issuer - the issuer's base URL
 * @throws {@link OptionsInvalid} | `ERR_ADDRESS_INVALID` | {@link IssuerRefused} | `ERR_ISSUER_ANSWER_INVALID`; the
 *   errors of a failed request, such as `ERR_SOURCE_UNREACHABLE`
 *
 * @example
 * ```ts
 * import { requestNonce } from '@passport-registry/verifier/agent';
 *
 * const request = { principal_id: 'user-1', realm_id: 'laptop' };
 * const { nonce } = await requestNonce('https://playground.example', request);
 * console.log(nonce.length); // 43
 * ```
 */
export async function requestNonce(
  issuer: string,
  request: NonceRequest,
  options: IssuerRequestOptions = {},
): Promise<IssuanceNonce> {
  const post = { caller: 'requestNonce', path: '/v1/issuance/nonce', body: request, expectedStatus: 200 };
  const { nonce_id, nonce, expires_at } = await postToIssuer(issuer, post, options);
  const isValid =
    typeof nonce_id === 'string' &&
    typeof nonce === 'string' &&
    /^[A-Za-z0-9_-]{43,}$/.test(nonce) &&
    typeof expires_at === 'string' &&
    isDateTime(expires_at);
  if (!isValid) throw new RegistryError('ERR_ISSUER_ANSWER_INVALID', `${issuer} did not return a nonce`);
  return { nonce_id, nonce, expires_at };
}

/** The `typ` of a signed nonce. */
export const NONCE_TYPE = 'passport-nonce+jwt';

/** How to sign a nonce. */
export interface SignNonceOptions {
  /**
   * `jws` is a JWS with its own `typ`, which cannot be confused with any other signature of the key
   * (docs/protocol/passports.md#nonce-signature). `raw` is the signature over the ASCII bytes of the nonce alone, for
   * issuers that support only this form. Default: `jws`.
   */
  readonly form?: 'jws' | 'raw';
  /** Returns the current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Signs a nonce with the agent's key: the second of three steps to a passport
 * (docs/protocol/passports.md#nonce-signature).
 *
 * @param issuer - the issuer's base URL. A signature of the form `jws` is valid only for this issuer
 * @throws `ERR_AGENT_KEY_INVALID`
 *
 * @example
 * ```ts
 * import { signNonce } from '@passport-registry/verifier/agent';
 *
 * const keys = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
 * const nonce = 'q80kzGZ1mZ2Wm6w0zCkO3bD8dUY5h1v0o1J9sYb0b0A';
 * const signed = await signNonce('https://playground.example', nonce, keys);
 * console.log(signed.split('.').length); // 3
 * ```
 */
// biome-ignore lint/complexity/useMaxParams: the signature is public API
export async function signNonce(
  issuer: string,
  nonce: string,
  keys: AgentKeys,
  { form = 'jws', now = Date.now }: SignNonceOptions = {},
): Promise<string> {
  if (form === 'raw') return encodeBase64url(await signRaw(keys, new TextEncoder().encode(nonce)));
  const claims = { aud: issuer.replace(/\/$/, ''), nonce, iat: Math.floor(now() / 1000) };
  return signJws(keys, { typ: NONCE_TYPE, claims, withKey: true });
}
