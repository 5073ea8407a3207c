import { ed25519 } from '@noble/curves/ed25519.js';
import { bytesToNumberLE, numberToBytesLE } from '@noble/curves/utils.js';
import { sha512 } from '@noble/hashes/sha2.js';
import { base64url, concatBytes, jcs, sha256, timeText, utf8 } from './encoding.js';
import type { Jwk, Key } from './keys.js';
import { record } from './registry.js';

/**
 * Signatures that fulfil the equation of Ed25519, S·B = R + k·A, although they prove nothing (rules public-key-values,
 * signature-strict). A verifier that lacks one check accepts them.
 */

const { Point } = ed25519;
type Point = InstanceType<typeof Point>;

const ORDER = Point.Fn.ORDER;
/** Generates the eight points of small order. */
const TORSION = Point.fromHex('26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05');
const COFACTOR = 8;

/** A list, and the raw signature over it. */
export interface SignedBytes {
  readonly list: Uint8Array;
  readonly signature: Uint8Array;
}

/** A public key that no honest signer has, and a list that seems to be signed by it. */
interface ForgedKey extends SignedBytes {
  readonly jwk: Jwk;
}

function times(count: number): Point {
  let sum: Point = Point.ZERO;
  for (let number = 0; number < count; number++) sum = sum.add(TORSION);
  return sum;
}

const littleOf = (value: bigint) => numberToBytesLE(value, 32);

/** The number k of RFC 8032, not yet reduced. */
const challenge = (parts: readonly Uint8Array[]) => bytesToNumberLE(sha512(concatBytes(...parts)));

const jwkOf = (x: Uint8Array): Jwk => ({ kty: 'OKP', crv: 'Ed25519', x: base64url(x) });

/** Lists of one record that differ in their time. @param seconds - of the newest, since 1970 */
const listAt = (seconds: number) => utf8(jcs({ issuers: [record('alpha')], updated_at: timeText(seconds) }));

/** What is the same for a verifier that reduces k before it multiplies, and for one that does not. */
const isUnambiguous = (k: bigint) => k % BigInt(COFACTOR) === (k % ORDER) % BigInt(COFACTOR);

/** Finds a list for which S = 0, and an R of small order, fulfil the equation under a key of small order. */
function forged(x: Uint8Array, key: Point, newest: number): ForgedKey {
  for (let seconds = newest; ; seconds--) {
    const list = listAt(seconds);
    for (let number = 0; number < COFACTOR; number++) {
      const r = times(number);
      const k = challenge([r.toBytes(), x, list]);
      const multiple = Number(k % BigInt(COFACTOR));
      let product: Point = Point.ZERO;
      for (let count = 0; count < multiple; count++) product = product.add(key);
      if (isUnambiguous(k) && r.add(product).is0())
        return { jwk: jwkOf(x), list, signature: concatBytes(r.toBytes(), new Uint8Array(32)) };
    }
  }
}

/** Every encoding of a point of small order, with a list for which somebody without a private key has made a signature. */
export function smallOrderKeys(newest: number): Readonly<Record<string, ForgedKey>> {
  const [one, other] = [littleOf(1n), littleOf(2n ** 255n + 1n)];
  const p = Point.Fp.ORDER;
  const named: Record<string, readonly [Uint8Array, number]> = {
    'of order 1': [one, 0],
    'of order 1, with a sign': [other, 0],
    'of order 2': [times(4).toBytes(), 4],
    'of order 2, with a sign': [littleOf(2n ** 255n + p - 1n), 4],
    'of order 4': [times(2).toBytes(), 2],
    'the other of order 4': [times(6).toBytes(), 6],
    'of order 8': [times(1).toBytes(), 1],
    'the second of order 8': [times(3).toBytes(), 3],
    'the third of order 8': [times(5).toBytes(), 5],
    'the fourth of order 8': [times(7).toBytes(), 7],
    'y equal to p': [littleOf(p), parityOf(times(2)) === 0 ? 2 : 6],
    'y equal to p, with a sign': [littleOf(2n ** 255n + p), parityOf(times(2)) === 0 ? 6 : 2],
    'y equal to p + 1': [littleOf(p + 1n), 0],
    'y equal to p + 1, with a sign': [littleOf(2n ** 255n + p + 1n), 0],
  };
  return Object.fromEntries(
    Object.entries(named).map(([name, [x, number]]) => [name, forged(x, times(number), newest)]),
  );
}

const parityOf = (point: Point) => (point.toBytes()[31] ?? 0) >> 7;

/** A key that is a point of small order and an honest key together: of large order, so it is no fault. */
export function mixedKey(key: Key, newest: number): ForgedKey {
  const { scalar, point } = ed25519.utils.getExtendedPublicKey(key.seed);
  const x = point.add(TORSION).toBytes();
  const list = listAt(newest);
  for (let nonce = 1n; ; nonce++) {
    const r = Point.BASE.multiply(nonce).toBytes();
    const k = challenge([r, x, list]);
    // Then k·A has no part of small order.
    if (!isUnambiguous(k) || k % BigInt(COFACTOR) !== 0n) continue;
    return { jwk: jwkOf(x), list, signature: concatBytes(r, littleOf((nonce + k * scalar) % ORDER)) };
  }
}

/** Signatures by an honest key over a list, with an R of another form or with a part of small order. */
export function oddCommitments(key: Key, list: Uint8Array): Readonly<Record<string, Uint8Array>> {
  const { scalar } = ed25519.utils.getExtendedPublicKey(key.seed);
  const nonce = bytesToNumberLE(sha256(list)) % ORDER;
  const signed = (r: Uint8Array, of: bigint) => {
    const k = challenge([r, key.publicKey, list]);
    return concatBytes(r, littleOf((of + k * scalar) % ORDER));
  };
  const base = Point.BASE.multiply(nonce);
  return {
    'R with a part of order 8': signed(base.add(TORSION).toBytes(), nonce),
    'R with a part of order 2': signed(base.add(times(4)).toBytes(), nonce),
    'R of order 1, with a sign': signed(littleOf(2n ** 255n + 1n), 0n),
    'R of order 1, y equal to p + 1': signed(littleOf(Point.Fp.ORDER + 1n), 0n),
  };
}
