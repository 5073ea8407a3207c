import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { differenceFrom, readExpectedTree } from '../../../build/cli/commands/expected-tree.js';
import { expectCommandError } from '../../support/expect-command-error.js';
import { registryHost } from '../../support/registry-host.js';
import { listen, serve } from '../../support/serving.js';
import { resealed, type SignedTree, signedTree } from '../../support/signed-tree.js';
import { claimsOf, together } from '../../support/statements.js';
import { timeLimitsByHand } from '../../support/time-limits.js';
import { cli, writeFiles } from '../../support/workspace.js';

type Files = ReadonlyMap<string, Buffer>;

let tree: SignedTree;
let url: string;

beforeAll(async () => {
  tree = await signedTree();
  url = await serve(join(tree.folder, 'dist'));
});

const verify = (...args: string[]) => cli(['verify', ...args], tree.folder);

/** The tree with a checkpoint of another second. */
const checkpointed = (seconds: number) => {
  const { iat = 0 } = claimsOf(tree.files.get('checkpoint.jwt') as Buffer);
  return resealed(tree.files, tree.online, { iat: iat + seconds });
};
/** Writes a tree into the folder `expected`. */
function expectTree(files: Files): void {
  for (const [path, bytes] of together(files)) writeFiles(tree.folder, { [`expected/${path}`]: bytes });
}
const withFile = (path: string, text: string) => new Map(tree.files).set(path, Buffer.from(text));

describe('verify --expect', () => {
  it.each<[string, () => Promise<Files>, () => Promise<Files>, string | undefined]>([
    ['the same tree', async () => tree.files, async () => tree.files, undefined],
    ['a newer checkpoint', () => checkpointed(1), async () => tree.files, undefined],
    ['an older checkpoint', async () => tree.files, () => checkpointed(1), 'an older checkpoint'],
    ['another list', async () => tree.files, async () => withFile('issuers.json', '{}'), 'another list'],
    [
      'another file',
      () => resealed(withFile('news.json', '{}'), tree.online),
      async () => tree.files,
      'another SHA256SUMS',
    ],
  ])('compares a good tree with that of the folder: %s', async (_what, served, expected, fact) => {
    expectTree(await expected());
    const difference = differenceFrom(
      readExpectedTree(join(tree.folder, 'expected')),
      together(await served()),
      'the host',
    );
    expect(difference).toEqual(fact && expect.stringContaining(fact));
  });

  it.each(['issuers', 'nowhere', 'root.pem'])('refuses %s, which is no tree', async (where) => {
    expectCommandError(await verify(url, '--expect', where, '--json'), 'ERR_USAGE', '--expect', where);
  });
});

describe('verify --wait', () => {
  const attempts = (stderr: string) => (stderr.match(/trying again/g)?.length ?? 0) + 1;

  it('ends although the host sends one byte after the other', async () => {
    const endLimits = timeLimitsByHand();
    let drips = 0;
    const host = await listen((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const drip = setInterval(() => {
        response.write(' ');
        drips += 1;
        // One attempt has 10 s. Each request alone would have 30 s.
        if (drips > 10) endLimits(10_000);
      }, 10);
      response.on('close', () => clearInterval(drip));
    });
    expect((await verify(host, '--wait', '1')).code).toBe(4);
    expect(drips).toBeGreaterThan(10);
  });

  it('tries again until the registry is what is expected', async () => {
    const host = await registryHost(new Map(tree.files));
    const newer = new Map(await checkpointed(1));
    expectTree(newer);
    let rounds = 0;
    host.intercept = (path) => {
      if (path === 'keys/root.json' && ++rounds === 2) host.files = newer;
      return false;
    };
    const args = ['--any-content-type', '--expect', 'expected', '--wait', '5', '--json'];
    const { code, stderr, stdout } = await verify(host.base, ...args);
    expect([code, attempts(stderr)]).toEqual([0, 2]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, difference: null });
  });

  it('ends when the time is over, with the exit code of the last attempt', async () => {
    expectTree(withFile('issuers.json', '{}'));
    const wrong = await verify(url, '--expect', 'expected', '--wait', '5', '--json');
    expect([wrong.code, attempts(wrong.stderr)]).toEqual([1, 2]);
    const report = { ok: false, difference: expect.stringContaining('another list') };
    expect(JSON.parse(wrong.stdout)).toMatchObject(report);
    const nobody = await verify('http://127.0.0.1:1', '--wait', '5');
    expect([nobody.code, attempts(nobody.stderr)]).toEqual([4, 2]);
  });

  it('does not wait for a registry that is valid', async () => {
    const { code, stderr } = await verify(url, '--wait', '99999');
    expect([code, attempts(stderr)]).toEqual([0, 1]);
  });

  it.each(['0', '-1', 'x', '100000'])('refuses %s seconds', async (seconds) => {
    expect((await verify(url, `--wait=${seconds}`)).code).toBe(2);
  });
});

it('verify --any-content-type accepts a host that cannot set content types, and skips their check', async () => {
  const { base } = await registryHost(new Map(tree.files));
  expect((await verify(base)).code).toBe(1);
  const { code, stdout } = await verify(base, '--any-content-type', '--json');
  expect([code, JSON.parse(stdout).checks]).toEqual([
    0,
    expect.arrayContaining([expect.objectContaining({ name: 'content types', result: 'skipped' })]),
  ]);
});
