import { LANGUAGE, list as text } from '../texts/en.js';

const regions = new Intl.DisplayNames([LANGUAGE], { type: 'region' });
const names = new Map<string, string>();

/** The name of a place of a record: a country in words, or a subdivision by its code and the name of its country. */
export function placeName(code: string): string {
  let name = names.get(code);
  if (name === undefined) {
    name = nameOf(code);
    names.set(code, name);
  }
  return name;
}

function nameOf(code: string): string {
  if (code === 'global') return text.everywhere;
  const [country = '', part] = code.split('-');
  const known = (/^[A-Z]{2}$/.test(country) && regions.of(country)) || country;
  return part === undefined ? known : `${code} (${known})`;
}
