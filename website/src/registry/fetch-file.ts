import { limitOf, openFile, RegistryError } from '../verifier.js';

const TIMEOUT_MS = 30_000;

/** Fetches a file from the page's own host, within the verifier's limits. Revalidates cached copies. */
export async function fetchFile(base: URL, path: string): Promise<Uint8Array> {
  const request = { fetch: globalThis.fetch, signal: AbortSignal.timeout(TIMEOUT_MS) };
  const opened = await openFile(new URL(path, base).href, request, undefined);
  const bytes = (await opened?.read(limitOf(path)))?.bytes;
  if (bytes === undefined) throw new RegistryError('ERR_SOURCE_STATUS', `${path}: status 404`);
  return bytes;
}
