import { type Invalid, textOf } from './utf8.js';

/** Why a text is not strict JSON. */
export type JsonFault = 'not-utf8' | 'duplicate-member' | 'number-too-large' | 'too-deep' | 'syntax';

/** A text is not strict JSON. The message names the fault in printable ASCII, and may quote the input. */
export class JsonRefused extends SyntaxError {
  readonly fault: JsonFault;

  constructor(fault: JsonFault, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'JsonRefused';
    this.fault = fault;
  }
}

/** The maximum nesting: more than any document needs, and safe for the stack of every platform (rule strict-json). */
export const MAX_JSON_DEPTH = 500;

const NUMBER = /-?[0-9][0-9.eE+-]*/y;

/**
 * Parses untrusted JSON. In addition to everything that `JSON.parse` refuses, the function refuses content that two
 * parsers could read differently: a duplicate member of an object, a number beyond 2^53 - 1 (I-JSON, RFC 7493, sections
 * 2.2 and 2.3), a byte order mark, bytes that are not UTF-8, and nesting deeper than 500.
 *
 * The caller must limit the size.
 *
 * @param json - the JSON, as bytes or as a string
 * @throws {@link JsonRefused}
 */
export function parseStrictJson(json: Uint8Array | string): unknown {
  const text = textOf(json, () => new JsonRefused('not-utf8', 'it is not UTF-8'));
  try {
    // The scan comes first: it is not recursive, so deep nesting cannot overflow the stack.
    refuseAmbiguous(text);
    return JSON.parse(text);
  } catch (cause) {
    const { message } = cause as Error;
    const fault = cause instanceof JsonRefused ? cause.fault : 'syntax';
    throw new JsonRefused(fault, message.replaceAll(/[^ -~]/g, '?'), { cause });
  }
}

/** Parses strict JSON, like {@link parseStrictJson}. @param invalid - creates the error to throw */
export function strictJsonOf(json: Uint8Array | string, invalid: Invalid): unknown {
  try {
    return parseStrictJson(json);
  } catch (cause) {
    throw invalid(`is not strict JSON: ${(cause as Error).message}`, cause);
  }
}

/** Parses JSON whose form is checked afterwards. @param invalid - creates the error to throw */
export function jsonOf(text: string, invalid: Invalid): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw invalid('is not JSON', cause);
  }
}

/** Scans strings, numbers and brackets. Other invalid JSON passes this scan and fails in `JSON.parse`. */
function refuseAmbiguous(text: string): void {
  /** The member names seen so far in each open object, outermost first. Undefined for an open array. */
  const open: (Set<string> | undefined)[] = [];
  let atKey = false;
  for (let at = 0; at < text.length; ) {
    const character = text[at] as string;
    if (character === '"') {
      const token = stringAt(text, at);
      if (atKey) addMember(open.at(-1), token);
      atKey = false;
      at += token.length;
    } else if (character === '-' || (character >= '0' && character <= '9')) {
      const token = numberAt(text, at);
      if (Math.abs(Number(token)) > Number.MAX_SAFE_INTEGER) {
        throw new JsonRefused('number-too-large', `a number is beyond 2^53 - 1: ${token.slice(0, 40)}`);
      }
      at += token.length;
    } else {
      if (character === '{' || character === '[') {
        open.push(character === '{' ? new Set() : undefined);
        if (open.length > MAX_JSON_DEPTH) {
          throw new JsonRefused('too-deep', `it is nested more deeply than ${MAX_JSON_DEPTH}`);
        }
        atKey = character === '{';
      } else if (character === '}' || character === ']') {
        open.pop();
        atKey = false;
      } else if (character === ',') {
        atKey = open.at(-1) !== undefined;
      }
      at += 1;
    }
  }
}

/** Returns a string token with its quotes. A regular expression with alternatives would overflow the stack here. */
function stringAt(text: string, start: number): string {
  let quote = text.indexOf('"', start + 1);
  // A quote after an odd number of backslashes is escaped. Nothing after the string is searched, so the time stays linear.
  while (quote !== -1) {
    let before = quote;
    while (text[before - 1] === '\\') before--;
    if ((quote - before) % 2 === 0) return text.slice(start, quote + 1);
    quote = text.indexOf('"', quote + 1);
  }
  throw new SyntaxError('a string is not terminated');
}

function numberAt(text: string, at: number): string {
  NUMBER.lastIndex = at;
  return NUMBER.exec(text)?.[0] ?? '-';
}

function addMember(members: Set<string> | undefined, token: string): void {
  // With escapes, one name has several spellings.
  const name = token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
  if (members?.has(name)) {
    throw new JsonRefused('duplicate-member', `the member ${token.slice(0, 80)} appears twice`);
  }
  members?.add(name);
}
