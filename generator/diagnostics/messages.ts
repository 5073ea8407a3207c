import { STATUSES, TIERS } from '@passport-registry/verifier';
import { ABOUT_FIELDS, GRAMMAR, ISSUER_FIELDS, isDateTime } from '@passport-registry/verifier/core';
import { closest, distance } from 'fastest-levenshtein';
import type { SchemaError } from '../generated/issuer-validator.js';
import { type Finding, shown } from './diagnostic.js';
import { unicodeName } from './printable.js';

/** Explains a missing field. */
export function explainMissing(field: string): Finding {
  return {
    rule: 'missing-field',
    message: `${field} is missing`,
    remedy: `add ${field}: ${EXAMPLES[field]}`,
  };
}

/** Explains a field that the schema does not define. */
export function explainUnknown(field: string): Finding {
  const message = `${shown(field)} is not a field of an issuer`;
  return { rule: 'unknown-field', message, remedy: didYouMean(field, [...ISSUER_FIELDS, ...ABOUT_FIELDS]) };
}

/** Explains items that appear in a list more than once. */
export function explainDuplicates(list: readonly unknown[]): { index: number; finding: Finding }[] {
  return list.flatMap((item, index) => {
    if (list.indexOf(item) === index) return [];
    const message = `${shown(item)} appears more than once in the list`;
    return [{ index, finding: { rule: 'duplicate-item', message } }];
  });
}

/**
 * Explains a value that the schema rejects.
 *
 * @param inList - whether the value is an item of the field's list rather than the field itself
 * @param errors - the schema errors for this value
 */
export function explainValue(
  { field, inList }: { readonly field: string; readonly inList: boolean },
  value: unknown,
  errors: readonly SchemaError[],
): Finding {
  const name = inList ? `an item of ${field}` : field;
  const types = errors.filter(({ keyword }) => keyword === 'type').map(({ params }) => params['type']);
  const isList = types.includes('array');
  if (isList || typeof value !== 'string') {
    return wrongType(name, value, { isList, nullable: types.includes('null') });
  }
  const tooLong = errors.find(({ keyword }) => keyword === 'maxLength');
  if (tooLong !== undefined && field !== 'certified_since' && field !== 'last_audit') {
    const message = `${name} has ${[...value].length} characters`;
    return { rule: 'too-long', message, expected: `at most ${tooLong.params['limit']} characters` };
  }
  const finding = EXPLAIN[field]?.(value);
  return { message: `${name} is ${shown(value)}`, ...(finding ?? { rule: 'wrong-type' }) };
}

type Explanation = Omit<Finding, 'message'>;

const EXAMPLES: Record<string, string> = {
  issuer_id: 'the file name without .yaml',
  tier: 'registered',
  status: 'active',
  jwks_uri: 'https://issuer.example/.well-known/jwks.json',
  discovery_uri: 'https://issuer.example/.well-known/openid-configuration',
  certified_since: '2026-01-15T09:00:00Z',
};

const EXPLAIN: Record<string, (text: string) => Explanation> = {
  issuer_id: explainId,
  tier: (text) => explainEnum(text, TIERS),
  status: (text) => explainEnum(text, STATUSES),
  jwks_uri: explainHttpsUri,
  discovery_uri: explainHttpsUri,
  policy_uri: explainWebUri,
  certified_since: explainDateTime,
  last_audit: explainDateTime,
  geographical_scope: explainGeography,
  domain_scope: explainSlug,
  passport_types: explainSlug,
  contact: explainEmail,
  name: explainText,
  status_reason: explainText,
};

function wrongType(
  name: string,
  value: unknown,
  { isList, nullable }: { readonly isList: boolean; readonly nullable: boolean },
): Finding {
  const string = nullable ? 'a string, or null' : 'a string';
  return {
    rule: 'wrong-type',
    message: `${name} is ${shown(value)}`,
    expected: isList ? 'a list of strings' : string,
    remedy: isList ? listRemedy(value) : stringRemedy(value),
  };
}

function listRemedy(value: unknown): string {
  const item = typeof value === 'string' ? value : 'item';
  return `write a list, such as [${item}]; or remove the field if the list is empty`;
}

function stringRemedy(value: unknown): string {
  if (value === null) return 'write a value';
  if (typeof value === 'object') return 'write a single string';
  return `if ${value} is meant as a string, put it in quotes: "${value}"`;
}

function explainEnum(text: string, values: readonly string[]): Explanation {
  return {
    rule: 'unknown-value',
    expected: `one of ${values.join(', ')}`,
    remedy: didYouMean(text, values),
  };
}

function explainId(text: string): Explanation {
  if (/[/\\]|\.\./.test(text)) return { rule: 'id-path-traversal' };
  if (/^(?:index$|(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$))/i.test(text)) return { rule: 'id-reserved' };
  if (/\.(?:gz|br|html?)$/i.test(text)) return { rule: 'id-host-suffix' };
  return { rule: 'bad-id', remedy: firstValid([text.toLowerCase()], GRAMMAR.issuerId.pattern) };
}

/** Suggests the first candidate that is valid, as a question. Undefined if none is. */
function firstValid(candidates: readonly string[], pattern: RegExp): string | undefined {
  const near = candidates.find((candidate) => pattern.test(candidate));
  return near && `did you mean \`${near}\`?`;
}

function explainHttpsUri(text: string): Explanation {
  if (/^http:/i.test(text)) {
    const secure = shown(text.replace(/^http:/i, 'https:'));
    return { rule: 'not-https', remedy: `serve the document over https, and write ${secure}` };
  }
  if (/^HTTPS:/i.test(text) && !text.startsWith('https:')) {
    return { rule: 'bad-uri', remedy: 'write https in lower case' };
  }
  if (text.includes('#')) return { rule: 'bad-uri', remedy: 'remove the fragment, which starts at #' };
  return explainWebUri(text);
}

/** What is wrong with a URL, and what to do, in the order in which it is asked. */
const URI_FAULTS: readonly (readonly [fault: RegExp, remedy: string])[] = [
  [/^(?!https?:\/\/)/i, 'start the URL with https:// and a host name'],
  [/\s/, 'remove the white space, or write it as %20'],
  [/[^\x20-\x7e]/, 'write the host in punycode (xn--) and other characters as %XX'],
  [/^https?:\/\/[^/?#]*@/i, 'remove the user name before the @'],
];

function explainWebUri(text: string): Explanation {
  const [, known] = URI_FAULTS.find(([fault]) => fault.test(text)) ?? [];
  const unknown = URL.canParse(text)
    ? undefined
    : 'correct the host or the port: no browser can open this URL';
  return { rule: 'bad-uri', remedy: known ?? unknown };
}

function explainDateTime(text: string): Explanation {
  const rule = 'bad-date-time';
  const complete = completeDateTime(text);
  if (complete !== text && isDateTime(complete)) return { rule, remedy: `did you mean \`${complete}\`?` };
  const fault = dateTimeFault(complete);
  if (fault === undefined) return { rule };
  const form = complete === text ? '' : ', in a date and time such as 2026-12-31T00:00:00Z';
  return { rule, expected: 'a date and time that exist', remedy: fault + form };
}

/** Adds what is missing in a date-time: the time, the T or the zone. */
function completeDateTime(text: string): string {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return `${text}T00:00:00Z`;
  const withT = text.replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T');
  return /[Zz]|[+-]\d{2}:\d{2}$/.test(withT) ? withT : `${withT}Z`;
}

function explainGeography(text: string): Explanation {
  const candidates = [text.toUpperCase(), text.toLowerCase()];
  return { rule: 'bad-geography', remedy: firstValid(candidates, GRAMMAR.geographicalCode.pattern) };
}

function explainSlug(text: string): Explanation {
  const near = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-');
  return { rule: 'bad-slug', remedy: firstValid([near], GRAMMAR.slug.pattern) };
}

function explainEmail(text: string): Explanation {
  const address = text.replace(/^mailto:/i, '').trim();
  const isValid = address !== text && GRAMMAR.email.pattern.test(address);
  return { rule: 'bad-email', remedy: isValid ? `write only ${address}` : undefined };
}

/** Explains a text that people read. Names the first character that is refused: the text itself may not show it. */
function explainText(text: string): Explanation {
  const rule = 'bad-text';
  if (text === '') return { rule, remedy: 'write a text, or remove the field' };
  if (text !== text.trim()) return { rule, remedy: 'remove the white space at the ends' };
  const refused = [...text].find(
    (character) => character !== ' ' && !GRAMMAR.issuerName.pattern.test(character),
  );
  if (refused !== undefined) return { rule, remedy: `remove the character ${unicodeName(refused)}` };
  return { rule, remedy: 'write the text in Unicode NFC: some of its characters are in a decomposed form' };
}

/** Suggests the closest candidate, as a question. Undefined if no candidate is close. */
export function didYouMean(text: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const near = closest(text.toLowerCase(), [...candidates]);
  // If more than a third of the characters differ, a suggestion would be a guess.
  return distance(text.toLowerCase(), near) <= Math.max(2, near.length / 3)
    ? `did you mean \`${near}\`?`
    : undefined;
}

const PARTS = /^(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:[Zz]|[+-](\d\d):(\d\d))$/;

/**
 * Finds the part of a date-time that is out of its range, and says what to write.
 *
 * @param text - an invalid date-time
 * @returns undefined if the text does not have the form of a date-time
 */
function dateTimeFault(text: string): string | undefined {
  const [, year = '', month = '', ...rest] = PARTS.exec(text) ?? [];
  if (month === '') return undefined;
  const [day, hour, minute, second, zoneHour = '00', zoneMinute = '00'] = rest;
  const ranges = [
    ['month', month, 1, 12],
    ['day', day, 1, daysInMonth(Number(year), Number(month))],
    ['hour', hour, 0, 23],
    ['minute', minute, 0, 59],
    ['second', second, 0, 59],
    ['hour of the zone', zoneHour, 0, 23],
    ['minute of the zone', zoneMinute, 0, 59],
  ] as const;
  const wrong = ranges.find(([, value, min, max]) => Number(value) < min || Number(value) > max);
  if (wrong === undefined) return undefined;
  const [name, value, min, max] = wrong;
  return `the ${name} is ${value}: write ${String(min).padStart(2, '0')} to ${max}`;
}

function daysInMonth(year: number, month: number): number {
  // The calendar repeats every 400 years, and `Date.UTC` reads years below 100 as years of the 20th century.
  return new Date(Date.UTC(2000 + (year % 400), month, 0)).getUTCDate();
}
