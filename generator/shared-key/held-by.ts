import type { HeldBy } from '../tree/held-by.js';
import { nameHolders } from './key-group.js';

/** Says in words who shares a root key, for a verifier: what the record proves, and what it cannot prove. */
export function heldByInWords(heldBy: HeldBy): string {
  const proof = heldBy.split
    ? 'it proves that a dealer, who had the whole key, has split it among their keys, not who they are, or that nobody has kept the whole key'
    : 'it proves that their keys made this root key, not who they are';
  return `held by ${sharesInWords(heldBy)} (as the published record says: ${proof})`;
}

/** Says in one sentence who shares a root key, for the page. */
export function sharedKeyInWords({ threshold, names, split }: HeldBy): string {
  const before = split ? ', which a dealer had as a whole' : '';
  return `${threshold} of ${names.length} holders share this key${before}: ${nameHolders(names)}`;
}

/** Names the holders of a root key: `2 of 3: Anna, Bo and Cy`. */
export function sharesInWords({ threshold, names }: HeldBy): string {
  return `${threshold} of ${names.length}: ${nameHolders(names)}`;
}
