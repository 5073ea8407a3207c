/**
 * Creates a `fetch` that connects to other hosts than the URLs name, like `curl --connect-to`. Use it in local tests,
 * where an issuer with a public URL runs on this machine. The function changes where requests go, and not whom the
 * verifier trusts: the verifier still checks signatures with the same keys.
 *
 * @param hosts - the origin to connect to, by the origin in the URL
 * @param fetch - the function that sends requests. Default: the platform's `fetch`
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
    if (input instanceof Request) return fetch(new Request(mapUrl(input.url, hosts), input), init);
    return fetch(mapUrl(String(input), hosts), init);
  };
}

function mapUrl(url: string, hosts: Readonly<Record<string, string>>): string {
  const { origin, pathname, search } = new URL(url);
  const target = Object.hasOwn(hosts, origin) ? hosts[origin] : undefined;
  return target === undefined ? url : target.replace(/\/$/, '') + pathname + search;
}
