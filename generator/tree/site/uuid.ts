import { sha256 } from '../checksums.js';

/** Derives a UUID of version 8 (RFC 9562) from a string, and returns it as a URN. */
export function uuidOf(text: string): string {
  const hex = sha256(new TextEncoder().encode(text));
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}
