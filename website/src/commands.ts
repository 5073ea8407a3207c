/** The address that stands in the commands of the page until this script knows a better one. */
const EXAMPLE = 'https://registry.example';

/** Commands with this registry's address in them, quoted for a shell. */
export function commands(base: URL, text: string): string {
  const address = base.href.replace(/\/$/, '').replaceAll("'", '%27');
  return text.replaceAll(`=${EXAMPLE}`, `='${address}'`);
}
