import { concat } from '../core/bytes/encodings.js';

/** A body is larger than its limit. */
export class LimitExceeded extends Error {
  constructor(maxBytes: number) {
    super(`larger than ${maxBytes} bytes`);
    this.name = 'LimitExceeded';
  }
}

/**
 * Reads a body to its end, and stops as soon as the body exceeds the limit. Every body from a host is read here.
 *
 * @param body - the decompressed body. Null if there is no body
 * @param maxBytes - the maximum size in bytes. A body of exactly this size is accepted
 * @throws {@link LimitExceeded}; the errors of the stream
 */
export async function readLimited(
  body: ReadableStream<Uint8Array> | null,
  maxBytes: number,
): Promise<Uint8Array> {
  const reader = body?.getReader();
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      size += next.value.length;
      if (size > maxBytes) throw new LimitExceeded(maxBytes);
      chunks.push(next.value);
    }
  } catch (error) {
    // Not awaited: a source may never confirm the cancellation, and a cloned body ends only when the original ends.
    reader?.cancel().catch(() => undefined);
    throw error;
  }
  return concat(chunks);
}
