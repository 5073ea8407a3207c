import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Diagnostic } from '../../../build/generator/diagnostics/diagnostic.js';
import { publicationProblems } from '../../../build/generator/review/assert-publishable.js';
import { recordsIn } from '../../../build/generator/review/record-set.js';
import { expectCommandError } from '../../support/expect-command-error.js';
import { git as gitIn } from '../../support/git.js';
import { copyOf } from '../../support/made-once.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import {
  cli,
  clockAhead,
  keyPair,
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

/** Two folders of records, `before` and `after`. */
function folders(before: Records, after: Records): string {
  const folder = temporaryFolder();
  writeFiles(folder, {
    'before/.keep': '',
    'after/.keep': '',
    ...files('before', before),
    ...files('after', after),
  });
  return folder;
}

/** What is said of the difference between two folders, a line each. */
const lines = (diagnostics: readonly Diagnostic[]) =>
  diagnostics.map(
    ({ severity, file, line, column, rule }) => `${severity} ${file}:${line}:${column} ${rule}`,
  );

/** What `diff` says of the difference between two folders of records. */
async function diff(before: Records, after: Records, ...args: string[]) {
  const folder = folders(before, after);
  const { code, stdout, stderr } = await cli(['diff', 'before', 'after', '--json', ...args], folder);
  const { changes, diagnostics, ok } = JSON.parse(stdout);
  return { code, ok, changes, said: lines(diagnostics), stderr };
}

describe('the rules of a change', () => {
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
  ])('judge %s', (_name, before, after, expected) => {
    const folder = folders(before, after);
    const records = (name: string) => recordsIn([join(folder, name)]);
    const change = { before: records('before'), after: records('after') };
    const said = lines(publicationProblems(change, {}, true));
    expect(said.map((line) => line.replace(`${folder}/`, ''))).toEqual(expected);
  });
});

describe('passport-registry diff', () => {
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
    const override = ['--override', 'a:revoked-is-final'];
    const { said, code, ok, stderr } = await diff(before, { a: {}, b: {} }, ...override);
    expect(said).toEqual([
      'warning after/a.yaml:3:9 revoked-is-final',
      'error after/b.yaml:3:9 revoked-is-final',
    ]);
    expect(stderr).toContain('; overridden');
    expect([code, ok]).toEqual([1, false]);
    const permitted = await diff(before, { a: {}, b: { status: 'revoked' } }, ...override);
    expect([permitted.code, permitted.ok]).toEqual([0, true]);
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
      const args = ['diff', before, '--trust-anchor', 'root.json', '--json'];
      const { code, stdout, stderr } = await cli(args, folder);
      const { changes, diagnostics } = JSON.parse(stdout);
      expect(changes).toMatchObject([
        { issuer_id: 'a', fields: [{ field: 'status', from: 'active', to: 'suspended' }] },
        { issuer_id: 'b', kind: 'removed' },
      ]);
      expect([code, lines(diagnostics)]).toEqual([1, ['error b:1:1 record-removed']]);
      expect(stderr).not.toContain('--trust-anchor');
    }
    await keyPair(folder, 'other');
    const forged = await cli(['diff', registry, '--trust-anchor', 'other.json', '--json'], folder);
    expectCommandError(forged, 'ERR_TREE_REJECTED', registry);
  });

  it('compares with a list whose checkpoint has expired', async () => {
    const folder = await workspace(['a']);
    await cli(['build', '--key', 'key.pem', ...withKeys({ checkpoint: 'key.pem' })], folder);
    writeFiles(folder, { 'root.json': (await cli(['keys', 'public', 'key.pem'], folder)).stdout });
    const later = clockAhead(60 * 24 * 60);
    expect((await cli(['verify', 'dist'], folder, later)).code).toBe(1);
    expect((await cli(['diff', 'dist', '--trust-anchor', 'root.json'], folder, later)).code).toBe(0);
  });

  it('compares with no list that is not logged, if the trust anchor names a log', async () => {
    const folder = await workspace(['a']);
    await cli(['build', '--key', 'key.pem'], folder);
    const root = JSON.parse((await cli(['keys', 'public', 'key.pem'], folder)).stdout);
    writeFiles(folder, { 'anchor.json': JSON.stringify({ root, log: 'registry.internal/log' }) });
    const compare = () => cli(['diff', 'dist', '--trust-anchor', 'anchor.json', '--json'], folder);
    expectCommandError(await compare(), 'ERR_TREE_REJECTED', 'ERR_NOT_LOGGED');
    // A list without any statement cannot be in a log, either.
    rmSync(join(folder, 'dist/statements.json'));
    expectCommandError(await compare(), 'ERR_TREE_REJECTED', 'statements.json');
  });

  it('knows the rules that an operator may override, and no other', async () => {
    const folder = folders({ a: {} }, { a: {} });
    const outcome = await cli(['diff', 'before', 'after', '--override', 'a:status', '--json'], folder);
    expectCommandError(outcome, 'ERR_USAGE', '--override');
  });
});

describe('passport-registry diff between commits', () => {
  /** A repository with a base, a branch that parted from it, and a base that went on. */
  let made: string;
  let folder: string;

  beforeAll(() => {
    made = temporaryFolder();
    const git = (...args: string[]) => gitIn(made, ...args);
    const commit = (message: string) => {
      git('add', '-A');
      git('commit', '-qm', message);
    };
    git('init', '-q', '-b', 'main', '--template=');
    writeFiles(made, {
      ...files('issuers', { a: {}, b: {}, ünï: {}, bad: { tier: 'gold' } }),
      'README.md': 'x',
    });
    commit('Base');
    git('checkout', '-qb', 'change');
    writeFiles(made, { ...files('issuers', { c: {} }), 'issuers/notes.txt': 'x', 'issuers/eu/.keep': '' });
    renameSync(join(made, 'issuers/a.yaml'), join(made, 'issuers/eu/a.yml'));
    commit('Change');
    git('checkout', '-q', 'main');
    writeFiles(made, files('issuers', { d: {} }));
    commit('Meanwhile');
    git('checkout', '-q', 'change');
  });
  beforeEach(() => {
    folder = copyOf(made);
  });

  const changed = async (...args: string[]) => {
    const { stdout } = await cli(['diff', ...args, '--json'], folder);
    const { changes, diagnostics } = JSON.parse(stdout);
    return [
      ...changes.map(({ issuer_id, kind }: Record<string, string>) => `${issuer_id} ${kind}`),
      ...diagnostics.map(({ rule }: Record<string, string>) => rule),
    ];
  };

  it('sees a file that moved to a sub-folder as the same record', async () => {
    expect(await changed('main...change')).toEqual(['c added']);
    expect(await changed('main..change')).toEqual(['c added', 'd removed', 'record-removed']);
    expect(await changed('HEAD^..')).toEqual(['c added']);
  });

  it('compares a commit with what is in the folder, committed or not', async () => {
    writeFiles(folder, files('issuers', { e: {}, b: { status: 'suspended' } }));
    expect(await changed('HEAD')).toEqual(['b changed', 'e added']);
  });

  it('takes nothing beside commits', async () => {
    const outcome = await cli(['diff', 'main..change', 'issuers', '--json'], folder);
    expectCommandError(outcome, 'ERR_USAGE', 'main..change');
  });

  it('judges a change from the changed records alone, however bad another one is', async () => {
    writeFiles(folder, files('issuers', { c: { status: 'revoked' } }));
    expect(await changed('HEAD')).toEqual(['c changed']);
    writeFiles(folder, files('issuers', { bad: { tier: 'silver' } }));
    expect(await changed('HEAD')).toEqual(['c changed', 'unknown-value']);
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
