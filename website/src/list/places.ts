import { LANGUAGE, list as text } from '../texts.js';
import { placeName as nameOf } from '../verifier.js';

const regions = new Intl.DisplayNames([LANGUAGE], { type: 'region' });
const names = new Map<string, string>();

/** The name of a place of a record, in words. */
export function placeName(code: string): string {
  let name = names.get(code);
  if (name === undefined) {
    name = nameOf(code, { everywhere: text.everywhere, regions });
    names.set(code, name);
  }
  return name;
}
