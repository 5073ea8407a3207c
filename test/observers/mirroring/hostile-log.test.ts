import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { pinnedKey } from '../../../build/generator/verification/pinned-trust.js';
import { mirrorOnce } from '../../../build/observers/mirroring/mirror.js';
import { logHead } from '../../support/log-files.js';
import {
  type LoggedFolder,
  loggedFolder,
  ORIGIN,
  type ToldHost,
  toldHost,
} from '../../support/logged-folder.js';
import { lengthenLog } from '../../support/long-log.js';
import { noteSigner, signedHead } from '../../support/note-keys.js';
import { readTreeFile } from '../../support/statements.js';
import { filesOf } from '../../support/workspace.js';

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

const mirror = () =>
  mirrorOnce({
    source: host.base,
    folder: join(here.folder, 'mirror'),
    trust: pinnedKey(here.keys.root.rootKey),
  });

const fileOf = (path: string, tree = here.tree) => readTreeFile(join(tree, path));

/** A head that the key of the log has signed. */
const headOf = async (changes: { size?: number; root?: Uint8Array }) => {
  const head = { ...logHead(here.tree), ...changes };
  return Buffer.from(signedHead(noteSigner(ORIGIN, 'log', here.keys.log.pair), head));
};

const STRANGER_LINE = `\u2014 stranger.example ${Buffer.alloc(76, 7).toString('base64')}\n`;

/** What proves a second history, whoever made it: the lengths of the two logs. */
const contradiction = (size: number) => [`with ${size} entries`, 'with 2 contradict'];

const CASES: [what: string, changes: () => Promise<Changes>, facts: string[]][] = [
  [
    'a smaller log',
    async () => ({ [HEAD]: await headOf({ size: 1 }) }),
    [`${HEAD} has 1 entries`, 'with 2 entries'],
  ],
  [
    'another root for the accepted size',
    async () => ({ [HEAD]: await headOf({ size: 2, root: Buffer.alloc(32, 7) }) }),
    contradiction(2),
  ],
  ['a second history', async () => Object.fromEntries(filesOf(other)), contradiction(3)],
  [
    'only the head of a second history',
    async () => ({ [HEAD]: fileOf(HEAD, other), [PROOF]: fileOf(PROOF, other) }),
    [`does not belong to ${HEAD}`],
  ],
  [
    'a head that the key of the log has not signed',
    async () => ({
      [HEAD]: Buffer.from(`${fileOf(HEAD).toString().split('\n\n')[0]}\n\n${STRANGER_LINE}`),
    }),
    [`${HEAD} is not signed`],
  ],
  [
    'no statement of an entry',
    async () => ({ 'log/statements/2.jwt': undefined }),
    ['log/statements/2.jwt is missing'],
  ],
  ['no log, although its statement names one', async () => ({ [HEAD]: undefined }), [`${HEAD} is missing`]],
];

describe('a mirror refuses a source over HTTP with', () => {
  it.each(CASES)('%s', async (_what, changesOf, facts) => {
    const changes = await changesOf();
    const before = filesOf(here.current);
    host.answer = (path) => (path in changes ? changes[path] : filesOf(here.tree).get(path));
    const error = await mirror().catch((error: unknown) => error);
    expect(error).toMatchObject({ code: 'ERR_TREE_REJECTED' });
    for (const fact of facts) expect(error).toMatchObject({ message: expect.stringContaining(fact) });
    expect(filesOf(here.current)).toEqual(before);
  });

  it('none of these faults', async () => {
    host.answer = (path) => filesOf(here.tree).get(path);
    expect(await mirror()).toMatchObject({ switched: true, log: { origin: ORIGIN, size: 3 } });
    expect(filesOf(here.current)).toEqual(filesOf(here.tree));
    expect(logHead(here.current)).toMatchObject({ origin: ORIGIN, size: 3 });
  });
});
