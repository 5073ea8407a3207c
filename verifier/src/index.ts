export { decodeBase64url, encodeBase64url } from './base64url.js';
export { canonicalBytes } from './canonical.js';
export { isDateTime } from './date-time.js';
export {
  type AnyRegistryError,
  ListMalformed,
  ListNonconforming,
  ListNotCanonical,
  ListUnsorted,
  NotCanonicalizable,
  RegistryError,
  type RegistryErrorCode,
  RootKeyInvalid,
  SignatureInvalid,
  SignatureMalformed,
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
export { importRootKey, type RootKey } from './root-key.js';
export { sha256Hex } from './sha256.js';
export { encodeSignature, verifySignature } from './signature.js';
