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
 * @param body - the decompressed body of a response; null if it has no body
 * @param maxBytes - the limit, in bytes; a body of exactly that size is read
 * @throws {@link LimitExceeded}, and the errors of the stream
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
    // Not awaited: a source may never say that it has stopped, and a copy of a body stops only with its original.
    reader?.cancel().catch(() => undefined);
    throw error;
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
