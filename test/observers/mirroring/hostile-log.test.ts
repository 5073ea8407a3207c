import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalBytes, entryBytes } from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { logEntries, logHead } from '../../support/log-files.js';
import {
  type LoggedFolder,
  loggedFolder,
  ORIGIN,
  type ToldHost,
  toldHost,
} from '../../support/logged-folder.js';
import { noteEntry } from '../../support/logged-registry.js';
import { lengthenLog } from '../../support/long-log.js';
import { noteSigner, signedHead } from '../../support/note-keys.js';
import { claimsOf, jwt, resealed, restated, signerKey } from '../../support/signed-tree.js';
import { readTreeFile } from '../../support/statements.js';
import { testLog } from '../../support/test-log.js';
import { filesOf, keyPair } from '../../support/workspace.js';

const [HEAD, PROOF] = ['log/checkpoint', 'log/publication.tlog-proof'];

/** The files that a host serves in place of its own. Undefined: the file is missing. */
type Changes = Readonly<Record<string, Buffer | undefined>>;

let here: LoggedFolder;
let host: ToldHost;
/** The tree of a second history, under the same keys, as long as the log of the host. */
let other: string;

// The mirror has two publications, and the host three.
beforeAll(async () => {
  here = await loggedFolder();
  await here.publish();
  host = await toldHost(here.tree);
  expect((await here.mirror(host.base)).code).toBe(0);
  await here.publish();
  other = join(here.folder, 'other');
  cpSync(here.tree, other, { recursive: true });
  await lengthenLog(other, here.keys, 3);
});

const fileOf = (path: string, tree = here.tree) => readTreeFile(join(tree, path));

/** The tiles of a tree, or their absence. */
const tilesOf = (tree: string, areThere = true): Changes =>
  Object.fromEntries(
    [...filesOf(tree)]
      .filter(([path]) => path.startsWith('log/tile/'))
      .map(([path, bytes]) => [path, areThere ? bytes : undefined]),
  );

/** The proof of the newest publication in a log whose first entry is another one, signed by the key of the log. */
const otherProof = async () => {
  const entries = (await logEntries(here.tree)).map(entryBytes);
  entries[0] = canonicalBytes(noteEntry('another entry'));
  return Buffer.from(await testLog(here.keys.log.pair, entries).proof(2));
};

/** A head that the key of the log has signed. */
const headOf = async (changes: { size?: number; origin?: string; root?: Uint8Array }) => {
  const head = { ...logHead(here.tree), ...changes };
  return Buffer.from(signedHead(noteSigner(head.origin, 'log', here.keys.log.pair), head));
};

const STRANGER_LINE = `\u2014 stranger.example ${Buffer.alloc(76, 7).toString('base64')}\n`;
const NOT_UTF8 = Buffer.concat([
  Buffer.from('\u2014 stranger'),
  Buffer.of(0xff),
  Buffer.from(STRANGER_LINE.slice('\u2014 stranger'.length)),
]);

/** What proves a second history, whoever made it. */
const contradiction = (size: number) =>
  new RegExp(`the log of \\S+ with ${size} entries and that of this mirror with 2 contradict each other`);
const UNCLEAR = /the log of \S+ does not belong to log\/checkpoint: it is damaged, or has a second history/;

const CASES: [what: string, changes: () => Promise<Changes>, message: RegExp][] = [
  [
    'a smaller log',
    async () => ({ [HEAD]: await headOf({ size: 1 }) }),
    /log\/checkpoint has 1 entries, but a log with 2 entries was accepted before/,
  ],
  [
    'a log of another name',
    async () => ({ [HEAD]: await headOf({ origin: 'other.example/log' }) }),
    /log\/checkpoint is not signed by the key of the log that the publication names/,
  ],
  [
    'another root for the accepted size',
    async () => ({ [HEAD]: await headOf({ size: 2, root: Buffer.alloc(32, 7) }) }),
    contradiction(2),
  ],
  [
    'another root for the accepted size, which the key of the log has not signed',
    async () => {
      const head = await headOf({ size: 2, root: Buffer.alloc(32, 7) });
      return { [HEAD]: Buffer.from(`${head.toString().split('\n\n')[0]}\n\n${STRANGER_LINE}`) };
    },
    /log\/checkpoint is not signed by the key of the log that the publication names/,
  ],
  ['a second history', async () => Object.fromEntries(filesOf(other)), contradiction(3)],
  [
    'the head of a second history, without its tiles',
    async () => ({ ...tilesOf(other, false), [HEAD]: fileOf(HEAD, other), [PROOF]: fileOf(PROOF, other) }),
    UNCLEAR,
  ],
  [
    'the head of a second history, with tiles of the log',
    async () => ({ [HEAD]: fileOf(HEAD, other), [PROOF]: fileOf(PROOF, other) }),
    UNCLEAR,
  ],
  [
    'a head with tiles that do not belong to it',
    async () => ({ ...tilesOf(other), [HEAD]: await headOf({ root: Buffer.alloc(32, 7) }) }),
    UNCLEAR,
  ],
  [
    'a head that the key of the log has not signed',
    async () => ({
      [HEAD]: Buffer.from(`${fileOf(HEAD).toString().split('\n\n')[0]}\n\n${STRANGER_LINE}`),
    }),
    /log\/checkpoint is not signed by the key of the log/,
  ],
  [
    'a head that is not UTF-8',
    async () => ({ [HEAD]: Buffer.concat([fileOf(HEAD), NOT_UTF8]) }),
    /log\/checkpoint is not UTF-8/,
  ],
  [
    'a statement that another key has signed',
    async () => {
      await keyPair(here.folder, 'stranger');
      const stranger = await signerKey(here.folder, 'stranger');
      const claims = claimsOf(fileOf('log/statements/2.jwt'));
      return {
        'log/statements/2.jwt': Buffer.from(await jwt(stranger, 'registry-publication+jwt', claims)),
      };
    },
    UNCLEAR,
  ],
  [
    'no statement of an entry',
    async () => ({ 'log/statements/2.jwt': undefined }),
    /log\/statements\/2\.jwt is missing/,
  ],
  [
    'the proof of a second history',
    async () => ({ [PROOF]: await otherProof() }),
    /log\/checkpoint has another root than the proof of the log/,
  ],
  [
    'statements that are not UTF-8',
    async () => ({ 'statements.json': Buffer.concat([Buffer.from('{"log_proof":"'), NOT_UTF8]) }),
    /ERR_STATEMENTS_INVALID/,
  ],
  ['no proof', async () => ({ [PROOF]: undefined }), /the proof of the log is refused: .* is missing/],
  [
    'no log, although its statement names one',
    async () => ({ [HEAD]: undefined }),
    /log\/checkpoint is missing/,
  ],
  [
    'no log any more, also according to the root key',
    async () => {
      const { root } = here.keys;
      const files = await resealed(await restated(filesOf(here.tree), root, { log: undefined }), root);
      const log = [...files.keys()].filter((path) => path.startsWith('log/'));
      return { ...Object.fromEntries(files), ...Object.fromEntries(log.map((path) => [path, undefined])) };
    },
    /ERR_PUBLICATION_ROLLED_BACK, .* named registry\.example\/log/,
  ],
];

describe('a mirror refuses a source over HTTP with', () => {
  it.each(CASES)('%s', async (_what, changesOf, message) => {
    const changes = await changesOf();
    const before = filesOf(here.current);
    host.answer = (path) => (path in changes ? changes[path] : filesOf(here.tree).get(path));
    const { code, stderr } = await here.mirror(host.base);
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)]);
    expect(filesOf(here.current)).toEqual(before);
  });

  it('none of these faults', async () => {
    host.answer = (path) => filesOf(here.tree).get(path);
    const { code, stderr } = await here.mirror(host.base);
    expect([code, stderr]).toEqual([0, expect.stringContaining('switched to')]);
    expect(filesOf(here.current)).toEqual(filesOf(here.tree));
    expect([ORIGIN, 3]).toEqual([logHead(here.current).origin, logHead(here.current).size]);
  });
});
