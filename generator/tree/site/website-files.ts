import { packageFile, packagePath } from '../../files/package-file.js';
import { filesBelow } from '../../files/walk.js';
import { Html, html } from './html.js';

/** The language of the page (BCP 47), which selects the form of dates. */
const LANGUAGE = 'en-GB';

const decoder = new TextDecoder();

/** Reads a file of the page from the package. */
export function websiteFile(name: string): Uint8Array {
  return packageFile(`build/website/${name}`);
}

/** Reads a text of the page from the package. */
export function websiteText(name: string): string {
  return decoder.decode(websiteFile(name));
}

/** Returns the paths of the scripts of the page and of their licences, relative to `assets/`. */
export function websiteScripts(): string[] {
  return filesBelow(packagePath('build/website/assets'));
}

/** The words of the pages. They may contain markup, and places `{name}` for values. */
export class Words {
  readonly #texts: Readonly<Record<string, string>>;
  /** Made when the first day is asked for: the first one of a process takes a tenth of the time of a small build. */
  #days: Intl.DateTimeFormat | undefined;

  constructor() {
    this.#texts = JSON.parse(websiteText('texts.json'));
  }

  /** All words, by the names of their places in the templates. */
  all(): Record<string, Html> {
    return Object.fromEntries(
      Object.entries(this.#texts).map(([name, text]) => [`text.${name}`, new Html(text)]),
    );
  }

  /** Returns the day of a date-time in words. A text that is no date-time stays as it is. */
  day(time: string): string {
    const date = new Date(time.slice(0, 10));
    if (Number.isNaN(date.getTime())) return time;
    this.#days ??= new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'long', timeZone: 'UTC' });
    return this.#days.format(date);
  }

  /** Returns a text, or a word of a record if the page has no text for it. */
  word(name: string, otherwise: string): Html {
    return this.#texts[name] === undefined ? html`${otherwise}` : this.text(name);
  }

  /**
   * Returns one text with its values.
   *
   * @throws Error if there is no such text, or no value for a place
   */
  text(name: string, values: Readonly<Record<string, Html>> = {}): Html {
    const text = this.#texts[name];
    if (text === undefined) throw new Error(`the page has no text ${name}`);
    if (!text.includes('{')) return new Html(text);
    const filled = text.replaceAll(/\{(\w+)\}/g, (_place, place: string) => {
      const value = values[place];
      if (value === undefined) throw new Error(`there is nothing for {${place}} in the text ${name}`);
      return value.text;
    });
    return new Html(filled);
  }
}
