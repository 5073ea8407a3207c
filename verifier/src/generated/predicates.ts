// Made by schemas/generate.mjs from the schemas: edit those, then run `npm run generate`.

import { hasLength, isIntegerWithin, isListOf, isRecord, isUniqueListOf } from '../encoding/checks.js';
import { isCalendarTime } from '../encoding/calendar-time.js';
import { GRAMMAR } from './schemas.js';

export function isIssuerId(value: unknown): value is string {
  return typeof value === 'string' && GRAMMAR.issuerId.pattern.test(value);
}

export function isHttpsUri(value: unknown): value is string {
  return typeof value === 'string' && hasLength(value, 0, 2048) && GRAMMAR.httpsUri.pattern.test(value);
}

export function isWebUri(value: unknown): value is string {
  return typeof value === 'string' && hasLength(value, 0, 2048) && GRAMMAR.webUri.pattern.test(value);
}

export function isDateTime(value: unknown): value is string {
  return typeof value === 'string' && hasLength(value, 0, 64) && GRAMMAR.dateTime.pattern.test(value) && isCalendarTime(value);
}

export function isGeographicalCode(value: unknown): value is string {
  return typeof value === 'string' && GRAMMAR.geographicalCode.pattern.test(value);
}

export function isSlug(value: unknown): value is string {
  return typeof value === 'string' && hasLength(value, 0, 64) && GRAMMAR.slug.pattern.test(value);
}

export function isEmail(value: unknown): value is string {
  return typeof value === 'string' && hasLength(value, 0, 254) && GRAMMAR.email.pattern.test(value);
}

export function isUtcSecond(value: unknown): value is string {
  return typeof value === 'string' && GRAMMAR.utcSecond.pattern.test(value) && isCalendarTime(value);
}

export function isBytes32(value: unknown): value is string {
  return typeof value === 'string' && GRAMMAR.bytes32.pattern.test(value);
}

/** Whether an issuer may have a value in a field; undefined if an issuer has no such field. */
export function isIssuerField(member: string, value: unknown): boolean | undefined {
  switch (member) {
    case 'issuer_id':
      return isIssuerId(value);
    case 'tier':
      return value === "founding" || value === "certified" || value === "registered" || value === "sandbox";
    case 'jwks_uri':
      return isHttpsUri(value);
    case 'discovery_uri':
      return isHttpsUri(value);
    case 'policy_uri':
      return isWebUri(value) || value === null;
    case 'status':
      return value === "active" || value === "suspended" || value === "revoked";
    case 'certified_since':
      return isDateTime(value);
    case 'last_audit':
      return isDateTime(value) || value === null;
    case 'geographical_scope':
      return isUniqueListOf(value, isGeographicalCode);
    case 'domain_scope':
      return isUniqueListOf(value, isSlug);
    case 'passport_types':
      return isUniqueListOf(value, isSlug);
    case 'contact':
      return isEmail(value) || value === null;
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
      return isUniqueListOf(value, isSlug);
    case 'geography':
      return isUniqueListOf(value, isGeographicalCode);
    case 'passport_types':
      return isUniqueListOf(value, isSlug);
    case 'min_certified_days':
      return isIntegerWithin(value, 0, 36500);
    case 'max_audit_days':
      return isIntegerWithin(value, 0, 36500);
    case 'allow':
      return isListOf(value, isNamed);
    case 'deny':
      return isListOf(value, isNamed);
    default:
      return undefined;
  }
}

function isNamed(value: unknown): boolean {
  return isRecord(value, ["issuer_id","reason"], isNamedMember);
}

function isNamedMember(member: string, value: unknown): boolean | undefined {
  switch (member) {
    case 'issuer_id':
      return isIssuerId(value);
    case 'reason':
      return typeof value === 'string' && hasLength(value, 1, 500);
    default:
      return undefined;
  }
}
