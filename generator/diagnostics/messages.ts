import { GRAMMAR, ISSUER_FIELDS, isDateTime, STATUSES, TIERS } from '@passport-registry/verifier';
import { closest, distance } from 'fastest-levenshtein';
import type { SchemaError } from '../generated/issuer-validator.js';
import { type Finding, shown } from './diagnostic.js';

/** The words for a field that is not there. */
export function explainMissing(field: string): Finding {
  return {
    rule: 'missing-field',
    message: `${field} is missing`,
    remedy: `add ${field}: ${EXAMPLES[field]}`,
  };
}

/** The words for a field that no issuer has. */
export function explainUnknown(field: string): Finding {
  const message = `${shown(field)} is not a field of an issuer`;
  const remedy = didYouMean(field, ISSUER_FIELDS);
  return { rule: 'unknown-field', message, ...(remedy && { remedy }) };
}

/** The words for items that stand in a list more than once. */
export function explainDuplicates(list: readonly unknown[]): { index: number; finding: Finding }[] {
  return list.flatMap((item, index) => {
    if (list.indexOf(item) === index) return [];
    const message = `${shown(item)} appears in the list twice`;
    return [{ index, finding: { rule: 'duplicate-item', message } }];
  });
}

interface ExplainedField {
  readonly field: string;
  /** Whether the value is an item of the field's list rather than the field itself. */
  readonly inList: boolean;
}

/**
 * The words for a value that the schema refuses.
 *
 * @param errors - what the schema said about the value
 */
export function explainValue(
  { field, inList }: ExplainedField,
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
    const message = `${name} has ${value.length} characters`;
    return { rule: 'too-long', message, expected: `at most ${tooLong.params['limit']} characters` };
  }
  const finding = EXPLAIN[field]?.(value);
  return { message: `${name} is ${shown(value)}`, ...(finding ?? { rule: 'wrong-type' }) };
}

type Words = Omit<Finding, 'message'> & { message?: string };

const EXAMPLES: Record<string, string> = {
  issuer_id: 'the file name without .yaml',
  tier: 'registered',
  status: 'active',
  jwks_uri: 'https://issuer.example/.well-known/jwks.json',
  discovery_uri: 'https://issuer.example/.well-known/openid-configuration',
  certified_since: '2026-01-15T09:00:00Z',
};

const EXPLAIN: Record<string, (text: string) => Words> = {
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
};

function wrongType(
  name: string,
  value: unknown,
  { isList, nullable }: { readonly isList: boolean; readonly nullable: boolean },
): Finding {
  const text = nullable ? 'a text, or null' : 'a text';
  const finding: Finding = {
    rule: 'wrong-type',
    message: `${name} is ${shown(value)}`,
    expected: isList ? 'a list of texts' : text,
  };
  if (isList) {
    const item = typeof value === 'string' ? value : 'item';
    return {
      ...finding,
      remedy: `write a list, such as [${item}]; or remove the field if the list is empty`,
    };
  }
  if (value === null) return { ...finding, remedy: 'write a value' };
  if (typeof value === 'object') return { ...finding, remedy: 'write a single text' };
  return { ...finding, remedy: `if ${value} is meant as text, put it in quotes: "${value}"` };
}

function explainEnum(text: string, values: readonly string[]): Words {
  const remedy = didYouMean(text, values);
  return { rule: 'unknown-value', expected: `one of ${values.join(', ')}`, ...(remedy && { remedy }) };
}

function explainId(text: string): Words {
  if (/[/\\]|\.\./.test(text)) return { rule: 'id-path-traversal' };
  if (/^(?:index$|(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$))/i.test(text)) return { rule: 'id-reserved' };
  if (/\.(?:gz|br|html?)$/i.test(text)) return { rule: 'id-host-suffix' };
  const lower = text.toLowerCase();
  const remedy = GRAMMAR.issuerId.pattern.test(lower) ? { remedy: `did you mean \`${lower}\`?` } : {};
  return { rule: 'bad-id', ...remedy };
}

function explainHttpsUri(text: string): Words {
  if (/^http:/i.test(text)) return { rule: 'not-https', remedy: `serve it over https: ${upgraded(text)}` };
  if (/^HTTPS:/i.test(text) && !text.startsWith('https:')) {
    return { rule: 'bad-uri', remedy: 'write https in lower case' };
  }
  if (text.includes('#')) return { rule: 'bad-uri', remedy: 'remove the fragment, which starts at #' };
  return explainWebUri(text);
}

function upgraded(text: string): string {
  return shown(text.replace(/^http:/i, 'https:'));
}

function explainWebUri(text: string): Words {
  if (!/^https?:\/\//i.test(text)) {
    return { rule: 'bad-uri', remedy: 'start the URL with https:// and a host name' };
  }
  if (/\s/.test(text)) return { rule: 'bad-uri', remedy: 'remove the white space, or write it as %20' };
  if (/[^\x20-\x7e]/.test(text)) {
    return { rule: 'bad-uri', remedy: 'write the host in punycode (xn--) and other characters as %XX' };
  }
  if (/^https?:\/\/[^/?#]*@/i.test(text)) {
    return { rule: 'bad-uri', remedy: 'remove the user name before the @' };
  }
  if (!URL.canParse(text)) {
    return { rule: 'bad-uri', remedy: 'correct the host or the port: no browser can open this URL' };
  }
  return { rule: 'bad-uri' };
}

function explainDateTime(text: string): Words {
  const rule = 'bad-date-time';
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return suggestion(rule, `${text}T00:00:00Z`);
  const withT = text.replace(/^(\d{4}-\d{2}-\d{2}) /, '$1T');
  const withZone = /[Zz]|[+-]\d{2}:\d{2}$/.test(withT) ? withT : `${withT}Z`;
  if (withZone !== text && isDateTime(withZone)) return suggestion(rule, withZone);
  if (GRAMMAR.dateTime.pattern.test(text)) {
    return {
      rule,
      expected: 'a date and time that exist',
      remedy: 'check the day of the month and the time',
    };
  }
  return { rule };
}

function suggestion(rule: 'bad-date-time', text: string): Words {
  return isDateTime(text) ? { rule, remedy: `did you mean \`${text}\`?` } : { rule };
}

function explainGeography(text: string): Words {
  const candidates = [text.toUpperCase(), text.toLowerCase()];
  const near = candidates.find((candidate) => GRAMMAR.geographicalCode.pattern.test(candidate));
  return { rule: 'bad-geography', ...(near !== undefined && { remedy: `did you mean \`${near}\`?` }) };
}

function explainSlug(text: string): Words {
  const near = text
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, '-');
  const remedy = near !== text && GRAMMAR.slug.pattern.test(near) && { remedy: `did you mean \`${near}\`?` };
  return { rule: 'bad-slug', ...(remedy || {}) };
}

function explainEmail(text: string): Words {
  const address = text.replace(/^mailto:/i, '').trim();
  const remedy = address !== text &&
    GRAMMAR.email.pattern.test(address) && { remedy: `write only ${address}` };
  return { rule: 'bad-email', ...(remedy || {}) };
}

/** The candidate that is meant, as a question; undefined when none is near. */
export function didYouMean(text: string, candidates: readonly string[]): string | undefined {
  if (candidates.length === 0) return undefined;
  const near = closest(text.toLowerCase(), [...candidates]);
  // Further away than a third of its length, a suggestion is a guess.
  return distance(text.toLowerCase(), near) <= Math.max(2, near.length / 3)
    ? `did you mean \`${near}\`?`
    : undefined;
}
