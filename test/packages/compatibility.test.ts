import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { plainHost } from '../support/serving.js';
import {
  ISSUERS,
  publish,
  type Registry,
  registryFolder,
  seenFiles,
  suspendHarbour,
} from '../support/versioned-registry.js';
import { versionBefore, versionNow } from '../support/versions.js';
import { writeFiles } from '../support/workspace.js';

const versions = { before: await versionBefore(), now: versionNow() };

/**
 * The version that publishes, the version that reads, and whether the commands of the reader accept the tree. The version
 * before knows only a SHA256SUMS that lists every file, so its commands `verify` and `mirror` need an upgrade first. Its
 * clients read what they always read.
 */
const PAIRS = [
  ['before', 'now', true],
  ['now', 'before', false],
] as const;

const ALL_ACTIVE = Object.fromEntries(ISSUERS.map((id) => [id, 'active']));
const ONE_SUSPENDED = { ...ALL_ACTIVE, harbour: 'suspended' };

describe.each(PAIRS)(
  'the version %s publishes, the version %s reads',
  (publisherName, readerName, accepts) => {
    const [publisher, reader] = [versions[publisherName], versions[readerName]];
    let registry: Registry;

    beforeAll(async () => {
      registry = await registryFolder(publisher);
      await publish(publisher, registry, 'first', 60);
      cpSync(join(registry.folder, 'first'), join(registry.folder, 'second'), { recursive: true });
      suspendHarbour(registry);
      await publish(publisher, registry, 'second');
    });

    if (accepts) {
      it.each(['first', 'second'])('the command verifies the tree: %s publication', async (tree) => {
        const { stdout } = await reader.cli(
          ['verify', tree, '--root-key', 'root.json', '--json'],
          registry.folder,
        );
        const { ok, checks } = JSON.parse(stdout) as { ok: boolean; checks: { outcome: string }[] };
        expect([ok, checks.filter(({ outcome }) => outcome === 'failed')]).toEqual([true, []]);
      });

      it('the command verifies and mirrors the host, and updates the mirror', async () => {
        const { folder } = registry;
        const mirror = async (tree: string) => {
          const host = await plainHost(join(folder, tree), '404.html');
          await reader.cli(['verify', host, '--root-key', 'root.json'], folder);
          await reader.cli(['mirror', host, 'mirror', '--root-key', 'root.json'], folder);
          return publisher.offline(join(folder, 'mirror/current'), registry.rootKey);
        };
        expect(await mirror('first')).toEqual(ALL_ACTIVE);
        expect(await mirror('second')).toEqual(ONE_SUSPENDED);
        const { stdout } = await publisher.cli(
          ['verify', 'mirror/current', '--root-key', 'root.json', '--json'],
          folder,
        );
        expect(JSON.parse(stdout).ok).toBe(true);
      });
    } else {
      it('the commands refuse the tree, because SHA256SUMS does not list the records', async () => {
        const { folder } = registry;
        const host = await plainHost(join(folder, 'second'), '404.html');
        const verify = (where: string) => reader.cli(['verify', where, '--root-key', 'root.json'], folder);
        await expect(verify('second')).rejects.toThrow('issuers/harbour is not in SHA256SUMS');
        await expect(verify(host)).rejects.toThrow(/FAILED {2}/);
        const mirror = reader.cli(['mirror', host, 'refused', '--root-key', 'root.json'], folder);
        await expect(mirror).rejects.toThrow('was not accepted: issuers/harbour is missing');
        expect(existsSync(join(folder, 'refused/current'))).toBe(false);
        await publisher.cli(['verify', 'second', '--root-key', 'root.json'], folder);
      });

      it('the library reads a list with a checkpoint that holds issuers, and ignores the hold', async () => {
        const { folder, rootKey } = registry;
        const run = (...args: string[]) => publisher.cli(args, folder);
        const delegate = ['--key', 'root.pem', '--online', 'online.json', '--hold'];
        const { stdout } = await run('keys', 'delegate', ...delegate);
        writeFiles(folder, { 'delegation.jwt': stdout });
        cpSync(join(folder, 'second'), join(folder, 'held'), { recursive: true });
        await publish(publisher, registry, 'held');
        await run('hold', 'issuer0', '--out', 'held', '--key', 'online.pem');
        expect(await reader.offline(join(folder, 'held'), rootKey)).toEqual(ONE_SUSPENDED);
        const url = await plainHost(join(folder, 'held'), '404.html');
        const state = join(folder, 'held.json');
        expect(await reader.client({ url, rootKey, state })).toEqual(ONE_SUSPENDED);
      });
    }

    it('the client loads the registry, and updates its list', async () => {
      const { folder, rootKey } = registry;
      const state = join(folder, 'client.json');
      const load = async (tree: string) => {
        const url = await plainHost(join(folder, tree), '404.html');
        return reader.client({ url, rootKey, state });
      };
      expect(await load('first')).toEqual(ALL_ACTIVE);
      expect(await load('second')).toEqual(ONE_SUSPENDED);
      await expect(load('first')).rejects.toMatchObject({ code: 'ERR_LIST_ROLLED_BACK' });
    });

    it('the library opens the tree offline', async () => {
      const tree = join(registry.folder, 'second');
      expect(await reader.offline(tree, registry.rootKey)).toEqual(ONE_SUSPENDED);
    });

    it('a tree with a changed byte is refused', async () => {
      const { folder, rootKey } = registry;
      cpSync(join(folder, 'second'), join(folder, 'forged'), { recursive: true });
      for (const path of seenFiles(join(folder, 'forged')).filter((file) => /issuers\.json$/.test(file))) {
        const list = readFileSync(join(folder, 'forged', path), 'utf8');
        writeFiles(folder, { [`forged/${path}`]: list.replace('suspended', 'active') });
      }
      await expect(reader.cli(['verify', 'forged', '--root-key', 'root.json'], folder)).rejects.toThrow();
      await expect(reader.offline(join(folder, 'forged'), rootKey)).rejects.toThrow();
    });
  },
);
