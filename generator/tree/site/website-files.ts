import { readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { packageFile, packagePath } from '../../files/package-file.js';
import { Html } from './html.js';

/** Reads a file of the page from the package. */
export function websiteFile(name: string): Uint8Array {
  return packageFile(`build/website/${name}`);
}

/** Returns the paths of the scripts of the page and of their licences, relative to `assets/`. */
export function websiteScripts(): string[] {
  const folder = packagePath('build/website/assets');
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return files
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll(sep, '/'))
    .sort();
}

let known: Readonly<Record<string, string>> | undefined;

/** The words of the pages in one language. They may contain markup, and places `{name}` for values. */
function texts(): Readonly<Record<string, string>> {
  known ??= JSON.parse(new TextDecoder().decode(websiteFile('texts.json'))) as Record<string, string>;
  return known;
}

/** Returns all words of the pages, by the names of their places in the templates. */
export function pageTexts(): Record<string, Html> {
  return Object.fromEntries(
    Object.entries(texts()).map(([name, text]) => [
      name === 'language' ? name : `text.${name}`,
      new Html(text),
    ]),
  );
}

let days: Intl.DateTimeFormat | undefined;

/** Returns the day of a date-time in words, in the language of the pages. A text that is no date-time stays as it is. */
export function dayInWords(time: string): string {
  const date = new Date(time.slice(0, 10));
  if (Number.isNaN(date.getTime())) return time;
  // A new one takes a third of a millisecond, and a large list has thousands of dates.
  days ??= new Intl.DateTimeFormat(texts()['language'], { dateStyle: 'long', timeZone: 'UTC' });
  return days.format(date);
}

/**
 * Returns one text of the pages with its values.
 *
 * @throws Error if there is no such text, or no value for a place
 */
export function pageText(name: string, values: Readonly<Record<string, Html>> = {}): Html {
  const text = texts()[name];
  if (text === undefined) throw new Error(`the page has no text ${name}`);
  const filled = text.replaceAll(/\{(\w+)\}/g, (_place, place: string) => {
    const value = values[place];
    if (value === undefined) throw new Error(`there is nothing for {${place}} in the text ${name}`);
    return value.text;
  });
  return new Html(filled);
}
