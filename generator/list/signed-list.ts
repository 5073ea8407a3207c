import type { RootKey } from '@passport-registry/verifier';
import type { ListBytes } from './list.js';

/** A list with its signature, and whose signature it is. */
export interface SignedList {
  readonly list: ListBytes;
  /** The payload hash: SHA-256 of the list, in hexadecimal. */
  readonly sha256: string;
  /** The text of issuers.sig. */
  readonly signature: string;
  readonly rootKey: RootKey;
  /** Whether a development key signed it. */
  readonly development: boolean;
  /** Whether the list and its signature are those that were published before. */
  readonly kept: boolean;
}
