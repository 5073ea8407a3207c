/**
 * Requests with limits, as this library makes them: a deadline, a maximum size, no credentials, no redirect to another
 * host; and what verifiers require of the documents of an issuer. For whoever fetches the files of a registry or of an
 * issuer without a client.
 *
 * @example
 * ```ts
 * import { readLimited } from '@passport-registry/verifier/http';
 *
 * const answer = await fetch('https://registry.example/keys/root.json');
 * const bytes = await readLimited(answer.body, 4096);
 * console.log(bytes.length <= 4096); // true
 * ```
 */

export { askAgain } from './ask-again.js';
export {
  type BoundedResponse,
  boundedFetch,
  type FetchLimits,
  LimitExceeded,
  readLimited,
} from './bounded-fetch.js';
export { openFile } from './fetch-file.js';
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
export { isLoopback, type UrlPart } from './issuer-url.js';
export { isPublicAddress, isPublicHost } from './public-address.js';
export { patientFetch, Repeats } from './repeats.js';
