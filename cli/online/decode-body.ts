import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** Decodes a body as the `fetch` of Node.js does: with an encoding that it does not know, the body stays as it is. */
export function decoded(response: IncomingMessage): Readable {
  const encodings = encodingsOf(response.headers);
  const decoders = encodings.map((encoding) => DECODERS[encoding]).reverse();
  return decoders.reduce<Readable>((body, decoder) => {
    if (decoder === undefined || decoders.includes(undefined)) return body;
    const decoding = decoder();
    body.once('error', (error) => decoding.destroy(error));
    return body.pipe(decoding);
  }, response);
}

/** Returns the encodings of a body, in the order in which they were applied. */
function encodingsOf(headers: IncomingHttpHeaders): readonly string[] {
  const names = (headers['content-encoding'] ?? '').toLowerCase().split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

/** Returns the first encoding of a body that the `fetch` of Node.js does not know. Undefined if there is none. */
export function unknownEncoding({ headers }: { readonly headers: IncomingHttpHeaders }): string | undefined {
  return encodingsOf(headers).find((encoding) => DECODERS[encoding] === undefined);
}

const FLUSH = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };

const DECODERS: Readonly<Record<string, () => Transform>> = {
  gzip: () => createGunzip(FLUSH),
  'x-gzip': () => createGunzip(FLUSH),
  deflate: createInflate,
  br: createBrotliDecompress,
};
