export { PassportError, type PassportErrorCode } from './errors.js';
export { AGENT_TYPES } from './generated/agents.js';
export type { ActionClaims } from './passport/action-proof.js';
export type { Mandate, PassportClaims } from './passport/claims.js';
export type { PolicyContext, PolicyHandler } from './passport/mandate.js';
export type { VerdictReason } from './passport/rejection.js';
export { PASSPORT_REASONS, type PassportReasonCode, type ReasonKind } from './passport/rejection.js';
export { coversAction } from './passport/scope.js';
export type { TokenClaims, TokenProfile } from './passport/token-profile.js';
export { type MemoryReplayOptions, memoryReplayStore, type ReplayStore } from './replay/replay-store.js';
export type {
  IssuerAccessOptions,
  PassportClientOptions,
  PassportVerifierOptions,
} from './verification/options.js';
export { type AllowedToken, PassportClient, type TokenVerdict } from './verification/passport-client.js';
export {
  type ActionRequest,
  createPassportVerifier,
  type PassportVerifier,
} from './verification/passport-verifier.js';
export {
  type AcceptedPassport,
  type AcceptedToken,
  type ActionVerdict,
  type AllowedAction,
  type CheckName,
  type Findings,
  type JudgedBy,
  type PassportVerdict,
  type RefusedAction,
  type RejectedPassport,
  type RejectedToken,
  VERDICT_CHECKS,
  type VerdictCheck,
  type VerdictDetails,
} from './verification/verdict.js';
