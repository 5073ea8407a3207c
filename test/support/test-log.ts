import {
  formatLogProof,
  formatNote,
  formatSignature,
  type LoggedHead,
  type LogHead,
  type NoteKey,
  parseHead,
  parseLogProof,
  type SignedHead,
  type TreeHead,
} from '@passport-registry/verifier/core';
import { naiveConsistency, naiveLeaf, naivePath, naiveRoot } from './merkle.js';
import {
  cosignatureBy,
  invalid,
  type KeyPair,
  type NoteSigner,
  noteSigner,
  signedHead,
} from './note-keys.js';
import type { Files } from './publication.js';
import { tilePlace } from './tiles.js';

export { type NoteSigner, noteSigner } from './note-keys.js';

/** The name of the log in tests. */
export const ORIGIN = 'registry.example/log';

/** A witness, and when it has cosigned: in milliseconds since 1970, or as a text such as `2026-03-01T10:00:00Z`. */
export type Cosigning = readonly [witness: NoteSigner, time: number | string];

/** What a test chooses about a head. */
export interface HeadOptions {
  /** The number of entries. Default: all. */
  readonly size?: number;
  /** Default: the key of the log. */
  readonly signer?: NoteSigner;
  readonly cosigned?: readonly Cosigning[];
}

/**
 * A log with its key. A test can do everything to it that its operator could do, honest or not. Tiles, roots and proofs are
 * computed as the RFC and C2SP describe them, and not as the generator and the verifier compute them.
 */
export class TestLog {
  /** The key. A test can replace it. */
  signer: NoteSigner;
  readonly entries: Uint8Array[] = [];
  /** The tiles and the bundles, by path. */
  readonly files: Files = new Map();
  /** The hashes of all complete subtrees with 256 ** level entries, by level. */
  readonly #rows: Uint8Array[][] = [[]];
  /** The roots that a test has asked for, by size. Nothing before the end of a log ever changes. */
  readonly #roots = new Map<number, Uint8Array>();
  /** The entries as bundles have them: each after its length. */
  readonly #framed: Uint8Array[] = [];

  constructor(signer = noteSigner(ORIGIN, 'log')) {
    this.signer = signer;
  }

  get origin(): string {
    return this.signer.key.name;
  }

  get key(): NoteKey {
    return this.signer.key;
  }

  get vkey(): string {
    return this.signer.vkey;
  }

  /** The entries as texts. */
  get texts(): string[] {
    return this.entries.map((entry) => Buffer.from(entry).toString());
  }

  get size(): number {
    return this.entries.length;
  }

  /** Adds entries. Returns the index of the last one. */
  append(...added: readonly (Uint8Array | string)[]): number {
    for (const [at, entry] of added.map((one) => Buffer.from(one)).entries()) {
      this.entries.push(entry);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(entry.length);
      this.#framed.push(Buffer.concat([length, entry]));
      this.#push(0, naiveLeaf(entry));
      // Nobody asks for the partial tiles of a log that grows by hundreds of entries at once, but for the last ones.
      if (this.size % 256 !== 0 && added.length - at > 256) continue;
      this.#write('entries', this.#framed);
      this.#write('0', this.#rows[0] ?? []);
    }
    return this.size - 1;
  }

  /** Adds entries that are of no publication. */
  appendOther(count = 1): number {
    return this.append(
      ...Array.from({ length: count }, (_one, at) => Buffer.from(`entry ${this.size + at}`)),
    );
  }

  /** Copies the log, or its first entries. The copy can go on differently. */
  fork(size = this.size, signer = this.signer): TestLog {
    const copy = new TestLog(signer);
    copy.append(...this.entries.slice(0, size));
    return copy;
  }

  /** Returns the root of the log when it had so many entries. */
  rootAt(size = this.size): Uint8Array {
    const root = this.#roots.get(size) ?? naiveRoot(this.#blocks(size));
    this.#roots.set(size, root);
    return root;
  }

  /** Signs a head, and has it cosigned. */
  async head({
    size = this.size,
    signer = this.signer,
    cosigned = [],
  }: HeadOptions = {}): Promise<SignedHead> {
    return cosignedHead({ origin: signer.key.name, size, root: this.rootAt(size) }, signer, cosigned);
  }

  /** Signs a head, and has it cosigned. Returns its text. */
  async note(options: HeadOptions = {}): Promise<string> {
    return formatNote((await this.head(options)).note);
  }

  /** Proves that the log with `newer` entries contains the log with `older` entries. */
  async consistency(older: number, newer: number): Promise<Uint8Array[]> {
    return older === 0 ? [] : naiveConsistency(older, this.#leaves(newer));
  }

  /** Proves that the log contains an entry. Returns the content of the file. */
  async proof(index: number, options: HeadOptions = {}): Promise<string> {
    const head = await this.head(options);
    const block = Math.floor(index / 256);
    const within = this.#leaves(head.size).slice(256 * block, 256 * (block + 1));
    const path = [...naivePath(index % 256, within), ...naivePath(block, this.#blocks(head.size))];
    return formatLogProof({ index, head, path });
  }

  #leaves(size: number): readonly Uint8Array[] {
    return this.#rows[0]?.slice(0, size) ?? [];
  }

  /** The roots of all 256 leaves, and of those that are left. The tree above them has the shape of one over all leaves. */
  #blocks(size: number): readonly Uint8Array[] {
    const full = Math.floor(size / 256);
    const rest = this.#leaves(size).slice(256 * full);
    return [...(this.#rows[1]?.slice(0, full) ?? []), ...(rest.length === 0 ? [] : [naiveRoot(rest)])];
  }

  #push(level: number, hash: Uint8Array): void {
    this.#rows[level] ??= [];
    const row = this.#rows[level];
    row.push(hash);
    if (level > 0) this.#write(`${level}`, row);
    if (row.length % 256 === 0) this.#push(level + 1, naiveRoot(row.slice(-256)));
  }

  /** Writes the last tile of a level, or the last bundle. A full one replaces its partial ones. */
  #write(level: string, all: readonly Uint8Array[]): void {
    const index = Math.floor((all.length - 1) / 256);
    const last = all.slice(index * 256);
    const pathOf = (width: number) => `log/tile/${level}/${tilePlace(index, width)}`;
    this.files.set(pathOf(last.length), Buffer.concat(last));
    if (last.length < 256) return;
    for (let width = 1; width < 256; width++) this.files.delete(pathOf(width));
  }
}

/** Creates a log of some entries. Logs with equal entries up to a size are consistent up to that size. */
export function testLog(pair: KeyPair, entries: readonly (Uint8Array | string)[], origin = ORIGIN): TestLog {
  const log = new TestLog(noteSigner(origin, 'log', pair));
  log.append(...entries);
  return log;
}

/** Returns entries with a name, such as `a0`, `a1`. */
export function namedEntries(name: string, count: number): string[] {
  return Array.from({ length: count }, (_one, at) => `${name}${at}`);
}

/** Signs any head, and has it cosigned. */
function cosignedHead(head: LogHead, signer: NoteSigner, cosigned: readonly Cosigning[]): SignedHead {
  return parseHead(
    signedHead(signer, head, (text) => cosignatures(text, cosigned)),
    invalid,
  );
}

/** Returns a head as a verifier remembers it. @param witnesses - whose cosignatures count */
export function loggedHead({ size, root }: TreeHead, witnesses: readonly NoteKey[] = []): LoggedHead {
  const cosignatures = witnesses.map((witness) => ({ witness, time: 0 }));
  return { size, root, cosignatures, witnessedAt: cosignatures[0]?.time, proof: '' };
}

/** Has the head of a proof cosigned, such as that of a tree that a build has written. */
export function withCosignatures(proof: string, cosigned: readonly Cosigning[]): string {
  const { text } = parseLogProof(proof, invalid).head.note;
  return proof + cosignatures(text, cosigned).map(formatSignature).join('');
}

/** Has a text cosigned. */
export const cosignatures = (text: string, cosigned: readonly Cosigning[]) =>
  cosigned.map(([witness, time]) =>
    cosignatureBy(witness, text, Math.floor(new Date(time).getTime() / 1000)),
  );
