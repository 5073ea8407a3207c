// Made by schemas/generate.mjs from the schemas: edit those, then run `npm run generate`.

import { hasLength, isIntegerWithin, isListOf, isRecord, isUniqueListOf } from '../encoding/checks.js';
import { isCalendarTime } from '../encoding/calendar-time.js';
import { GRAMMAR } from './schemas.js';

export function isValidIssuerId(value: unknown): value is string {
  return typeof value === 'string' && GRAMMAR.issuerId.pattern.test(value);
}

export function isValidHttpsUri(value: unknown): value is string {
  return typeof value === 'string' && hasLength(value, 0, 2048) && GRAMMAR.httpsUri.pattern.test(value);
}

export function isValidWebUri(value: unknown): value is string {
  return typeof value === 'string' && hasLength(value, 0, 2048) && GRAMMAR.webUri.pattern.test(value);
}

export function isValidDateTime(value: unknown): value is string {
  return typeof value === 'string' && hasLength(value, 0, 64) && GRAMMAR.dateTime.pattern.test(value) && isCalendarTime(value);
}

export function isValidGeographicalCode(value: unknown): value is string {
  return typeof value === 'string' && GRAMMAR.geographicalCode.pattern.test(value);
}

export function isValidSlug(value: unknown): value is string {
  return typeof value === 'string' && hasLength(value, 0, 64) && GRAMMAR.slug.pattern.test(value);
}

export function isValidEmail(value: unknown): value is string {
  return typeof value === 'string' && hasLength(value, 0, 254) && GRAMMAR.email.pattern.test(value);
}

export function isValidUtcSecond(value: unknown): value is string {
  return typeof value === 'string' && GRAMMAR.utcSecond.pattern.test(value) && isCalendarTime(value);
}

export function isValidBytes32(value: unknown): value is string {
  return typeof value === 'string' && GRAMMAR.bytes32.pattern.test(value);
}

/** Whether an issuer may have a value in a field; undefined if an issuer has no such field. */
export function isIssuerField(member: string, value: unknown): boolean | undefined {
  switch (member) {
    case 'issuer_id':
      return isValidIssuerId(value);
    case 'tier':
      return value === "founding" || value === "certified" || value === "registered" || value === "sandbox";
    case 'jwks_uri':
      return isValidHttpsUri(value);
    case 'discovery_uri':
      return isValidHttpsUri(value);
    case 'policy_uri':
      return isValidWebUri(value) || value === null;
    case 'status':
      return value === "active" || value === "suspended" || value === "revoked";
    case 'certified_since':
      return isValidDateTime(value);
    case 'last_audit':
      return isValidDateTime(value) || value === null;
    case 'geographical_scope':
      return isUniqueListOf(value, isValidGeographicalCode);
    case 'domain_scope':
      return isUniqueListOf(value, isValidSlug);
    case 'passport_types':
      return isUniqueListOf(value, isValidSlug);
    case 'contact':
      return isValidEmail(value) || value === null;
    default:
      return undefined;
  }
}

/** Whether a trust policy may have a value in a member; undefined if a trust policy has no such member. */
export function isPolicyMember(member: string, value: unknown): boolean | undefined {
  switch (member) {
    case 'tiers':
      return isUniqueListOf(value, (item) => item === "founding" || item === "certified" || item === "registered" || item === "sandbox");
    case 'domains':
      return isUniqueListOf(value, isValidSlug);
    case 'geography':
      return isUniqueListOf(value, isValidGeographicalCode);
    case 'passport_types':
      return isUniqueListOf(value, isValidSlug);
    case 'min_certified_days':
      return isIntegerWithin(value, 0, 36500);
    case 'max_audit_days':
      return isIntegerWithin(value, 0, 36500);
    case 'allow':
      return isListOf(value, isValidNamed);
    case 'deny':
      return isListOf(value, isValidNamed);
    default:
      return undefined;
  }
}

function isValidNamed(value: unknown): boolean {
  return isRecord(value, ["issuer_id","reason"], isNamedMember);
}

function isNamedMember(member: string, value: unknown): boolean | undefined {
  switch (member) {
    case 'issuer_id':
      return isValidIssuerId(value);
    case 'reason':
      return typeof value === 'string' && hasLength(value, 1, 500);
    default:
      return undefined;
  }
}
