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

/**
 * Replaces each placeholder `{{name}}` of a page with its HTML.
 *
 * @param common - what is the same in all pages of this template
 * @returns a function that fills the other placeholders. It throws an Error if one of them is missing
 */
export function templateOf(page: string, common: Pieces): (pieces: Pieces) => string {
  const parts: (string | { readonly name: string })[] = [];
  for (const [at, part] of page.split(/\{\{([\w.]+)\}\}/).entries()) {
    const text = at % 2 === 0 ? part : common[part]?.text;
    const last = parts.at(-1);
    if (text === undefined) parts.push({ name: part });
    else if (typeof last === 'string') parts[parts.length - 1] = last + text;
    else parts.push(text);
  }
  return (pieces) => {
    let text = '';
    for (const part of parts) text += typeof part === 'string' ? part : pieceOf(pieces, part.name);
    return text;
  };
}

function pieceOf(pieces: Pieces, name: string): string {
  const piece = pieces[name];
  if (piece === undefined) throw new Error(`there is nothing for {{${name}}}`);
  return piece.text;
}
