import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { expectCommandError } from '../../support/expect-command-error.js';
import { issuer, publish, type TestKey, testKey } from '../../support/publication.js';
import { registryHost } from '../../support/registry-host.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

/** The folder of an issuer, who has only the installed program and the URL of the registry. */
let folder: string;
let registry: string;
let root: TestKey;

beforeAll(async () => {
  root = await testKey();
  const issuers = [
    issuer('acme', { jwks_uri: 'https://acme.alt/.well-known/jwks.json' }),
    issuer('gone', { status: 'revoked' }),
    issuer('other'),
  ];
  registry = (await registryHost(publish(root, issuers))).base;
});
beforeEach(() => {
  folder = temporaryFolder();
});

const here = (...args: string[]) => cli(args, folder);

/** The text of the record that is published for an issuer, with changes. */
const published = (id: string, changes: Record<string, string> = {}) =>
  recordText(id, {
    ...Object.fromEntries(Object.entries(issuer(id)).map(([field, value]) => [field, String(value)])),
    ...(id === 'acme' && { jwks_uri: 'https://acme.alt/.well-known/jwks.json' }),
    ...changes,
  });

describe('in an empty folder', () => {
  it.each([['check'], ['check --fix'], ['check --online'], ['diff']])(
    '%s says how to begin',
    async (command) => {
      const args = [...command.split(' '), ...(command === 'diff' ? [registry] : [])];
      expectCommandError(await here(...args, '--json'), 'ERR_USAGE', '`passport-registry new`');
    },
  );

  it('new writes issuers/<id>.yaml, and says what to do next', async () => {
    const { code, stderr } = await here('new', 'zenith', '--issuer-url', 'https://zenith.alt');
    expect(code).toBe(0);
    expect(stderr).toContain('  passport-registry check issuers/zenith.yaml\n');
    expect(stderr).toContain('  passport-registry check --online issuers/zenith.yaml\n');
    expect(stderr).toContain(`  passport-registry diff URL issuers/zenith.yaml\n`);
    expect(stderr).toContain("fork the registry's repository, add the file as issuers/zenith.yaml");
    expect((await here('check')).stdout).toContain('1 file: 0 problems');
    expect((await here('diff', registry, 'issuers/zenith.yaml')).code).toBe(0);
  });
});

describe('in a folder with one record', () => {
  it('check and check --online take the record, by name or without a name', async () => {
    writeFiles(folder, { 'acme.yaml': published('acme'), 'registry.yaml': '' });
    for (const args of [['check'], ['check', 'acme.yaml'], ['check', 'acme']])
      expect((await here(...args)).stdout).toBe('1 file: 0 problems, 0 warnings\n');
    for (const args of [['--online'], ['--online', 'acme.yaml'], ['--online', 'acme']]) {
      const { code, stdout } = await here('check', ...args);
      expect([code, stdout]).toEqual([1, expect.stringContaining('acme.yaml:4:11: error host-unreachable')]);
      expect(stdout).toContain('1 issuer: 0 passed, 1 failed');
    }
  });

  it.each([
    [['--online', 'acme', 'acme.yaml'], 'ids or files'],
    [['--online', 'acme.yaml', '--changed', 'main'], '--changed'],
    [['--online', 'acme.yaml', '--issuers', '.'], '--issuers'],
    [['--online', 'acne'], '`acme`'],
    [['--online', 'none.yaml'], 'neither a file nor a record'],
    [['--online', '--fix'], '--fix and --online'],
    [['--online', '--production'], '--online and --production'],
    [['--changed', 'HEAD'], '--online'],
    [['--timeout', '1'], '--online'],
  ])('check %j is wrong usage', async (args, fact) => {
    writeFiles(folder, { 'acme.yaml': published('acme') });
    expectCommandError(await here('check', ...args, '--json'), 'ERR_USAGE', fact);
  });

  // --watch has no --json.
  it.each([
    [['--watch', '--fix'], '--fix and --watch'],
    [['--watch', 'acne'], '`acme`'],
  ])('check %j is wrong usage', async (args, fact) => {
    writeFiles(folder, { 'acme.yaml': published('acme') });
    const { code, stderr } = await here('check', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(fact)]);
  });

  it('check of an id checks its record among all others, and names no other', async () => {
    writeFiles(folder, { 'acme.yaml': published('acme'), 'beta.yaml': 'tier: gold\n' });
    expect((await here('check', 'acme')).stdout).toBe('1 file: 0 problems, 0 warnings\n');
    expect((await here('check', 'beta')).stdout).not.toContain('acme.yaml');
    expect((await here('check')).stdout).toMatch(/^2 files: /m);
    writeFiles(folder, { 'more/acme.yaml': published('acme') });
    expect((await here('check', 'acme', '--issuers', '.')).stdout).toContain('acme.yaml');
  });

  it('a folder issuers/ comes first', async () => {
    writeFiles(folder, { 'acme.yaml': 'x', 'issuers/beta.yaml': recordText('beta') });
    expect((await here('check')).stdout).toBe('1 file: 0 problems, 0 warnings\n');
  });
});

// Which changes are forbidden: review/diff.
describe('diff of one record with a published list', () => {
  it.each([
    ['a new issuer', 'zenith', {}, 0, ['+ zenith: new', 'note: zenith is not taken']],
    ['the same record', 'acme', {}, 0, ['0 issuers changed: 0 problems', 'with the same record']],
    ['another tier', 'acme', { tier: 'founding' }, 0, ['~ acme: tier "certified" -> "founding"']],
    ['an id that is taken', 'acme', { jwks_uri: 'https://thief.alt/jwks.json' }, 0, ['choose another id']],
    ['a revoked issuer', 'gone', { status: 'active' }, 1, ['error revoked-is-final']],
    ['an invalid record', 'acme', { tier: 'gold' }, 1, ['1 invalid file not compared']],
  ])('%s', async (_name, id, changes, exit, words) => {
    const { certified_since } = issuer(id);
    writeFiles(folder, { [`${id}.yaml`]: published(id, { ...changes, certified_since }) });
    const { code, stdout } = await here('diff', registry, `${id}.yaml`);
    for (const word of words) expect(stdout).toContain(word);
    expect(code).toBe(exit);
    // Nothing is said about the other issuers.
    expect(stdout).not.toMatch(/\bother\b|REMOVED|record-removed/);
  });

  it('the record of this folder, without its name', async () => {
    writeFiles(folder, { 'acme.yaml': published('acme', { tier: 'founding' }) });
    const [named, unnamed] = [await here('diff', registry, 'acme.yaml'), await here('diff', registry)];
    expect(unnamed).toEqual(named);
  });

  it('several records, each with its own note', async () => {
    writeFiles(folder, { 'acme.yaml': published('acme'), 'zenith.yaml': recordText('zenith') });
    const { stdout } = await here('diff', registry);
    expect(stdout).toContain('note: acme is in the published list, with the same record');
    expect(stdout).toContain('note: zenith is not taken');
  });

  it('reports as data', async () => {
    writeFiles(folder, { 'acme.yaml': published('acme', { tier: 'gold' }) });
    const { stdout } = await here('diff', registry, 'acme.yaml', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ ok: false, changes: [], notCompared: ['acme.yaml'] });
    const markdown = await here('diff', registry, 'acme.yaml', '--markdown');
    expect(markdown.stdout).toContain('0 added, 0 changed, 0 removed. 1 invalid, and not compared.\n');
  });

  it('a file that cannot be read is a problem, and removes nobody', async () => {
    symlinkSync('loop.yaml', join(folder, 'loop.yaml'));
    writeFiles(folder, { 'acme.yaml': ' '.repeat(70_000) });
    for (const file of ['loop.yaml', 'acme.yaml']) {
      const { code, stdout } = await here('diff', registry, file);
      expect([code, stdout]).toEqual([1, expect.stringMatching(/file-unreadable|file-too-large/)]);
      expect(stdout).toContain('0 issuers changed, 1 invalid file not compared');
    }
  });
});

describe('diff with something else', () => {
  it.each([
    [['.', 'none.yaml'], 'none.yaml does not exist'],
    [['nosuch'], 'nor commits'],
    [['registry.example', 'acme.yaml'], 'A..B'],
    [['acme.yaml'], 'first name'],
  ])('%j', async (args, fact) => {
    writeFiles(folder, { 'acme.yaml': published('acme') });
    expectCommandError(await here('diff', ...args, '--json'), 'ERR_USAGE', fact);
  });

  it('a folder whose name ends like a record is a folder', async () => {
    mkdirSync(join(folder, 'old.yaml'));
    writeFiles(folder, { 'issuers/acme.yaml': published('acme') });
    renameSync(join(folder, 'issuers'), join(folder, 'old.yaml', 'records'));
    writeFiles(folder, { 'issuers/acme.yaml': published('acme', { tier: 'founding' }) });
    expect((await here('diff', 'old.yaml')).stdout).toContain('~ acme: tier "certified" -> "founding"');
  });
});
