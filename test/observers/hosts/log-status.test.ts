import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { logHead } from '../../support/log-files.js';
import { type LoggedFolder, loggedFolder, ORIGIN } from '../../support/logged-folder.js';
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
  cli(['mirror', 'status', primary, mirror, '--root-key', 'key.json', ...args], here.folder);

describe('mirror status, with a log,', () => {
  it('shows how many entries each host has, and the head of each with --json', async () => {
    const { stdout } = await status(older);
    expect(stdout).toMatch(/^primary .*Z, 2 log entries$/m);
    expect(stdout).toMatch(/^behind by \d+ s .*Z, 1 log entry$/m);
    const { mirrors } = JSON.parse((await status(older, '--json')).stdout);
    const root = Buffer.from(logHead(here.tree).root).toString('base64');
    expect(mirrors[0].log).toEqual({ origin: ORIGIN, size: 2, root });
    expect(mirrors[1].log).toMatchObject({ origin: ORIGIN, size: 1 });
  });

  const faults: [string, (tree: string) => unknown, string][] = [
    [
      'another log of the same size',
      (tree) => lengthenLog(tree, here.keys, 2),
      'its log with 2 entries and that of the primary with 2 entries contradict each other: keep both, one of them is a second history',
    ],
    [
      'another log that is larger',
      (tree) => lengthenLog(tree, here.keys, 4),
      'its log with 4 entries and that of the primary with 2 entries contradict each other: keep both, one of them is a second history',
    ],
    [
      'no log',
      (tree) => rmSync(join(tree, 'log/checkpoint')),
      'log/checkpoint is missing, but the publication statement names a log',
    ],
  ];

  it.each(faults)('calls a mirror altered that has %s', async (what, change, problem) => {
    const { code, stdout } = await status(await copied(what, change));
    expect([code, stdout]).toEqual([1, expect.stringMatching(/^altered /m)]);
    expect(stdout).toContain(problem);
  });

  it('does not blame a mirror that closes the connection instead of proving that its log is longer', async () => {
    const closing = await listen((request, response) => {
      const file = join(here.tree, (request.url ?? '').replace(/\?.*/, ''));
      if (file.includes('/log/tile/')) response.destroy();
      else if (existsSync(file)) response.end(readFileSync(file));
      else response.writeHead(404).end();
    });
    const args = ['mirror', 'status', older, closing, '--root-key', 'key.json'];
    const { code, stdout } = await cli(args, here.folder);
    expect([code, stdout]).toEqual([
      1,
      expect.stringMatching(/^unreachable .*: the logs cannot be compared: .* cannot be fetched/m),
    ]);
  });
});
