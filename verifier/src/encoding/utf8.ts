const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8 strictly. A byte order mark is kept as U+FEFF, so that the parser of the text refuses it.
 *
 * @throws TypeError when the bytes are not UTF-8
 */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}
