import { CompactSign } from 'jose';
import { AgentKeyInvalid } from '../errors.js';
import {
  type CheckedJwk,
  type KeyAlgorithm,
  type PublicJwk,
  publicMembers,
  SIGNATURE_PARAMETERS,
} from '../trust/public-key.js';

/**
 * An agent's key pair, as `crypto.subtle.generateKey` makes it: Ed25519, or ECDSA over P-256. The private key need not
 * be extractable.
 */
export interface AgentKeys {
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/** The JWS name of each algorithm. `EdDSA` is the older name, which every library supports. */
const NAMES: Readonly<Record<KeyAlgorithm, string>> = { Ed25519: 'EdDSA', ES256: 'ES256' };

/**
 * The public key of an agent, as a JWK without other members.
 *
 * @throws {@link AgentKeyInvalid}
 *
 * @example
 * ```ts
 * import { publicJwk } from '@passport-registry/verifier';
 *
 * const keys = await crypto.subtle.generateKey('Ed25519', false, ['sign', 'verify']);
 * console.log((await publicJwk(keys)).crv); // Ed25519
 * ```
 */
export async function publicJwk({ publicKey }: AgentKeys): Promise<PublicJwk> {
  const { algorithm: _algorithm, ...members } = await described(publicKey);
  return members;
}

async function described(publicKey: CryptoKey): Promise<CheckedJwk> {
  const invalid = (message: string, cause?: unknown) =>
    new AgentKeyInvalid(`the agent's public key ${message}`, { cause });
  const jwk = await crypto.subtle.exportKey('jwk', publicKey).catch((cause: unknown) => {
    throw invalid('cannot be exported', cause);
  });
  return publicMembers(jwk, invalid);
}

/** The content of a JWS before it is signed. */
export interface UnsignedJws {
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
  const { algorithm, ...jwk } = await described(publicKey);
  return new CompactSign(new TextEncoder().encode(JSON.stringify(claims)))
    .setProtectedHeader({ alg: NAMES[algorithm], typ, ...(withKey && { jwk }) })
    .sign(privateKey);
}

/** The raw signature of an agent's key over some bytes. */
export async function signRaw({ privateKey, publicKey }: AgentKeys, bytes: Uint8Array): Promise<Uint8Array> {
  const { algorithm } = await described(publicKey);
  return new Uint8Array(
    await crypto.subtle.sign(SIGNATURE_PARAMETERS[algorithm], privateKey, bytes as BufferSource),
  );
}
