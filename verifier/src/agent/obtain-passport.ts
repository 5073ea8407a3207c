import { type AgentKeys, publicJwk } from './agent-keys.js';
import type { IssuerRequestOptions } from './issuer-api.js';
import { type AgentDeclaration, type MintedPassport, mintPassport } from './mint.js';
import { requestNonce, type SignNonceOptions, signNonce } from './nonce.js';

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
 * import { obtainPassport } from '@passport-registry/verifier/agent';
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
