import { publicJwk } from '@passport-registry/passports/agent';
import type { PublicJwk } from '@passport-registry/verifier';
import { ALG_NAMES, type KeyAlgorithm, thumbprintOf } from '@passport-registry/verifier/core';
import { type CryptoKey, generateKeyPair, SignJWT } from 'jose';

/** The type of a signing key. */
export type KeyType = 'Ed25519' | 'P-256';

/** A key that signs passports. */
export interface SigningKey {
  /** The RFC 7638 thumbprint. */
  readonly kid: string;
  readonly algorithm: KeyAlgorithm;
  readonly publicJwk: PublicJwk;
  readonly privateKey: CryptoKey;
}

/** Generates a signing key. The private key cannot be exported. */
export async function generateSigningKey(type: KeyType): Promise<SigningKey> {
  const algorithm = type === 'P-256' ? 'ES256' : 'Ed25519';
  const keys = await generateKeyPair(algorithm);
  const jwk = await publicJwk(keys);
  return { kid: thumbprintOf(jwk), algorithm, publicJwk: jwk, privateKey: keys.privateKey };
}

/** Signs the claims of a passport (rule passport-claims). */
export function signPassport({ kid, algorithm, privateKey }: SigningKey, claims: object): Promise<string> {
  const header = { alg: ALG_NAMES[algorithm], typ: 'passport+jwt', kid };
  return new SignJWT({ ...claims }).setProtectedHeader(header).sign(privateKey);
}
