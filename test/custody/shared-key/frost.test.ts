import { readFileSync } from 'node:fs';
import { ED25519_TORSION_SUBGROUP, ed25519, ed25519_FROST } from '@noble/curves/ed25519.js';
import { importRootKey, verifySignature } from '@passport-registry/verifier';
import { encodeSignature } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import type { GroupKey, GroupSize, KeyShare } from '../../../build/custody/shared-key/frost.js';
import {
  contribute,
  groupOf,
  isPartOf,
  partsFor,
  shareFrom,
  split,
  wrongContributions,
} from '../../../build/custody/shared-key/key-generation.js';
import { ed25519Jwk, type Signers, sessionsOf } from '../../../build/custody/shared-key/key-group.js';
import {
  aggregate,
  commit,
  isSignatureShare,
  signShare,
} from '../../../build/custody/shared-key/share-signing.js';
import { rounds } from '../../support/soak.js';

const VECTORS = JSON.parse(
  readFileSync(new URL('../../vectors/frost-ed25519-sha512.json', import.meta.url), 'utf8'),
);
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const hex = (value: Uint8Array) => Buffer.from(value).toString('hex');

/** Makes a key by all rounds, as the holders do. */
function generate(size: GroupSize): { group: GroupKey; shares: KeyShare[] } {
  const all = Array.from({ length: size.holders }, (_, index) => contribute(index + 1, size));
  const generations = all.map((own) => ({ own, others: all.filter((one) => one !== own), size }));
  const sent = generations.map(partsFor);
  const shares = generations.map((generation, index) => {
    const parts = sent.flatMap((map, sender) => {
      const part = map.get(index + 1);
      return part === undefined ? [] : [[sender + 1, part] as const];
    });
    return shareFrom(new Map(parts), generation);
  });
  return { group: groupOf(all, size), shares };
}

function signTogether(group: GroupKey, shares: readonly KeyShare[], message: Uint8Array): Uint8Array {
  const made = shares.map((share) => ({ share, ...commit(share) }));
  const session = { group, commitments: made.map(({ commitment }) => commitment), message };
  const given = made.map(({ share, nonces }) => [share.number, signShare(share, nonces, session)] as const);
  for (const [number, share] of given) expect(isSignatureShare(share, number, session)).toBe(true);
  return aggregate(new Map(given), session);
}

describe('the vectors of RFC 9591', () => {
  const group: GroupKey = {
    threshold: 2,
    holders: 3,
    commitments: [
      bytes(VECTORS.group_public_key),
      ed25519.Point.BASE.multiply(
        ed25519_FROST.utils.Fn.fromBytes(bytes(VECTORS.share_polynomial_coefficient)),
      ).toBytes(),
    ],
  };
  const message = bytes(VECTORS.message);
  const shares: KeyShare[] = VECTORS.shares.map((scalar: string, index: number) => ({
    number: index + 1,
    scalar: bytes(scalar),
  }));
  const made = () =>
    VECTORS.participants.map((participant: Record<string, string> & { number: number }) => {
      const randomness = [participant['hiding_nonce_randomness'], participant['binding_nonce_randomness']];
      const share = shares[participant.number - 1] as KeyShare;
      return { participant, share, ...commit(share, () => bytes(String(randomness.shift()))) };
    });

  it('has shares of the group', () => {
    for (const share of shares) expect(isPartOf(share.scalar, share.number, group)).toBe(true);
  });

  it('makes the nonces and their commitments', () => {
    for (const { participant, nonces, commitment } of made()) {
      expect(hex(nonces.hiding)).toBe(participant.hiding_nonce);
      expect(hex(nonces.binding)).toBe(participant.binding_nonce);
      expect(hex(commitment.hiding)).toBe(participant.hiding_nonce_commitment);
      expect(hex(commitment.binding)).toBe(participant.binding_nonce_commitment);
    }
  });

  it('makes the signature shares and the signature', () => {
    const all = made();
    const commitments = all.map(({ commitment }: { commitment: unknown }) => commitment);
    const session = { group, commitments, message };
    const given = new Map<number, Uint8Array>();
    for (const { participant, share, nonces } of all) {
      const signatureShare = signShare(share, nonces, session);
      expect(hex(signatureShare)).toBe(participant.sig_share);
      expect(isSignatureShare(signatureShare, share.number, session)).toBe(true);
      given.set(share.number, signatureShare);
    }
    expect(hex(aggregate(given, session))).toBe(VECTORS.sig);
  });

  it('splits the secret key of the vectors into shares of the same public key', () => {
    const dealt = split(bytes(VECTORS.group_secret_key), { threshold: 2, holders: 3 });
    expect(hex(dealt.group.commitments[0] as Uint8Array)).toBe(VECTORS.group_public_key);
    for (const share of dealt.shares) expect(isPartOf(share.scalar, share.number, dealt.group)).toBe(true);
  });
});

/** Splits a new key, which is much faster than all rounds of seven holders. */
const deal = (size: GroupSize) => split(ed25519_FROST.utils.randomScalar(), size);

/** Some of the sets of holders who can sign together: the first, the last, and others between them. */
function someSessions(size: GroupSize, count: number): Signers[] {
  const all = sessionsOf(size);
  const step = (all.length - 1) / Math.max(1, count - 1);
  return Array.from({ length: count }, (_, index) => all[Math.round(index * step)] as Signers);
}

const SIZES = [
  { threshold: 2, holders: 3, sessions: 3 },
  { threshold: 3, holders: 5, sessions: rounds({ usual: 2, soak: 10 }) },
  ...rounds({ usual: [], soak: [{ threshold: 5, holders: 7, sessions: 21 }] }),
];

describe.each(SIZES)('a key of $threshold of $holders holders', ({ sessions, ...size }) => {
  const { group, shares } = generate(size);
  const message = Buffer.from('the list of a registry');
  const chosen = (numbers: readonly number[]) => shares.filter(({ number }) => numbers.includes(number));

  const signatures = someSessions(size, sessions).map((session) =>
    signTogether(group, chosen(session), message),
  );

  it('gives each holder a share of the same key', () => {
    for (const share of shares) expect(isPartOf(share.scalar, share.number, group)).toBe(true);
    const [first, second] = shares as [KeyShare, KeyShare];
    expect(isPartOf(first.scalar, second.number, group)).toBe(false);
    expect(isPartOf(first.scalar, first.number, deal(size).group)).toBe(false);
  });

  it('signs with any set of holders, and every verifier of Ed25519 accepts the signature', async () => {
    const [key = new Uint8Array()] = group.commitments;
    const root = await importRootKey(ed25519Jwk(Buffer.from(key).toString('base64url')));
    expect(signatures).toHaveLength(sessions);
    for (const signature of signatures) {
      await verifySignature(message, encodeSignature(signature), root);
      await expect(verifySignature(Buffer.from('else'), encodeSignature(signature), root)).rejects.toThrow();
    }
  });

  it('signs with more holders than the threshold', async () => {
    const signature = signTogether(group, shares, message);
    expect(ed25519.verify(signature, message, group.commitments[0] as Uint8Array)).toBe(true);
  });

  it('does not sign with one holder too few', () => {
    const few = shares.slice(0, size.threshold - 1);
    expect(() => signTogether(group, few, message)).toThrow();
  });

  it('names the holder of a wrong share, also if one bit is wrong', () => {
    const signers = shares.slice(0, size.threshold);
    const made = signers.map((share) => ({ share, ...commit(share) }));
    const session = { group, commitments: made.map(({ commitment }) => commitment), message };
    const given = made.map(({ share, nonces }) => signShare(share, nonces, session));
    // The first and the last one.
    for (const index of [0, size.threshold - 1]) {
      const share = given[index] as Uint8Array;
      for (const bit of [0, 100, 255]) {
        const wrong = Uint8Array.from(share);
        wrong[bit >> 3] = (wrong[bit >> 3] ?? 0) ^ (1 << (bit & 7));
        expect(isSignatureShare(wrong, index + 1, session)).toBe(false);
      }
      expect(isSignatureShare(share, ((index + 1) % size.threshold) + 1, session)).toBe(false);
    }
  });

  it('refuses nonces that were used, and commitments that are not those of the nonces', () => {
    const signers = shares.slice(0, size.threshold);
    const made = signers.map((share) => ({ share, ...commit(share) }));
    const commitments = made.map(({ commitment }) => commitment);
    const [{ share, nonces }] = made as [(typeof made)[0]];
    const others = [commit(share).commitment, ...commitments.slice(1)];
    expect(() => signShare(share, nonces, { group, commitments: others, message })).toThrow();
    signShare(share, nonces, { group, commitments, message });
    expect(() => signShare(share, nonces, { group, commitments, message })).toThrow();
  });
});

describe('key generation', () => {
  const size = { threshold: 2, holders: 3 };
  const all = [1, 2, 3].map((number) => contribute(number, size));
  type Made = (typeof all)[0];

  it('names the holder whose contribution is not proven', () => {
    expect(wrongContributions(all, size)).toEqual([]);
    const [first, second, last] = all as [Made, Made, Made];
    const forged = (one: Made) => ({ ...one, proof: contribute(one.number, size).proof });
    for (const wrong of [
      forged(first),
      forged(last),
      { ...second, commitments: second.commitments.slice(1) },
      // The proof is for one holder: nobody can repeat the contribution of another.
      { ...last, number: second.number },
    ]) {
      expect(wrongContributions(all.with(wrong.number - 1, wrong), size)).toEqual([wrong.number]);
    }
  });

  it('names the holder of whose contribution a point is not of prime order', () => {
    const [first] = all as [Made];
    const [, small = ''] = ED25519_TORSION_SUBGROUP;
    // The proof is about the first point only.
    const last = ed25519.Point.fromBytes(first.commitments[1] as Uint8Array);
    const dirty = last.add(ed25519.Point.fromHex(small)).toBytes();
    const wrong = { ...first, commitments: first.commitments.with(1, dirty) };
    expect(wrongContributions(all.with(0, wrong), size)).toEqual([first.number]);
  });

  it('tells a part of a key that its sender has committed to from any other', () => {
    const [sender, ...others] = all as [Made];
    const part = partsFor({ own: sender, others, size }).get(2) as Uint8Array;
    const group = { ...size, commitments: sender.commitments };
    expect(isPartOf(part, 2, group)).toBe(true);
    expect(isPartOf(part, 3, group)).toBe(false);
    expect(isPartOf(part, 2, { ...size, commitments: (all[1] as Made).commitments })).toBe(false);
    for (const bit of [0, 77, 252, 255]) {
      const wrong = Uint8Array.from(part);
      wrong[bit >> 3] = (wrong[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      expect(isPartOf(wrong, 2, group)).toBe(false);
    }
  });
});
