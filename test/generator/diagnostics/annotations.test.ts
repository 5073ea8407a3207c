import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { RULES } from 'passport-registry';
import { describe, expect, it } from 'vitest';
import { git as gitIn } from '../../support/git.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

/** For each rule about files a bad one, named after it. */
function badFiles(): Record<string, string | Uint8Array> {
  const bad = (rule: string, changes: Record<string, string | undefined>) => [
    `${rule}.yaml`,
    recordText(rule, changes),
  ];
  const renamed = (id: string) => [`${id}.yaml`, recordText(id)];
  return Object.fromEntries([
    ['file-name.YAML', recordText('file-name')],
    ['file-too-large.yaml', '#'.repeat(65 * 1024)],
    ['not-utf8.yaml', Buffer.from([...Buffer.from('issuer_id: '), 0xff])],
    ['nul-character.yaml', 'issuer_id: a\0b\n'],
    ['empty-file.yaml', '# nothing\n'],
    ['yaml-syntax.yaml', 'issuer_id: [a\n'],
    ['yaml-too-deep.yaml', '['.repeat(20_000)],
    [
      'multiple-documents.yaml',
      `${recordText('multiple-documents')}---\n${recordText('multiple-documents')}`,
    ],
    ['yaml-directive.yaml', `%YAML 1.1\n---\n${recordText('yaml-directive')}`],
    bad('yaml-tag', { tier: '!!str founding' }),
    bad('yaml-alias', { tier: '&a founding' }),
    bad('yaml-merge-key', { '<<': '{tier: founding}' }),
    ['duplicate-key.yaml', `${recordText('duplicate-key')}tier: founding\n`],
    ['not-a-mapping.yaml', '- founding\n'],
    bad('unknown-field', { teir: 'founding' }),
    bad('missing-field', { jwks_uri: undefined }),
    bad('wrong-type', { tier: '7' }),
    bad('too-long', { policy_uri: `https://issuer.example/${'a'.repeat(2048)}` }),
    bad('bad-id', { issuer_id: 'Bad Id' }),
    bad('id-path-traversal', { issuer_id: '../evil' }),
    renamed('con'),
    renamed('acme.gz'),
    bad('id-not-file-name', { issuer_id: 'another' }),
    ['a/duplicate-id.yaml', recordText('duplicate-id')],
    ['b/duplicate-id.yaml', recordText('duplicate-id')],
    ['c/id-case.yaml', recordText('id-case')],
    ['c/ID-case.yaml', recordText('ID-case')],
    bad('unknown-value', { tier: 'certifed' }),
    bad('bad-text', { name: '"Nordic \\u202eBank"' }),
    bad('similar-name', { name: 'Bad Text' }),
    bad('reason-while-active', { status_reason: 'its key has leaked' }),
    bad('bad-date-time', { certified_since: '2026-02-30T00:00:00Z' }),
    bad('certified-in-future', { certified_since: '2999-01-01T00:00:00Z' }),
    bad('bad-uri', { jwks_uri: '"issuer.example/jwks, or: elsewhere"' }),
    bad('not-https', { jwks_uri: 'http://issuer.example/jwks' }),
    bad('bad-email', { contact: 'nobody' }),
    bad('bad-geography', { geographical_scope: '[norway]' }),
    bad('unknown-country', { geographical_scope: '[UK]' }),
    bad('bad-slug', { domain_scope: '[Health Care, "100%"]' }),
    bad('duplicate-item', { domain_scope: '[health, health]' }),
    ['layout.yaml', `  ${recordText('layout').replaceAll('\n', '\n  ')}\n`],
  ]);
}

describe('annotations of a pull request', () => {
  it('are exactly these for each rule about records and about changes', async () => {
    const folder = realpathSync(temporaryFolder());
    const git = (...args: string[]) => gitIn(folder, ...args);
    writeFiles(folder, {
      'changes/record-removed.yaml': recordText('record-removed'),
      'changes/revoked-is-final.yaml': recordText('revoked-is-final', { status: 'revoked' }),
      'changes/suspension-not-lifted.yaml': recordText('suspension-not-lifted', { status: 'suspended' }),
      'changes/certified-since-changed.yaml': recordText('certified-since-changed'),
      'changes/keys-moved.yaml': recordText('keys-moved'),
    });
    git('init', '-q');
    git('add', '.');
    git('commit', '-qm', 'Before');
    git('rm', '-q', 'changes/record-removed.yaml');
    writeFiles(folder, {
      'changes/renamed.yaml': recordText('renamed', {
        jwks_uri: 'https://record-removed.internal/.well-known/jwks.json',
      }),
      'changes/revoked-is-final.yaml': recordText('revoked-is-final'),
      'changes/suspension-not-lifted.yaml': recordText('suspension-not-lifted'),
      'changes/certified-since-changed.yaml': recordText('certified-since-changed', {
        certified_since: '2020-01-01T00:00:00Z',
      }),
      'changes/keys-moved.yaml': recordText('keys-moved', { jwks_uri: 'https://mallory.example/jwks' }),
      'outside.yaml': recordText('outside'),
      ...Object.fromEntries(Object.entries(badFiles()).map(([name, text]) => [`issuers/${name}`, text])),
    });
    symlinkSync('../outside.yaml', join(folder, 'issuers/symlink-outside.yaml'));
    symlinkSync('nowhere', join(folder, 'issuers/file-unreadable.yaml'));
    execFileSync('mkfifo', [join(folder, 'issuers/file-kind.yaml')]);
    mkdirSync(join(folder, 'empty'));
    const actions = { GITHUB_ACTIONS: 'true' };
    const outcomes = [
      await cli(['check', 'empty'], folder, actions),
      await cli(['check'], folder, actions),
      await cli(['diff', 'HEAD', '--issuers', 'changes'], folder, actions),
    ];
    expect(outcomes.map(({ code }) => code)).toEqual([1, 1, 1]);
    const said = outcomes.map(({ stdout }) => stdout.replaceAll(folder, '')).join('');
    await expect(said).toMatchFileSnapshot('annotations.txt');
    const rules = new Set([...said.matchAll(/,title=([a-z0-9-]+)::/g)].map(([, rule]) => rule));
    // What only a question to the issuer or a publication shows has its own tests.
    const names = Object.keys(RULES);
    const offline = names.filter(
      (rule, at) =>
        (at < names.indexOf('host-unreachable') || at > names.indexOf('no-cors')) && rule !== 'example-name',
    );
    expect([...rules].sort()).toEqual(offline.sort());
  });

  it('are committed: a missing file would be written, and compared with nothing', () => {
    expect(
      readFileSync(new URL('annotations.txt', import.meta.url), 'utf8').split('\n').length,
    ).toBeGreaterThan(40);
  });
});
