import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { recordsOfRevisions } from '../../../build/generator/review/record-set.js';
import { expectCommandError } from '../../support/expect-command-error.js';
import { diff, repository, STOLEN } from '../../support/review-repository.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

describe('names in a pull request', () => {
  const CONTROLS = ['b\n.yaml', 'b.yaml\n', 'd\n/b.yaml', '\tb.yaml', 'b\r.yaml', 'b\u009b.yaml'];
  const REFUSED = [...CONTROLS, 'b\u202e.yaml', 'b\u2028.yaml'];
  /** A line feed would shift the answers of git: what it says of the old record would then be said of the new one. */
  const SHIFTING = 'x.txt\nHEAD:docs/x.yaml';
  const STEMS = ['-b', '--output=b', '"b"', "b'$(id)", 'b c', ':(top)b', 'HEAD', 'é'];
  const FILE_NAMES = [...REFUSED, SHIFTING, 'b\ufffd.yaml'].map((name) => `issuers/${name} file-name`);
  const BAD_IDS = STEMS.map((stem) => `issuers/${stem}.yaml bad-id`);

  let folder: string;
  beforeAll(() => {
    const { commit, ...made } = repository({ 'docs/x.yaml': recordText('x', { status: 'revoked' }) });
    folder = made.folder;
    const record = (stem: string) => recordText('b', { issuer_id: JSON.stringify(stem) });
    writeFiles(folder, {
      ...Object.fromEntries(REFUSED.map((name) => [`issuers/${name}`, recordText('b')])),
      ...Object.fromEntries(STEMS.map((stem) => [`issuers/${stem}.yaml`, record(stem)])),
      [`issuers/${SHIFTING}`]: 'x',
      'issuers/x.yaml': STOLEN,
      // Hidden files are nobody's records, whatever they hold.
      'issuers/.b\n.yaml': 'x',
      'issuers/.git-x/c.yaml': 'x',
    });
    // A name that is not UTF-8.
    writeFileSync(Buffer.from(join(folder, 'issuers/b\xff.yaml'), 'latin1'), recordText('b'));
    commit();
  });

  it.each(['HEAD^..HEAD', 'HEAD^'])(
    'shift no answer of git, and are neither options, commands nor revisions: diff %s',
    async (range) => {
      const { code, rules } = await diff(folder, [range]);
      const changed = ['issuers/x.yaml revoked-is-final', 'issuers/x.yaml keys-moved'];
      expect(rules.sort()).toEqual([...FILE_NAMES, ...BAD_IDS, ...changed].sort());
      expect(code).toBe(1);
    },
  );

  it('are refused in a folder, too', async () => {
    const { code, stdout } = await cli(['check', '--json'], folder);
    const said: Record<string, string>[] = JSON.parse(stdout).diagnostics;
    expect(said.map(({ file, rule }) => `${file} ${rule}`).sort()).toEqual(
      [...FILE_NAMES, ...BAD_IDS].sort(),
    );
    expect(code).toBe(1);
    for (const { line, rule, remedy } of said)
      if (rule === 'file-name') expect([line, remedy]).toEqual([1, 'rename the file']);
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
    const variables = {
      ...{ GIT_DIR: join(other.folder, '.git'), GIT_WORK_TREE: other.folder },
      ...{ GIT_EXTERNAL_DIFF: 'echo', GIT_DIFF_OPTS: '--unified=9', GIT_TRACE: '1' },
      ...{ GIT_INDEX_FILE: '/nowhere', GIT_OBJECT_DIRECTORY: '/nowhere', GIT_NAMESPACE: 'x' },
      ...{ GIT_LITERAL_PATHSPECS: '1', GIT_GLOB_PATHSPECS: '1', GIT_CEILING_DIRECTORIES: folder },
      ...{ GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'color.ui', GIT_CONFIG_VALUE_0: 'always' },
    };
    for (const environment of [{}, variables]) {
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
  let base: ReturnType<typeof repository>;
  beforeAll(() => {
    base = repository();
  });

  it.each(['--output=x', '-p', '--all', 'HEAD --', 'HEAD\n', '--end-of-options'])(
    'such as %j are commits or nothing',
    (revision) => {
      const { folder, git } = base;
      for (const range of [`${revision}..HEAD`, `HEAD..${revision}`, `${revision}...HEAD`])
        expect(() => recordsOfRevisions(range, join(folder, 'issuers'), process.env)).toThrow(
          expect.objectContaining({ code: 'ERR_USAGE' }),
        );
      expect(git('status', '--porcelain')).toBe('');
    },
  );

  it('may be left out on either side, for HEAD', async () => {
    for (const range of ['..HEAD', 'HEAD..', '...HEAD'])
      expect(await diff(base.folder, [range])).toEqual({ code: 0, rules: [], changes: [] });
  });

  it('need a repository around the records', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/a.yaml': recordText('a') });
    expectCommandError(await cli(['diff', 'HEAD', '--json'], folder), 'ERR_USAGE', 'git repository');
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
