import { STATUSES, TIERS } from '@passport-registry/verifier';
import {
  ABOUT_FIELDS,
  formatTime,
  GRAMMAR,
  ISSUER_FIELDS,
  isDateTime,
} from '@passport-registry/verifier/core';
import { closest, distance } from 'fastest-levenshtein';
import { stringify } from 'yaml';
import { type SchemaError, validateIssuer } from '../generated/issuer-validator.js';
import { emailRemedy, uriRemedy } from './addresses.js';
import { type Finding, shown } from './diagnostic.js';
import { unicodeName } from './printable.js';
import { RULES } from './rules.js';

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

/** Where a value stands in a record. */
interface ValuePlace {
  readonly field: string;
  /** Whether the value is an item of the field's list rather than the field itself. */
  readonly inList: boolean;
  /** The text of a value without quotes, as the author wrote it: 0123 is the number 123. Undefined for a list or a mapping. */
  readonly source: string | undefined;
}

/**
 * Explains a value that the schema rejects.
 *
 * @param errors - the schema errors for this value
 */
export function explainValue(
  { field, inList, source }: ValuePlace,
  value: unknown,
  errors: readonly SchemaError[],
): Finding {
  const name = inList ? `an item of ${field}` : field;
  const types = errors.filter(({ keyword }) => keyword === 'type').map(({ params }) => params['type']);
  const isList = types.includes('array');
  if (isList || typeof value !== 'string') {
    const nullable = types.includes('null');
    const message = `${name} is ${typeof value === 'number' && source ? `the number ${source}` : shown(value)}`;
    const text = typeof value === 'string' ? value : value === null ? undefined : source;
    if (isList)
      return { rule: 'wrong-type', message, expected: 'a list of strings', remedy: listRemedy(text) };
    const string = nullable ? 'a string, or null' : 'a string';
    return { rule: 'wrong-type', message, expected: string, ...notString({ field, inList, source }, value) };
  }
  const tooLong = errors.find(({ keyword }) => keyword === 'maxLength');
  if (tooLong !== undefined && !['certified_since', 'last_audit', 'reinstated'].includes(field)) {
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
  reinstated: explainDateTime,
};

/** @param text - the value, if it is a single one */
function listRemedy(text: string | undefined): string {
  const item = text === undefined || text === '' ? 'item' : asYaml(text);
  return `write a list, such as [${item}]; or remove the field if the list is empty`;
}

/** Says what to write in place of a value that is not a string. In quotes, its text may still be wrong for the field. */
function notString(
  { field, inList, source }: ValuePlace,
  value: unknown,
): Pick<Finding, 'remedy'> & Partial<Pick<Finding, 'expected'>> {
  if (source === undefined) return { remedy: 'write a single string' };
  const isValid = isValidFor(field, inList, source);
  if (source === '' || (value === null && !isValid)) return { remedy: 'write a value' };
  if (isValid) return { remedy: `if ${source} is meant as a string, put it in quotes: ${asYaml(source)}` };
  const { rule = 'wrong-type', expected, remedy } = EXPLAIN[field]?.(source) ?? {};
  return { expected: expected ?? RULES[rule].expected, remedy: remedy ?? RULES[rule].remedy };
}

/** Whether the schema accepts a string in a field. */
function isValidFor(field: string, inList: boolean, text: string): boolean {
  if (validateIssuer({ [field]: inList ? [text] : text })) return true;
  return !validateIssuer.errors?.some(({ instancePath }) => instancePath.startsWith(`/${field}`));
}

/** Writes a string as a record does: in quotes if YAML would take the plain text for something else. */
function asYaml(text: string): string {
  return stringify(text, { version: '1.2', lineWidth: 0 }).trim();
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
  return near && `did you mean \`${asYaml(near)}\`?`;
}

function explainHttpsUri(text: string): Explanation {
  if (/^http:/i.test(text)) {
    const secure = text.replace(/^http:/i, 'https:');
    const write = isValidFor('jwks_uri', false, secure)
      ? `write ${shown(secure)}`
      : explainHttpsUri(secure).remedy;
    return { rule: 'not-https', remedy: `serve the document over https, and ${write ?? 'correct the URL'}` };
  }
  if (/^HTTPS:/i.test(text) && !text.startsWith('https:')) {
    return { rule: 'bad-uri', remedy: 'write https in lower case' };
  }
  if (text.includes('#')) return { rule: 'bad-uri', remedy: 'remove the fragment, which starts at #' };
  return explainWebUri(text);
}

function explainWebUri(text: string): Explanation {
  return { rule: 'bad-uri', remedy: uriRemedy(text) };
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
  // Seconds or milliseconds since 1970, or a date without hyphens.
  if (/^\d{10}$|^\d{13}$/.test(text)) return formatTime(Number(text.padEnd(13, '0')));
  if (/^\d{8}$/.test(text)) return completeDateTime(text.replace(/^(.{4})(..)(..)$/, '$1-$2-$3'));
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
  return { rule: 'bad-email', remedy: emailRemedy(text) };
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
