import type { InvalidText } from './invalid-text.js';

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Decodes UTF-8 strictly. Keeps a byte order mark as U+FEFF, so that parsers refuse the mark.
 *
 * @throws TypeError if the bytes are not UTF-8
 */
export function decodeUtf8(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** Returns the text of a file, decoded strictly. @param invalid - creates the error to throw */
export function textOf(content: Uint8Array | string, invalid: InvalidText): string {
  if (typeof content === 'string') return content;
  try {
    return decodeUtf8(content);
  } catch {
    throw invalid('is not UTF-8');
  }
}
