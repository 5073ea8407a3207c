import { sha256Hex } from '../bytes/sha256.js';
import { RegistryError } from '../errors.js';
import type { IssuerRegistry } from '../generated/schemas.js';
import type { RootKey } from '../keys/root-key.js';
import { verifySignature } from '../keys/signature.js';
import { LIMITS } from '../limits.js';
import { readList } from '../list/list.js';

/** A list with its signature, and the pinned root key. */
export interface SignedList {
  /** The bytes of /issuers.json, exactly as received. */
  readonly list: Uint8Array;
  /** The content of /issuers.sig. */
  readonly signature: string;
  readonly rootKey: RootKey;
}

/** A verified list. */
export interface VerifiedList {
  /** The parsed list. */
  readonly registry: IssuerRegistry;
  /** The payload hash: SHA-256 of the bytes, in lower-case hexadecimal (docs/protocol.md#list-hash). */
  readonly sha256: string;
}

/**
 * Verifies a signed list (docs/protocol.md#verify-before-parse). The function verifies the signature over the bytes as
 * received before it parses them. Then it checks the form of the list.
 *
 * A verified list may be old: the signature proves who signed the list, not that it is the newest list.
 *
 * @throws `ERR_SOURCE_TOO_LARGE` | `ERR_SIGNATURE_MALFORMED` | `ERR_SIGNATURE_INVALID` and the errors of {@link readList}
 *
 * @example
 * ```ts
 * import { importRootKey, verifyList } from '@passport-registry/verifier';
 *
 * const base = 'https://registry.example';
 * const rootKey = await importRootKey(pinnedJwk);
 * const [list, signature] = await Promise.all([fetch(`${base}/issuers.json`), fetch(`${base}/issuers.sig`)]);
 * const { registry } = await verifyList({
 *   list: new Uint8Array(await list.arrayBuffer()),
 *   signature: await signature.text(),
 *   rootKey,
 * });
 * console.log(registry.issuers.length);
 * ```
 */
export async function verifyList({ list, signature, rootKey }: SignedList): Promise<VerifiedList> {
  if (list.length > LIMITS.list)
    throw new RegistryError('ERR_SOURCE_TOO_LARGE', `the list is larger than ${LIMITS.list} bytes`);
  const [sha256] = await Promise.all([sha256Hex(list), verifySignature(list, signature, rootKey)]);
  return { registry: readList(list), sha256 };
}
