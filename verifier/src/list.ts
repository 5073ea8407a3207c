import { canonicalBytes } from './canonical.js';
import { isConformingAndCanonical } from './canonical-list.js';
import { ListMalformed, ListNotCanonical, ListUnsorted } from './errors.js';
import type { IssuerRegistry } from './generated/schemas.js';
import { assertIssuerRegistry } from './issuer.js';
import type { RootKey } from './root-key.js';
import { sha256Hex } from './sha256.js';
import { verifySignature } from './signature.js';

/** A list as it came, with what is needed to trust it. */
export interface SignedList {
  /** The bytes of /issuers.json, exactly as received. */
  readonly list: Uint8Array;
  /** The text of /issuers.sig. */
  readonly signature: string;
  /** The pinned root key. */
  readonly rootKey: RootKey;
}

/** A list that may be trusted. */
export interface VerifiedList {
  /** The list itself. */
  readonly registry: IssuerRegistry;
  /** The payload hash: SHA-256 of the bytes, lower-case hexadecimal. */
  readonly sha256: string;
}

/**
 * Verifies a signed list (SPEC A3, steps 1 and 2): the signature over the bytes as they came, before a single one
 * is parsed; then the form of what was signed.
 *
 * This shows who signed the list, not that it is the newest one.
 *
 * @throws {@link SignatureMalformed} | {@link SignatureInvalid} and all that {@link readList} throws
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
  const [sha256] = await Promise.all([sha256Hex(list), verifySignature(list, signature, rootKey)]);
  return { registry: readList(list), sha256 };
}

/**
 * Reads the bytes of a list and checks all that SPEC B1 says of it: UTF-8 without a byte order mark, JSON, the
 * schema, sorted by id with each id once, canonical form. It verifies no signature: see {@link verifyList}.
 *
 * @throws {@link ListMalformed} | {@link ListNonconforming} | {@link ListUnsorted} | {@link ListNotCanonical}
 *
 * @example
 * ```ts
 * import { readList } from '@passport-registry/verifier';
 *
 * const bytes = new TextEncoder().encode('{"issuers":[],"updated_at":"2026-11-21T08:00:00Z"}');
 * console.log(readList(bytes).updated_at); // 2026-11-21T08:00:00Z
 * ```
 */
export function readList(bytes: Uint8Array): IssuerRegistry {
  const text = decode(bytes);
  const value = parseJson(text);
  const short = isConformingAndCanonical(text, value);
  // Something may be wrong: the long way says what.
  if (!short) assertIssuerRegistry(value);
  assertSorted(value);
  if (!short) assertCanonical(bytes, value);
  return value;
}

/**
 * Reads the bytes of a list as far as the schema goes: the first step of {@link readList}, for reports that name
 * each step.
 *
 * @throws {@link ListMalformed} | {@link ListNonconforming}
 *
 * @example
 * ```ts
 * import { parseList } from '@passport-registry/verifier';
 *
 * const bytes = new TextEncoder().encode('{ "issuers": [], "updated_at": "2026-11-21T08:00:00Z" }');
 * console.log(parseList(bytes).issuers.length); // 0
 * ```
 */
export function parseList(bytes: Uint8Array): IssuerRegistry {
  const value = parseJson(decode(bytes));
  assertIssuerRegistry(value);
  return value;
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new ListMalformed('the list is not UTF-8', { cause });
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ListMalformed('the list is not JSON', { cause });
  }
}

/**
 * Asserts that a list is sorted by id, in UTF-16 code units, and holds each id once (SPEC B1).
 *
 * @throws {@link ListUnsorted}
 *
 * @example
 * ```ts
 * import { assertSorted } from '@passport-registry/verifier';
 *
 * try {
 *   assertSorted({ issuers: [{ issuer_id: 'b' }, { issuer_id: 'a' }], updated_at: '' });
 * } catch (error) {
 *   console.log(error.message); // a stands after b
 * }
 * ```
 */
export function assertSorted({ issuers }: IssuerRegistry): void {
  let previous = '';
  for (const { issuer_id } of issuers) {
    if (issuer_id === previous) throw new ListUnsorted(`${issuer_id} stands in the list twice`);
    if (issuer_id < previous) throw new ListUnsorted(`${issuer_id} stands after ${previous}`);
    previous = issuer_id;
  }
}

/**
 * Asserts that bytes are the canonical form of what they say (RFC 8785). A duplicate JSON key shows here.
 *
 * @throws {@link ListNotCanonical}
 *
 * @example
 * ```ts
 * import { assertCanonical } from '@passport-registry/verifier';
 *
 * const list = { issuers: [], updated_at: '2026-11-21T08:00:00Z' };
 * try {
 *   assertCanonical(new TextEncoder().encode(JSON.stringify(list, undefined, 2)), list);
 * } catch (error) {
 *   console.log(error.code); // ERR_LIST_NOT_CANONICAL
 * }
 * ```
 */
export function assertCanonical(bytes: Uint8Array, registry: IssuerRegistry): void {
  if (!equalBytes(bytes, canonicalBytes(registry))) {
    throw new ListNotCanonical('the list is not in the canonical form of RFC 8785');
  }
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
