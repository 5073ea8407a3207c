import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diff, repository, STOLEN } from '../../support/review-repository.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

describe('names in a pull request', () => {
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
  });

  it('that hide are nobody’s records, whatever they hold', async () => {
    const { folder, commit } = repository();
    writeFiles(folder, { 'issuers/.b\n.yaml': 'x', 'issuers/.git-x/c.yaml': 'x' });
    commit();
    expect(await diff(folder)).toEqual({ code: 0, rules: [], changes: [] });
    expect((await cli(['check'], folder)).code).toBe(0);
  });
});

describe('the settings of a user', () => {
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
    }
    expect(existsSync(join(folder, 'fsmonitor-ran'))).toBe(false);
  });
});

describe('revisions', () => {
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
