import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  cosignedText,
  encodeCosignature,
  formatHead,
  formatLogProof,
  formatNote,
  formatNoteKey,
  hashesFromTiles,
  inclusionProof,
  type LogHead,
  type NoteKey,
  type NoteSignature,
  parseHead,
  parseNoteKey,
  rangeRoot,
  type SignedHead,
  type SubtreeHash,
  tileReader,
} from '@passport-registry/verifier/internal';
import { appendEntries } from '../../build/log/append.js';
import { EMPTY_LOG, type LogEnd } from '../../build/log/log-files.js';
import type { Files } from './publication.js';

/** The name of the log in tests. */
export const ORIGIN = 'registry.example/log';

/** A key of a log or of a witness. With it, a test can sign anything that a thief of the key could sign. */
export interface NoteSigner {
  readonly privateKey: KeyObject;
  /** The public key in the form of C2SP signed-note. */
  readonly vkey: string;
  readonly key: NoteKey;
}

/** Creates a key. @param privateKey - a key that another signer has already, under another name */
export function noteSigner(
  name: string,
  purpose: 'log' | 'witness',
  privateKey: KeyObject = generateKeyPairSync('ed25519').privateKey,
): NoteSigner {
  const { x = '' } = privateKey.export({ format: 'jwk' });
  const vkey = formatNoteKey(name, purpose, x);
  return { privateKey, vkey, key: parseNoteKey(vkey, purpose, (message) => new Error(message)) };
}

/** Signs the text of a head, as a log does. */
export function logSignature(text: string, { privateKey, key: { name, keyId } }: NoteSigner): NoteSignature {
  return { name, keyId, signature: sign(null, Buffer.from(text), privateKey) };
}

/** Cosigns the text of a head, as a witness does. @param time - in milliseconds since 1970 */
export function cosignature(text: string, witness: NoteSigner, time: number): NoteSignature {
  const seconds = Math.floor(time / 1000);
  const { signature, ...named } = logSignature(cosignedText(text, seconds), witness);
  return { ...named, signature: encodeCosignature(seconds, signature) };
}

/** A witness, and when it has cosigned, in milliseconds since 1970. */
export type Cosigning = readonly [witness: NoteSigner, time: number];

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
  readonly signer: NoteSigner;
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

  get size(): number {
    return this.entries.length;
  }

  /** Adds entries. Returns the index of the last one. */
  append(...entries: readonly Uint8Array[]): number {
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
    return signedHead({ origin: signer.key.name, size, root }, signer, cosigned);
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

/** Signs any head, and has it cosigned. */
export function signedHead(head: LogHead, signer: NoteSigner, cosigned: readonly Cosigning[]): SignedHead {
  const text = formatHead(head);
  const cosignatures = cosigned.map(([witness, time]) => cosignature(text, witness, time));
  const note = formatNote({ text, signatures: [logSignature(text, signer), ...cosignatures] });
  return parseHead(note, (message) => new Error(message));
}
