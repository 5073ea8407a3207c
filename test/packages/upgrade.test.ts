import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { serve } from '../support/serving.js';
import {
  complete,
  cosign,
  ISSUERS,
  KEYS,
  PINNED,
  type Registry,
  registryWithEverything,
  seenFiles,
} from '../support/versioned-registry.js';
import { type Version, versionBefore, versionNow } from '../support/versions.js';
import { recordText, writeFiles } from '../support/workspace.js';

const [before, now] = [await versionBefore(), versionNow()];

let registry: Registry;

beforeEach(async () => {
  registry = await registryWithEverything(before, now);
  mkdirSync(join(registry.folder, 'observer'));
});

/** Returns the text of every file that verifiers read, by path. */
function seen(): Record<string, string> {
  const { tree } = registry;
  return Object.fromEntries(seenFiles(tree).map((path) => [path, readFileSync(join(tree, path), 'latin1')]));
}

const build = (version: Version, ...args: string[]) =>
  version.cli(['build', ...KEYS, ...args], registry.folder);

const change = (id: string, status: string) =>
  writeFiles(registry.folder, { [`issuers/${id}.yaml`]: recordText(id, { status }) });

/** Publishes a change that has waited in the log for a witness. */
async function publishCosigned(publisher: Version, completer = publisher): Promise<void> {
  await build(publisher, '--cosign-later');
  await cosign(completer, registry);
  await complete(completer, registry);
}

/**
 * Reads the registry with both versions in turn, which go on from one state, as after an upgrade, or after going back. One
 * of them audits and monitors it.
 */
async function readWithBoth(auditor: Version): Promise<void> {
  const { folder, tree, anchor } = registry;
  const url = await serve(tree);
  await auditor.cli(['verify', 'dist', ...PINNED], folder);
  const monitor = ['monitor', url, '--root-key', '../anchor.json', '--state', 'state'];
  await auditor.cli(monitor, join(folder, 'observer'));
  for (const version of [before, now, before]) {
    await version.client({ url, trustAnchor: anchor, state: join(folder, 'client.json') });
    await version.lookup({ url, trustAnchor: anchor, state: join(folder, 'lookup.json') }, ISSUERS);
  }
}

describe('an upgrade of the publisher', () => {
  it('keeps every byte that verifiers have seen, if no record has changed', async () => {
    const bytes = seen();
    await readWithBoth(before);
    await build(now);
    await now.cli(['hold', 'other', '--online-key', 'online.pem'], registry.folder);
    const after = seen();
    // A build removes snapshots that an earlier root key has signed.
    const isKept = (path: string) => path in after || !path.startsWith('snapshots/');
    expect(after).toEqual(Object.fromEntries(Object.entries(bytes).filter(([path]) => isKept(path))));
    await readWithBoth(before);
  });

  it('goes on with the log, and can go back', async () => {
    change('other', 'suspended');
    await publishCosigned(now);
    await readWithBoth(before);
    change('other', 'active');
    await publishCosigned(before, now);
    await readWithBoth(now);
    change('other', 'revoked');
    await publishCosigned(now, before);
    await readWithBoth(before);
    change('other', 'active');
    for (const version of [before, now]) await expect(build(version)).rejects.toThrow('revoked-is-final');
  });
});

describe('an upgrade of a mirror', () => {
  it('comes before or after that of the publisher', async () => {
    const { folder, tree, anchor } = registry;
    const url = await serve(tree);
    const mirror = async (version: Version) => {
      await version.cli(['mirror', url, 'copy', '--root-key', 'first.json'], folder);
      return (await now.offline(join(folder, 'copy/current'), { root: anchor.root }))['other'];
    };
    for (const version of [before, now, before]) expect(await mirror(version)).toBe('accepted');
    change('other', 'suspended');
    await publishCosigned(now);
    for (const version of [before, now]) expect(await mirror(version)).toBe('status-suspended');
  });
});
