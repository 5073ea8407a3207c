import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { diff, repository, STOLEN } from '../../support/review-repository.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

describe('what a pull request puts among the records', () => {
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
    expect((await cli(['check'], folder)).stdout).toContain('.gitattributes makes git change records');
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
