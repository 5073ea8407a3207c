import { decodeJwt } from 'jose';
import { canonicalBytes } from '../canonical.js';
import { IssuerAnswerInvalid } from '../errors.js';
import { hashBase64url, hashHex } from '../hash-now.js';
import { ACTION_TYPE, LONGEST_ACTION } from '../passport/action-proof.js';
import { type AgentKeys, signJws } from './agent-keys.js';

/** What an agent signs an action with. */
export interface SignActionOptions {
  /** The passport's token. */
  readonly token: string;
  /** The agent's key pair: the one of the passport. */
  readonly keys: AgentKeys;
  /** The verifier, as it names itself: `https://mail.example`. */
  readonly audience: string;
  /** Dotted: `email.send`. */
  readonly action: string;
  /** An object of plain JSON. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** For how long the proof is good, in seconds; 60 at most. Default: 60. */
  readonly lifetime?: number;
  /** The clock, in milliseconds since 1970. Default: the system's. */
  readonly now?: () => number;
}

/**
 * Signs an action: the proof that the holder of the passport's key wants this action, with this payload, at this
 * verifier, now (SPEC B10). It is good once.
 *
 * @returns a JWS in compact form, to be sent with the passport
 * @throws {@link AgentKeyInvalid}; {@link NotCanonicalizable} when the payload is not plain JSON;
 *   {@link IssuerAnswerInvalid} when the token is no passport
 *
 * @example
 * ```ts
 * import { signAction } from '@passport-registry/verifier';
 *
 * const keys = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
 * const proof = await signAction({
 *   token: 'eyJ0eXAiOiJwYXNzcG9ydCtqd3QifQ.eyJqdGkiOiI0ZjFlIn0.c2lnbmF0dXJl',
 *   keys,
 *   audience: 'https://mail.example',
 *   action: 'email.send',
 *   payload: { to: 'you@example.com' },
 * });
 * console.log(proof.split('.').length); // 3
 * ```
 */
export async function signAction({
  token,
  keys,
  audience,
  action,
  payload,
  lifetime = LONGEST_ACTION,
  now = Date.now,
}: SignActionOptions): Promise<string> {
  const iat = Math.floor(now() / 1000);
  return signJws(keys, ACTION_TYPE, {
    iat,
    exp: iat + lifetime,
    jti: crypto.randomUUID(),
    aud: audience,
    passport: passportId(token),
    ath: hashBase64url(token),
    action,
    payload_sha256: hashHex(canonicalBytes(payload)),
  });
}

function passportId(token: string): string {
  try {
    const { jti } = decodeJwt(token);
    if (typeof jti === 'string') return jti;
  } catch {
    // Below.
  }
  throw new IssuerAnswerInvalid('the token is no passport');
}
