import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { folderSource, verifyTree } from 'passport-registry';
import { expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import { ANY_AGE, mirrorFolder, WAYS } from '../../support/mirror-folder.js';
import { rounds } from '../../support/soak.js';
import { recordText, writeFiles } from '../../support/workspace.js';

const KILLS = rounds({ usual: 8, soak: 200 });
const RECORDS = 300;
const day = (number: number) => `2026-11-0${number}T00:00:00Z`;

describeWith(['rsync'], 'passport-registry mirror', () => {
  it.each(['a folder, by rsync', 'a live host'])(
    `of %s, killed at ${KILLS} moments, serves the old tree or the new one, whole, and mends itself`,
    async (way) => {
      const { folder, tree, rootKey, publish, mirror, start, served } = await mirrorFolder();
      const source = (await WAYS[way]?.(tree)) ?? '';
      const setRecords = (tier: string) =>
        writeFiles(
          folder,
          Object.fromEntries(
            Array.from({ length: RECORDS }, (_one, index) => [
              `issuers/n${index}.yaml`,
              recordText(`n${index}`, { tier }),
            ]),
          ),
        );
      setRecords('certified');
      await publish(day(2));
      const started = performance.now();
      expect((await mirror(source)).stderr).toContain('mirror ok: switched to');
      const duration = performance.now() - started;
      const seen = new Set<string>();
      for (let kill = 0; kill < KILLS; kill++) {
        if (served() !== day(2) || kill === 0) {
          rmSync(join(folder, 'mirror'), { recursive: true });
          rmSync(tree, { recursive: true });
          await publish(day(2));
          expect((await mirror(source)).stderr).toContain('mirror ok: switched to');
          setRecords(kill % 2 === 0 ? 'founding' : 'registered');
          await publish(day(3));
        }
        const child = start(source);
        const ended = new Promise((resolve) => child.once('close', resolve));
        // Most of a run is start and verification: the later, the nearer to the switch. Some runs come to their end.
        const moment = kill % 8 === 7 ? 60_000 : duration * (0.3 + Math.random() * 0.8);
        await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, moment))]);
        child.kill('SIGKILL');
        await ended;
        const report = await verifyTree(folderSource(join(folder, 'mirror/current')), rootKey, ANY_AGE);
        expect(report.ok).toBe(true);
        expect([day(2), day(3)]).toContain(report.updatedAt);
        seen.add(report.updatedAt ?? '');
      }
      expect((await mirror(source)).code).toBe(0);
      expect(served()).toBe(day(3));
      expect(readdirSync(join(folder, 'mirror')).sort()).toEqual(['current', 'releases']);
      expect(seen).toContain(day(3));
    },
  );
});
