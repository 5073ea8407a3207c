/**
 * A `fetch` that connects to other hosts in place of some, as `curl --connect-to` does: for local tests, where an issuer
 * with a public address runs on this machine. It changes where requests go and not whom the verifier trusts: signatures are
 * still checked against the same keys.
 *
 * @param hosts - from origin to origin
 * @param fetch - default: the platform's
 *
 * @example
 * ```ts
 * import { connectTo } from '@passport-registry/verifier';
 *
 * const local = connectTo({ 'https://registry.local': 'https://registry.example' });
 * console.log((await local('https://registry.local/keys/root.json')).status); // 200
 * ```
 */
export function connectTo(
  hosts: Readonly<Record<string, string>>,
  fetch: typeof globalThis.fetch = globalThis.fetch.bind(globalThis),
): typeof globalThis.fetch {
  return (input, init) => {
    if (input instanceof Request) return fetch(new Request(moved(input.url, hosts), input), init);
    return fetch(moved(String(input), hosts), init);
  };
}

function moved(address: string, hosts: Readonly<Record<string, string>>): string {
  const { origin, pathname, search } = new URL(address);
  const target = Object.hasOwn(hosts, origin) ? hosts[origin] : undefined;
  return target === undefined ? address : target.replace(/\/$/, '') + pathname + search;
}
