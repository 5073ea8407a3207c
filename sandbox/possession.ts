import { createPublicKey, verify } from 'node:crypto';
import type { PublicJwk } from '@passport-registry/verifier';
import { EmbeddedJWK, jwtVerify } from 'jose';
import { possessionFailed } from './refused.js';
import { thumbprint } from './thumbprint.js';

/** How much an agent's clock may differ, in seconds. */
const CLOCK_TOLERANCE = 60;
/** How old a signed nonce may be, in seconds: no nonce lives longer. */
const MAX_AGE = 300;

/**
 * Checks that a nonce was signed by a key, in either form: the raw signature over its ASCII bytes (SPEC B9), or a JWS of
 * its own type (SPEC B11).
 *
 * @param audience - the issuer's base address
 */
export async function checkPossession(
  signed: string,
  nonce: string,
  publicKey: PublicJwk,
  audience: string,
  now: Date,
): Promise<void> {
  const good = signed.includes('.')
    ? await isSignedJws(signed, nonce, publicKey, audience, now)
    : isSignedRaw(signed, nonce, publicKey);
  if (!good) throw possessionFailed('signature_invalid', 'the nonce is not signed by the key');
}

function isSignedRaw(signed: string, nonce: string, publicKey: PublicJwk): boolean {
  const signature = Buffer.from(signed, 'base64url');
  // One spelling only; Node.js would read others, too.
  if (signature.toString('base64url') !== signed) return false;
  try {
    const key = createPublicKey({ key: publicKey as never, format: 'jwk' });
    return publicKey.kty === 'EC'
      ? verify('sha256', Buffer.from(nonce, 'ascii'), { key, dsaEncoding: 'ieee-p1363' }, signature)
      : verify(null, Buffer.from(nonce, 'ascii'), key, signature);
  } catch {
    return false;
  }
}

async function isSignedJws(
  signed: string,
  nonce: string,
  publicKey: PublicJwk,
  audience: string,
  now: Date,
): Promise<boolean> {
  try {
    const { payload, protectedHeader } = await jwtVerify(signed, EmbeddedJWK, {
      typ: 'passport-nonce+jwt',
      algorithms: ['EdDSA', 'Ed25519', 'ES256'],
      audience,
      requiredClaims: ['iat'],
      maxTokenAge: MAX_AGE,
      clockTolerance: CLOCK_TOLERANCE,
      currentDate: now,
    });
    return (
      payload['nonce'] === nonce &&
      payload.aud === audience &&
      thumbprint(protectedHeader.jwk as PublicJwk) === thumbprint(publicKey)
    );
  } catch {
    return false;
  }
}
