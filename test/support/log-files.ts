import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AnyEntry } from '@passport-registry/verifier/internal';
import { folderSource, verifyTree } from 'passport-registry';
import { readIfThere } from '../../build/generator/files/read-file.js';
import { readLogHead } from '../../build/generator/log/log-files.js';
import { type FetchFile, type LogReader, readEntries } from '../../build/generator/log/read-log.js';
import { proveLogged } from '../../build/generator/publishing/prove-logged.js';
import { type Cosigning, cosignatures, type NoteSigner } from './test-log.js';
import { writeFiles } from './workspace.js';

/** Reads the head of the log in the folder of a tree. */
export function logHead(tree: string) {
  const head = readLogHead((path) => readIfThere(tree, path));
  if (head === undefined) throw new Error(`${tree} has no log`);
  return head;
}

/** A log for `readEntries`, whose errors say what is wrong with the log. */
export const logReader = (fetchFile: FetchFile): LogReader => ({
  fetchFile,
  invalid: (message) => new Error(`the log ${message}`),
});

/** Reads and verifies all entries of the log in the folder of a tree. */
export async function logEntries(tree: string): Promise<AnyEntry[]> {
  const { entries } = await readEntries(
    logReader(async (path) => readIfThere(tree, path)),
    logHead(tree),
  );
  return entries.map(({ entry }) => entry);
}

/** Returns the problems that `verify` finds in the folder of a tree. */
export async function problemsIn(tree: string): Promise<string[]> {
  const { checks } = await verifyTree(folderSource(tree));
  return checks.flatMap(({ result, name, problems }) =>
    result === 'failed' ? problems.map((one) => `${name}: ${one}`) : [],
  );
}

/** Lets witnesses cosign the head of a tree at chosen times, and writes the proofs that a publisher would write. */
export async function cosignTree(
  tree: string,
  witnesses: readonly NoteSigner[],
  cosigning: readonly Cosigning[],
): Promise<void> {
  const head = logHead(tree);
  const entries = await logEntries(tree);
  const index = entries.findLastIndex(({ type }) => type === 'publication');
  const { files } = await proveLogged(
    { head, index },
    {
      folder: tree,
      statement: readFileSync(join(tree, 'publication.jwt'), 'utf8'),
      cosignatures: cosignatures(head.note.text, cosigning),
      choice: { witnesses, quorum: Math.min(2, witnesses.length) },
    },
  );
  writeFiles(tree, Object.fromEntries(files));
}
