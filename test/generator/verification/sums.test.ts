import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { expectCommandError } from '../../support/expect-command-error.js';
import { copyOf } from '../../support/made-once.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { sha256 } from '../../support/sha256.js';
import { resealed, restated, type SignedTree, signedTree } from '../../support/signed-tree.js';
import { readTreeFile } from '../../support/statements.js';
import { naiveSums } from '../../support/sums.js';
import { cli, filesOf, temporaryFolder, writeFiles } from '../../support/workspace.js';

type Files = Map<string, Buffer>;

let tree: SignedTree;
/** The tree with an issuer in its list, and not in its sums, under genuine statements: only a thief of both keys can make it. */
let forged: Files;

beforeAll(async () => {
  tree = await signedTree();
  const records = [...tree.files].filter(
    ([path]) => /^issuers\/[^.]/.test(path) && path !== 'issuers/issuer-03',
  );
  const hashes = records.map(([path, bytes]) => [path.slice('issuers/'.length), sha256(bytes)] as const);
  const sums = naiveSums(new Map(hashes), 0);
  const sums_sha256 = sha256(sums.get('sums/root') as Buffer);
  const others = [...tree.files].filter(([path]) => !path.startsWith('sums/'));
  const stated = await restated(new Map([...others, ...sums]), tree.root, { sums_sha256 });
  forged = await resealed(stated, tree.online);
});

describe('sums that do not belong to the list, under a genuine signature', () => {
  it('are refused by a mirror, which keeps what it serves', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'root.json': JSON.stringify(tree.root.rootKey.jwk) });
    for (const [path, bytes] of tree.files) writeFiles(folder, { [`good/${path}`]: bytes });
    for (const [path, bytes] of forged) writeFiles(folder, { [`bad/${path}`]: bytes });
    const mirror = async (name: string) =>
      cli(['mirror', await serve(join(folder, name)), 'mirror', '--trust-anchor', 'root.json'], folder);
    expect((await mirror('good')).code).toBe(0);
    const { code, stderr } = await mirror('bad');
    expect(code, stderr).toBe(1);
    const served = readTreeFile(join(folder, 'mirror/current/publication.jwt'));
    expect(served.equals(tree.files.get('publication.jwt') as Buffer)).toBe(true);
  });

  it('are published by no build, which refuses the tree and leaves it as it is', async () => {
    const folder = copyOf(tree.folder);
    rmSync(join(folder, 'dist'), { recursive: true });
    for (const [path, bytes] of forged) writeFiles(folder, { [`dist/${path}`]: bytes });
    const args = ['build', '--key', 'root.pem', ...withKeys({ checkpoint: 'online.pem' }), '--json'];
    expectCommandError(await cli(args, folder), 'ERR_TREE_REJECTED', '`load`');
    expect(filesOf(join(folder, 'dist'))).toEqual(new Map(forged));
  });
});
