import {
  SourceRedirected,
  SourceTimeout,
  SourceTooLarge,
  SourceTruncated,
  SourceUnreachable,
} from './errors.js';

/** How much a host may cost. */
export interface FetchLimits {
  readonly fetch: typeof fetch;
  /** Longest time for one whole answer, in milliseconds. */
  readonly timeout: number;
  /** Largest answer, in bytes, after the platform has undone any compression. */
  readonly maxBytes: number;
}

/** An answer whose body has not been read. Who does not want the body must discard it. */
export interface BoundedResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Reads the body, within the limits. */
  body(): Promise<Uint8Array>;
  /** Gives the body up; an unread one would keep its connection. */
  discard(): Promise<void>;
}

/**
 * Asks a host, bounded in time and size while it streams, with no credentials and without following a redirect.
 *
 * @throws {@link SourceUnreachable} | {@link SourceTimeout} | {@link SourceRedirected}; while the body is read
 *   {@link SourceTooLarge} | {@link SourceTruncated} | {@link SourceTimeout}
 */
export async function boundedFetch(
  url: string,
  init: RequestInit,
  { fetch, timeout, maxBytes }: FetchLimits,
): Promise<BoundedResponse> {
  const signal = AbortSignal.timeout(timeout);
  const response = await request(url, fetch, { ...init, redirect: 'manual', credentials: 'omit', signal });
  const { status, type, headers } = response;
  const discard = async () => response.body?.cancel().catch(() => undefined);
  if (type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304)) {
    await discard();
    throw new SourceRedirected(`${url} redirects to ${headers.get('location') ?? 'elsewhere'}`);
  }
  return { status, headers, body: () => readBody(url, response, maxBytes, signal), discard };
}

async function request(
  url: string,
  fetch: typeof globalThis.fetch,
  init: RequestInit & { signal: AbortSignal },
) {
  try {
    return await fetch(url, init);
  } catch (cause) {
    throw init.signal.aborted
      ? new SourceTimeout(`${url} did not answer in time`, { cause })
      : new SourceUnreachable(`${url} cannot be reached`, { cause });
  }
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
