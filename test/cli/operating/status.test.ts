import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { copyOf } from '../../support/made-once.js';
import { operatorIn } from '../../support/operator.js';
import { freePort, plainHost } from '../../support/serving.js';
import {
  cli,
  clockAhead,
  filesOf,
  keyPair,
  recordText,
  run,
  temporaryFolder,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

/** The settings of an online key. */
const ONLINE = 'checkpoint: { signer: { key: online.pem }, public_key: online.json }\n';

let made: string;
let folder: string;

const { good } = operatorIn(() => folder);

/** The exit code, and each part by its name. */
async function status(args: readonly string[] = [], minutes = 0) {
  const { code, stdout } = await cli(['status', '--json', ...args], folder, clockAhead(minutes));
  const { ok, level, parts } = JSON.parse(stdout);
  const byName = Object.fromEntries(parts.map((one: { part: string }) => [one.part, one]));
  return { code, ok, level, parts: byName };
}

/** The level of each part that is not `ok`. */
async function problems(...args: string[]): Promise<Record<string, string>> {
  const { parts } = await status(args);
  const urgent = Object.entries<{ level: string }>(parts).filter(([, { level }]) => level !== 'ok');
  return Object.fromEntries(urgent.map(([part, { level }]) => [part, level]));
}

const configure = (settings = '') =>
  writeFiles(folder, { 'registry.yaml': `root_key: root.json\nsigner: { key: root.pem }\n${settings}` });

beforeAll(async () => {
  folder = await workspace(['alpha', 'beta']);
  for (const name of ['root', 'online', 'stranger']) await keyPair(folder, name);
  configure();
  made = folder;
});

beforeEach(() => {
  folder = copyOf(made);
  // What this machine has signed with the key, which all copies have.
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
});

it('tells an operator what a registry has, from an empty folder to the first list', async () => {
  const registry = folder;
  folder = temporaryFolder();
  expect(await problems()).toEqual({ base_url: 'note', records: 'note', tree: 'note', 'root key': 'note' });
  mkdirSync(join(folder, 'issuers'));
  expect((await status()).code).toBe(0);

  folder = registry;
  expect((await status()).parts['records']).toMatchObject({ level: 'note', hint: 'Run `build`' });
  await good('build');
  const before = filesOf(folder);
  const { code, stdout, stderr } = await cli(['status'], folder);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout.split('\n').map((line) => line.slice(0, 20).trim())).toEqual([
    'note    base_url',
    'ok      checkpoint',
    'ok      records',
    'ok      tree',
    'ok      root key',
    'ok      online keys',
    'ok      list',
    '',
  ]);
  expect(filesOf(folder)).toEqual(before);
  expect((await cli(['status', '--fail-on', 'warning'], folder)).code).toBe(0);

  writeFiles(folder, { '.dist.stage/manifest.json': '{}' });
  expect((await status()).parts['stage']).toMatchObject({ level: 'warning', hint: expect.any(String) });
  rmSync(join(folder, '.dist.stage'), { recursive: true });
  writeFiles(folder, { 'issuers/alpha.yaml': 'tier: 1\n', 'dist/issuers.json': '{}' });
  const damaged = await status();
  expect([damaged.code, damaged.ok, damaged.level]).toEqual([1, false, 'error']);
  expect(damaged.parts).toMatchObject({
    tree: { level: 'error', hint: 'Run `load`' },
    records: { level: 'error' },
  });
});

it('says what would fail in an emergency, while there is time (case 27)', async () => {
  await good('build');
  // A key that was never published.
  configure(ONLINE);
  expect(await problems('--offline')).toEqual({ 'online keys': 'error' });
  expect((await cli(['hold', 'alpha'], folder)).code).toBe(3);
  await good('build');
  expect(await problems('--offline')).toEqual({});

  // Another key, a key without the permission, and another root key.
  configure(ONLINE.replaceAll('online.', 'stranger.'));
  expect(await problems('--offline')).toEqual({ 'online keys': 'error' });
  configure(ONLINE.replace('{', '{ may_hold: false,'));
  await good('build');
  expect(await problems('--offline')).toEqual({ 'online keys': 'note' });
  configure(ONLINE);
  expect(await problems('--offline')).toEqual({ 'online keys': 'error' });
  expect((await cli(['hold', 'alpha'], folder)).code).not.toBe(0);
  expect(await problems('--offline', '--root-key', 'stranger.json')).toMatchObject({ 'root key': 'error' });
  configure(`${ONLINE}log: { origin: registry.internal/log, signer: { key: log.pem } }\n`);
  expect(await problems('--offline')).toEqual({ 'online keys': 'error', log: 'warning' });

  // The emergency.
  configure(ONLINE);
  await good('build');
  await good('hold', 'alpha');
  expect((await status(['--offline'])).parts['checkpoint']).toMatchObject({
    level: 'warning',
    hold: ['alpha'],
  });
  writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
  expect((await status(['--offline'])).parts['records']).toMatchObject({ level: 'error' });
  await good('build');
  const { parts } = await status(['--offline']);
  expect(parts).toMatchObject({
    checkpoint: { level: 'note', hold: ['alpha'], releasable: ['alpha'] },
    list: { active: 1, suspended: 1 },
  });
  expect((await status(['--offline'], 25 * 60)).parts['checkpoint'].level).toBe('error');
});

it('asks the registry and its mirrors what they serve', async () => {
  await good('build');
  for (const name of ['live', 'mirror'])
    cpSync(join(folder, 'dist'), join(folder, name), { recursive: true });
  const url = await plainHost(join(folder, 'live'), 'index.html');
  const mirror = await plainHost(join(folder, 'mirror'), 'index.html');
  const asked = ['--base-url', url, '--mirror', mirror];
  const served = async (minutes = 0) => {
    const { code, parts } = await status(asked, minutes);
    return [code, parts['base_url'].serves, parts['mirror'].serves, parts['base_url'].hint];
  };
  expect(await served()).toEqual([0, 'same', 'same', undefined]);

  writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { tier: 'founding' }) });
  await good('build');
  expect(await served()).toEqual([0, 'older', 'older', 'Upload dist']);
  expect((await served(90))[0]).toBe(1);
  cpSync(join(folder, 'dist'), join(folder, 'live'), { recursive: true });
  expect(await served()).toEqual([0, 'same', 'older', undefined]);
  rmSync(join(folder, 'dist'), { recursive: true });
  cpSync(join(folder, 'mirror'), join(folder, 'dist'), { recursive: true });
  expect(await served()).toEqual([0, 'newer', 'same', 'Run `load`']);
  rmSync(join(folder, 'mirror/statements.json'));
  expect(await served()).toEqual([1, 'newer', 'nothing', 'Run `load`']);
  const away = `http://127.0.0.1:${await freePort()}`;
  expect(await problems('--base-url', away)).toEqual({ base_url: 'error', records: 'note' });

  rmSync(join(folder, 'dist'), { recursive: true });
  expect((await status(asked)).parts['base_url']).toMatchObject({ level: 'error', serves: 'registry' });
});

// Of which levels keys are: parts.test.ts.
it('the private key is never read, and no command is run', async () => {
  const rootKey = async (args: readonly string[], environment: Record<string, string> = {}) => {
    const { stdout } = await cli(['status', '--offline', '--json', ...args], folder, environment);
    expect(stdout).not.toContain('secret-value');
    return JSON.parse(stdout).parts.find(({ part }: { part: string }) => part === 'root key');
  };
  // To read the pipe would block.
  await run('mkfifo', ['-m', '600', join(folder, 'fifo.pem')], folder);
  expect((await rootKey(['--key', 'fifo.pem'])).level).toBe('note');
  expect((await rootKey(['--key', 'env:ROOT'], { ROOT: 'secret-value' })).level).toBe('ok');
  writeFiles(folder, { 'command.yaml': 'root_key: root.json\nsigner: { command: touch signed; exit 1 }' });
  expect((await rootKey(['--config', 'command.yaml'])).fact).toContain('a command signs');
  expect(existsSync(join(folder, 'signed'))).toBe(false);
});
