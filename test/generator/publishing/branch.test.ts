import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { git } from '../../support/git.js';
import { copyOf } from '../../support/made-once.js';
import { listen, serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { claimsOf } from '../../support/signed-tree.js';
import { readTreeFile } from '../../support/statements.js';
import {
  cli,
  clockAhead,
  recordText,
  temporaryFolder,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

describe('passport-registry branch', () => {
  let folder: string;
  let origin: string;

  /** A host that gives every request the same status. */
  const answering = (status: number) =>
    listen((_request, response) => response.writeHead(status, { location: '/' }).end());
  const build = (where = folder) => cli(['build', '--key', 'key.pem'], where);
  const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
  /** All files below a folder with their bytes. */
  const bytesOf = (where: string) =>
    Object.fromEntries(
      readdirSync(where, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((file) => [file.slice(where.length), readFileSync(file).toString('base64')]),
    );

  const use = (parent: string) => {
    folder = join(parent, 'registry');
    origin = join(parent, 'origin.git');
  };
  /** Goes on with a registry that is built, or built and on the branch. */
  const built = () => use(copyOf(withTree));
  const published = () => use(copyOf(withBranch));
  let untouched: string;
  let withTree: string;
  let withBranch: string;

  beforeAll(async () => {
    untouched = temporaryFolder();
    use(untouched);
    cpSync(await workspace(['alpha']), folder, { recursive: true });
    git(untouched, 'init', '-q', '--template=', '--bare', 'origin.git');
    git(origin, 'config', 'receive.autogc', 'false');
    git(folder, 'init', '-q', '--template=', '-b', 'main');
    git(folder, 'remote', 'add', 'origin', '../origin.git');
    git(folder, 'add', 'issuers');
    git(folder, 'commit', '-qm', 'Records');
    withTree = copyOf(untouched);
    use(withTree);
    expect((await build()).code).toBe(0);
    withBranch = copyOf(withTree);
    use(withBranch);
    expect((await cli(['branch', 'save'], folder)).code).toBe(0);
  });

  beforeEach(() => use(copyOf(untouched)));

  it('makes the branch, with the bytes of the tree and nothing else, and loads the same bytes', async () => {
    // Neither attributes, nor the ignored files, nor the settings of git may change a byte.
    writeFiles(folder, { '.gitattributes': '* text eol=crlf\n', '.gitignore': '*.json\n.htaccess\n' });
    git(folder, 'config', 'core.autocrlf', 'true');
    await build();
    const odd = { 'odd.txt': 'a\r\nb\n\u0000' };
    const sums = Object.entries(odd).map(([path, text]) => `${hashOf(text)}  ${path}`);
    const lines = [...readFileSync(join(folder, 'dist/SHA256SUMS'), 'utf8').trim().split('\n'), ...sums];
    lines.sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1));
    writeFiles(join(folder, 'dist'), { ...odd, SHA256SUMS: `${lines.join('\n')}\n` });
    const saved = await cli(['branch', 'save'], folder);
    expect(saved.code, saved.stderr).toBe(0);
    const other = temporaryFolder();
    git(other, 'clone', '-q', '--depth=1', `file://${origin}`, '.').trim();
    const { code, stderr } = await cli(['branch', 'load', 'copy'], other);
    expect(code, stderr).toBe(0);
    expect(bytesOf(join(other, 'copy'))).toEqual(bytesOf(join(folder, 'dist')));
    expect(git(folder, 'status', '--porcelain', '--', 'issuers')).toBe('');
  });

  it('puts each publication on top of the last, and nothing if nothing has changed', async () => {
    built();
    await cli(['branch', 'save', '--message', 'One'], folder);
    expect((await cli(['branch', 'save', '--message', 'Again'], folder)).stderr).toContain(
      'has the same files',
    );
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    await build();
    await cli(['branch', 'save', 'dist', '--message', 'Two\n\nwith a body'], folder);
    expect(git(origin, 'log', '--format=%s', 'published')).toBe('Two\nOne');
    expect(git(origin, 'show', '--format=', '--name-status', 'published')).toMatch(/^A\tissuers\/beta$/m);
  });

  it('removes from the branch what is no longer in the tree', async () => {
    built();
    cpSync(join(folder, 'dist'), join(folder, 'more'), { recursive: true });
    writeFiles(folder, {
      'with-logo.yaml': 'page: { logo: logo.svg }\n',
      'logo.svg': '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"/>',
    });
    await cli(['build', '--key', 'key.pem', '--out', 'more', '--config', 'with-logo.yaml'], folder);
    await cli(['branch', 'save', 'more'], folder);
    expect(git(origin, 'ls-tree', '-r', '--name-only', 'published')).toContain('assets/logo.svg');
    // A branch takes no older checkpoint.
    await cli(['checkpoint', '--online-key', 'key.pem'], folder, clockAhead(1));
    await cli(['branch', 'save', 'dist'], folder);
    expect(git(origin, 'ls-tree', '-r', '--name-only', 'published')).not.toContain('assets/logo.svg');
  });

  it('never replaces the publication of somebody else', async () => {
    published();
    const other = temporaryFolder();
    git(other, 'clone', '-q', `file://${origin}`, '-b', 'published', 'clone');
    writeFiles(other, { 'clone/theirs': 'theirs' });
    git(join(other, 'clone'), 'add', '-A');
    git(join(other, 'clone'), 'commit', '-qm', 'Theirs');
    git(join(other, 'clone'), 'push', '-q');
    const theirs = git(origin, 'rev-parse', 'published');
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    await build();
    for (const setting of ['push.default', 'remote.origin.push']) {
      git(folder, 'config', setting, setting === 'push.default' ? 'matching' : '+refs/*:refs/*');
      const { code, stderr } = await cli(['branch', 'save'], folder);
      expect(code).toBe(4);
      expect(stderr).toContain(`has another publication, commit ${theirs}`);
      expect(stderr).toContain('`passport-registry branch load`');
      expect(stderr).not.toContain('git push');
      expect(git(origin, 'rev-parse', 'published')).toBe(theirs);
    }
    expect((await cli(['branch', 'load', 'new'], folder)).code).toBe(0);
    expect(existsSync(join(folder, 'new/theirs'))).toBe(true);
  });

  it('does not replace a branch that was never loaded', async () => {
    published();
    const other = temporaryFolder();
    git(other, 'clone', '-q', `file://${origin}`, '.');
    const before = git(origin, 'rev-parse', 'published');
    const args = ['branch', 'save', join(folder, 'dist'), '--message', 'Other'];
    const { code, stderr } = await cli(args, other);
    expect([code, git(origin, 'rev-parse', 'published')]).toEqual([4, before]);
    expect(stderr).toContain('was not loaded into this repository');
  });

  it('says so if there is no branch, and makes nothing', async () => {
    const { code, stderr } = await cli(['branch', 'load'], folder);
    expect([code, stderr]).toEqual([0, expect.stringContaining('no branch published')]);
    expect(existsSync(join(folder, 'dist'))).toBe(false);
  });

  it('refuses to start again if the branch is gone while the registry serves a list', async () => {
    built();
    const host = await serve(join(folder, 'dist'));
    writeFiles(folder, { 'registry.yaml': `base_url: ${host}\n` });
    const { code, stderr } = await cli(['branch', 'load', 'new'], folder);
    expect([code, existsSync(join(folder, 'new'))]).toEqual([4, false]);
    expect(stderr).toContain(`${host} serves a list`);
  });

  it('starts only if the host clearly has no list', async () => {
    const hosts = {
      'http://127.0.0.1:1': 'does not show',
      [await answering(503)]: 'responds with 503',
      [await answering(301)]: 'responds with 301',
    };
    for (const [host, message] of Object.entries(hosts)) {
      const { code, stderr } = await cli(['branch', 'load', '--base-url', host], folder);
      expect([code, stderr]).toEqual([4, expect.stringContaining(message)]);
    }
    expect((await cli(['branch', 'load', '--base-url', await answering(404)], folder)).code).toBe(0);
  });

  it('refuses a branch that was put back to an older list than the live one', async () => {
    published();
    const before = git(origin, 'rev-parse', 'published');
    await cli(['suspend', 'alpha', '--reason', 'x', '--key', 'key.pem'], folder);
    await cli(['branch', 'save'], folder);
    const live = await serve(join(folder, 'dist'));
    const load = (into: string) => cli(['branch', 'load', into, '--base-url', live], folder);
    expect((await load('newest')).code).toBe(0);
    // Somebody pushes the old tree on top, which is no forced push.
    const old = git(origin, 'commit-tree', `${before}^{tree}`, '-p', 'published', '-m', 'old');
    git(origin, 'update-ref', 'refs/heads/published', old);
    const { code, stderr } = await load('old');
    expect([code, stderr]).toEqual([1, expect.stringContaining('serves a newer tree')]);
    expect(existsSync(join(folder, 'old'))).toBe(false);
  });

  it('refuses a tree in which an older list was put back under the newer statement', async () => {
    built();
    const old = ['issuers.json', 'issuers.sig'].map((file) => [
      file,
      readFileSync(join(folder, 'dist', file)),
    ]);
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'revoked' }) });
    await build();
    await cli(['branch', 'save'], folder);
    const other = temporaryFolder();
    git(other, 'clone', '-q', `file://${origin}`, '-b', 'published', '.');
    writeFiles(other, Object.fromEntries(old));
    git(other, 'commit', '-qam', 'Put back');
    git(other, 'push', '-q');
    const { code, stderr } = await cli(['branch', 'load', 'copy'], folder);
    expect([code, existsSync(join(folder, 'copy'))]).toEqual([1, false]);
    expect(stderr).toMatch(/an older list was put back/);
  });

  it('requests no path that the live statement makes up in place of the hash of a list', async () => {
    published();
    const file = (path: string) => readTreeFile(join(folder, 'dist', path));
    const requested: string[] = [];
    const liveWith = (hash: string) => {
      const [header] = file('publication.jwt').toString().split('.');
      const claims = { ...claimsOf(file('publication.jwt')), sha256: hash };
      const publication = `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.AA`;
      return listen((request, response) => {
        const path = String(request.url).slice(1).replace(/\?.*/, '');
        requested.push(path);
        if (path === 'statements.json')
          response.end(JSON.stringify({ ...JSON.parse(file(path).toString()), publication }));
        else if (existsSync(join(folder, 'dist', path))) response.end(file(path));
        else response.writeHead(404).end();
      });
    };
    const load = async (hash: string) => {
      await cli(['branch', 'load', 'copy', '--base-url', await liveWith(hash)], folder);
      rmSync(join(folder, 'copy'), { recursive: true, force: true });
    };
    const others = () => requested.splice(0).filter((path) => path.startsWith('lists/'));
    for (const hash of [
      '../secret',
      'a?b=',
      `../${'a'.repeat(64)}`,
      'A'.repeat(64),
      'a'.repeat(63),
      'a'.repeat(65),
      '',
    ]) {
      await load(hash);
      expect([hash, others()]).toEqual([hash, []]);
    }
    const hash = 'a'.repeat(64);
    await load(hash);
    expect(others()).toContain(`lists/${hash}.json`);
  });

  it('refuses a branch that was put back to an older publication, with the same list', async () => {
    const publish = async (name: string) => {
      await cli(['keys', 'generate', '--no-passphrase', '--private', `${name}.pem`], folder);
      const keys = ['--key', 'key.pem', ...withKeys({ checkpoint: `${name}.pem` })];
      const built = await cli(['build', ...keys], folder, clockAhead(1));
      expect([built.code, built.stderr]).toEqual([0, expect.any(String)]);
      const saved = await cli(['branch', 'save'], folder);
      expect([saved.code, saved.stderr]).toEqual([0, expect.any(String)]);
    };
    await publish('first');
    const before = git(origin, 'rev-parse', 'published');
    await publish('second');
    const live = await serve(join(folder, 'dist'));
    const old = git(origin, 'commit-tree', `${before}^{tree}`, '-p', 'published', '-m', 'old');
    git(origin, 'update-ref', 'refs/heads/published', old);
    const { code, stderr } = await cli(['branch', 'load', 'old', '--base-url', live], folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining('ERR_PUBLICATION_ROLLED_BACK')]);
  });

  it('refuses a branch without a valid tree, and says so if it was not compared with the host', async () => {
    published();
    const away = await cli(['branch', 'load', 'new', '--base-url', 'http://127.0.0.1:1'], folder);
    expect([away.code, away.stderr]).toEqual([0, expect.stringContaining('was not compared with the live')]);
    expect((await cli(['branch', 'load', 'x', '--base-url', 'nonsense'], folder)).code).toBe(2);
    const empty = git(
      origin,
      'commit-tree',
      '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
      '-p',
      'published',
      '-m',
      'empty',
    );
    git(origin, 'update-ref', 'refs/heads/published', empty);
    const { code, stderr } = await cli(['branch', 'load', 'y'], folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining('has no tree with a root key')]);
  });

  it('fails if the remote repository cannot be read: that is not the first publication', async () => {
    git(folder, 'remote', 'set-url', 'origin', join(folder, 'nowhere'));
    expect((await cli(['branch', 'load'], folder)).code).toBe(4);
    expect((await cli(['branch', 'load', '--remote', 'other'], folder)).code).toBe(4);
    expect(existsSync(join(folder, 'dist'))).toBe(false);
  });

  it('loads into an empty folder, and never into one with files', async () => {
    published();
    mkdirSync(join(folder, 'empty'));
    expect((await cli(['branch', 'load', 'empty'], folder)).code).toBe(0);
    const { code, stderr } = await cli(['branch', 'load', 'issuers'], folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining('issuers has files in it')]);
    expect(readdirSync(join(folder, 'issuers'))).toEqual(['alpha.yaml']);
  });

  it('replaces an older tree if asked, and none that is newer than the branch, or is no tree', async () => {
    published();
    cpSync(join(folder, 'dist'), join(folder, 'older'), { recursive: true });
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    await build();
    const newer = bytesOf(join(folder, 'dist'));
    const load = (where: string) => cli(['branch', 'load', where, '--replace'], folder);
    const kept = await load('dist');
    expect([kept.code, kept.stderr]).toEqual([1, expect.stringContaining('dist was not replaced')]);
    expect(bytesOf(join(folder, 'dist'))).toEqual(newer);
    expect((await cli(['branch', 'save'], folder)).code).toBe(0);
    for (const where of ['older', 'dist', 'new']) {
      expect(await load(where)).toMatchObject({ code: 0 });
      expect(bytesOf(join(folder, where))).toEqual(newer);
    }
    expect((await load('issuers')).code).toBe(2);
    // What a build would not replace either: a clone, and a folder with the records.
    const clone = join(folder, 'clone');
    git(folder, 'clone', '-q', `file://${origin}`, '-b', 'published', clone);
    expect((await load('clone')).stderr).toContain('is a git repository');
    expect(existsSync(join(clone, '.git'))).toBe(true);
    expect(readdirSync(join(folder, 'issuers'))).toEqual(['alpha.yaml', 'beta.yaml']);
    git(origin, 'update-ref', '-d', 'refs/heads/published');
    expect((await load('dist')).code).toBe(0);
    expect(bytesOf(join(folder, 'dist'))).toEqual(newer);
  });

  it.each([
    ['a link', 'ln -s /etc/hostname link && git add link'],
    ['a submodule', 'git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub'],
  ])('loads no branch with %s', async (_name, command) => {
    published();
    const other = temporaryFolder();
    git(other, 'clone', '-q', `file://${origin}`, '-b', 'published', '.');
    execFileSync('sh', ['-ec', command], { cwd: other });
    git(other, 'commit', '-qm', 'Odd');
    git(other, 'push', '-q');
    const { code, stderr } = await cli(['branch', 'load', 'new'], folder);
    expect([code, stderr]).toEqual([4, expect.stringContaining('the branch published is not a tree')]);
    expect(existsSync(join(folder, 'new'))).toBe(false);
  });

  it('saves no folder without a tree, and no link', async () => {
    expect((await cli(['branch', 'save', 'issuers'], folder)).stderr).toContain(
      'there is no tree in issuers',
    );
    await build();
    symlinkSync('issuers.json', join(folder, 'dist/link'));
    expect((await cli(['branch', 'save'], folder)).stderr).toContain('link in dist cannot be part of a tree');
    expect(git(origin, 'branch')).toBe('');
  });

  it.each([
    ['--branch', 'a b'],
    ['--branch', 'a..b'],
    ['--branch', ''],
    ['--remote', '--upload-pack=touch pwned'],
    ['--remote', ''],
  ])('refuses %s %j, which git would take for something else', async (option, value) => {
    built();
    for (const command of ['load', 'save']) {
      const args = ['branch', command, ...(command === 'load' ? ['new'] : []), `${option}=${value}`];
      expect((await cli(args, folder)).code).toBe(2);
    }
    expect(existsSync(join(folder, 'pwned'))).toBe(false);
  });

  it('is not confused by the variables of a hook, or by the index of the user', async () => {
    built();
    const elsewhere = temporaryFolder();
    git(elsewhere, 'init', '-q');
    writeFiles(folder, { staged: 'by the user' });
    git(folder, 'add', 'staged');
    const hook = { GIT_DIR: join(elsewhere, '.git'), GIT_INDEX_FILE: join(elsewhere, 'index') };
    expect((await cli(['branch', 'save'], folder, hook)).code).toBe(0);
    expect(git(folder, 'diff', '--cached', '--name-only')).toBe('staged');
    expect(git(origin, 'ls-tree', '--name-only', 'published')).toContain('issuers.json');
  });

  it('needs a git repository', async () => {
    const { code, stderr } = await cli(['branch', 'load'], temporaryFolder());
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not in a git repository')]);
  });

  it('publishes nothing if the remote repository refuses', async () => {
    built();
    writeFiles(origin, { 'hooks/pre-receive': '#!/bin/sh\necho closed >&2\nexit 1\n' });
    chmodSync(join(origin, 'hooks/pre-receive'), 0o755);
    const { code, stderr } = await cli(['branch', 'save'], folder);
    expect([code, stderr.includes('closed'), git(origin, 'branch')]).toEqual([4, true, '']);
  });
});
