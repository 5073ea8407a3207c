import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loggedFolder } from '../../support/logged-folder.js';
import { copyOf } from '../../support/made-once.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { sha256 } from '../../support/signed-tree.js';
import { rounds, sample } from '../../support/soak.js';
import { cli, filesBelow, filesOf, recordText, writeFiles } from '../../support/workspace.js';

/** What a loss of power, a disk, or a person does to a file. */
const DAMAGES: Record<string, (file: string) => void> = {
  emptied: (file) => writeFileSync(file, ''),
  truncated: (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2)),
  removed: (file) => rmSync(file),
  altered: (file) => {
    const bytes = readFileSync(file);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    writeFileSync(file, bytes);
  },
  'made a folder': (file) => {
    rmSync(file);
    mkdirSync(file);
  },
};
const ONLINE = ['--online-key', 'online.pem'];
const BUILD = [
  'build',
  ...['--key', 'key.pem'],
  ...withKeys({ log: 'log.pem', origin: 'registry.example/log', checkpoint: 'online.pem' }),
];
/** Every way to sign something over a tree. */
const SIGNING: Record<string, readonly string[]> = {
  build: BUILD,
  checkpoint: ['checkpoint', ...ONLINE],
  hold: ['hold', 'alpha', ...ONLINE],
  request: ['build', '--unsigned', 'request', '--root-key', 'key.json'],
};

/** A registry with a log of three publications and an online key. */
let made: string;
/** The paths of its files. */
let paths: string[];

beforeAll(async () => {
  const { folder, good, publish } = await loggedFolder();
  writeFiles(folder, {
    'online.json': await good('keys', 'generate', '--no-passphrase', '--private', 'online.pem'),
  });
  await publish(...withKeys({ checkpoint: 'online.pem' }));
  await publish(...withKeys({ checkpoint: 'online.pem' }));
  made = folder;
  paths = filesBelow(join(made, 'dist'));
});

const verify = (folder: string) => cli(['verify', 'dist', '--trust-anchor', 'key.json'], folder);

/** The past of a tree, its log and its older lists, is audited by `verify`. A publication reads the right edge of the log. */
const isPast = (path: string) => /^(?:log|lists)\//.test(path);

describe('a tree with a file that is damaged', () => {
  const damages = Object.keys(DAMAGES);
  /** Every file with every damage in the soak; otherwise every fourth file, each with one of them. */
  const cases = () => {
    const count = rounds({ usual: 1, soak: damages.length });
    const present = paths.filter((path) => !isPast(path));
    return sample([...present.entries()], 4).flatMap(([at, path]) =>
      Array.from(
        { length: count },
        (_one, step) => [path, damages[(at + step) % damages.length] ?? ''] as const,
      ),
    );
  };

  it('is refused by whatever signs, which leaves it as it is', async () => {
    for (const [at, [path, damage]] of cases().entries()) {
      const folder = copyOf(made);
      DAMAGES[damage]?.(join(folder, 'dist', path));
      const before = filesOf(join(folder, 'dist'));
      const [name, args] = Object.entries(SIGNING)[at % 4] ?? ['', []];
      const { code, stderr } = await cli(args, folder);
      expect([path, damage, name, code, stderr]).toEqual([
        path,
        damage,
        name,
        1,
        expect.stringContaining('`load`'),
      ]);
      expect(filesOf(join(folder, 'dist'))).toEqual(before);
      rmSync(folder, { recursive: true });
    }
  });

  it('is refused, or `verify` refuses what comes of it, if the file belongs to the log or to an older list', async () => {
    for (const [at, path] of sample([...paths.filter(isPast).entries()], 2)) {
      const folder = copyOf(made);
      DAMAGES[at % 4 < 2 ? 'emptied' : 'altered']?.(join(folder, 'dist', path));
      writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { tier: 'registered' }) });
      const before = filesOf(join(folder, 'dist'));
      expect([path, (await verify(folder)).code]).toEqual([path, 1]);
      const { code, stderr } = await cli(BUILD, folder);
      if (code === 0) {
        expect([path, (await verify(folder)).code]).toEqual([path, 1]);
      } else {
        expect([path, code, stderr]).toEqual([path, 1, expect.stringContaining('load')]);
        expect(filesOf(join(folder, 'dist'))).toEqual(before);
      }
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a tree whose page somebody has changed, with its entry in SHA256SUMS', () => {
  it.each(Object.entries(SIGNING))('is refused by %s, which would sign it', async (_name, args) => {
    const folder = copyOf(made);
    const dist = (path: string) => join(folder, 'dist', path);
    const page = readFileSync(dist('index.html'), 'utf8');
    const sums = readFileSync(dist('SHA256SUMS'), 'utf8');
    const other = page.replace('<body', '<body onload="alert()"');
    writeFileSync(dist('index.html'), other);
    writeFileSync(dist('SHA256SUMS'), sums.replace(sha256(Buffer.from(page)), sha256(Buffer.from(other))));
    const before = filesOf(dist(''));
    const { code, stderr } = await cli(args, folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining('the checkpoint is for another SHA256SUMS')]);
    expect(filesOf(dist(''))).toEqual(before);
  });
});

describe('a tree with something that no publication has written', () => {
  it.each<[string, (dist: string) => void]>([
    ['a file', (dist) => writeFiles(dist, { 'stray/notes.txt': 'x' })],
    ['a record', (dist) => writeFiles(dist, { 'issuers/nobody': '{}' })],
    ['a link to a folder', (dist) => shell(dist, 'mv issuers .. && ln -s ../issuers issuers')],
    ['a file in place of a folder', (dist) => shell(dist, 'rm -r schemas && touch schemas')],
  ])('such as %s is refused by a build, which removes nothing', async (_name, change) => {
    const folder = copyOf(made);
    shell(folder, 'mv dist served && mkdir place && mv served place/dist');
    change(join(folder, 'place/dist'));
    const before = filesBelow(folder);
    const { code, stderr } = await cli([...BUILD, '--out', 'place/dist'], folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining('`load`')]);
    expect(filesBelow(folder)).toEqual(before);
  });
});

const shell = (cwd: string, command: string) => execFileSync('sh', ['-c', command], { cwd });

describe('a mirror whose files of the log were damaged', () => {
  it('repairs each of them', async () => {
    const folder = copyOf(made);
    const source = await serve(join(folder, 'dist'));
    const mirror = () => cli(['mirror', source, 'mirror', '--trust-anchor', 'key.json', '--json'], folder);
    expect((await mirror()).code).toBe(0);
    const damages = [DAMAGES['emptied'], DAMAGES['truncated']];
    for (const [at, path] of paths.filter((one) => one.startsWith('log/')).entries()) {
      const file = join(folder, 'mirror/current', path);
      // In place, so that every release with a hard link to the file has the damage.
      damages[at % damages.length]?.(file);
      const { code, stderr } = await mirror();
      expect([path, code, stderr]).toEqual([path, 0, stderr]);
      expect(readFileSync(file), path).toEqual(readFileSync(join(folder, 'dist', path)));
    }
    const verified = await cli(['verify', 'mirror/current', '--trust-anchor', 'key.json'], folder);
    expect(verified.code, verified.stdout).toBe(0);
  });
});
