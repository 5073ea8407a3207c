import { boundedFetch, limitOf } from '@passport-registry/verifier/internal';

const TIMEOUT_MS = 30_000;

/** Fetches a file from the page's own host, within the verifier's limits. Revalidates cached copies. */
export async function fetchFile(base: URL, path: string): Promise<Uint8Array> {
  const url = new URL(path, base).href;
  const limits = { fetch: globalThis.fetch, timeout: TIMEOUT_MS, maxBytes: limitOf(path) };
  const response = await boundedFetch(url, { cache: 'no-cache' }, limits);
  if (response.status === 200) return response.body();
  await response.discard();
  throw new Error(`${path}: status ${response.status}`);
}
