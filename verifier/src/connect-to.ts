/**
 * A `fetch` that connects some hosts elsewhere, as `curl --connect-to` does: for trying things on a laptop, where an issuer
 * that is known by one address answers at another. It changes whom you talk to and not whom you trust: signatures are
 * checked against the same keys.
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
