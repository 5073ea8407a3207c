import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cosignTree } from '../../support/log-files.js';
import { type LoggedFolder, loggedFolder, ORIGIN } from '../../support/logged-folder.js';
import { type NoteSigner, noteSigner } from '../../support/note-keys.js';
import { plainHost } from '../../support/serving.js';
import { cli, recordText, writeFiles } from '../../support/workspace.js';

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

/** Which trust anchors accept which trees, and with which code they refuse the others. */
const CASES: [tree: string, anchor: string, refusal: string | undefined][] = [
  ['two', 'quorum.json', undefined],
  ['one', 'quorum.json', 'ERR_TOO_FEW_COSIGNATURES'],
  ['none', 'other.json', 'ERR_NOT_LOGGED'],
  ['unlogged', 'log-only.json', 'ERR_NOT_LOGGED'],
];

describe('what a trust anchor demands of the log', () => {
  it.each(CASES)('%s is verified with %s', async (tree, anchor, refusal) => {
    for (const where of [tree, await plainHost(join(here.folder, tree), '404.html')]) {
      const args = ['verify', where, '--trust-anchor', anchor, '--json', '--any-content-type'];
      const { code, stdout } = await cli(args, here.folder);
      const { checks } = JSON.parse(stdout) as { checks: { name: string; code?: string }[] };
      const log = checks.find(({ name }) => name === 'log');
      expect([code, log?.code]).toEqual([refusal === undefined ? 0 : 1, refusal]);
    }
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

  it.each(CASES)('%s is compared with %s', async (tree, anchor, refusal) => {
    const { code, stderr } = await cli(['diff', tree, tree, '--trust-anchor', anchor], here.folder);
    expect([code, stderr.includes('publishes no list to compare with')]).toEqual(
      refusal === undefined ? [0, false] : [1, true],
    );
  });
});
