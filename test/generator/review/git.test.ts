import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import { git as gitIn } from '../../support/git.js';
import { copyOf } from '../../support/made-once.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

/** The repository without any more files, which is made once. */
let base: string | undefined;

/** A repository with a base whose record `x` is revoked, and a checkout that a pull request may change. */
function repository(more: Record<string, string> = {}) {
  const folder = temporaryFolder();
  const git = (...args: string[]) => gitIn(folder, ...args);
  const commit = (message = 'Change') => {
    git('add', '-A', '-f');
    git('commit', '-qm', message);
  };
  if (base === undefined) {
    git('init', '-q', '-b', 'main', '--template=');
    writeFiles(folder, {
      'issuers/a.yaml': recordText('a'),
      'issuers/x.yaml': recordText('x', { status: 'revoked' }),
    });
    commit('Base');
    base = copyOf(folder);
  } else {
    cpSync(base, folder, { recursive: true });
  }
  if (Object.keys(more).length > 0) {
    writeFiles(folder, more);
    git('add', '-A', '-f');
    git('commit', '-q', '--amend', '-m', 'Base');
  }
  return { folder, git, commit };
}

const STOLEN = recordText('x', { jwks_uri: 'https://mallory.example/jwks' });

/** What `diff` says of a change, as exit code and `file rule` lines. */
async function diff(folder: string, args = ['HEAD^..HEAD'], environment: Record<string, string> = {}) {
  const { code, stdout } = await cli(['diff', ...args, '--json'], folder, environment);
  const { diagnostics = [], changes = [] } = JSON.parse(stdout);
  return {
    code,
    rules: diagnostics.map(({ file, rule }: Record<string, string>) => `${file} ${rule}`),
    changes: changes.map(({ issuer_id, kind }: Record<string, string>) => `${issuer_id} ${kind}`),
  };
}

async function log(folder: string, args: string[] = [], environment: Record<string, string> = {}) {
  const { stdout } = await cli(['history', ...args, '--json'], folder, environment);
  return JSON.parse(stdout).map(
    ({ issuer, field, from, to }: Record<string, string>) => `${issuer} ${field} ${from} ${to}`,
  );
}

describeWith(['git'], 'names in a pull request', () => {
  it('with a line feed shift no answer of git: a revoked issuer that returns is reported', async () => {
    const { folder, commit } = repository({ 'docs/x.yaml': recordText('x', { status: 'revoked' }) });
    writeFiles(folder, {
      'issuers/x.txt\nHEAD:docs/x.yaml': 'x',
      'issuers/x.yaml': STOLEN,
    });
    commit();
    for (const args of [['HEAD^..HEAD'], ['HEAD^']]) {
      const { code, rules } = await diff(folder, args);
      expect(rules).toContain('issuers/x.yaml revoked-is-final');
      expect(rules).toContain('issuers/x.txt\nHEAD:docs/x.yaml file-name');
      expect(code).toBe(1);
    }
    expect((await cli(['check'], folder)).code).toBe(1);
  });

  it('with a control character or a change of direction are refused, in a folder and between commits', async () => {
    const names = ['b\n.yaml', 'b.yaml\n', 'd\n/b.yaml', '\tb.yaml', 'b\r.yaml'];
    names.push('b\u009b.yaml', 'b\u202e.yaml', 'b\u2028.yaml');
    const { folder, commit } = repository();
    writeFiles(folder, Object.fromEntries(names.map((name) => [`issuers/${name}`, recordText('b')])));
    commit();
    const expected = names.map((name) => `issuers/${name} file-name`);
    for (const args of [['HEAD^..HEAD'], ['HEAD^']])
      expect((await diff(folder, args)).rules).toEqual(expect.arrayContaining(expected));
    const { code, stdout } = await cli(['check', '--json'], folder);
    expect(code).toBe(1);
    const said: Record<string, string>[] = JSON.parse(stdout).diagnostics;
    expect(said.map(({ file, rule }) => `${file} ${rule}`).sort()).toEqual(expected.sort());
    for (const { line, remedy } of said) expect([line, remedy]).toEqual([1, 'rename the file']);
    expect(await log(folder)).toHaveLength(4);
  });

  it('that are not UTF-8 are refused', async () => {
    const { folder, commit } = repository();
    writeFileSync(
      Buffer.concat([Buffer.from(join(folder, 'issuers/b')), Buffer.from([0xff]), Buffer.from('.yaml')]),
      recordText('b'),
    );
    commit();
    for (const args of [['HEAD^..HEAD'], ['HEAD^']])
      expect(await diff(folder, args)).toMatchObject({ code: 1, rules: ['issuers/b\ufffd.yaml file-name'] });
    const { code, stdout } = await cli(['check', '--json'], folder);
    expect([code, JSON.parse(stdout).diagnostics[0].rule]).toEqual([1, 'file-name']);
    expect(await log(folder)).toHaveLength(4);
  });

  it('that look like options, commands or revisions are names and nothing else', async () => {
    const stems = ['-b', '--output=b', '"b"', "b'$(id)", 'b c', ':(top)b', 'HEAD', 'é'];
    const record = (stem: string) => recordText('b', { issuer_id: JSON.stringify(stem) });
    const { folder, commit } = repository();
    writeFiles(folder, Object.fromEntries(stems.map((stem) => [`issuers/${stem}.yaml`, record(stem)])));
    writeFiles(folder, { 'issuers/x.yaml': STOLEN });
    commit();
    const expected = stems.map((stem) => `issuers/${stem}.yaml bad-id`);
    for (const args of [['HEAD^..HEAD'], ['HEAD^']]) {
      const { code, rules } = await diff(folder, args);
      expect(code).toBe(1);
      expect(rules).toEqual(expect.arrayContaining(['issuers/x.yaml revoked-is-final', ...expected]));
    }
    const added = stems.map((stem) => `${stem} status undefined active`);
    expect(await log(folder)).toEqual(expect.arrayContaining(added));
  });

  it('that hide are nobody’s records, whatever they hold', async () => {
    const { folder, commit } = repository();
    writeFiles(folder, { 'issuers/.b\n.yaml': 'x', 'issuers/.git-x/c.yaml': 'x' });
    commit();
    expect(await diff(folder)).toEqual({ code: 0, rules: [], changes: [] });
    expect((await cli(['check'], folder)).code).toBe(0);
  });
});

describeWith(['git'], 'what a pull request puts among the records', () => {
  it.each([
    '* -diff\n',
    '* diff=shout\n',
    '* binary\n',
    '* eol=crlf\n',
    '* export-ignore export-subst\n',
    '*.yaml working-tree-encoding=UTF-16LE\n',
    '* filter=shout ident\n',
    '* -text merge=binary\n',
  ])('such as attributes %j changes nothing that is read, and is refused', async (attributes) => {
    const { folder, git, commit } = repository();
    git('config', 'diff.shout.textconv', 'echo status: revoked #');
    git('config', 'diff.shout.command', 'echo');
    git('config', 'filter.shout.clean', 'cat');
    git('config', 'filter.shout.smudge', 'echo status: revoked');
    writeFiles(folder, { 'issuers/x.yaml': STOLEN });
    commit('Return');
    writeFiles(folder, { 'issuers/.gitattributes': attributes });
    git('add', 'issuers/.gitattributes');
    git('commit', '-qm', 'Attributes');
    const { code, rules } = await diff(folder, ['HEAD^^..HEAD']);
    const refused = 'issuers/.gitattributes file-name';
    expect([code, rules]).toEqual([
      1,
      [refused, 'issuers/x.yaml revoked-is-final', 'issuers/x.yaml keys-moved'],
    ]);
    // A build reads what git has checked out, so none begins while the file is there.
    expect((await cli(['check'], folder)).stderr).toContain('.gitattributes makes git change records');
    expect(await log(folder, ['x'])).toEqual([
      'x status revoked active',
      'x tier undefined certified',
      'x status undefined revoked',
    ]);
  });

  it.each(['.gitattributes', 'registry/.gitattributes', '.GitAttributes'])(
    '%s above the records is an error if it is added, changed or removed, and none if it stays',
    async (path) => {
      const { folder, git, commit } = repository({ 'registry/issuers/a.yaml': recordText('a') });
      const args = ['--issuers', 'registry/issuers', 'HEAD^..HEAD'];
      const changed = { code: 1, rules: [`${path} file-name`], changes: [] };
      writeFiles(folder, { [path]: '*.yaml working-tree-encoding=CN//TRANSLIT\n' });
      commit('Add');
      expect(await diff(folder, args)).toEqual(changed);
      git('commit', '-q', '--allow-empty', '-m', 'Nothing');
      expect(await diff(folder, args)).toEqual({ code: 0, rules: [], changes: [] });
      rmSync(join(folder, path));
      symlinkSync('elsewhere', join(folder, path));
      commit('Link');
      expect(await diff(folder, args)).toEqual(changed);
      rmSync(join(folder, path));
      commit('Remove');
      expect(await diff(folder, args)).toEqual(changed);
    },
  );

  it.each(['docs/.gitattributes', 'registry/issuers2/.gitattributes', 'x.gitattributes'])(
    '%s does not apply to the records',
    async (path) => {
      const { folder, commit } = repository({ 'registry/issuers/a.yaml': recordText('a') });
      writeFiles(folder, { [path]: '*.yaml ident\n' });
      commit();
      const args = ['--issuers', 'registry/issuers', 'HEAD^..HEAD'];
      expect(await diff(folder, args)).toEqual({ code: 0, rules: [], changes: [] });
    },
  );

  it('as a link to a folder is refused, and a record that cannot be read is not gone', async () => {
    const { folder, commit } = repository();
    symlinkSync('/etc', join(folder, 'issuers/etc'));
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { tier: 'x' }) });
    commit();
    const { code, rules, changes } = await diff(folder);
    expect(code).toBe(1);
    expect(rules).toContain('issuers/etc file-kind');
    expect(changes).toEqual([]);
  });

  it('as a link, a submodule or something huge is refused', async () => {
    const { folder, git, commit } = repository({ 'issuers/data.txt': recordText('l') });
    symlinkSync('data.txt', join(folder, 'issuers/l.yaml'));
    writeFiles(folder, { 'issuers/huge.yaml': `${recordText('huge')}#${'x'.repeat(64 * 1024)}\n` });
    commit();
    git('update-index', '--add', '--cacheinfo', `160000,${git('rev-parse', 'HEAD').trim()},issuers/sub`);
    git('commit', '-qm', 'Submodule');
    const refused = ['issuers/huge.yaml file-too-large', 'issuers/l.yaml file-kind', 'issuers/sub file-kind'];
    expect(await diff(folder, ['HEAD^^..HEAD'])).toMatchObject({ code: 1, rules: refused });
    expect(await diff(folder, ['HEAD^^'])).toMatchObject({ code: 1, rules: refused.slice(0, 2) });
    // What a link leads to can change without the link: it does not get old.
    expect((await diff(folder, ['HEAD^..HEAD'])).rules).toContain('issuers/l.yaml file-kind');
    expect(await log(folder)).toHaveLength(4);
  });

  it('as the folder itself, by a link, is refused', async () => {
    const { folder, commit } = repository({ 'docs/x.yaml': recordText('x', { status: 'revoked' }) });
    renameSync(join(folder, 'issuers'), join(folder, 'old'));
    mkdirSync(join(folder, 'new'));
    writeFiles(folder, { 'new/x.yaml': STOLEN });
    symlinkSync('new', join(folder, 'issuers'));
    commit();
    for (const args of [['HEAD^..HEAD'], ['HEAD^']]) {
      const { code, stderr } = await cli(['diff', ...args], folder);
      expect(stderr).toContain('symbolic link');
      expect(code).toBe(2);
    }
    // Whatever reads the folder itself refuses the link as well.
    for (const args of [['check'], ['check', '--fix'], ['build'], ['suspend', 'x', '--reason', 'y']]) {
      const { code, stderr } = await cli(args, folder);
      expect([args, code, stderr.includes('is a symbolic link')]).toEqual([args, 2, true]);
    }
    rmSync(join(folder, 'issuers'));
    renameSync(join(folder, 'old'), join(folder, 'issuers'));
    const { code, stderr } = await cli(['diff', 'HEAD^..HEAD'], folder);
    expect([code, stderr.includes('is not a folder in')]).toEqual([2, true]);
  });

  it('as a repository of its own is asked nothing', async () => {
    const { folder, git, commit } = repository();
    const planted = temporaryFolder();
    const bare = join(planted, 'bare');
    execFileSync('git', ['clone', '-q', '--bare', folder, bare]);
    for (const path of ['HEAD', 'objects', 'refs', 'packed-refs'])
      renameSync(join(bare, path), join(folder, 'issuers', path));
    writeFiles(folder, {
      'issuers/refs/keep': '',
      'issuers/config': '[core]\n\trepositoryformatversion = 0\n\tbare = true\n',
      'issuers/x.yaml': STOLEN,
    });
    commit();
    expect(git('log', '--format=%s').trim().split('\n')).toHaveLength(2);
    expect((await diff(folder)).rules).toContain('issuers/x.yaml revoked-is-final');
    expect(await log(folder, ['x'])).toContain('x status revoked active');
  });

  it('twice, once under another folder, is a duplicate and no new issuer', async () => {
    const { folder, commit } = repository();
    writeFiles(folder, { 'issuers/eu/x.yaml': STOLEN });
    commit();
    const { code, rules } = await diff(folder);
    expect(code).toBe(1);
    expect(rules.some((one: string) => one.endsWith(' duplicate-id'))).toBe(true);
  });
});

describeWith(['git'], 'the settings of a user', () => {
  it('and of the environment change nothing that is read', async () => {
    const { folder, git, commit } = repository();
    writeFiles(folder, { 'issuers/x.yaml': STOLEN });
    commit('Return');
    const settings = Object.entries({
      'diff.noprefix': 'true',
      'diff.mnemonicPrefix': 'true',
      'diff.srcPrefix': 'x/',
      'diff.renames': 'copies',
      'diff.external': 'echo',
      'diff.relative': 'true',
      'diff.ignoreSubmodules': 'all',
      'core.quotePath': 'false',
      'core.fsmonitor': `touch ${join(folder, 'fsmonitor-ran')}; false`,
      'core.attributesFile': join(folder, 'attributes'),
      'core.pager': 'cat >&2',
      'log.showSignature': 'true',
      'log.follow': 'true',
      'log.mailmap': 'true',
      'log.date': 'raw',
      'color.ui': 'always',
      'color.diff': 'always',
      'format.pretty': 'oneline',
    });
    // As `git config` writes them, in one go.
    const section = ([name, value]: [string, string]) =>
      `[${name.split('.')[0]}]\n\t${name.split('.')[1]} = ${JSON.stringify(value)}\n`;
    appendFileSync(join(folder, '.git/config'), settings.map(section).join(''));
    expect(git('config', '--list').split('\n')).toContain('core.pager=cat >&2');
    writeFiles(folder, { attributes: '* -diff\n' });
    const other = repository();
    const environments: Record<string, string>[] = [
      {},
      { GIT_DIR: join(other.folder, '.git'), GIT_WORK_TREE: other.folder },
      { GIT_EXTERNAL_DIFF: 'echo', GIT_DIFF_OPTS: '--unified=9', GIT_TRACE: '1' },
      { GIT_INDEX_FILE: '/nowhere', GIT_OBJECT_DIRECTORY: '/nowhere', GIT_NAMESPACE: 'x' },
      { GIT_LITERAL_PATHSPECS: '1', GIT_GLOB_PATHSPECS: '1', GIT_CEILING_DIRECTORIES: folder },
      { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'color.ui', GIT_CONFIG_VALUE_0: 'always' },
    ];
    for (const environment of environments) {
      for (const args of [['HEAD^..HEAD'], ['HEAD^']])
        expect(await diff(folder, args, environment)).toEqual({
          code: 1,
          rules: ['issuers/x.yaml revoked-is-final', 'issuers/x.yaml keys-moved'],
          changes: ['x changed'],
        });
      expect(await log(folder, ['x'], environment)).toEqual([
        'x status revoked active',
        'x tier undefined certified',
        'x status undefined revoked',
      ]);
    }
    expect(existsSync(join(folder, 'fsmonitor-ran'))).toBe(false);
  });
});

describeWith(['git'], 'passport-registry log', () => {
  it('takes no text of a record, a message or an author for anything else', async () => {
    const { folder, git } = repository();
    writeFiles(folder, {
      'issuers/a.yaml': `${recordText('a')}# x\n# diff --git a/issuers/z.yaml b/issuers/z.yaml\n# +status: revoked\n`,
      'issuers/b.yaml': `${recordText('b')}passport_types:\n  - status\n# \u0001x\u0001y\u0001z\u0001w\n`,
      'issuers/q.yaml': recordText('q', { status: '"suspended" # active', tier: 'null' }),
    });
    git('add', '-A');
    git(
      '-c',
      'user.name=\u0001Eve\u0001',
      'commit',
      '-qm',
      'Status\u0001x\n\n\u0001abc\u00012026\u0001n\u0001s\ndiff --git a/y.yaml b/y.yaml\n+status: active',
    );
    expect(await log(folder)).toEqual([
      'b tier undefined certified',
      'b status undefined active',
      'q status undefined suspended',
      'a tier undefined certified',
      'a status undefined active',
      'x tier undefined certified',
      'x status undefined revoked',
    ]);
  });

  it('tells of a move to another folder only what changed, and of a removal', async () => {
    const { folder, commit } = repository();
    mkdirSync(join(folder, 'issuers/eu'));
    rmSync(join(folder, 'issuers/a.yaml'));
    writeFiles(folder, { 'issuers/eu/a.yml': recordText('a', { status: 'suspended' }) });
    commit();
    rmSync(join(folder, 'issuers/eu/a.yml'));
    commit();
    expect((await log(folder, ['a'])).slice(0, 3)).toEqual([
      'a tier certified undefined',
      'a status suspended undefined',
      'a status active suspended',
    ]);
  });

  it('tells what a merge itself has changed', async () => {
    const { folder, git, commit } = repository();
    git('checkout', '-qb', 'side');
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { tier: 'registered' }) });
    commit('Side');
    git('checkout', '-q', 'main');
    writeFiles(folder, { 'issuers/a.yaml': `${recordText('a')}contact: a@a.example\n` });
    commit('Main');
    git('merge', '-q', '--no-commit', '-s', 'ours', 'side');
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { tier: 'registered', status: 'suspended' }) });
    commit('Merge');
    expect(await log(folder, ['a'])).toEqual([
      'a status active suspended',
      'a tier certified registered',
      'a tier undefined certified',
      'a status undefined active',
    ]);
  });

  it('says when nobody of that name has a history', async () => {
    const { folder, git } = repository({ 'issuers/aurora-bank.yaml': recordText('aurora-bank') });
    expect(git('status', '--porcelain')).toBe('');
    const { code, stderr } = await cli(['history', 'aurora-bnak'], folder);
    expect([code, stderr.includes('did you mean `aurora-bank`?')]).toEqual([2, true]);
  });
});

describeWith(['git'], 'revisions', () => {
  it.each(['--output=x', '-p', '--all', 'HEAD --', '', 'HEAD\n', '--end-of-options'])(
    'such as %j are commits or nothing',
    async (revision) => {
      const { folder, git } = repository();
      for (const range of [`${revision}..HEAD`, `HEAD..${revision}`, `${revision}...HEAD`]) {
        const { code, stderr } = await cli(['diff', '--', range], folder);
        if (revision === '') expect(code).toBe(0);
        else expect([code, stderr.startsWith('passport-registry: ')]).toEqual([2, true]);
      }
      expect(git('status', '--porcelain')).toBe('');
    },
  );

  it('need a repository around the records', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/a.yaml': recordText('a') });
    const { code, stderr } = await cli(['diff', 'HEAD'], folder);
    expect([code, stderr.includes('git')]).toEqual([2, true]);
    expect((await cli(['history'], folder)).code).toBe(4);
  });

  it('work in a worktree, in a folder of a folder, and in the top folder', async () => {
    const { folder, git, commit } = repository();
    writeFiles(folder, { 'deep/er/x.yaml': recordText('x', { status: 'revoked' }) });
    commit();
    writeFiles(folder, { 'deep/er/x.yaml': STOLEN });
    commit();
    const worktree = join(temporaryFolder(), 'worktree');
    git('worktree', 'add', '-q', '--detach', worktree, 'HEAD');
    for (const where of [folder, worktree])
      expect((await diff(where, ['HEAD^..HEAD', '--issuers', 'deep/er'])).rules).toEqual([
        'deep/er/x.yaml revoked-is-final',
        'deep/er/x.yaml keys-moved',
      ]);
    const top = await diff(join(folder, 'deep'), ['HEAD^..HEAD', '--issuers', '.']);
    expect(top.rules).toEqual(['er/x.yaml revoked-is-final', 'er/x.yaml keys-moved']);
    expect((await diff(folder, ['HEAD^..HEAD', '--issuers', '.'])).code).toBe(1);
  });
});
