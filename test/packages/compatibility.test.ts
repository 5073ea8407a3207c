import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { plainHost, serve } from '../support/serving.js';
import {
  ISSUERS,
  PINNED,
  type Registry,
  registryWithEverything,
  revokeHarbour,
  seenFiles,
} from '../support/versioned-registry.js';
import { type Read, type Version, versionBefore, versionNow } from '../support/versions.js';
import { workspace, writeFiles } from '../support/workspace.js';

const versions = { before: await versionBefore(), now: versionNow() };

/** The version that publishes, and the version that reads. */
const PAIRS = [
  ['before', 'now'],
  ['now', 'before'],
] as const;

/** Everything that the trees of these tests must have, so that no feature is left out by mistake. */
const FEATURES = [
  ...['issuers.json', 'issuers/harbour', 'publication.jwt', 'sums/root', 'checkpoint.jwt', 'operations.jwt'],
  ...['keys/delegation.jwt', 'keys/rotation.json', 'changes.json', 'changes.atom'],
  ...['log/checkpoint', 'log/publication.tlog-proof', 'log/statements/4.jwt', 'log/tile/0/000.p/5'],
];

const HELD: Read = { harbour: 'accepted', held: 'issuer-held', other: 'accepted' };
const REVOKED: Read = { ...HELD, harbour: 'status-revoked' };

describe.each(PAIRS)('the version %s publishes, the version %s reads', (publisherName, readerName) => {
  const [publisher, reader] = [versions[publisherName], versions[readerName]];
  let registry: Registry;
  let host: string;
  /** What each reader says before and after the revocation. */
  const said: Record<string, Record<string, Read>> = {};

  beforeAll(async () => {
    registry = await registryWithEverything(publisher, reader);
    host = await serve(registry.tree);
    said['before'] = await readAll(reader, { registry, host });
    cpSync(registry.tree, join(registry.folder, 'earlier'), { recursive: true });
    await revokeHarbour(publisher, reader, registry);
    said['after'] = await readAll(reader, { registry, host });
  });

  it('the tree has every feature', () => {
    expect(FEATURES.filter((path) => !existsSync(join(registry.tree, path)))).toEqual([]);
  });

  it.each(['client', 'lookup', 'copy', 'mirror'])('a revocation and a hold reach the %s', (name) => {
    expect([said['before']?.[name], said['after']?.[name]]).toEqual([HELD, REVOKED]);
  });

  it('the auditor accepts the tree and the host, and checks all of it', async () => {
    for (const where of ['dist', host]) {
      const { stdout } = await reader.cli(['verify', where, ...PINNED, '--json'], registry.folder);
      const { ok, checks, notes } = JSON.parse(stdout) as {
        ok: boolean;
        checks: { name: string; result: string }[];
        notes?: unknown[];
      };
      const skipped = checks.filter(({ result }) => result !== 'passed').map(({ name }) => name);
      // The version before has no such files and no such checks.
      const newer = reader === versions.now ? ['about', 'pages', 'statements'] : [];
      const onlyForHosts = where === host ? [] : ['unknown id', 'content types'];
      expect([ok, skipped]).toEqual([true, [...newer, ...onlyForHosts]]);
      if (reader === versions.now) expect(notes).toEqual([]);
    }
  });

  it('the monitor tells the revocation, and raises no alarm', async () => {
    const args = ['monitor', host, ...PINNED, '--json', '--since', '1d'];
    const { stdout } = await reader.cli(args, registry.folder);
    const { ok, findings } = JSON.parse(stdout);
    expect(ok).toBe(true);
    expect(findings).toContainEqual(
      expect.objectContaining({ code: 'issuer-changed', issuer_id: 'harbour' }),
    );
  });

  it('the publisher accepts what the mirror serves', async () => {
    const { folder } = registry;
    await publisher.cli(['verify', 'mirror/current', ...PINNED], folder);
  });

  it("a mirror takes hosts' files of the other version, although no checkpoint proves them", async () => {
    const folder = await workspace(['alpha']);
    await publisher.cli(['build', '--key', 'key.pem'], folder);
    writeFiles(folder, { 'root.json': (await publisher.cli(['keys', 'public', 'key.pem'], folder)).stdout });
    const url = await serve(join(folder, 'dist'));
    const { stdout } = await reader.cli(
      ['mirror', url, 'mirror', '--root-key', 'root.json', '--json'],
      folder,
    );
    if (reader === versions.now) expect(JSON.parse(stdout).notes).toEqual([]);
    for (const path of ['404.html', '.htaccess', 'vercel.json'])
      expect([path, existsSync(join(folder, 'mirror/current', path))]).toEqual([path, true]);
  });

  it('an older publication is refused', async () => {
    const { folder, anchor } = registry;
    const url = await plainHost(join(folder, 'earlier'), '404.html');
    const again = reader.client({ url, trustAnchor: anchor, state: join(folder, 'client.json') });
    await expect(again).rejects.toMatchObject({ code: 'ERR_LIST_ROLLED_BACK' });
  });

  it('a tree with a changed byte is refused', async () => {
    const { folder, anchor } = registry;
    cpSync(registry.tree, join(folder, 'forged'), { recursive: true });
    for (const path of seenFiles(join(folder, 'forged')).filter((file) => /issuers\.json$/.test(file))) {
      const list = readFileSync(join(folder, 'forged', path), 'utf8');
      writeFiles(folder, { [`forged/${path}`]: list.replace('revoked', 'active') });
    }
    await expect(reader.cli(['verify', 'forged', ...PINNED], folder)).rejects.toThrow();
    await expect(reader.offline(join(folder, 'forged'), anchor)).rejects.toThrow();
  });
});

/** Reads a registry in every way, and mirrors it. The readers go on from what they have stored. */
async function readAll(
  reader: Version,
  { registry: { folder, tree, anchor }, host: url }: { registry: Registry; host: string },
): Promise<Record<string, Read>> {
  const options = (name: string) => ({ url, trustAnchor: anchor, state: join(folder, `${name}.json`) });
  await reader.cli(['mirror', url, 'mirror', ...PINNED], folder);
  return {
    client: await reader.client(options('client')),
    lookup: await reader.lookup(options('lookup'), ISSUERS),
    copy: await reader.offline(tree, anchor),
    mirror: await reader.offline(join(folder, 'mirror/current'), anchor),
  };
}
