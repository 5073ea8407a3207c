import fs, { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { copyOf } from '../../support/made-once.js';
import { withFs } from '../../support/patched-fs.js';
import { cli, filesBelow, recordText, workspace, writeFiles } from '../../support/workspace.js';

/** The functions themselves: imports by their names would become those of the disk below. */
const { fsync, fsyncSync, openSync, renameSync, rmSync: remove } = fs;
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

/** What a command does to the disk: which paths it flushes, renames and removes. */
async function disked(args: readonly string[], folder: string): Promise<string[]> {
  const opened = new Map<number, string>();
  const done: string[] = [];
  const outcome = await withFs(
    {
      openSync: ((path: string, ...rest: [string]) => {
        const descriptor = openSync(path, ...rest);
        opened.set(descriptor, path);
        return descriptor;
      }) as typeof openSync,
      fsyncSync: (descriptor) => {
        done.push(`flush ${opened.get(descriptor)}`);
        fsyncSync(descriptor);
      },
      fsync: ((descriptor, callback) => {
        const path = opened.get(descriptor);
        fsync(descriptor, (error) => {
          done.push(`flush ${path}`);
          callback(error);
        });
      }) as typeof fsync,
      renameSync: (from, to) => {
        done.push(`rename ${from} ${to}`);
        renameSync(from, to);
      },
      rmSync: (path, options) => {
        done.push(`remove ${path}`);
        remove(path, options);
      },
    },
    () => cli(args, folder),
  );
  expect(outcome.code).toBe(0);
  return done;
}

it('statements.json is replaced after every other file, and files are removed after that', async () => {
  const folder = copyOf(published);
  // A later version may have added it.
  writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma'), 'dist/added.txt': '' });
  const steps = (await disked(BUILD, folder)).flatMap((one) => {
    const [, step, path] = /^(rename(?= \S+ )|remove) .*(?<=\/|^| )dist\/(\S+)$/.exec(one) ?? [];
    return step === undefined ? [] : [`${step} ${path}`];
  });
  const order = [
    'issuers/gamma',
    'sums/root',
    'issuers.sig',
    'issuers.json',
    'SHA256SUMS',
    'statements.json',
  ];
  const found = [...order.map((path) => `rename ${path}`), 'remove added.txt'].map((step) =>
    steps.indexOf(step),
  );
  expect(found).toEqual(found.toSorted((a, b) => a - b));
  expect(found).not.toContain(-1);
  const at = steps.indexOf('rename statements.json');
  expect(steps.slice(0, at).filter((step) => step.startsWith('remove'))).toEqual([]);
  expect(steps.slice(at + 1).filter((step) => step.startsWith('rename'))).toEqual([]);
});

describe('what survives a loss of power', () => {
  it('is each file before its rename, and the name of each file before the end', async () => {
    const folder = copyOf(published);
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
    const done = await disked(BUILD, folder);
    const renames = done.filter((one) => /^rename .* dist\//.test(one) || one.includes('/dist/'));
    const moved = renames.flatMap((one) => {
      const [, from = '', to = ''] = /^rename (\S+) (\S+)$/.exec(one) ?? [];
      return from === '' ? [] : [{ from, to, at: done.indexOf(one) }];
    });
    expect(moved.length).toBeGreaterThan(5);
    for (const { from, to, at } of moved) {
      expect(done.slice(0, at)).toContain(`flush ${from}`);
      expect(
        done.slice(at).some((one) => one === `flush ${dirname(to)}` || one === `flush ${dirname(to)}/`),
      ).toBe(true);
    }
  });

  it('is every file of a first build, with its name, before the manifest commits it', async () => {
    const folder = await workspace(['alpha', 'beta']);
    const done = await disked(BUILD, folder);
    const committed = done.findIndex((one) => /^rename \S+ \S*\.dist\.stage\/manifest\.json$/.test(one));
    const flushed = done.slice(0, committed).filter((one) => /^flush \S*\.dist\.stage(?:\/|$)/.test(one));
    // Every file of the tree, the manifest, and the folder of the stage.
    expect(new Set(flushed).size).toBe(filesBelow(join(folder, 'dist')).length + 2);
    expect(done.slice(committed + 1).filter((one) => /^flush \S*\.dist\.stage$/.test(one))).toHaveLength(1);
  });

  it('is the state of a new witness, and the name of its folder', async () => {
    const folder = copyOf(published);
    const args = [
      'keys',
      'public',
      'key.pem',
      '--witness-name',
      'witness.example/w1',
      '--witness-state',
      'safe/state',
    ];
    const done = await disked(args, folder);
    for (const path of ['safe/state', 'safe'])
      expect(done).toContainEqual(expect.stringMatching(new RegExp(`flush .*${path}$`)));
  });
});
