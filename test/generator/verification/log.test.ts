import { createHash } from 'node:crypto';
import {
  entryBytes,
  formatLogProof,
  leafHash,
  parseHead,
  publicationEntry,
  statementHash,
} from '@passport-registry/verifier/core';
import { httpSource, type TreeSource, verifyTree } from 'passport-registry';
import { beforeEach, describe, expect, it } from 'vitest';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { invalid, noteSigner, signedHead } from '../../support/note-keys.js';
import { type Files, issuer, publish, testKey } from '../../support/publication.js';
import { registryHost } from '../../support/registry-host.js';
import { resealed } from '../../support/signed-tree.js';
import { treeIn } from '../../support/sources.js';
import { claimsOf } from '../../support/statements.js';
import { cli, temporaryFolder, writeFiles } from '../../support/workspace.js';

let world: LoggedRegistry;
/** The paths that the host was asked for. */
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
    name: 'http://registry.example',
    live: true,
    get: async (path) => {
      asked.push(path);
      return get(path);
    },
  };
}

const logCheck = async (source = host()) =>
  (await verifyTree(source, world.root.rootKey)).checks.find(({ name }) => name === 'log');
const entriesAsked = () => asked.filter((path) => path.startsWith('log/tile/'));
const REFUSED = { result: 'failed', code: 'ERR_AUDIT_LOG' };

/** The files of a registry, with checksums and a checkpoint for them. */
const sealed = ({ files, root } = world) => resealed(files, root);

/** Replaces the head of the log. */
function claim(size: number, signer = world.log.signer): void {
  const head = signedHead(signer, { size, root: Buffer.alloc(32, 1) });
  world.files = new Map([...world.files, ['log/checkpoint', Buffer.from(head)]]);
}

/** Claims a log of any size that ends with the publication, and proves it: nobody has seen the entries before. */
function prove(size: number): void {
  const claims = claimsOf<Claims>(world.files.get('publication.jwt') as Buffer);
  const { sha256: list, sequence, updated_at: updatedAt } = claims;
  const hash = statementHash(String(world.files.get('publication.jwt')));
  const leaf = leafHash(entryBytes(publicationEntry({ hash, sha256: list, sequence, updatedAt })));
  // What is left of the last entry, from the bottom up.
  const path = Array.from({ length: (size - 1).toString(2).replaceAll('0', '').length }, (_one, at) =>
    Buffer.alloc(32, at),
  );
  const join = (right: Uint8Array, left: Uint8Array) =>
    createHash('sha256').update(Buffer.of(1)).update(left).update(right).digest();
  const head = signedHead(world.log.signer, { size, root: path.reduce(join, Buffer.from(leaf)) });
  const proof = formatLogProof({ index: size - 1, head: parseHead(head, invalid), path });
  world.files = new Map([
    ...world.files,
    ['log/checkpoint', Buffer.from(head)],
    ['log/publication.tlog-proof', Buffer.from(proof)],
  ]);
}

interface Claims {
  readonly sha256: string;
  readonly sequence: number;
  readonly updated_at: string;
}

describe('of a live host', () => {
  it('the entries of a log are read only once its head has been verified', async () => {
    claim(2 ** 40, noteSigner(world.log.origin, 'log'));
    expect(await logCheck()).toMatchObject(REFUSED);
    expect(entriesAsked()).toEqual([]);
  });

  it('a host is not asked for more entries than can be kept', async () => {
    prove(2 ** 18 + 1);
    expect(await logCheck()).toMatchObject(REFUSED);
    expect(entriesAsked()).toEqual([]);
    asked = [];
    prove(2 ** 18);
    expect(await logCheck()).toMatchObject(REFUSED);
    expect(entriesAsked()).not.toEqual([]);
  });

  it('the head is signed by the key that the publication names, and by no other one', async () => {
    const signer = noteSigner(world.log.origin, 'log');
    await world.prepare({ signer });
    await world.seal({ signer });
    expect(await logCheck()).toMatchObject(REFUSED);
    expect(entriesAsked()).toEqual([]);
    const impostor = new LoggedRegistry(await testKey(), world.log, world.witnesses);
    const own = noteSigner(world.log.origin, 'log');
    const { files } = world;
    await impostor.prepare({ signer: own });
    await impostor.seal({ signer: own });
    world.files = new Map([...files, ...[...impostor.files].filter(([path]) => path.startsWith('log/'))]);
    asked = [];
    expect(await logCheck()).toMatchObject(REFUSED);
    expect(entriesAsked()).toEqual([]);
  });

  it('only the statement of the newest entry is read', async () => {
    await world.publish();
    await world.publish();
    expect(await logCheck()).toMatchObject({ result: 'passed' });
    expect(asked.filter((path) => path.startsWith('log/statements/'))).toEqual(['log/statements/2.jwt']);
  });

  it('the log is read again if its head is replaced while it is verified', async () => {
    const old = world.files.get('log/checkpoint');
    await world.publish();
    const shown = await registryHost(await sealed());
    let reads = 0;
    shown.intercept = (path, _request, response) => {
      if (path !== 'log/checkpoint' || reads++ > 0) return false;
      response.end(old);
      return true;
    };
    expect(await logCheck(httpSource(shown.base))).toMatchObject({ result: 'passed' });
    expect(reads).toBeGreaterThan(1);
  });
});

it('a log has each step of the rotation of its tree', async () => {
  const next = await testKey();
  const begun = new LoggedRegistry(next, world.log.fork(0));
  await begun.publish();
  await world.rotate(next);
  const rotation = world.files.get('keys/rotation.json') as Buffer;
  begun.files = new Map([...begun.files, ['keys/rotation.json', rotation]]);
  const { checks } = await verifyTree(treeIn(await sealed(begun)));
  expect(checks.filter(({ result }) => result === 'failed')).toMatchObject([
    { name: 'log', problems: ['the log does not contain step 1 of the rotation'] },
  ]);
});

describe('what a trust anchor demands of the log', () => {
  const cosignedBy = (count: number) => world.publish({ cosigned: world.cosigning(count) });
  const withoutLog = async () => {
    world.files = publish(world.root, [issuer('alpha')]);
  };

  it.each<[string, () => Promise<unknown>, () => object, string | undefined]>([
    ['two witnesses have cosigned', () => cosignedBy(2), () => world.anchor(2), undefined],
    ['one of two has', () => cosignedBy(1), () => world.anchor(2), 'ERR_TOO_FEW_COSIGNATURES'],
    ['it is another log', () => cosignedBy(3), () => ({ log: 'other.example/log' }), 'ERR_NOT_LOGGED'],
    ['there is no log', withoutLog, () => world.anchor(), 'ERR_NOT_LOGGED'],
  ])('decides about folder and host where %s', async (_what, prepare, demand, refusal) => {
    await prepare();
    const files: Files = await sealed();
    const folder = temporaryFolder();
    const anchor = { root: world.root.rootKey.jwk, ...demand() };
    writeFiles(folder, {
      'anchor.json': JSON.stringify(anchor),
      ...Object.fromEntries([...files].map(([path, bytes]) => [`dist/${path}`, bytes])),
    });
    const PINNED = ['--trust-anchor', 'anchor.json'];
    for (const where of ['dist', (await registryHost(files)).base]) {
      const { code, stdout } = await cli(
        ['verify', where, ...PINNED, '--json', '--any-content-type'],
        folder,
      );
      const { checks } = JSON.parse(stdout) as { checks: { name: string; result: string; code?: string }[] };
      const [log, client] = ['log', 'client'].map((name) => checks.find((check) => check.name === name));
      expect([code, log?.code]).toEqual([refusal === undefined ? 0 : 1, refusal]);
      if (where !== 'dist') expect(client?.result).toBe(refusal === undefined ? 'passed' : 'failed');
      expect((await cli(['diff', where, 'dist', ...PINNED], folder)).code).toBe(
        refusal === undefined ? 0 : 1,
      );
    }
  });
});
