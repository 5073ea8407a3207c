import { expect } from 'vitest';

/** Compares bytes as a whole. Without it, `toEqual` compares two trees of files byte by byte, which takes seconds. */
expect.addEqualityTesters([
  (a, b) => (a instanceof Uint8Array && b instanceof Uint8Array ? Buffer.compare(a, b) === 0 : undefined),
]);
