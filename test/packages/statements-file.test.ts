import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createIssuerLookup, createRegistryClient } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { closedAfterTest } from '../support/clients.js';
import { describeWith } from '../support/components.js';
import { registryHost } from '../support/registry-host.js';
import { serve } from '../support/serving.js';
import {
  ISSUERS,
  KEYS,
  PINNED,
  type Registry,
  registryWithEverything,
  SETTINGS,
} from '../support/versioned-registry.js';
import { versionBefore, versionNow } from '../support/versions.js';
import { temporaryFolder, writeFiles } from '../support/workspace.js';

const [before, now] = [await versionBefore(), versionNow()];

/** A registry with everything, whose registry.yaml says `statements: true`. */
async function withStatements(): Promise<Registry> {
  const registry = await registryWithEverything(now, now);
  writeFiles(registry.folder, { 'registry.yaml': JSON.stringify({ ...SETTINGS, statements: true }) });
  await now.cli(['build', ...KEYS], registry.folder);
  expect(existsSync(join(registry.tree, 'statements.json'))).toBe(true);
  // The version before refuses a setting that it does not know.
  writeFiles(registry.folder, { 'registry.yaml': JSON.stringify(SETTINGS) });
  return registry;
}

describe('a registry with a rotation, a checkpoint, a hold, and a log with a quorum of witnesses', () => {
  it('costs two requests to load, one to refresh, and four in two rounds to look up', async () => {
    const { tree, anchor } = await withStatements();
    const files = readdirSync(tree, { recursive: true, encoding: 'utf8' });
    const isFile = (path: string) => statSync(join(tree, path)).isFile();
    const host = await registryHost(
      new Map(files.filter(isFile).map((path) => [path, readFileSync(join(tree, path))])),
    );
    const asked = () => host.log.splice(0).sort();
    const options = { sources: [host.base], trustAnchor: anchor };
    const client = closedAfterTest(createRegistryClient(options));
    await client.ready();
    expect(asked()).toEqual(['issuers.json 200', 'statements.json 200']);
    await client.refresh();
    expect(asked()).toEqual(['statements.json 304']);
    const lookup = closedAfterTest(createIssuerLookup(options));
    expect((await lookup.resolve('other'))?.issuer_id).toBe('other');
    expect(asked()).toEqual(['issuers/other 200', 'statements.json 200', 'sums/root 200']);
  });
});

describe('a registry with statements.json, and the version before', () => {
  it('its clients and look-ups read it like any other', async () => {
    const { tree, anchor } = await withStatements();
    const options = { url: await serve(tree), trustAnchor: anchor, state: join(temporaryFolder(), 'state') };
    const read = await before.client(options);
    expect(read).toEqual({ harbour: 'accepted', held: 'issuer-held', other: 'accepted' });
    expect(await now.client(options)).toEqual(read);
    const state = join(temporaryFolder(), 'state');
    for (const version of [before, now, before])
      expect(await version.lookup({ ...options, state }, ISSUERS)).toEqual(read);
  });

  it('its auditor refuses the file by name, so that auditors upgrade first, and its mirror leaves it out', async () => {
    const { tree, folder } = await withStatements();
    await expect(before.cli(['verify', 'dist', ...PINNED], folder)).rejects.toThrow('statements.json');
    await now.cli(['verify', 'dist', ...PINNED], folder);
    // Over HTTP, a mirror takes what SHA256SUMS lists, and so it goes on.
    const url = await serve(tree);
    await before.cli(['mirror', url, 'copy', '--root-key', 'first.json'], folder);
    expect(existsSync(join(folder, 'copy/current/statements.json'))).toBe(false);
    // After an upgrade, the mirror makes the file with the next change that it copies.
    await now.cli(['checkpoint', '--online-key', 'online.pem', '--hours', '30'], folder);
    await now.cli(['mirror', url, 'copy', '--root-key', 'first.json'], folder);
    expect(existsSync(join(folder, 'copy/current/statements.json'))).toBe(true);
  });

  it('a build that goes back removes it', async () => {
    const { tree, folder } = await withStatements();
    await now.cli(['build', ...KEYS], folder);
    expect(existsSync(join(tree, 'statements.json'))).toBe(false);
    await before.cli(['verify', 'dist', ...PINNED], folder);
  });
});

describeWith(
  ['rsync'],
  'a registry with statements.json, and a mirror of the version before with rsync',
  () => {
    it('refuses the file by name', async () => {
      const { folder } = await withStatements();
      const mirror = before.cli(['mirror', join(folder, 'dist'), 'copy', '--root-key', 'first.json'], folder);
      await expect(mirror).rejects.toThrow('statements.json is not in SHA256SUMS');
    });
  },
);
