import {
  consistencyProof,
  formatLogProof,
  formatNote,
  formatSignature,
  hashesFromTiles,
  inclusionProof,
  type LoggedHead,
  type LogHead,
  type NoteKey,
  parseHead,
  parseLogProof,
  rangeRoot,
  type SignedHead,
  type SubtreeHash,
  type TreeHead,
  tileReader,
} from '@passport-registry/verifier/internal';
import { appendEntries } from '../../build/generator/log/append.js';
import { EMPTY_LOG, type LogEnd } from '../../build/generator/log/log-files.js';
import {
  cosignatureBy,
  invalid,
  type KeyPair,
  type NoteSigner,
  noteSigner,
  signedHead,
} from './note-keys.js';
import type { Files } from './publication.js';

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

/** A log with its key. A test can do everything to it that its operator could do, honest or not. */
export class TestLog {
  /** The key. A test can replace it. */
  signer: NoteSigner;
  readonly entries: Uint8Array[] = [];
  /** The tiles and the bundles, by path. */
  readonly files: Files = new Map();
  #end: LogEnd = EMPTY_LOG;

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
    const entries = added.map((entry) => Buffer.from(entry));
    const { end, files } = appendEntries(this.#end, entries);
    this.#end = end;
    for (const entry of entries) this.entries.push(entry);
    for (const [path, bytes] of files) this.files.set(path, Buffer.from(bytes));
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

  /** Signs a head, and has it cosigned. */
  async head({
    size = this.size,
    signer = this.signer,
    cosigned = [],
  }: HeadOptions = {}): Promise<SignedHead> {
    const root = await rangeRoot(0, size, this.#hashes(size));
    return cosignedHead({ origin: signer.key.name, size, root }, signer, cosigned);
  }

  /** Signs a head, and has it cosigned. Returns its text. */
  async note(options: HeadOptions = {}): Promise<string> {
    return formatNote((await this.head(options)).note);
  }

  /** Proves that the log with `newer` entries contains the log with `older` entries. */
  async consistency(older: number, newer: number): Promise<Uint8Array[]> {
    return consistencyProof(older, newer, this.#hashes(newer));
  }

  /** Proves that the log contains an entry. Returns the content of the file. */
  async proof(index: number, options: HeadOptions = {}): Promise<string> {
    const head = await this.head(options);
    return formatLogProof({
      index,
      head,
      path: await inclusionProof(index, head.size, this.#hashes(head.size)),
    });
  }

  #hashes(size: number): SubtreeHash {
    return hashesFromTiles(
      size,
      tileReader(async (path) => this.files.get(path)),
    );
  }
}

/** Creates a log of some entries. Logs with equal entries up to a size are consistent up to that size. */
export function testLog(pair: KeyPair, entries: readonly string[], origin = ORIGIN): TestLog {
  const log = new TestLog(noteSigner(origin, 'log', pair));
  log.append(...entries);
  return log;
}

/** Returns entries with a name, such as `a0`, `a1`. */
export function namedEntries(name: string, count: number): string[] {
  return Array.from({ length: count }, (_one, at) => `${name}${at}`);
}

/** Signs any head, and has it cosigned. */
export function cosignedHead(head: LogHead, signer: NoteSigner, cosigned: readonly Cosigning[]): SignedHead {
  return parseHead(
    signedHead(signer, head, (text) => cosignatures(text, cosigned)),
    invalid,
  );
}

/** Returns a head as a verifier remembers it. @param witnesses - whose cosignatures count */
export function loggedHead({ size, root }: TreeHead, witnesses: readonly NoteKey[] = []): LoggedHead {
  const cosignatures = witnesses.map((witness) => ({ witness, time: 0 }));
  return { size, root, index: 0, cosignatures, witnessedAt: cosignatures[0]?.time, proof: '' };
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
