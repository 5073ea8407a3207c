export { aboutOf } from './client/about-of.js';
export { createRegistryClient, type RegistryClient } from './client/client.js';
export type {
  AnchoredClientOptions,
  AnchoredLookupOptions,
  IssuerLookupOptions,
  IssuerLookupSettings,
  RegistryClientOptions,
  RegistryClientSettings,
  RegistryEvent,
  RegistryStatus,
} from './client/client-options.js';
export { createIssuerLookup, type IssuerLookup, type ProvenDecision } from './client/issuer-lookup.js';
export {
  type AnchoredOpenOptions,
  type OpenOptions,
  type OpenSettings,
  openRegistry,
} from './client/open-registry.js';
export type { IssuerFilter, Registry } from './client/registry.js';
export { type KeyValueStorage, keyValueStore, memoryStore, type RegistryStore } from './client/store.js';
export { sha256Hex } from './core/bytes/sha256.js';
export {
  ListNonconforming,
  NoUsableSource,
  OptionsInvalid,
  RegistryError,
  type RegistryErrorCode,
  RegistryStale,
  SourceRedirected,
} from './core/errors.js';
export {
  type AboutIssuer,
  type Issuer,
  type IssuerRegistry,
  type RootJwk,
  STATUSES,
  TIERS,
  type TrustAnchor,
  type TrustPolicy,
} from './core/generated/schemas.js';
export type { KeyAlgorithm, PublicJwk } from './core/keys/public-key.js';
export { importRootKey, type RootKey } from './core/keys/root-key.js';
export { verifySignature } from './core/keys/signature.js';
export type { RegistryFiles } from './core/publication/registry-files.js';
export type { StoredPublication } from './core/publication/stored-publication.js';
export { type SignedList, type VerifiedList, verifyList } from './core/statements/signed-list.js';
export { assertTrustAnchor } from './core/statements/trust-anchor.js';
export { connectTo } from './http/connect-to.js';
export type { PinnedRootKey, PinnedTrustAnchor } from './options/pinned-trust.js';
export { type RotationOptions, walkRotation } from './options/walk-rotation.js';
export { type Decision, decide } from './policy/decide.js';
export { coversPlace, type Reason, type ReasonCode } from './policy/requirements.js';
export { assertTrustPolicy } from './policy/trust-policy.js';
