import { wordlist } from '@scure/bip39/wordlists/english.js';

/** The list of BIP-39 has 2,048 words. */
const BITS_OF_WORD = 11;

/**
 * The number of words: 176 bits. Whoever passes the files around can show each side another folder, and change both until
 * their words are equal. Such a search takes 2 to the power of half the bits, and 66 bits (of twelve words) are too few.
 */
const WORDS = 16;

/** Returns the words of a fingerprint, which people compare by voice. @param digest - SHA-256, in hexadecimal */
export function fingerprintWords(digest: string): readonly string[] {
  const bits = [...Buffer.from(digest, 'hex')].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return Array.from({ length: WORDS }, (_, index) => {
    const start = index * BITS_OF_WORD;
    return wordlist[Number.parseInt(bits.slice(start, start + BITS_OF_WORD), 2)] ?? '';
  });
}

/** Returns whether a text has the words of a fingerprint, in any case and with any spaces. */
export function isFingerprint(text: string, digest: string): boolean {
  return (
    text
      .toLowerCase()
      .trim()
      .split(/[^a-z]+/)
      .join(' ') === fingerprintWords(digest).join(' ')
  );
}
