import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type AnyEntry,
  formatLogProof,
  formatNote,
  parseAnyEntry,
  parseBundle,
  parseHead,
} from '@passport-registry/verifier/core';
import { folderSource, verifyTree } from 'passport-registry';
import { naiveLeaf, naivePath } from './merkle.js';
import { invalid } from './note-keys.js';
import { sha256 } from './sha256.js';
import { setStatement } from './statements.js';
import { type Cosigning, cosignatures } from './test-log.js';
import { tilePlace } from './tiles.js';
import { writeFiles } from './workspace.js';

/** Returns the path of the newest head that a witness has cosigned, below the URL of its service. */
export const cosignedHeadPath = (origin: string): string => `${sha256(Buffer.from(origin))}/checkpoint`;

/** Reads the head of the log in the folder of a tree. */
export function logHead(tree: string) {
  return parseHead(readFileSync(join(tree, 'log/checkpoint')), invalid);
}

/** Reads all entries of the log in the folder of a tree, as bytes. */
function entriesIn(tree: string): Uint8Array[] {
  const { size } = logHead(tree);
  return Array.from({ length: Math.ceil(size / 256) }, (_one, index) => {
    const width = Math.min(256, size - index * 256);
    return parseBundle(readFileSync(join(tree, `log/tile/entries/${tilePlace(index, width)}`)), invalid);
  }).flat();
}

/** Reads all entries of the log in the folder of a tree. */
export async function logEntries(tree: string): Promise<AnyEntry[]> {
  return entriesIn(tree).map((entry) => parseAnyEntry(entry, invalid));
}

/** Returns the problems that `verify` finds in the folder of a tree. */
export async function problemsIn(tree: string): Promise<string[]> {
  const { checks } = await verifyTree(folderSource(tree));
  return checks.flatMap(({ result, name, problems }) =>
    result === 'failed' ? problems.map((one) => `${name}: ${one}`) : [],
  );
}

/**
 * Lets witnesses cosign the head of a tree at chosen times, in addition to those that have cosigned it, and writes the
 * proof that a publisher would write.
 */
export async function cosignTree(tree: string, cosigning: readonly Cosigning[]): Promise<void> {
  const head = logHead(tree);
  const added = cosignatures(head.note.text, cosigning);
  const isAgain = ({ name }: { readonly name: string }) => added.some((other) => other.name === name);
  const signatures = [...head.note.signatures.filter((one) => !isAgain(one)), ...added];
  const cosigned = { ...head, note: { ...head.note, signatures } };
  const entries = entriesIn(tree);
  const index = (await logEntries(tree)).findLastIndex(({ type }) => type === 'publication');
  const path = naivePath(index, entries.map(naiveLeaf));
  const proof = formatLogProof({ index, path, head: cosigned });
  writeFiles(tree, { 'log/checkpoint': formatNote(cosigned.note) });
  setStatement(tree, 'log_proof', proof);
}
