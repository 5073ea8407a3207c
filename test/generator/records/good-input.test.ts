import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { loadRecords } from 'passport-registry';
import { describe, expect, it } from 'vitest';
import { EXAMPLE_RECORDS } from '../../support/paths.js';
import { recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

async function load(text: string | Uint8Array) {
  const folder = temporaryFolder();
  writeFiles(folder, { 'acme.yaml': text });
  return loadRecords([folder]);
}

describe('good input', () => {
  it('keeps an unquoted date-time a text, and Norway a country', async () => {
    const { records, diagnostics } = await load(
      recordText('acme', { geographical_scope: '[NO]', certified_since: '2026-01-01T00:00:00Z' }),
    );
    expect(diagnostics).toEqual([]);
    expect(records[0]).toMatchObject({ certified_since: '2026-01-01T00:00:00Z', geographical_scope: ['NO'] });
  });

  it('keeps what looks like a boolean elsewhere a text: on, off, yes, no, y', async () => {
    const { records } = await load(recordText('acme', { domain_scope: '[on, off, yes, no, y]' }));
    expect(records[0]?.domain_scope).toEqual(['on', 'off', 'yes', 'no', 'y']);
  });

  it('writes date-times as the author wrote them', async () => {
    const text = recordText('acme', { certified_since: '2026-01-01t01:00:00.500+01:00' });
    expect((await load(text)).records[0]?.certified_since).toBe('2026-01-01t01:00:00.500+01:00');
  });

  it('leaves out what the author left out, and keeps a null', async () => {
    const { records } = await load(recordText('acme', { policy_uri: 'null', contact: '~' }));
    expect(records[0]).toHaveProperty('policy_uri', null);
    expect(records[0]).toHaveProperty('contact', null);
    expect(records[0]).not.toHaveProperty('last_audit');
  });

  it.each([
    ['CRLF line ends', recordText('acme').replaceAll('\n', '\r\n')],
    ['a byte order mark', `\ufeff${recordText('acme')}`],
    ['both', `\ufeff${recordText('acme').replaceAll('\n', '\r\n')}`],
    ['no final newline', recordText('acme').trimEnd()],
    ['document markers', `---\n${recordText('acme')}...\n`],
    ['comments', `# one\n${recordText('acme').replaceAll('\n', ' # two\n')}`],
    ['flow style, as JSON', asJson()],
    ['quotes', recordText('acme', { tier: '"certified"', status: "'active'" })],
  ])('accepts %s', async (_name, text) => {
    const { records, diagnostics } = await load(text);
    expect(diagnostics).toEqual([]);
    expect(records).toHaveLength(1);
  });

  it('counts lines and columns in files with CRLF and a byte order mark as an editor does', async () => {
    const text = `\ufeff${recordText('acme', { tier: 'gold', issuer_id: 'Acme' }).replaceAll('\n', '\r\n')}`;
    const { diagnostics } = await load(text);
    expect(diagnostics.map(({ line, column }) => `${line}:${column}`)).toEqual(['1:12', '1:12', '2:7']);
  });

  it('warns of plain http where people are sent, and of codes that ISO 3166 does not assign', async () => {
    const { diagnostics, ok } = await load(
      recordText('acme', {
        policy_uri: 'http://acme.example/#/policy',
        geographical_scope: '[GB, UK, XX, US-CA, US-ZZ, global]',
      }),
    );
    expect(ok).toBe(true);
    expect(diagnostics.map(({ severity, rule, remedy }) => `${severity} ${rule} ${remedy}`)).toEqual([
      'warning not-https use its https URL, if it has one',
      'warning unknown-country did you mean `GB`?',
      'warning unknown-country check the code',
      'warning unknown-country check the code',
    ]);
  });

  it('warns of an issuer that is recognised only in the future', async () => {
    const minutes = (from: number) => new Date(Date.now() + from * 60_000).toISOString().replace(/\.\d+/, '');
    const rules = async (time: string) =>
      (await load(recordText('acme', { certified_since: time }))).diagnostics.map(
        ({ severity, rule, line }) => `${severity} ${rule} ${line}`,
      );
    expect(await rules(minutes(10))).toEqual(['warning certified-in-future 6']);
    expect(await rules(minutes(-10))).toEqual([]);
    // Another rule says that this is no time.
    expect(await rules('2999-02-30T00:00:00Z')).toEqual(['error bad-date-time 6']);
  });

  it('finds records in sub-folders, sorts them by id, and passes dot-files and other files by', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, {
      'z/a.yaml': recordText('a'),
      'b.yml': recordText('b'),
      'a-b.yaml': recordText('a-b'),
      'a.b.yaml': recordText('a.b'),
      '.hidden.yaml': 'not a record',
      '.git/config.yaml': 'not a record',
      'README.md': '# Records',
      'notes.txt': '',
    });
    const { records, ok } = await loadRecords([folder]);
    expect(ok).toBe(true);
    expect(records.map(({ issuer_id }) => issuer_id)).toEqual(['a', 'a-b', 'a.b', 'b']);
  });

  it('follows a symbolic link that stays inside the folder', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'kept/acme.txt': recordText('acme') });
    symlinkSync(join('kept', 'acme.txt'), join(folder, 'acme.yaml'));
    mkdirSync(join(folder, 'more'));
    symlinkSync(join('..', 'kept'), join(folder, 'more', 'kept'));
    const { records, diagnostics } = await loadRecords([folder]);
    expect(diagnostics).toEqual([]);
    expect(records).toHaveLength(1);
  });

  it('takes any number of files and folders, each file once', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'x/a.yaml': recordText('a'), 'y/b.yaml': recordText('b') });
    const { files } = await loadRecords([join(folder, 'x'), join(folder, 'y'), join(folder, 'x', 'a.yaml')]);
    expect(files).toBe(2);
  });
});

describe('the example records', () => {
  it('are good, and cover every tier and every status', async () => {
    const { records, diagnostics } = await loadRecords([EXAMPLE_RECORDS]);
    expect(diagnostics).toEqual([]);
    expect(new Set(records.map(({ tier }) => tier))).toEqual(
      new Set(['founding', 'certified', 'registered', 'sandbox']),
    );
    expect(new Set(records.map(({ status }) => status))).toEqual(new Set(['active', 'suspended', 'revoked']));
    for (const { jwks_uri } of records) {
      expect(new URL(jwks_uri).hostname).toMatch(/(^|\.)example(\.com|\.net|\.org)?$/);
    }
  });
});

function asJson(): string {
  const fields = recordText('acme')
    .trimEnd()
    .split('\n')
    .map((line) => line.split(/: (.*)/s).slice(0, 2));
  return JSON.stringify(Object.fromEntries(fields));
}
