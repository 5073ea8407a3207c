/** Creates the error for what is not in its format. The message is a predicate, such as "is not a JWS in compact form". */
export type Invalid = (message: string, cause?: unknown) => Error;

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
export function textOf(content: Uint8Array | string, invalid: Invalid): string {
  if (typeof content === 'string') return content;
  try {
    return decodeUtf8(content);
  } catch (cause) {
    throw invalid('is not UTF-8', cause);
  }
}
