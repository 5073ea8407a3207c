/**
 * Requests with limits, as this library makes them: a deadline, a maximum size, no credentials, no redirect to another
 * host. For programs that fetch the files of a registry or of an issuer without a client.
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
  inTime,
  LimitExceeded,
  readLimited,
} from './bounded-fetch.js';
export { openFile } from './fetch-file.js';
export { isLoopback, isPublicAddress, isPublicHost } from './public-address.js';
export { patientFetch, Repeats } from './repeats.js';
