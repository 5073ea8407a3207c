import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { git as gitIn } from '../../support/git.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import {
  cli,
  clockAhead,
  recordText,
  temporaryFolder,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

type Records = Record<string, Record<string, string | undefined>>;

const files = (folder: string, records: Records) =>
  Object.fromEntries(
    Object.entries(records).map(([id, changes]) => [`${folder}/${id}.yaml`, recordText(id, changes)]),
  );

/** The difference between two folders of records. */
async function diff(before: Records, after: Records, ...args: string[]) {
  const folder = temporaryFolder();
  writeFiles(folder, {
    'before/.keep': '',
    'after/.keep': '',
    ...files('before', before),
    ...files('after', after),
  });
  const { code, stdout, stderr } = await cli(['diff', 'before', 'after', '--json', ...args], folder);
  const { changes, diagnostics, ok } = JSON.parse(stdout);
  const said = diagnostics.map(
    ({ severity, file, line, column, rule }: Record<string, string>) =>
      `${severity} ${file}:${line}:${column} ${rule}`,
  );
  return { code, ok, changes, said, stderr };
}

describe('passport-registry diff', () => {
  it.each<[string, Records, Records, string[]]>([
    ['nothing', { a: {} }, { a: {} }, []],
    ['a new record', { a: {} }, { a: {}, b: {} }, []],
    ['a suspension', { a: {} }, { a: { status: 'suspended' } }, []],
    [
      'a return without its time',
      { a: { status: 'suspended' } },
      { a: {} },
      ['error after/a.yaml:3:9 suspension-not-lifted'],
    ],
    [
      'a return with the time of an earlier one',
      { a: { status: 'suspended', reinstated: '2026-02-01T00:00:00Z' } },
      { a: { reinstated: '2026-02-01T01:00:00+01:00' } },
      ['error after/a.yaml:7:13 suspension-not-lifted'],
    ],
    ['a return', { a: { status: 'suspended' } }, { a: { reinstated: '2026-02-01T00:00:00Z' } }, []],
    [
      'a revocation',
      { a: {}, b: { status: 'suspended' } },
      { a: { status: 'revoked' }, b: { status: 'revoked' } },
      [],
    ],
    ['another tier', { a: {} }, { a: { tier: 'founding' } }, []],
    ['other keys on the same host', { a: {} }, { a: { jwks_uri: 'https://a.internal/other' } }, []],
    [
      'the end of a revocation',
      { a: { status: 'revoked' } },
      { a: {} },
      ['error after/a.yaml:3:9 revoked-is-final'],
    ],
    [
      'a revoked issuer that is only suspended',
      { a: { status: 'revoked' } },
      { a: { status: 'suspended' } },
      ['error after/a.yaml:3:9 revoked-is-final'],
    ],
    ['a record that is gone', { a: {}, b: {} }, { b: {} }, ['error before/a.yaml:1:1 record-removed']],
    [
      'a new name',
      { a: {}, b: {} },
      { c: { jwks_uri: 'https://a.internal/.well-known/jwks.json' }, b: {} },
      ['error before/a.yaml:1:1 record-removed'],
    ],
    [
      'another certified_since',
      { a: {} },
      { a: { certified_since: '2026-01-01T01:00:00+01:00' } },
      ['error after/a.yaml:6:18 certified-since-changed'],
    ],
    [
      'keys on another host',
      { a: {} },
      { a: { jwks_uri: 'https://b.internal/jwks', discovery_uri: 'https://a.internal:8443/m' } },
      ['warning after/a.yaml:4:11 keys-moved', 'warning after/a.yaml:5:16 keys-moved'],
    ],
    [
      'a record that is no longer good',
      { a: {} },
      { a: { tier: 'gold' } },
      ['error after/a.yaml:2:7 unknown-value'],
    ],
  ])('judges %s', async (_name, before, after, expected) => {
    const { said, code, ok } = await diff(before, after);
    expect(said).toEqual(expected);
    const failed = expected.some((one) => one.startsWith('error'));
    expect([code, ok]).toEqual([failed ? 1 : 0, !failed]);
  });

  it('gives every change field by field', async () => {
    const { changes } = await diff(
      { a: {}, b: {} },
      { a: { status: 'suspended', contact: 'x@a.internal' }, c: {} },
    );
    expect(changes).toEqual([
      {
        issuer_id: 'a',
        kind: 'changed',
        fields: expect.arrayContaining([
          { field: 'status', from: 'active', to: 'suspended' },
          { field: 'contact', to: 'x@a.internal' },
        ]),
      },
      { issuer_id: 'b', kind: 'removed', fields: [] },
      { issuer_id: 'c', kind: 'added', fields: [] },
    ]);
  });

  it('lets the operator override one rule for one issuer, by name, and says so', async () => {
    const before = { a: { status: 'revoked' }, b: { status: 'revoked' } };
    const { said, code, stderr } = await diff(before, { a: {}, b: {} }, '--override', 'a:revoked-is-final');
    expect(said).toEqual([
      'warning after/a.yaml:3:9 revoked-is-final',
      'error after/b.yaml:3:9 revoked-is-final',
    ]);
    expect(stderr).toContain('; overridden');
    expect(code).toBe(1);
    expect(
      (await diff(before, { a: {}, b: { status: 'revoked' } }, '--override', 'a:revoked-is-final')).code,
    ).toBe(0);
    const other = await diff(before, { a: {}, b: { status: 'revoked' } }, '--override', 'a:record-removed');
    expect(other.code).toBe(1);
  });

  it('fails on warnings if asked to', async () => {
    const moved = { a: { jwks_uri: 'https://b.internal/jwks' } };
    expect((await diff({ a: {} }, moved)).code).toBe(0);
    expect((await diff({ a: {} }, moved, '--fail-on', 'warning')).code).toBe(1);
  });

  it('compares with a tree, and with a live registry under a pinned key', async () => {
    const folder = await workspace(['a', 'b']);
    await cli(['build', '--key', 'key.pem'], folder);
    const { stdout } = await cli(['keys', 'public', 'key.pem'], folder);
    writeFiles(folder, { 'root.json': stdout, 'issuers/a.yaml': recordText('a', { status: 'suspended' }) });
    rmSync(join(folder, 'issuers/b.yaml'));
    const registry = await serve(join(folder, 'dist'));
    for (const before of ['dist', registry]) {
      const { code, stdout, stderr } = await cli(['diff', before, '--trust-anchor', 'root.json'], folder);
      expect(code).toBe(1);
      expect(stdout).toContain('~ a: status "active" -> "suspended"\n- b: REMOVED\n');
      expect(stdout).toContain('b:1:1: error record-removed');
      expect(stderr).not.toContain('note: without');
    }
    await cli(['keys', 'generate', '--no-passphrase', '--private', 'other.pem'], folder);
    const other = await cli(['keys', 'public', 'other.pem'], folder);
    writeFiles(folder, { 'other.json': other.stdout });
    const forged = await cli(['diff', registry, '--trust-anchor', 'other.json'], folder);
    expect([forged.code, forged.stderr.includes('publishes no list to compare with')]).toEqual([1, true]);
  });

  it('compares with a list whose checkpoint has expired', async () => {
    const folder = await workspace(['a']);
    await cli(['build', '--key', 'key.pem', ...withKeys({ checkpoint: 'key.pem' })], folder);
    writeFiles(folder, { 'root.json': (await cli(['keys', 'public', 'key.pem'], folder)).stdout });
    const later = clockAhead(60 * 24 * 60);
    expect((await cli(['verify', 'dist'], folder, later)).code).toBe(1);
    const { code, stderr } = await cli(['diff', 'dist', '--trust-anchor', 'root.json'], folder, later);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('publishes no list')]);
  });

  it('compares with no list that is not logged, if the trust anchor names a log', async () => {
    const folder = await workspace(['a']);
    await cli(['build', '--key', 'key.pem'], folder);
    const root = JSON.parse((await cli(['keys', 'public', 'key.pem'], folder)).stdout);
    writeFiles(folder, { 'anchor.json': JSON.stringify({ root, log: 'registry.internal/log' }) });
    const compare = () => cli(['diff', 'dist', '--trust-anchor', 'anchor.json'], folder);
    expect((await compare()).stderr).toContain('ERR_NOT_LOGGED');
    // A list without any statement cannot be in a log, either.
    rmSync(join(folder, 'dist/statements.json'));
    const { code, stderr } = await compare();
    expect([code, stderr]).toEqual([1, expect.stringContaining('statements.json')]);
  });

  it.each([
    [['nowhere', 'after'], 'neither a folder nor an http(s) URL'],
    [['no-such-commit..HEAD'], 'git'],
    [['before', '--override', 'a:status'], '--override takes'],
  ])('ends with 2 on %j', async (args, message) => {
    const folder = temporaryFolder();
    writeFiles(folder, { ...files('before', { a: {} }), ...files('issuers', { a: {} }) });
    const { code, stderr } = await cli(['diff', ...args], folder);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

describe('passport-registry diff between commits', () => {
  /** A repository with a base, a branch that parted from it, and a base that went on. */
  function repository(): string {
    const folder = temporaryFolder();
    const git = (...args: string[]) => gitIn(folder, ...args);
    const commit = (message: string) => {
      git('add', '-A');
      git('commit', '-qm', message);
    };
    git('init', '-q', '-b', 'main');
    writeFiles(folder, { ...files('issuers', { a: {}, b: {}, ünï: {} }), 'README.md': 'x' });
    commit('Base');
    git('checkout', '-qb', 'change');
    writeFiles(folder, { ...files('issuers', { c: {} }), 'issuers/notes.txt': 'x' });
    renameSync(join(folder, 'issuers/a.yaml'), join(folder, 'issuers/moved.tmp'));
    writeFiles(folder, { 'issuers/eu/.keep': '' });
    renameSync(join(folder, 'issuers/moved.tmp'), join(folder, 'issuers/eu/a.yml'));
    commit('Change');
    git('checkout', '-q', 'main');
    writeFiles(folder, files('issuers', { d: {} }));
    commit('Meanwhile');
    git('checkout', '-q', 'change');
    return folder;
  }

  const changed = async (folder: string, ...args: string[]) => {
    const { stdout } = await cli(['diff', ...args, '--json'], folder);
    const { changes, diagnostics } = JSON.parse(stdout);
    return [
      ...changes.map(({ issuer_id, kind }: Record<string, string>) => `${issuer_id} ${kind}`),
      ...diagnostics.map(({ rule }: Record<string, string>) => rule),
    ];
  };

  it('sees a file that moved to a sub-folder as the same record', async () => {
    const folder = repository();
    expect(await changed(folder, 'main...change')).toEqual(['c added']);
    expect(await changed(folder, 'main..change')).toEqual(['c added', 'd removed', 'record-removed']);
    expect(await changed(folder, 'HEAD^..')).toEqual(['c added']);
  });

  it('compares a commit with what is in the folder, committed or not', async () => {
    const folder = repository();
    writeFiles(folder, files('issuers', { e: {}, b: { status: 'suspended' } }));
    expect(await changed(folder, 'HEAD')).toEqual(['b changed', 'e added']);
  });

  it('judges 2,000 records of which one has changed from that one alone', async () => {
    const folder = repository();
    const many = Object.fromEntries(Array.from({ length: 2000 }, (_one, index) => [`n${index}`, {}]));
    writeFiles(folder, files('issuers', many));
    gitIn(folder, 'add', '-A');
    gitIn(folder, 'commit', '-qm', 'Many');
    writeFiles(folder, files('issuers', { n7: { status: 'revoked' } }));
    expect(await changed(folder, 'HEAD')).toEqual(['n7 changed']);
  });
});

describe('a comment on a pull request', () => {
  it('shows what changes, and what the checks say', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, {
      ...files('before', { a: {}, b: { status: 'revoked' } }),
      ...files('issuers', { a: { tier: 'founding' }, b: {}, c: {} }),
    });
    const { stdout, code } = await cli(['diff', 'before', '--markdown'], folder);
    expect(code).toBe(1);
    expect(stdout).toBe(`### Changes to issuers

1 added, 2 changed, 0 removed.

| Issuer | What | Before | After |
|---|---|---|---|
| <code>a</code> | **tier** | <code>certified</code> | <code>founding</code> |
| <code>b</code> | **status** | <code>revoked</code> | <code>active</code> |
| <code>c</code> | **new** |  | <code>certified</code>, <code>active</code>, keys at <code>https&#58;//c.internal/.well-known/jwks.json</code> |

### Checks

- **error** <code>revoked-is-final</code> at <code>issuers/b.yaml&#58;3&#58;9</code>: <code>status was revoked, and is now active</code>. Remedy: <code>restore the status; to return, register under another id</code>

`);
  });

  it('takes nothing from a record as markup, as a mention or as a link', async () => {
    const folder = temporaryFolder();
    const hostile =
      '"</code><img src=x onerror=alert(1)> @everyone [x](https://mallory.example) `|` \\u202e #1"';
    writeFiles(folder, {
      ...files('before', { a: {} }),
      ...files('issuers', { a: { tier: hostile, [hostile]: 'x' } }),
    });
    const { stdout } = await cli(['diff', 'before', '--markdown'], folder);
    const code = [...stdout.matchAll(/<code>(.*?)<\/code>/g)].map(([, text]) => text ?? '');
    expect(code.length).toBeGreaterThan(4);
    for (const text of code) expect(text.replaceAll(/&#\d+;/g, '')).not.toMatch(/[<>@`|[\]:#&\u202e]/);
    expect(stdout.replaceAll(/<code>.*?<\/code>/g, '')).not.toMatch(/[<>@[\]`]|mallory|everyone/);
  });

  it('stays short', async () => {
    const folder = temporaryFolder();
    const many = Object.fromEntries(Array.from({ length: 150 }, (_one, index) => [`n${index}`, {}]));
    writeFiles(folder, { 'before/.keep': '', ...files('issuers', many) });
    writeFiles(folder, files('before', { n1: {} }));
    const { stdout } = await cli(['diff', 'before', '--markdown'], folder);
    expect(stdout).toContain('149 added, 0 changed, 0 removed.');
    expect(stdout).toContain('| and 49 more | | | |');
  });
});
