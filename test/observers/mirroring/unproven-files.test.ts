import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { copyOf, madeOnce } from '../../support/made-once.js';
import { serve } from '../../support/serving.js';
import { resealed, signerKey, withChecksums } from '../../support/signed-tree.js';
import { cli, filesOf, goodCli, workspace, writeFiles } from '../../support/workspace.js';

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
const run = async (...args: string[]) => (await goodCli(args, folder)).stdout;
const mirror = async () =>
  cli(['mirror', await serve(dist), 'mirror', '--trust-anchor', 'root.json', '--json'], folder);
const served = (path: string) => join(folder, 'mirror/current', path);
/** Serves other files with a new SHA256SUMS, as any source can. No checkpoint proves it yet. */
const serveWith = (more: Readonly<Record<string, string>>) => {
  const files = new Map(filesOf(dist));
  for (const [path, text] of Object.entries(more)) files.set(path, Buffer.from(text));
  writeFiles(dist, Object.fromEntries(withChecksums(files)));
};

/** Signs a checkpoint for the files as they are. */
async function sealed(): Promise<void> {
  const signer = await signerKey(folder, 'key');
  writeFiles(dist, Object.fromEntries(await resealed(filesOf(dist), signer)));
}

beforeEach(async () => {
  const made = await madeOnce('unproven-files', async (where) => {
    folder = await workspace(['alpha']);
    await run('build', '--key', 'key.pem');
    const root = await run('keys', 'public', 'key.pem');
    writeFiles(folder, { 'root.json': root, 'key.json': root });
    writeFiles(where, Object.fromEntries(filesOf(folder)));
  });
  folder = copyOf(made);
  dist = join(folder, 'dist');
});

describe('a mirror of a tree with files that it does not know', () => {
  it("takes hosts' files of this program", async () => {
    const { notes } = JSON.parse((await mirror()).stdout);
    expect(notes).toEqual([]);
    for (const path of Object.keys(FOREIGN))
      expect([path, existsSync(served(path))]).toEqual([path, existsSync(join(dist, path))]);
  });

  it('is refused if the source adds and lists files that no checkpoint proves', async () => {
    serveWith(FOREIGN);
    const { code, stderr } = await mirror();
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('SHA256SUMS does not match its hash in statements.json'),
    ]);
    expect(existsSync(served(''))).toBe(false);
  });

  it('takes them once a checkpoint proves them', async () => {
    serveWith(FOREIGN);
    await sealed();
    const { notes } = JSON.parse((await mirror()).stdout);
    expect(notes).toEqual([expect.objectContaining({ code: 'file-unknown', path: 'news.json' })]);
    // A live host hides some of its own files.
    for (const path of ['news.json', 'vercel.json'])
      expect(readFileSync(served(path), 'utf8')).toBe(FOREIGN[path as keyof typeof FOREIGN]);
  });

  it.each(['.user.ini', 'log/.x/y', 'keys/root.json.gz'])(
    'is refused if it has and lists %s, even if a checkpoint proves it',
    async (path) => {
      serveWith({ [path]: 'evil' });
      await sealed();
      const { code, stderr } = await mirror();
      expect([code, stderr]).toEqual([1, expect.stringContaining(path)]);
      expect(existsSync(served(''))).toBe(false);
    },
  );
});
