import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey } from '@passport-registry/verifier';
import {
  type AnyEntry,
  entryBytes,
  publicationEntry,
  rotationEntry,
  statementHash,
} from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { logEntries, problemsIn } from '../../support/log-files.js';
import { type LoggedFolder, loggedFolder } from '../../support/logged-folder.js';
import { noteSigner } from '../../support/note-keys.js';
import { plainHost } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { claimsOf, jwt, resealed, restated, type SignerKey, signerKey } from '../../support/signed-tree.js';
import { readTreeFile } from '../../support/statements.js';
import { testLog } from '../../support/test-log.js';
import { cli, filesOf, keyPair, temporaryFolder, writeFiles } from '../../support/workspace.js';

const LOGGING = withKeys({ log: 'log.pem' });

let here: LoggedFolder;
/** The root key before the rotation, and after it. */
let keys: { readonly old: SignerKey; readonly next: SignerKey };
/** The statements of the log: two publications, a rotation step, and a publication by the next root key. */
let statements: string[];
let published: Record<string, unknown>;

beforeAll(async () => {
  here = await loggedFolder();
  await here.publish();
  writeFiles(here.folder, {
    'next.json': await here.good('keys', 'generate', '--no-passphrase', '--private', 'next.pem'),
  });
  keys = { old: here.keys.root, next: await signerKey(here.folder, 'next') };
  await here.good('keys', 'rotate', '--yes', '--key', 'key.pem', '--next-key', 'next.pem', ...LOGGING);
  const entries = await logEntries(here.tree);
  statements = entries.map((_entry, index) =>
    readFileSync(join(here.tree, `log/statements/${index}.jwt`), 'utf8'),
  );
  published = claimsOf(readTreeFile(join(here.tree, 'publication.jwt')));
  expect(entries.map(({ type }) => type)).toEqual(['publication', 'publication', 'rotation', 'publication']);
  expect(await problemsIn(here.tree)).toEqual([]);
});

/** The entry that says what a statement says. param steps - the number of rotation steps before it */
async function entryOf(text: string, steps: number): Promise<AnyEntry> {
  const claims = claimsOf(Buffer.from(text)) as unknown as Claims;
  if (claims.next_root !== undefined) {
    const { thumbprint } = await importRootKey(claims.next_root);
    return rotationEntry(text, thumbprint, claims.step ?? steps + 1);
  }
  return publicationEntry({ ...claims, updatedAt: claims.updated_at, hash: statementHash(text) });
}

/** What entries repeat of statements. */
interface Claims {
  readonly iat: number;
  readonly next_root?: object;
  readonly step?: number;
  readonly sha256: string;
  readonly sequence: number;
  readonly updated_at: string;
}

/**
 * A copy of the tree whose log has these statements, in entries that say what they say. The log ends with the publication of the
 * tree: unless they do, it is signed again, and follows them. The key of the log has signed the head.
 */
async function treeWith(texts: readonly string[]): Promise<string> {
  const tree = join(temporaryFolder(), 'tree');
  cpSync(here.tree, tree, { recursive: true });
  const isClosed = texts.at(-1) === statements.at(-1);
  const closing = isClosed ? filesOf(tree) : await closingAfter(texts);
  const all = isClosed ? texts : [...texts, String(closing.get('publication.jwt'))];
  const entries: AnyEntry[] = [];
  for (const text of all) {
    const steps = entries.filter(({ type }) => type === 'rotation').length;
    entries.push(await entryOf(text, steps));
  }
  const log = testLog(here.keys.log.pair, entries.map(entryBytes));
  writeFiles(tree, {
    ...Object.fromEntries([...closing].filter(([path]) => /^(?:publication|checkpoint)\.jwt$/.test(path))),
    ...Object.fromEntries(log.files),
    ...Object.fromEntries(all.map((text, index) => [`log/statements/${index}.jwt`, text])),
    'log/checkpoint': await log.note(),
    'log/publication.tlog-proof': await log.proof(all.length - 1),
  });
  return tree;
}

/** The files of the tree with a publication of the same list after these statements. */
async function closingAfter(texts: readonly string[]): Promise<ReadonlyMap<string, Buffer>> {
  const publications = texts.filter((text) => 'sequence' in claimsOf(Buffer.from(text)));
  const follows = { sequence: 10, previous: [statementHash(publications.at(-1) ?? '')] };
  return resealed(await restated(filesOf(here.tree), keys.next, follows), keys.next);
}

/** A next publication of the published list. */
const publication = (key: SignerKey, changes: Record<string, unknown> = {}) =>
  jwt(key, 'registry-publication+jwt', {
    ...published,
    sequence: Number(published['sequence']) + 1,
    previous: [statementHash(statements.at(-1) ?? '')],
    ...changes,
  });
const now = () => Math.floor(Date.now() / 1000);

const OTHER = noteSigner('other.example/log', 'log');

const BY_OTHER =
  /^log: entry 4 of the log: its statement is signed by "\S{43}", but the root key in force there is/;

describe('an entry is refused', () => {
  const attacks: Record<string, [text: () => Promise<string>, problem: RegExp]> = {
    'of a publication by a replaced root key': [() => publication(keys.old), BY_OTHER],
    'with the sequence of the publication before it': [
      () => publication(keys.next, { sequence: published['sequence'] }),
      /^log: entry 4 of the log: publication 3 follows publication 3$/,
    ],
    'that names another publication as the previous one': [
      () => publication(keys.next, { previous: [statementHash(statements[1] ?? '')] }),
      /^log: entry 4 of the log: publication 4 does not follow the publication before it in the log, but [0-9a-f]{64}$/,
    ],
    'that names no publication as the previous one': [
      () => publication(keys.next, { previous: undefined }),
      /^log: entry 4 of the log: publication 4 does not follow the publication before it in the log, but names none$/,
    ],
    'that names no log': [
      () => publication(keys.next, { log: undefined }),
      /^log: entry 4 of the log: publication 4 names no log$/,
    ],
    'that names another log': [
      () => publication(keys.next, { log: { origin: OTHER.key.name, vkey: OTHER.vkey } }),
      /^log: entry 4 of the log: publication 4 names the log other\.example\/log, but the log is /,
    ],
    'of an older list': [
      () => publication(keys.next, { updated_at: '2001-01-01T00:00:00Z' }),
      /^log: entry 4 of the log: the list of publication 4 is dated 2001-01-01T00:00:00Z, but the one before/,
    ],
    'of another list with the same date': [
      () => publication(keys.next, { sha256: 'a'.repeat(64) }),
      /^log: entry 4 of the log: the list of publication 4 differs from the one before, but has the same date/,
    ],
    'of a rotation step with another number': [
      async () =>
        jwt(keys.next, 'registry-root-rotation+jwt', {
          iat: now(),
          next_root: (await signerKey(here.folder, 'log')).rootKey.jwk,
          step: 3,
        }),
      /^log: entry 4 of the log: rotation step 3 follows step 1$/,
    ],
  };

  it.each(Object.entries(attacks))('%s', async (_name, [text, problem]) => {
    const tree = await treeWith([...statements, await text()]);
    // The entry after it can break a rule because of it.
    expect((await problemsIn(tree))[0]).toMatch(problem);
    // By a mirror, too, which keeps what it serves.
    const host = await plainHost(tree, '404.html');
    const mirror = ['mirror', host, 'copy', '--trust-anchor', 'key.json'];
    const refused = await cli(mirror, here.folder);
    expect([refused.code, existsSync(join(here.folder, 'copy/current'))]).toEqual([1, false]);
  });

  it('of a publication whose list is there, by a mirror too, if it names another one as the previous one', async () => {
    const mirrored = async (claims: Record<string, unknown>) => {
      const again = await publication(keys.next, claims);
      const host = await plainHost(await treeWith([...statements, again]), '404.html');
      const mirror = ['mirror', host, join(temporaryFolder(), 'copy'), '--trust-anchor', 'key.json'];
      return cli(mirror, here.folder);
    };
    expect((await mirrored({})).code).toBe(0);
    expect(await mirrored({ previous: [statementHash(statements[1] ?? '')] })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        'entry 4 of the log: publication 4 does not follow the publication before it',
      ),
    });
  });

  it('of a rotation step to a key to which the step before does not commit', async () => {
    for (const name of ['third', 'fourth']) await keyPair(here.folder, name);
    const [third, fourth] = [await signerKey(here.folder, 'third'), await signerKey(here.folder, 'fourth')];
    const step = (by: SignerKey, next: SignerKey, more: object) =>
      jwt(by, 'registry-root-rotation+jwt', { iat: now(), next_root: next.rootKey.jwk, ...more });
    const toThird = (...next_roots: string[]) => step(keys.next, third, { step: 2, next_roots });
    const toFourth = await step(third, fourth, { step: 3 });
    const good = [...statements, await toThird(fourth.rootKey.thumbprint), toFourth];
    const firstOf = async (texts: string[]) => (await problemsIn(await treeWith(texts)))[0];
    // Both steps are good. The publication after them is signed by a key that they replace.
    expect(await firstOf(good)).toMatch(/^log: entry 6 .*the root key in force there is/);
    const others = [...statements, await toThird('A'.repeat(43)), toFourth];
    expect(await firstOf(others)).toMatch(/^log: entry 5 .*A{43}, not by/);
    const back = [...statements, await toThird(keys.next.rootKey.thumbprint)];
    expect(await firstOf(back)).toMatch(/^log: entry 4 .*next_roots/);
  });

  it('only then', async () => {
    expect(await problemsIn(await treeWith([...statements, await publication(keys.next)]))).toEqual([]);
  });
});

describe('a log is refused', () => {
  it('without the rotation step of the tree', async () => {
    const without = (index: number) => treeWith(statements.filter((_text, at) => at !== index));
    expect(await problemsIn(await without(2))).toEqual([
      expect.stringContaining('but the root key in force there is'),
    ]);
    const fresh = await treeWith(statements.slice(3));
    expect(await problemsIn(fresh)).toEqual(['log: the log does not contain step 1 of the rotation']);
  });
});
