import type { PublicJwk } from '@passport-registry/verifier';
import {
  type Check,
  type CompactJws,
  isCount,
  isListOf,
  isObject,
  isValidBytes32,
  isValidIssuerId,
  isValidWebUri,
  oneOf,
} from '@passport-registry/verifier/core';
import { AGENT_TYPES } from '../generated/agents.js';
import { assertClaims, isNumericDate } from './passport-jws.js';
import { reject } from './rejection.js';

/** The actions that an agent may take, and until when (docs/protocol/passports.md#mandate-form). */
export interface Mandate {
  readonly mandate_id: string;
  /** Actions as dotted names. A trailing `.*` covers all deeper names. An empty scope allows nothing. */
  readonly scope: readonly string[];
  /** RFC 3339. */
  readonly issued_at: string;
  /** RFC 3339. */
  readonly expires_at: string;
  /** Further conditions. The verifier must know and meet each of them. */
  readonly policy?: Readonly<Record<string, unknown>>;
}

/** The claims of a passport (docs/protocol/passports.md#passport-claims). A token may have additional claims. */
export interface PassportClaims {
  /** The issuer's base URL, as in its metadata. */
  readonly iss: string;
  /** The passport's DID: `did:passport:` followed by its id. */
  readonly sub: string;
  /** The passport's id, a UUID. */
  readonly jti: string;
  /** Seconds since 1970. */
  readonly iat: number;
  /** Seconds since 1970. */
  readonly exp: number;
  /** Seconds since 1970. */
  readonly nbf?: number;
  /** The issuer's id in the registry. */
  readonly issuer_id: string;
  readonly realm_id: string;
  readonly principal_id: string;
  readonly agent_type: (typeof AGENT_TYPES)[number];
  /** The agent's own description of its capabilities. They grant no permission. */
  readonly capabilities: readonly string[];
  /** A number that the issuer increases when it revokes the passport. */
  readonly revocation_nonce: number;
  /** The agent's public key (RFC 7800). */
  readonly cnf: { readonly jwk: PublicJwk };
  /** The mandate: an object, or a JWS signed by the principal. */
  readonly mandate?: Mandate | string;
  /** The RFC 7638 thumbprint of the principal's key. */
  readonly principal_jkt?: string;
  readonly [claim: string]: unknown;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export const isShortString: Check = (value) =>
  typeof value === 'string' && value.length >= 1 && value.length <= 256;
/** Whether a claim is the base URL of an issuer. */
export const isBaseUrl: Check = (value) => isValidWebUri(value) && !/[?#]/.test(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const CHECKS: Readonly<Record<string, Check>> = {
  iss: isBaseUrl,
  sub: isShortString,
  jti: (value) => typeof value === 'string' && UUID.test(value),
  iat: isNumericDate,
  exp: isNumericDate,
  issuer_id: isValidIssuerId,
  realm_id: isShortString,
  principal_id: isShortString,
  agent_type: oneOf(AGENT_TYPES),
  capabilities: (value) => isListOf(value, isShortString) && (value as unknown[]).length <= 256,
  revocation_nonce: isCount,
  cnf: (value) => isObject(value) && isObject(value['jwk']),
  mandate: optional((value) => typeof value === 'string' || isObject(value)),
  principal_jkt: optional(isValidBytes32),
};

/** Checks the form of a token's claims. Later checks verify their content. */
export function readClaims({ payload }: CompactJws): PassportClaims {
  assertClaims(payload, 'token', CHECKS);
  const claims = payload as unknown as PassportClaims;
  if (claims.sub !== `did:passport:${claims.jti}`) {
    reject('token-claims', 'sub is not the DID of the passport that jti names');
  }
  return claims;
}
