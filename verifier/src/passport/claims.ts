import { type Check, isListOf, isObject, oneOf } from '../encoding/checks.js';
import { isValidBytes32, isValidIssuerId, isValidWebUri } from '../generated/predicates.js';
import { AGENT_TYPES } from '../generated/schemas.js';
import type { PublicJwk } from '../trust/public-key.js';
import type { CompactJws } from './passport-jws.js';
import { reject } from './rejection.js';

/** What an agent may do, and until when (SPEC B10). */
export interface Mandate {
  readonly mandate_id: string;
  /** Dotted actions; one trailing `.*` stands for all deeper names. Empty: nothing. */
  readonly scope: readonly string[];
  /** RFC 3339. */
  readonly issued_at: string;
  /** RFC 3339. */
  readonly expires_at: string;
  /** Further conditions. The verifier must know each of them, and each must be met. */
  readonly policy?: Readonly<Record<string, unknown>>;
}

/** The claims of a passport (SPEC B10). A token may have other claims, too. */
export interface PassportClaims {
  /** The issuer's base address, as its metadata have it. */
  readonly iss: string;
  /** The passport's DID: `did:passport:` and its id. */
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
  /** What the agent says that it can do. It grants nothing. */
  readonly capabilities: readonly string[];
  /** Raised by the issuer when it revokes. */
  readonly revocation_nonce: number;
  /** The agent's public key (RFC 7800). */
  readonly cnf: { readonly jwk: PublicJwk };
  /** What the agent may do: an object, or a JWS by the principal. */
  readonly mandate?: Mandate | string;
  /** RFC 7638 thumbprint of the principal's key. */
  readonly principal_jkt?: string;
  readonly [claim: string]: unknown;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const shortText: Check = (value) => typeof value === 'string' && value.length >= 1 && value.length <= 256;
const isTime: Check = (value) => Number.isSafeInteger(value) && Number(value) >= 0;
const isBaseAddress: Check = (value) => isValidWebUri(value) && !/[?#]/.test(value);
const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);

const CHECKS: Readonly<Record<string, Check>> = {
  iss: isBaseAddress,
  sub: shortText,
  jti: (value) => typeof value === 'string' && UUID.test(value),
  iat: isTime,
  exp: isTime,
  nbf: optional(isTime),
  issuer_id: isValidIssuerId,
  realm_id: shortText,
  principal_id: shortText,
  agent_type: oneOf(AGENT_TYPES),
  capabilities: (value) => isListOf(value, shortText) && (value as unknown[]).length <= 256,
  revocation_nonce: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  cnf: (value) => isObject(value) && isObject(value['jwk']),
  mandate: optional((value) => typeof value === 'string' || isObject(value)),
  principal_jkt: optional(isValidBytes32),
};

/** Checks the form of a token's claims. Later checks decide whether the claims are true. */
export function readClaims({ payload }: CompactJws): PassportClaims {
  for (const [claim, check] of Object.entries(CHECKS)) {
    if (!check(payload[claim])) {
      const missing = payload[claim] === undefined;
      reject('token-claims', `${claim} ${missing ? 'is missing' : 'is not valid in a passport'}`);
    }
  }
  const claims = payload as unknown as PassportClaims;
  if (claims.sub !== `did:passport:${claims.jti}`) {
    reject('token-claims', 'sub is not the DID of the passport that jti names');
  }
  return claims;
}
