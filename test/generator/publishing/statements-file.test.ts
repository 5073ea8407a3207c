import fs, { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { withFs } from '../../support/patched-fs.js';
import { sha256 } from '../../support/signed-tree.js';
import { publishedWithLog } from '../../support/statements-registry.js';
import { cli, filesBelow, recordText, writeFiles } from '../../support/workspace.js';

const FILE = 'statements.json';

const members = (tree: string): Record<string, unknown> => JSON.parse(readFileSync(join(tree, FILE), 'utf8'));
/** The option with settings in which a checkpoint is valid for some hours. */
const hours = (number: number) => ['--config', JSON.stringify({ checkpoint: { hours: number } })];
const bytesOf = (tree: string) =>
  filesBelow(tree).map((path) => [path, sha256(readFileSync(join(tree, path)))] as const);

describe('statements.json', () => {
  it('has all statements in canonical form, and nothing lists it', async () => {
    const { tree } = await publishedWithLog();
    expect(Object.keys(members(tree))).toEqual(['checkpoint', 'log_proof', 'publication']);
    const bytes = readFileSync(join(tree, FILE));
    expect(bytes.equals(Buffer.from(canonicalBytes(members(tree))))).toBe(true);
    const sums = readFileSync(join(tree, 'SHA256SUMS'), 'utf8');
    expect(sums).not.toMatch(/ {2}(?:statements\.json|issuers\.sig|lists\/)/);
    expect(filesBelow(tree).filter((path) => /\.jwt$|rotation|tlog-proof/.test(path))).toEqual([
      'log/statements/0.jwt',
    ]);
  });

  it('is all that a checkpoint and a hold change, and of it the checkpoint alone', async () => {
    const { tree, folder } = await publishedWithLog();
    for (const args of [
      ['checkpoint', '--online-key', 'online.pem', ...hours(30)],
      ['hold', 'alpha', '--online-key', 'online.pem'],
      ['checkpoint', '--online-key', 'online.pem', ...hours(40)],
    ]) {
      const [before, said] = [bytesOf(tree), members(tree)];
      expect((await cli(args, folder)).code).toBe(0);
      const others = (files: typeof before) => files.filter(([path]) => path !== FILE);
      expect(others(bytesOf(tree))).toEqual(others(before));
      const { checkpoint, ...rest } = members(tree);
      expect({ ...rest, checkpoint: said['checkpoint'] }).toEqual(said);
      expect(checkpoint).not.toBe(said['checkpoint']);
    }
  });

  it('is untouched by a build of the same records', async () => {
    const { tree, build } = await publishedWithLog();
    const before = bytesOf(tree);
    expect((await build()).code).toBe(0);
    expect(bytesOf(tree)).toEqual(before);
  });

  it('is renamed after every other file, and removals come after it', async () => {
    const { tree, folder, build } = await publishedWithLog();
    writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma') });
    // A later version may have added it.
    writeFiles(tree, { 'added.txt': '' });
    const { renameSync, rmSync } = fs;
    const steps: string[] = [];
    const note = (step: string, path: unknown) => {
      if (String(path).startsWith(`${tree}/`)) steps.push(`${step} ${String(path).slice(tree.length + 1)}`);
    };
    const noted = {
      renameSync: (from: fs.PathLike, to: fs.PathLike) => {
        note('rename', to);
        renameSync(from, to);
      },
      rmSync: (path: fs.PathLike, options?: fs.RmOptions) => {
        note('remove', path);
        rmSync(path, options);
      },
    };
    expect((await withFs(noted, build)).code).toBe(0);
    const at = steps.indexOf(`rename ${FILE}`);
    expect(steps.slice(0, at).filter((step) => step.startsWith('remove'))).toEqual([]);
    expect(steps.slice(at + 1).filter((step) => step.startsWith('rename'))).toEqual([]);
    expect(steps.slice(at + 1)).toContain('remove added.txt');
    const order = ['issuers/gamma', 'sums/root', 'issuers.sig', 'issuers.json', 'SHA256SUMS', FILE];
    const found = order.map((path) => steps.indexOf(`rename ${path}`));
    expect(found).toEqual(found.toSorted((a, b) => a - b));
    expect(found).not.toContain(-1);
  });
});
