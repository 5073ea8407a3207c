import { existsSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loggedFolder } from '../../support/logged-folder.js';
import { copyOf } from '../../support/made-once.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { sha256 } from '../../support/signed-tree.js';
import { rounds, sample } from '../../support/soak.js';
import { cli, filesBelow, filesOf, recordText, writeFiles } from '../../support/workspace.js';

/** What a loss of power, or a disk, does to a file. */
const DAMAGES: Record<string, (file: string) => void> = {
  emptied: (file) => writeFileSync(file, ''),
  truncated: (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2)),
  removed: (file) => rmSync(file),
};
const BUILD = [
  'build',
  ...['--key', 'key.pem'],
  ...withKeys({ log: 'log.pem', origin: 'registry.example/log', checkpoint: 'online.pem' }),
];

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

/** Damages a file, builds, and verifies. Returns what happened. */
async function outcomeOf({ path, damage, isChanged }: Case) {
  const folder = copyOf(made);
  DAMAGES[damage]?.(join(folder, 'dist', path));
  if (isChanged) writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { tier: 'registered' }) });
  const built = await cli(BUILD, folder);
  const verified = await cli(['verify', 'dist', '--root-key', 'key.json'], folder);
  rmSync(folder, { recursive: true });
  return { built, verified };
}

interface Case {
  readonly path: string;
  readonly damage: string;
  /** Whether a record changes at the same time. */
  readonly isChanged: boolean;
}

/**
 * Every file with every damage in the soak; otherwise every fourth file with one of them. A build does not read older lists: an
 * audit finds what is wrong with them.
 */
function cases(): Case[] {
  const all = Object.keys(DAMAGES).flatMap((damage) =>
    [true, false].map((isChanged) => ({ damage, isChanged })),
  );
  const count = rounds({ usual: 1, soak: all.length });
  const newest = `lists/${sha256(readFileSync(join(made, 'dist/issuers.json')))}.json`;
  const read = paths.filter((path) => !path.startsWith('lists/') || path === newest);
  return sample([...read.entries()], 4).flatMap(([at, path]) =>
    Array.from({ length: count }, (_one, step) => ({
      path,
      ...(all[(at + step) % all.length] as (typeof all)[0]),
    })),
  );
}

describe('a build after a file was emptied, cut or removed', () => {
  it('repairs it, or refuses by its name, and never leaves a tree that verify refuses', async () => {
    for (const one of cases()) {
      const { path, damage } = one;
      const { built, verified } = await outcomeOf(one);
      const name = `${path} ${damage}`;
      if (built.code === 0) {
        expect(verified.code, `${name}: ${verified.stdout}`).toBe(0);
        continue;
      }
      // Nothing else in the tree has what the signatures of a head are.
      expect(path, built.stderr).toMatch(/^(?:log\/checkpoint|log\/statements\/\d+\.jwt|statements\.json)$/);
      expect([name, built.code]).toEqual([name, path === 'statements.json' ? 2 : 1]);
      expect(built.stderr).toMatch(/restore .* from a mirror/);
    }
  });

  it('says what it has made again', async () => {
    const path = 'log/tile/0/000.p/3';
    const { built } = await outcomeOf({ path, damage: 'emptied', isChanged: false });
    expect(built.stderr).toContain(`made again: ${path}`);
  });

  it('refuses a statement that the tree has nowhere else', async () => {
    const folder = copyOf(made);
    const entry = readFileSync(join(folder, 'dist/log/statements/0.jwt'));
    for (const path of paths) {
      const file = join(folder, 'dist', path);
      if (path.endsWith('.jwt') && readFileSync(file).equals(entry)) rmSync(file);
    }
    const before = filesOf(join(folder, 'dist'));
    const { code, stderr } = await cli(BUILD, folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining('log/statements/0.jwt')]);
    expect(filesOf(join(folder, 'dist'))).toEqual(before);
  });
});

describe('a build after somebody has changed a kept file', () => {
  it('writes it again', async () => {
    const kept = (path: string) => readFileSync(join(made, 'dist', path));
    const flipped = (path: string, at: number) => {
      const bytes = Buffer.from(kept(path));
      bytes[bytes.length + at] = bytes.at(at) === 65 ? 66 : 65;
      return bytes;
    };
    for (const [path, bytes] of [
      ['log/statements/2.jwt', kept('log/statements/0.jwt')],
      ['log/tile/0/000.p/2', flipped('log/tile/0/000.p/2', -1)],
      ['log/tile/entries/000.p/2', flipped('log/tile/entries/000.p/2', -2)],
    ] as const) {
      const folder = copyOf(made);
      writeFileSync(join(folder, 'dist', path), bytes);
      const { code, stderr } = await cli(BUILD, folder);
      expect([path, code, stderr]).toEqual([path, 0, expect.stringContaining(`made again: ${path}`)]);
      expect(readFileSync(join(folder, 'dist', path))).toEqual(kept(path));
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a build after one that was killed before its head was written', () => {
  it('removes what belongs to no entry of the log', async () => {
    const folder = copyOf(made);
    const strays = [
      'log/statements/9.jwt',
      'log/tile/0/000.p/9',
      `log/pending/${'a'.repeat(64)}/issuers.sig`,
    ];
    for (const path of strays) writeFiles(join(folder, 'dist'), { [path]: 'x' });
    expect((await cli(['verify', 'dist', '--root-key', 'key.json'], folder)).code).toBe(1);
    expect((await cli(BUILD, folder)).code).toBe(0);
    expect((await cli(['verify', 'dist', '--root-key', 'key.json'], folder)).code).toBe(0);
    expect(strays.filter((path) => existsSync(join(folder, 'dist', path)))).toEqual([]);
  });
});

describe('a build of a tree with a file in its log that no publication writes', () => {
  it('refuses it by name, because verify would', async () => {
    const folder = copyOf(made);
    writeFiles(join(folder, 'dist'), { 'log/notes.txt': 'x' });
    expect((await cli(['verify', 'dist', '--root-key', 'key.json'], folder)).code).toBe(1);
    const { code, stderr } = await cli(BUILD, folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining('log/notes.txt')]);
    rmSync(join(folder, 'dist/log/notes.txt'));
    expect((await cli(BUILD, folder)).code).toBe(0);
  });
});

describe('a mirror whose files of the log were damaged', () => {
  it('repairs each of them', async () => {
    const folder = copyOf(made);
    const source = await serve(join(folder, 'dist'));
    const mirror = () => cli(['mirror', source, 'mirror', '--root-key', 'key.json', '--json'], folder);
    expect((await mirror()).code).toBe(0);
    const damages = Object.values(DAMAGES).slice(0, 2);
    for (const [at, path] of paths.filter((one) => one.startsWith('log/')).entries()) {
      const file = join(folder, 'mirror/current', path);
      // In place, so that every release with a hard link to the file has the damage.
      damages[at % damages.length]?.(file);
      const { code, stderr } = await mirror();
      expect([path, code, stderr]).toEqual([path, 0, stderr]);
      expect(readFileSync(file), path).toEqual(readFileSync(join(folder, 'dist', path)));
    }
    const verified = await cli(['verify', 'mirror/current', '--root-key', 'key.json'], folder);
    expect(verified.code, verified.stdout).toBe(0);
  });
});
