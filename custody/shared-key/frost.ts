import { createFROST } from '@noble/curves/abstract/frost.js';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha512 } from '@noble/hashes/sha2.js';

/**
 * FROST(Ed25519, SHA-512) of RFC 9591, as this project uses it. Holders have the numbers 1 to n. Scalars and points are
 * in the encoding of the RFC, 32 bytes each.
 */

/**
 * The suite `ed25519_FROST` of the library. That one checks the order of each point twice, which is most of the time of a
 * command.
 */
const FROST = createFROST({ name: 'FROST-ED25519-SHA512-v1', Point: ed25519.Point, hash: sha512, H2: '' });

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

/** A nonce pair, which serves for one signature share at most. */
export interface NoncePair {
  readonly hiding: Uint8Array;
  readonly binding: Uint8Array;
}

/** The commitments of one holder to a nonce pair. */
export interface NonceCommitment extends NoncePair {
  readonly number: number;
}

const identifier = (number: number) => FROST.Identifier.fromNumber(number);
const signers = ({ threshold, holders }: GroupSize) => ({ min: threshold, max: holders });

/** @param numbers - the holders whose public shares the library needs */
function publicPackage(group: GroupKey, numbers: readonly number[] = []) {
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

const secretPackage = ({ number, scalar }: KeyShare) => ({
  identifier: identifier(number),
  signingShare: scalar,
});

const listOf = (commitments: readonly NonceCommitment[]) =>
  commitments.map(({ number, hiding, binding }) => ({ identifier: identifier(number), hiding, binding }));

/** Round one of signing: a new nonce pair, and the commitments to it. @param random - replaced only for published vectors */
export function commit(
  share: KeyShare,
  random?: (length?: number) => Uint8Array,
): { readonly nonces: NoncePair; readonly commitment: NonceCommitment } {
  const { nonces, commitments } = FROST.commit(secretPackage(share), random);
  const { hiding, binding } = commitments;
  return { nonces, commitment: { number: share.number, hiding, binding } };
}

/** What is signed, by whom. */
export interface SigningSession {
  readonly group: GroupKey;
  /** The commitments of the signers. */
  readonly commitments: readonly NonceCommitment[];
  readonly message: Uint8Array;
}

/** Round two of signing: the signature share of one holder. Overwrites the nonces with zeros. */
export function signShare(share: KeyShare, nonces: NoncePair, session: SigningSession): Uint8Array {
  const { group, commitments, message } = session;
  return FROST.signShare(secretPackage(share), publicPackage(group), nonces, listOf(commitments), message);
}

/** Returns whether the signature share of a holder is valid. */
export function isSignatureShare(
  signatureShare: Uint8Array,
  number: number,
  { group, commitments, message }: SigningSession,
): boolean {
  try {
    return FROST.verifyShare(
      publicPackage(group, [number]),
      listOf(commitments),
      message,
      identifier(number),
      signatureShare,
    );
  } catch {
    return false;
  }
}

/** Adds up signature shares to one Ed25519 signature. The caller has verified each share, and verifies the signature. */
export function aggregate(
  signatureShares: ReadonlyMap<number, Uint8Array>,
  { group, commitments, message }: SigningSession,
): Uint8Array {
  const shares = Object.fromEntries(
    [...signatureShares].map(([number, share]) => [identifier(number), share]),
  );
  const numbers = commitments.map(({ number }) => number);
  return FROST.aggregate(publicPackage(group, numbers), listOf(commitments), message, shares);
}

/** Returns whether bytes encode a point that can be a commitment: canonical, of prime order, not the identity. */
export function isCommitmentPoint(bytes: Uint8Array): boolean {
  try {
    const point = ed25519.Point.fromBytes(bytes);
    return point.isTorsionFree() && !point.is0();
  } catch {
    return false;
  }
}
