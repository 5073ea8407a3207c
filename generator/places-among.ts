/** For each of some sorted texts its place among others that are sorted, too; -1 for one that is not among them. */
export function placesAmong(texts: readonly string[], others: readonly string[]): Int32Array {
  const places = new Int32Array(texts.length).fill(-1);
  let place = 0;
  for (const [index, text] of texts.entries()) {
    while (place < others.length && (others[place] as string) < text) place++;
    if (others[place] === text) places[index] = place;
  }
  return places;
}
