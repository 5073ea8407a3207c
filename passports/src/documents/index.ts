/**
 * What verifiers require of the documents of an issuer: its metadata and its keys. For programs that check an issuer before
 * its first passport.
 *
 * @example
 * ```ts
 * import { readKeySet } from '@passport-registry/passports/documents';
 *
 * console.log(readKeySet({ keys: [] })); // { keys: [] }
 * ```
 */

export {
  type DocumentFault,
  DocumentRefused,
  findKeyFault,
  findMetadataFaults,
  type IssuerMetadata,
  type KeySetFault,
  type KnownIssuer,
  type MetadataFault,
  parseDocument,
  readKeySet,
} from './issuer-documents.js';
export type { UrlPart } from './issuer-url.js';
