import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';

/** Beyond this brotli takes a hundred times as long for a few hundredths. */
const BROTLI_QUALITY = 9;

/** Bytes as gzip (RFC 1952). Same bytes and same zlib: same result. */
export function gzipped(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION });
}

/** Bytes as brotli (RFC 7932). */
export function brotli(bytes: Uint8Array): Uint8Array {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
}

/** Whether a compressed file holds some bytes, and nothing else; it is not unpacked any further than these. */
export function holdsCompressed(path: string, file: Uint8Array, bytes: Uint8Array): boolean {
  const limits = { maxOutputLength: bytes.length + 1 };
  try {
    const held = path.endsWith('.gz') ? gunzipSync(file, limits) : brotliDecompressSync(file, limits);
    return held.equals(bytes);
  } catch {
    return false;
  }
}
