const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8 strictly. Keeps a byte order mark as U+FEFF, so that parsers refuse the mark.
 *
 * @throws TypeError if the bytes are not UTF-8
 */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
