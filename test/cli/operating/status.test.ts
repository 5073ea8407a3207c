import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cosigningService } from '../../support/cosigning-service.js';
import { git as gitIn } from '../../support/git.js';
import { installedPath } from '../../support/installed.js';
import { type NoteSigner, noteSigner } from '../../support/note-keys.js';
import { onlyLogged } from '../../support/only-logged.js';
import { serve } from '../../support/serving.js';
import { readTreeFile, removeTreeFile } from '../../support/statements.js';
import { DAY, ONLINE, PARTS, registryForStatus } from '../../support/status-registry.js';
import {
  cli,
  clockAhead,
  encryptedKey,
  type Outcome,
  recordText,
  run,
  temporaryFolder,
  writeFiles,
} from '../../support/workspace.js';

const { here, good, registry, configure, publishWithCheckpoint, statusOf } = registryForStatus();
const later = (minutes: number) => clockAhead(minutes);

describe('passport-registry status', () => {
  it('names each part that is missing, from an empty folder to the first list', async () => {
    here.folder = temporaryFolder();
    const words = async () => (await cli(['status'], here.folder)).stdout;
    expect(await words()).toMatch(/^note {4}tree {8}dist has no tree$/m);
    expect(await words()).toContain('there is no folder issuers');
    mkdirSync(join(here.folder, 'issuers'));
    expect(await words()).toContain('issuers has no records');
    expect(await words()).toMatch(/^Next: create the first record: run `npx passport-registry new` with /m);
    const elsewhere = await cli(['status', '--issuers', 'records'], here.folder);
    expect(elsewhere.stdout).toContain('run `npx passport-registry new --issuers records` with ');
    writeFiles(here.folder, { 'issuers/alpha.yaml': recordText('alpha') });
    const { code, report, levels } = await statusOf();
    expect([code, report.ok, report.level]).toEqual([0, true, 'note']);
    // A host that has lost its files looks as before the first list.
    expect(report.next[0].reason).toBe(
      'publish the first list. If this registry has published before, copy its tree here first. First name the root key in registry.yaml, ' +
        'signer.key, or add --key',
    );
    const { rotation, hold, ...others } = levels;
    expect([rotation, hold, ...new Set(Object.values(others))]).toEqual(['ok', 'note', 'note']);
    expect(report.changes).toMatchObject({
      state: 'changed',
      changes: [{ issuer_id: 'alpha', kind: 'added' }],
    });
    await cli(['build'], here.folder);
    expect(await words()).toContain('a development key: not for production');
    expect(await words()).toMatch(/\n\nThere is nothing to do.\n$/);
  });

  it('proposes to load the published tree first, if the host does not show whether there is one', async () => {
    registry('base_url: http://127.0.0.1:1\n');
    for (const args of [
      ['init', '-q'],
      ['remote', 'add', 'origin', 'https://git.registry.internal/registry'],
    ])
      execFileSync('git', args, { cwd: here.folder });
    const { next } = await statusOf();
    expect(next.slice(0, 2)).toEqual([
      'npx passport-registry branch load dist',
      expect.stringContaining(' build '),
    ]);
  });

  it('has a report of a stable shape', async () => {
    registry();
    for (const prepare of [async () => undefined, publishWithCheckpoint]) {
      await prepare();
      const { report } = await statusOf();
      expect(Object.keys(report)).toEqual(
        expect.arrayContaining(['ok', 'level', ...PARTS, 'mirrors', 'next']),
      );
      expect(Object.keys(report)).toHaveLength(PARTS.length + 5);
      expect(report.log).toMatchObject({ level: 'note', message: 'none' });
    }
    expect((await statusOf()).report).toMatchObject({
      ...{ ok: true, level: 'note', next: [], mirrors: [] },
      rootKey: {
        level: 'ok',
        thumbprint: JSON.parse(readFileSync(join(here.folder, 'root.json'), 'utf8')).kid,
      },
      rotation: { level: 'ok', state: 'none', folder: 'rotation' },
      tree: { level: 'ok', folder: 'dist', published: true },
      list: { level: 'ok', issuers: 2, ageDays: 0 },
      publication: { level: 'ok', sequence: 1, since: expect.stringMatching(/Z$/) },
      online: { level: 'ok', daysLeft: 89 },
      checkpoint: { level: 'ok', hoursLeft: 23, current: true },
      changes: { level: 'ok', state: 'unchanged', changes: [], problems: [] },
      live: { level: 'note' },
    });
  });

  it('prints one line for each part, the most urgent first', async () => {
    registry();
    await publishWithCheckpoint();
    configure(ONLINE.replace('{', '{ may_hold: false,'));
    writeFiles(here.folder, { 'issuers/gamma.yaml': recordText('gamma'), 'issuers/alpha.yaml': 'tier: 1\n' });
    const { code, stdout, stderr } = await cli(['status'], here.folder);
    const lines = stdout.split('\n\n')[0]?.split('\n') ?? [];
    expect([code, stderr]).toEqual([1, '']);
    expect(lines.map((line) => line.slice(0, 19).trim())).toEqual([
      'FAILED  changes',
      'warning online keys',
      'note    live',
      ...['ok      root key', 'ok      tree', 'ok      list', 'ok      publication', 'ok      checkpoint'],
    ]);
  });

  it('ends with 1 for a warning only if told so', async () => {
    registry();
    await publishWithCheckpoint();
    configure(ONLINE.replace('{', '{ may_hold: false,'));
    expect((await cli(['status'], here.folder)).code).toBe(0);
    expect((await cli(['status', '--fail-on', 'warning'], here.folder)).code).toBe(1);
    await publishWithCheckpoint();
    expect((await cli(['status', '--fail-on', 'warning'], here.folder)).code).toBe(0);
  });
});

describe('the times of a registry', () => {
  beforeEach(() => registry());

  it.each([
    [13 * DAY, 'ok', 0],
    [14 * DAY, 'warning', 0],
    [20 * DAY - 5, 'warning', 0],
    [20 * DAY + 10, 'error', 1],
  ])('of an online key for 20 days, %d minutes later', async (minutes, level, code) => {
    await publishWithCheckpoint({ days: 20 });
    // The checkpoint is renewed until the time of its key ends.
    if (code === 0) expect((await cli(['checkpoint'], here.folder, later(minutes))).code).toBe(0);
    const found = await statusOf([], later(minutes));
    expect([found.levels['online'], found.code]).toEqual([level, code]);
    expect(found.next[0]).toBe(level === 'ok' ? undefined : 'npx passport-registry build --production');
  });

  it.each([
    [17 * 60, 'ok', 0],
    [19 * 60, 'warning', 0],
    [24 * 60 + 10, 'error', 1],
  ])('of a checkpoint of 24 hours, %d minutes later', async (minutes, level, code) => {
    await publishWithCheckpoint();
    const found = await statusOf([], later(minutes));
    expect([found.levels['checkpoint'], found.code]).toEqual([level, code]);
    expect(found.next[0]).toBe(level === 'ok' ? undefined : 'npx passport-registry checkpoint dist');
  });

  it.each([
    [22 * DAY, 'ok', 0],
    [23 * DAY, 'warning', 0],
    [30 * DAY + 10, 'error', 1],
  ])('of a checkpoint by the root key, %d minutes later', async (minutes, level, code) => {
    await good('build');
    const found = await statusOf([], later(minutes));
    expect([found.levels['checkpoint'], found.code]).toEqual([level, code]);
    expect(found.next[0]).toBe(level === 'ok' ? undefined : 'npx passport-registry checkpoint dist');
  });

  it('are wrong if they are in the future', async () => {
    await publishWithCheckpoint();
    const { levels } = await statusOf([], later(-10));
    expect(levels).toMatchObject({ list: 'error', checkpoint: 'error' });
  });
});

describe('a publication statement', () => {
  beforeEach(async () => {
    registry();
    await good('build');
  });

  it.each([
    ['missing', 2, 'a build cannot recreate the file'],
    ['damaged', 1, 'restore the tree'],
  ])('that is %s is to be restored, because no build can sign it', async (how, refusal, words) => {
    const before = readTreeFile(join(here.folder, 'dist/publication.jwt'));
    if (how === 'damaged') writeFiles(here.folder, { 'dist/publication.jwt': 'x' });
    else removeTreeFile(join(here.folder, 'dist/publication.jwt'));
    const { levels, report } = await statusOf();
    expect(levels['publication']).toBe('error');
    expect(report.next).toEqual([
      { reason: expect.stringMatching(/^restore dist from a mirror or a backup: .*dist\/statements\.json /) },
    ]);
    writeFiles(here.folder, { 'issuers/gamma.yaml': recordText('gamma') });
    for (const args of [['build'], ['build', '--unsigned', 'request']]) {
      const { code, stderr } = await cli(args, here.folder);
      expect([code, stderr]).toEqual([refusal, expect.stringContaining(words)]);
    }
    writeFiles(here.folder, { 'dist/publication.jwt': before });
    await good('build');
    expect((await statusOf()).report.publication).toMatchObject({ level: 'ok', sequence: 2 });
  });
});

describe('a hold', () => {
  it('is told until the list has stopped the issuer and the hold is released', async () => {
    registry();
    configure(ONLINE);
    await good('build');
    const before = await statusOf();
    expect(before.report.hold).toEqual({ level: 'ok', message: 'none', issuers: [], releasable: [] });
    expect(before.report.online).toMatchObject({ mayHold: true });
    expect(before.report.online.message).toMatch(/, and may hold issuers$/);
    expect((await cli(['status'], here.folder)).stdout).not.toContain(' hold  ');

    await good('hold', 'alpha', 'beta');
    const held = await statusOf(['--fail-on', 'warning']);
    expect(held.code).toBe(1);
    expect(held.report.hold).toMatchObject({ level: 'warning', issuers: ['alpha', 'beta'], releasable: [] });
    expect(held.report.next[0].reason).toBe(
      'suspend with the root key: alpha, beta. After a false alarm, run ' +
        '`npx passport-registry hold --end --false-alarm` with the id instead',
    );
    expect((await cli(['status'], here.folder)).stdout).toMatch(/^warning hold {8}alpha, beta, /m);

    writeFiles(here.folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
    await good('build');
    const suspended = await statusOf();
    expect(suspended.report.hold).toMatchObject({ level: 'warning', releasable: ['alpha'] });
    expect(suspended.next).toContain('npx passport-registry hold --end alpha');
    expect(suspended.report.hold.message).toMatch(/: treated as suspended; holds that can end: alpha$/);
    await good('hold', '--end', 'beta', '--false-alarm');
    expect((await statusOf()).report.hold.level).toBe('note');
    await good('hold', '--end', 'alpha');
    expect((await statusOf()).report.hold).toEqual(before.report.hold);
  });

  it('that registry.yaml no longer permits, or permits again, waits for the next build', async () => {
    registry();
    configure(ONLINE);
    await good('build');
    configure(ONLINE.replace('{', '{ may_hold: false,'));
    const denied = await statusOf();
    expect([denied.report.online.mayHold, denied.levels['online']]).toEqual([true, 'warning']);
    expect(denied.next[0]).toBe('npx passport-registry build --production');
    await good('build');
    expect((await statusOf()).report.online).toMatchObject({ level: 'ok', mayHold: false });
  });
});

describe('a checkpoint', () => {
  beforeEach(async () => {
    registry();
    await publishWithCheckpoint();
  });

  it('by another key than that of registry.yaml is a warning, until a build names that key', async () => {
    configure(ONLINE.replaceAll('online.', 'stranger.'));
    const stranger = JSON.parse(readFileSync(join(here.folder, 'stranger.json'), 'utf8')).kid;
    const { levels, report, next } = await statusOf();
    expect([levels['online'], report.online.onlineKeys]).toEqual([
      'warning',
      [expect.not.stringMatching(stranger)],
    ]);
    expect(report.online.message).toContain(stranger);
    expect(next).toEqual(['npx passport-registry build --production', undefined]);
    await good('build');
    expect((await statusOf()).report.online).toMatchObject({ level: 'ok', onlineKeys: [stranger] });
  });

  it('that is missing is an error', async () => {
    removeTreeFile(join(here.folder, 'dist/checkpoint.jwt'));
    const { levels, next, report } = await statusOf();
    expect([levels['checkpoint'], next]).toEqual(['error', [undefined]]);
    expect(report.next[0].reason).toMatch(/^restore dist /);
    // It could have held issuers.
    expect(report.hold).toEqual({
      level: 'note',
      message: expect.stringContaining('unknown'),
      releasable: [],
    });
    expect((await cli(['status'], here.folder)).stdout).toMatch(/^note {4}hold {8}unknown: /m);
  });

  it('that is forged is an error', async () => {
    const jwt = readTreeFile(join(here.folder, 'dist/checkpoint.jwt')).toString();
    writeFiles(here.folder, { 'dist/checkpoint.jwt': `${jwt.slice(0, -8)}AAAAAAAA` });
    const { code, levels } = await statusOf();
    expect([code, levels['checkpoint']]).toEqual([1, 'error']);
    expect(levels['hold']).toBe('note');
  });
});

describe('the tree', () => {
  beforeEach(async () => {
    registry();
    await good('build');
  });

  it('has a file that is not part of it', async () => {
    writeFiles(here.folder, { 'dist/later.json': '{}' });
    const { report } = await statusOf();
    expect(report.tree).toMatchObject({
      level: 'warning',
      message: expect.stringContaining('later.json'),
    });
    writeFiles(here.folder, { 'dist/CNAME': 'evil.example' });
    const { code, report: refused } = await statusOf();
    expect([code, refused.tree]).toMatchObject([
      1,
      { level: 'error', message: expect.stringContaining('CNAME') },
    ]);
  });

  it('is not called valid if another line tells of a damaged file', async () => {
    const jwt = readTreeFile(join(here.folder, 'dist/checkpoint.jwt')).toString();
    writeFiles(here.folder, { 'dist/checkpoint.jwt': `${jwt.slice(0, -8)}AAAAAAAA` });
    const { report } = await statusOf();
    expect([report.checkpoint.level, report.tree.level]).toEqual(['error', 'note']);
    expect(report.tree.message).toContain('checkpoint');
  });
});

describe('the root key', () => {
  beforeEach(async () => {
    registry();
    await good('build');
  });

  it.each([
    ['is not here', '', 'note'],
    ['other users may read', 'readable', 'warning'],
  ])('whose key file %s', async (words, kind, level) => {
    rmSync(join(here.folder, 'root.pem'));
    if (kind !== '') writeFiles(here.folder, { 'root.pem': 'not a key' });
    const { report } = await statusOf();
    expect([report.rootKey.level, report.rootKey.message]).toEqual([level, expect.stringContaining(words)]);
  });

  it('is never read, and the passphrase is not asked for, and no command is run', async () => {
    const fifo = join(here.folder, 'fifo.pem');
    await run('mkfifo', ['-m', '600', fifo], here.folder);
    // To read the pipe would block.
    expect((await statusOf(['--key', 'fifo.pem'])).levels['rootKey']).toBe('note');
    writeFileSync(join(here.folder, 'e.pem'), encryptedKey('x'), { mode: 0o600 });
    expect((await statusOf(['--key', 'e.pem'])).levels['rootKey']).toBe('ok');
    writeFiles(here.folder, {
      'command.yaml': 'root_key: root.json\nsigner: { command: touch signed; exit 1 }',
    });
    const { report } = await statusOf(['--config', 'command.yaml']);
    expect(report.rootKey.message).toContain('a command signs');
    await expect(run('test', ['-e', join(here.folder, 'signed')], here.folder)).resolves.toMatchObject({
      code: 1,
    });
  });

  it.each<[string, Record<string, string>, string]>([
    ['that is set', { ROOT: 'secret-value' }, 'env:ROOT is set'],
    ['that is not set', {}, 'env:ROOT is not set here'],
  ])('in a variable %s', async (_name, environment, words) => {
    const { report } = await statusOf(['--key', 'env:ROOT'], environment);
    expect(report.rootKey.message).toContain(words);
    expect(JSON.stringify(report)).not.toContain('secret-value');
  });

  it.each([
    ['names another key', 'stranger.json', 'the pinned key is'],
    ['is missing', 'none.json', 'none.json does not exist'],
    ['is the private key', 'root.pem', 'contains no public JWK'],
  ])('that %s in root_key is an error', async (_name, file, words) => {
    const { code, stderr, stdout } = await cli(['status', '--root-key', file], here.folder);
    expect([code, stdout, stderr]).toEqual([1, expect.stringContaining(words), '']);
    expect(stdout).toMatch(/^FAILED {2}root key/);
    expect(stdout).not.toContain('PRIVATE');
    expect(stdout).toContain('Next: correct root_key, or restore dist');
  });
});

describe('the log', () => {
  const ORIGIN = 'registry.example/log';
  const COSIGN = 'npx passport-registry checkpoint dist';
  const witnesses = ['a.example', 'b.example'].map((name) => noteSigner(name, 'witness'));
  /** The witnesses that respond. */
  let present: readonly NoteSigner[];

  beforeEach(async () => {
    registry();
    writeFiles(here.folder, {
      'log.json': await good('keys', 'generate', '--no-passphrase', '--private', 'log.pem'),
    });
    present = [];
    const settings = await Promise.all(
      witnesses.map(async (witness) => {
        const service = await cosigningService(witness, () =>
          present.includes(witness) ? Math.floor(Date.now() / 1000) : undefined,
        );
        return `    - { key: ${witness.vkey}, service: '${service}' }\n`;
      }),
    );
    configure(
      `log:\n  origin: ${ORIGIN}\n  signer: { key: log.pem }\n  quorum: 2\n  wait: 1\n  witnesses:\n${settings.join('')}`,
    );
  });

  const cosign = () => cli(['checkpoint', 'dist'], here.folder);
  /** What `verify` says of a tree that is the expected one. */
  const verified = () => cli(['verify', 'dist', '--expect', 'dist'], here.folder);

  it('is a warning while too few of the witnesses have cosigned, and `checkpoint` is the next step', async () => {
    const said = (await cli(['build', '--cosign-wait', '0'], here.folder)).stderr;
    expect(said).toContain('a.example: was neither asked');
    const none = await statusOf();
    expect(none.report.log).toMatchObject({
      ...{ level: 'warning', size: 1, cosigned: 0, quorum: 2, pending: false },
      message: expect.stringContaining('a.example, b.example did not'),
    });
    expect(none.next[0]).toBe(COSIGN);
    const refused = await verified();
    expect([refused.code, refused.stdout]).toEqual([
      0,
      expect.stringMatching(
        /WARNING: cosigned by 0 of 2 witnesses, but .* refuse it: run `checkpoint dist` until it ends with 0/,
      ),
    ]);
    present = witnesses.slice(0, 1);
    await cosign();
    const one = await statusOf();
    expect(one.report.log).toMatchObject({ level: 'warning', cosigned: 1, quorum: 2 });
    expect(one.report.log.message).toContain(': b.example did not');
    expect(one.next[0]).toBe(COSIGN);
    present = witnesses;
    await cosign();
    const both = await statusOf();
    expect(both.report.log).toMatchObject({ level: 'ok', cosigned: 2 });
    expect(both.report.log.message).toContain('by a.example, b.example since');
    expect(both.next).toEqual([]);
    expect((await verified()).stdout).not.toContain('WARNING');
  });

  it('counts no cosignature of a key that registry.yaml does not name', async () => {
    present = witnesses;
    await good('build');
    const vkey = noteSigner('a.example', 'witness').vkey;
    const text = readFileSync(join(here.folder, 'registry.yaml'), 'utf8');
    writeFiles(here.folder, { 'registry.yaml': text.replace(witnesses[0]?.vkey ?? '', vkey) });
    expect((await statusOf()).report.log).toMatchObject({ level: 'warning', cosigned: 1 });
  });

  it('that has a pending publication is completed by `checkpoint`, or by a build if there are further changes', async () => {
    present = witnesses;
    await good('build');
    writeFiles(here.folder, { 'issuers/gamma.yaml': recordText('gamma') });
    await onlyLogged(join(here.folder, 'dist'), () => good('build'));
    const { report, next } = await statusOf();
    expect(report.log).toMatchObject({ level: 'warning', pending: true });
    expect(report.changes).toMatchObject({ state: 'unchanged', changes: [] });
    expect(next[0]).toBe(COSIGN);
    writeFiles(here.folder, { 'issuers/delta.yaml': recordText('delta') });
    const more = await statusOf();
    expect(more.report.changes.changes).toMatchObject([{ issuer_id: 'delta', kind: 'added' }]);
    expect(more.next[0]).toMatch(/^npx passport-registry build /);
    rmSync(join(here.folder, 'issuers/delta.yaml'));
    await cosign();
    expect((await statusOf()).next).toEqual([]);
  });
});

describe('changes', () => {
  beforeEach(async () => {
    registry();
    await good('build');
  });

  it.each<[string, () => void, string]>([
    [
      'a record is removed',
      () => rmSync(join(here.folder, 'issuers/beta.yaml')),
      'the record of beta was removed',
    ],
    [
      'a record is invalid',
      () => writeFiles(here.folder, { 'issuers/beta.yaml': recordText('beta', { tier: 'x' }) }),
      'issuers/beta.yaml: ',
    ],
    [
      'a record has a reserved name',
      () =>
        writeFiles(here.folder, { 'issuers/c.yaml': recordText('c', { jwks_uri: 'https://c.example/' }) }),
      'a name that is reserved for examples',
    ],
    [
      'there are no records',
      () => rmSync(join(here.folder, 'issuers'), { recursive: true }),
      'a build would stop',
    ],
  ])('that a build refuses are an error: %s', async (_name, change, words) => {
    change();
    const { code, report } = await statusOf();
    expect([code, report.changes]).toEqual([
      1,
      expect.objectContaining({ level: 'error', message: expect.stringContaining(words) }),
    ]);
    expect((await cli(['build'], here.folder)).code).toBe(report.changes.state === 'none' ? 2 : 1);
  });

  it('that are published but not committed are a warning, because another clone would undo them', async () => {
    const git = (...args: string[]) => gitIn(here.folder, ...args);
    git('init', '-q');
    git('add', 'issuers');
    git('commit', '-qm', 'Records');
    const own = await statusOf();
    expect(own.report.changes).toMatchObject({ level: 'note', toCommit: ['registry.yaml', 'root.json'] });
    expect(own.next[0]).toMatch(/^git add registry\.yaml root\.json && git commit /);
    git('add', 'registry.yaml', 'root.json');
    git('commit', '-qm', 'Settings');
    expect((await statusOf()).levels['changes']).toBe('ok');
    await good('suspend', 'alpha', '--reason', 'x');
    const { report } = await statusOf();
    expect(report.changes).toMatchObject({ level: 'warning', uncommitted: 1 });
    expect(report.changes.toCommit).toEqual(['issuers']);
    git('commit', '-qam', 'Suspend');
    expect((await statusOf()).levels['changes']).toBe('ok');
    const reinstated = new Date(Date.now() + 60_000).toISOString();
    writeFiles(here.folder, { 'issuers/alpha.yaml': recordText('alpha', { reinstated }) });
    expect((await statusOf()).report.changes.message).toContain('alpha suspended -> active');
    const built = await cli(['build'], here.folder);
    expect(built.stderr).toContain('alpha: status suspended → active');
  });

  it('of a first list are refused as well', async () => {
    rmSync(join(here.folder, 'dist'), { recursive: true });
    writeFiles(here.folder, { 'issuers/c.yaml': recordText('c', { jwks_uri: 'https://c.example/' }) });
    expect((await statusOf()).levels['changes']).toBe('error');
    expect((await statusOf(['--allow-example-names'])).levels['changes']).toBe('note');
  });

  it('with a value that can never change show its warning before they are published', async () => {
    const future = { certified_since: '2999-01-01T00:00:00Z' };
    writeFiles(here.folder, { 'issuers/gamma.yaml': recordText('gamma', future) });
    const { report } = await statusOf();
    expect(report.changes).toMatchObject({
      ...{ level: 'note', warnings: [{ rule: 'certified-in-future', file: 'issuers/gamma.yaml' }] },
      message: expect.stringContaining('issuers/gamma.yaml: certified_since'),
    });
    await good('build');
    expect((await statusOf()).report.changes.warnings).toEqual([]);
  });

  it('that an operator permits are none, and the proposed build permits them, too', async () => {
    rmSync(join(here.folder, 'issuers/beta.yaml'));
    const { levels, next } = await statusOf(['--override', 'beta:record-removed']);
    expect(levels['changes']).toBe('note');
    expect(next[0]).toBe('npx passport-registry build --production --override beta:record-removed');
  });

  it.each(['dist', 'no dist'])('with a reserved name are shown by the proposed command: %s', async (tree) => {
    if (tree === 'no dist') rmSync(join(here.folder, 'dist'), { recursive: true });
    writeFiles(here.folder, { 'issuers/c.yaml': recordText('c', { jwks_uri: 'https://c.example/' }) });
    const { next } = await statusOf();
    const words = (next[0] ?? '').split(' ').slice(2);
    const shown = await cli(words, here.folder);
    expect([shown.code, shown.stdout]).toEqual([1, expect.stringContaining('error example-name')]);
    const allowed = await cli([...words, '--allow-example-names'], here.folder);
    expect([allowed.code, allowed.stdout]).toEqual([0, expect.stringContaining('warning example-name')]);
    const unasked = await cli(
      words.filter((word) => word !== '--production'),
      here.folder,
    );
    expect([unasked.code, unasked.stdout]).toEqual([0, expect.not.stringContaining('example-name')]);
  });

  it('with a reserved name that was published deliberately are a warning, until a build must publish', async () => {
    writeFiles(here.folder, { 'issuers/c.yaml': recordText('c', { jwks_uri: 'https://c.example/' }) });
    await good('build', '--allow-example-names');
    const { code, levels, report } = await statusOf();
    expect([code, levels['changes'], report.changes.state]).toEqual([0, 'warning', 'unchanged']);
    expect(report.next).toEqual([
      {
        command: 'npx passport-registry diff dist issuers --production',
        reason: expect.stringContaining('pass --allow-example-names'),
      },
    ]);
    expect((await statusOf(['--allow-example-names'])).report).toMatchObject({ level: 'note', next: [] });
    writeFiles(here.folder, { 'issuers/d.yaml': recordText('d') });
    expect((await statusOf()).levels['changes']).toBe('error');
    const allowed = await statusOf(['--allow-example-names']);
    expect(allowed.next[0]).toBe('npx passport-registry build --production --allow-example-names');
    await good('build', '--production', '--allow-example-names');
  });

  it('cannot be compared with a list that was edited', async () => {
    const list = readFileSync(join(here.folder, 'dist/issuers.json'), 'utf8');
    writeFiles(here.folder, { 'dist/issuers.json': list.replace('alpha', 'alpho') });
    const { code, levels, report } = await statusOf();
    expect([code, levels['tree'], levels['changes']]).toEqual([1, 'error', 'error']);
    expect(report.next).toEqual([
      { reason: expect.stringMatching(/^restore dist from a mirror or a backup/) },
    ]);
  });

  it('are not compared with a folder that is no tree', async () => {
    const { code, report } = await statusOf(['--out', 'issuers']);
    expect([code, report.tree.message]).toEqual([1, expect.stringContaining('contains no registry')]);
  });

  it('are not compared with a file in place of the tree', async () => {
    const { code, report } = await statusOf(['--out', 'root.json']);
    expect([code, report.tree.message]).toEqual([1, expect.stringContaining('is not a folder')]);
  });

  it('in the tree are an error, and the next build repairs it', async () => {
    writeFiles(here.folder, { 'dist/issuers/alpha': '{}' });
    const { code, levels, next } = await statusOf();
    expect([code, levels['tree'], next[0]]).toEqual([1, 'error', 'npx passport-registry build --production']);
  });
});

describe('the commands that status proposes', () => {
  /** Runs them as a shell would, in order. */
  async function obey(environment: Record<string, string> = {}): Promise<void> {
    const { next } = await statusOf();
    const commands = next.filter((command) => command !== undefined);
    expect(commands.length).toBeGreaterThan(0);
    const outcome: Outcome = await run('sh', ['-euc', commands.join('\n')], here.folder, {
      ...(await installedPath()),
      ...environment,
    });
    expect([outcome.code, outcome.stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
  }

  it('publish a first list, changes, an online key and a checkpoint, until nothing is left to do', async () => {
    registry();
    const done = async () => expect((await statusOf()).report).toMatchObject({ ok: true, next: [] });
    await obey();
    await done();
    await publishWithCheckpoint({ days: 13, hours: 24 });
    writeFiles(here.folder, { 'issuers/gamma.yaml': recordText('gamma') });
    await obey();
    await done();
    const base = await serve(join(here.folder, 'dist'));
    configure(`${ONLINE}base_url: ${base}\n`);
    await done();
    writeFiles(here.folder, { 'issuers/delta.yaml': recordText('delta') });
    await obey();
    await done();
  });

  it('say that the online key must be a setting first, if the tree has a checkpoint', async () => {
    registry();
    await publishWithCheckpoint();
    writeFiles(here.folder, { 'issuers/gamma.yaml': recordText('gamma') });
    const reason = async () => (await statusOf()).report.next[0].reason;
    expect(await reason()).toBe('publish the changes');
    configure();
    expect(await reason()).toBe(
      'publish the changes. First name the online key in registry.yaml: checkpoint.signer',
    );
  });

  it('repeat what the command line gave, quoted for a shell', async () => {
    registry();
    writeFiles(here.folder, { 'registry.yaml': '' });
    const args = ['--root-key', 'root.json', '--out', "the registry's", '--key', 'my key.pem'];
    const { next } = await statusOf(args);
    expect(next[0]).toBe(
      "npx passport-registry build --key 'my key.pem' --root-key root.json --production --out 'the registry'\\''s'",
    );
  });
});
