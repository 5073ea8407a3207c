import type { ReasonCode } from '../decide.js';
import type { Issuer } from '../generated/schemas.js';
import type { PassportClaims } from './claims.js';
import type { Mandate } from './mandate.js';
import type { PassportReasonCode } from './reasons.js';

/** One reason of a verdict. */
export interface VerdictReason {
  /** `verified` when nothing was wrong; else why not. */
  readonly code: 'verified' | PassportReasonCode | ReasonCode;
  /** For people; may change. */
  readonly message: string;
}

/** The steps of a verification, in their order. Those from `scope` on are made for actions only. */
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
  /** What else the mandate demands. */
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
  /** The proof is valid now, and not for long. */
  'proof-times',
  /** The proof has not been seen before. */
  'replay',
] as const;

/** The name of a step. */
export type CheckName = (typeof VERDICT_CHECKS)[number];

/** A step and how it ended. A step that was not reached, or that was not to be made, is `skipped`. */
export interface VerdictCheck {
  readonly name: CheckName;
  readonly result: 'passed' | 'failed' | 'skipped';
}

/** What was found on the way. Nothing stands here before the check that vouches for it has passed. */
export interface Findings {
  /** The issuer's record, also when it is rejected; undefined when the registry has none. */
  issuer: Issuer | undefined;
  /** The claims of the passport; undefined before the issuer's signature has been verified. */
  passport: PassportClaims | undefined;
  /** The mandate; undefined when there is none, or none that holds. */
  mandate: Mandate | undefined;
  /** The list by which the issuer was judged; undefined when none was. */
  registry: { readonly updatedAt: string; readonly sha256: string } | undefined;
}

interface Verdict extends Readonly<Findings> {
  readonly reasons: readonly VerdictReason[];
  /** Every step of a verification of this kind, in order. */
  readonly checks: readonly VerdictCheck[];
}

/** Whether a passport is good. It says nothing about any action. */
export interface PassportVerdict extends Verdict {
  readonly accepted: boolean;
}

/** Whether an action may go ahead. */
export interface ActionVerdict extends Verdict {
  readonly allowed: boolean;
}

/** How a step ends that finds something wrong. It never leaves this library: a verdict is made of it. */
export class Rejection extends Error {
  readonly reasons: readonly VerdictReason[];

  constructor(reasons: readonly VerdictReason[], options?: { cause?: unknown }) {
    super(reasons.map(({ code }) => code).join(), options);
    this.reasons = reasons;
  }
}

/** Ends a step: something is wrong. */
export function reject(code: PassportReasonCode, message: string, cause?: unknown): never {
  throw new Rejection([{ code, message }], { cause });
}

/** Makes a step and takes down how it ended. */
export type RunCheck = <T>(name: CheckName, step: () => T | Promise<T>) => Promise<T>;

const VERIFIED: readonly VerdictReason[] = Object.freeze([
  { code: 'verified', message: 'every check that was made has passed' },
]);

/** Makes the steps of a verification, up to the first that fails, and tells how each ended. */
export async function inspect(
  names: readonly CheckName[],
  steps: (check: RunCheck, findings: Findings) => Promise<void>,
): Promise<Verdict & { readonly passed: boolean }> {
  const results = new Map<CheckName, VerdictCheck['result']>(names.map((name) => [name, 'skipped']));
  const findings: Findings = {
    issuer: undefined,
    passport: undefined,
    mandate: undefined,
    registry: undefined,
  };
  let reasons = VERIFIED;
  try {
    await steps(async (name, step) => {
      results.set(name, 'failed');
      const found = await step();
      results.set(name, 'passed');
      return found;
    }, findings);
  } catch (error) {
    if (!(error instanceof Rejection)) throw error;
    reasons = error.reasons;
  }
  const checks = [...results].map(([name, result]) => ({ name, result }));
  return { passed: reasons === VERIFIED, reasons, checks, ...findings };
}
