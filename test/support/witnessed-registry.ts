import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { canonicalBytes, type Issuer, type TrustAnchor } from '@passport-registry/verifier';
import {
  cosignedText,
  encodeCosignature,
  formatNoteKey,
  formatSignature,
} from '@passport-registry/verifier/internal';
import type { JWTPayload } from 'jose';
import { appendEntries } from '../../build/log/append.js';
import { EMPTY_LOG } from '../../build/log/log-files.js';
import { type Files, sha256, statement, type TestKey, testKey } from './publication.js';
import { publishSummed } from './summed-registry.js';

/** The name of the log. */
export const ORIGIN = 'registry.example/log';

/** A key that signs notes: of a log, or of a witness. */
export interface NoteSigner {
  readonly name: string;
  readonly vkey: string;
  readonly privateKey: KeyObject;
}

export function noteSigner(name: string, purpose: 'log' | 'witness'): NoteSigner {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  return { name, vkey: formatNoteKey(name, purpose, x), privateKey };
}

const keyIdOf = ({ vkey }: NoteSigner) => vkey.split('+')[1] ?? '';

/** Seconds since 1970. */
export const seconds = (time: string) => Date.parse(time) / 1000;

/** The signature line of a log below the text of a head. */
export function logLine(log: NoteSigner, head: string): string {
  const signature = sign(null, Buffer.from(head), log.privateKey);
  return formatSignature({ name: log.name, keyId: keyIdOf(log), signature });
}

/** The cosignature of a witness. */
export function cosignatureLine(witness: NoteSigner, head: string, time: string): string {
  const signature = sign(null, Buffer.from(cosignedText(head, seconds(time))), witness.privateKey);
  return formatSignature({
    name: witness.name,
    keyId: keyIdOf(witness),
    signature: encodeCosignature(seconds(time), signature),
  });
}

/** Which witnesses cosign, and when. */
export type Cosigning = readonly (readonly [witness: NoteSigner, time: string])[];

/** What a test chooses about a publication. */
export interface PublicationOptions {
  /** The `updated_at` of the list. The statement is signed then. */
  readonly at: string;
  readonly root?: TestKey;
  readonly levels?: number;
  readonly claims?: JWTPayload;
  /** Whether the list is kept in the log. Default: true. */
  readonly kept?: boolean;
}

/** A registry with a log whose times a test decides. It is written as docs/protocol.md, section 30, describes it. */
export interface LoggedRegistry {
  readonly log: NoteSigner;
  /** All entries, as text. */
  readonly entries: string[];
  /** Logs and publishes a list. */
  publish(issuers: readonly Issuer[], options: PublicationOptions): Promise<void>;
  /** Logs a statement of another kind. */
  append(entry: object): void;
  /** Logs a rotation step, and publishes the chain. */
  rotate(from: TestKey, to: TestKey): Promise<void>;
  /** Makes the proof of the newest publication in the present head. */
  cosign(cosigning: Cosigning): string;
  /** The proof of the entry at an index in a head. */
  proof(index: number, size: number, cosigning: Cosigning): string;
  /** The index of the newest publication. */
  readonly newest: number;
  /** All files of the tree. */
  tree(): Files;
}

export function loggedRegistry(root: TestKey, log = noteSigner(ORIGIN, 'log')): LoggedRegistry {
  const entries: string[] = [];
  const kept: Files = new Map();
  const steps: string[] = [];
  let current: Files = new Map();
  let newest = -1;
  let sequence = 0;
  const append = (entry: object) => void entries.push(Buffer.from(canonicalBytes(entry)).toString());
  const proof = (index: number, size: number, cosigning: Cosigning) => {
    const hashes = entries.slice(0, size).map((entry) => leaf(entry));
    const head = `${log.name}\n${size}\n${treeRoot(hashes).toString('base64')}\n`;
    const path = inclusion(index, hashes).map((hash) => `${hash.toString('base64')}\n`);
    const lines = [
      logLine(log, head),
      ...cosigning.map(([witness, time]) => cosignatureLine(witness, head, time)),
    ];
    return `c2sp.org/tlog-proof@v1\nindex ${index}\n${path.join('')}\n${head}\n${lines.join('')}`;
  };
  return {
    log,
    entries,
    append,
    proof,
    get newest() {
      return newest;
    },
    async publish(issuers, { at, root: by = root, levels = 0, claims = {}, kept: isKept = true }) {
      sequence += 1;
      const before = kept.get('log/publication.tlog-proof');
      if (before !== undefined) kept.set(`log/proofs/${newest}/last.tlog-proof`, before);
      kept.delete('log/publication.tlog-proof');
      const logged = { log: { origin: log.name, vkey: log.vkey } };
      current = await publishSummed(by, issuers, {
        ...{ updatedAt: at, sequence, levels },
        claims: { ...logged, ...claims },
      });
      const [jwt, list] = [current.get('publication.jwt') as Buffer, current.get('issuers.json') as Buffer];
      if (isKept) kept.set(`log/lists/${sha256(list)}.json`, list);
      newest = entries.length;
      kept.set(`log/statements/${newest}.jwt`, jwt);
      append({ list: sha256(list), sequence, sha256: sha256(jwt), type: 'publication', updated_at: at });
    },
    async rotate(from, to) {
      const claims = {
        iat: seconds('2026-01-01T00:00:00Z'),
        step: steps.length + 1,
        next_root: to.rootKey.jwk,
      };
      const jwt = await statement(from, 'registry-root-rotation+jwt', claims);
      steps.push(jwt);
      kept.set(`log/statements/${entries.length}.jwt`, Buffer.from(jwt));
      append({
        next: to.rootKey.thumbprint,
        sha256: sha256(Buffer.from(jwt)),
        step: steps.length,
        type: 'rotation',
      });
    },
    cosign(cosigning) {
      const text = proof(newest, entries.length, cosigning);
      kept.set('log/publication.tlog-proof', Buffer.from(text));
      const first = `log/proofs/${newest}/first.tlog-proof`;
      if (!kept.has(first)) kept.set(first, Buffer.from(text));
      return text;
    },
    tree() {
      const appended = appendEntries(
        EMPTY_LOG,
        entries.map((entry) => Buffer.from(entry)),
      );
      const logged = [...appended.files].map(([path, bytes]): [string, Buffer] => [path, Buffer.from(bytes)]);
      const rotation: [string, Buffer][] =
        steps.length === 0 ? [] : [['keys/rotation.json', Buffer.from(JSON.stringify(steps))]];
      return new Map([...current, ...rotation, ...kept, ...logged]);
    },
  };
}

/** A delegation entry. */
export function delegationOf(iat: number): object {
  return { iat, sha256: sha256(Buffer.from(`delegation ${iat}`)), type: 'delegation' };
}

/** A trust anchor with witnesses. */
export function anchorOf(root: TestKey, witnesses: readonly NoteSigner[], quorum: number): TrustAnchor {
  return {
    root: root.rootKey.jwk,
    log: ORIGIN,
    witnesses: witnesses.map(({ vkey }) => vkey),
    quorum,
  } as TrustAnchor;
}

/** A root key, and three witnesses of which a quorum of two is trusted. */
export async function witnessedWorld() {
  const root = await testKey();
  const witnesses = ['w1.example', 'w2.example', 'w3.example'].map((name) => noteSigner(name, 'witness'));
  const [w1, w2, w3] = witnesses as [NoteSigner, NoteSigner, NoteSigner];
  return { root, witnesses, w1, w2, w3, anchor: anchorOf(root, witnesses, 2) };
}

/* Merkle trees as RFC 6962, section 2.1, defines them: by recursion over all entries. */

const hash = (...parts: readonly Uint8Array[]) => {
  const sum = createHash('sha256');
  for (const part of parts) sum.update(part);
  return sum.digest();
};

const leaf = (entry: string) => hash(Buffer.of(0), Buffer.from(entry));
const splitOf = (count: number) => 2 ** Math.ceil(Math.log2(count) - 1);

function treeRoot(leaves: readonly Buffer[]): Buffer {
  const [only] = leaves;
  if (only === undefined) return hash();
  if (leaves.length === 1) return only;
  const split = splitOf(leaves.length);
  return hash(Buffer.of(1), treeRoot(leaves.slice(0, split)), treeRoot(leaves.slice(split)));
}

function inclusion(index: number, leaves: readonly Buffer[]): Buffer[] {
  if (leaves.length <= 1) return [];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  if (index < split) return [...inclusion(index, left), treeRoot(right)];
  return [...inclusion(index - split, right), treeRoot(left)];
}
