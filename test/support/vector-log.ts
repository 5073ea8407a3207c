import type { Issuer } from '@passport-registry/verifier';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { naiveLeaf, naivePath, naiveRoot } from './merkle.js';
import { cosignatureBy, lineOf, type NoteSigner, noteSigner, pairOf, signedHead } from './note-keys.js';
import { type Files, publish, sha256, type TestKey } from './publication.js';
import { claimsAbout, signedJwt } from './summed-registry.js';
import { naiveSums } from './sums.js';
import { ORIGIN } from './test-log.js';

/** What the vectors of a log and of a history proof share: the keys, a publication, its entry, and proofs. */

export { ORIGIN };
export const UPDATED_AT = '2026-11-21T08:00:00Z';
/** 2026-11-21T08:00:00Z. */
export const MADE = 1795248000;

/** A signer whose private key is the SHA-256 of its label. */
export interface VectorSigner extends NoteSigner {
  readonly seed: string;
}

const vectorSigner = (label: string, name: string, purpose: 'log' | 'witness'): VectorSigner => {
  const seed = sha256(Buffer.from(label));
  return { seed, ...noteSigner(name, purpose, pairOf(Buffer.from(seed, 'hex'))) };
};

/** All keys. `w1` and `w1_renamed` are one key under two names; `w1_impostor` is another key with the name of `w1`. */
export const KEYS = {
  log: vectorSigner('log', ORIGIN, 'log'),
  next_log: vectorSigner('next log', ORIGIN, 'log'),
  other_log: vectorSigner('log', 'other.example/log', 'log'),
  w1: vectorSigner('witness 1', 'w1.example', 'witness'),
  w2: vectorSigner('witness 2', 'w2.example', 'witness'),
  w3: vectorSigner('witness 3', 'w3.example', 'witness'),
  w1_renamed: vectorSigner('witness 1', 'w9.example', 'witness'),
  w1_impostor: vectorSigner('stranger', 'w1.example', 'witness'),
  stranger: vectorSigner('stranger', 'stranger.example', 'witness'),
} as const;

/** The keys as the vectors show them. */
export const shownKeys = () =>
  Object.fromEntries(Object.entries(KEYS).map(([label, { seed, vkey }]) => [label, { seed, vkey }]));

export const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** The text of an entry. */
export const entryText = (entry: object) => Buffer.from(canonicalBytes(entry)).toString();

/** The entry at an index where nothing else is said: a delegation that does not exist. */
export const fillerEntry = (index: number) =>
  entryText({ iat: MADE + index, sha256: sha256(Buffer.from(`statement ${index}`)), type: 'delegation' });

export const fillers = (count: number) => Array.from({ length: count }, (_one, index) => fillerEntry(index));

export const leavesOf = (entries: readonly string[]) => entries.map((entry) => naiveLeaf(Buffer.from(entry)));

/** What a publication of the vectors differs in. */
export interface VectorPublication {
  readonly updatedAt?: string;
  readonly levels?: number;
  /** Claims to add or to replace. `undefined` removes a claim. */
  readonly claims?: object;
}

/** Publishes issuers, with a tree of sums and a statement that names the log. */
export function vectorPublication(
  key: TestKey,
  issuers: readonly Issuer[],
  { updatedAt = UPDATED_AT, levels = 0, claims }: VectorPublication = {},
): Files {
  const files = publish(key, issuers, updatedAt);
  const hashes = new Map<string, string>();
  for (const one of issuers) {
    const bytes = Buffer.from(canonicalBytes(one));
    files.set(`issuers/${one.issuer_id}`, bytes);
    hashes.set(one.issuer_id, sha256(bytes));
  }
  for (const [path, bytes] of naiveSums(hashes, levels)) files.set(path, bytes);
  const log = { origin: ORIGIN, vkey: KEYS.log.vkey };
  const all = Object.entries({ ...claimsAbout(files), levels, log, ...claims });
  const jwt = signedJwt(key, Object.fromEntries(all.filter(([, value]) => value !== undefined)));
  return files.set('publication.jwt', Buffer.from(jwt));
}

/** The entry of a publication statement. */
export function publicationEntry(jwt: string): string {
  const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString());
  const { sha256: list, sequence, updated_at } = claims;
  return entryText({ list, sequence, sha256: sha256(Buffer.from(jwt)), type: 'publication', updated_at });
}

/** A witness, and when it cosigns, in seconds since 1970. */
export type Cosigning = readonly [witness: NoteSigner, seconds: number];

/** Signs the head of a log with these entries, and cosigns it. */
export function vectorHead(
  entries: readonly string[],
  cosigning: readonly Cosigning[] = [],
  log: NoteSigner = KEYS.log,
): string {
  const leaves = leavesOf(entries);
  return signedHead(log, { size: leaves.length, root: naiveRoot(leaves) }, (text) =>
    cosigning.map(([witness, seconds]) => cosignatureBy(witness, text, seconds)),
  );
}

/** Proves that a head contains an entry. Default: the head of exactly these entries, without cosignatures. */
export function vectorProof(
  index: number,
  entries: readonly string[],
  head: string | readonly Cosigning[] = [],
): string {
  const path = naivePath(index, leavesOf(entries)).map((hash) => `${base64(hash)}\n`);
  const signed = typeof head === 'string' ? head : vectorHead(entries, head);
  return `c2sp.org/tlog-proof@v1\nindex ${index}\n${path.join('')}\n${signed}`;
}

/** Adds the cosignatures of another text to a head or a proof, as nobody honest would. */
export const withLines = (note: string, text: string, cosigning: readonly Cosigning[]) =>
  note + cosigning.map(([witness, seconds]) => lineOf(cosignatureBy(witness, text, seconds))).join('');
