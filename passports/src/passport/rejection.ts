import type { ReasonCode } from '@passport-registry/verifier';
import { escapeUnprintable } from '@passport-registry/verifier/printable';

/** The cause of a rejection. The middleware derives the HTTP status from the cause. */
export type ReasonKind = 'passport' | 'issuer' | 'proof' | 'mandate' | 'request' | 'unavailable';

/**
 * Every reason to reject a passport, another token or an action, except the reasons to reject the issuer
 * ({@link ReasonCode}). The codes are stable. The value of each code is its cause: the passport or token; the issuer, so that
 * another passport of this issuer changes nothing; the proof of the action; the mandate; the request; or an unavailable
 * service, so that the same call may succeed later.
 */
export const PASSPORT_REASONS = {
  'token-malformed': 'passport',
  'token-type': 'passport',
  'token-algorithm': 'passport',
  'token-header': 'passport',
  'token-claims': 'passport',
  'id-token': 'passport',
  'token-bound': 'passport',
  'issuer-ambiguous': 'issuer',
  'registry-unavailable': 'unavailable',
  'address-private': 'issuer',
  'discovery-unreachable': 'unavailable',
  'discovery-redirected': 'unavailable',
  'discovery-invalid': 'unavailable',
  'discovery-mismatch': 'issuer',
  'iss-mismatch': 'issuer',
  'jwks-unreachable': 'unavailable',
  'jwks-redirected': 'unavailable',
  'jwks-invalid': 'unavailable',
  'jwks-private-key': 'issuer',
  'key-unknown': 'passport',
  'key-ambiguous': 'issuer',
  'key-unusable': 'issuer',
  'token-signature-invalid': 'passport',
  'token-expired': 'passport',
  'token-not-yet-valid': 'passport',
  'token-too-old': 'passport',
  'status-unreachable': 'unavailable',
  'status-redirected': 'unavailable',
  'status-invalid': 'unavailable',
  'status-mismatch': 'issuer',
  'passport-unknown': 'passport',
  'passport-suspended': 'passport',
  'passport-revoked': 'passport',
  'revocation-nonce-mismatch': 'passport',
  'revocation-nonce-rolled-back': 'passport',
  'mandate-missing': 'mandate',
  'mandate-malformed': 'mandate',
  'mandate-type': 'mandate',
  'mandate-algorithm': 'mandate',
  'mandate-header': 'mandate',
  'mandate-principal-mismatch': 'mandate',
  'mandate-holder-mismatch': 'mandate',
  'mandate-signature-invalid': 'mandate',
  'mandate-expired': 'mandate',
  'mandate-not-yet-valid': 'mandate',
  'action-malformed': 'request',
  'scope-not-granted': 'mandate',
  'mandate-policy-unknown': 'mandate',
  'mandate-policy-refused': 'mandate',
  'proof-malformed': 'proof',
  'proof-type': 'proof',
  'proof-algorithm': 'proof',
  'proof-header': 'proof',
  'proof-signature-invalid': 'proof',
  'proof-claims': 'proof',
  'proof-passport-mismatch': 'proof',
  'proof-token-mismatch': 'proof',
  'action-mismatch': 'proof',
  'payload-malformed': 'request',
  'payload-mismatch': 'proof',
  'audience-mismatch': 'proof',
  'proof-expired': 'proof',
  'proof-not-yet-valid': 'proof',
  'proof-lives-too-long': 'proof',
  'action-replayed': 'proof',
  'replay-store-failed': 'unavailable',
} as const satisfies Record<string, ReasonKind>;

/** The stable codes of the reasons to reject a passport or an action. */
export type PassportReasonCode = keyof typeof PASSPORT_REASONS;

/** Returns the cause of a rejection by its code. Every other code means that the issuer is not trusted. */
export function kindOf(code: string): ReasonKind {
  return Object.hasOwn(PASSPORT_REASONS, code) ? PASSPORT_REASONS[code as PassportReasonCode] : 'issuer';
}

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

/** Creates a rejection with one reason. The message may quote foreign text, and is read in logs and terminals. */
export function rejection(code: VerdictReason['code'], message: string, cause?: unknown): Rejection {
  return new Rejection([{ code, message: escapeUnprintable(message) }], { cause });
}

/** Ends a verification with one reason. */
export function reject(code: VerdictReason['code'], message: string, cause?: unknown): never {
  throw rejection(code, message, cause);
}
