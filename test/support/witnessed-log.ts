import { generateKeyPairSync } from 'node:crypto';
import {
  consistencyProof,
  formatNote,
  hashesFromTiles,
  type NoteKey,
  parseNoteKey,
  rangeRoot,
  type SignedHead,
  tileReader,
} from '@passport-registry/verifier/internal';
import { appendEntries } from '../../build/log/append.js';
import { EMPTY_LOG } from '../../build/log/log-files.js';
import { logIdentity, signHead } from '../../build/log/sign-head.js';
import { signerFor } from '../../build/signing/key-file.js';
import type { Signer } from '../../build/signing/sign.js';

/** A log of any entries, with its head at every size. */
export interface TestLog {
  readonly vkey: string;
  readonly key: NoteKey;
  /** The tiles, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** Signs the head of the first entries. @param signer - another key */
  head(size: number, signer?: Signer): Promise<SignedHead>;
  /** The signed head as text. */
  note(size: number): Promise<string>;
  /** The consistency proof between two sizes. */
  proof(older: number, newer: number): Promise<Uint8Array[]>;
}

/** The name of the log in tests. */
export const ORIGIN = 'registry.example/log';

/** Creates the signer of a new Ed25519 key. */
export function newSigner(): Promise<Signer> {
  return signerFor(generateKeyPairSync('ed25519').privateKey, false);
}

/** Creates a log. Logs with equal entries up to a size are consistent up to that size. */
export async function testLog(
  signer: Signer,
  entries: readonly string[],
  origin: string = ORIGIN,
): Promise<TestLog> {
  const bytes = entries.map((entry) => Buffer.from(entry));
  const { files } = appendEntries(EMPTY_LOG, bytes);
  const { vkey } = logIdentity(origin, signer.rootKey);
  const read = tileReader(async (path) => files.get(path));
  const roots = new Map<number, Promise<Uint8Array>>();
  const root = (size: number) => {
    const found = roots.get(size) ?? rangeRoot(0, size, hashesFromTiles(bytes.length, read));
    roots.set(size, found);
    return found;
  };
  const head = async (size: number, by = signer) => signHead({ origin, size, root: await root(size) }, by);
  return {
    ...{ vkey, files, head },
    key: parseNoteKey(vkey, 'log', (message) => new Error(message)),
    note: async (size) => formatNote((await head(size)).note),
    proof: (older, newer) => consistencyProof(older, newer, hashesFromTiles(newer, read)),
  };
}

/** Returns entries with a name, such as `a0`, `a1`. */
export function namedEntries(name: string, count: number): string[] {
  return Array.from({ length: count }, (_one, at) => `${name}${at}`);
}
