import { ed25519 } from '@noble/curves/ed25519.js';
import { FROST, type GroupKey, identifier, type KeyShare, publicPackage } from './frost.js';

/** A nonce pair, which serves for one signature share at most. */
export interface NoncePair {
  readonly hiding: Uint8Array;
  readonly binding: Uint8Array;
}

/** The commitments of one holder to a nonce pair. */
export interface NonceCommitment extends NoncePair {
  readonly number: number;
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
