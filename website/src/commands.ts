/** The placeholder for the registry's URL in the commands of the page. */
const EXAMPLE_URL = 'https://registry.example';

/** Quotes the registry's URL for a shell. */
function quoteForShell(base: URL): string {
  return `'${base.href.replace(/\/$/, '').replaceAll("'", '%27')}'`;
}

/** Replaces the placeholder in the commands of the page with the URL of this registry. */
export function insertRegistryUrl(base: URL): void {
  for (const code of document.querySelectorAll('.commands')) {
    code.textContent = (code.textContent ?? '').replaceAll(`=${EXAMPLE_URL}`, `=${quoteForShell(base)}`);
  }
}
