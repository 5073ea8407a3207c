import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { plainHost } from '../support/serving.js';
import {
  publish,
  type Registry,
  registryFolder,
  seenFiles,
  suspendHarbour,
} from '../support/versioned-registry.js';
import { versionBefore, versionNow } from '../support/versions.js';
import { recordText, temporaryFolder, writeFiles } from '../support/workspace.js';

const versions = { before: await versionBefore(), now: versionNow() };
const { before, now } = versions;

let published: Registry;
let registry: Registry;
let tree: string;

beforeAll(async () => {
  published = await registryFolder(before);
  // Two publications, so that there are deltas and snapshots.
  await publish(before, published, 'dist', 120);
  suspendHarbour(published);
  await publish(before, published, 'dist', 60);
});

beforeEach(() => {
  registry = { ...published, folder: temporaryFolder() };
  cpSync(published.folder, registry.folder, { recursive: true });
  tree = join(registry.folder, 'dist');
});

/** Returns the text of every file that verifiers read, by path. */
function seen(): Record<string, string> {
  return Object.fromEntries(seenFiles(tree).map((path) => [path, readFileSync(join(tree, path), 'utf8')]));
}

/** Checks the tree with the commands and the clients of both versions. A client goes on from its state. */
async function verifyWithBoth(): Promise<void> {
  const { folder, rootKey } = registry;
  const url = await plainHost(tree, '404.html');
  for (const { cli, client } of [before, now]) {
    await cli(['verify', 'dist', '--root-key', 'root.json'], folder);
    // Both versions use one state in turn, as after an upgrade of the verifier, or after going back.
    await client({ url, rootKey, state: join(folder, 'client.json') });
  }
}

describe('an upgrade of the publisher', () => {
  it('keeps every byte that verifiers have seen, if no record has changed', async () => {
    const bytes = seen();
    for (const path of [
      'issuers.json',
      'issuers.sig',
      'keys/root.json',
      'keys/delegation.jwt',
      'issuers/harbour',
    ])
      expect(bytes).toHaveProperty([path]);
    for (const folder of ['snapshots', 'deltas'])
      expect(Object.keys(bytes).filter((path) => path.startsWith(`${folder}/`))).not.toEqual([]);
    await verifyWithBoth();
    await publish(now, registry, 'dist');
    expect(seen()).toEqual(bytes);
    await verifyWithBoth();
  });

  it('changes only what a changed record changes', async () => {
    const bytes = seen();
    await verifyWithBoth();
    writeFiles(registry.folder, { 'issuers/issuer7.yaml': recordText('issuer7', { status: 'suspended' }) });
    await publish(now, registry, 'dist');
    const upgraded = seen();
    const changed = Object.keys(bytes).filter((path) => upgraded[path] !== bytes[path]);
    expect(changed.filter((path) => !/^(snapshots|deltas)\//.test(path))).toEqual([
      'issuers.json',
      'issuers.sig',
      'issuers/issuer7',
    ]);
    // Snapshots and deltas are named by hashes: they are added, and removed when they are old, but never changed.
    expect(changed.filter((path) => path in upgraded && /^(snapshots|deltas)\//.test(path))).toEqual([]);
    await verifyWithBoth();
  });

  it('can be undone: the version before publishes again', async () => {
    await publish(now, registry, 'dist');
    const bytes = seen();
    await publish(before, registry, 'dist');
    expect(seen()).toEqual(bytes);
    await verifyWithBoth();
  });

  it('works for the commands that sign only a checkpoint, and refuses what the version before refuses', async () => {
    const bytes = seen();
    await now.cli(['checkpoint', 'dist', '--key', 'online.pem'], registry.folder);
    expect(seen()).toEqual(bytes);
    await verifyWithBoth();
    writeFiles(registry.folder, { 'issuers/harbour.yaml': recordText('harbour', { status: 'revoked' }) });
    await publish(before, registry, 'dist');
    writeFiles(registry.folder, { 'issuers/harbour.yaml': recordText('harbour') });
    await expect(publish(now, registry, 'dist')).rejects.toThrow('revoked-is-final');
  });
});

describe.each([
  ['before', 'now'],
  ['now', 'before'],
] as const)('an upgrade of a mirror from the version %s to the version %s', (from, to) => {
  it('keeps the mirror, and updates it', async () => {
    const { folder, rootKey } = registry;
    const host = await plainHost(tree, '404.html');
    const mirror = async (name: 'before' | 'now') => {
      await versions[name].cli(['mirror', host, 'mirror', '--root-key', 'root.json'], folder);
      for (const { offline } of [before, now])
        expect(await offline(join(folder, 'mirror/current'), rootKey)).toMatchObject(expected);
    };
    let expected: Record<string, string> = { harbour: 'suspended', issuer7: 'active' };
    await mirror(from);
    await mirror(to);
    writeFiles(folder, { 'issuers/issuer7.yaml': recordText('issuer7', { status: 'suspended' }) });
    await publish(now, registry, 'dist');
    expected = { harbour: 'suspended', issuer7: 'suspended' };
    await mirror(to);
  });
});
