/** A piece of HTML that needs no escaping any more. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Part = string | number | Html | readonly Html[];

/** HTML from a template: every text in it is escaped, so that nothing in a record can become markup. */
export function html(literals: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const inserted = parts.map((part, index) => `${textOf(part)}${literals.raw[index + 1] ?? ''}`);
  return new Html(`${literals.raw[0]}${inserted.join('')}`);
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('\n');
  return escaped(String(part));
}

/** A text for HTML and for XML, between tags or within quotes. */
export function escaped(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Fills the places of a page, `{{name}}`, each with its piece of HTML.
 *
 * @throws Error when the page has a place for which there is nothing: the page and its caller do not fit
 */
export function filled(page: string, pieces: Readonly<Record<string, Html>>): string {
  return page.replaceAll(/\{\{(\w+)\}\}/g, (_place, name: string) => {
    const piece = pieces[name];
    if (piece === undefined) throw new Error(`there is nothing for {{${name}}}`);
    return piece.text;
  });
}
