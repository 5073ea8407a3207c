import fs, { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistryClient } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import { withFs } from '../../support/patched-fs.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { publishedWithLog } from '../../support/statements-registry.js';
import { cli, filesOf, recordText, writeFiles } from '../../support/workspace.js';

const FILE = 'statements.json';
const MEMBERS = [
  'issuers.sig',
  'publication.jwt',
  'checkpoint.jwt',
  'keys/delegation.jwt',
  'keys/rotation.json',
  'log/publication.tlog-proof',
];

const KEYS = ['--key', 'key.pem', ...withKeys({ checkpoint: 'online.pem', log: 'log.pem' })];

/** What the files of a tree say, in the form of statements.json. */
function expected(tree: string): Record<string, string> {
  const paths = MEMBERS.filter((path) => existsSync(join(tree, path))).sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(tree, path), 'utf8')]));
}
const held = (tree: string) => readFileSync(join(tree, FILE), 'utf8');

describe('a registry whose registry.yaml says statements: true', () => {
  it('has all statements in one file, which nothing lists', async () => {
    const { tree, folder } = await publishedWithLog();
    expect(held(tree)).toBe(JSON.stringify(expected(tree)));
    expect(Object.keys(expected(tree))).toHaveLength(5);
    expect(readFileSync(join(tree, 'SHA256SUMS'), 'utf8')).not.toContain(FILE);
    // Without the online key, a build keeps the checkpoint, so that nothing changes.
    const { stderr } = await cli(['build', '--key', 'key.pem', ...withKeys({ log: 'log.pem' })], folder);
    expect(stderr).toContain('0 written');
  });

  it('has it anew after a build, a checkpoint, a hold and new cosignatures', async () => {
    const { tree, folder, build } = await publishedWithLog();
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { status: 'suspended' }) });
    for (const change of [
      () => build(),
      () => cli(['checkpoint', '--online-key', 'online.pem', '--hours', '30'], folder),
      () => cli(['hold', 'alpha', '--online-key', 'online.pem'], folder),
      () => cli(['checkpoint', '--online-key', 'online.pem', '--hours', '40'], folder),
    ]) {
      const { code, stderr } = await change();
      expect([code, stderr.includes('passport-registry:')]).toEqual([0, false]);
      expect(held(tree)).toBe(JSON.stringify(expected(tree)));
    }
  });

  it('is refused by an auditor while the file says something else, and the next checkpoint repairs it', async () => {
    const { tree, folder } = await publishedWithLog();
    const good = held(tree);
    for (const bad of [
      '',
      '[]',
      '{}',
      ` ${good}`,
      good.replace('"issuers.sig":"', '"issuers.sig":"A'),
      JSON.stringify({ ...JSON.parse(good), 'keys/rotation.json': '[]' }),
    ]) {
      writeFiles(tree, { [FILE]: bad });
      const { stdout, code } = await cli(['verify', 'dist', '--root-key', 'root.json', '--json'], folder);
      const failed = JSON.parse(stdout).checks.filter(
        ({ result }: { result: string }) => result === 'failed',
      );
      expect([code, failed.map((check: { code: string }) => check.code)]).toEqual([
        1,
        ['ERR_AUDIT_STATEMENTS'],
      ]);
    }
    expect((await cli(['checkpoint', '--online-key', 'online.pem'], folder)).code).toBe(0);
    expect(held(tree)).toBe(JSON.stringify(expected(tree)));
  });

  it.each<[string, readonly string[]]>([
    ['a hold', ['hold', 'alpha', '--online-key', 'online.pem']],
    ['a checkpoint', ['checkpoint', '--online-key', 'online.pem', '--hours', '30']],
    ['a suspension', ['suspend', 'alpha', '--reason', 'test', ...KEYS]],
  ])('has no older statements there if %s fails before the file is replaced', async (_what, args) => {
    const { tree, folder } = await publishedWithLog();
    const { renameSync } = fs;
    const full: typeof fs.renameSync = (from, to) => {
      if (String(to).endsWith(FILE))
        throw Object.assign(new Error('ENOSPC: no space left'), { code: 'ENOSPC' });
      renameSync(from, to);
    };
    const before = held(tree);
    const { code } = await withFs({ renameSync: full }, () => cli(args, folder));
    expect(code).toBe(4);
    expect(JSON.stringify(expected(tree))).not.toBe(before);
    expect(existsSync(join(tree, FILE))).toBe(false);
  });

  it.each([
    ['a hold', ['hold', 'alpha', '--online-key', 'online.pem']],
    ['the end of a hold', ['hold', '--end', '--all', '--online-key', 'online.pem']],
    ['a checkpoint', ['checkpoint', '--online-key', 'online.pem']],
  ])('stays as it is if nothing can be removed from the folder, and %s says so', async (_what, args) => {
    const { tree, folder } = await publishedWithLog();
    const { rmSync: remove } = fs;
    const readOnly: typeof fs.rmSync = (path, options) => {
      if (String(path).startsWith(`${tree}/`))
        throw Object.assign(new Error(`EROFS: read-only file system, unlink '${path}'`), { code: 'EROFS' });
      remove(path, options);
    };
    const before = filesOf(tree);
    const { code, stderr } = await withFs({ rmSync: readOnly }, () => cli(args, folder));
    expect([code, stderr]).toEqual([4, expect.stringMatching(/dist cannot be written: EROFS/)]);
    expect(filesOf(tree)).toEqual(before);
  });

  it('has no such file if one of its files is not text, and a hold is published all the same', async () => {
    const { tree, folder } = await publishedWithLog();
    writeFiles(tree, { 'log/publication.tlog-proof': new Uint8Array([0xff, 0xfe]) });
    expect((await cli(['hold', 'alpha', '--online-key', 'online.pem'], folder)).code).toBe(0);
    expect(existsSync(join(tree, FILE))).toBe(false);
  });

  it('has the file no more once the setting is gone', async () => {
    const { tree, folder, build } = await publishedWithLog();
    rmSync(join(folder, 'registry.yaml'));
    expect((await build()).code).toBe(0);
    expect(existsSync(join(tree, FILE))).toBe(false);
    expect((await cli(['checkpoint', '--online-key', 'online.pem'], folder)).code).toBe(0);
    expect(existsSync(join(tree, FILE))).toBe(false);
  });

  it('is mirrored with a file that the mirror makes, and not with that of its source', async () => {
    const { tree, folder } = await publishedWithLog();
    const good = held(tree);
    writeFiles(tree, { [FILE]: JSON.stringify({ 'issuers.sig': 'forged' }) });
    const source = await serve(tree);
    const { code } = await cli(['mirror', source, 'mirror', '--root-key', 'root.json'], folder);
    expect(code).toBe(0);
    expect(filesOf(join(folder, 'mirror/current')).get(FILE)?.toString()).toBe(good);
  });

  it('is loaded by a client with two requests', async () => {
    const { tree, folder } = await publishedWithLog();
    const base = await serve(tree);
    const asked: string[] = [];
    const client = closedAfterTest(
      createRegistryClient({
        sources: [base],
        rootKey: JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8')),
        fetch: (input, init) => {
          asked.push(new URL(String(input)).pathname);
          return fetch(input, init);
        },
      }),
    );
    await client.ready();
    expect(asked.sort()).toEqual(['/issuers.json', '/statements.json']);
  });
});
