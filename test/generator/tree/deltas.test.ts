import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { cli, recordText, workspace, writeFiles } from '../../support/workspace.js';

const IDS = Array.from({ length: 250 }, (_one, index) => `issuer-${index}`);

let folder: string;
let day: number;

beforeEach(async () => {
  folder = await workspace(IDS);
  day = 0;
});

async function build(...args: string[]): Promise<void> {
  day += 1;
  const time = new Date(Date.UTC(2026, 0, day)).toISOString().replace('.000', '');
  const { code, stderr } = await cli(['build', '--key', 'key.pem', '--updated-at', time, ...args], folder);
  expect(stderr).toContain('verified');
  expect(code).toBe(0);
}

const dist = (path: string) => join(folder, 'dist', path);
const listHash = () =>
  createHash('sha256')
    .update(readFileSync(dist('issuers.json')))
    .digest('hex');
const names = () => (existsSync(dist('deltas')) ? readdirSync(dist('deltas')).sort() : []);
const delta = (hash: string) => JSON.parse(readFileSync(dist(`deltas/${hash}.json`), 'utf8'));
/** Changes one record, and builds; gives the hash of the list before. */
async function change(audit: number, ...args: string[]): Promise<string> {
  const before = listHash();
  const second = String(audit).padStart(2, '0');
  writeFiles(folder, {
    'issuers/issuer-1.yaml': recordText('issuer-1', { last_audit: `2025-01-01T00:00:${second}Z` }),
  });
  await build(...args);
  return before;
}

function replaced(file: string, make: () => void): void {
  rmSync(file);
  make();
}

describe('deltas', () => {
  it('say what is new, what is other than before, and what was removed, and nothing else', async () => {
    await build();
    expect(names()).toEqual([]);
    const from = listHash();
    writeFiles(folder, {
      'issuers/issuer-5.yaml': recordText('issuer-5', { status: 'revoked' }),
      'issuers/a.yaml': recordText('a'),
    });
    rmSync(join(folder, 'issuers/issuer-9.yaml'));
    await build('--override', 'issuer-9:record-removed');
    expect(names()).toEqual([`${from}.json`]);
    const { issuers, ...rest } = delta(from);
    expect(rest).toEqual({ from, to: listHash(), updated_at: '2026-01-02T00:00:00Z', removed: ['issuer-9'] });
    expect(issuers.map(({ issuer_id }: { issuer_id: string }) => issuer_id)).toEqual(['a', 'issuer-5']);
    const record = readFileSync(dist('issuers/issuer-5'), 'utf8');
    expect(readFileSync(dist(`deltas/${from}.json`), 'utf8')).toContain(record);
  });

  it('lead on from older lists, at most 16, the oldest left out first', async () => {
    await build();
    const hashes: string[] = [];
    for (let audit = 1; audit <= 18; audit++) hashes.push(await change(audit));
    const kept = names();
    expect(kept).toHaveLength(16);
    expect(kept).toEqual(
      hashes
        .slice(-kept.length)
        .map((hash) => `${hash}.json`)
        .sort(),
    );
    let at = hashes.at(-kept.length) ?? '';
    for (let step = 0; step < kept.length; step++) at = delta(at).to;
    expect(at).toBe(listHash());
  });

  it('stay as they are while the list does', async () => {
    await build();
    await change(1);
    const before = names();
    await build();
    expect(names()).toEqual(before);
  });

  it('take no more than a quarter of the list together', async () => {
    await build();
    for (const tier of ['registered', 'founding', 'certified']) {
      const some = IDS.slice(0, 25).map((id) => [`issuers/${id}.yaml`, recordText(id, { tier })]);
      writeFiles(folder, Object.fromEntries(some));
      await build();
    }
    const size = names().map((name) => readFileSync(dist(`deltas/${name}`)).length);
    expect(size).toHaveLength(2);
    expect(size.reduce((a, b) => a + b)).toBeLessThanOrEqual(readFileSync(dist('issuers.json')).length / 4);
  });

  it('are none where they would be as large as the list', async () => {
    await build();
    const all = IDS.map((id) => [`issuers/${id}.yaml`, recordText(id, { tier: 'registered' })]);
    writeFiles(folder, Object.fromEntries(all));
    await build();
    expect(names()).toEqual([]);
  });

  it('are no part of a development tree that is replaced', async () => {
    await cli(['build', '--updated-at', '2025-12-31T00:00:00Z'], folder);
    await change(3);
    expect(names()).toEqual([]);
  });

  it.each<[string, (file: string) => void]>([
    [
      'an altered delta',
      (file) => writeFileSync(file, readFileSync(file, 'utf8').replace('issuer-1', 'issuer-2')),
    ],
    ['a folder in its place', (file) => replaced(file, () => mkdirSync(file))],
    ['a link in its place', (file) => replaced(file, () => symlinkSync('../issuers.json', file))],
  ])('do not go on with %s', async (_what, damage) => {
    await build();
    const first = await change(1);
    damage(dist(`deltas/${first}.json`));
    const second = await change(2);
    expect(names()).toEqual([`${second}.json`]);
    expect((await cli(['verify', 'dist', '--max-age', '99999'], folder)).code).toBe(0);
  });
});
