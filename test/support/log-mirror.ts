import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { LoggedFolder } from './logged-folder.js';
import { sha256 } from './signed-tree.js';
import { filesOf } from './workspace.js';

/** The hash of the list of a tree. */
export const listOf = (tree: string): string => sha256(readFileSync(join(tree, 'issuers.json')));

/** Mirrors a source. Returns what the mirror says; it must succeed. */
export async function mirroredBy(here: LoggedFolder, source: string, ...args: string[]): Promise<string> {
  const { code, stderr } = await here.mirror(source, ...args);
  expect([code, stderr]).toEqual([0, expect.stringContaining('mirror ok')]);
  return stderr;
}

/** Mirrors a source that must be refused. The served release stays. @param what - for the message of a failure */
export async function refusedBy(
  here: LoggedFolder,
  source: string,
  reason: RegExp,
  what = '',
): Promise<void> {
  const before = filesOf(here.current);
  const { code, stderr } = await here.mirror(source);
  expect([what, code, stderr]).toEqual([what, 1, expect.stringMatching(reason)]);
  expect(filesOf(here.current)).toEqual(before);
}
