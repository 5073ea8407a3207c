import { hash } from 'node:crypto';

/*
 * In the bundles, in place of the verifier's own synchronous SHA-256 (core/bytes/sha256-sync), which has only Web APIs and takes
 * three times as long.
 */

export const hashBytes = (bytes) => new Uint8Array(hash('sha256', bytes, 'buffer'));

export const hashHex = (content) => hash('sha256', content);

export const hashBase64url = (text) => hash('sha256', text, 'base64url');
