import type { Issuer } from '@passport-registry/verifier';
import type { Mandate, PassportClaims } from '../passport/claims.js';
import { Rejection, type VerdictReason } from '../passport/rejection.js';
import type { TokenClaims } from '../passport/token-profile.js';

/** The steps of a verification, in order. The steps from `scope` on run only for actions. */
export const VERDICT_CHECKS = [
  /** The token's form, `typ`, `alg` and claims. */
  'token',
  /** The issuer's record in the registry, and the trust policy. */
  'issuer',
  /** The issuer's metadata, which must name the same issuer and `jwks_uri`. */
  'discovery',
  /** The issuer's key that the token names. */
  'jwks',
  /** The signature of the token. */
  'signature',
  /** The times of the token. */
  'times',
  /** The status of the passport: active, and not revoked since the token was issued. */
  'status',
  /** The mandate's form, signature and times. */
  'mandate',
  /** The scope of the mandate, which must cover the action. */
  'scope',
  /** The conditions of the mandate. */
  'mandate-policy',
  /** The form of the proof, and its signature by the holder of the passport's key. */
  'proof',
  /** The proof is for this passport and this token. */
  'proof-passport',
  /** The proof is for this action. */
  'proof-action',
  /** The proof is for this payload. */
  'payload',
  /** The proof is for this verifier, or the token for the audience of its profile. */
  'audience',
  /** The proof is valid now, and for no longer than allowed. */
  'proof-times',
  /** The proof has not been used before. */
  'replay',
] as const;

/** The name of a step. */
export type CheckName = (typeof VERDICT_CHECKS)[number];

/** A step and its result. A step that did not run is `skipped`. */
export interface VerdictCheck {
  readonly name: CheckName;
  readonly result: 'passed' | 'failed' | 'skipped';
}

/** The list that contained the record of an issuer. */
export interface JudgedBy {
  readonly updatedAt: string;
  readonly sha256: string;
}

/** The findings of a verification. Passport and mandate are present only after they have been verified. */
export interface Findings {
  /** The issuer's record, even if the policy rejects the issuer. Undefined if the registry has no such record. */
  issuer: Issuer | undefined;
  /** The claims of the passport. Undefined unless the issuer's signature is valid. */
  passport: PassportClaims | undefined;
  /** The mandate. Undefined if there is no valid mandate. */
  mandate: Mandate | undefined;
  /** The list that was used. Undefined if the verification did not get that far. */
  registry: JudgedBy | undefined;
}

/** The members of every verdict. */
export interface VerdictDetails {
  /** The reasons for the verdict. */
  readonly reasons: readonly VerdictReason[];
  /** Every step of the verification, in order, with its result. */
  readonly checks: readonly VerdictCheck[];
}

/** The verdict on a valid passport. It does not allow any action. */
export interface AcceptedPassport extends VerdictDetails {
  readonly accepted: true;
  readonly issuer: Issuer;
  readonly passport: PassportClaims;
  /** The mandate. Undefined if the passport has no mandate. */
  readonly mandate: Mandate | undefined;
  readonly registry: JudgedBy;
}

/** The verdict on an invalid passport, with the findings up to the failed step. */
export interface RejectedPassport extends VerdictDetails, Readonly<Findings> {
  readonly accepted: false;
}

/** Whether a passport is valid. Check `accepted`. */
export type PassportVerdict = AcceptedPassport | RejectedPassport;

/** The verdict on a token that is valid under a profile. */
export interface AcceptedToken extends VerdictDetails {
  readonly accepted: true;
  /**
   * What was proven: the issuer signed this token, for this audience, and the token is valid now. Neither who presents
   * it, nor that the request is not a replay, nor that the issuer has not withdrawn the token since.
   */
  readonly proven: 'token';
  readonly issuer: Issuer;
  readonly claims: TokenClaims;
  readonly registry: JudgedBy;
}

/** The verdict on a token that is refused, with the findings up to the failed step. It proves nothing. */
export interface RejectedToken extends VerdictDetails, Readonly<Pick<Findings, 'issuer' | 'registry'>> {
  readonly accepted: false;
  /** The claims of the token. Undefined unless the issuer's signature is valid. */
  readonly claims: TokenClaims | undefined;
}

/** The verdict on an allowed action. */
export interface AllowedAction extends VerdictDetails {
  readonly allowed: true;
  readonly issuer: Issuer;
  readonly passport: PassportClaims;
  readonly mandate: Mandate;
  readonly registry: JudgedBy;
}

/** The verdict on a refused action, with the findings up to the failed step. */
export interface RefusedAction extends VerdictDetails, Readonly<Findings> {
  readonly allowed: false;
}

/** Whether an action is allowed. Check `allowed`. */
export type ActionVerdict = AllowedAction | RefusedAction;

/** Starts a step. Returns what the step returns. The step before has passed, because a failed step ends the verification. */
export type RunCheck = <T>(name: CheckName, step: () => T) => T;

const VERIFIED: readonly VerdictReason[] = Object.freeze([
  { code: 'verified', message: 'every check that ran has passed' },
]);

/** The outcome of a verification: the result of its steps, or the findings up to the failed step. */
type Inspection<Found> =
  | { readonly passed: true; readonly verdict: VerdictDetails & Found }
  | { readonly passed: false; readonly verdict: VerdictDetails & Readonly<Findings> };

/** Runs the steps of a verification up to the first failure, and records the result of each. */
export async function inspect<Found extends object>(
  names: readonly CheckName[],
  steps: (check: RunCheck, findings: Findings) => Promise<Found>,
): Promise<Inspection<Found>> {
  const started: CheckName[] = [];
  const findings: Findings = {
    issuer: undefined,
    passport: undefined,
    mandate: undefined,
    registry: undefined,
  };
  const checks = (failed?: CheckName) =>
    names.map((name): VerdictCheck => {
      if (name === failed) return { name, result: 'failed' };
      return { name, result: started.includes(name) ? 'passed' : 'skipped' };
    });
  try {
    const found = await steps((name, step) => {
      started.push(name);
      return step();
    }, findings);
    return { passed: true, verdict: { reasons: VERIFIED, checks: checks(), ...found } };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return {
      passed: false,
      verdict: { reasons: error.reasons, checks: checks(started.at(-1)), ...findings },
    };
  }
}
