import { createIssuerLookup } from '@passport-registry/verifier';
import { formatLogProof, leafHash, rootFromInclusion } from '@passport-registry/verifier/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { CLIENTS, type LogReader, logReader } from '../../support/log-clients.js';
import { altered, LoggedRegistry, PROOF } from '../../support/logged-registry.js';
import { testKey } from '../../support/publication.js';
import { shortenRetries } from '../../support/short-retries.js';
import { rounds } from '../../support/soak.js';
import { cosignedHead, ORIGIN } from '../../support/test-log.js';

shortenRetries();

const [ACCEPTED, INCONSISTENT] = ['accepted', 'ERR_LOG_INCONSISTENT'];

let registry: LoggedRegistry;
beforeEach(async () => {
  registry = new LoggedRegistry(await testKey());
});

/** Returns the tiles that a host has sent since the last call. */
function tilesSent({ host }: LogReader): string[] {
  const sent = host.log.splice(0).filter((line) => line.startsWith('log/tile/') && line.endsWith(' 200'));
  return sent.map((line) => line.slice(0, -' 200'.length));
}

/** Copies the first entries of a log, and goes on differently, with a newer publication at the end. */
async function forked(from: LoggedRegistry, first: number, size: number): Promise<LoggedRegistry> {
  const fork = from.fork(first);
  fork.log.append(Buffer.from('something else'));
  fork.log.appendOther(size - first - 2);
  await fork.publish();
  return fork;
}

describe.each(CLIENTS)('%s', (_name, create) => {
  const isLookup = create === createIssuerLookup;
  describe('with a quorum', () => {
    it('reads no tile if one witness has cosigned both heads', async () => {
      const reader = await logReader(create, registry);
      const [one, two, three] = registry.cosigning(3);
      await reader.read(await registry.publish({ cosigned: [one, two] as never }));
      registry.log.appendOther(300);
      expect(await reader.read(await registry.publish({ cosigned: [two, three] as never }))).toBe(ACCEPTED);
      expect(tilesSent(reader)).toEqual([]);
    });

    it('compares the logs by tiles if no witness has cosigned both heads', async () => {
      const reader = await logReader(create, registry, { trustAnchor: registry.anchor(1) });
      const by = (index: number) => registry.cosigning(3).slice(index, index + 1);
      registry.log.appendOther(2);
      expect(await reader.read(await registry.publish({ cosigned: by(0) }))).toBe(ACCEPTED);
      const fork = await forked(registry, 1, 5);
      expect(await reader.read(await fork.prove({ cosigned: by(1) }))).toBe(INCONSISTENT);
      expect(tilesSent(reader)).not.toEqual([]);
      expect(await reader.read(await registry.publish({ cosigned: by(1) }))).toBe(ACCEPTED);
      expect(tilesSent(reader)).not.toEqual([]);
      expect(await reader.read(await registry.publish({ cosigned: by(1) }))).toBe(ACCEPTED);
      expect(tilesSent(reader)).toEqual([]);
    });
  });

  describe('without witnesses', () => {
    const reading = () => logReader(create, registry, { trustAnchor: registry.anchor() });

    it('compares logs by at most 4 tiles, whatever their sizes', async () => {
      const sizes = rounds({
        usual: isLookup ? [2, 256, 600] : [1, 255, 257],
        soak: [1, 2, 255, 256, 257, 600],
      });
      const growing = sizes.map(async (size) => {
        const own = registry.fork();
        const reader = await logReader(create, own, { trustAnchor: own.anchor() });
        own.log.appendOther(size - 1);
        expect(await reader.read(await own.publish())).toBe(ACCEPTED);
        expect(await reader.read(await own.prove())).toBe(ACCEPTED);
        expect(tilesSent(reader)).toEqual([]);
        for (const more of [1, 2, 253, 300]) {
          const before = own.log.size;
          // The fork differs in the last entry that was accepted.
          const fork = await forked(own, before - 1, before + more);
          expect(await reader.read(fork.files)).toBe(INCONSISTENT);
          tilesSent(reader);
          own.log.appendOther(more - 1);
          expect(await reader.read(await own.publish())).toBe(ACCEPTED);
          const tiles = tilesSent(reader);
          expect([1, 2, 3, 4]).toContain(tiles.length);
          expect(new Set(tiles).size).toBe(tiles.length);
          expect(reader.client.status().logSize).toBe(before + more);
        }
      });
      await Promise.all(growing);
    });

    /** A log of 301 entries, that log with 301 more, and the tiles that prove it. */
    async function grown() {
      registry.log.appendOther(300);
      const before = await registry.publish();
      registry.log.appendOther(300);
      const after = await registry.publish();
      const reader = await reading();
      await reader.read(before);
      expect(await reader.read(after)).toBe(ACCEPTED);
      const tiles = tilesSent(reader);
      expect(tiles.sort()).toEqual(['log/tile/0/001', 'log/tile/0/002.p/90', 'log/tile/1/000.p/2']);
      return { before, after, tiles };
    }

    it('refuses a log whose tiles are missing, malformed or altered', async () => {
      const { before, after, tiles } = await grown();
      const damages: readonly [string, (tile: Buffer) => Uint8Array | undefined, string][] = [
        ['missing', () => undefined, INCONSISTENT],
        ['empty', () => Buffer.alloc(0), INCONSISTENT],
        ['a hash too short', (tile) => tile.subarray(32), INCONSISTENT],
        ['a byte too short', (tile) => tile.subarray(1), INCONSISTENT],
        ['altered', (tile) => Buffer.from(tile.map((byte) => byte ^ 1)), INCONSISTENT],
        ['too large', () => Buffer.alloc(8 * 1024 + 1), 'ERR_SOURCE_TOO_LARGE'],
      ];
      const verdicts = tiles.flatMap((path) =>
        damages.map(async ([name, damage, code]) => {
          const reader = await reading();
          await reader.read(before);
          const content = damage(after.get(path) as Buffer);
          expect([path, name, await reader.read(altered(after, path, content))]).toEqual([path, name, code]);
        }),
      );
      await Promise.all(verdicts);
    });

    it('reads a full tile in place of a partial one that was removed, or a larger partial one', async () => {
      const { before, after, tiles } = await grown();
      registry.log.appendOther(400);
      const wider = registry.log.files;
      const partial = tiles.filter((path) => path.includes('.p/'));
      expect(partial.length).toBe(2);
      const [reader, other] = [await reading(), await reading()];
      await reader.read(before);
      await other.read(before);
      const full = altered(after, 'log/tile/0/002.p/90', undefined);
      expect(await reader.read(altered(full, 'log/tile/0/002', wider.get('log/tile/0/002')))).toBe(ACCEPTED);
      const longer = altered(after, 'log/tile/0/002.p/90', wider.get('log/tile/0/002')?.subarray(0, 32 * 91));
      expect(await other.read(longer)).toBe(ACCEPTED);
    });

    it('refuses an enormous log after a few requests', async () => {
      const reader = await reading();
      registry.log.appendOther(2);
      expect(await reader.read(await registry.publish())).toBe(ACCEPTED);
      const next = await registry.publish();
      const { log } = registry;
      const size = Number.MAX_SAFE_INTEGER;
      const index = size - 1;
      const path = Array.from({ length: 52 }, () => Buffer.alloc(32, 7));
      const entry = log.entries[registry.index] as Uint8Array;
      const root = rootFromInclusion({ index, size }, leafHash(entry), path);
      expect(root).toBeDefined();
      const head = cosignedHead({ origin: ORIGIN, size, root: root as Uint8Array }, log.signer, []);
      reader.host.intercept = (asked, _request, response) => {
        if (asked.startsWith('log/tile/')) response.end(Buffer.alloc(8192));
        return asked.startsWith('log/tile/');
      };
      const proof = formatLogProof({ index, path, head });
      expect(await reader.read(altered(next, PROOF, proof))).toBe(INCONSISTENT);
      expect(tilesSent(reader).length).toBeLessThan(3 * 20);
    });
  });
});
