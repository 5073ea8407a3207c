import { type Check, isCount, isObject } from '../bytes/checks.js';
import { decodeBase64url } from '../bytes/encodings.js';
import { strictJsonOf } from '../bytes/strict-json.js';
import { textOf } from '../bytes/utf8.js';
import { LIMITS } from '../limits.js';
import { isSignedBy, type KeyAlgorithm, type VerificationKey } from './public-key.js';

/** The kinds of faults in a JWS. */
export type JwsFault = 'malformed' | 'type' | 'algorithm' | 'header' | 'claims' | 'signature';

/** A JWS was refused. The message is a predicate, to which callers add a subject such as "the checkpoint". */
export class JwsRefused extends Error {
  readonly fault: JwsFault;

  constructor(fault: JwsFault, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'JwsRefused';
    this.fault = fault;
  }
}

/** A parsed JWS in compact form (RFC 7515, section 7.1). The signature has not been verified. */
export interface CompactJws {
  /** The JWS itself. */
  readonly text: string;
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The accepted value that the `typ` in the header equals. */
  readonly type: string;
  /** The algorithm that the header names. */
  readonly algorithm: KeyAlgorithm;
  readonly signature: Uint8Array;
  /** The signed bytes: header and payload as in the token. */
  readonly signed: Uint8Array;
}

/**
 * The accepted values of `alg` (rule jwt-profile), and the key algorithm of each. All others are refused, including
 * `none`.
 */
const ALGORITHMS: ReadonlyMap<unknown, KeyAlgorithm> = new Map([
  ['Ed25519', 'Ed25519'],
  ['EdDSA', 'Ed25519'],
  ['ES256', 'ES256'],
]);

/**
 * Header members that tell a reader to take the key from the token, or that change how the token is read. A token with
 * such a member is refused: honest senders do not use these members (rule jwt-profile).
 */
const REFUSED_MEMBERS = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64'];

/** Claims that are times, in seconds since 1970. */
export const TIME_CLAIMS: readonly string[] = ['iat', 'exp', 'nbf'];

/** How a JWS is read. Without these members, as a statement of a registry is. */
interface JwsReading {
  /** Whether a `typ` is an accepted one. */
  readonly isType?: (typ: string, accepted: string) => boolean;
  /** Whether a claim is a time. */
  readonly isTime?: Check;
  /** A header member to accept that is refused by default. */
  readonly allowed?: 'jwk' | undefined;
}

/**
 * Parses a compact JWS and checks the JWT profile in its order (rule jwt-profile):
 *
 * - at most 16 KiB
 * - three parts in strict base64url: no padding, no white space, no byte order mark, and zeros in unused bits
 * - header and payload are strict JSON objects without a duplicate member
 * - an exact `typ`, and an accepted algorithm
 * - no header member that chooses the key or changes how the token is read
 * - `iat`, `exp` and `nbf`, if present, are integers from 0 to 2^53 - 1
 *
 * The function does not verify the signature and does not compare times with a clock. Every JWS that a verifier reads, of a
 * registry or of a passport, is parsed here.
 *
 * @param jws - the JWS, as a string or as the bytes of a file
 * @param types - the accepted values of `typ`
 * @throws {@link JwsRefused}
 */
export function readCompactJws(
  jws: unknown,
  types: readonly string[],
  { isType = isSame, isTime = isCount, allowed }: JwsReading = {},
): CompactJws {
  const text = limitedText(jws);
  const parts = text.split('.', 4);
  const [header, payload, signature] = parts.map(decodeBase64url);
  if (parts.length !== 3 || header === undefined || payload === undefined || signature === undefined) {
    throw malformed('is not a JWS in compact form');
  }
  const head = jsonObject(header, 'header');
  const { typ, alg } = head;
  const type = types.find((accepted) => typeof typ === 'string' && isType(typ, accepted));
  if (type === undefined) throw new JwsRefused('type', `is not of type ${types.join(' or ')}`);
  const algorithm = ALGORITHMS.get(alg);
  if (algorithm === undefined) {
    throw new JwsRefused('algorithm', `is not signed with one of ${[...ALGORITHMS.keys()].join(', ')}`);
  }
  const refused = REFUSED_MEMBERS.find((member) => member !== allowed && Object.hasOwn(head, member));
  if (refused !== undefined) throw new JwsRefused('header', `has ${refused} in its header`);
  const claims = jsonObject(payload, 'payload');
  const wrong = TIME_CLAIMS.find((claim) => claims[claim] !== undefined && !isTime(claims[claim]));
  if (wrong !== undefined) throw new JwsRefused('claims', `has an invalid ${wrong}`);
  const signed = new TextEncoder().encode(text.slice(0, text.lastIndexOf('.')));
  return { text, header: head, payload: claims, type, algorithm, signature, signed };
}

const isSame = (typ: string, accepted: string) => typ === accepted;

/**
 * Verifies the signature of a JWS. The key determines the algorithm. A header that names another algorithm is refused.
 *
 * @throws {@link JwsRefused}
 */
export async function verifyCompactJws(jws: CompactJws, key: VerificationKey): Promise<void> {
  if (jws.algorithm !== key.algorithm) {
    throw new JwsRefused('algorithm', `does not name the algorithm of its key, ${key.algorithm}`);
  }
  // WebCrypto returns false for a signature of any other length.
  if (!(await isSignedBy(key, jws.signature, jws.signed))) {
    throw new JwsRefused('signature', 'is not signed by the expected key');
  }
}

function limitedText(jws: unknown): string {
  // `instanceof` fails for bytes from another realm.
  if (typeof jws !== 'string' && !isBytes(jws)) throw malformed('is not a string');
  if (jws.length > LIMITS.jwt) throw malformed(`is longer than ${LIMITS.jwt} bytes`);
  return textOf(jws, malformed);
}

function isBytes(value: unknown): value is Uint8Array {
  return ArrayBuffer.isView(value) && 'length' in value;
}

function jsonObject(bytes: Uint8Array, part: 'header' | 'payload'): Record<string, unknown> {
  const value = strictJsonOf(bytes, (problem, cause) => malformed(`has a ${part} that ${problem}`, cause));
  if (!isObject(value)) throw malformed(`has a ${part} that is not a JSON object`);
  return value;
}

function malformed(message: string, cause?: unknown): JwsRefused {
  return new JwsRefused('malformed', message, { cause });
}
