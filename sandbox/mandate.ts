import { randomUUID } from 'node:crypto';
import { isDateTime, type Mandate, type PublicJwk } from '@passport-registry/verifier';
import { importPublicKey, readCompactJws, verifyCompactJws } from '@passport-registry/verifier/internal';
import { Refused } from './refusal.js';
import type { MintBody } from './requests.js';
import { thumbprint } from './thumbprint.js';

/** The claims about a mandate that go into a passport. */
export interface MandateClaims {
  readonly mandate?: Mandate | string;
  readonly principal_jkt?: string;
}

/** The mandate of a request, as it goes into the passport. */
export async function mandateClaims({ mandate, public_key }: MintBody, now: Date): Promise<MandateClaims> {
  if (mandate === undefined) return {};
  if (typeof mandate === 'string') {
    return { mandate, principal_jkt: await principalOf(mandate, public_key, now) };
  }
  const { mandate_id = randomUUID(), issued_at = now.toISOString() } = mandate;
  const complete = { ...mandate, mandate_id, issued_at };
  assertInForce(complete, now);
  return { mandate: complete };
}

/** Whose mandate a JWS is: the thumbprint of the principal's key, by which it is signed. */
async function principalOf(mandate: string, agentKey: PublicJwk, now: Date): Promise<string> {
  try {
    const jws = readCompactJws(mandate, ['mandate+jwt'], 'jwk');
    const key = await importPublicKey(jws.header['jwk'], (message) => new Error(message));
    await verifyCompactJws(jws, key);
    const { payload } = jws;
    assertInForce(payload as unknown as Mandate, now);
    const { jkt } = (payload['cnf'] ?? {}) as { jkt?: unknown };
    if (jkt !== thumbprint(agentKey)) throw refused('is for another agent (cnf.jkt)');
    return thumbprint(key.jwk);
  } catch (error) {
    if (error instanceof Refused) throw error;
    throw refused('is not signed by the key in its header, or is no mandate+jwt');
  }
}

function assertInForce({ issued_at, expires_at }: Mandate, now: Date): void {
  for (const time of [issued_at, expires_at]) {
    if (typeof time !== 'string' || !isDateTime(time)) throw refused('lacks issued_at or expires_at');
  }
  if (!(Date.parse(expires_at) > now.getTime())) throw refused('has expired');
}

function refused(what: string): Refused {
  return new Refused('bad_request', `/mandate ${what}`, { details: { pointer: '/mandate' } });
}
