import { decodeBase64url } from '../base64url.js';
import { isObject } from '../checks.js';
import { isSignedBy, type KeyAlgorithm, type PublicKey } from '../public-key.js';
import type { PassportReasonCode } from './reasons.js';
import { reject } from './verdict.js';

/** What a JWS is here; the reasons of its rejection begin with it. */
export type JwsKind = 'token' | 'proof' | 'mandate';

/** A JWS in compact form (RFC 7515, section 7.1), read and not yet verified. */
export interface CompactJws {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
  /** The `typ`, in lower case and without `application/`. */
  readonly type: string;
  /** How the header says that it was signed. */
  readonly algorithm: KeyAlgorithm;
  readonly signature: Uint8Array;
  /** The bytes that are signed. */
  readonly signed: Uint8Array;
}

/** Characters. Larger than any passport needs, and small enough that nobody can make a verifier work. */
const MAX_LENGTH = 16 * 1024;

/** The names of the algorithms that are accepted (SPEC B11), and what each means. There are no others, and no `none`. */
const ALGORITHMS: ReadonlyMap<unknown, KeyAlgorithm> = new Map([
  ['Ed25519', 'Ed25519'],
  ['EdDSA', 'Ed25519'],
  ['ES256', 'ES256'],
]);

/**
 * Header members that would have a reader take its key from the token, or read it otherwise than others do. They are
 * refused rather than ignored: nobody who means well sends them (SPEC B11).
 */
const REFUSED_MEMBERS = ['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64'];

/**
 * Reads a compact JWS strictly: one spelling of base64url, UTF-8, JSON objects, an accepted `typ` and algorithm. It
 * verifies no signature.
 *
 * @param allowed - a member of the header that is otherwise refused
 */
export function readJws(text: unknown, kind: JwsKind, types: readonly string[], allowed?: 'jwk'): CompactJws {
  const malformed = (what: string) => reject(`${kind}-malformed`, `the ${kind} ${what}`);
  if (typeof text !== 'string') return malformed('is no text');
  if (text.length > MAX_LENGTH) return malformed(`is longer than ${MAX_LENGTH} characters`);
  const parts = text.split('.');
  const [header, payload, signature] = parts.map(decodeBase64url);
  if (parts.length !== 3 || header === undefined || payload === undefined || signature === undefined) {
    return malformed('is no JWS in compact form');
  }
  const head = jsonObject(header) ?? malformed('has a header that is no JSON object');
  const type = shortType(head['typ']);
  if (!types.includes(type)) {
    reject(`${kind}-type`, `the ${kind} is not of type ${types.join(' or ')}`);
  }
  const algorithm = ALGORITHMS.get(head['alg']);
  if (algorithm === undefined) {
    reject(`${kind}-algorithm`, `the ${kind} is signed by none of ${[...ALGORITHMS.keys()].join(', ')}`);
  }
  const refused = REFUSED_MEMBERS.find((member) => member !== allowed && Object.hasOwn(head, member));
  if (refused !== undefined) reject(`${kind}-header`, `the ${kind} has ${refused} in its header`);
  return {
    header: head,
    payload: jsonObject(payload) ?? malformed('has a payload that is no JSON object'),
    type,
    algorithm,
    signature,
    signed: new TextEncoder().encode(text.slice(0, text.lastIndexOf('.'))),
  };
}

/** Verifies a JWS. The algorithm follows from the key; a header that says otherwise is refused. */
export async function verifyJws(jws: CompactJws, kind: JwsKind, key: PublicKey): Promise<void> {
  const code: PassportReasonCode = `${kind}-signature-invalid`;
  if (jws.algorithm !== key.algorithm) {
    reject(`${kind}-algorithm`, `the ${kind} is not signed as its key signs, by ${key.algorithm}`);
  }
  // WebCrypto says no, without an error, to a signature of another length.
  if (!(await isSignedBy(key, jws.signature, jws.signed))) {
    reject(code, `the ${kind} is not signed by the key that it must be signed by`);
  }
}

/** A media type may be written whole, and in capitals (RFC 7515, section 4.1.9). */
function shortType(typ: unknown): string {
  const lower = typeof typ === 'string' ? typ.toLowerCase() : '';
  return lower.startsWith('application/') ? lower.slice('application/'.length) : lower;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function jsonObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
