import { RegistryError } from '../core/errors.js';
import { boundedFetch } from './bounded-fetch.js';

/** A file from a host. */
export interface FetchedFile {
  readonly bytes: Uint8Array;
  readonly etag: string | undefined;
}

/**
 * A file whose host has responded, but whose content has not been read. The caller must read or discard the content.
 */
export interface OpenedFile {
  /** Reads the content. @param maxBytes - the maximum size in bytes */
  read(maxBytes: number): Promise<FetchedFile>;
  /** Discards the content. */
  discard(): void;
}

/** How to send a request for a file. */
interface FileRequest {
  readonly fetch: typeof fetch;
  /** Ends the request, also while the file is read. */
  readonly signal: AbortSignal;
}

/**
 * Requests a file from a host, without following redirects.
 *
 * @param held - the cached version. The function returns it if the host responds that nothing has changed
 * @returns undefined if the host has no such file (404 or 410)
 */
export async function openFile(
  url: string,
  { fetch, signal }: FileRequest,
  held: FetchedFile | undefined,
): Promise<OpenedFile | undefined> {
  const response = await boundedFetch(url, conditionalInit(held?.etag), {
    fetch,
    timeout: signal,
    // Each call of `read` sets its own limit.
    maxBytes: 0,
  });
  const { status, headers, discard } = response;
  const isPage = /^text\/html\b/i.test(headers.get('content-type') ?? '');
  if (status === 200 && !isPage) {
    const etag = headers.get('etag') ?? undefined;
    return { read: async (maxBytes) => ({ bytes: await response.body(maxBytes), etag }), discard };
  }
  discard();
  if (status === 404 || status === 410) return undefined;
  if (status === 304 && held !== undefined) return { read: async () => held, discard: () => undefined };
  if (status !== 200) throw new RegistryError('ERR_SOURCE_STATUS', `${url} responded with status ${status}`);
  throw new RegistryError('ERR_SOURCE_CONTENT', `${url} is an HTML page`);
}

/**
 * Returns the options of a conditional request. Browsers revalidate their own cache, and a conditional header would
 * cause a preflight request. Other platforms have no cache, and some throw on the `cache` option.
 */
function conditionalInit(etag: string | undefined): RequestInit {
  const isBrowser = (globalThis as { location?: unknown }).location !== undefined;
  if (isBrowser) return { cache: 'no-cache' };
  return { headers: etag === undefined ? {} : { 'If-None-Match': etag } };
}
