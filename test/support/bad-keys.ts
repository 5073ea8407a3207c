import { ED25519_TORSION_SUBGROUP } from '@noble/curves/ed25519.js';

const P = 2n ** 255n - 19n;
const P256 = 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n;

const bytes = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
const littleEndian = (y: bigint, sign = 0n) => bytes(y + (sign << 255n)).reverse();

export const ed25519Jwk = (key: Uint8Array) => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x: Buffer.from(key).toString('base64url'),
});

export const p256Jwk = (x: bigint, y: bigint) => ({
  kty: 'EC',
  crv: 'P-256',
  x: bytes(x).toString('base64url'),
  y: bytes(y).toString('base64url'),
});

/** The generator of P-256, and a point whose x is below 2^256 - p, so that x + p still fits into 32 bytes. */
const G = {
  x: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
  y: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
};
const SMALL = { x: 5n, y: 0x459243b9aa581806fe913bce99817ade11ca503c64d9a3c533415c083248fbccn };

/** The point of P-256 whose x is 0. Written as p, that x is not canonical. */
const ZERO = { y: 0x66485c780e2f83d72433bd5d84a06bb6541c2af31dae871728bf856a174f93f4n };

/** Well-formed JWKs that must not be imported as public keys (rule public-key), by the reason. */
export const BAD_KEYS: Readonly<Record<string, Record<string, string>>> = {
  ...Object.fromEntries(
    ED25519_TORSION_SUBGROUP.map((hex, index) => [
      `Ed25519: point ${index} of small order`,
      ed25519Jwk(Buffer.from(hex, 'hex')),
    ]),
  ),
  'Ed25519: the identity with a sign': ed25519Jwk(littleEndian(1n, 1n)),
  'Ed25519: the point of order two with a sign': ed25519Jwk(littleEndian(P - 1n, 1n)),
  ...Object.fromEntries(
    Array.from({ length: 19 }, (_one, index) => BigInt(index)).flatMap((above) =>
      [0n, 1n].map((sign) => [
        `Ed25519: y = p + ${above}, sign ${sign}`,
        ed25519Jwk(littleEndian(P + above, sign)),
      ]),
    ),
  ),
  'Ed25519: y = 2, which is not on the curve': ed25519Jwk(littleEndian(2n)),
  'Ed25519: y = 7, which is not on the curve': ed25519Jwk(littleEndian(7n, 1n)),
  'P-256: zeros': p256Jwk(0n, 0n),
  'P-256: not on the curve': p256Jwk(G.x, G.y + 1n),
  'P-256: x = p': p256Jwk(P256, ZERO.y),
  'P-256: x = p + 5': p256Jwk(P256 + SMALL.x, SMALL.y),
  'P-256: y beyond p': p256Jwk(G.x, 2n ** 256n - 1n),
};

export const GOOD_POINT = p256Jwk(G.x, G.y);
export const ZERO_POINT = p256Jwk(0n, ZERO.y);
export const SMALL_POINT = p256Jwk(SMALL.x, SMALL.y);
