import type { Issuer } from '../generated/schemas.js';
import type { Mandate, PassportClaims } from '../passport/claims.js';
import { Rejection, type VerdictReason } from '../passport/rejection.js';

/** The steps of a verification, in their order. The steps from `scope` on run for actions only. */
export const VERDICT_CHECKS = [
  /** The token's form, `typ`, `alg` and claims. */
  'token',
  /** The issuer's record in the registry, and the trust policy. */
  'issuer',
  /** The issuer's metadata name the same issuer and keys. */
  'discovery',
  /** The key that the token names is one of the issuer's. */
  'jwks',
  /** The issuer signed the token. */
  'signature',
  /** The token is valid now. */
  'times',
  /** The issuer says that the passport is active and not revoked since. */
  'status',
  /** The mandate's form, signature and times. */
  'mandate',
  /** The mandate covers the action. */
  'scope',
  /** The policy of the mandate. */
  'mandate-policy',
  /** The holder of the passport's key signed the action's proof. */
  'proof',
  /** The proof is for this passport. */
  'proof-passport',
  /** The proof is for this action. */
  'proof-action',
  /** The proof is for this payload. */
  'payload',
  /** The proof is for this verifier. */
  'audience',
  /** The proof is valid now, and its validity is short enough. */
  'proof-times',
  /** The proof has not been seen before. */
  'replay',
] as const;

/** The name of a step. */
export type CheckName = (typeof VERDICT_CHECKS)[number];

/** A step and its result. A step that did not run is `skipped`. */
export interface VerdictCheck {
  readonly name: CheckName;
  readonly result: 'passed' | 'failed' | 'skipped';
}

/** The list by which an issuer was judged. */
export interface JudgedBy {
  readonly updatedAt: string;
  readonly sha256: string;
}

/** The results of a verification. A member is set only after its check has passed. */
export interface Findings {
  /** The issuer's record, also if it is rejected; undefined if the registry has no record. */
  issuer: Issuer | undefined;
  /** The claims of the passport; undefined before the issuer's signature has been verified. */
  passport: PassportClaims | undefined;
  /** The mandate; undefined if there is no valid mandate. */
  mandate: Mandate | undefined;
  /** The list by which the issuer was judged; undefined if no issuer was judged. */
  registry: JudgedBy | undefined;
}

/** The common members of all verdicts. */
export interface VerdictDetails {
  readonly reasons: readonly VerdictReason[];
  /** Every step of this kind of verification, in order. */
  readonly checks: readonly VerdictCheck[];
}

/** A valid passport. The verdict does not cover any action. */
export interface AcceptedPassport extends VerdictDetails {
  readonly accepted: true;
  readonly issuer: Issuer;
  readonly passport: PassportClaims;
  /** The mandate; undefined when the passport has none. */
  readonly mandate: Mandate | undefined;
  readonly registry: JudgedBy;
}

/** An invalid passport, with the results up to the failed step. */
export interface RejectedPassport extends VerdictDetails, Readonly<Findings> {
  readonly accepted: false;
}

/** Whether a passport is valid; check `accepted`. */
export type PassportVerdict = AcceptedPassport | RejectedPassport;

/** An allowed action. */
export interface AllowedAction extends VerdictDetails {
  readonly allowed: true;
  readonly issuer: Issuer;
  readonly passport: PassportClaims;
  readonly mandate: Mandate;
  readonly registry: JudgedBy;
}

/** A refused action, with the results up to the failed step. */
export interface RefusedAction extends VerdictDetails, Readonly<Findings> {
  readonly allowed: false;
}

/** Whether an action is allowed; check `allowed`. */
export type ActionVerdict = AllowedAction | RefusedAction;

/** Runs a step and records its result. */
export type RunCheck = <T>(name: CheckName, step: () => T | Promise<T>) => Promise<T>;

const VERIFIED: readonly VerdictReason[] = Object.freeze([
  { code: 'verified', message: 'every check that was made has passed' },
]);

/** The end of a verification: the result of its steps, or the findings up to the failed step. */
type Inspection<Found> =
  | { readonly passed: true; readonly verdict: VerdictDetails & Found }
  | { readonly passed: false; readonly verdict: VerdictDetails & Readonly<Findings> };

/** Runs the steps of a verification up to the first failure, and records the result of each. */
export async function inspect<Found extends object>(
  names: readonly CheckName[],
  steps: (check: RunCheck, findings: Findings) => Promise<Found>,
): Promise<Inspection<Found>> {
  const results = new Map<CheckName, VerdictCheck['result']>(names.map((name) => [name, 'skipped']));
  const findings: Findings = {
    issuer: undefined,
    passport: undefined,
    mandate: undefined,
    registry: undefined,
  };
  const checks = () => [...results].map(([name, result]) => ({ name, result }));
  try {
    const found = await steps(async (name, step) => {
      results.set(name, 'failed');
      const outcome = await step();
      results.set(name, 'passed');
      return outcome;
    }, findings);
    return { passed: true, verdict: { reasons: VERIFIED, checks: checks(), ...found } };
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    return { passed: false, verdict: { reasons: error.reasons, checks: checks(), ...findings } };
  }
}
