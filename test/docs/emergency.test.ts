import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { operatorCommands, sh } from '../support/documents.js';
import { obey, registryAfter, START } from '../support/operator-registry.js';
import { freePort, serve } from '../support/serving.js';
import { cli, goodCli } from '../support/workspace.js';

const ID = 'harbour-logistics';

/** A registry with all keys, whose URL serves what was published, and commands that run in it. */
async function registryAtNight() {
  const folder = await registryAfter(START);
  const host = join(folder, '../host');
  cpSync(join(folder, 'dist'), host, { recursive: true });
  const url = await serve(host);
  edit(folder, 'registry.yaml', (text) => `${text}base_url: ${url}\n`);
  return { folder, host, url };
}

function edit(folder: string, file: string, change: (text: string) => string): void {
  const before = readFileSync(join(folder, file), 'utf8');
  const after = change(before);
  expect(after).not.toBe(before);
  writeFileSync(join(folder, file), after);
}

/** Runs the commands of a section that asks to edit the settings after the first ones. */
async function withEdit(heading: string, folder: string, change: (settings: string) => string) {
  const [before = '', after = ''] = operatorCommands(heading);
  await sh(before, folder);
  edit(folder, 'registry.yaml', change);
  await sh(after, folder);
}

/** Whom a tree stops: by its checkpoint, and by its list. */
async function stopped(folder: string, tree = 'dist') {
  const { stdout } = await cli(['verify', tree, '--trust-anchor', 'dist/keys/root.json', '--json'], folder);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true });
  const list = JSON.parse(readFileSync(join(folder, tree, 'issuers.json'), 'utf8'));
  const { checkpoint } = JSON.parse(readFileSync(join(folder, tree, 'statements.json'), 'utf8'));
  const { hold = [] } = JSON.parse(Buffer.from(checkpoint.split('.')[1], 'base64url').toString());
  const bad = list.issuers.filter(({ status }: { status: string }) => status !== 'active');
  return { hold, list: bad.map(({ issuer_id }: { issuer_id: string }) => issuer_id) };
}

describe('the commands of docs/operators/emergency.md', () => {
  it('suspend an issuer, end that, and revoke it', async () => {
    const { folder } = await registryAtNight();
    await obey(['An issuer is compromised'], folder);
    const record = readFileSync(join(folder, `issuers/${ID}.yaml`), 'utf8');
    expect(record).toMatch(
      / active: new keys, audited\nstatus: revoked\nstatus_reason: asked to be removed\n/,
    );
    expect(record).toContain('\nreinstated: ');
  });

  it('hold an issuer without the root key, and suspend it when the key is back', async () => {
    const { folder } = await registryAtNight();
    const [hold = '', back = ''] = operatorCommands('The root key is away');
    await sh(`mv ../root-key.pem ../away.pem\n${hold}`, folder);
    expect(await stopped(folder)).toEqual({ hold: [ID], list: [] });
    await sh(`mv ../away.pem ../root-key.pem\n${back}`, folder);
    expect(await stopped(folder)).toEqual({ hold: [], list: [ID] });
  });

  it('suspend an issuer while the host is down, and let mirrors copy the list from another one', async () => {
    const folder = await registryAfter(START);
    const down = `http://127.0.0.1:${await freePort()}`;
    edit(folder, 'registry.yaml', (text) => `${text}base_url: ${down}\n`);
    const [suspend = '', mirror = ''] = operatorCommands('The host is down');
    expect((await cli(['suspend', ID, '--reason', 'x'], folder)).code).toBe(4);
    await sh(suspend, folder);
    const copy = mirror
      .replace('https://other.example', await serve(join(folder, 'dist')))
      .replace('/srv/registry', 'copy')
      .replace('trust-anchor.json', 'root.json');
    await sh(copy, folder);
    expect(await stopped(folder, 'copy/current')).toEqual({ hold: [], list: [ID] });
  });

  it('hold an issuer in a clone that has no tree', async () => {
    const { folder } = await registryAtNight();
    rmSync(join(folder, 'dist'), { recursive: true });
    await obey(['The workflow does not run'], folder);
    expect(await stopped(folder)).toEqual({ hold: [ID], list: [] });
  });

  it('rotate over what a thief of the root key serves', async () => {
    const { folder, host } = await registryAtNight();
    cpSync(join(folder, 'dist/keys/root.json'), join(folder, 'old-root.json'));
    await thief(folder, host);
    const [rotate = ''] = operatorCommands('The root key has leaked');
    expect((await cli(['build'], folder)).code).toBe(1);
    await sh(rotate, folder);
    expect(await stopped(folder)).toEqual({ hold: [], list: [] });
    await goodCli(['verify', 'dist', '--trust-anchor', 'old-root.json'], folder);
  });

  it('rotate after a load, where verifiers have seen the entries of a thief in the log', async () => {
    const { folder, host, url } = await registryAtNight();
    cpSync(join(folder, 'dist/keys/root.json'), join(folder, 'old-root.json'));
    await thief(folder, host);
    await goodCli(['mirror', url, 'copy', '--trust-anchor', 'old-root.json'], folder);
    await goodCli(['load'], folder);
    expect((await cli(['diff', 'dist', 'issuers'], folder)).code).toBe(1);
    const [rotate = ''] = operatorCommands('The root key has leaked');
    const override = `--override ${ID}:suspension-not-lifted`;
    await sh(rotate.replace('--offline', override), folder);
    cpSync(join(folder, 'dist'), host, { recursive: true });
    await goodCli(['mirror', url, 'copy', '--trust-anchor', 'old-root.json'], folder);
    expect(await stopped(folder, 'copy/current')).toEqual({ hold: [], list: [] });
  });

  it('replace an online key that has leaked', async () => {
    const { folder, host } = await registryAtNight();
    await goodCli(['hold', ID, '--out', host, '--offline'], folder);
    await withEdit('The online key has leaked', folder, (text) =>
      text.replaceAll(/\bonline\./g, 'online-2.'),
    );
    expect(await stopped(folder)).toEqual({ hold: [ID], list: [] });
    await goodCli(['hold', '--end', ID, '--false-alarm'], folder);
    const old = await cli(['checkpoint', '--online-key', '../online.pem'], folder);
    expect(old.code).toBe(3);
  });

  it('replace the key of the log that is lost', async () => {
    const { folder } = await registryAtNight();
    rmSync(join(folder, '../log-key.pem'));
    expect((await cli(['suspend', ID, '--reason', 'x'], folder)).code).toBe(3);
    const named = 'signer: {key: ../log-2.pem}, public_key: log-2.json';
    await withEdit('The key of the log is lost', folder, (text) =>
      text.replace('signer: {key: ../log-key.pem}', named),
    );
    expect(await stopped(folder)).toEqual({ hold: [], list: [ID] });
  });

  it('hold an issuer while its suspension waits for witnesses', async () => {
    const { folder } = await registryAtNight();
    const key = 'witness.example+eab4f4b9+BBwGnf7FrrS1qOmj7fAsTBdrEftT1+pTpz0HTztQlgzG';
    const away = `quorum: 1, witnesses: [{key: ${key}, service: 'http://127.0.0.1:${await freePort()}'}]`;
    edit(folder, 'registry.yaml', (text) => text.replace('log: {', `log: {${away}, `));
    expect((await cli(['suspend', ID, '--reason', 'x'], folder)).code).toBe(6);
    const [hold = '', again = ''] = operatorCommands('When witnesses are away');
    await sh(hold.replace(' hold ', ' hold --cosign-wait 0 '), folder);
    expect(again.trim()).toBe('npx passport-registry checkpoint');
    expect((await cli(['checkpoint'], folder)).code).toBe(6);
    expect(await stopped(folder)).toEqual({ hold: [ID], list: [] });
    expect(existsSync(join(folder, '.dist.stage'))).toBe(true);
  });

  it('load a tree that is lost or damaged', async () => {
    const { folder } = await registryAtNight();
    writeFileSync(join(folder, 'dist/issuers', ID), '{}\n');
    expect((await cli(['hold', ID], folder)).code).toBe(1);
    await obey(['The tree is damaged or lost'], folder);
    rmSync(join(folder, 'dist'), { recursive: true });
    await obey(['The tree is damaged or lost'], folder);
    expect(await stopped(folder)).toEqual({ hold: [], list: [] });
  });

  it('start over with another root key', async () => {
    const { folder } = await registryAtNight();
    rmSync(join(folder, '../root-key.pem'));
    await withEdit('The root key is lost', folder, (text) =>
      text
        .replace(/^root_key: .*$/m, 'root_key: fresh.json')
        .replace(/^signer: .*$/m, 'signer: {key: ../fresh-key.pem}')
        .replace('/log,', '/2/log,'),
    );
    await goodCli(['verify', 'dist', '--trust-anchor', 'fresh.json'], folder);
  });

  it('end the hold of a false alarm', async () => {
    const { folder } = await registryAtNight();
    await goodCli(['hold', ID], folder);
    await obey(['Mistakes'], folder);
    expect(await stopped(folder)).toEqual({ hold: [], list: [] });
  });
});

/** A thief of the keys suspends an issuer, and lets the registry's URL serve that. */
async function thief(folder: string, host: string): Promise<void> {
  const own = join(folder, '../thief');
  cpSync(folder, own, { recursive: true });
  await goodCli(['suspend', ID, '--reason', 'x', '--offline'], own);
  cpSync(join(own, 'dist'), host, { recursive: true });
}
