import { isObject } from './checks.js';
import { GRAMMAR } from './generated/schemas.js';

/** The members of a public JWK of the two kinds that are used here, and no others. */
export interface PublicJwk {
  readonly kty: 'OKP' | 'EC';
  readonly crv: 'Ed25519' | 'P-256';
  readonly x: string;
  readonly y?: string;
}

/** How a key signs, and the only way. */
export type KeyAlgorithm = 'Ed25519' | 'ES256';

/** A public key that has been checked and is ready to verify with. */
export interface PublicKey {
  readonly jwk: PublicJwk;
  readonly algorithm: KeyAlgorithm;
  /** The key for WebCrypto. */
  readonly cryptoKey: CryptoKey;
}

/** Members that only a private or a symmetric JWK has (RFC 7518, section 6). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const IMPORT_PARAMETERS = {
  Ed25519: { name: 'Ed25519' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
};

/** How WebCrypto signs and verifies by each algorithm. */
export const SIGNATURE_PARAMETERS = {
  Ed25519: { name: 'Ed25519' },
  ES256: { name: 'ECDSA', hash: 'SHA-256' },
};

/** Whether a JWK carries what must never leave its owner. */
export function isPrivateJwk(jwk: object): boolean {
  return PRIVATE_MEMBERS.some((member) => Object.hasOwn(jwk, member));
}

/**
 * Checks and imports a public JWK: OKP/Ed25519 (RFC 8037) or EC/P-256 (RFC 7518). Other keys are refused, and so is a
 * JWK with a private member. Members that do not matter are ignored, as RFC 7517 asks.
 *
 * @param invalid - makes the error to throw; the message goes on where a name of the key stands
 */
export async function importPublicKey(
  jwk: unknown,
  invalid: (message: string, cause?: unknown) => Error,
): Promise<PublicKey> {
  const { algorithm, ...members } = publicMembers(jwk, invalid);
  const parameters = IMPORT_PARAMETERS[algorithm];
  try {
    const cryptoKey = await crypto.subtle.importKey('jwk', members, parameters, true, ['verify']);
    return { jwk: members, algorithm, cryptoKey };
  } catch (cause) {
    throw invalid(`is no point on ${members.crv}`, cause);
  }
}

/**
 * The members of a public JWK that matter, where they are all there and of the right form.
 *
 * @param invalid - as for {@link importPublicKey}
 */
export function publicMembers(
  jwk: unknown,
  invalid: (message: string) => Error,
): PublicJwk & { algorithm: KeyAlgorithm } {
  if (!isObject(jwk)) throw invalid('is no JSON object');
  if (isPrivateJwk(jwk)) throw invalid('carries a private member: this is not the public key');
  const { kty, crv, x, y } = jwk;
  if (!isCoordinate(x)) throw invalid('has an x that is not 32 bytes in base64url without padding');
  if (kty === 'OKP' && crv === 'Ed25519') {
    if (y !== undefined && y !== null) throw invalid('is of Ed25519 and has a y');
    return { kty, crv, x, algorithm: 'Ed25519' };
  }
  if (kty === 'EC' && crv === 'P-256') {
    if (!isCoordinate(y)) throw invalid('has a y that is not 32 bytes in base64url without padding');
    return { kty, crv, x, y, algorithm: 'ES256' };
  }
  throw invalid('is neither OKP/Ed25519 nor EC/P-256');
}

function isCoordinate(value: unknown): value is string {
  return typeof value === 'string' && GRAMMAR.bytes32.pattern.test(value);
}

/**
 * Whether a raw signature (RFC 8032, or r||s as in JOSE) is one over some bytes by a key. The algorithm follows from
 * the key and from nothing else.
 */
export function isSignedBy(
  { algorithm, cryptoKey }: Pick<PublicKey, 'algorithm' | 'cryptoKey'>,
  signature: Uint8Array,
  bytes: Uint8Array,
): Promise<boolean> {
  return crypto.subtle.verify(
    SIGNATURE_PARAMETERS[algorithm],
    cryptoKey,
    signature as BufferSource,
    bytes as BufferSource,
  );
}
