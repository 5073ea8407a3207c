/** HTML or XML that is already escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

/**
 * Makes HTML or XML from a template. Every inserted string is escaped, so that no value of a record can become markup.
 */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  let text = literals[0] ?? '';
  for (const [at, part] of parts.entries()) text += textOf(part) + (literals[at + 1] ?? '');
  return new Html(text);
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** HTML by the names of its places. */
export type Pieces = Readonly<Record<string, Html>>;

/**
 * Replaces each placeholder `{{name}}` of a page with its HTML.
 *
 * @throws Error if one of them is missing
 */
export function filled(page: string, pieces: Pieces): string {
  return page.replaceAll(/\{\{([\w.]+)\}\}/g, (_place, name: string) => {
    const piece = pieces[name];
    if (piece === undefined) throw new Error(`there is nothing for {{${name}}}`);
    return piece.text;
  });
}
