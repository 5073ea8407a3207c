import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { copyOf, madeOnce } from '../../support/made-once.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { withChecksums } from '../../support/signed-tree.js';
import { cli, filesOf, workspace, writeFiles } from '../../support/workspace.js';

/** What a source adds to a tree, and lists in SHA256SUMS, which nobody has signed. */
const FOREIGN = {
  '.htaccess': 'Options +ExecCGI\n',
  _headers: '/*\n  X-Evil: 1\n',
  'vercel.json': '{"redirects":[]}',
  '404.html': '<script>evil</script>',
  'issuers/.htaccess': 'SetHandler evil\n',
  'news.json': '{}',
};

let folder: string;
let dist: string;
const run = async (...args: string[]) => {
  const outcome = await cli(args, folder);
  expect(outcome.code, outcome.stdout + outcome.stderr).toBe(0);
  return outcome.stdout;
};
const mirror = async () =>
  cli(['mirror', await serve(dist), 'mirror', '--root-key', 'root.json', '--json'], folder);
const served = (path: string) => join(folder, 'mirror/current', path);
/** Serves other files with a new SHA256SUMS, as any source can. */
const serveWith = (more: Readonly<Record<string, string>>) => {
  const files = new Map(filesOf(dist));
  for (const [path, text] of Object.entries(more)) files.set(path, Buffer.from(text));
  writeFiles(dist, Object.fromEntries(withChecksums(files)));
};

/** The newest publication, with the checkpoint of the one before: nothing signed names the hash of SHA256SUMS. */
beforeEach(async () => {
  const made = await madeOnce('unproven-files', async (where) => {
    folder = await workspace(['alpha']);
    const key = ['build', '--key', 'key.pem', '--updated-at'];
    await run(...key, '2026-01-01T00:00:00Z', ...withKeys({ checkpoint: 'key.pem' }));
    await run(...key, '2026-01-02T00:00:00Z', '--renew');
    writeFiles(folder, { 'root.json': await run('keys', 'public', 'key.pem') });
    writeFiles(where, Object.fromEntries(filesOf(folder)));
  });
  folder = copyOf(made);
  dist = join(folder, 'dist');
});

describe('a mirror of a tree whose SHA256SUMS nothing proves', () => {
  it("takes hosts' files of this program", async () => {
    const { notes } = JSON.parse((await mirror()).stdout);
    expect(notes).toEqual([]);
    for (const path of Object.keys(FOREIGN))
      expect([path, existsSync(served(path))]).toEqual([path, existsSync(join(dist, path))]);
  });

  it('leaves out what the source adds', async () => {
    serveWith(FOREIGN);
    const { code, stdout, stderr } = await mirror();
    expect([code, stderr]).toEqual([0, expect.anything()]);
    const { notes } = JSON.parse(stdout) as { notes: { code: string; path: string }[] };
    expect(notes.map((note) => `${note.code} ${note.path}`).toSorted()).toEqual(
      Object.keys(FOREIGN)
        .map((path) => `file-unproven ${path}`)
        .toSorted(),
    );
    expect(Object.keys(FOREIGN).filter((path) => existsSync(served(path)))).toEqual([]);
    // Verifiers of the copy miss nothing.
    await run('verify', await serve(served('')), '--root-key', 'root.json');
  });

  it('takes them once a checkpoint proves them', async () => {
    serveWith(FOREIGN);
    await run('checkpoint', '--online-key', 'key.pem');
    const { notes } = JSON.parse((await mirror()).stdout);
    expect(notes).toEqual([expect.objectContaining({ code: 'file-unknown', path: 'news.json' })]);
    // A live host hides some of its own files.
    for (const path of ['news.json', 'vercel.json'])
      expect(readFileSync(served(path), 'utf8')).toBe(FOREIGN[path as keyof typeof FOREIGN]);
  });

  it.each(['.user.ini', 'log/.x/y', 'keys/root.json.gz'])(
    'is refused if the source adds and lists %s',
    async (path) => {
      serveWith({ [path]: 'evil' });
      const { code, stderr } = await mirror();
      expect([code, stderr]).toEqual([1, expect.stringContaining(path)]);
      expect(existsSync(served(''))).toBe(false);
    },
  );
});
