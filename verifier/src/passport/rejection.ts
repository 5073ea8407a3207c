import type { ReasonCode } from '../policy/decide.js';
import type { PassportReasonCode } from './reasons.js';

/** One reason of a verdict. */
export interface VerdictReason {
  /** `verified` if every check passed, otherwise the fault. */
  readonly code: 'verified' | PassportReasonCode | ReasonCode;
  /** For humans; may change. */
  readonly message: string;
}

/** Ends a failed step. It never leaves this library: `inspect` turns it into a verdict. */
export class Rejection extends Error {
  readonly reasons: readonly VerdictReason[];

  constructor(reasons: readonly VerdictReason[], options?: { cause?: unknown }) {
    super(reasons.map(({ code }) => code).join(), options);
    this.reasons = reasons;
  }
}

/** Ends a step with a rejection. */
export function reject(code: PassportReasonCode, message: string, cause?: unknown): never {
  throw new Rejection([{ code, message }], { cause });
}
