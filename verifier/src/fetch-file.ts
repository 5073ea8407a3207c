import { boundedFetch, type FetchLimits } from './bounded-fetch.js';
import { SourceContent, SourceStatus } from './errors.js';

/** A file as a host sent it. */
export interface FetchedFile {
  readonly bytes: Uint8Array;
  readonly etag: string | undefined;
}

/**
 * Fetches one file, bounded in time and size while it streams, without following a redirect.
 *
 * @param known - the version at hand: it is given back when the host says that nothing has changed
 * @returns undefined when the host has no such file (404 or 410)
 */
export async function fetchFile(
  url: string,
  limits: FetchLimits,
  known: FetchedFile | undefined,
): Promise<FetchedFile | undefined> {
  const response = await boundedFetch(url, conditional(known?.etag), limits);
  const { status, headers } = response;
  const isPage = /^text\/html\b/i.test(headers.get('content-type') ?? '');
  if (status === 200 && !isPage) {
    return { bytes: await response.body(), etag: headers.get('etag') ?? undefined };
  }
  await response.discard();
  if (status === 404 || status === 410) return undefined;
  if (status === 304 && known !== undefined) return known;
  if (status !== 200) throw new SourceStatus(`${url} answers with status ${status}`);
  throw new SourceContent(`${url} is an HTML page`);
}

/**
 * Browsers revalidate by themselves, and a conditional header of ours would cost a preflight; other platforms have no
 * cache, and some throw at the very mention of one.
 */
function conditional(etag: string | undefined): RequestInit {
  const isBrowser = (globalThis as { location?: unknown }).location !== undefined;
  if (isBrowser) return { cache: 'no-cache' };
  return { headers: etag === undefined ? {} : { 'If-None-Match': etag } };
}
