import { type TreeSource, verifyTree } from 'passport-registry';
import { beforeEach, expect, it } from 'vitest';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { noteSigner, signedHead } from '../../support/note-keys.js';
import { testKey } from '../../support/publication.js';
import { treeIn } from '../../support/sources.js';

let world: LoggedRegistry;
let asked: string[];
beforeEach(async () => {
  world = new LoggedRegistry(await testKey());
  await world.publish();
  asked = [];
});

/** A live host, which can claim a log of any size, and send any number of entries. */
function host(): TreeSource {
  const { get } = treeIn(world.files);
  return {
    ...{ name: 'http://registry.example', live: true },
    get: async (path) => {
      asked.push(path);
      return get(path);
    },
  };
}

/** Replaces the head of the log. */
function claim(size: number, signer = world.log.signer): void {
  const head = signedHead(signer, { size, root: Buffer.alloc(32, 1) });
  world.files = new Map([...world.files, ['log/checkpoint', Buffer.from(head)]]);
}

const logCheck = async () =>
  (await verifyTree(host(), world.root.rootKey)).checks.find(({ name }) => name === 'log');
const entriesAsked = () => asked.filter((path) => path.startsWith('log/tile/'));

it('the entries of a log are read only once its head has been verified', async () => {
  claim(2 ** 40, noteSigner(world.log.origin, 'log'));
  expect(await logCheck()).toMatchObject({ result: 'failed', code: 'ERR_AUDIT_LOG' });
  expect(entriesAsked()).toEqual([]);
});

it('a host is not asked for more entries than can be kept', async () => {
  claim(2 ** 18 + 1);
  expect(await logCheck()).toMatchObject({ result: 'failed', code: 'ERR_AUDIT_LOG' });
  expect(entriesAsked()).toEqual([]);
  asked = [];
  claim(2 ** 18);
  expect(await logCheck()).toMatchObject({ result: 'failed', code: 'ERR_AUDIT_LOG' });
  expect(entriesAsked()).not.toEqual([]);
});

it('the head may be signed by the key that a pending publication names, and no other one', async () => {
  const signer = noteSigner(world.log.origin, 'log');
  await world.prepare({ signer });
  await world.seal({ signer });
  // Its list is missing.
  expect(await logCheck()).toMatchObject({ problems: [expect.stringMatching(/^log\/pending\//)] });
  const impostor = new LoggedRegistry(await testKey(), world.log, world.witnesses);
  const own = noteSigner(world.log.origin, 'log');
  const { files } = world;
  await impostor.prepare({ signer: own });
  await impostor.seal({ signer: own });
  world.files = new Map([...files, ...[...impostor.files].filter(([path]) => path.startsWith('log/'))]);
  asked = [];
  expect(await logCheck()).toMatchObject({ result: 'failed', code: 'ERR_AUDIT_LOG' });
  expect(entriesAsked()).toEqual([]);
});
