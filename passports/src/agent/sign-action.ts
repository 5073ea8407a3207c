import { decodeBase64url, hashBase64url, isObject, parseStrictJson } from '@passport-registry/verifier/core';
import { PassportError } from '../errors.js';
import { ACTION_TYPE, hashPayload, MAX_ACTION_SECONDS } from '../passport/action-proof.js';
import { type AgentKeys, signJws } from './agent-keys.js';

/** The inputs for signing an action. */
export interface SignActionOptions {
  /** The passport's token. */
  readonly token: string;
  /** The key pair to which the passport is bound. */
  readonly keys: AgentKeys;
  /** The audience of the verifier, such as `https://mail.example`. */
  readonly audience: string;
  /** The action as a dotted name, such as `email.send`. */
  readonly action: string;
  /** The payload: an object of plain JSON. */
  readonly payload: Readonly<Record<string, unknown>>;
  /** How long the proof is valid, in seconds. At most 60. Default: 60. */
  readonly lifetime?: number;
  /** Returns the current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Signs the proof of an action. The proof shows that the holder of the passport's key wants this action, with this
 * payload, at this verifier, now (docs/protocol/passports.md#action-proof). A proof can be used once.
 *
 * @returns a JWS in compact form. Send the proof together with the passport
 * @throws `ERR_AGENT_KEY_INVALID`; `ERR_NOT_CANONICALIZABLE` if the payload is not plain JSON or contains a number
 *   beyond 2^53 - 1; `ERR_ISSUER_ANSWER_INVALID` if the token is not a passport
 *
 * @example
 * ```ts
 * import { signAction } from '@passport-registry/passports/agent';
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
  lifetime = MAX_ACTION_SECONDS,
  now = Date.now,
}: SignActionOptions): Promise<string> {
  const iat = Math.floor(now() / 1000);
  const claims = {
    iat,
    exp: iat + lifetime,
    jti: crypto.randomUUID(),
    aud: audience,
    passport: readPassportId(token),
    ath: hashBase64url(token),
    action,
    payload_sha256: hashPayload(payload),
  };
  return signJws(keys, { typ: ACTION_TYPE, claims });
}

function readPassportId(token: string): string {
  const [, payload = ''] = token.split('.');
  try {
    const claims = parseStrictJson(decodeBase64url(payload) ?? '');
    const jti = isObject(claims) ? claims['jti'] : undefined;
    if (typeof jti === 'string') return jti;
  } catch {
    // The error is thrown below.
  }
  throw new PassportError('ERR_ISSUER_ANSWER_INVALID', 'the token is not a passport');
}
