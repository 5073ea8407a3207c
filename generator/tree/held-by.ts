import type { RootKey } from '@passport-registry/verifier';
import { SharedKeyRejected } from '../errors.js';

/** Who shares a root key, as the record of a ceremony says. */
export interface HeldBy {
  /** How many holders sign together. */
  readonly threshold: number;
  /** The names of all holders. */
  readonly names: readonly string[];
  /** Whether a dealer, who had the whole key, has split it. */
  readonly split: boolean;
}

/** The holders of a root key, as a record says that has been verified. */
export interface VerifiedHolders extends HeldBy {
  readonly rootKey: RootKey;
}

/**
 * Verifies the record of a ceremony: the content of keys/holders.json. Whoever knows how holders share a key passes such a
 * function, so that the generator needs no threshold signatures.
 *
 * @param source - the name of the file, for errors
 * @throws {@link SharedKeyRejected}
 */
export type VerifyHolders = (record: Uint8Array, source: string) => Promise<VerifiedHolders>;

/** Verifies the record of a ceremony, and asserts that its holders share a root key. @throws {@link SharedKeyRejected} */
export async function verifyHoldersOf<T extends VerifiedHolders>(
  { thumbprint }: RootKey,
  record: { readonly bytes: Uint8Array; readonly source: string },
  verify: (record: Uint8Array, source: string) => Promise<T>,
): Promise<T> {
  const holders = await verify(record.bytes, record.source);
  if (holders.rootKey.thumbprint === thumbprint) return holders;
  throw new SharedKeyRejected(
    'ERR_OTHER_KEY',
    `${record.source} names the holders of ${holders.rootKey.thumbprint}, but the root key is ${thumbprint}`,
  );
}

/** Says in words who shares a root key, for a verifier: what the record proves, and what it cannot prove. */
export function heldByInWords(heldBy: HeldBy): string {
  const proof = heldBy.split
    ? 'it proves that a dealer, who had the whole key, has split it among their keys, not who they are, or that nobody has kept the whole key'
    : 'it proves that their keys made this root key, not who they are';
  return `held by ${sharesInWords(heldBy)} (as the published record says: ${proof})`;
}

/** Names the holders of a root key: `2 of 3: Anna, Bo and Cy`. */
export function sharesInWords({ threshold, names }: HeldBy): string {
  return `${threshold} of ${names.length}: ${nameHolders(names)}`;
}

/** Names holders in words: `Anna, Bo and Cy`. */
export function nameHolders(names: readonly string[]): string {
  return new Intl.ListFormat('en-GB', { type: 'conjunction' }).format(names);
}
