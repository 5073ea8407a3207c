import type { LogEntry } from '@passport-registry/verifier/internal';
import { readIfThere } from '../../build/files/read-file.js';
import { folderSource, verifyTree } from '../../build/index.js';
import { readLogHead } from '../../build/log/log-files.js';
import { readEntries } from '../../build/log/read-log.js';

/** Reads the head of the log in the folder of a tree. */
export function logHead(tree: string) {
  const head = readLogHead((path) => readIfThere(tree, path));
  if (head === undefined) throw new Error(`${tree} has no log`);
  return head;
}

/** Reads and verifies all entries of the log in the folder of a tree. */
export async function logEntries(tree: string): Promise<LogEntry[]> {
  const { entries } = await readEntries(async (path) => readIfThere(tree, path), logHead(tree));
  return entries.map(({ entry }) => entry);
}

/** Returns the problems that `verify` finds in the folder of a tree. */
export async function problemsIn(tree: string): Promise<string[]> {
  const { checks } = await verifyTree(folderSource(tree));
  return checks.flatMap(({ result, name, problems }) =>
    result === 'failed' ? problems.map((one) => `${name}: ${one}`) : [],
  );
}
