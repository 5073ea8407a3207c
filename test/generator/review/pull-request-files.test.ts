import { execFileSync } from 'node:child_process';
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { expectCommandError } from '../../support/expect-command-error.js';
import { diff, repository, STOLEN } from '../../support/review-repository.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

describe('what a pull request puts among the records', () => {
  it('such as attributes of any kind changes nothing that is read, and is refused', async () => {
    const ATTRIBUTES = [
      '* -diff',
      '* diff=shout',
      '* binary',
      '* eol=crlf',
      '* export-ignore export-subst',
      '*.yaml working-tree-encoding=UTF-16LE',
      '* filter=shout ident',
      '* -text merge=binary',
    ];
    const places = ATTRIBUTES.map((attributes, at) => ({ attributes, id: `x${at}`, place: `issuers/${at}` }));
    const records = (fields: Record<string, string>) =>
      Object.fromEntries(places.map(({ id, place }) => [`${place}/${id}.yaml`, recordText(id, fields)]));
    const { folder, git, commit } = repository(records({ status: 'revoked' }));
    const settings = `[diff "shout"]
	textconv = "echo status: revoked #"
	command = echo
[filter "shout"]
	clean = cat
	smudge = echo status: revoked
`;
    appendFileSync(join(folder, '.git/config'), settings);
    writeFiles(folder, records({ jwks_uri: 'https://mallory.example/jwks' }));
    commit('Return');
    // The records are not added again: a filter would change them.
    for (const { attributes, place } of places)
      writeFiles(folder, { [`${place}/.gitattributes`]: `${attributes}\n` });
    git('add', 'issuers/*/.gitattributes');
    git('commit', '-qm', 'Attributes');
    const refused = places.map(({ place }) => `${place}/.gitattributes file-name`);
    const returned = places.flatMap(({ id, place }) =>
      ['revoked-is-final', 'keys-moved'].map((rule) => `${place}/${id}.yaml ${rule}`),
    );
    const { code, rules } = await diff(folder, ['HEAD^^..HEAD']);
    expect([code, rules.sort()]).toEqual([1, [...refused, ...returned].sort()]);
    // A build reads what git has checked out, so none begins while the file is there.
    const { diagnostics } = JSON.parse((await cli(['check', '--json'], folder)).stdout);
    expect(diagnostics.map(({ file, rule }: Record<string, string>) => `${file} ${rule}`)).toEqual(refused);
  });

  it('above the records is an error if it is attributes that are added, changed or removed, and none if they stay', async () => {
    const PATHS = ['.GitAttributes', '.gitattributes', 'registry/.gitattributes'];
    const { folder, git, commit } = repository({ 'registry/issuers/a.yaml': recordText('a') });
    const args = ['--issuers', 'registry/issuers', 'HEAD^..HEAD'];
    const changed = { code: 1, rules: PATHS.map((path) => `${path} file-name`), changes: [] };
    for (const path of PATHS) writeFiles(folder, { [path]: '*.yaml working-tree-encoding=CN//TRANSLIT\n' });
    commit('Add');
    expect(await diff(folder, args)).toEqual(changed);
    git('commit', '-q', '--allow-empty', '-m', 'Nothing');
    expect(await diff(folder, args)).toEqual({ code: 0, rules: [], changes: [] });
    for (const path of PATHS) {
      rmSync(join(folder, path));
      symlinkSync('elsewhere', join(folder, path));
    }
    commit('Link');
    expect(await diff(folder, args)).toEqual(changed);
    for (const path of PATHS) rmSync(join(folder, path));
    commit('Remove');
    expect(await diff(folder, args)).toEqual(changed);
  });

  it('as attributes that do not apply to the records is nobody’s business', async () => {
    const { folder, commit } = repository({ 'registry/issuers/a.yaml': recordText('a') });
    for (const path of ['docs/.gitattributes', 'registry/issuers2/.gitattributes', 'x.gitattributes'])
      writeFiles(folder, { [path]: '*.yaml ident\n' });
    commit();
    const args = ['--issuers', 'registry/issuers', 'HEAD^..HEAD'];
    expect(await diff(folder, args)).toEqual({ code: 0, rules: [], changes: [] });
  });

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
    for (const range of ['HEAD^..HEAD', 'HEAD^'])
      expectCommandError(await cli(['diff', range, '--json'], folder), 'ERR_USAGE', 'symbolic link');
    // Whatever reads the folder itself refuses the link as well.
    for (const args of [['check'], ['check', '--fix'], ['build'], ['suspend', 'x', '--reason', 'y']])
      expectCommandError(await cli([...args, '--json'], folder), 'ERR_USAGE', 'issuers is a symbolic link');
    rmSync(join(folder, 'issuers'));
    renameSync(join(folder, 'old'), join(folder, 'issuers'));
    const inCommit = await cli(['diff', 'HEAD^..HEAD', '--json'], folder);
    expectCommandError(inCommit, 'ERR_USAGE', 'issuers is not a folder in');
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
    expect([code, rules]).toEqual([1, expect.arrayContaining(['issuers/x.yaml duplicate-id'])]);
  });
});
