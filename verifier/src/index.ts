export { canonicalBytes } from './canonical.js';
export { createRegistryClient, type RegistryClient } from './client.js';
export type { RegistryClientOptions, RegistryEvent, RegistryStatus } from './client-options.js';
export { isDateTime, isUpdatedAt } from './date-time.js';
export { type Decision, decide, type Reason, type ReasonCode } from './decide.js';
export {
  type AnyRegistryError,
  BundleInvalid,
  CheckpointExpired,
  CheckpointInvalid,
  CheckpointMismatch,
  CheckpointMissing,
  DelegationExpired,
  DelegationInvalid,
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
export type { RegistryFiles } from './publication.js';
export type { IssuerFilter, Registry } from './registry.js';
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
