import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createIssuerLookup } from '@passport-registry/verifier';
import type { JWTPayload } from 'jose';
import { verifyTree } from 'passport-registry';
import { beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { resealed, restated, type SignedTree, sha256, signedTree } from '../../support/signed-tree.js';
import { treeIn } from '../../support/sources.js';
import { readTreeFile } from '../../support/statements.js';
import { naiveSums } from '../../support/sums.js';
import { cli, filesOf, temporaryFolder, writeFiles } from '../../support/workspace.js';

type Files = Map<string, Buffer>;

let tree: SignedTree;
/** SHA-256 of the records of the tree, by id. */
let hashes: ReadonlyMap<string, string>;

beforeAll(async () => {
  tree = await signedTree();
  hashes = new Map(
    [...tree.files]
      .filter(([path]) => /^issuers\/[^.]/.test(path))
      .map(([path, bytes]) => [path.slice('issuers/'.length), sha256(bytes)]),
  );
});

/** The tree with other sums files, under a genuine statement: only a holder of the root key can make it. */
async function withSums(sums: ReadonlyMap<string, Buffer>, claims: JWTPayload = {}): Promise<Files> {
  const files = new Map([...tree.files].filter(([path]) => !path.startsWith('sums/')));
  for (const [path, bytes] of sums) files.set(path, bytes);
  const root = sha256(sums.get('sums/root') as Buffer);
  const stated = await restated(files, tree.root, { sums_sha256: root, ...claims });
  return resealed(stated, tree.online);
}

const audit = (files: ReadonlyMap<string, Buffer>) => verifyTree(treeIn(files), tree.root.rootKey);

async function problemsOf(files: ReadonlyMap<string, Buffer>): Promise<Record<string, string>> {
  const { checks } = await audit(files);
  const failed = checks.filter(({ result }) => result === 'failed');
  return Object.fromEntries(failed.map(({ name, problems }) => [name, problems.join('; ')]));
}

describe('sums that belong to the list', () => {
  it.each([0, 1])('are accepted with %i levels, which both are permitted for 24 records', async (levels) => {
    expect(await problemsOf(await withSums(naiveSums(hashes, levels), { levels }))).toEqual({});
  });

  it.each([2, 8])('are refused with %i levels', async (levels) => {
    expect(await problemsOf(await withSums(naiveSums(hashes, levels), { levels }))).toEqual({
      sums: `the publication statement names ${levels} levels, but a tree of sums with 24 records must not have ${levels}`,
    });
  });
});

/** Sums that do not belong to the list, although everything is signed. */
const FORGERIES: readonly (readonly [
  name: string,
  change: (hashes: Map<string, string>) => unknown,
  levels: number,
])[] = [
  ['another version of a record', (all) => all.set('issuer-03', sha256(Buffer.from('{}'))), 0],
  ['another version of a record, a level below', (all) => all.set('issuer-03', sha256(Buffer.from('{}'))), 1],
  ['an issuer who is not in the list', (all) => all.set('nobody', sha256(Buffer.from('{}'))), 0],
  ['an issuer too few', (all) => all.delete('issuer-03'), 0],
  ['an issuer too few, a level below', (all) => all.delete('issuer-03'), 1],
  ['no issuer', (all) => all.clear(), 0],
];

function forgery(change: (hashes: Map<string, string>) => unknown, levels: number): Promise<Files> {
  const forged = new Map(hashes);
  change(forged);
  return withSums(naiveSums(forged, levels), { levels });
}

describe.each(FORGERIES)('sums with %s, under a genuine signature', (_name, change, levels) => {
  it('are refused by verify', async () => {
    const { sums } = await problemsOf(await forgery(change, levels));
    expect(sums).toContain('the publication statement names the tree of sums');
    expect(sums).toContain('sums/root does not match the list');
  });
});

describe.each(FORGERIES.filter(([, , levels]) => levels === 0))(
  'a tree with %s in its sums, under a genuine signature',
  (_name, change) => {
    let files: Files;
    beforeAll(async () => {
      files = await forgery(change, 0);
    });

    it('are refused by a mirror, which keeps what it serves', async () => {
      const folder = temporaryFolder();
      writeFiles(folder, { 'root.json': JSON.stringify(tree.root.rootKey.jwk) });
      for (const [path, bytes] of tree.files) writeFiles(folder, { [`good/${path}`]: bytes });
      for (const [path, bytes] of files) writeFiles(folder, { [`bad/${path}`]: bytes });
      const mirror = async (name: string) =>
        cli(['mirror', await serve(join(folder, name)), 'mirror', '--trust-anchor', 'root.json'], folder);
      expect((await mirror('good')).code).toBe(0);
      const { code, stderr } = await mirror('bad');
      expect(code, stderr).toBe(1);
      const served = readTreeFile(join(folder, 'mirror/current/publication.jwt'));
      expect(served.equals(tree.files.get('publication.jwt') as Buffer)).toBe(true);
    });

    it('are published by no build, which refuses the tree and leaves it as it is', async () => {
      const folder = temporaryFolder();
      writeFiles(folder, { 'root.pem': readFileSync(join(tree.folder, 'root.pem')) });
      writeFiles(folder, { 'online.pem': readFileSync(join(tree.folder, 'online.pem')) });
      for (const id of hashes.keys()) {
        writeFiles(folder, {
          [`issuers/${id}.yaml`]: readFileSync(join(tree.folder, 'issuers', `${id}.yaml`)),
        });
      }
      for (const [path, bytes] of files) writeFiles(folder, { [`dist/${path}`]: bytes });
      const built = await cli(
        ['build', '--key', 'root.pem', ...withKeys({ checkpoint: 'online.pem' })],
        folder,
      );
      expect([built.code, built.stderr]).toEqual([1, expect.stringContaining('`load`')]);
      expect(filesOf(join(folder, 'dist'))).toEqual(new Map(files));
    });
  },
);

it('a look-up of one issuer cannot tell, and believes the sums: whoever has the list must refuse', async () => {
  const forged = new Map(hashes);
  forged.delete('issuer-03');
  const folder = temporaryFolder();
  for (const [path, bytes] of await withSums(naiveSums(forged, 0))) writeFiles(folder, { [path]: bytes });
  const lookup = createIssuerLookup({ sources: [await serve(folder)], rootKey: tree.root.rootKey.jwk });
  expect(await lookup.resolve('issuer-03')).toBeUndefined();
  expect((await lookup.resolve('issuer-04'))?.issuer_id).toBe('issuer-04');
  lookup.close();
});

describe('a statement that does not belong to the list', () => {
  it.each([
    ['sha256', { sha256: '0'.repeat(64) }],
    ['size', { size: 1 }],
    ['updated_at', { updated_at: '2026-01-01T00:00:00Z' }],
    ['issuers', { issuers: 23 }],
  ] as const)('is refused for its %s', async (name, claims) => {
    const files = await resealed(await restated(tree.files, tree.root, claims), tree.online);
    expect((await problemsOf(files))['publication']).toContain(`the ${name} ${Object.values(claims)[0]}`);
  });
});

describe('files of the tree of sums', () => {
  it.each([
    ['missing', (files: Files) => files.delete('sums/root'), /sums\/root is missing/],
    [
      'altered',
      (files: Files) => files.set('sums/root', Buffer.from('')),
      /sums\/root does not match the list/,
    ],
    [
      'too many',
      (files: Files) => files.set('sums/3', Buffer.from('')),
      /sums\/3 is not part of the tree of sums/,
    ],
  ] as const)('that are %s are refused', async (_name, change, problem) => {
    const files = new Map(tree.files);
    change(files);
    expect((await problemsOf(await resealed(files, tree.online)))['sums']).toMatch(problem);
  });

  it('are not listed in SHA256SUMS, except for the root; nor are records', async () => {
    const listed = String(tree.files.get('SHA256SUMS'));
    expect(listed).toContain('  sums/root\n');
    expect(listed).not.toMatch(
      / {2}(issuers\/[a-z]|sums\/(?!root\n|\.)|SHA256SUMS|statements\.json|issuers\.sig|lists\/)/,
    );
    const all = [...tree.files].filter(([path]) => /^(issuers\/issuer-00|sums\/root)$/.test(path));
    const added = all
      .map(([path, bytes]) => `${sha256(bytes)}  ${path}\n`)
      .filter((line) => !listed.includes(line));
    expect(added).toHaveLength(1);
    const files = new Map(tree.files).set('SHA256SUMS', Buffer.from(listed + added.join('')));
    expect((await problemsOf(files))['checksums']).toContain(
      'SHA256SUMS lists issuers/issuer-00, which it must not list',
    );
  });
});
