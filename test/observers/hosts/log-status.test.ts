import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type LoggedFolder, loggedFolder } from '../../support/logged-folder.js';
import { lengthenLog } from '../../support/long-log.js';
import { listen, serve } from '../../support/serving.js';
import { cli } from '../../support/workspace.js';

let here: LoggedFolder;
let primary: string;
let older: string;

beforeAll(async () => {
  here = await loggedFolder();
  older = await copied('older');
  await here.publish();
  primary = await serve(here.tree);
});

/** Serves a copy of the tree, after a change. */
async function copied(name: string, change: (tree: string) => unknown = () => undefined): Promise<string> {
  const tree = join(here.folder, name);
  cpSync(here.tree, tree, { recursive: true });
  await change(tree);
  return serve(tree);
}

const status = (mirror: string, ...args: string[]) =>
  cli(['mirror', 'status', primary, mirror, '--trust-anchor', 'key.json', ...args], here.folder);

describe('mirror status, with a log,', () => {
  it('compares publications, not only lists', async () => {
    const { stdout } = await status(older);
    expect(stdout).toMatch(/^primary .* publication 2, list of \S+Z$/m);
    expect(stdout).toMatch(/^behind by \d+ s .* publication 1, list of \S+Z$/m);
  });

  const faults: [string, (tree: string) => unknown, string][] = [
    [
      'another log of the same size',
      (tree) => lengthenLog(tree, here.keys, 2),
      'two histories: its publication 2 and publication 2 of the registry',
    ],
    [
      'another log that is larger',
      (tree) => lengthenLog(tree, here.keys, 4),
      'two histories: its publication 3 and publication 2 of the registry',
    ],
    [
      'no log',
      (tree) => rmSync(join(tree, 'log/checkpoint')),
      '`verify` refuses it: log/checkpoint is missing',
    ],
  ];

  it.each(faults)('calls a mirror altered that has %s', async (what, change, problem) => {
    const { code, stdout } = await status(await copied(what, change));
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^altered /m)]);
    expect(stdout).toContain(problem);
  });

  it('does not blame a mirror that closes the connection instead of showing its log', async () => {
    const closing = await listen((request, response) => {
      const file = join(here.tree, (request.url ?? '').replace(/\?.*/, ''));
      if (file.includes('/log/tile/')) response.destroy();
      else if (existsSync(file)) response.end(readFileSync(file));
      else response.writeHead(404).end();
    });
    const args = ['mirror', 'status', older, closing, '--trust-anchor', 'key.json'];
    const { code, stdout } = await cli(args, here.folder);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^unreachable .* cannot be fetched/m)]);
  });
});
