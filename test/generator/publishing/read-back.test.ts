import fs, { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { copyOf } from '../../support/made-once.js';
import { withFs } from '../../support/patched-fs.js';
import { cli, recordText, workspace, writeFiles } from '../../support/workspace.js';

/** The function itself: an import by its name would become the one of the disk below. */
const { renameSync } = fs;
const BUILD = ['build', '--key', 'key.pem', '--json'];

let published: string;

beforeAll(async () => {
  published = await workspace(['alpha', 'beta']);
  expect((await cli(BUILD, published)).code).toBe(0);
});

/** Builds again, on a disk that does something to the record once it has its place in the tree. */
async function buildOn(disk: (file: string) => void) {
  const folder = copyOf(published);
  writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
  const record = join(folder, 'dist/issuers/alpha');
  const rename: typeof renameSync = (from, to) => {
    renameSync(from, to);
    if (String(to).endsWith('dist/issuers/alpha')) disk(record);
  };
  const { code, stdout } = await withFs({ renameSync: rename }, () => cli(BUILD, folder));
  return { code, ...JSON.parse(stdout) };
}

describe('what was written', () => {
  it('is what the disk gives back', async () => {
    const records: string[] = [];
    expect(await buildOn((file) => records.push(file))).toMatchObject({ code: 0, ok: true });
    expect(records).toHaveLength(1);
  });

  it.each<[string, (file: string) => void]>([
    ['has another byte', (file) => writeFileSync(file, '{]')],
    ['is empty', (file) => writeFileSync(file, '')],
    ['is gone', (file) => rmSync(file)],
  ])('is noticed when it %s', async (_what, disk) => {
    expect(await buildOn(disk)).toMatchObject({
      code: 1,
      error: { code: 'ERR_TREE_REJECTED', message: expect.stringContaining('issuers/alpha') },
    });
  });
});
