import type { PublicJwk } from '@passport-registry/verifier';
import {
  importPublicKey,
  isSignedBy,
  JwsRefused,
  type PublicKey,
  readCompactJws,
  verifyCompactJws,
} from '@passport-registry/verifier/internal';
import { possessionFailed } from './refused.js';

/** How much an agent's clock may differ, in seconds. */
const CLOCK_TOLERANCE = 60;
/** How old a signed nonce may be, in seconds: no nonce lives longer. */
const MAX_AGE = 300;

/** What is to be signed, and when. */
interface Challenge {
  readonly nonce: string;
  /** The issuer's base address. */
  readonly audience: string;
  readonly now: Date;
}

/**
 * Checks that a nonce was signed by a key, in either form: the raw signature over its ASCII bytes (SPEC B9), or a JWS of
 * its own type (SPEC B11). With a key that cannot be a public key (SPEC C4), nothing is signed.
 */
export async function checkPossession(
  signed: string,
  publicKey: PublicJwk,
  challenge: Challenge,
): Promise<void> {
  const failed = (message: string) => possessionFailed('signature_invalid', message);
  const key = await importPublicKey(publicKey, (message) => failed(`the key ${message}`));
  const good = signed.includes('.')
    ? await isSignedJws(signed, key, challenge)
    : await isSignedRaw(signed, key, challenge);
  if (!good) throw failed('the nonce is not signed by the key');
}

async function isSignedRaw(signed: string, key: PublicKey, { nonce }: Challenge): Promise<boolean> {
  const signature = Buffer.from(signed, 'base64url');
  // One spelling only; Node.js would read others, too.
  if (signature.toString('base64url') !== signed) return false;
  return isSignedBy(key, signature, Buffer.from(nonce, 'ascii'));
}

async function isSignedJws(
  signed: string,
  key: PublicKey,
  { nonce, audience, now }: Challenge,
): Promise<boolean> {
  try {
    const jws = readCompactJws(signed, ['passport-nonce+jwt'], 'jwk');
    await verifyCompactJws(jws, key);
    const { x, y } = (jws.header['jwk'] ?? {}) as { x?: unknown; y?: unknown };
    const { aud, iat } = jws.payload;
    const age = now.getTime() / 1000 - Number(iat ?? Number.NaN);
    const isRecent = age >= -CLOCK_TOLERANCE && age <= MAX_AGE + CLOCK_TOLERANCE;
    return (
      isRecent && jws.payload['nonce'] === nonce && aud === audience && x === key.jwk.x && y === key.jwk.y
    );
  } catch (error) {
    if (error instanceof JwsRefused) return false;
    throw error;
  }
}
