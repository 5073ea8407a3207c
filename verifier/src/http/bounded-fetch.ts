import { concat } from '../core/bytes/encodings.js';
import { RegistryError, SourceRedirected } from '../core/errors.js';

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
  discard(): void;
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
  const { status, type, redirected, headers } = response;
  const discard = () => cancelLater(response.body);
  // `redirected`: not every platform knows how not to follow.
  if (type === 'opaqueredirect' || redirected || (status >= 300 && status < 400 && status !== 304)) {
    discard();
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
    answer?.then(({ body }) => cancelLater(body)).catch(() => undefined);
    if (init.signal.aborted) throw late(url, cause);
    throw new RegistryError('ERR_SOURCE_UNREACHABLE', `${url} cannot be reached`, { cause });
  }
}

/**
 * Cancels a body, and waits for nothing: a source may never confirm the cancellation, and a clone of a response ends only
 * when the original ends.
 */
function cancelLater(body: Pick<ReadableStream, 'cancel'> | null | undefined): void {
  const cancelled = async () => body?.cancel();
  cancelled().catch(() => undefined);
}

async function readBody(
  { body }: Response,
  maxBytes: number,
  { url, signal }: { url: string; signal: AbortSignal },
): Promise<Uint8Array> {
  try {
    return await untilAborted(readLimited(body, maxBytes, signal), signal);
  } catch (cause) {
    if (cause instanceof LimitExceeded)
      throw new RegistryError('ERR_SOURCE_TOO_LARGE', `${url} is ${cause.message}`, { cause });
    if (signal.aborted) throw late(url, cause);
    throw new RegistryError('ERR_SOURCE_TRUNCATED', `the response of ${url} ended too early`, { cause });
  }
}

function late(url: string, cause: unknown): RegistryError {
  return new RegistryError('ERR_SOURCE_TIMEOUT', `${url} did not respond in time`, { cause });
}

/** Waits for work, but no longer than some milliseconds. @param late - returns or throws what counts after them */
export async function inTime<T, L>(work: Promise<T>, after: number, late: () => L): Promise<T | L> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, after);
  });
  try {
    return await Promise.race([work, elapsed.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for work, but rejects as soon as a signal aborts. This works even if a custom `fetch` ignores the signal. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const settle =
      <V>(outcome: (value: V) => void) =>
      (value: V) => {
        signal.removeEventListener('abort', abort);
        outcome(value);
      };
    work.then(settle(resolve), settle(reject));
  });
}

/** A body is larger than its limit. */
export class LimitExceeded extends Error {
  constructor(maxBytes: number) {
    super(`larger than ${maxBytes} bytes`);
    this.name = 'LimitExceeded';
  }
}

/** How many chunks of a body are read before timers have their turn. */
const CHUNKS_PER_TURN = 1000;

/**
 * Reads a body to its end, and stops as soon as the body exceeds the limit. Every body from a host is read here.
 *
 * @param body - the decompressed body. Null if there is no body
 * @param maxBytes - the maximum size in bytes. A body of exactly this size is accepted
 * @param signal - ends the reading of a stream that goes on without it
 * @throws {@link LimitExceeded}; the errors of the stream
 */
export async function readLimited(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      size += next.value.length;
      // A stream that always has a next chunk, such as an empty one, would leave no turn to the timer of the deadline.
      if (chunks.length % CHUNKS_PER_TURN === CHUNKS_PER_TURN - 1)
        await new Promise((turn) => setTimeout(turn));
      signal?.throwIfAborted();
      if (size > maxBytes) throw new LimitExceeded(maxBytes);
      chunks.push(next.value);
    }
  } catch (error) {
    reader?.cancel().catch(() => undefined);
    throw error;
  }
  return concat(chunks);
}
