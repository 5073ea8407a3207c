import { createHash } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { beforeEach, describe, expect, it } from 'vitest';
import { type BuildOptions, type BuildReport, build, RecordsRejected } from '../../build/index.js';
import { onThread } from '../../build/on-thread.js';
import { Stamps } from '../../build/stamps.js';
import { filesBelow } from '../../build/walk.js';
import { chance, recordFile, recordFiles } from '../support/corpus.js';
import { cli, recordText, run, temporaryFolder, workspace, writeFiles } from '../support/workspace.js';

const time = (step: number) => `2026-11-21T08:00:${String(step).padStart(2, '0')}Z`;

/** Every file of a tree, by its path. */
function treeOf(folder: string): Record<string, string> {
  const dist = join(folder, 'dist');
  return Object.fromEntries(filesBelow(dist).map((path) => [path, readFileSync(join(dist, path), 'latin1')]));
}

/** Builds a workspace in this process, at a time of its own. */
function built(folder: string, step: number, options: Partial<BuildOptions> = {}): Promise<BuildReport> {
  return build({
    issuers: join(folder, 'issuers'),
    out: join(folder, 'dist'),
    key: join(folder, 'key.pem'),
    directory: folder,
    production: false,
    updatedAt: time(step),
    ...options,
  });
}

/** A copy of a workspace without its tree, so that the same key signs in both. */
function copyOf(folder: string): string {
  const copy = temporaryFolder();
  cpSync(join(folder, 'issuers'), join(copy, 'issuers'), { recursive: true, verbatimSymlinks: true });
  cpSync(join(folder, 'key.pem'), join(copy, 'key.pem'));
  return copy;
}

const cacheOf = (folder: string) => join(folder, '.dist.cache');

describe('the bytes of a build', () => {
  it('are the same on one thread and on more, with a cache and without', async () => {
    const folder = await workspace();
    writeFiles(folder, recordFiles(1_200));
    await built(folder, 0, { workers: 1, cache: false });
    for (const [workers, cache] of [
      [1, true],
      [2, false],
      [2, true],
      [3, true],
    ] as const) {
      const copy = copyOf(folder);
      const report = await built(copy, 0, { workers, cache });
      expect(report.warnings.length).toBeGreaterThan(5);
      expect(treeOf(copy)).toEqual(treeOf(folder));
      expect(existsSync(cacheOf(copy))).toBe(cache);
    }
  });

  it('are the same after any changes, whatever is remembered of before', async () => {
    const folder = await workspace();
    writeFiles(folder, recordFiles(120));
    const bare = copyOf(folder);
    let changes = 0;
    for (let step = 0; step < 30; step++) {
      const edits = step === 0 ? [] : editsOf(step);
      for (const edit of edits) for (const one of [folder, bare]) edit(one);
      const [remembering, forgetful] = [
        await built(folder, step),
        await built(bare, step, { cache: false, workers: 1 }),
      ];
      expect(treeOf(folder)).toEqual(treeOf(bare));
      expect(fileNames(remembering, folder)).toEqual(fileNames(forgetful, bare));
      changes += remembering.kept ? 0 : 1;
    }
    // Else all this would show nothing.
    expect(changes).toBeGreaterThan(15);
  });

  it('are the same where thousands of files are looked at on a thread of its own', async () => {
    const folder = await workspace();
    writeFiles(folder, recordFiles(12_000));
    await built(folder, 0, { workers: 2 });
    expect(statSync(cacheOf(folder)).size).toBeGreaterThan(1_000_000);
    writeFiles(folder, Object.fromEntries([recordFile(8_001, 1)]));
    writeFiles(join(folder, 'dist'), { 'issuers/issuer-00017': '{}', stray: '' });
    const { written, removed } = await built(folder, 1);
    // The record, the list, the signature, the delta and the checksums; what was damaged; and what the feed says of it.
    expect([written, removed]).toEqual([8, 1]);
    const bare = copyOf(folder);
    await built(bare, 0, { cache: false, workers: 1 });
    const untold = (tree: Record<string, string>) =>
      Object.entries(tree).filter(([path]) => /^issuers\/|^schemas\//.test(path));
    expect(untold(treeOf(folder))).toEqual(untold(treeOf(bare)));
  });
});

/** A report's warnings and notes, without the folder that they name. */
function fileNames({ warnings, notes, issuers, sha256 }: BuildReport, folder: string): string {
  return JSON.stringify({ warnings, notes, issuers, sha256 }).replaceAll(folder, '');
}

/** One to three changes of record files. */
function editsOf(step: number): ((folder: string) => void)[] {
  return Array.from({ length: 1 + chance(`${step}`, 3) }, (_one, index) => {
    const seed = `${step} ${index}`;
    const number = chance(seed, 150);
    const [path, text] = recordFile(number, step);
    const file = (folder: string) => join(folder, path);
    const edits: ((folder: string) => void)[] = [
      (folder) => writeFiles(folder, { [path]: text }),
      (folder) => writeFiles(folder, { [path]: text.replace('status: active', 'status: revoked') }),
      (folder) => rmSync(file(folder), { force: true }),
      // Touched, and the same.
      (folder) => existsSync(file(folder)) && utimesSync(file(folder), step, step),
      // Moved to another folder, with what it says.
      (folder) => {
        if (!existsSync(file(folder))) return;
        mkdirSync(join(folder, 'issuers/moved'), { recursive: true });
        renameSync(file(folder), join(folder, 'issuers/moved', path.split('/').at(-1) ?? ''));
      },
      // A comment that changes no record.
      (folder) => existsSync(file(folder)) && appendFileSync(file(folder), `# ${step}\n`),
    ];
    const edit = edits[chance(`${seed} kind`, edits.length)];
    return (folder) => {
      const moved = join(folder, 'issuers/moved', path.split('/').at(-1) ?? '');
      if (existsSync(moved)) rmSync(moved);
      edit?.(folder);
    };
  });
}

describe('what is remembered', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await workspace(['alpha', 'beta', 'gamma']);
    await built(folder, 0);
  });

  /** Holds a build with what is remembered to one without, after the same has been done to both. */
  async function sameAsForgotten(step = 1): Promise<BuildReport> {
    const bare = copyOf(folder);
    cpSync(join(folder, 'dist'), join(bare, 'dist'), { recursive: true, verbatimSymlinks: true });
    await built(bare, step, { cache: false });
    const report = await built(folder, step);
    expect(treeOf(folder)).toEqual(treeOf(bare));
    return report;
  }

  it('lets a build that has nothing to do write nothing', async () => {
    const before = statSync(cacheOf(folder)).ctimeMs;
    const report = await built(folder, 1);
    expect(report).toMatchObject({ written: 0, removed: 0, kept: true, issuers: 3, updatedAt: time(0) });
    expect(report.verified).toBe('nothing');
    expect(report.unchanged).toBe(filesBelow(join(folder, 'dist')).length);
    expect(report.notes.join()).toContain(`${time(1)} was not used`);
    expect(statSync(cacheOf(folder)).ctimeMs).toBe(before);
  });

  it('spares what has been verified, and only that', async () => {
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { status: 'revoked' }) });
    expect((await built(folder, 1)).verified).toBe('changes');
    expect((await built(folder, 2, { renew: true })).verified).toBe('changes');
    expect((await built(folder, 3, { renew: true, precompress: true })).verified).toBe('all');
    expect((await built(folder, 4, { renew: true, cache: false })).verified).toBe('all');
    const other = await workspace([]);
    const changedRoot = { key: join(other, 'key.pem'), rootKey: join(folder, 'root.json') };
    const { stdout } = await cli(['keys', 'public', 'key.pem'], other);
    writeFileSync(changedRoot.rootKey, stdout);
    await built(folder, 5);
    expect((await built(folder, 6, changedRoot)).verified).toBe('all');
  });

  it('says the same of an unchanged tree as a build that reads everything', async () => {
    writeFiles(folder, { 'issuers/uk.yaml': recordText('uk', { geographical_scope: '[UK]' }) });
    await built(folder, 1);
    const remembering = await built(folder, 2);
    expect(remembering.warnings.map(({ rule, line }) => [rule, line])).toEqual([['unknown-country', 7]]);
    expect({ ...remembering, verified: 'all' }).toEqual(await built(folder, 2, { cache: false }));
  });

  it('still wants the right key, and does what else it is asked', async () => {
    await expect(built(folder, 1, { key: join(folder, 'nowhere.pem') })).rejects.toThrow('nowhere.pem');
    const other = await workspace();
    await expect(built(folder, 1, { key: join(other, 'key.pem') })).rejects.toThrow('--root-key');
    expect((await built(folder, 1, { renew: true })).updatedAt).toBe(time(1));
    expect((await built(folder, 2, { precompress: true })).written).toBe(3);
    expect((await built(folder, 3, { precompress: true })).written).toBe(0);
    expect((await built(folder, 4)).removed).toBe(2);
  });

  it('does not keep a mark that a tree no longer deserves', async () => {
    const places = { issuers: join(folder, 'issuers'), out: join(folder, 'try'), production: false };
    await build({ ...places, directory: folder });
    const mark = join(folder, 'try/UNFIT-FOR-PRODUCTION.txt');
    expect(existsSync(mark)).toBe(true);
    const key = join(folder, '.passport-registry/development-key.pem');
    const { unchanged } = await build({ ...places, key, directory: temporaryFolder() });
    expect([existsSync(mark), unchanged > 20]).toEqual([false, true]);
  });

  it('does not keep a checkpoint from being signed', async () => {
    const checkpointed = () =>
      cli(['build', '--key', 'key.pem', '--checkpoint-key', 'key.pem', '--json'], folder);
    const texts: string[] = [];
    for (let time = 0; time < 2; time++) {
      // Signed to the second.
      await new Promise((resolve) => setTimeout(resolve, 1_100));
      const { code, stderr } = await checkpointed();
      expect(code, stderr).toBe(0);
      texts.push(readFileSync(join(folder, 'dist/checkpoint.jwt'), 'utf8'));
    }
    expect(texts[0]).not.toBe(texts[1]);
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { status: 'revoked' }) });
    const notes = [await built(folder, 1), await built(folder, 1)].map((report) => report.notes.join());
    expect(notes[0]).toContain('The checkpoint still vouches for an older list');
    expect(notes[1]).toContain('The checkpoint still vouches for an older list');
  });

  /** Another day in a record, in as many bytes. */
  const anotherDay = (text: string) => text.replace('2026-01-01', '2026-01-02');

  it.each<[string, () => void]>([
    ['changed', () => writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { status: 'revoked' }) })],
    [
      'changed to the same size and the same time',
      () => {
        const file = join(folder, 'issuers/beta.yaml');
        const { atime, mtime } = statSync(file);
        writeFileSync(file, anotherDay(readFileSync(file, 'utf8')));
        utimesSync(file, atime, mtime);
      },
    ],
    [
      'replaced by another of the same size and time',
      () => {
        const file = join(folder, 'issuers/beta.yaml');
        const { atime, mtime } = statSync(file);
        const other = join(folder, 'other');
        writeFileSync(other, anotherDay(readFileSync(file, 'utf8')));
        utimesSync(other, atime, mtime);
        renameSync(other, file);
      },
    ],
    ['gone', () => unlinkSync(join(folder, 'issuers/beta.yaml'))],
    ['new', () => writeFiles(folder, { 'issuers/a-new.yaml': recordText('a-new') })],
    ['renamed', () => renameSync(join(folder, 'issuers/beta.yaml'), join(folder, 'issuers/beta.yml'))],
    [
      'a link to another',
      () => {
        writeFiles(folder, { 'issuers/.kept/beta.yaml': recordText('beta', { status: 'suspended' }) });
        unlinkSync(join(folder, 'issuers/beta.yaml'));
        symlinkSync('.kept/beta.yaml', join(folder, 'issuers/beta.yaml'));
      },
    ],
  ])('is no longer used of a record file that is %s', async (what, edit) => {
    edit();
    expect((await sameAsForgotten()).updatedAt).toBe(what === 'renamed' ? time(0) : time(1));
  });

  it('is not used of what a link leads to', async () => {
    unlinkSync(join(folder, 'issuers/beta.yaml'));
    writeFiles(folder, { 'issuers/.kept/beta.yaml': recordText('beta') });
    symlinkSync('.kept/beta.yaml', join(folder, 'issuers/beta.yaml'));
    await built(folder, 1);
    writeFiles(folder, { 'issuers/.kept/beta.yaml': recordText('beta', { status: 'suspended' }) });
    expect((await sameAsForgotten(2)).kept).toBe(false);
  });

  it('does not let a link out of the folder, even to a file that says the same', async () => {
    const link = join(folder, 'issuers/beta.yaml');
    unlinkSync(link);
    writeFiles(folder, { 'issuers/.kept/beta.yaml': recordText('beta'), 'beta.yaml': recordText('beta') });
    symlinkSync('.kept/beta.yaml', link);
    await built(folder, 1);
    unlinkSync(link);
    symlinkSync('../beta.yaml', link);
    await expect(built(folder, 2)).rejects.toThrow(RecordsRejected);
  });

  it.each<[string, (dist: string) => void]>([
    ['changed', (dist) => writeFileSync(join(dist, 'issuers/beta'), '{}')],
    [
      'changed to the same size and the same time',
      (dist) => {
        const file = join(dist, 'issuers/beta');
        const { atime, mtime } = statSync(file);
        writeFileSync(file, readFileSync(file, 'utf8').replace('active', 'Active'));
        utimesSync(file, atime, mtime);
      },
    ],
    ['gone', (dist) => unlinkSync(join(dist, 'issuers/beta'))],
    ['one too many', (dist) => writeFileSync(join(dist, 'issuers/delta'), '{}')],
    [
      'a folder',
      (dist) => {
        unlinkSync(join(dist, 'issuers/beta'));
        mkdirSync(join(dist, 'issuers/beta/x'), { recursive: true });
      },
    ],
    [
      'in a folder that is a link',
      (dist) => {
        renameSync(join(dist, 'schemas'), join(dist, '../else'));
        symlinkSync('../else', join(dist, 'schemas'));
      },
    ],
    [
      'a link',
      (dist) => {
        unlinkSync(join(dist, 'issuers/beta'));
        symlinkSync('alpha', join(dist, 'issuers/beta'));
      },
    ],
    [
      'a link to a file that says the same',
      (dist) => {
        renameSync(join(dist, 'issuers/beta'), join(dist, '../beta'));
        symlinkSync('../../beta', join(dist, 'issuers/beta'));
      },
    ],
    ['under another name', (dist) => renameSync(join(dist, 'issuers/beta'), join(dist, 'issuers/bet'))],
    ['the last of all, gone', (dist) => unlinkSync(join(dist, filesBelow(dist).at(-1) ?? ''))],
    ['an empty folder too many', (dist) => mkdirSync(join(dist, 'empty/in/vain'), { recursive: true })],
    [
      'the signature, of another key',
      (dist) => writeFileSync(join(dist, 'issuers.sig'), `${'A'.repeat(86)}`),
    ],
    [
      'the list, cut off',
      (dist) =>
        writeFileSync(join(dist, 'issuers.json'), readFileSync(join(dist, 'issuers.json')).subarray(0, 300)),
    ],
    [
      'the checksums, altered',
      (dist) =>
        writeFileSync(
          join(dist, 'SHA256SUMS'),
          readFileSync(join(dist, 'SHA256SUMS'), 'utf8').replace(/^./, 'x'),
        ),
    ],
  ])('does not keep a build from mending the tree: a file is %s', async (_what, damage) => {
    damage(join(folder, 'dist'));
    await sameAsForgotten();
    expect(existsSync(join(folder, 'dist/empty'))).toBe(false);
    expect(lstatSync(join(folder, 'dist/issuers/beta')).isFile()).toBe(true);
    expect(lstatSync(join(folder, 'dist/schemas')).isDirectory()).toBe(true);
    const { code, stderr } = await cli(['verify', 'dist'], folder);
    expect(code, stderr).toBe(0);
  });

  it('does not pass a signature off as that of a root key which came to stand in the tree', async () => {
    const other = await workspace([]);
    const { stdout } = await cli(['keys', 'public', 'key.pem'], other);
    writeFileSync(join(folder, 'dist/keys/root.json'), stdout);
    expect((await built(folder, 1, { key: join(other, 'key.pem') })).kept).toBe(false);
    const { code, stderr } = await cli(['verify', 'dist'], folder);
    expect(code, stderr).toBe(0);
  });

  it('may be damaged anywhere, and nothing but time is lost', async () => {
    const good = readFileSync(cacheOf(folder));
    for (let step = 1; step <= 40; step++) {
      writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { certified_since: time(step) }) });
      const bad = Buffer.from(step % 2 === 0 ? readFileSync(cacheOf(folder)) : good);
      const at = chance(`${step}`, bad.length);
      bad.writeUInt8((bad[at] ?? 0) ^ (1 << (step % 8)), at);
      writeFileSync(cacheOf(folder), step % 5 === 0 ? bad.subarray(0, at) : bad);
      await built(folder, step);
      const [alpha, beta] = ['alpha', 'beta'].map((id) =>
        readFileSync(join(folder, 'dist/issuers', id), 'utf8'),
      );
      expect(beta).toContain(time(step));
      expect(readFileSync(join(folder, 'dist/issuers.json'), 'utf8')).toContain(`${alpha},${beta},`);
    }
    await sameAsForgotten(41);
  });

  it('may be gone, in the way, or unwritable', async () => {
    rmSync(cacheOf(folder));
    mkdirSync(join(cacheOf(folder), 'in the way'), { recursive: true });
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { status: 'revoked' }) });
    const report = await sameAsForgotten();
    expect(report.notes.join()).toMatch(/^Nothing could be remembered for the next build: E/);
    rmSync(cacheOf(folder), { recursive: true });
    await sameAsForgotten(2);
    expect(existsSync(cacheOf(folder))).toBe(true);
  });

  it('may be of yesterday, of another registry, or of another place', async () => {
    const yesterday = readFileSync(cacheOf(folder));
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { status: 'revoked' }) });
    await built(folder, 1);
    writeFileSync(cacheOf(folder), yesterday);
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    expect((await sameAsForgotten(2)).kept).toBe(false);

    const other = await workspace(['alpha', 'beta', 'gamma']);
    writeFiles(other, { 'issuers/beta.yaml': recordText('beta', { status: 'suspended' }) });
    await built(other, 2);
    cpSync(cacheOf(other), cacheOf(folder));
    expect((await sameAsForgotten(3)).kept).toBe(true);

    const moved = join(temporaryFolder(), 'moved');
    renameSync(folder, moved);
    folder = moved;
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'revoked' }) });
    await sameAsForgotten(4);
  });

  it('is not used by another program', async () => {
    const cache = deserialize(readFileSync(cacheOf(folder)).subarray(64));
    const foreign = serialize({ ...cache, about: cache.about.replace(/^./, 'x') });
    const digest = createHash('sha256').update(foreign).digest('hex');
    writeFileSync(cacheOf(folder), Buffer.concat([Buffer.from(digest), foreign]));
    await built(folder, 1);
    // It has been written anew, which a build does that could use it and has found nothing to do does not.
    expect(deserialize(readFileSync(cacheOf(folder)).subarray(64)).about).toBe(cache.about);
  });

  it('is nobody else’s, and lies beside the tree', async () => {
    expect(statSync(cacheOf(folder)).mode & 0o777).toBe(0o600);
    expect(filesBelow(join(folder, 'dist')).filter((path) => path.includes('cache'))).toEqual([]);
    expect(readFileSync(cacheOf(folder), 'latin1')).not.toContain('PRIVATE');
  });

  it('is neither read nor written by a build that is told so', async () => {
    const before = readFileSync(cacheOf(folder));
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { status: 'revoked' }) });
    const { code, stderr } = await cli(['build', '--key', 'key.pem', '--no-cache'], folder);
    expect(code, stderr).toBe(0);
    expect(readFileSync(cacheOf(folder)).equals(before)).toBe(true);
    await sameAsForgotten(59);
  });

  it('does not hide a problem, wherever the other half of it stands', async () => {
    writeFiles(folder, {
      'issuers/x/beta.yaml': recordText('beta'),
      'issuers/Gamma.yaml': recordText('Gamma'),
      'issuers/delta.yaml': recordText('epsilon'),
    });
    const bare = copyOf(folder);
    const problems = async (place: string, options: Partial<BuildOptions>) => {
      const error = await built(place, 1, options).catch((cause: unknown) => cause);
      expect(error).toBeInstanceOf(RecordsRejected);
      return JSON.stringify((error as RecordsRejected).diagnostics).replaceAll(place, '');
    };
    const expected = await problems(bare, { cache: false, workers: 1 });
    expect(expected).toContain('duplicate-id');
    expect(expected).toContain('id-case-collision');
    expect(await problems(folder, {})).toBe(expected);
    expect(await problems(folder, { workers: 2 })).toBe(expected);
  });
});

describe('the stamp of a file', () => {
  const file = () => {
    const path = join(temporaryFolder(), 'file');
    writeFileSync(path, 'x');
    return path;
  };

  it('fits the file until it is touched', () => {
    const path = file();
    const stamps = new Stamps(2);
    const before = lstatSync(path);
    before.ctimeMs -= 10_000;
    stamps.set(1, before);
    expect([stamps.fits(1, before), stamps.fits(0, before)]).toEqual([true, false]);
    for (const change of [{ size: 2 }, { ctimeMs: before.ctimeMs + 0.001 }, { ino: before.ino + 1 }]) {
      expect(stamps.fits(1, Object.assign(lstatSync(path), { ctimeMs: before.ctimeMs }, change))).toBe(false);
    }
  });

  const wholeSecond = (ago: number) => Math.floor(Date.now() / 1000) * 1000 - ago;

  it.each<[string, () => number, boolean]>([
    ['just now', () => Date.now(), false],
    ['in the future', () => Date.now() + 60_000.5, false],
    ['long ago', () => Date.now() - 10_000.5, true],
    ['a second ago, by a clock that counts in seconds', () => wholeSecond(1000), false],
    ['a second ago, by a clock that counts finer', () => wholeSecond(1000.5), true],
  ])('is not noted where the next change could look the same: %s', (_what, changed, noted) => {
    const stamps = new Stamps(1);
    const stats = Object.assign(lstatSync(file()), { ctimeMs: changed() });
    stamps.set(0, stats);
    expect(stamps.fits(0, stats)).toBe(noted);
  });
});

describe('a thread', () => {
  const call = (code: string, args: unknown[] = []) =>
    onThread({ module: `data:text/javascript,${encodeURIComponent(code)}`, name: 'work', args });

  it('gives what its function gives, and throws what it throws', async () => {
    expect(await call('export const work = (a, b) => new Map([[a, b]])', ['x', 1])).toEqual(
      new Map([['x', 1]]),
    );
    await expect(call('export const work = () => { throw new TypeError("no") }')).rejects.toThrow('no');
    await expect(call('export const another = 1')).rejects.toThrow('not a function');
  });

  it('starts whatever the options of the process are', async () => {
    const module = new URL('../../build/on-thread.js', import.meta.url).href;
    const code = `import { onThread } from '${module}';
      const call = { module: 'data:text/javascript,export const work = () => 7', name: 'work', args: [] };
      process.stdout.write(String(await onThread(call)));`;
    const { stdout, stderr } = await run(
      process.execPath,
      ['--input-type=module', '-e', code],
      temporaryFolder(),
    );
    expect(stdout, stderr).toBe('7');
  });

  it('that ends early is no answer', async () => {
    await expect(call('export const work = () => process.exit(3)')).rejects.toThrow('ended early, with 3');
  });
});
