import { encodeBase64url, hexOf } from './encodings.js';

/*
 * Synchronous SHA-256 (FIPS 180-4) for small inputs. WebCrypto hashes on another thread. For an input the size of a
 * request, the thread switch takes ten times as long as the hash. Nothing that is hashed here is secret, so the time may
 * depend on the input.
 */

/** Returns the SHA-256 of some bytes. */
export function hashBytes(bytes: Uint8Array): Uint8Array {
  const message = pad(bytes);
  const state = Int32Array.from(INITIAL_STATE);
  for (let at = 0; at < message.byteLength; at += BLOCK_BYTES) addBlock(state, message, at);
  const hash = new DataView(new ArrayBuffer(32));
  state.forEach((word, index) => {
    hash.setInt32(4 * index, word);
  });
  return new Uint8Array(hash.buffer);
}

/** Returns the SHA-256 of some bytes, or of a string in UTF-8, in lower-case hexadecimal. */
export function hashHex(content: Uint8Array | string): string {
  return hexOf(hashBytes(toBytes(content)));
}

/** Returns the SHA-256 of a string in UTF-8, in base64url. */
export function hashBase64url(text: string): string {
  return encodeBase64url(hashBytes(toBytes(text)));
}

function toBytes(content: Uint8Array | string): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}

const BLOCK_BYTES = 64;

/** The constants of the rounds (section 4.2.2). The mark lets a bundler leave them out where nothing hashes. */
const ROUND_CONSTANTS = /* @__PURE__ */ fractionsOfRoots(64, Math.cbrt);

/** The state before the first block (section 5.3.3). */
const INITIAL_STATE = /* @__PURE__ */ fractionsOfRoots(8, Math.sqrt);

/** Returns the first 32 bits of the fractional part of a root of each of the first primes. */
function fractionsOfRoots(count: number, root: (value: number) => number): Int32Array {
  const primes: number[] = [];
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate);
  }
  return Int32Array.from(primes, (prime) => (root(prime) % 1) * 2 ** 32);
}

/** Pads a message to whole blocks: a bit that is set, zeros, and the length in bits as a number of 64 bits (section 5.1.1). */
function pad(bytes: Uint8Array): DataView {
  const padded = new Uint8Array(Math.ceil((bytes.length + 9) / BLOCK_BYTES) * BLOCK_BYTES);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setBigUint64(padded.length - 8, BigInt(bytes.length) * 8n);
  return view;
}

const rotate = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits));

/** The words of a block, which each block overwrites. */
const words = /* @__PURE__ */ new Int32Array(64);

/** Adds a block of the message to the state (section 6.2.2). All sums are modulo 2^32. */
function addBlock(state: Int32Array, message: DataView, start: number): void {
  for (let t = 0; t < 16; t++) words[t] = message.getInt32(start + 4 * t);
  for (let t = 16; t < 64; t++) {
    const before2 = words[t - 2] as number;
    const before15 = words[t - 15] as number;
    const sigma1 = rotate(before2, 17) ^ rotate(before2, 19) ^ (before2 >>> 10);
    const sigma0 = rotate(before15, 7) ^ rotate(before15, 18) ^ (before15 >>> 3);
    words[t] = (sigma1 + (words[t - 7] as number) + sigma0 + (words[t - 16] as number)) | 0;
  }
  // By index: an iterator would take half as long as the rounds.
  let a = state[0] as number;
  let b = state[1] as number;
  let c = state[2] as number;
  let d = state[3] as number;
  let e = state[4] as number;
  let f = state[5] as number;
  let g = state[6] as number;
  let h = state[7] as number;
  for (let t = 0; t < 64; t++) {
    const sum1 = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const choice = (e & f) ^ (~e & g);
    const first = (h + sum1 + choice + (ROUND_CONSTANTS[t] as number) + (words[t] as number)) | 0;
    const sum0 = rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22);
    const majority = (a & b) ^ (a & c) ^ (b & c);
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + sum0 + majority) | 0;
  }
  state.set([a, b, c, d, e, f, g, h].map((word, index) => word + (state[index] as number)));
}
