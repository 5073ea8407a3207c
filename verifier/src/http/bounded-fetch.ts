import { RegistryError, SourceRedirected } from '../core/errors.js';
import { LimitExceeded, readLimited } from './read-limited.js';
import { untilAborted } from './until-aborted.js';

/** How to send a request, and its limits. */
export interface FetchLimits {
  readonly fetch: typeof fetch;
  /** The time limit for the whole response, in milliseconds, or a signal if several requests share one deadline. */
  readonly timeout: number | AbortSignal;
  /** The maximum size of the response in bytes, after decompression. */
  readonly maxBytes: number;
}

/** A response whose body has not been read. The caller must read or discard the body. */
export interface BoundedResponse {
  readonly status: number;
  readonly headers: Headers;
  /** Reads the body, within the limits. @param maxBytes - replaces the limit of the request */
  body(maxBytes?: number): Promise<Uint8Array>;
  /** Discards the body. An unread body would keep the connection open. */
  discard(): Promise<void>;
}

/**
 * Sends a request without credentials and without following redirects. Enforces the limits for time and size while the
 * response arrives, even if `fetch` ignores its signal.
 *
 * @throws `ERR_SOURCE_UNREACHABLE` | `ERR_SOURCE_TIMEOUT` | {@link SourceRedirected}. Reading the body throws
 *   `ERR_SOURCE_TOO_LARGE` | `ERR_SOURCE_TRUNCATED` | `ERR_SOURCE_TIMEOUT`
 */
export async function boundedFetch(
  url: string,
  init: RequestInit,
  { fetch, timeout, maxBytes }: FetchLimits,
): Promise<BoundedResponse> {
  const signal = typeof timeout === 'number' ? AbortSignal.timeout(timeout) : timeout;
  const response = await request(url, fetch, { ...init, redirect: 'manual', credentials: 'omit', signal });
  const { status, type, headers } = response;
  const discard = async () => response.body?.cancel().catch(() => undefined);
  if (type === 'opaqueredirect' || (status >= 300 && status < 400 && status !== 304)) {
    await discard();
    throw new SourceRedirected(url, status, headers.get('location') ?? undefined);
  }
  const body = (limit = maxBytes) => readBody(response, limit, { url, signal });
  return { status, headers, body, discard };
}

async function request(
  url: string,
  fetch: typeof globalThis.fetch,
  init: RequestInit & { signal: AbortSignal },
) {
  let answer: Promise<Response> | undefined;
  try {
    // A custom `fetch` may ignore the signal.
    init.signal.throwIfAborted();
    answer = fetch(url, init);
    return await untilAborted(answer, init.signal);
  } catch (cause) {
    // An answer after the deadline would keep its connection open.
    answer?.then(({ body }) => body?.cancel()).catch(() => undefined);
    throw init.signal.aborted
      ? new RegistryError('ERR_SOURCE_TIMEOUT', `${url} did not respond in time`, { cause })
      : new RegistryError('ERR_SOURCE_UNREACHABLE', `${url} cannot be reached`, { cause });
  }
}

async function readBody(
  { body }: Response,
  maxBytes: number,
  { url, signal }: { url: string; signal: AbortSignal },
): Promise<Uint8Array> {
  try {
    return await untilAborted(readLimited(body, maxBytes), signal);
  } catch (cause) {
    if (cause instanceof LimitExceeded)
      throw new RegistryError('ERR_SOURCE_TOO_LARGE', `${url} is ${cause.message}`, { cause });
    throw signal.aborted
      ? new RegistryError('ERR_SOURCE_TIMEOUT', `the response of ${url} did not arrive in time`, { cause })
      : new RegistryError('ERR_SOURCE_TRUNCATED', `the response of ${url} ended too early`, { cause });
  }
}
