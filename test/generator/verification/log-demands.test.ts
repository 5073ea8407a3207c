import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cosignTree } from '../../support/log-files.js';
import { type LoggedFolder, loggedFolder, ORIGIN } from '../../support/logged-folder.js';
import { type NoteSigner, noteSigner } from '../../support/note-keys.js';
import { plainHost } from '../../support/serving.js';
import { cli, recordText, writeFiles } from '../../support/workspace.js';

const DAY = 24 * 60 * 60 * 1000;

let here: LoggedFolder;
let witnesses: readonly [NoteSigner, NoteSigner, NoteSigner];

beforeAll(async () => {
  here = await loggedFolder();
  const [a, b, c] = ['a.example', 'b.example', 'c.example'].map((name) => noteSigner(name, 'witness'));
  witnesses = [a, b, c] as [NoteSigner, NoteSigner, NoteSigner];
  const now = Date.now();
  cpSync(here.tree, join(here.folder, 'none'), { recursive: true });
  await cosignTree(here.tree, [[witnesses[0], now]]);
  cpSync(here.tree, join(here.folder, 'one'), { recursive: true });
  await cosignTree(here.tree, [[witnesses[1], now]]);
  cpSync(here.tree, join(here.folder, 'two'), { recursive: true });
  cpSync(join(here.folder, 'none'), join(here.folder, 'old'), { recursive: true });
  await cosignTree(join(here.folder, 'old'), [
    [witnesses[0], now],
    [witnesses[1], now - 31 * DAY],
  ]);
  cpSync(join(here.folder, 'none'), join(here.folder, 'future'), { recursive: true });
  await cosignTree(join(here.folder, 'future'), [
    [witnesses[0], now],
    [witnesses[1], now + DAY],
  ]);
  writeFiles(here.folder, {
    'issuers/alpha.yaml': recordText('alpha'),
    'issuers/beta.yaml': recordText('beta'),
  });
  await here.good('build', '--key', 'key.pem', '--out', 'unlogged');
  const quorum = { witnesses: witnesses.map(({ vkey }) => vkey), quorum: 2 };
  const root = here.keys.root.rootKey.jwk;
  writeFiles(here.folder, {
    'quorum.json': JSON.stringify({ root, log: ORIGIN, ...quorum }),
    'log-only.json': JSON.stringify({ root, log: ORIGIN }),
    'other.json': JSON.stringify({ root, log: 'other.example/log' }),
  });
});

/** Which trust anchors accept which trees, and with which message they refuse the others. */
const CASES: [tree: string, anchor: string, problem: string | undefined][] = [
  ['two', 'quorum.json', undefined],
  ['one', 'quorum.json', 'has recent and valid cosignatures only of: a.example'],
  ['none', 'quorum.json', 'has recent and valid cosignatures only of: none'],
  ['old', 'quorum.json', 'has recent and valid cosignatures only of: a.example'],
  ['future', 'quorum.json', 'has recent and valid cosignatures only of: a.example'],
  ['none', 'log-only.json', undefined],
  ['none', 'other.json', `must be of other.example/log, but the publication names ${ORIGIN}`],
  ['unlogged', 'log-only.json', `must be of ${ORIGIN}, but the publication names no log`],
  ['unlogged', 'quorum.json', `must be of ${ORIGIN}, but the publication names no log`],
];

describe('what a trust anchor demands of the log', () => {
  it.each(CASES)('%s is verified with %s', async (tree, anchor, problem) => {
    const verify = async (where: string) => {
      const args = ['verify', where, '--trust-anchor', anchor, '--json', '--any-content-type'];
      const { code, stdout } = await cli(args, here.folder);
      const { checks } = JSON.parse(stdout) as { checks: { name: string; problems: string[] }[] };
      return [code, checks.find(({ name }) => name === 'log')?.problems.join()];
    };
    const expected = problem === undefined ? [0, ''] : [1, expect.stringContaining(problem)];
    expect(await verify(tree)).toEqual(expected);
    expect(await verify(await plainHost(join(here.folder, tree), '404.html'))).toEqual(expected);
  });

  it('the client of a live host demands it, too', async () => {
    for (const [tree, problem] of [
      ['two', ''],
      ['one', 'ERR_TOO_FEW_COSIGNATURES'],
    ] as const) {
      const base = await plainHost(join(here.folder, tree), '404.html');
      const args = ['verify', base, '--trust-anchor', 'quorum.json', '--json', '--any-content-type'];
      const { checks } = JSON.parse((await cli(args, here.folder)).stdout);
      const client = checks.find(({ name }: { name: string }) => name === 'client');
      expect([client.result, client.problems.join()]).toEqual([
        problem === '' ? 'passed' : 'failed',
        expect.stringContaining(problem),
      ]);
    }
  });

  it.each(CASES)('%s is compared with %s', async (tree, anchor, problem) => {
    // A list of any age can be compared.
    const isRefused = problem !== undefined && tree !== 'old';
    const { code, stderr } = await cli(['diff', tree, tree, '--trust-anchor', anchor], here.folder);
    expect([code, stderr.includes('publishes no list to compare with')]).toEqual(
      isRefused ? [1, true] : [0, false],
    );
  });
});
