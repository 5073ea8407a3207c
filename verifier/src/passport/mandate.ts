import { calculateJwkThumbprint } from 'jose';
import { type Check, isObject } from '../checks.js';
import { instantOf, isDateTime } from '../date-time.js';
import { importPublicKey } from '../public-key.js';
import type { PassportClaims } from './claims.js';
import { hasPassed, isToCome, type TolerantClock } from './clock.js';
import { readJws, verifyJws } from './compact-jws.js';
import { isScope } from './scope.js';
import { Rejection, reject } from './verdict.js';

/** What an agent may do, and until when (SPEC B10). */
export interface Mandate {
  readonly mandate_id: string;
  /** Dotted actions; one trailing `.*` stands for all deeper names. Empty: nothing. */
  readonly scope: readonly string[];
  /** RFC 3339. */
  readonly issued_at: string;
  /** RFC 3339. */
  readonly expires_at: string;
  /** Further demands; each must be known to the verifier, and met. */
  readonly policy?: Readonly<Record<string, unknown>>;
}

/** What a policy is judged by. */
export interface PolicyContext {
  readonly action: string;
  readonly payload: unknown;
  readonly passport: PassportClaims;
  readonly mandate: Mandate;
}

/**
 * Judges one member of a mandate's policy: true when it is met, and nothing else will do. What it throws counts as no.
 * It is asked before the proof is looked at, so it must only look, and change and count nothing.
 *
 * @param value - the member's value, from the mandate: check its form
 */
export type PolicyHandler = (value: unknown, context: PolicyContext) => boolean | Promise<boolean>;

/** The `typ` of a mandate that is a JWS of its own (SPEC B11). */
export const MANDATE_TYPE = 'mandate+jwt';

const MAX_SCOPES = 256;

const isInstant: Check = (value) => typeof value === 'string' && isDateTime(value);

const CHECKS: Readonly<Record<string, Check>> = {
  mandate_id: (value) => typeof value === 'string' && value.length >= 1 && value.length <= 256,
  scope: (value) => Array.isArray(value) && value.length <= MAX_SCOPES && value.every(isScope),
  issued_at: isInstant,
  expires_at: isInstant,
  policy: (value) => value === undefined || isObject(value),
};

/**
 * The mandate that a passport carries, once it is known to hold: its form, who signed it, its times.
 *
 * A mandate that is a JWS of its own (SPEC B11) shows that the principal gave it, and not only that the issuer says so.
 * Its key stands in its own header, which is safe for the one reason that the passport names the key's thumbprint.
 */
export async function readMandate(passport: PassportClaims, clock: TolerantClock): Promise<Mandate> {
  const { mandate } = passport;
  if (mandate === undefined)
    return reject('mandate-missing', 'the passport has no mandate: it allows nothing');
  const content = typeof mandate === 'string' ? await signedMandate(mandate, passport) : mandate;
  for (const [member, check] of Object.entries(CHECKS)) {
    if (!check((content as unknown as Record<string, unknown>)[member])) {
      reject('mandate-malformed', `the mandate's ${member} is missing or not what it must be`);
    }
  }
  if (isToCome(instantOf(content.issued_at), clock)) {
    reject('mandate-not-yet-valid', `the mandate is issued at ${content.issued_at}, which is yet to come`);
  }
  if (hasPassed(instantOf(content.expires_at), clock)) {
    reject('mandate-expired', `the mandate expired at ${content.expires_at}`);
  }
  return content;
}

async function signedMandate(text: string, { principal_jkt, cnf }: PassportClaims): Promise<Mandate> {
  const jws = readJws(text, 'mandate', [MANDATE_TYPE], 'jwk');
  const key = await importPublicKey(
    jws.header['jwk'],
    (message, cause) =>
      new Rejection([{ code: 'mandate-header', message: `the jwk of the mandate ${message}` }], { cause }),
  );
  if ((await calculateJwkThumbprint(key.jwk)) !== principal_jkt) {
    reject('mandate-principal-mismatch', 'the key of the mandate is not the one that principal_jkt names');
  }
  await verifyJws(jws, 'mandate', key);
  const holder = jws.payload['cnf'];
  const jkt = isObject(holder) ? holder['jkt'] : undefined;
  if (jkt !== (await calculateJwkThumbprint(cnf.jwk))) {
    reject('mandate-holder-mismatch', 'the principal gave the mandate to another key (cnf.jkt)');
  }
  return jws.payload as unknown as Mandate;
}

/** Judges what a mandate demands beyond its scope. A demand that nobody here knows cannot be met (SPEC B11). */
export async function checkPolicy(
  context: PolicyContext,
  handlers: Readonly<Record<string, PolicyHandler>>,
): Promise<void> {
  for (const [member, value] of Object.entries(context.mandate.policy ?? {})) {
    const handler = Object.hasOwn(handlers, member) ? handlers[member] : undefined;
    if (handler === undefined) {
      return reject(
        'mandate-policy-unknown',
        `the mandate demands ${JSON.stringify(member)}, which is not known here`,
      );
    }
    if (!(await isMet(handler, value, context))) {
      reject('mandate-policy-refused', `the mandate's ${JSON.stringify(member)} is not met`);
    }
  }
}

async function isMet(handler: PolicyHandler, value: unknown, context: PolicyContext): Promise<boolean> {
  try {
    return (await handler(value, context)) === true;
  } catch (cause) {
    return reject('mandate-policy-refused', 'a demand of the mandate could not be judged', cause);
  }
}
