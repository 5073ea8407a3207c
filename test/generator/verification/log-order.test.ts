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
import { claimsOf, jwt, type SignerKey, signerKey } from '../../support/signed-tree.js';
import { readTreeFile } from '../../support/statements.js';
import { testLog } from '../../support/test-log.js';
import { cli, keyPair, temporaryFolder, writeFiles } from '../../support/workspace.js';

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

/** A copy of the tree whose log has these statements, in entries that say what they say. The key of the log has signed it. */
async function treeWith(texts: readonly string[]): Promise<string> {
  const tree = join(temporaryFolder(), 'tree');
  cpSync(here.tree, tree, { recursive: true });
  const entries: AnyEntry[] = [];
  for (const text of texts) {
    const steps = entries.filter(({ type }) => type === 'rotation').length;
    entries.push(await entryOf(text, steps));
  }
  const log = testLog(here.keys.log.pair, entries.map(entryBytes));
  writeFiles(tree, {
    ...Object.fromEntries(log.files),
    ...Object.fromEntries(texts.map((text, index) => [`log/statements/${index}.jwt`, text])),
    'log/checkpoint': await log.note(),
  });
  return tree;
}

const publication = (key: SignerKey, changes: Record<string, unknown> = {}) =>
  jwt(key, 'registry-publication+jwt', {
    ...published,
    sequence: Number(published['sequence']) + 1,
    previous: [statementHash(statements.at(-1) ?? '')],
    updated_at: '2099-01-01T00:00:00Z',
    sha256: 'a'.repeat(64),
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
      () => publication(keys.next, { updated_at: published['updated_at'] }),
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
    expect(await problemsIn(tree)).toEqual([expect.stringMatching(problem)]);
    // Over HTTP, too, by a verification and by a mirror, which keeps what it serves.
    const host = await plainHost(tree, '404.html');
    const { code, stdout } = await cli(['verify', host, '--any-content-type'], here.folder);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(new RegExp(problem.source.slice(6).replace('$', ''), 'm')),
    ]);
    const mirror = ['mirror', host, 'copy', '--root-key', 'key.json'];
    const refused = await cli(mirror, here.folder);
    expect([refused.code, existsSync(join(here.folder, 'copy/current'))]).toEqual([1, false]);
  });

  it('of a publication whose list is there, by a mirror too, if it names another one as the previous one', async () => {
    const { sha256: list, updated_at } = published;
    const mirrored = async (claims: object) => {
      const again = await publication(keys.next, { sha256: list, updated_at, ...claims });
      const tree = await treeWith([...statements, again]);
      const signature = readFileSync(join(here.tree, 'issuers.sig'));
      writeFiles(tree, { [`log/pending/${list}/issuers.sig`]: signature });
      const host = await plainHost(tree, '404.html');
      const mirror = ['mirror', host, join(temporaryFolder(), 'copy'), '--root-key', 'key.json'];
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
    expect(await problemsIn(await treeWith(good))).toEqual([]);
    expect(
      await problemsIn(await treeWith([...statements, await toThird('A'.repeat(43)), toFourth])),
    ).toEqual([expect.stringMatching(/^log: entry 5 .*A{43}, not by/)]);
    const back = [...statements, await toThird(keys.next.rootKey.thumbprint)];
    expect(await problemsIn(await treeWith(back))).toEqual([
      expect.stringMatching(/^log: entry 4 .*next_roots/),
    ]);
  });

  it('only then', async () => {
    const step = await jwt(keys.next, 'registry-root-rotation+jwt', {
      iat: now(),
      next_root: (await signerKey(here.folder, 'log')).rootKey.jwk,
      step: 2,
    });
    expect(await problemsIn(await treeWith([...statements, step]))).toEqual([]);
    // The statement is good. Its list is not there.
    expect(await problemsIn(await treeWith([...statements, await publication(keys.next)]))).toEqual([
      expect.stringMatching(/^log: lists\/a{64}\.json is missing/),
    ]);
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
