import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { LogIdentity } from '@passport-registry/verifier/core';
import { build } from 'passport-registry';
import { beforeAll, describe, expect, it } from 'vitest';
import { readPublishedLog } from '../../../build/generator/publishing/extend-log.js';
import type { PublishedTree } from '../../../build/generator/tree/published-tree.js';
import { readPublished } from '../../../build/generator/verification/read-published.js';
import { flipped } from '../../support/altered.js';
import { expectCommandError } from '../../support/expect-command-error.js';
import { loggedFolder } from '../../support/logged-folder.js';
import { copyOf } from '../../support/made-once.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { sha256 } from '../../support/sha256.js';
import { rounds, sample } from '../../support/soak.js';
import { setStatement, statementIn } from '../../support/statements.js';
import {
  cli,
  filesBelow,
  filesOf,
  keyPair,
  recordText,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

/** What a loss of power, a disk, or a person does to a file. */
const DAMAGES: Record<string, (file: string) => void> = {
  emptied: (file) => writeFileSync(file, ''),
  truncated: (file) => truncateSync(file, Math.floor(readFileSync(file).length / 2)),
  removed: (file) => rmSync(file),
  altered: (file) => writeFileSync(file, flipped(readFileSync(file))),
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
  hold: ['hold', 'beta', ...ONLINE],
  'the end of a hold': ['hold', '--end', '--all', '--false-alarm', ...ONLINE],
  request: ['build', '--unsigned', 'request', '--root-key', 'key.json'],
  rotation: ['keys', 'rotate', '--yes', '--key', 'key.pem', '--next-key', 'next.pem'],
};

/** A registry with a log of three publications and an online key, which holds alpha. Gamma is suspended. */
let made: string;
/** The paths of its files, and its files as they were before the last publication. */
let paths: string[];
let older: Map<string, Buffer>;

beforeAll(async () => {
  const { folder, good, publish } = await loggedFolder();
  for (const name of ['online', 'next']) await keyPair(folder, name);
  const online = withKeys({ checkpoint: 'online.pem' });
  const gamma = { name: 'Gamma', status: 'suspended', status_reason: 'leak' };
  writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma', gamma) });
  await publish(...online);
  older = filesOf(join(folder, 'dist'));
  await publish(...online);
  await good('hold', 'alpha', ...ONLINE);
  // There is something to publish, which no build may take up over a tree that is not as it was published.
  writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { tier: 'registered' }) });
  made = folder;
  paths = filesBelow(join(made, 'dist'));
});

const verify = (folder: string) => cli(['verify', 'dist', '--trust-anchor', 'key.json'], folder);

/** The past of a tree, its log and its older lists, is audited by `verify`. */
const isPast = (path: string) => /^(?:log|lists)\//.test(path);

/** Asserts that nothing is signed over a tree, and that the tree has to be loaded. */
const assertUnread = (reading: Promise<unknown>, what?: string) =>
  expect(reading, what).rejects.toMatchObject({
    code: 'ERR_TREE_REJECTED',
    message: expect.stringContaining('`load`'),
  });

describe('a tree with a file that is damaged', () => {
  it('is not read by whatever would sign', async () => {
    const dist = copyOf(join(made, 'dist'));
    expect(await readPublished(dist)).toMatchObject({ folder: dist });
    const damages = Object.keys(DAMAGES);
    // An empty file can be neither emptied nor truncated.
    const files = paths.filter((path) => !isPast(path) && readFileSync(join(dist, path)).length > 0);
    for (const [at, path] of files.entries()) {
      // One damage of each file; in the soak, every one.
      for (let step = 0; step < rounds({ usual: 1, soak: damages.length }); step++) {
        const damage = damages[(at + step) % damages.length] ?? '';
        const bytes = readFileSync(join(dist, path));
        DAMAGES[damage]?.(join(dist, path));
        await assertUnread(readPublished(dist), `${path} ${damage}`);
        rmSync(join(dist, path), { recursive: true, force: true });
        writeFileSync(join(dist, path), bytes);
      }
    }
  });

  it('is refused, or `verify` refuses what comes of it, if the file belongs to the log or to an older list', async () => {
    for (const [at, path] of sample([...paths.filter(isPast).entries()], 2)) {
      const folder = copyOf(made);
      DAMAGES[at % 4 < 2 ? 'emptied' : 'altered']?.(join(folder, 'dist', path));
      const before = filesOf(join(folder, 'dist'));
      expect([path, (await verify(folder)).code]).toEqual([path, 1]);
      const outcome = await cli([...BUILD, '--json'], folder);
      if (outcome.code === 0) {
        expect([path, (await verify(folder)).code]).toEqual([path, 1]);
      } else {
        expectCommandError(outcome, 'ERR_TREE_REJECTED', '`load`');
        expect(filesOf(join(folder, 'dist'))).toEqual(before);
      }
      rmSync(folder, { recursive: true });
    }
  });
});

it('a file that is altered after the audit of a build is written again', async () => {
  const folder = await workspace(['alpha']);
  const dist = join(folder, 'dist');
  const signer = { key: join(folder, 'key.pem'), production: false, directory: folder };
  const options = { issuers: join(folder, 'issuers'), out: dist, signer };
  await build(options);
  const icon = readFileSync(join(dist, 'assets/icon.svg'));
  const onStage = (stage: string) => {
    if (stage === 'verify') writeFiles(dist, { 'assets/icon.svg': flipped(icon) });
  };
  await build({ ...options, listeners: { onStage } });
  expect(readFileSync(join(dist, 'assets/icon.svg')).equals(icon)).toBe(true);
});

/** What somebody puts in place of files of a tree, each of which may be valid on its own. */
const REPLACED: Record<string, (dist: string) => void> = {
  'the list before': (dist) => putBack(dist, 'issuers.json', 'issuers.sig'),
  'the list before, with its checksums': (dist) => putBack(dist, 'issuers.json', 'SHA256SUMS'),
  'the publication statement before': (dist) => putBack(dist, 'publication.jwt'),
  'the checkpoint before, without the hold': (dist) => putBack(dist, 'checkpoint.jwt'),
  'a checkpoint from which the hold was cut': (dist) => {
    const [head, payload = '', signature] = statementIn(dist, 'checkpoint').split('.');
    const { hold: _hold, ...rest } = JSON.parse(Buffer.from(payload, 'base64url').toString());
    const cut = Buffer.from(JSON.stringify(rest)).toString('base64url');
    setStatement(dist, 'checkpoint', `${head}.${cut}.${signature}`);
  },
  'a checkpoint that is no JWT': (dist) => setStatement(dist, 'checkpoint', '<html></html>'),
  'no checkpoint': (dist) => setStatement(dist, 'checkpoint', undefined),
  'no publication statement': (dist) => setStatement(dist, 'publication', undefined),
  'a rotation that is none': (dist) => setStatement(dist, 'rotation', '["e30.e30."]'),
  'no statements': (dist) => rmSync(join(dist, 'statements.json')),
  'an earlier time of a suspension': (dist) =>
    edit(dist, 'about.json', (text) => text.replace(/(?<="status_since":")2\d{3}/, '2000')),
  'no names and reasons': (dist) => rmSync(join(dist, 'about.json')),
  'another page, with its entry in SHA256SUMS': (dist) => {
    const page = readFileSync(join(dist, 'index.html'));
    edit(dist, 'index.html', (text) => text.replace('<body', '<body onload="alert()"'));
    const changed = readFileSync(join(dist, 'index.html'));
    edit(dist, 'SHA256SUMS', (text) => text.replace(sha256(page), sha256(changed)));
  },
  'the mark of a development tree': (dist) => writeFiles(dist, { 'UNFIT-FOR-PRODUCTION.txt': '' }),
  'that mark, with an entry in SHA256SUMS': (dist) => {
    writeFiles(dist, { 'UNFIT-FOR-PRODUCTION.txt': '' });
    edit(dist, 'SHA256SUMS', (text) => `${text}${sha256(Buffer.of())}  UNFIT-FOR-PRODUCTION.txt\n`);
  },
  'the next root key': (dist) => cpSync(join(made, 'next.json'), join(dist, 'keys/root.json')),
  'a file that no publication has written': (dist) => writeFiles(dist, { 'stray/notes.txt': 'x' }),
  'a record that the list lacks': (dist) => writeFiles(dist, { 'issuers/nobody': '{}' }),
  'a link to a folder': (dist) => {
    rmSync(join(dist, 'issuers'), { recursive: true });
    symlinkSync(join(made, 'dist/issuers'), join(dist, 'issuers'));
  },
  'a file in place of a folder': (dist) => {
    rmSync(join(dist, 'schemas'), { recursive: true });
    writeFiles(dist, { schemas: '' });
  },
};

function putBack(dist: string, ...names: string[]): void {
  writeFiles(dist, Object.fromEntries(names.map((name) => [name, older.get(name) ?? ''])));
}

function edit(dist: string, path: string, change: (text: string) => string): void {
  writeFileSync(join(dist, path), change(readFileSync(join(dist, path), 'utf8')));
}

it.each(Object.entries(REPLACED))(
  'a tree with %s is not read by whatever would sign',
  async (_name, replace) => {
    const dist = copyOf(join(made, 'dist'));
    replace(dist);
    await assertUnread(readPublished(dist));
  },
);

/** A command must be refused over a tree in which something was replaced, and must leave it as it is. */
async function assertRefused(replace: (dist: string) => void, args: readonly string[]): Promise<void> {
  const folder = copyOf(made);
  const dist = join(folder, 'dist');
  replace(dist);
  const before = filesOf(dist);
  expectCommandError(await cli([...args, '--json'], folder), 'ERR_TREE_REJECTED', '`load`');
  expect(filesOf(dist)).toEqual(before);
}

it.each(Object.entries(SIGNING))(
  'a tree whose hold was undone is refused by whatever signs, which leaves it as it is: %s',
  (_command, args) => assertRefused((dist) => putBack(dist, 'checkpoint.jwt'), args),
);

const removeLog = (dist: string) => rmSync(join(dist, 'log'), { recursive: true });

/** Swaps the first two parts of a file, which have the same size in bytes. */
const swapped = (bytes: Buffer, size: number) =>
  Buffer.concat([bytes.subarray(size, 2 * size), bytes.subarray(0, size), bytes.subarray(2 * size)]);

/** The right edge of the log, which is read before anything is replaced. */
const EDGE: Record<string, (dist: string) => void> = {
  'no log': removeLog,
  'a log without its head': (dist) => rmSync(join(dist, 'log/checkpoint')),
  'another root in the head of the log': (dist) =>
    edit(dist, 'log/checkpoint', (text) => text.replace(/^(.*\n3\n)./, (_all, start) => `${start}_`)),
  'another signature in the head of the log': (dist) => DAMAGES['altered']?.(join(dist, 'log/checkpoint')),
  'two entries of the log in another order, also in its tile': (dist) => {
    const [bundle, tile] = [join(dist, 'log/tile/entries/000.p/3'), join(dist, 'log/tile/0/000.p/3')];
    const entries = readFileSync(bundle);
    // The length of an entry stands before it, in two bytes.
    writeFileSync(bundle, swapped(entries, 2 + entries.readUInt16BE()));
    writeFileSync(tile, swapped(readFileSync(tile), 32));
  },
  'a log without the newest statement': (dist) => rmSync(join(dist, 'log/statements/2.jwt')),
  'another newest statement in the log': (dist) => edit(dist, 'log/statements/2.jwt', (text) => `${text}\n`),
};

it.each(Object.entries(EDGE))(
  'a tree with %s has no log that could be extended, although the rest is whole',
  async (_name, replace) => {
    const dist = copyOf(join(made, 'dist'));
    replace(dist);
    const tree = (await readPublished(dist)) as PublishedTree;
    await assertUnread(readPublishedLog(tree, tree.statement.log as LogIdentity));
  },
);

describe('a tree with a damaged log', () => {
  it('is refused by a build', () => assertRefused(removeLog, BUILD));

  it('is refused by a build of what it publishes', () =>
    assertRefused((dist) => {
      writeFiles(dist, { '../issuers/beta.yaml': recordText('beta') });
      removeLog(dist);
    }, BUILD));
});

describe('a mirror whose files of the log were damaged', () => {
  it('repairs each of them', async () => {
    const folder = copyOf(made);
    const source = await serve(join(folder, 'dist'));
    const mirror = () => cli(['mirror', source, 'mirror', '--trust-anchor', 'key.json', '--json'], folder);
    expect((await mirror()).code).toBe(0);
    const damages = [DAMAGES['emptied'], DAMAGES['truncated'], DAMAGES['altered']];
    const files = paths.filter((path) => path.startsWith('log/') || path === 'statements.json');
    for (const [at, path] of files.entries()) {
      const file = join(folder, 'mirror/current', path);
      // In place, so that every release with a hard link to the file has the damage.
      damages[at % damages.length]?.(file);
      const { code, stdout, stderr } = await mirror();
      expect(code, `${path}: ${stderr}`).toBe(0);
      expect(JSON.parse(stdout), path).toMatchObject({ repaired: true });
      expect(readFileSync(file), path).toEqual(readFileSync(join(folder, 'dist', path)));
    }
    expect(JSON.parse((await mirror()).stdout)).toMatchObject({ switched: false, repaired: false });
    const verified = await cli(['verify', 'mirror/current', '--trust-anchor', 'key.json'], folder);
    expect(verified.code, verified.stdout).toBe(0);
  });
});
