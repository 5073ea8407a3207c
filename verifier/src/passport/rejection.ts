import type { ReasonCode } from '../policy/requirements.js';
import type { PassportReasonCode } from './reasons.js';

/** One reason of a verdict. */
export interface VerdictReason {
  /** `verified` if every check has passed, and otherwise the code of the failure. */
  readonly code: 'verified' | PassportReasonCode | ReasonCode;
  /** A message for people. May change. */
  readonly message: string;
}

/** Ends a verification. This error never leaves the library: `inspect` turns it into a verdict. */
export class Rejection extends Error {
  readonly reasons: readonly VerdictReason[];

  constructor(reasons: readonly VerdictReason[], options?: { cause?: unknown }) {
    super(reasons.map(({ code }) => code).join(), options);
    this.reasons = reasons;
  }
}

/** Creates a rejection with one reason. */
export function rejection(code: VerdictReason['code'], message: string, cause?: unknown): Rejection {
  return new Rejection([{ code, message }], { cause });
}

/** Ends a verification with one reason. */
export function reject(code: VerdictReason['code'], message: string, cause?: unknown): never {
  throw rejection(code, message, cause);
}
