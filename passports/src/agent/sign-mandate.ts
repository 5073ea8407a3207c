import type { PublicJwk } from '@passport-registry/verifier';
import { calculateJwkThumbprint } from 'jose';
import type { Mandate } from '../passport/claims.js';
import { MANDATE_TYPE } from '../passport/mandate.js';
import { type AgentKeys, signJws } from './agent-keys.js';

/** The inputs for signing a mandate. */
export interface SignMandateOptions {
  /** The principal's key pair. */
  readonly principalKeys: AgentKeys;
  /** The public key of the agent that may use the mandate. */
  readonly agentKey: PublicJwk;
  readonly mandate: Mandate;
}

/**
 * Signs a mandate with the principal's own key (docs/protocol/passports.md#mandate-jws), so that verifiers need not
 * rely on the issuer. The mandate is valid for one agent: `cnf.jkt` contains the thumbprint of the agent's key.
 *
 * @returns a JWS in compact form, for {@link AgentDeclaration.mandate}
 * @throws `ERR_AGENT_KEY_INVALID`
 *
 * @example
 * ```ts
 * import { publicJwk, signMandate } from '@passport-registry/passports/agent';
 *
 * const generate = () => crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
 * const mandate = await signMandate({
 *   principalKeys: await generate(),
 *   agentKey: await publicJwk(await generate()),
 *   mandate: {
 *     mandate_id: 'm-1',
 *     scope: ['email.send'],
 *     issued_at: '2026-11-21T08:00:00Z',
 *     expires_at: '2026-11-22T08:00:00Z',
 *   },
 * });
 * console.log(mandate.split('.').length); // 3
 * ```
 */
export async function signMandate({ principalKeys, agentKey, mandate }: SignMandateOptions): Promise<string> {
  const cnf = { jkt: await calculateJwkThumbprint(agentKey) };
  return signJws(principalKeys, { typ: MANDATE_TYPE, claims: { ...mandate, cnf }, withKey: true });
}
