import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withKeys } from '../../support/settings.js';
import { withChecksums } from '../../support/signed-tree.js';
import { claimsOf, readTreeFile } from '../../support/statements.js';
import { naiveSums } from '../../support/sums.js';
import { cli, filesBelow, filesOf, recordText, run, workspace, writeFiles } from '../../support/workspace.js';

/** A command of coreutils, such as docs/hosting/mirror.sh runs. */
const CHECK = 'sha256sum --quiet --strict --check SHA256SUMS sums/*';

const check = (folder: string, command = CHECK) => run('sh', ['-c', command], folder);

async function built(ids: readonly string[]): Promise<string> {
  const folder = await workspace([]);
  writeFiles(folder, Object.fromEntries(ids.map((id) => [`issuers/${id}.yaml`, recordText(id)])));
  const { code, stderr } = await cli(
    ['build', '--key', 'key.pem', ...withKeys({ checkpoint: 'key.pem' })],
    folder,
  );
  expect(code, stderr).toBe(0);
  return join(folder, 'dist');
}

const levelsOf = (tree: string) => claimsOf(readTreeFile(join(tree, 'publication.jwt')))['levels'];

describe('coreutils alone', () => {
  it.each([
    [1, 0],
    [64, 0],
    [65, 1],
    [1025, 2],
  ])('check every file of a tree of %i records and %i levels', async (records, levels) => {
    const ids = Array.from({ length: records }, (_one, index) => `issuer-${index}.example`);
    const tree = await built(ids);
    expect(levelsOf(tree)).toBe(levels);
    expect(await check(tree)).toMatchObject({ code: 0, stderr: '' });

    // SHA256SUMS cannot name itself, nor the checkpoint, which names its hash. The root key proves the signature, and a list its name.
    const proven = /^(?:SHA256SUMS|statements\.json|issuers\.sig|lists\/.*)$/;
    const paths = filesBelow(tree).filter((path) => !proven.test(path));
    // Every tree has the same other files, so one tree is enough for them.
    const ofRecords = (path: string) => /^(?:issuers|sums)\//.test(path);
    const step = Math.ceil(paths.length / 16);
    const sampled = paths.filter((path, index) => index % step === 0 || (levels === 1 && !ofRecords(path)));
    for (const path of [...sampled, 'sums/root']) {
      const bytes = readFileSync(join(tree, path));
      if (bytes.length === 0) continue;
      const at = bytes.length >> 1;
      writeFiles(tree, { [path]: Buffer.from(bytes).fill((bytes[at] ?? 0) ^ 1, at, at + 1) });
      expect([path, (await check(tree)).code]).toEqual([path, 1]);
      writeFiles(tree, { [path]: bytes });
    }
    expect((await check(tree)).code).toBe(0);
  });

  it('check an empty registry, without its empty sums', async () => {
    // A build needs a record, but a registry whose records were all removed may be published by another program.
    const tree = await built(['alpha']);
    rmSync(join(tree, 'issuers/alpha'));
    writeFiles(tree, Object.fromEntries(naiveSums(new Map(), 0)));
    expect(readFileSync(join(tree, 'sums/root'))).toHaveLength(0);
    writeFiles(tree, Object.fromEntries(withChecksums(filesOf(tree))));
    expect((await check(tree)).stderr).toContain('sums/root');
    expect(await check(tree, CHECK.replace(' sums/*', ''))).toMatchObject({ code: 0, stderr: '' });
  });
});
