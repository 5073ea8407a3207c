import { isObject } from '../core/bytes/checks.js';
import type { Invalid } from '../core/bytes/utf8.js';
import { isValidWebUri } from '../core/generated/predicates.js';
import { type CheckedJwk, publicMembers } from '../core/keys/public-key.js';

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
  /** `form`: members are missing, or are no URLs. `issuer`, `jwks_uri`: this member is not that of the known issuer. */
  readonly about: 'form' | 'issuer' | 'jwks_uri';
  /** A predicate, such as "has no valid issuer". */
  readonly message: string;
}

/**
 * Returns why verifiers refuse the metadata of a known issuer. The metadata must name the same `jwks_uri` as the registry,
 * and an issuer on the host of its `discovery_uri`, so that only the signed registry decides which hosts a verifier
 * contacts. Without a fault, the value is {@link IssuerMetadata}. The caller compares the `issuer_id`.
 */
export function findMetadataFaults(found: unknown, known: KnownIssuer): readonly MetadataFault[] {
  const members: Readonly<Record<string, unknown>> = isObject(found) ? found : {};
  const isValid = {
    issuer: isUrl(members['issuer']),
    issuer_id: typeof members['issuer_id'] === 'string',
    jwks_uri: isUrl(members['jwks_uri']),
  };
  const missing = Object.entries(isValid).flatMap(([name, valid]) => (valid ? [] : name));
  if (missing.length > 0) return [{ about: 'form', message: `has no valid ${missing.join(', ')}` }];
  const { issuer, jwks_uri } = found as IssuerMetadata;
  const { origin } = new URL(known.discovery_uri);
  const faults: MetadataFault[] = [];
  if (new URL(issuer).origin !== origin)
    faults.push({ about: 'issuer', message: `names an issuer on another host, ${issuer}` });
  const expected = known.jwks_uri;
  const isSame = expected === undefined ? new URL(jwks_uri).origin === origin : jwks_uri === expected;
  if (!isSame) faults.push({ about: 'jwks_uri', message: `names a different jwks_uri, ${jwks_uri}` });
  return faults;
}

function isUrl(value: unknown): value is string {
  return isValidWebUri(value) && URL.canParse(value);
}

/** The maximum number of keys of an issuer. */
export const MAX_ISSUER_KEYS = 100;

/** Returns the keys of a JWK set (RFC 7517, section 5). Undefined if the value is not one, or has too many keys. */
export function keysOfSet(found: unknown): readonly Readonly<Record<string, unknown>>[] | undefined {
  const keys = isObject(found) ? found['keys'] : undefined;
  return Array.isArray(keys) && keys.length <= MAX_ISSUER_KEYS && keys.every(isObject) ? keys : undefined;
}

/**
 * Checks a JWK of an issuer, which must be for verifying signatures, and returns only the members of the key. `alg` must match
 * the key: `EdDSA` and `Ed25519` are equivalent (rule issuer-keys).
 *
 * @param invalid - creates the error to throw
 */
export function signingKeyOf(jwk: Readonly<Record<string, unknown>>, invalid: Invalid): CheckedJwk {
  const { use, key_ops, alg } = jwk;
  if (use !== undefined && use !== 'sig') throw invalid('is not for signatures (use)');
  if (key_ops !== undefined && !(Array.isArray(key_ops) && key_ops.includes('verify'))) {
    throw invalid('is not for verifying (key_ops)');
  }
  const key = publicMembers(jwk, invalid);
  const names: readonly unknown[] = key.algorithm === 'ES256' ? ['ES256'] : ['Ed25519', 'EdDSA'];
  if (alg !== undefined && !names.includes(alg))
    throw invalid(`is not one for its alg: use ${names.join(' or ')}`);
  return key;
}
