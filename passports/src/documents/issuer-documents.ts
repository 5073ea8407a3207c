import {
  type CheckedJwk,
  type Invalid,
  isObject,
  isPrivateJwk,
  isValidWebUri,
  type JsonFault,
  JsonRefused,
  parseStrictJson,
  publicMembers,
} from '@passport-registry/verifier/core';
import { differingParts, type UrlPart } from './issuer-url.js';

/** What a document is instead of strict JSON. */
export type DocumentFault = JsonFault | 'empty' | 'compressed' | 'byte-order-mark' | 'markup';

/** A document of an issuer is not strict JSON. The message names the fault in printable ASCII, and may quote the document. */
export class DocumentRefused extends Error {
  readonly fault: DocumentFault;

  constructor(fault: DocumentFault, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'DocumentRefused';
    this.fault = fault;
  }
}

/** Parses a document of an issuer as strict JSON (rule issuer-responses). @throws {@link DocumentRefused} */
export function parseDocument(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (cause) {
    if (!(cause instanceof JsonRefused)) throw cause;
    const { fault, message } = foreignStart(bytes) ?? cause;
    throw new DocumentRefused(fault, message, { cause });
  }
}

/** Returns what is wrong with a document that begins like another format. Undefined if it does not. */
function foreignStart(bytes: Uint8Array): Pick<DocumentRefused, 'fault' | 'message'> | undefined {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  if (text.startsWith('\ufeff'))
    return { fault: 'byte-order-mark', message: 'it begins with a byte order mark' };
  if (text.trim() === '') return { fault: 'empty', message: 'it is empty' };
  if (text.startsWith('\0') || text[1] === '\0') {
    return { fault: 'not-utf8', message: 'it contains NUL, as UTF-16 does' };
  }
  if (/^\s*</.test(text)) return { fault: 'markup', message: 'it begins with <, as HTML and XML do' };
  // The first bytes of gzip, and of zstd.
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return { fault: 'compressed', message: 'it is compressed' };
  if (bytes[0] === 0x28 && bytes[1] === 0xb5) return { fault: 'compressed', message: 'it is compressed' };
  return undefined;
}

/** The URLs of an issuer that are known before any request, from the registry or from the caller. */
export interface KnownIssuer {
  readonly discovery_uri: string;
  /** The `jwks_uri` in the registry. Undefined if only the URL of the issuer is known. */
  readonly jwks_uri: string | undefined;
}

/** The metadata of an issuer (rule issuer-metadata). */
export interface IssuerMetadata {
  /** The issuer's base URL. */
  readonly issuer: string;
  readonly issuer_id: string;
  readonly jwks_uri: string;
}

/** Why verifiers refuse the metadata of an issuer. */
export interface MetadataFault {
  /** `form`: members are missing, or are no URLs. `issuer`, `jwks_uri`: this member differs from the known issuer. */
  readonly about: 'form' | 'issuer' | 'jwks_uri';
  /** The parts in which the URL differs from the known one. Empty for `form`. */
  readonly differs: readonly UrlPart[];
  /** A predicate, such as "has no valid issuer". */
  readonly message: string;
}

/**
 * Returns why verifiers refuse the metadata of a known issuer. The metadata must name the same `jwks_uri` as the registry,
 * and an issuer with the origin of its `discovery_uri`, so that only the signed registry decides which hosts a verifier
 * contacts. Without a fault, the value is {@link IssuerMetadata}. The caller compares the `issuer_id`.
 */
export function findMetadataFaults(found: unknown, known: KnownIssuer): readonly MetadataFault[] {
  if (!isObject(found)) return [{ about: 'form', differs: [], message: 'is not a JSON object' }];
  const isValid = {
    // RFC 8414, section 2: tokens with another `iss` are refused.
    issuer: isUrl(found['issuer']) && !/[?#]/.test(found['issuer']),
    issuer_id: typeof found['issuer_id'] === 'string',
    jwks_uri: isUrl(found['jwks_uri']),
  };
  const missing = Object.entries(isValid).flatMap(([name, valid]) => (valid ? [] : name));
  if (missing.length > 0)
    return [{ about: 'form', differs: [], message: `has no valid ${missing.join(', ')}` }];
  const { issuer, jwks_uri } = found as unknown as IssuerMetadata;
  const { discovery_uri, jwks_uri: expected } = known;
  const faults: MetadataFault[] = [];
  const ofIssuer = originParts(issuer, discovery_uri);
  if (ofIssuer.length > 0) {
    const message = `names the issuer ${issuer}, with another ${ofIssuer.join(', ')} than ${discovery_uri}`;
    faults.push({ about: 'issuer', differs: ofIssuer, message });
  }
  const ofKeys =
    expected === undefined ? originParts(jwks_uri, discovery_uri) : differingParts(jwks_uri, expected);
  if (ofKeys.length > 0) {
    const message = `names the jwks_uri ${jwks_uri}, with another ${ofKeys.join(', ')} than ${expected ?? discovery_uri}`;
    faults.push({ about: 'jwks_uri', differs: ofKeys, message });
  }
  return faults;
}

/** Returns in which parts of its origin a URL differs from another one. */
function originParts(url: string, other: string): readonly UrlPart[] {
  return differingParts(new URL(url).origin, new URL(other).origin);
}

function isUrl(value: unknown): value is string {
  return isValidWebUri(value) && URL.canParse(value);
}

/** A JWK of an issuer, which has not been checked. */
export type Jwk = Readonly<Record<string, unknown>>;

/** The maximum number of keys of an issuer. */
const MAX_ISSUER_KEYS = 100;

/** The maximum length of the `kid` by which a token names its key. */
const MAX_KID_LENGTH = 256;

/** Why verifiers refuse a key set as a whole. */
export interface KeySetFault {
  readonly about: 'form' | 'number' | 'private-key';
  /** A predicate, such as "has 101 keys, and verifiers read at most 100". */
  readonly message: string;
}

/**
 * Reads a JWK set (RFC 7517, section 5). What is not an object is left out: {@link findKeyFault} says why of each element. A
 * private key refuses the whole set, because the signatures of its issuer prove nothing anymore (rule issuer-keys).
 */
export function readKeySet(
  found: unknown,
): { readonly keys: readonly Jwk[] } | { readonly fault: KeySetFault } {
  const elements = isObject(found) ? found['keys'] : undefined;
  if (!Array.isArray(elements)) {
    return { fault: { about: 'form', message: 'is not a JWK set: it has no array "keys"' } };
  }
  if (elements.length > MAX_ISSUER_KEYS) {
    const message = `has ${elements.length} keys, and verifiers read at most ${MAX_ISSUER_KEYS}`;
    return { fault: { about: 'number', message } };
  }
  const keys = elements.filter(isObject);
  if (!keys.some(isPrivateJwk)) return { keys };
  const message = `contains a private or symmetric key, as keys[${elements.findIndex(isPrivateElement)}]`;
  return { fault: { about: 'private-key', message } };
}

function isPrivateElement(element: unknown): boolean {
  return isObject(element) && isPrivateJwk(element);
}

/**
 * Returns why verifiers cannot use an element of a key set, as a predicate. Undefined if they can. Whether its `kid` is
 * unique is a question about the set.
 */
export function findKeyFault(element: unknown): string | undefined {
  if (!isObject(element)) return 'is not a JSON object';
  const ofKid = findKidFault(element['kid']);
  if (ofKid !== undefined) return ofKid;
  try {
    signingKeyOf(element, (message) => new KeyUnusable(message));
    return undefined;
  } catch (error) {
    if (error instanceof KeyUnusable) return error.message;
    throw error;
  }
}

class KeyUnusable extends Error {}

/** Returns why a `kid` names no key of an issuer, as a predicate about a key or a token. Undefined if it does. */
export function findKidFault(kid: unknown): string | undefined {
  if (kid === undefined || kid === null) return 'names no key: it has no kid';
  if (typeof kid !== 'string') return 'names no key: its kid is not a string';
  if (kid.length <= MAX_KID_LENGTH) return undefined;
  return `has a kid of ${kid.length} characters, and verifiers read at most ${MAX_KID_LENGTH}`;
}

/**
 * Checks a JWK of an issuer, which must be for verifying signatures, and returns only the members of the key. `alg` must match
 * the key: `EdDSA` and `Ed25519` are equivalent (rule issuer-keys). A member that is null counts as absent.
 *
 * @param invalid - creates the error to throw
 */
export function signingKeyOf(jwk: Jwk, invalid: Invalid): CheckedJwk {
  const use = jwk['use'] ?? 'sig';
  const uses = jwk['key_ops'] ?? ['verify'];
  if (use !== 'sig') throw invalid('is not for signatures (use)');
  if (!(Array.isArray(uses) && uses.includes('verify'))) throw invalid('is not for verifying (key_ops)');
  const key = publicMembers(jwk, invalid);
  const names: readonly unknown[] = key.algorithm === 'ES256' ? ['ES256'] : ['Ed25519', 'EdDSA'];
  if (!names.includes(jwk['alg'] ?? names[0]))
    throw invalid(`is not one for its alg: use ${names.join(' or ')}`);
  return key;
}
