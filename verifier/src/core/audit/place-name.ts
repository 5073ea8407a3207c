/** The words for places. */
export interface PlaceWords {
  /** The word for `global`. */
  readonly everywhere: string;
  /** The names of countries. */
  readonly regions: Intl.DisplayNames;
}

/** Returns the name of a place of a record: a country in words, or a subdivision by its code and the name of its country. */
export function placeName(code: string, { everywhere, regions }: PlaceWords): string {
  if (code === 'global') return everywhere;
  const [country = '', part] = code.split('-');
  const known = (/^[A-Z]{2}$/.test(country) && regions.of(country)) || country;
  return part === undefined ? known : `${code} (${known})`;
}
