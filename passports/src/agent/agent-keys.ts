import type { PublicJwk } from '@passport-registry/verifier';
import {
  ALG_NAMES,
  type CheckedJwk,
  publicMembers,
  SIGNATURE_PARAMETERS,
} from '@passport-registry/verifier/core';
import { CompactSign, type CryptoKey } from 'jose';
import { PassportError } from '../errors.js';

/**
 * An agent's key pair, as `crypto.subtle.generateKey` returns it: Ed25519, or ECDSA over P-256. The private key need
 * not be extractable.
 */
export interface AgentKeys {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/**
 * Exports the public key of an agent as a JWK with only the members of the key.
 *
 * @throws `ERR_AGENT_KEY_INVALID`
 *
 * @example
 * ```ts
 * import { publicJwk } from '@passport-registry/passports/agent';
 *
 * const keys = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
 * console.log((await publicJwk(keys)).crv); // Ed25519
 * ```
 */
export async function publicJwk({ publicKey }: AgentKeys): Promise<PublicJwk> {
  const { algorithm: _algorithm, ...members } = await exportJwk(publicKey);
  return members;
}

async function exportJwk(publicKey: CryptoKey): Promise<CheckedJwk> {
  const invalid = (message: string, cause?: unknown) =>
    new PassportError('ERR_AGENT_KEY_INVALID', `the agent's public key ${message}`, { cause });
  const jwk = await crypto.subtle.exportKey('jwk', publicKey).catch((cause: unknown) => {
    throw invalid('cannot be exported', cause);
  });
  return publicMembers(jwk, invalid);
}

/** The content of a JWS before it is signed. */
interface UnsignedJws {
  readonly typ: string;
  readonly claims: object;
  /** Whether the header contains the public key. Default: false. */
  readonly withKey?: boolean;
}

/** Signs a JWS in compact form with an agent's key. */
export async function signJws(
  { privateKey, publicKey }: AgentKeys,
  { typ, claims, withKey = false }: UnsignedJws,
): Promise<string> {
  const { algorithm, ...jwk } = await exportJwk(publicKey);
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: ALG_NAMES[algorithm], typ, ...(withKey && { jwk }) })
    .sign(privateKey);
}

/** Signs some bytes with an agent's key, and returns the raw signature. */
export async function signRaw({ privateKey, publicKey }: AgentKeys, bytes: Uint8Array): Promise<Uint8Array> {
  const { algorithm } = await exportJwk(publicKey);
  return new Uint8Array(
    await crypto.subtle.sign(SIGNATURE_PARAMETERS[algorithm], privateKey, bytes as BufferSource),
  );
}
