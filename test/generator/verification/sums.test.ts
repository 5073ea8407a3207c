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

/** An issuer is in the list, and not in its sums, although everything is signed. */
function withoutIssuer(): Promise<Files> {
  const forged = new Map(hashes);
  forged.delete('issuer-03');
  return withSums(naiveSums(forged, 0));
}

describe('sums that do not belong to the list, under a genuine signature', () => {
  let files: Files;
  beforeAll(async () => {
    files = await withoutIssuer();
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
});

it('a look-up of one issuer cannot tell, and believes the sums: whoever has the list must refuse', async () => {
  const folder = temporaryFolder();
  for (const [path, bytes] of await withoutIssuer()) writeFiles(folder, { [path]: bytes });
  const lookup = createIssuerLookup({ sources: [await serve(folder)], rootKey: tree.root.rootKey.jwk });
  expect(await lookup.resolve('issuer-03')).toBeUndefined();
  expect((await lookup.resolve('issuer-04'))?.issuer_id).toBe('issuer-04');
  lookup.close();
});

describe('files of the tree of sums', () => {
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
