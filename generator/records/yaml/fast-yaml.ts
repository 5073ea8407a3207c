import { ABOUT_FIELDS, ISSUER_FIELDS } from '@passport-registry/verifier/core';

/**
 * Reads the simple YAML that nearly every record uses, ten times as fast as a full YAML parser: comment lines, and
 * fields of an issuer, each once, with a word, a quoted string or a list of words. For any other text the function
 * returns undefined. The caller then uses the full parser, so this function never has to explain an error.
 *
 * @returns the same data as the full parser, or undefined if the text needs the full parser
 */
export function parseFastYaml(text: string): Record<string, unknown> | undefined {
  // Only ASCII, without tabs and carriage returns. The text ends with a line feed, so every line has a next line.
  if (!PLAIN_TEXT.test(text)) return undefined;
  const lines = text.split('\n');
  const record: Record<string, unknown> = {};
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    if (line === '' || line.startsWith('#')) continue;
    const colon = line.indexOf(':');
    const field = line.slice(0, colon);
    if (!FIELDS.has(field) || Object.hasOwn(record, field)) return undefined;
    if (colon === line.length - 1) {
      const items = parseBlockItems(lines, at + 1);
      if (items.length === 0) return undefined;
      record[field] = items;
      at += items.length;
      continue;
    }
    const value = line.charCodeAt(colon + 1) === SPACE ? parseValue(line.slice(colon + 2)) : undefined;
    if (value === undefined) return undefined;
    record[field] = value;
  }
  return Object.keys(record).length === 0 ? undefined : record;
}

const SPACE = 0x20;
const PLAIN_TEXT = /^[\x20-\x7e\n]+\n$/;
const FIELDS: ReadonlySet<string> = new Set([...ISSUER_FIELDS, ...ABOUT_FIELDS]);

/**
 * A word that YAML reads as a string: it does not start like a number, and contains no character with a meaning in
 * YAML.
 */
const WORD = /^[A-Za-z][A-Za-z0-9._@/%+=~-]*$/;
/** Several words. Only one space stands between them, and no word starts with an indicator. */
const WORDS = /^[A-Za-z][A-Za-z0-9._@/%+=~-]*(?: [A-Za-z0-9][A-Za-z0-9._@/%+=~-]*)+$/;
/** A URL. In YAML a colon is an indicator only before a space or at the end of a line. */
const URL_WORD = /^https?:\/\/[A-Za-z0-9._@/%+=~-]+(?::[0-9]+[A-Za-z0-9._@/%+=~-]*)?$/;
/** A date-time. The core schema reads a date-time as a string. */
const DATE_TIME =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})$/;
/** Words that the core schema does not read as strings, in any case. */
const NOT_STRING = /^(?:null|true|false)$/i;
const QUOTED = /^(?:"[^"\\]*"|'[^']*')$/;
const FLOW_LIST = /^\[(?:[^\s,[\]]+(?:, [^\s,[\]]+)*)?\]$/;
const BLOCK_ITEM = /^( *)- (.+)$/;

function parseValue(text: string): unknown {
  if (text === 'null') return null;
  if (FLOW_LIST.test(text)) return parseFlowList(text === '[]' ? [] : text.slice(1, -1).split(', '));
  return parseString(text);
}

function parseString(text: string): string | undefined {
  if (QUOTED.test(text)) return text.slice(1, -1);
  const plain = WORD.test(text)
    ? !NOT_STRING.test(text)
    : URL_WORD.test(text) || DATE_TIME.test(text) || WORDS.test(text);
  return plain ? text : undefined;
}

function parseFlowList(words: readonly string[]): string[] | undefined {
  return words.every((word) => WORD.test(word) && !NOT_STRING.test(word)) ? [...words] : undefined;
}

/** Reads the items of a list, one per line, all with the same indentation. Empty if the list needs the full parser. */
function parseBlockItems(lines: readonly string[], from: number): string[] {
  const items: string[] = [];
  let indent: string | undefined;
  for (let at = from; at < lines.length; at++) {
    const [, before, word] = BLOCK_ITEM.exec(lines[at] as string) ?? [];
    if (before === undefined || word === undefined) break;
    indent ??= before;
    if (before !== indent || !WORD.test(word) || NOT_STRING.test(word)) return [];
    items.push(word);
  }
  return items;
}
