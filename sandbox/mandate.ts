import { randomUUID } from 'node:crypto';
import type { Mandate } from '@passport-registry/passports';
import { MANDATE_TYPE, readForeignJws } from '@passport-registry/passports/agent';
import {
  hasPassed,
  importPublicKey,
  instantOf,
  isDateTime,
  thumbprintOf,
  verifyCompactJws,
} from '@passport-registry/verifier/core';
import { Refusal } from './refusal.js';
import type { MintBody } from './requests.js';

/** The claims of a passport that describe its mandate. */
interface MandateClaims {
  readonly mandate?: Mandate | string;
  readonly principal_jkt?: string;
}

/**
 * Checks the mandate of a request, and completes it for the passport.
 *
 * @param agent - the thumbprint of the agent's key
 */
export async function mandateClaims(
  mandate: MintBody['mandate'],
  agent: string,
  now: Date,
): Promise<MandateClaims> {
  if (mandate === undefined) return {};
  if (typeof mandate === 'string')
    return { mandate, principal_jkt: await principalThumbprint(mandate, agent, now) };
  const { mandate_id = randomUUID(), issued_at = now.toISOString() } = mandate;
  const complete = { ...mandate, mandate_id, issued_at };
  assertInForce(complete, now);
  return { mandate: complete };
}

/** Verifies a mandate that the principal signed. Returns the thumbprint of the principal's key. */
async function principalThumbprint(mandate: string, agent: string, now: Date): Promise<string> {
  try {
    const jws = readForeignJws(mandate, [MANDATE_TYPE], 'jwk');
    const key = await importPublicKey(jws.header['jwk'], (message) => new Error(message));
    await verifyCompactJws(jws, key);
    assertInForce(jws.payload as unknown as Mandate, now);
    const { jkt } = (jws.payload['cnf'] ?? {}) as { jkt?: unknown };
    if (jkt !== agent) throw refusal('is bound to the key of another agent (cnf.jkt)');
    return thumbprintOf(key.jwk);
  } catch (error) {
    if (error instanceof Refusal) throw error;
    throw refusal('is not signed by the key in its header, or is not of type mandate+jwt');
  }
}

function assertInForce({ issued_at, expires_at }: Mandate, now: Date): void {
  for (const time of [issued_at, expires_at]) {
    if (typeof time !== 'string' || !isDateTime(time)) throw refusal('lacks a valid issued_at or expires_at');
  }
  const clock = { now: now.getTime(), tolerance: 0 };
  if (hasPassed(instantOf(expires_at), clock)) throw refusal('has expired');
}

function refusal(problem: string): Refusal {
  return new Refusal('bad_request', `/mandate ${problem}`, { details: { pointer: '/mandate' } });
}
