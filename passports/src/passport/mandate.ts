import {
  type Check,
  type Clock,
  clockNote,
  hasPassed,
  importPublicKey,
  instantOf,
  isDateTime,
  isObject,
  isToCome,
  thumbprintOf,
} from '@passport-registry/verifier/core';
import { isShortString, type Mandate, type PassportClaims } from './claims.js';
import { assertClaims, assertValidNow, readJws, verifyJws } from './passport-jws.js';
import { reject, rejection } from './rejection.js';
import { isScope } from './scope.js';

/** The action to which a condition applies. */
export interface PolicyContext {
  readonly action: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly passport: PassportClaims;
  readonly mandate: Mandate;
}

/**
 * Checks one condition: a member of a mandate's `policy`. Only `true` means that the condition is met. An exception
 * counts as a refusal. A handler runs before the proof is verified, so it must have no side effects.
 *
 * @param value - the value of the member in the mandate. The handler must check its form
 */
export type PolicyHandler = (value: unknown, context: PolicyContext) => boolean | Promise<boolean>;

/** The `typ` of a mandate that the principal signed as a separate JWS (rule mandate-jws). */
export const MANDATE_TYPE = 'mandate+jwt';

const MAX_SCOPES = 256;

const isInstant: Check = (value) => typeof value === 'string' && isDateTime(value);

const CHECKS: Readonly<Record<string, Check>> = {
  mandate_id: isShortString,
  scope: (value) => Array.isArray(value) && value.length <= MAX_SCOPES && value.every(isScope),
  issued_at: isInstant,
  expires_at: isInstant,
  policy: (value) => value === undefined || isObject(value),
};

/**
 * Returns the mandate of a passport. Checks its form, signature and times.
 *
 * A mandate that is a separate JWS (rule mandate-jws) proves that the principal signed it, without relying on the
 * issuer. The header of the JWS contains the public key. This is safe only because the passport contains the thumbprint
 * of the key.
 */
export async function readMandate(passport: PassportClaims, clock: Clock): Promise<Mandate> {
  const { mandate } = passport;
  if (mandate === undefined)
    return reject('mandate-missing', 'the passport has no mandate: it allows nothing');
  const content = typeof mandate === 'string' ? await readSignedMandate(mandate, passport, clock) : mandate;
  assertClaims(content, 'mandate', CHECKS);
  if (isToCome(instantOf(content.issued_at), clock)) {
    reject(
      'mandate-not-yet-valid',
      `the mandate was issued at ${content.issued_at}, which is in the future ${clockNote(clock.now)}`,
    );
  }
  if (hasPassed(instantOf(content.expires_at), clock)) {
    reject('mandate-expired', `the mandate expired at ${content.expires_at} ${clockNote(clock.now)}`);
  }
  return content;
}

async function readSignedMandate(
  text: string,
  { principal_jkt, cnf }: PassportClaims,
  clock: Clock,
): Promise<Mandate> {
  const jws = readJws(text, 'mandate', [MANDATE_TYPE]);
  const key = await importPublicKey(jws.header['jwk'], (message, cause) =>
    rejection('mandate-header', `the jwk of the mandate ${message}`, cause),
  );
  if (thumbprintOf(key.jwk) !== principal_jkt) {
    reject('mandate-principal-mismatch', 'the key of the mandate is not the key that principal_jkt names');
  }
  await verifyJws(jws, 'mandate', key);
  const holder = jws.payload['cnf'];
  const jkt = isObject(holder) ? holder['jkt'] : undefined;
  if (jkt !== thumbprintOf(cnf.jwk)) {
    reject('mandate-holder-mismatch', 'the principal gave the mandate to another key (cnf.jkt)');
  }
  // The JWS may have its own time claims. `readCompactJws` has checked their form.
  const { nbf, exp } = jws.payload as { nbf?: number; exp?: number };
  assertValidNow({ nbf, exp }, 'mandate', clock);
  return jws.payload as unknown as Mandate;
}

/** Checks the conditions of a mandate. A condition without a handler is refused (rule mandate-policy). */
export async function checkPolicy(
  context: PolicyContext,
  handlers: Readonly<Record<string, PolicyHandler>>,
): Promise<void> {
  for (const [member, value] of Object.entries(context.mandate.policy ?? {})) {
    const handler = Object.hasOwn(handlers, member) ? handlers[member] : undefined;
    if (handler === undefined) {
      return reject(
        'mandate-policy-unknown',
        `the mandate requires ${JSON.stringify(member)}, which this verifier does not know`,
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
    return reject('mandate-policy-refused', 'a condition of the mandate could not be checked', cause);
  }
}
