import { ed25519 } from '@noble/curves/ed25519.js';
import {
  FROST,
  type GroupKey,
  type GroupSize,
  identifier,
  type KeyShare,
  publicPackage,
  signers,
} from './frost.js';

/** What a holder publishes in the first round of key generation. */
export interface Contribution {
  readonly number: number;
  /** Commitments to the coefficients of the holder's polynomial. */
  readonly commitments: readonly Uint8Array[];
  /** Proof that the holder knows the first coefficient. */
  readonly proof: Uint8Array;
}

/** A contribution with its secret. */
interface OwnContribution extends Contribution {
  /** The secret polynomial. */
  readonly coefficients: readonly bigint[];
}

/** The first round: a random polynomial, and what is published of it. */
export function contribute(number: number, size: GroupSize): OwnContribution {
  const { public: shown, secret } = FROST.DKG.round1(identifier(number), signers(size));
  const { commitment: commitments, proofOfKnowledge: proof } = shown;
  return { number, commitments, proof, coefficients: secret.coefficients ?? [] };
}

const roundOne = ({ number, commitments, proof }: Contribution) => ({
  identifier: identifier(number),
  commitment: [...commitments],
  proofOfKnowledge: proof,
});

/**
 * Finds contributions with the wrong number of commitments, with invalid points, or without a proof that the holder knows
 * the secret. Without the proof, the last holder could choose a contribution that cancels those of all others.
 *
 * @param contributions - those of all holders
 * @returns the numbers of the holders whose contributions are wrong
 */
export function wrongContributions(contributions: readonly Contribution[], size: GroupSize): number[] {
  if (areProven(contributions, size)) return [];
  const others = contributions.map(({ number }) => contribute(number, size));
  return contributions
    .filter((one) => !areProven([one, ...others.filter(({ number }) => number !== one.number)], size))
    .map(({ number }) => number);
}

/** The library proves contributions only to a participant of the key generation, so an observer takes part. */
function areProven(contributions: readonly Contribution[], { threshold, holders }: GroupSize): boolean {
  const observed = { threshold, holders: holders + 1 };
  const { secret } = FROST.DKG.round1(identifier(holders + 1), signers(observed));
  try {
    FROST.DKG.round2(secret, contributions.map(roundOne));
    return true;
  } catch {
    return false;
  } finally {
    FROST.DKG.clean(secret);
  }
}

/** Returns the group key that contributions of all holders make: its commitments are the sums of theirs. */
export function groupOf(contributions: readonly Contribution[], size: GroupSize): GroupKey {
  const commitments = Array.from({ length: size.threshold }, (_, degree) =>
    contributions
      .reduce(
        (sum, { commitments: own }) => sum.add(ed25519.Point.fromBytes(own[degree] ?? new Uint8Array())),
        ed25519.Point.ZERO,
      )
      .toBytes(),
  );
  return { ...size, commitments };
}

/** The state of the library after the first round. The library destroys the coefficients that it is given. */
const secretState = ({ number, commitments, coefficients }: OwnContribution, size: GroupSize) => ({
  identifier: BigInt(number),
  coefficients: [...coefficients],
  commitment: [...commitments],
  signers: signers(size),
  step: 1 as const,
});

/** What a holder knows after the first round. */
export interface KeyGeneration {
  readonly own: OwnContribution;
  /** The contributions of the other holders. */
  readonly others: readonly Contribution[];
  readonly size: GroupSize;
}

/** The second round: the part of the key for each other holder, by number. The parts are secret. */
export function partsFor({ others, own, size }: KeyGeneration): ReadonlyMap<number, Uint8Array> {
  const parts = FROST.DKG.round2(secretState(own, size), others.map(roundOne));
  return new Map(
    others.map(({ number }) => [number, parts[identifier(number)]?.signingShare ?? new Uint8Array()]),
  );
}

/**
 * The third round: the share of a holder.
 *
 * @param parts - the parts from the other holders, by the number of the sender
 */
export function shareFrom(
  parts: ReadonlyMap<number, Uint8Array>,
  { others, own, size }: KeyGeneration,
): KeyShare {
  const state = secretState(own, size);
  FROST.DKG.round2(state, others.map(roundOne));
  const sent = [...parts].map(([sender, part]) => ({ identifier: identifier(sender), signingShare: part }));
  const { secret } = FROST.DKG.round3(state, others.map(roundOne), sent);
  return { number: own.number, scalar: secret.signingShare };
}

/** Returns whether a part of the key fits the commitments of its sender, or a share those of the group. */
export function isPartOf(part: Uint8Array, recipient: number, sender: GroupKey): boolean {
  try {
    FROST.validateSecret({ identifier: identifier(recipient), signingShare: part }, publicPackage(sender));
    return true;
  } catch {
    return false;
  }
}

/** Returns the secret scalar of an Ed25519 key (RFC 8032, section 5.1.5), reduced. @param seed - the private key, 32 bytes */
export function scalarOf(seed: Uint8Array): Uint8Array {
  return ed25519.Point.Fn.toBytes(ed25519.utils.getExtendedPublicKey(seed).scalar);
}

/**
 * Splits a secret key among holders (RFC 9591, appendix C).
 *
 * @param scalar - the secret scalar of the key, reduced
 */
export function split(scalar: Uint8Array, size: GroupSize): { group: GroupKey; shares: readonly KeyShare[] } {
  const dealt = FROST.trustedDealer(signers(size), undefined, scalar);
  const shares = Array.from({ length: size.holders }, (_, index) => ({
    number: index + 1,
    scalar: dealt.secretShares[identifier(index + 1)]?.signingShare ?? new Uint8Array(),
  }));
  return { group: { ...size, commitments: dealt.public.commitments }, shares };
}
