import type { KeyAlgorithm } from '@passport-registry/verifier';
import {
  type Check,
  type Clock,
  type CompactJws,
  clockNote,
  hasPassed,
  isListOf,
} from '@passport-registry/verifier/core';
import { isBaseUrl } from './claims.js';
import { IssuerToken } from './issuer-token.js';
import { assertClaims, isNumericDate } from './passport-jws.js';
import { reject } from './rejection.js';

/** What a JWT of an issuer must be, to be accepted (docs/protocol/passports.md#token-profile). */
export interface TokenProfile {
  /**
   * The `typ`, such as `at+jwt` (RFC 9068) or `oauth-id-jag+jwt`. Compared as a media type: with or without `application/`,
   * in any case. Neither `JWT`, which any token may have, nor a type of this protocol, such as `passport+jwt`.
   */
  readonly type: string;
  /** The audience that `aud` must contain. Default: the `audience` of the verifier. */
  readonly audience?: string;
  /** The maximum time since `iat`, in seconds: more than 0, and finite. Default: 86400, a day. */
  readonly maxAge?: number;
  /** The accepted algorithms. `EdDSA` in a token means `Ed25519`. Default: all that the library knows. */
  readonly algorithms?: readonly KeyAlgorithm[];
  /** The claims that the token must have, in addition to `iss`, `aud`, `iat` and `exp`. Only their presence is checked. */
  readonly requiredClaims?: readonly string[];
  /** The id of the only accepted issuer. Required with a look-up of single issuers. */
  readonly issuerId?: string;
}

/** The claims of a token that was verified under a profile. */
export interface TokenClaims {
  /** The issuer's base URL, as in its metadata. */
  readonly iss: string;
  /** One audience, or several. The audience of the profile is among them. */
  readonly aud: string | readonly string[];
  /** Seconds since 1970. */
  readonly iat: number;
  /** Seconds since 1970. */
  readonly exp: number;
  /** Seconds since 1970. */
  readonly nbf?: number;
  readonly [claim: string]: unknown;
}

/** A profile with its defaults. */
export type CompleteProfile = Required<Omit<TokenProfile, 'issuerId'>> & {
  readonly issuerId: string | undefined;
};

/** Adds the defaults to a profile, and copies its arrays. */
export function completeProfile(profile: TokenProfile, audience: string): CompleteProfile {
  const { algorithms = ['Ed25519', 'ES256'], requiredClaims = [] } = profile;
  return {
    type: profile.type,
    audience: profile.audience ?? audience,
    maxAge: profile.maxAge ?? 86_400,
    algorithms: [...algorithms],
    requiredClaims: [...requiredClaims],
    issuerId: profile.issuerId,
  };
}

const isAudience: Check = (value) =>
  typeof value === 'string' || isListOf(value, (one) => typeof one === 'string');

const CHECKS: Readonly<Record<string, Check>> = {
  iss: isBaseUrl,
  aud: isAudience,
  iat: isNumericDate,
  exp: isNumericDate,
};

/** Claims of ID tokens alone (OpenID Connect Core). */
const ID_TOKEN_CLAIMS = ['nonce', 'at_hash', 'c_hash', 's_hash'];

/** Parses a token, and checks its form and claims under a profile (rule token-profile). */
export function readUnderProfile(token: string, profile: CompleteProfile): IssuerToken<TokenClaims> {
  return new IssuerToken(token, [profile.type], (jws) => readProfileClaims(jws, profile));
}

function readProfileClaims({ algorithm, payload }: CompactJws, profile: CompleteProfile): TokenClaims {
  if (!profile.algorithms.includes(algorithm)) {
    reject('token-algorithm', `the profile does not accept the algorithm ${algorithm}`);
  }
  assertClaims(payload, 'token', CHECKS);
  const isPresent = (claim: string) => Object.hasOwn(payload, claim) && payload[claim] !== null;
  const missing = profile.requiredClaims.find((claim) => !isPresent(claim));
  if (missing !== undefined) reject('token-claims', `${missing} is missing, which the profile requires`);
  const foreign = ID_TOKEN_CLAIMS.find(isPresent);
  if (foreign !== undefined) reject('id-token', `the token has the claim ${foreign}: it is an ID token`);
  if (Object.hasOwn(payload, 'cnf')) {
    reject('token-bound', 'the token is bound to a key (cnf), whose proof is not verified here');
  }
  return payload as unknown as TokenClaims;
}

/** Asserts that a token is not older than its profile allows. */
export function checkAge({ iat }: TokenClaims, { maxAge }: CompleteProfile, clock: Clock): void {
  if (hasPassed((iat + maxAge) * 1000, clock)) {
    reject('token-too-old', `the token was issued more than ${maxAge} seconds ago ${clockNote(clock.now)}`);
  }
}

/** Asserts that an `aud` names an audience. Without an audience, no `aud` does. */
export function assertAudience(audience: string | undefined, aud: unknown): void {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (audience === undefined || !named.includes(audience)) {
    reject('audience-mismatch', 'the token is for another audience, or the option audience is missing');
  }
}
