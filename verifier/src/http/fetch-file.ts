import { SourceContent, SourceStatus } from '../errors.js';
import { boundedFetch } from './bounded-fetch.js';

/** A file as a host sent it. */
export interface FetchedFile {
  readonly bytes: Uint8Array;
  readonly etag: string | undefined;
}

/** A file whose host has answered and whose bytes have not been read. The caller must read or discard the bytes. */
export interface OpenedFile {
  /** @param maxBytes - the largest size that is read */
  read(maxBytes: number): Promise<FetchedFile>;
  discard(): Promise<void>;
}

/** How to send a request for a file. */
export interface FileRequest {
  readonly fetch: typeof fetch;
  /** Ends the request, also while the file is read. */
  readonly signal: AbortSignal;
}

/**
 * Requests a file from a host, without following redirects.
 *
 * @param held - the cached version: it is returned if the host says that nothing has changed
 * @returns undefined when the host has no such file (404 or 410)
 */
export async function openFile(
  url: string,
  { fetch, signal }: FileRequest,
  held: FetchedFile | undefined,
): Promise<OpenedFile | undefined> {
  const response = await boundedFetch(url, conditional(held?.etag), {
    fetch,
    timeout: signal,
    // Every reader gives its own limit.
    maxBytes: 0,
  });
  const { status, headers, discard } = response;
  const isPage = /^text\/html\b/i.test(headers.get('content-type') ?? '');
  if (status === 200 && !isPage) {
    const etag = headers.get('etag') ?? undefined;
    return { read: async (maxBytes) => ({ bytes: await response.body(maxBytes), etag }), discard };
  }
  await discard();
  if (status === 404 || status === 410) return undefined;
  if (status === 304 && held !== undefined) return { read: async () => held, discard: async () => undefined };
  if (status !== 200) throw new SourceStatus(`${url} answers with status ${status}`);
  throw new SourceContent(`${url} is an HTML page`);
}

/**
 * Browsers revalidate by themselves, and a conditional header would cause a preflight. Other platforms have no cache, and
 * some throw on the `cache` option.
 */
function conditional(etag: string | undefined): RequestInit {
  const isBrowser = (globalThis as { location?: unknown }).location !== undefined;
  if (isBrowser) return { cache: 'no-cache' };
  return { headers: etag === undefined ? {} : { 'If-None-Match': etag } };
}
