/** The address that stands in the commands of the page until this script knows a better one. */
const EXAMPLE = 'https://registry.example';

/** The registry's address, quoted for a shell. */
function quoted(base: URL): string {
  return `'${base.href.replace(/\/$/, '').replaceAll("'", '%27')}'`;
}

/** The commands of the page, with this registry's address in them. */
export function addressed(base: URL, text: string): string {
  return text.replaceAll(`=${EXAMPLE}`, `=${quoted(base)}`);
}
