import { execFileSync } from 'node:child_process';
import fs, { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { loadRecords } from 'passport-registry';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectCommandError } from '../../support/expect-command-error.js';
import { git as gitIn } from '../../support/git.js';
import { copyOf } from '../../support/made-once.js';
import { withFs } from '../../support/patched-fs.js';
import {
  cli,
  type Outcome,
  recordText,
  temporaryFolder,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

const SECRET = 'REGISTRY_KEY=correct-horse-battery-staple';

/** Runs the command line; gives which files below a folder it has opened, too. */
async function opening(args: string[], folder: string): Promise<Outcome & { opened: string[] }> {
  const opened: string[] = [];
  const { openSync, readFileSync } = fs;
  const noted =
    <T>(open: (path: never, ...rest: never[]) => T) =>
    (path: unknown, ...rest: unknown[]): T => {
      if (typeof path === 'string') opened.push(path);
      // Reading one of these would never end.
      if (/pipe|fifo|zero/.test(String(path))) throw new Error(`${path} must not be opened`);
      return open(path as never, ...(rest as never[]));
    };
  const spies = { openSync: noted(openSync), readFileSync: noted(readFileSync) };
  const outcome = await withFs(spies as Partial<typeof fs>, () => cli(args, folder));
  return { ...outcome, opened: opened.filter((path) => /issuers|outside|dev\/zero/.test(path)) };
}

describe('a link that is refused', () => {
  let folder: string;
  let outside: string;

  beforeAll(async () => {
    folder = await workspace(['good']);
    outside = temporaryFolder();
    writeFiles(outside, { 'outside.env': `${SECRET}\n`, 'outside.yaml': `${SECRET}: [\n` });
    execFileSync('mkfifo', [join(outside, 'outside-pipe')]);
    execFileSync('mkfifo', [join(folder, 'issuers/pipe')]);
    const git = (...args: string[]) => gitIn(folder, ...args);
    git('init', '-q');
    git('add', 'issuers');
    git('commit', '-qm', 'Base');
    for (const [name, target] of Object.entries({
      env: join(outside, 'outside.env'),
      yaml: join(outside, 'outside.yaml'),
      fifo: join(outside, 'outside-pipe'),
      inner: 'pipe',
      zero: '/dev/zero',
      self: '/proc/self/environ',
      up: '../key.pem',
    }))
      symlinkSync(target, join(folder, `issuers/${name}.yaml`));
    git('add', 'issuers');
    git('commit', '-qm', 'Links');
  });

  it.each([
    [['check']],
    [['check', '--json']],
    [['check', 'issuers/env.yaml', 'issuers/zero.yaml']],
    [['build', '--key', 'key.pem']],
    [['check', '--fix']],
    [['diff', 'HEAD^']],
    [['diff', 'HEAD^..HEAD']],
    [['diff', 'HEAD^', '--markdown']],
    [['diff', 'issuers']],
    [['check', '--online', '--timeout', '1']],
    [['check', '--online', '--changed', 'HEAD^']],
  ])('is not opened, and nothing of what it leads to is shown, by %j', async (args) => {
    const { stdout, stderr, code, opened } = await opening(args, folder);
    expect([args, code]).toEqual([args, 1]);
    for (const text of ['correct-horse', 'PRIVATE KEY', 'TMPDIR='])
      expect(stdout + stderr).not.toContain(text);
    const wrong = opened.filter((path) => !path.endsWith('/good.yaml'));
    expect(wrong).toEqual([]);
  });
});

describe('a record file', () => {
  let made: string;
  beforeAll(async () => {
    made = await workspace(['good']);
    writeFiles(made, {
      'issuers/wrong.yaml': recordText('wrong', { tier: 'certifed' }),
      'issuers/a/twice.yaml': recordText('twice'),
      'issuers/b/twice.yaml': recordText('twice'),
      'issuers/other.yaml': recordText('another'),
      'issuers/syntax.yaml': 'issuer_id: [}\n',
      'issuers/warned.yaml': recordText('warned', { geographical_scope: '[UK]' }),
    });
  });

  it.each([
    ['check'],
    ['build', '--key', 'key.pem'],
    ['check', '--fix'],
    ['check', '--online', '--timeout', '1'],
  ])('is opened once, with something wrong in it or not, by %s', async (...args) => {
    const { code, opened, stdout, stderr } = await opening(args, copyOf(made));
    expect(code).toBe(1);
    expect(stdout + stderr).toContain(' | ');
    const records = opened.filter((path) => path.includes('issuers/'));
    expect(new Set(records).size).toBe(7);
    expect(records).toHaveLength(7);
  });

  it('is shown as it was read, in a folder and in a commit', async () => {
    const folder = temporaryFolder();
    const git = (...args: string[]) => gitIn(folder, ...args);
    writeFiles(folder, { 'issuers/a.yaml': recordText('a') });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'Base');
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { tier: 'committed' }) });
    git('add', '.');
    git('commit', '-qm', 'Change');
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { tier: 'in-the-folder' }) });
    expect((await cli(['diff', 'HEAD^..HEAD'], folder)).stdout).toContain(' 2 | tier: committed\n');
    expect((await cli(['diff', 'HEAD^'], folder)).stdout).toContain(' 2 | tier: in-the-folder\n');
    expect((await cli(['check'], folder)).stdout).toContain(' 2 | tier: in-the-folder\n');
  });

  it.each([
    [64 * 1024, []],
    [64 * 1024 + 1, ['file-too-large']],
  ])('of %d bytes is read or not: %j', async (size, expected) => {
    const folder = temporaryFolder();
    const text = recordText('a');
    writeFiles(folder, { 'issuers/a.yaml': `${text}\n#${'x'.repeat(size - text.length - 3)}\n` });
    const { diagnostics } = await loadRecords([join(folder, 'issuers')]);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(expected);
  });

  it('that shrinks while it is read is refused', async () => {
    const folder = temporaryFolder();
    const text = recordText('a');
    writeFiles(folder, { 'issuers/a.yaml': `${text}# ${'x'.repeat(100)}\n` });
    // When the file is opened, it has the size of the whole text. When it is read, it ends after the record.
    const { openSync, readSync, truncateSync } = fs;
    let record: number | undefined;
    const shrinking = {
      openSync: (path: fs.PathLike, flags: fs.OpenMode) => {
        const descriptor = openSync(path, flags);
        if (String(path).endsWith('a.yaml')) record = descriptor;
        return descriptor;
      },
      readSync: (descriptor: number, ...rest: unknown[]) => {
        if (descriptor === record) truncateSync(join(folder, 'issuers/a.yaml'), text.length);
        return (readSync as (...all: unknown[]) => number)(descriptor, ...rest);
      },
    };
    const load = () => loadRecords([join(folder, 'issuers')]);
    const { ok, diagnostics } = await withFs(shrinking as Partial<typeof fs>, load);
    expect([ok, diagnostics]).toMatchObject([
      false,
      [{ rule: 'file-unreadable', message: expect.stringContaining('changed while it was being read') }],
    ]);
  });

  it.each(['.hidden', '.hidden/inner'])(
    'behind a link to the dot-folder %s does not go unnoticed',
    async (target) => {
      const folder = temporaryFolder();
      writeFiles(folder, {
        'issuers/a.yaml': recordText('a'),
        'issuers/.hidden/inner/b.yaml': recordText('b'),
      });
      symlinkSync(target, join(folder, 'issuers/more'));
      const { ok, diagnostics } = await loadRecords([join(folder, 'issuers')]);
      const found = { rule: 'file-kind', file: join(folder, 'issuers/more') };
      expect([ok, diagnostics]).toMatchObject([false, [found]]);
    },
  );

  // Names that are refused, and folders that hide: review/git and good-input.
  it('is found under a name that is a pattern elsewhere', async () => {
    const folder = temporaryFolder();
    const names = ['*.yaml', '!j.yaml', 'k[1].yaml', 'l\\m.yaml', 'n/(o)/p.yaml'];
    writeFiles(folder, Object.fromEntries(names.map((name) => [`issuers/${name}`, 'x'])));
    const { diagnostics } = await loadRecords([join(folder, 'issuers')]);
    const found = diagnostics.map(({ file, rule }) => `${file} ${rule}`);
    expect(found.sort()).toEqual(names.map((name) => `${folder}/issuers/${name} not-a-mapping`).sort());
  });

  it('that is a link is not suspended, and nothing is written through it', async () => {
    const folder = await workspace(['alpha']);
    writeFiles(folder, { 'issuers/kept/beta.txt': recordText('beta'), 'outside.yaml': recordText('gamma') });
    symlinkSync('kept/beta.txt', join(folder, 'issuers/beta.yaml'));
    symlinkSync('../outside.yaml', join(folder, 'issuers/gamma.yaml'));
    mkdirSync(join(folder, 'linked'));
    for (const id of ['beta', 'gamma']) {
      const outcome = await cli(['suspend', id, '--reason', 'x', '--key', 'key.pem', '--json'], folder);
      expectCommandError(outcome, 'ERR_USAGE', `${id}.yaml is a symbolic link`);
    }
    expect(readFileSync(join(folder, 'issuers/kept/beta.txt'), 'utf8')).toBe(recordText('beta'));
    expect(readFileSync(join(folder, 'outside.yaml'), 'utf8')).toBe(recordText('gamma'));
  });

  it('that is not UTF-8 is not suspended: its bytes would not survive it', async () => {
    const folder = await workspace(['alpha']);
    const bytes = Buffer.concat([Buffer.from(recordText('beta')), Buffer.from([0x23, 0xff, 0x0a])]);
    writeFiles(folder, { 'issuers/beta.yaml': bytes });
    const { code, stderr } = await cli(['suspend', 'beta', '--reason', 'x', '--key', 'key.pem'], folder);
    expect([code, stderr.includes('not-utf8')]).toEqual([1, true]);
    expect(readFileSync(join(folder, 'issuers/beta.yaml'))).toEqual(bytes);
  });
});

describe('a configuration', () => {
  it.each([
    ['nothing but text', `${SECRET}\n`],
    ['an unknown setting', `root_kee: ${SECRET}\n`],
    ['a setting of another type', `root_key: [${SECRET}]\n`],
    ['broken syntax', `root_key: "${SECRET}\n`],
    ['a link to a secret', undefined],
  ])('that is %s is refused without a word of it', async (_name, text) => {
    const folder = await workspace(['alpha']);
    writeFiles(folder, { secret: `${SECRET}\n` });
    if (text === undefined) symlinkSync('secret', join(folder, 'registry.yaml'));
    else writeFiles(folder, { 'registry.yaml': text });
    const { code, stdout, stderr } = await cli(['check'], folder);
    expect(code).toBe(2);
    expect(stderr).toMatch(/registry\.yaml:\d:\d+: error/);
    expect(stdout + stderr).not.toContain('correct-horse');
  });
});
