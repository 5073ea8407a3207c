import { limitOf, openFile, RegistryError } from '../verifier.js';

const TIMEOUT_MS = 30_000;

/** Fetches a file from the page's own host, within the verifier's limits. Revalidates cached copies. */
export async function fetchFile(base: URL, path: string): Promise<Uint8Array> {
  const bytes = await fetchIfThere(base, path);
  if (bytes === undefined) throw new RegistryError('ERR_SOURCE_STATUS', `${path}: status 404`);
  return bytes;
}

/**
 * Fetches a file like {@link fetchFile}.
 *
 * @param query - added to the URL. A host ignores the query, and a cache that holds an old copy does not
 * @returns undefined if the host has no such file
 */
export async function fetchIfThere(base: URL, path: string, query = ''): Promise<Uint8Array | undefined> {
  const request = { fetch: globalThis.fetch, signal: AbortSignal.timeout(TIMEOUT_MS) };
  const opened = await openFile(new URL(path + query, base).href, request, undefined);
  return (await opened?.read(limitOf(path)))?.bytes;
}
