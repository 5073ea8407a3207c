import type { PublicJwk } from '@passport-registry/verifier';
import { publicJwk } from '@passport-registry/verifier/agent';
import { type CryptoKey, calculateJwkThumbprint, generateKeyPair, SignJWT } from 'jose';

/** The type of a signing key. */
export type KeyType = 'ed25519' | 'p256';

/** A key that signs passports. */
export interface SigningKey {
  /** The RFC 7638 thumbprint. */
  readonly kid: string;
  readonly publicJwk: PublicJwk;
  readonly privateKey: CryptoKey;
}

/** Generates a signing key. The private key cannot be exported. */
export async function generateSigningKey(type: KeyType): Promise<SigningKey> {
  const keys = await generateKeyPair(type === 'p256' ? 'ES256' : 'Ed25519');
  const jwk = await publicJwk(keys);
  return { kid: await calculateJwkThumbprint(jwk), publicJwk: jwk, privateKey: keys.privateKey };
}

/** Signs the claims of a passport (rule passport-claims). */
export function signPassport({ kid, publicJwk, privateKey }: SigningKey, claims: object): Promise<string> {
  const alg = publicJwk.kty === 'EC' ? 'ES256' : 'EdDSA';
  return new SignJWT({ ...claims }).setProtectedHeader({ alg, typ: 'passport+jwt', kid }).sign(privateKey);
}
