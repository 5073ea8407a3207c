import { createHash } from 'node:crypto';

/** SHA-256 of bytes, or of a text in UTF-8, in hex. */
export const sha256 = (content: Uint8Array | string) => createHash('sha256').update(content).digest('hex');
