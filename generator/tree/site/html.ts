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
  const inserted = parts.map((part, index) => `${textOf(part)}${literals[index + 1] ?? ''}`);
  return new Html(`${literals[0]}${inserted.join('')}`);
}

function textOf(part: Part): string {
  if (part instanceof Html) return part.text;
  if (typeof part === 'object') return part.map(({ text }) => text).join('');
  return String(part).replaceAll(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/**
 * Replaces each placeholder `{{name}}` of a page with its HTML.
 *
 * @throws Error if no HTML is given for a placeholder
 */
export function fillTemplate(page: string, pieces: Readonly<Record<string, Html>>): string {
  return page.replaceAll(/\{\{([\w.]+)\}\}/g, (_placeholder, name: string) => {
    const piece = pieces[name];
    if (piece === undefined) throw new Error(`there is nothing for {{${name}}}`);
    return piece.text;
  });
}
