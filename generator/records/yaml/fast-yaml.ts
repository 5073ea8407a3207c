import { ISSUER_FIELDS } from '@passport-registry/verifier';

/**
 * Reads the plain YAML in which nearly every record is written, ten times as fast as a parser of all YAML: comment lines, and
 * fields of an issuer, each once, with a word, a quoted text or a list of words. At the first doubt it gives up, and the
 * parser decides; so it never has to say what is wrong with a file.
 *
 * @returns the record's data, the same that the parser makes of the text; undefined in doubt
 */
export function parseFastYaml(text: string): Record<string, unknown> | undefined {
  // All is ASCII, without tabs and carriage returns; and it ends with a line, so that there is always a next one.
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
      const items = blockItems(lines, at + 1);
      if (items.length === 0) return undefined;
      record[field] = items;
      at += items.length;
      continue;
    }
    const value = line.charCodeAt(colon + 1) === SPACE ? dataOf(line.slice(colon + 2)) : undefined;
    if (value === undefined) return undefined;
    record[field] = value;
  }
  return Object.keys(record).length === 0 ? undefined : record;
}

const SPACE = 0x20;
const PLAIN_TEXT = /^[\x20-\x7e\n]+\n$/;
const FIELDS: ReadonlySet<string> = new Set(ISSUER_FIELDS);

/** A word of which YAML makes a text: it starts like none of its numbers, and holds none of its signs. */
const WORD = /^[A-Za-z][A-Za-z0-9._@/%+=~-]*$/;
/** An address: a colon is no sign of YAML where something follows it. */
const ADDRESS = /^https?:\/\/[A-Za-z0-9._@/%+=~-]+(?::[0-9]+[A-Za-z0-9._@/%+=~-]*)?$/;
/** A date and time: to the core schema a text. */
const DATE_TIME =
  /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt][0-9]{2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]+)?(?:[Zz]|[+-][0-9]{2}:[0-9]{2})$/;
/** Words of which the core schema makes something else than a text, in whatever case. */
const NO_TEXT = /^(?:null|true|false)$/i;
const QUOTED = /^(?:"[^"\\]*"|'[^']*')$/;
const FLOW_LIST = /^\[(?:[^\s,[\]]+(?:, [^\s,[\]]+)*)?\]$/;
const BLOCK_ITEM = /^( *)- (.+)$/;

function dataOf(text: string): unknown {
  if (text === 'null') return null;
  if (FLOW_LIST.test(text)) return listOf(text === '[]' ? [] : text.slice(1, -1).split(', '));
  return textOf(text);
}

function textOf(text: string): string | undefined {
  if (QUOTED.test(text)) return text.slice(1, -1);
  const plain = WORD.test(text) ? !NO_TEXT.test(text) : ADDRESS.test(text) || DATE_TIME.test(text);
  return plain ? text : undefined;
}

function listOf(words: readonly string[]): string[] | undefined {
  return words.every((word) => WORD.test(word) && !NO_TEXT.test(word)) ? [...words] : undefined;
}

/** The items of a list, one a line, all equally far in; none in doubt. */
function blockItems(lines: readonly string[], from: number): string[] {
  const items: string[] = [];
  let indent: string | undefined;
  for (let at = from; at < lines.length; at++) {
    const [, before, word] = BLOCK_ITEM.exec(lines[at] as string) ?? [];
    if (before === undefined || word === undefined) break;
    indent ??= before;
    if (before !== indent || !WORD.test(word) || NO_TEXT.test(word)) return [];
    items.push(word);
  }
  return items;
}
