import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { installedPath } from '../../support/installed.js';
import { init, SETTINGS } from '../../support/scaffold.js';
import { plainHost } from '../../support/serving.js';
import { removeTreeFile } from '../../support/statements.js';
import { cli, filesOf, recordText, run, temporaryFolder, writeFiles } from '../../support/workspace.js';

let top: string;
let folder: string;
let url: string;
let published: Map<string, Buffer>;

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@registry.internal', ...args], {
    cwd: folder,
  });

const program = (...words: string[]) => ['npx passport-registry', ...words].join(' ');

async function good(...args: string[]): Promise<void> {
  const { code, stderr } = await cli(args, folder);
  expect(code, stderr).toBe(0);
}

async function status(...args: string[]) {
  return JSON.parse((await cli(['status', '--json', ...args], folder)).stdout);
}

async function obey(command: string): Promise<void> {
  const { code, stderr } = await run('sh', ['-euc', command], folder, await installedPath());
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
}

/** A published registry without a log, whose records are not committed, and whose host serves it. */
describe('`status` of a damaged tree', () => {
  beforeAll(async () => {
    top = temporaryFolder();
    writeFiles(top, { 'host/none.html': '' });
    url = await plainHost(join(top, 'host'), 'none.html');
    const key = ['--key', 'root.pem', '--no-passphrase'];
    expect((await init(['registry', ...SETTINGS, '--base-url', url, ...key], top)).code).toBe(0);
    folder = join(top, 'registry');
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha') });
    await good('build', '--production');
    published = filesOf(join(folder, 'dist'));
    cpSync(join(folder, 'dist'), join(top, 'host'), { recursive: true });
    git('init', '-q');
    git('init', '-q', '--bare', join(top, 'origin.git'));
    git('remote', 'add', 'origin', join(top, 'origin.git'));
    await good('branch', 'save', 'dist');
    git('remote', 'remove', 'origin');
  });

  beforeEach(() => {
    rmSync(join(folder, 'dist'), { recursive: true });
    writeFiles(join(folder, 'dist'), Object.fromEntries(published));
  });

  it('proposes to commit records only if the tree is valid', async () => {
    expect((await status()).next).toMatchObject([{ command: expect.stringMatching(/^git add /) }]);
    mkdirSync(join(folder, 'dist/log'));
    writeFiles(folder, { 'dist/log/later.txt': 'hi' });
    const { tree, next } = await status();
    expect([tree.level, next[0].command]).toEqual(['error', program('build', '--production')]);
    await obey(next[0].command);
    expect((await status()).tree.level).toBe('ok');
  });

  it.each(['issuers.json', 'statements.json'])(
    'restores %s from the host, or from the branch',
    async (path) => {
      const proposed = async () => (await status()).next[0].command;
      writeFiles(folder, { [`dist/${path}`]: 'x' });
      const copy = await proposed();
      expect(copy).toContain(program('mirror', url));
      await obey(copy);
      expect(filesOf(join(folder, 'dist'))).toEqual(published);
      // The damaged tree may have what nobody else has.
      const [, kept = ''] = / && mv dist (\S+) && /.exec(copy) ?? [];
      expect(existsSync(join(folder, kept, 'SHA256SUMS'))).toBe(true);
      // Run again from the history of the shell, the command moves nothing into that.
      await expect(obey(copy)).rejects.toThrow();
      expect(filesOf(join(folder, 'dist'))).toEqual(published);
      rmSync(join(folder, 'dist', path));
      git('remote', 'add', 'origin', join(top, 'origin.git'));
      const load = await proposed();
      expect(load).toMatch(/ branch load \S+ && test -d \S+ && mkdir \S+ && mv dist \S+ && mv \S+ dist$/);
      await obey(load);
      git('remote', 'remove', 'origin');
      expect(filesOf(join(folder, 'dist'))).toEqual(published);
      // Where nobody serves the list, there is no command.
      rmSync(join(folder, 'dist', path));
      expect((await status('--offline')).next[0]).toEqual({
        reason: expect.stringContaining('restore dist'),
      });
    },
  );

  it('says what is lost of a tree without SHA256SUMS', async () => {
    const sums = readFileSync(join(folder, 'dist/SHA256SUMS'));
    rmSync(join(folder, 'dist/SHA256SUMS'));
    const { tree } = await status();
    expect(tree.message).toBe('dist has lost SHA256SUMS: a build would remove what else is there');
    writeFiles(folder, { 'dist/SHA256SUMS': sums });
  });

  it('makes a lost root key again from the key that signs, and loads nothing over what only this tree has', async () => {
    await good('suspend', 'alpha', '--reason', 'x', '--production');
    const root = readFileSync(join(folder, 'dist/keys/root.json'));
    rmSync(join(folder, 'dist/keys/root.json'));
    const [repair] = (await status()).next;
    expect(repair).toMatchObject({
      command: program('build', '--production'),
      reason: expect.stringContaining('keys/root.json'),
    });
    await obey(repair.command);
    expect(readFileSync(join(folder, 'dist/keys/root.json'))).toEqual(root);
    const { live, next } = await status();
    expect([live.comparedWithTree, next[0].command]).toEqual([
      'older',
      program('verify', url, '--expect', 'dist'),
    ]);
    removeTreeFile(join(folder, 'dist/publication.jwt'));
    const [{ command, reason }] = (await status()).next;
    expect([command, reason]).toEqual([
      undefined,
      expect.stringMatching(/^restore dist from a backup, because nobody else has its newest publication/),
    ]);
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha') });
  });

  it.each([undefined, '{}'])(
    'asks the host before it signs, although the root key was lost (%s)',
    async (damaged) => {
      const file = join(folder, 'dist/keys/root.json');
      await good('suspend', 'alpha', '--reason', 'x', '--production');
      const newer = filesOf(join(folder, 'dist'));
      try {
        writeFiles(join(top, 'host'), Object.fromEntries(newer));
        for (const args of [
          ['build', '--production'],
          ['revoke', 'alpha', '--reason', 'y', '--production'],
        ]) {
          rmSync(join(folder, 'dist'), { recursive: true });
          writeFiles(join(folder, 'dist'), Object.fromEntries(published));
          if (damaged === undefined) rmSync(file);
          else writeFileSync(file, damaged);
          const { code, stderr } = await cli(args, folder);
          expect([code, stderr]).toEqual([1, expect.stringContaining('load')]);
          expect(readFileSync(join(folder, 'dist/issuers.json'))).toEqual(published.get('issuers.json'));
        }
        // Without SHA256SUMS, nothing tells which key it was.
        rmSync(file);
        rmSync(join(folder, 'dist/SHA256SUMS'));
        writeFiles(folder, { 'dist/keys/none': '' });
        expect((await cli(['build', '--production'], folder)).code).not.toBe(0);
      } finally {
        writeFiles(join(top, 'host'), Object.fromEntries(published));
        writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha') });
      }
    },
  );

  it('puts damage before a rotation that has signed nothing', async () => {
    writeFiles(folder, { 'rotation/outgoing.json': readFileSync(join(folder, 'dist/keys/root.json')) });
    const steps = async () =>
      (await status()).next.map(
        ({ command, reason }: { command?: string; reason: string }) => command ?? reason,
      );
    expect(await steps()).toContainEqual(
      expect.stringMatching(/^continue the rotation: run `npx .* rotate` with /),
    );
    for (const [path, command] of [
      ['statements.json', program('mirror', url)],
      ['index.html', program('build', '--production')],
      ['issuers/alpha', program('build', '--production')],
    ] as const) {
      rmSync(join(folder, 'dist', path));
      expect((await steps())[0]).toContain(command);
      writeFiles(join(folder, 'dist'), Object.fromEntries(published));
    }
    rmSync(join(folder, 'rotation'), { recursive: true });
  });
});
