import {
  type RegistryError,
  SourceContent,
  SourceRedirected,
  SourceStatus,
  SourceTimeout,
  SourceTooLarge,
  SourceTruncated,
  SourceUnreachable,
} from './errors.js';

/** How a file may be fetched. */
export interface FetchLimits {
  readonly fetch: typeof fetch;
  /** Longest time for one whole file, in milliseconds. */
  readonly timeout: number;
  /** Largest file, in bytes, after the platform has undone any compression. */
  readonly maxBytes: number;
}

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
  { fetch, timeout, maxBytes }: FetchLimits,
  known: FetchedFile | undefined,
): Promise<FetchedFile | undefined> {
  const signal = AbortSignal.timeout(timeout);
  const response = await request(url, fetch, signal, known?.etag);
  if (response.status === 404 || response.status === 410) return discard(response, undefined);
  if (response.status === 304 && known !== undefined) return discard(response, known);
  const refused = refusal(url, response);
  if (refused !== undefined) throw await discard(response, refused);
  const bytes = await readBody(url, response, maxBytes, signal);
  return { bytes, etag: response.headers.get('etag') ?? undefined };
}

/**
 * Browsers revalidate by themselves, and a conditional header of ours would cost a preflight; other platforms have no
 * cache, and some throw at the very mention of one.
 */
function isBrowser(): boolean {
  return (globalThis as { location?: unknown }).location !== undefined;
}

async function request(
  url: string,
  fetch: typeof globalThis.fetch,
  signal: AbortSignal,
  etag: string | undefined,
) {
  const conditional: RequestInit = isBrowser()
    ? { cache: 'no-cache' }
    : { headers: etag === undefined ? {} : { 'If-None-Match': etag } };
  try {
    return await fetch(url, { ...conditional, redirect: 'manual', credentials: 'omit', signal });
  } catch (cause) {
    throw signal.aborted
      ? new SourceTimeout(`${url} did not answer in time`, { cause })
      : new SourceUnreachable(`${url} cannot be reached`, { cause });
  }
}

function refusal(url: string, response: Response): RegistryError | undefined {
  const { status, type, headers } = response;
  if (type === 'opaqueredirect' || (status >= 300 && status < 400)) {
    return new SourceRedirected(`${url} redirects to ${headers.get('location') ?? 'elsewhere'}`);
  }
  if (status !== 200) return new SourceStatus(`${url} answers with status ${status}`);
  if (/^text\/html\b/i.test(headers.get('content-type') ?? ''))
    return new SourceContent(`${url} is an HTML page`);
  return undefined;
}

/** An unread body would keep its connection. */
async function discard<T>(response: Response, value: T): Promise<T> {
  await response.body?.cancel().catch(() => undefined);
  return value;
}

async function readBody(
  url: string,
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  try {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      size += next.value.length;
      if (size > maxBytes) throw new SourceTooLarge(`${url} is larger than ${maxBytes} bytes`);
      chunks.push(next.value);
    }
  } catch (cause) {
    await reader?.cancel().catch(() => undefined);
    if (cause instanceof SourceTooLarge) throw cause;
    throw signal.aborted
      ? new SourceTimeout(`${url} was not sent in time`, { cause })
      : new SourceTruncated(`${url} broke off after ${size} bytes`, { cause });
  }
  return joined(chunks, size);
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
