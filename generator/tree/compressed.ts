import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync, gzipSync } from 'node:zlib';

/** A higher quality takes a hundred times as long and saves only a few percent. */
const BROTLI_QUALITY = 9;

/** Compresses bytes with gzip (RFC 1952). The same bytes and the same zlib give the same result. */
export function gzipped(bytes: Uint8Array): Uint8Array {
  return gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION });
}

/** Compresses bytes with brotli (RFC 7932). */
export function brotli(bytes: Uint8Array): Uint8Array {
  return brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } });
}

/** Whether a compressed file contains exactly these bytes. Decompression stops as soon as the output is longer. */
export function holdsCompressed(path: string, file: Uint8Array, bytes: Uint8Array): boolean {
  const limits = { maxOutputLength: bytes.length + 1 };
  try {
    const decompressed = path.endsWith('.gz') ? gunzipSync(file, limits) : brotliDecompressSync(file, limits);
    return decompressed.equals(bytes);
  } catch {
    return false;
  }
}
