/** HTML or XML that is already escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** A test is quicker than a replacement that finds nothing. */
const MARKUP = /[&<>"']/;

type Part = string | number | Html | readonly Html[];

/**
 * Makes HTML or XML from a template. Every inserted string is escaped, so that no value of a record can become markup.
 */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = literals[0] ?? '';
  // Without an iterator: a build with pages of issuers comes here a million times.
  for (let at = 0; at < parts.length; at++) text += textOf(parts[at] ?? '') + (literals[at + 1] ?? '');
  return new Html(text);
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  const text = String(part);
  return MARKUP.test(text)
    ? text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
    : text;
}

/** HTML by the names of its places. */
export type Pieces = Readonly<Record<string, Html>>;

/** The pages of ten thousand issuers share buffers of this size: making one for each takes longer than filling it. */
const SHARED_BYTES = 64 * 1024;

/**
 * Replaces each placeholder `{{name}}` of a page with its HTML. What is the same in all pages is encoded once.
 *
 * @param common - what is the same in all pages of this template
 * @returns a function that fills the other placeholders. It throws an Error if one of them is missing
 */
export function templateOf(page: string, common: Pieces): (pieces: Pieces) => Buffer {
  const texts = [''];
  const names: string[] = [];
  for (const [at, part] of page.split(/\{\{([\w.]+)\}\}/).entries()) {
    const text = at % 2 === 0 ? part : common[part]?.text;
    if (text !== undefined) texts.push(texts.pop() + text);
    else {
      names.push(part);
      texts.push('');
    }
  }
  const fixed = texts.map((text) => Buffer.from(text));
  const fixedBytes = fixed.reduce((sum, { length }) => sum + length, 0);
  let [buffer, end] = [Buffer.alloc(0), 0];
  return (pieces) => {
    const own = names.map((name) => pieceOf(pieces, name));
    // In UTF-8, a UTF-16 code unit takes at most three bytes.
    const maxBytes = own.reduce((sum, { length }) => sum + 3 * length, fixedBytes);
    if (buffer.length - end < maxBytes)
      [buffer, end] = [Buffer.allocUnsafeSlow(Math.max(maxBytes, SHARED_BYTES)), 0];
    const begin = end;
    for (const [at, bytes] of fixed.entries()) {
      end += bytes.copy(buffer, end);
      end += buffer.write(own[at] ?? '', end);
    }
    return buffer.subarray(begin, end);
  };
}

function pieceOf(pieces: Pieces, name: string): string {
  const piece = pieces[name];
  if (piece === undefined) throw new Error(`there is nothing for {{${name}}}`);
  return piece.text;
}
