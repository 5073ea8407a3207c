import { createPrivateKey, sign } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { base64url, jcs, sha256, utf8 } from './encoding.js';

/** A public key as a JWK, without `kid`. */
export interface Jwk {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y?: string;
}

/** A key pair of a case. The private key follows from the name, so everybody knows it. */
export interface Key {
  readonly name: string;
  readonly alg: 'EdDSA' | 'ES256';
  /** The raw private key. */
  readonly seed: Uint8Array;
  /** The raw public key: of Ed25519 32 bytes, of P-256 the uncompressed point. */
  readonly publicKey: Uint8Array;
  readonly jwk: Jwk;
  /** RFC 7638. */
  readonly thumbprint: string;
  /** Returns the raw signature of 64 bytes. */
  sign(bytes: Uint8Array): Uint8Array;
}

const made = new Map<string, Key>();

/** Returns the key with a name. A name that begins with `p256` is that of a P-256 key; others are Ed25519 keys. */
export function key(name: string): Key {
  const known = made.get(name) ?? makeKey(name);
  made.set(name, known);
  return known;
}

function makeKey(name: string): Key {
  const seed = sha256(utf8(`published private key of the conformance cases: ${name}`));
  const isP256 = name.startsWith('p256');
  const publicKey = isP256 ? p256.getPublicKey(seed, false) : ed25519.getPublicKey(seed);
  const jwk = isP256
    ? {
        kty: 'EC',
        crv: 'P-256',
        x: base64url(publicKey.slice(1, 33)),
        y: base64url(publicKey.slice(33)),
      }
    : { kty: 'OKP', crv: 'Ed25519', x: base64url(publicKey) };
  const edwards = isP256
    ? undefined
    : createPrivateKey({ key: { ...jwk, d: base64url(seed) }, format: 'jwk' });
  return {
    ...{ name, alg: isP256 ? 'ES256' : 'EdDSA', seed, publicKey, jwk, thumbprint: thumbprintOf(jwk) },
    // The same case has the same bytes every time: ECDSA is as in RFC 6979, which Node.js does not have.
    sign: (bytes) =>
      edwards === undefined ? p256.sign(bytes, seed) : new Uint8Array(sign(null, bytes, edwards)),
  };
}

/** RFC 7638. */
export function thumbprintOf({ kty, crv, x, y }: Jwk): string {
  return base64url(sha256(utf8(jcs(y === undefined ? { kty, crv, x } : { kty, crv, x, y }))));
}
