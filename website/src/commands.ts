import { routeOf } from './route.js';

/** Quotes the registry's URL for a shell. */
function quoteForShell(base: URL): string {
  return `'${base.href.replace(/\/$/, '').replaceAll("'", '%27')}'`;
}

/** Writes the URL of this registry into the commands of the page, and the id of the issuer that the reader looks at. */
export function fillCommands(base: URL): void {
  const code = document.querySelector('.commands');
  if (code === null) return;
  const text = (code.textContent ?? '').replace(/^REGISTRY=\S+/m, () => `REGISTRY=${quoteForShell(base)}`);
  const fill = () => {
    const route = routeOf(location.hash);
    // A shell reads nothing else into these letters, and an id has no others.
    const isId = route.kind === 'issuer' && /^[a-z0-9._-]+$/.test(route.id);
    code.textContent = isId ? text.replace(/^ISSUER=\S+/m, `ISSUER=${route.id}`) : text;
  };
  addEventListener('hashchange', fill);
  fill();
}
