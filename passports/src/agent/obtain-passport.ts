import type { PublicJwk } from '@passport-registry/verifier';
import { encodeBase64url, isDateTime } from '@passport-registry/verifier/core';
import { PassportError } from '../errors.js';
import type { Mandate, PassportClaims } from '../passport/claims.js';
import { type AgentKeys, publicJwk, signJws, signRaw } from './agent-keys.js';
import { type IssuerRequestOptions, postToIssuer } from './issuer-api.js';

/** The inputs for obtaining a passport. */
export interface ObtainOptions extends IssuerRequestOptions, SignNonceOptions {
  /** The issuer's base URL. */
  readonly issuer: string;
  /** The agent's key pair. It must not have a passport yet. */
  readonly keys: AgentKeys;
  /** The agent's declaration about itself and its principal. */
  readonly agent: AgentDeclaration;
}

/**
 * Obtains a passport in three steps: requests a nonce, signs the nonce, and mints the passport.
 *
 * @throws `ERR_AGENT_KEY_INVALID`; the errors of {@link requestNonce}
 *
 * @example
 * ```ts
 * import { obtainPassport } from '@passport-registry/passports/agent';
 *
 * const { passport } = await obtainPassport({
 *   issuer: 'https://playground.example',
 *   keys: await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']),
 *   agent: {
 *     principal_id: 'user-1',
 *     realm_id: 'laptop',
 *     agent_type: 'ai-assistant',
 *     capabilities: ['email'],
 *     subdelegation_mode: 'none',
 *     mandate: { scope: ['email.send'], expires_at: '2036-01-01T00:00:00Z' },
 *   },
 * });
 * console.log(passport.issuer_id); // playground
 * ```
 */
export async function obtainPassport({
  issuer,
  keys,
  agent,
  ...options
}: ObtainOptions): Promise<MintedPassport> {
  const public_key = await publicJwk(keys);
  const { principal_id, realm_id, owner_user_id } = agent;
  const owner = owner_user_id === undefined ? {} : { owner_user_id };
  const { nonce_id, nonce } = await requestNonce(
    issuer,
    { principal_id, realm_id, ...owner, public_key },
    options,
  );
  const signed_nonce = await signNonce(issuer, nonce, keys, options);
  return mintPassport(issuer, { ...agent, public_key, nonce_id, signed_nonce }, options);
}

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
 * import { requestNonce } from '@passport-registry/passports/agent';
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
  if (!isValid) throw new PassportError('ERR_ISSUER_ANSWER_INVALID', `${issuer} did not return a nonce`);
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
 * import { signNonce } from '@passport-registry/passports/agent';
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

/** An agent's declaration about itself and its principal (docs/protocol/passports.md#mint). */
export interface AgentDeclaration {
  readonly realm_id: string;
  readonly principal_id: string;
  readonly owner_user_id?: string | null;
  readonly agent_type: PassportClaims['agent_type'];
  /** The agent's capabilities. They grant no permission. */
  readonly capabilities: readonly string[];
  readonly subdelegation_mode: 'none' | 'controlled';
  readonly subdelegation_max_depth?: number;
  readonly software_id?: string;
  readonly software_version?: string;
  readonly model_id?: string;
  readonly model_version?: string;
  readonly memory_anchor_id?: string;
  /** The mandate. The issuer completes an object. If the mandate is a JWS, the issuer does not change it. */
  readonly mandate?: (Pick<Mandate, 'scope' | 'expires_at' | 'policy'> & Partial<Mandate>) | string;
}

/** A request to mint a passport. */
export interface MintRequest extends AgentDeclaration {
  readonly public_key: PublicJwk;
  readonly nonce_id: string;
  readonly signed_nonce: string;
}

/** The issuer's description of a passport (docs/protocol/passports.md#mint). */
export interface Passport {
  /** A UUID. */
  readonly passport_id: string;
  /** `did:passport:` followed by the id. */
  readonly passport_did: string;
  readonly issuer_id: string;
  /** RFC 3339. */
  readonly issued_at: string;
  /** RFC 3339. */
  readonly expires_at?: string;
  readonly status: 'active' | 'suspended' | 'revoked';
  readonly public_key: PublicJwk;
  /** `sha256:` followed by the RFC 7638 thumbprint. */
  readonly key_fingerprint: string;
  readonly principal_id: string;
  readonly memory_anchor_id: string;
  readonly revocation_nonce: number;
}

/** A passport with its token. */
export interface MintedPassport {
  readonly passport: Passport;
  /** The passport as a JWS in compact form, which the agent presents. Keep the token as secret as a password. */
  readonly token: string;
}

/**
 * Mints a passport: the third of three steps to a passport.
 *
 * @param issuer - the issuer's base URL
 * @throws the errors of {@link requestNonce}
 *
 * @example
 * ```ts
 * import { mintPassport, publicJwk, requestNonce, signNonce } from '@passport-registry/passports/agent';
 *
 * const issuer = 'https://playground.example';
 * const principal = { principal_id: 'user-1', realm_id: 'laptop' };
 * const keys = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
 * const { nonce_id, nonce } = await requestNonce(issuer, principal);
 * const { passport, token } = await mintPassport(issuer, {
 *   ...principal,
 *   agent_type: 'ai-assistant',
 *   capabilities: ['email'],
 *   subdelegation_mode: 'none',
 *   public_key: await publicJwk(keys),
 *   nonce_id,
 *   signed_nonce: await signNonce(issuer, nonce, keys),
 * });
 * console.log(passport.status, token.split('.').length); // active 3
 * ```
 */
export async function mintPassport(
  issuer: string,
  request: MintRequest,
  options: IssuerRequestOptions = {},
): Promise<MintedPassport> {
  const post = { caller: 'mintPassport', path: '/v1/passports', body: request, expectedStatus: 201 };
  const { token, ...passport } = await postToIssuer(issuer, post, options);
  if (typeof token !== 'string' || typeof passport['passport_did'] !== 'string') {
    throw new PassportError(
      'ERR_ISSUER_ANSWER_INVALID',
      `${issuer} did not return a passport with its token`,
    );
  }
  return { passport: passport as unknown as Passport, token };
}
