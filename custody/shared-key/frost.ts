import { createFROST } from '@noble/curves/abstract/frost.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';

/**
 * FROST(Ed25519, SHA-512) of RFC 9591, as this project uses it. Holders have the numbers 1 to n. Scalars and points are
 * in the encoding of the RFC, 32 bytes each.
 */

/**
 * The suite `ed25519_FROST` of the library, which itself would check the order of each point twice. That is most of the time of
 * a command.
 */
export const FROST = createFROST({
  name: 'FROST-ED25519-SHA512-v1',
  Point: ed25519.Point,
  hash: sha512,
  H2: '',
});

/** How many holders there are, and how many of them sign. */
export interface GroupSize {
  readonly threshold: number;
  readonly holders: number;
}

/** What all holders know of a shared key. */
export interface GroupKey extends GroupSize {
  /** The commitments to the coefficients of the group's polynomial. The first one is the public key. */
  readonly commitments: readonly Uint8Array[];
}

/** The share of one holder. */
export interface KeyShare {
  readonly number: number;
  /** The secret scalar. */
  readonly scalar: Uint8Array;
}

/** Returns the identifier of a holder, as the library writes it. */
export const identifier = (number: number) => FROST.Identifier.fromNumber(number);
/** Returns the size of a group, as the library writes it. */
export const signers = ({ threshold, holders }: GroupSize) => ({ min: threshold, max: holders });

/**
 * Returns what is public of a group, as the library writes it.
 *
 * @param numbers - the holders whose public shares the library needs
 */
export function publicPackage(group: GroupKey, numbers: readonly number[] = []) {
  const publicShares = numbers.map((number) => [identifier(number), evaluate(group.commitments, number)]);
  return {
    signers: signers(group),
    commitments: [...group.commitments],
    verifyingShares: Object.fromEntries(publicShares),
  };
}

/** Evaluates a polynomial in the exponent: the public half of the share of one holder. */
function evaluate(commitments: readonly Uint8Array[], number: number): Uint8Array {
  let sum = ed25519.Point.ZERO;
  for (const commitment of [...commitments].reverse()) {
    sum = sum.multiplyUnsafe(BigInt(number)).add(ed25519.Point.fromBytes(commitment));
  }
  return sum.toBytes();
}
