export { type AgentKeys, publicJwk } from './agent/agent-keys.js';
export type { IssuerRequestOptions } from './agent/issuer-api.js';
export {
  type AgentDeclaration,
  type MintedPassport,
  type MintRequest,
  mintPassport,
  type Passport,
} from './agent/mint.js';
export {
  type IssuanceNonce,
  type NonceRequest,
  requestNonce,
  type SignNonceOptions,
  signNonce,
} from './agent/nonce.js';
export { type ObtainOptions, obtainPassport } from './agent/obtain-passport.js';
export { type SignActionOptions, signAction } from './agent/sign-action.js';
export { type SignMandateOptions, signMandate } from './agent/sign-mandate.js';
export { canonicalBytes } from './canonical.js';
export { createRegistryClient, type RegistryClient } from './client.js';
export type { RegistryClientOptions, RegistryEvent, RegistryStatus } from './client-options.js';
export { connectTo } from './connect-to.js';
export { isDateTime, isUpdatedAt } from './date-time.js';
export { type Decision, decide, type Reason, type ReasonCode } from './decide.js';
export {
  AddressInvalid,
  AgentKeyInvalid,
  type AnyRegistryError,
  BundleInvalid,
  CheckpointExpired,
  CheckpointInvalid,
  CheckpointMismatch,
  CheckpointMissing,
  DelegationExpired,
  DelegationInvalid,
  IssuerAnswerInvalid,
  IssuerRefused,
  ListExpired,
  ListMalformed,
  ListNonconforming,
  ListNotCanonical,
  ListRolledBack,
  ListUnsorted,
  NotCanonicalizable,
  NotYetValid,
  NoUsableSource,
  PolicyInvalid,
  RegistryError,
  type RegistryErrorCode,
  RegistryNotReady,
  RegistryStale,
  RootKeyInvalid,
  RotationGap,
  RotationInvalid,
  RotationLoop,
  RotationSignature,
  SignatureInvalid,
  SignatureMalformed,
  SourceContent,
  SourceRedirected,
  SourceStatus,
  SourceTimeout,
  SourceTooLarge,
  SourceTruncated,
  SourceUnreachable,
} from './errors.js';
export {
  GRAMMAR,
  ISSUER_FIELDS,
  type Issuer,
  type IssuerRegistry,
  REQUIRED_ISSUER_FIELDS,
  type RootJwk,
  STATUSES,
  TIERS,
  type TrustPolicy,
} from './generated/schemas.js';
export { assertIssuer, assertIssuerRegistry } from './issuer.js';
export {
  assertCanonical,
  assertSorted,
  parseList,
  readList,
  type SignedList,
  type VerifiedList,
  verifyList,
} from './list.js';
export { type OpenOptions, openRegistry } from './open-registry.js';
export type { ActionClaims } from './passport/action-proof.js';
export { AGENT_TYPES, type PassportClaims } from './passport/claims.js';
export type { Mandate, PolicyContext, PolicyHandler } from './passport/mandate.js';
export type { IssuerAccessOptions, PassportVerifierOptions } from './passport/options.js';
export { PassportClient, type PassportClientOptions } from './passport/passport-client.js';
export {
  type ActionRequest,
  createPassportVerifier,
  type PassportVerifier,
} from './passport/passport-verifier.js';
export { PASSPORT_REASONS, type PassportReasonCode, type ReasonKind } from './passport/reasons.js';
export { coversAction } from './passport/scope.js';
export {
  type ActionVerdict,
  type CheckName,
  type PassportVerdict,
  VERDICT_CHECKS,
  type VerdictCheck,
  type VerdictReason,
} from './passport/verdict.js';
export type { KeyAlgorithm, PublicJwk } from './public-key.js';
export type { RegistryFiles } from './publication.js';
export type { IssuerFilter, Registry } from './registry.js';
export { type MemoryReplayOptions, memoryReplayStore, type ReplayStore } from './replay-store.js';
export { importRootKey, type RootKey } from './root-key.js';
export { walkRotation } from './rotation.js';
export { sha256Hex } from './sha256.js';
export { encodeSignature, verifySignature } from './signature.js';
export {
  type KeyValueStorage,
  keyValueStore,
  memoryStore,
  type RegistryStore,
  type StoredPublication,
} from './store.js';
export { assertTrustPolicy } from './trust-policy.js';
