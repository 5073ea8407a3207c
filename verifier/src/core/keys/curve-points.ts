import { hexOf } from '../bytes/encodings.js';

/** The field of Curve25519 and the constant of its Edwards form (RFC 8032, section 5.1). */
const ED25519 = {
  p: 2n ** 255n - 19n,
  d: 37095705934669439343138083508754565189542113879843219016388785533085940283555n,
};

/** The field and the constant of P-256 (FIPS 186-5). The other constant is -3. */
const P256 = {
  p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
  b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
};

/** Explains why 32 bytes cannot be an Ed25519 public key (rule public-key-values). Returns undefined if they can. */
export function ed25519Fault(key: Uint8Array): string | undefined {
  const { p, d } = ED25519;
  const modulo = (value: bigint) => ((value % p) + p) % p;
  // The bytes are little-endian. The highest bit is the sign of x.
  const y = toInteger(Uint8Array.from(key).reverse()) & (2n ** 255n - 1n);
  if (y >= p) return 'has an encoding that is not canonical (y >= p)';
  // The curve is -x² + y² = 1 + d·x²·y², so x² = u / v.
  const u = modulo(y * y - 1n);
  const v = modulo(d * y * y + 1n);
  // x = 0: order 1 or 2. y = 0: order 4. x² = -y²: doubling the point gives y = 0, so the order is 8.
  if (u === 0n || y === 0n || modulo(u + y * y * v) === 0n) return 'is a point of small order';
  // u / v is a square if and only if u·v is a square.
  return isSquare(modulo(u * v), p) ? undefined : 'is not a point on Ed25519';
}

/**
 * Explains why two coordinates cannot be a P-256 public key. Returns undefined if they can. P-256 has no points of
 * small order.
 */
export function p256Fault(xBytes: Uint8Array, yBytes: Uint8Array): string | undefined {
  const { p, b } = P256;
  const x = toInteger(xBytes);
  const y = toInteger(yBytes);
  const isPoint = x < p && y < p && (x * x * x - 3n * x + b - y * y) % p === 0n;
  return isPoint ? undefined : 'is not a point on P-256';
}

/** Converts big-endian bytes to an integer. */
function toInteger(bytes: Uint8Array): bigint {
  return BigInt(`0x${hexOf(bytes)}`);
}

/**
 * Returns whether a number is a square modulo an odd prime, by the Jacobi symbol. Use only public values, because the
 * running time depends on them.
 *
 * @param value - from 1 to the prime minus 1
 */
function isSquare(value: bigint, prime: bigint): boolean {
  let a = value;
  let n = prime;
  let symbol = 1;
  while (a !== 0n) {
    while ((a & 1n) === 0n) {
      a >>= 1n;
      // 2 is a square modulo n only if n is 1 or 7 modulo 8.
      if ((n & 7n) === 3n || (n & 7n) === 5n) symbol = -symbol;
    }
    // Quadratic reciprocity.
    if ((a & 3n) === 3n && (n & 3n) === 3n) symbol = -symbol;
    const rest = n % a;
    n = a;
    a = rest;
  }
  return symbol === 1;
}
