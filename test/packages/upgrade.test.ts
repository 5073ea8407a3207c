import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { plainHost } from '../support/serving.js';
import { claimsOf } from '../support/signed-tree.js';
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

/**
 * Checks the tree with the clients of both versions, and with the commands of some. A client goes on from its state.
 *
 * @param commands - the versions whose `verify` accepts the tree
 */
async function verifyWithBoth(commands = [now]): Promise<void> {
  const { folder, rootKey } = registry;
  const url = await plainHost(tree, '404.html');
  for (const { cli } of commands) await cli(['verify', 'dist', '--root-key', 'root.json'], folder);
  // Both versions use one state in turn, as after an upgrade of the verifier, or after going back.
  for (const { client } of [before, now, before, now]) {
    await client({ url, rootKey, state: join(folder, 'client.json') });
  }
}

const statement = () => claimsOf(readFileSync(join(tree, 'publication.jwt')));

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
    await verifyWithBoth([before, now]);
    await publish(now, registry, 'dist');
    // The publication statement and the sums are new. They replace the deltas, which verifiers need not find.
    const isNew = (path: string) => path.endsWith('publication.jwt');
    const without = (files: Record<string, string>, leave: (path: string) => boolean) =>
      Object.fromEntries(Object.entries(files).filter(([path]) => !leave(path)));
    expect(without(seen(), isNew)).toEqual(without(bytes, (path) => path.startsWith('deltas/')));
    expect(existsSync(join(tree, 'deltas'))).toBe(false);
    expect(statement()).toMatchObject({
      sequence: 1,
      checkpoint: true,
      updated_at: JSON.parse(bytes['issuers.json'] ?? '').updated_at,
    });
    expect(statement()['previous']).toBe(undefined);
    await verifyWithBoth();
    // The next build has nothing to add.
    const once = seen();
    await publish(now, registry, 'dist');
    expect(seen()).toEqual(once);
  });

  it('changes only what a changed record changes', async () => {
    const bytes = seen();
    await verifyWithBoth([before, now]);
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

  it('binds new verifiers: a tree by the version before is refused, until the statement is put back', async () => {
    await publish(now, registry, 'dist');
    await verifyWithBoth();
    const kept = join(registry.folder, 'kept');
    cpSync(tree, kept, { recursive: true });
    await publish(before, registry, 'dist');
    expect(existsSync(join(tree, 'publication.jwt'))).toBe(false);
    const { folder, rootKey } = registry;
    const url = await plainHost(tree, '404.html');
    const state = join(folder, 'client.json');
    // Whoever has seen a publication statement asks for one. All others go on.
    await expect(now.client({ url, rootKey, state })).rejects.toMatchObject({
      code: 'ERR_PUBLICATION_MISSING',
    });
    await before.client({ url, rootKey, state: join(folder, 'before.json') });
    await now.client({ url, rootKey, state: join(folder, 'new.json') });
    suspendHarbour(registry);
    writeFiles(folder, { 'issuers/issuer7.yaml': recordText('issuer7', { status: 'suspended' }) });
    cpSync(join(kept, 'publication.jwt'), join(tree, 'publication.jwt'));
    await publish(now, registry, 'dist');
    expect(statement()).toMatchObject({ sequence: 2 });
    await verifyWithBoth();
  });

  it('can begin a log at once. Its first entries are the delegation and the publication, and all clients go on', async () => {
    const { folder } = registry;
    await verifyWithBoth([before, now]);
    const bytes = seen();
    await now.cli(['keys', 'generate', '--no-passphrase', '--out', 'log.pem'], folder);
    const build = [
      ...['build', '--key', 'root.pem', '--checkpoint-key', 'online.pem', '--delegation', 'delegation.jwt'],
      ...['--log-key', 'log.pem', '--log-origin', 'registry.example/log'],
    ];
    await now.cli(build, folder);
    expect(statement()).toMatchObject({ sequence: 1, log: { origin: 'registry.example/log' } });
    const logged = (index: number) => readFileSync(join(tree, `log/statements/${index}.jwt`), 'utf8');
    expect(logged(0)).toBe(readFileSync(join(tree, 'keys/delegation.jwt'), 'utf8'));
    expect(logged(1)).toBe(readFileSync(join(tree, 'publication.jwt'), 'utf8'));
    for (const path of ['issuers.json', 'issuers.sig', 'issuers/harbour'])
      expect(seen()[path]).toBe(bytes[path]);
    await verifyWithBoth();
    writeFiles(folder, { 'issuers/issuer7.yaml': recordText('issuer7', { status: 'suspended' }) });
    await now.cli(build, folder);
    expect(statement()).toMatchObject({ sequence: 2 });
    await verifyWithBoth();
    await expect(before.cli(['verify', 'dist', '--root-key', 'root.json'], folder)).rejects.toThrow();
  });

  it('works for the commands that sign only a checkpoint, and refuses what the version before refuses', async () => {
    const bytes = seen();
    await now.cli(['checkpoint', 'dist', '--key', 'online.pem'], registry.folder);
    expect(seen()).toEqual(bytes);
    await verifyWithBoth([before, now]);
    writeFiles(registry.folder, { 'issuers/harbour.yaml': recordText('harbour', { status: 'revoked' }) });
    await publish(before, registry, 'dist');
    writeFiles(registry.folder, { 'issuers/harbour.yaml': recordText('harbour') });
    await expect(publish(now, registry, 'dist')).rejects.toThrow('revoked-is-final');
  });
});

describe('an upgrade of a mirror', () => {
  it('comes before that of the publisher: until then, the mirror keeps what it has', async () => {
    const { folder, rootKey } = registry;
    const host = await plainHost(tree, '404.html');
    const mirror = (name: keyof typeof versions) =>
      versions[name].cli(['mirror', host, 'mirror', '--root-key', 'root.json'], folder);
    const assertServes = async (expected: Record<string, string>) => {
      for (const { offline } of [before, now])
        expect(await offline(join(folder, 'mirror/current'), rootKey)).toMatchObject(expected);
    };
    const old = { harbour: 'suspended', issuer7: 'active' };
    await mirror('before');
    await mirror('now');
    await mirror('before');
    await assertServes(old);
    writeFiles(folder, { 'issuers/issuer7.yaml': recordText('issuer7', { status: 'suspended' }) });
    await publish(now, registry, 'dist');
    await expect(mirror('before')).rejects.toThrow('was not accepted');
    await assertServes(old);
    await mirror('now');
    await assertServes({ harbour: 'suspended', issuer7: 'suspended' });
  });
});
