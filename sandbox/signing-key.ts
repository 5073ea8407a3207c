import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { PublicJwk } from '@passport-registry/verifier';
import { SignJWT } from 'jose';
import { thumbprint } from './thumbprint.js';

/** How the issuer signs. */
export type KeyType = 'ed25519' | 'p256';

/** A private key as a JWK. It stands in the journal and nowhere else. */
export type PrivateJwk = PublicJwk & { readonly d: string };

/** A key by which the issuer signs passports. */
export interface SigningKey {
  /** RFC 7638 thumbprint. */
  readonly kid: string;
  readonly publicJwk: PublicJwk;
  readonly privateKey: KeyObject;
}

/** Makes a private key. */
export function generatePrivateJwk(type: KeyType): PrivateJwk {
  const { privateKey } =
    type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ format: 'jwk' }) as PrivateJwk;
}

/** A signing key, from its private JWK. */
export function signingKey(jwk: PrivateJwk): SigningKey {
  const privateKey = createPrivateKey({ key: jwk as never, format: 'jwk' });
  const publicJwk = createPublicKey(privateKey).export({ format: 'jwk' }) as unknown as PublicJwk;
  return { kid: thumbprint(publicJwk), publicJwk, privateKey };
}

/** Signs the claims of a passport (SPEC B10). */
export function signPassport({ kid, privateKey }: SigningKey, claims: object): Promise<string> {
  const alg = privateKey.asymmetricKeyType === 'ec' ? 'ES256' : 'EdDSA';
  return new SignJWT({ ...claims }).setProtectedHeader({ alg, typ: 'passport+jwt', kid }).sign(privateKey);
}
