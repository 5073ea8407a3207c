import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { folderSource, verifyTree } from 'passport-registry';
import { describe, expect, it } from 'vitest';
import { fractions } from '../../support/fast-check.js';
import { mirrorFolder } from '../../support/mirror-folder.js';
import { serve } from '../../support/serving.js';
import { rounds } from '../../support/soak.js';
import { ageLock, recordText, writeFiles } from '../../support/workspace.js';

const KILLS = rounds({ usual: 4, soak: 400 });
const RECORDS = rounds({ usual: 60, soak: 300 });
/** So many runs, of which the last two come to their end. */
const PERIOD = rounds({ usual: 4, soak: 16 });
const day = (number: number) => `2026-11-0${number}T00:00:00Z`;

describe('passport-registry mirror', () => {
  it(`killed at ${KILLS} moments, serves the old tree or the new one, whole, and mends itself`, async () => {
    const { folder, tree, rootKey, publish, mirror, start, served } = await mirrorFolder();
    const host = await serve(tree);
    /** Mirrors in a process that is killed after a time. Returns how long it has run. */
    const runFor = async (moment: number) => {
      const started = performance.now();
      const child = start(host);
      const ended = new Promise((resolve) => child.once('close', resolve));
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, moment).unref())]);
      child.kill('SIGKILL');
      await ended;
      ageLock(join(folder, 'mirror/current'));
      return performance.now() - started;
    };
    const setRecords = (tier: string) => {
      const ids = Array.from({ length: RECORDS }, (_one, index) => `n${index}`);
      writeFiles(
        folder,
        Object.fromEntries(ids.map((id) => [`issuers/${id}.yaml`, recordText(id, { tier })])),
      );
    };
    setRecords('certified');
    await publish(day(2));
    const duration = await runFor(60_000);
    const seen = new Set<string>();
    for (const [kill, fraction] of fractions(KILLS).entries()) {
      if (served() !== day(2) || kill === 0) {
        rmSync(join(folder, 'mirror'), { recursive: true });
        rmSync(tree, { recursive: true });
        await publish(day(2));
        expect((await mirror(host)).stderr).toContain('mirror ok: switched to');
        setRecords(kill % 4 < 2 ? 'founding' : 'registered');
        await publish(day(3));
      }
      // Most of a run is start and verification: the later, the nearer to the switch.
      const isWhole = kill % PERIOD >= PERIOD - 2;
      await runFor(isWhole ? 60_000 : duration * (0.3 + fraction * 0.8));
      const report = await verifyTree(folderSource(join(folder, 'mirror/current')), rootKey);
      expect(report.ok).toBe(true);
      expect([day(2), day(3)]).toContain(report.updatedAt);
      seen.add(report.updatedAt ?? '');
    }
    expect((await mirror(host)).code).toBe(0);
    expect(served()).toBe(day(3));
    expect(readdirSync(join(folder, 'mirror')).sort()).toEqual(['current', 'releases']);
    expect(seen).toContain(day(3));
  });
});
