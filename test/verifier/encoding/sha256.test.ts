import { createHash } from 'node:crypto';
import { sha256Hex } from '@passport-registry/verifier';
import { statementHash } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';

const encode = (text: string) => new TextEncoder().encode(text);
const byNode = (content: Uint8Array | string) => createHash('sha256').update(content).digest('hex');

describe('SHA-256', () => {
  it.each([
    // NIST, examples of FIPS 180-4: of no block, one block and two blocks.
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq',
      '248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1',
    ],
  ])('of "%s"', async (text, sha256) => {
    expect(await sha256Hex(encode(text))).toBe(sha256);
  });

  it('of each length up to three blocks, and around the length from which WebCrypto hashes', async () => {
    const lengths = [...Array(200).keys(), ...[4095, 4096, 4097, 8192, 8193]];
    for (const length of lengths) {
      const bytes = Uint8Array.from({ length }, (_one, index) => (index * 7 + length) % 256);
      expect(await sha256Hex(bytes), `${length} bytes`).toBe(byNode(bytes));
    }
  });

  it('of random bytes, also in the middle of a buffer', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 1000 }), fc.nat(20), async (bytes, start) => {
        const part = bytes.subarray(start);
        expect(await sha256Hex(part)).toBe(byNode(part));
      }),
      { numRuns: 300 },
    );
  });

  it('of random strings in UTF-8', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const input = `a.${text.replaceAll('.', '')}`;
        expect(statementHash(input)).toBe(byNode(input));
      }),
    );
  });
});
