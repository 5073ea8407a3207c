import type { RootKey } from '@passport-registry/verifier';
import type { PublicationStatement, SumsTree } from '@passport-registry/verifier/core';
import type { ListBytes } from './list.js';

/** A list with its signature and the root key that signed it. */
export interface SignedList {
  readonly list: ListBytes;
  /** The payload hash: SHA-256 of the list, in hexadecimal. */
  readonly sha256: string;
  /** The content of issuers.sig. */
  readonly signature: string;
  readonly statement: PublicationStatement;
  readonly sums: SumsTree;
  /** The bytes of about.json; undefined if no issuer has a name or a reason. */
  readonly about: Uint8Array | undefined;
  readonly rootKey: RootKey;
  /** Whether a development key signed the list. */
  readonly development: boolean;
  /** Whether the list and its signature are the published ones, unchanged. */
  readonly kept: boolean;
}
