import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type AnyEntry, entryBytes } from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { logEntries, problemsIn } from '../../support/log-files.js';
import { type LoggedFolder, loggedFolder, toldHost } from '../../support/logged-folder.js';
import { onlyLogged } from '../../support/only-logged.js';
import { plainHost, serve } from '../../support/serving.js';
import { sha256 } from '../../support/signed-tree.js';
import { setStatement } from '../../support/statements.js';
import { testLog } from '../../support/test-log.js';
import { cli, filesOf, temporaryFolder, writeFiles } from '../../support/workspace.js';

let here: LoggedFolder;
let files: ReadonlyMap<string, Buffer>;
/** The list of the first publication. */
let first = '';

beforeAll(async () => {
  here = await loggedFolder();
  first = sha256(readFileSync(join(here.tree, 'issuers.json')));
  await here.publish();
  await here.publish();
  files = filesOf(here.tree);
});

/** A copy of the tree with other files; undefined removes a file. */
function altered(changes: Record<string, string | Buffer | undefined>): string {
  const folder = join(temporaryFolder(), 'tree');
  cpSync(here.tree, folder, { recursive: true });
  for (const [path, content] of Object.entries(changes)) {
    if (content === undefined) rmSync(join(folder, path));
    else writeFiles(folder, { [path]: content });
  }
  return folder;
}

/** A log with these entries, under the key of the registry. */
const logOf = (entries: readonly AnyEntry[]) => testLog(here.keys.log.pair, entries.map(entryBytes));

const file = (path: string) => files.get(path) as Buffer;
const flipped = (path: string) => {
  const bytes = Buffer.from(file(path));
  bytes[bytes.length - 3] = (bytes[bytes.length - 3] ?? 0) ^ 1;
  return bytes;
};

describe('verify of a folder with a log', () => {
  it('accepts what a build writes', async () => {
    expect(await problemsIn(here.tree)).toEqual([]);
  });

  it.each([
    ['log/tile/0/000.p/1', 'log/tile/0/000.p/1 does not belong to the entries of the log'],
    ['log/tile/0/000.p/3', 'the log has a tile tile/0/000.p/3 that does not belong to its entries'],
    ['log/tile/entries/000.p/2', 'log/tile/entries/000.p/2 does not belong to the entries of the log'],
    ['log/statements/1.jwt', 'entry 1 of the log: '],
    ['log/publication.tlog-proof', 'the proof of the log '],
    ['log/checkpoint', 'log/checkpoint '],
  ])('refuses an altered %s', async (path, message) => {
    const problems = await problemsIn(altered({ [path]: flipped(path) }));
    expect(problems).toEqual([expect.stringContaining(`log: ${message}`)]);
  });

  it('refuses an altered list that is kept', async () => {
    const path = `lists/${first}.json`;
    const problems = await problemsIn(altered({ [path]: flipped(path) }));
    expect(problems).toEqual([`lists: ${path} does not have the hash in its name`]);
  });

  it.each([
    'log/tile/0/000',
    'log/tile/0/000.p/4',
    'log/tile/0/000.p/03',
    'log/tile/0/001.p/1',
    'log/tile/1/000.p/1',
    'log/tile/entries/x000/000.p/1',
    'log/statements/3.jwt',
    'log/statements/01.jwt',
    'log/proofs/0/first.tlog-proof',
    'log/other',
  ])('refuses an additional file %s', async (path) => {
    const problems = await problemsIn(altered({ [path]: 'x' }));
    expect(problems).toEqual([`log: ${path} is not part of the log`]);
  });

  it('needs neither the lists of earlier publications nor smaller tiles', async () => {
    const missing = ['log/tile/0/000.p/1', `lists/${first}.json`];
    const removed = missing.map((path) => [path, undefined] as const);
    expect(await problemsIn(altered(Object.fromEntries(removed)))).toEqual([]);
    expect(await problemsIn(altered({ 'log/statements/0.jwt': undefined }))).toEqual([
      'log: log/statements/0.jwt is missing',
    ]);
  });

  /** The files of a log with these entries, signed by its key. */
  async function filesOfLog(entries: readonly AnyEntry[], statements: readonly (string | Buffer)[]) {
    const log = logOf(entries);
    const texts = statements.map((text, index) => [`log/statements/${index}.jwt`, text] as const);
    return {
      ...Object.fromEntries(log.files),
      ...Object.fromEntries(texts),
      'log/checkpoint': await log.note(),
    };
  }

  it('refuses a log of an earlier state, which does not contain the publication statement', async () => {
    const entries = await logEntries(here.tree);
    const two = await filesOfLog(
      entries.slice(0, 2),
      [0, 1].map((index) => file(`log/statements/${index}.jwt`)),
    );
    expect(await problemsIn(altered(two))).toEqual([
      expect.stringMatching(/^log: log\/checkpoint has 2 entries, but the publication is the last of 3/),
    ]);
  });

  it('refuses a proof whose head belongs to another history, also if the key of the log has signed it', async () => {
    const [one, two, three] = (await logEntries(here.tree)) as [AnyEntry, AnyEntry, AnyEntry];
    const proof = await logOf([two, one, three]).proof(2);
    const name = 'log/publication.tlog-proof';
    expect(await problemsIn(altered({ [name]: proof }))).toEqual([
      'log: log/checkpoint has another root than the proof of the log',
    ]);
  });

  it('refuses a registry with a log whose statements have no proof of it', async () => {
    const tree = altered({});
    setStatement(tree, 'log_proof', undefined);
    expect(await problemsIn(tree)).toEqual([expect.stringMatching(/^log: the proof of the log /)]);
  });

  it('refuses files of a log in a registry that has none', async () => {
    await here.good('build', '--key', 'key.pem', '--out', 'plain');
    writeFiles(join(here.folder, 'plain'), { 'log/tile/0/000.p/1': 'x' });
    expect(await problemsIn(join(here.folder, 'plain'))).toEqual([
      expect.stringMatching(/^log: log\/tile\/0\/000\.p\/1 /),
    ]);
  });
});

describe('verify of a host with a log', () => {
  it('checks types, and reads only the newest statement', async () => {
    const base = await serve(here.tree);
    const { code, stdout } = await cli(['verify', base, '--trust-anchor', 'key.json'], here.folder);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ok {6}log$/m)]);
    const requested: string[] = [];
    const plain = await plainHost(here.tree, '404.html', (path, bytes) => {
      requested.push(path.slice(1));
      return bytes;
    });
    const typed = await cli(['verify', plain, '--trust-anchor', 'key.json'], here.folder);
    expect(typed.stdout).toMatch(/log\/tile\/0\/000\.p\/3 .* application\/json/);
    expect(
      requested.filter((path) => path.startsWith('log/statements')).every((path) => path.endsWith('/2.jwt')),
    ).toBe(true);
  });

  it('refuses a log that ends with another publication, but reads again while the tree is switched', async () => {
    const registry = await loggedFolder();
    const before = filesOf(registry.tree);
    await onlyLogged(registry.tree, () => registry.publish());
    const problem = /log\/checkpoint has 2 entries, but the publication is the last of 1/;
    expect(await problemsIn(registry.tree)).toEqual([expect.stringMatching(problem)]);
    const host = await toldHost(registry.tree);
    const verify = async () => {
      const args = ['verify', host.base, '--trust-anchor', 'key.json', '--any-content-type'];
      const { code, stdout } = await cli(args, registry.folder);
      return [code, stdout];
    };
    expect(await verify()).toEqual([1, expect.stringMatching(problem)]);
    const torn = filesOf(registry.tree);
    writeFiles(registry.tree, Object.fromEntries(before));
    rmSync(join(registry.tree, 'log'), { recursive: true });
    writeFiles(registry.tree, Object.fromEntries([...before].filter(([path]) => path.startsWith('log/'))));
    await registry.publish();
    const after = filesOf(registry.tree);
    let isSwitched = false;
    host.answer = (path) => {
      const answer = (isSwitched || /^(?:lists|log\/(?!publication))/.test(path) ? after : torn).get(path);
      // The rest follows the head.
      isSwitched ||= path === 'log/checkpoint';
      return answer;
    };
    host.requested();
    expect(await verify()).toEqual([0, expect.stringMatching(/^ok {6}log$/m)]);
  });
});
