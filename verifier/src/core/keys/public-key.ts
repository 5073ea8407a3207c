import { isObject } from '../bytes/checks.js';
import { decodeBase64url } from '../bytes/encodings.js';
import { hashBase64url } from '../bytes/sha256-sync.js';
import type { Invalid } from '../bytes/utf8.js';
import { isValidBytes32 } from '../generated/predicates.js';
import type { RootJwk } from '../generated/schemas.js';
import { ed25519Fault, p256Fault } from './curve-points.js';

/** A key of WebCrypto, by whichever name the types of the platform give it. */
export type CryptoKey = Extract<Awaited<ReturnType<typeof crypto.subtle.generateKey>>, { type: string }>;

/** A public Ed25519 or P-256 JWK with only the members of the key. */
export interface PublicJwk {
  readonly kty: 'OKP' | 'EC';
  readonly crv: 'Ed25519' | 'P-256';
  readonly x: string;
  readonly y?: string;
}

/** The algorithm of a key. Each key has exactly one. */
export type KeyAlgorithm = 'Ed25519' | 'ES256';

/** The `alg` by which a signer names each algorithm. `EdDSA` is the older name of Ed25519, which every library supports. */
export const ALG_NAMES: Readonly<Record<KeyAlgorithm, string>> = { Ed25519: 'EdDSA', ES256: 'ES256' };

/** A key that verifies signatures. */
export interface VerificationKey {
  readonly algorithm: KeyAlgorithm;
  /** The key for WebCrypto. */
  readonly cryptoKey: CryptoKey;
}

/** A checked and imported public key. */
export interface PublicKey extends VerificationKey {
  readonly jwk: PublicJwk;
}

/** Members that occur only in private and symmetric JWKs (RFC 7518, section 6). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

const IMPORT_PARAMETERS = {
  Ed25519: { name: 'Ed25519' },
  ES256: { name: 'ECDSA', namedCurve: 'P-256' },
};

/** The length of a raw signature in bytes, for both Ed25519 (RFC 8032) and ES256 (RFC 7518, section 3.4). */
export const SIGNATURE_BYTES = 64;

/** The WebCrypto parameters of each algorithm. */
export const SIGNATURE_PARAMETERS = {
  Ed25519: { name: 'Ed25519' },
  ES256: { name: 'ECDSA', hash: 'SHA-256' },
};

/** Returns the values of a JWK that belong to a private or symmetric key. A member that is null counts as absent. */
function privateValues(jwk: object): readonly unknown[] {
  const values = PRIVATE_MEMBERS.filter((member) => Object.hasOwn(jwk, member)).map((member) =>
    Reflect.get(jwk, member),
  );
  return values.filter((value) => value !== null);
}

/** Returns whether a JWK reveals a private or symmetric key. An empty member reveals nothing, and no key may have it. */
export function isPrivateJwk(jwk: object): boolean {
  return privateValues(jwk).some((value) => value !== '');
}

/**
 * Checks and imports a public JWK: OKP/Ed25519 (RFC 8037) or EC/P-256 (RFC 7518). Every public key is imported here.
 * The function refuses other key types, JWKs with a private member, and points that cannot be a public key
 * (rule public-key): WebCrypto itself imports any 32 bytes as an Ed25519 key. Other members are ignored, as RFC 7517
 * requires.
 *
 * @param invalid - creates the error to throw
 */
export async function importPublicKey(jwk: unknown, invalid: Invalid): Promise<PublicKey> {
  return importChecked(publicMembers(jwk, invalid), invalid);
}

/** A checked public key that has not been imported. */
export type CheckedJwk = PublicJwk & { readonly algorithm: KeyAlgorithm };

/** Imports a key that {@link publicMembers} has checked. */
export async function importChecked({ algorithm, ...jwk }: CheckedJwk, invalid: Invalid): Promise<PublicKey> {
  const parameters = IMPORT_PARAMETERS[algorithm];
  try {
    const cryptoKey = await crypto.subtle.importKey('jwk', jwk, parameters, true, ['verify']);
    return { jwk, algorithm, cryptoKey };
  } catch (cause) {
    throw invalid('cannot be imported by this platform', cause);
  }
}

/**
 * Checks a public JWK and returns only the members of the key.
 *
 * @param invalid - as for {@link importPublicKey}
 */
export function publicMembers(jwk: unknown, invalid: Invalid): CheckedJwk {
  if (!isObject(jwk)) throw invalid('is not a JSON object');
  if (privateValues(jwk).length > 0) throw invalid('has a private member: leave it out');
  const { kty, crv } = jwk;
  const isEd25519 = kty === 'OKP' && crv === 'Ed25519';
  // Before the coordinates, which a key of another kind need not have.
  if (!isEd25519 && !(kty === 'EC' && crv === 'P-256')) throw invalid('is neither OKP/Ed25519 nor EC/P-256');
  const x = coordinate(jwk, 'x', invalid);
  if (isEd25519) {
    if (jwk['y'] !== undefined && jwk['y'] !== null) throw invalid('is an Ed25519 key with a y');
    refuse(ed25519Fault(x.bytes), invalid);
    return { kty: 'OKP', crv: 'Ed25519', x: x.text, algorithm: 'Ed25519' };
  }
  const y = coordinate(jwk, 'y', invalid);
  refuse(p256Fault(x.bytes, y.bytes), invalid);
  return { kty: 'EC', crv: 'P-256', x: x.text, y: y.text, algorithm: 'ES256' };
}

function refuse(fault: string | undefined, invalid: Invalid): void {
  if (fault !== undefined) throw invalid(fault);
}

function coordinate(
  jwk: Readonly<Record<string, unknown>>,
  name: 'x' | 'y',
  invalid: Invalid,
): { text: string; bytes: Uint8Array } {
  const text = jwk[name];
  const bytes = isValidBytes32(text) ? decodeBase64url(text) : undefined;
  if (bytes === undefined) throw invalid(`has no ${name} of 32 bytes in base64url without padding`);
  return { text: text as string, bytes };
}

/**
 * Returns whether a raw signature (RFC 8032, or r||s as in JOSE) over some bytes is valid. Only the key determines the
 * algorithm. WebCrypto alone decides which numbers and points are valid (rule signature-strict).
 */
export function isSignedBy(
  { algorithm, cryptoKey }: VerificationKey,
  signature: Uint8Array,
  bytes: Uint8Array,
): Promise<boolean> {
  // workerd throws an error for another length.
  if (signature.length !== SIGNATURE_BYTES) return Promise.resolve(false);
  return crypto.subtle.verify(
    SIGNATURE_PARAMETERS[algorithm],
    cryptoKey,
    signature as BufferSource,
    bytes as BufferSource,
  );
}

/** Returns the RFC 7638 thumbprint of a public key: SHA-256 of its required members, in base64url. */
export function thumbprintOf({ crv, kty, x, y }: PublicJwk | RootJwk): string {
  // The members are in lexicographic order. JSON leaves out a `y` that is undefined.
  return hashBase64url(JSON.stringify({ crv, kty, x, y: y ?? undefined }));
}
