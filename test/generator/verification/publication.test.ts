import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey } from '@passport-registry/verifier';
import { httpSource, type TreeReport, verifyTree } from 'passport-registry';
import { beforeAll, describe, expect, it } from 'vitest';
import { contentTypeOf, listen } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { claimsOf, resealed, restated, type SignerKey } from '../../support/signed-tree.js';
import { treeIn } from '../../support/sources.js';
import { together } from '../../support/statements.js';
import { cli, filesOf, recordText, workspace, writeFiles } from '../../support/workspace.js';

type Files = Map<string, Buffer>;

/** More than fit into one sums file, so that the tree of sums has one level. */
const ISSUERS = Array.from({ length: 80 }, (_one, index) => `issuer-${index}`);

let folder: string;
let key: SignerKey;
/** Two publications, one after the other. */
let older: Files = new Map();
let tree: Files = new Map();

beforeAll(async () => {
  folder = await workspace(ISSUERS);
  key = await signer('key');
  const build = async (status: string) => {
    writeFiles(folder, { 'issuers/issuer-0.yaml': recordText('issuer-0', { status }) });
    const { code } = await cli(['build', '--key', 'key.pem', ...withKeys({ checkpoint: 'key.pem' })], folder);
    expect(code).toBe(0);
    return filesOf(join(folder, 'dist'));
  };
  older = await build('active');
  tree = await build('suspended');
});

async function signer(name: string): Promise<SignerKey> {
  const { stdout } = await cli(['keys', 'public', `${name}.pem`], folder);
  writeFiles(folder, { [`${name}.json`]: stdout });
  return {
    key: createPrivateKey(readFileSync(join(folder, `${name}.pem`))),
    rootKey: await importRootKey(JSON.parse(stdout)),
  };
}

const file = (path: string, files: Files = tree) => (files.get(path) ?? together(files).get(path)) as Buffer;
const failed = ({ checks }: TreeReport) =>
  checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
const problems = ({ checks }: TreeReport) =>
  checks.flatMap(({ result, problems: texts }) => (result === 'failed' ? texts : [])).join('\n');
const leaves = () => [...tree.keys()].filter((path) => /^sums\/[0-9a-f]$/.test(path));

describe('a tree of sums', () => {
  it('is good as it was built, and has one level', async () => {
    expect(claimsOf(file('publication.jwt'))).toMatchObject({ levels: 1, issuers: ISSUERS.length });
    expect(leaves().length).toBeGreaterThan(8);
    expect(problems(await verifyTree(treeIn(tree), key.rootKey))).toBe('');
  });

  it('may have a file too many on a live host, whose files nobody can list, and none too few', async () => {
    const more = new Map(tree).set('sums/00', Buffer.from('x'));
    expect(problems(await verifyTree(httpSource(await host(more)), key.rootKey))).toBe('');
    for (const path of ['sums/root', leaves()[0] as string]) {
      const fewer = new Map(tree);
      fewer.delete(path);
      const report = await verifyTree(httpSource(await host(fewer)), key.rootKey);
      expect(failed(report)).toContain('sums');
      expect(problems(report)).toContain(`${path} is missing`);
    }
  });

  it.each([
    ['statements.json', 1],
    ['statements.json', 2],
    ['SHA256SUMS', 1],
  ])(
    'of the same list, published while a live host is verified, is read again: %s, %i times',
    async (path, times) => {
      const sequence = Number(claimsOf(file('publication.jwt'))['sequence']) + 1;
      const more = new Map(tree).set('news.json', Buffer.from('{}'));
      const next = await resealed(await restated(more, key, { sequence }), key);
      // The old file, once or twice, among files of the next publication: a new verification reads it again.
      let reads = 0;
      const base = await host(next, (asked) => (asked === path && reads++ < times ? file(path) : undefined));
      const report = await verifyTree(httpSource(base), key.rootKey);
      expect([problems(report), reads > times]).toEqual(['', true]);
    },
  );

  it('that does not fit its tree is not read more often than a publication explains', async () => {
    const torn = new Map(tree).set('publication.jwt', file('publication.jwt', older));
    let reads = 0;
    const base = await host(torn, (asked) => {
      if (asked === 'SHA256SUMS') reads += 1;
      return undefined;
    });
    expect((await verifyTree(httpSource(base), key.rootKey)).ok).toBe(false);
    // The verification, and the comparison afterwards.
    expect(reads).toBe(2);
  });

  it('without statements is refused by whatever reads it', async () => {
    const bare = new Map(together(tree));
    bare.delete('statements.json');
    writeFiles(
      folder,
      Object.fromEntries([...together(tree)].map(([path, bytes]) => [`whole/${path}`, bytes])),
    );
    writeFiles(folder, Object.fromEntries([...bare].map(([path, bytes]) => [`bare/${path}`, bytes])));
    const url = await host(bare);
    for (const [expected, ...command] of [
      [1, 'verify', 'bare'],
      [1, 'verify', url],
      [1, 'diff', 'bare', 'whole'],
      [1, 'diff', 'whole', 'bare'],
      [4, 'mirror', url, 'copy'],
    ] as const) {
      const { code, stdout, stderr } = await cli([...command, '--trust-anchor', 'key.json'], folder);
      expect([command, code, stdout + stderr]).toEqual([
        command,
        expected,
        expect.stringContaining('statements.json'),
      ]);
    }
  });
});

function host(
  files: Files,
  instead: (path: string) => Buffer | undefined = () => undefined,
): Promise<string> {
  const served = together(files);
  return listen((request, response) => {
    const path = (request.url ?? '/').slice(1).replace(/\?.*/, '');
    const body = instead(path) ?? served.get(path);
    response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': contentTypeOf(path) }).end(body);
  });
}
