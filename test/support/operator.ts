import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, vi } from 'vitest';
import { copyOf } from './made-once.js';
import { claimsOf, readTreeFile } from './statements.js';
import { cli, filesBelow, goodCli, type Outcome, recordText, writeFiles } from './workspace.js';

/** What an operator does in a folder with records, and what a test reads in its tree, `dist`. */
export function operatorIn(folder: () => string) {
  const at = (...steps: string[]) => join(folder(), ...steps);
  const dist = (...steps: string[]) => at('dist', ...steps);
  /** Reads a file of the tree, or a statement by the path that it has when it is taken apart. */
  const read = (path: string) => readTreeFile(dist(path));
  const text = (path: string) => read(path).toString();
  /** The claims of a statement of the tree. */
  const claims = (name: 'publication' | 'checkpoint') => claimsOf(read(`${name}.jwt`));
  const run = (...args: string[]) => cli(args, folder());
  /** Runs a command, which must succeed without a message of its own. */
  const good = (...args: string[]) => goodCli(args, folder());
  const record = (id: string, fields: Record<string, string> = {}) =>
    writeFiles(folder(), { [`issuers/${id}.yaml`]: recordText(id, fields) });
  /** Every file of the tree, as it lies there. */
  const tree = () =>
    existsSync(dist()) ? filesBelow(dist()).map((path) => [path, readFileSync(dist(path), 'latin1')]) : [];
  /** Runs a command, which must be refused, and must leave the tree as it is. */
  const refused = async (args: readonly string[], code?: number): Promise<Outcome> => {
    const before = tree();
    const outcome = await cli(args, folder());
    if (code === undefined) expect(outcome.code).not.toBe(0);
    else expect(outcome).toMatchObject({ code });
    expect(tree()).toEqual(before);
    return outcome;
  };
  return { at, dist, read, text, claims, run, good, record, tree, refused };
}

/** The same, in a copy of a folder for each test of a file. The folder is made once, and each copy remembers what it has signed. */
export function operatorInCopies(make: () => Promise<string>) {
  let made: string;
  let folder: string;
  beforeAll(async () => {
    made = await make();
  });
  beforeEach(() => {
    folder = copyOf(made);
    vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
  });
  return operatorIn(() => folder);
}
