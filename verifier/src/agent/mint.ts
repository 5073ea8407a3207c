import { RegistryError } from '../core/errors.js';
import type { PublicJwk } from '../core/keys/public-key.js';
import type { Mandate, PassportClaims } from '../passport/claims.js';
import { type IssuerRequestOptions, postToIssuer } from './issuer-api.js';

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
 * import { mintPassport, publicJwk, requestNonce, signNonce } from '@passport-registry/verifier/agent';
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
    throw new RegistryError(
      'ERR_ISSUER_ANSWER_INVALID',
      `${issuer} did not return a passport with its token`,
    );
  }
  return { passport: passport as unknown as Passport, token };
}
