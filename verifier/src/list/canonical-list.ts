import {
  GRAMMAR,
  type Issuer,
  type IssuerRegistry,
  REQUIRED_ISSUER_FIELDS,
  STATUSES,
  TIERS,
} from '../generated/schemas.js';
import { isDateTime } from './date-time.js';

/**
 * A fast check that a list conforms to the schema and is canonical. Validating each field and serializing the list again
 * for comparison takes several times as long as parsing. But a valid record in canonical form belongs to a regular
 * language, because no text that the schema allows needs an escape. So one regular expression checks the members, their
 * order, their grammar and the absence of white space in one pass. The parsed values are checked for the rest: lengths,
 * calendar days, unique items, and reserved ids.
 *
 * `false` does not mean that the list is wrong: the full check decides.
 */
export function isConformingAndCanonical(text: string, value: unknown): value is IssuerRegistry {
  if (!matchesGrammar(text)) return false;
  const { issuers, updated_at } = value as IssuerRegistry;
  return isDateTime(updated_at) && issuers.every(hasGoodValues);
}

const START = '{"issuers":[';

/** The expressions of the schemas without their anchors; lookaheads run on past the text here, so ids have none. */
const inside = ({ pattern }: { pattern: RegExp }) => pattern.source.replace(/^\^/, '').replace(/\$$/, '');
const quoted = (source: string) => `"${source}"`;
const orNull = (source: string) => `(?:null|${source})`;
const listOf = (source: string) => `\\[(?:${source}(?:,${source})*)?\\]`;

const FIELDS: Record<keyof Issuer, string> = {
  issuer_id: quoted('[a-z0-9._-]+'),
  tier: quoted(`(?:${TIERS.join('|')})`),
  jwks_uri: quoted(inside(GRAMMAR.httpsUri)),
  discovery_uri: quoted(inside(GRAMMAR.httpsUri)),
  policy_uri: orNull(quoted(inside(GRAMMAR.webUri))),
  status: quoted(`(?:${STATUSES.join('|')})`),
  certified_since: quoted(inside(GRAMMAR.dateTime)),
  last_audit: orNull(quoted(inside(GRAMMAR.dateTime))),
  geographical_scope: listOf(quoted(inside(GRAMMAR.geographicalCode))),
  domain_scope: listOf(quoted(inside(GRAMMAR.slug))),
  passport_types: listOf(quoted(inside(GRAMMAR.slug))),
  contact: orNull(quoted(inside(GRAMMAR.email))),
};

/** `certified_since` sorts before all other fields and is required, so every other one has a comma before it. */
function recordSource(): string {
  const members = Object.entries(FIELDS).sort(([a], [b]) => (a < b ? -1 : 1));
  const sources = members.map(([field, source], index) => {
    const member = `${index === 0 ? '' : ','}"${field}":${source}`;
    return (REQUIRED_ISSUER_FIELDS as readonly string[]).includes(field) ? member : `(?:${member})?`;
  });
  return `\\{${sources.join('')}\\}`;
}

const RECORD = new RegExp(recordSource(), 'y');
const END = new RegExp(`\\],"updated_at":${quoted(inside(GRAMMAR.utcSecond))}\\}$`, 'y');

function matchesGrammar(text: string): boolean {
  if (!text.startsWith(START)) return false;
  let at = START.length;
  while (text[at] === '{') {
    RECORD.lastIndex = at;
    if (!RECORD.test(text)) return false;
    at = RECORD.lastIndex;
    // A comma with no record behind it stops at the end of the list, which has no place for one.
    if (text[at] === ',' && text[at + 1] === '{') at += 1;
  }
  END.lastIndex = at;
  return END.test(text);
}

function hasGoodValues(issuer: Issuer): boolean {
  const { issuer_id, jwks_uri, discovery_uri, policy_uri, contact, certified_since, last_audit } = issuer;
  return (
    GRAMMAR.issuerId.pattern.test(issuer_id) &&
    jwks_uri.length <= GRAMMAR.httpsUri.maxLength &&
    discovery_uri.length <= GRAMMAR.httpsUri.maxLength &&
    (policy_uri ?? '').length <= GRAMMAR.webUri.maxLength &&
    (contact ?? '').length <= GRAMMAR.email.maxLength &&
    isRealTime(certified_since) &&
    isRealTime(last_audit ?? certified_since) &&
    isUnique(issuer.geographical_scope) &&
    isUniqueSlugs(issuer.domain_scope) &&
    isUniqueSlugs(issuer.passport_types)
  );
}

const ZERO = 48;

/** Up to the 28th every month has the day, and only a 60th second needs a closer look. */
function isRealTime(text: string): boolean {
  const day = (text.charCodeAt(8) - ZERO) * 10 + text.charCodeAt(9) - ZERO;
  const plain = text.length <= GRAMMAR.dateTime.maxLength && day <= 28 && text.charCodeAt(17) < ZERO + 6;
  return plain || isDateTime(text);
}

function isUniqueSlugs(items: readonly string[] | undefined): boolean {
  return (
    items === undefined || (isUnique(items) && items.every(({ length }) => length <= GRAMMAR.slug.maxLength))
  );
}

function isUnique(items: readonly string[] | undefined): boolean {
  if (items === undefined || items.length < 2) return true;
  return items.length === 2 ? items[0] !== items[1] : new Set(items).size === items.length;
}
