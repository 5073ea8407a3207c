/** Asks the page's own host for a file of the registry: as it is now, without credentials, and not where it redirects to. */
export function ask(base: URL, path: string): Promise<Response> {
  return fetch(new URL(path, base), { cache: 'no-cache', credentials: 'omit', redirect: 'error' });
}
