import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  memoryStore,
  openRegistry,
  type RegistryStore,
  type StoredPublication,
} from '@passport-registry/verifier';
import { fileStore, openRegistry as openPath } from '@passport-registry/verifier/node';
import { beforeEach, describe, expect, it } from 'vitest';
import { CLIENTS, type CreateClient, codeOf, logReader } from '../../support/log-clients.js';
import { LoggedRegistry, PROOF } from '../../support/logged-registry.js';
import { type Files, testKey } from '../../support/publication.js';
import { shortenRetries } from '../../support/short-retries.js';
import { copyIn } from '../../support/sources.js';
import { storedMembers, together } from '../../support/statements.js';
import { temporaryFolder, writeFiles } from '../../support/workspace.js';

shortenRetries();

const DAY = 24 * 3600;
const [ACCEPTED, INCONSISTENT] = ['accepted', 'ERR_LOG_INCONSISTENT'];

let registry: LoggedRegistry;
let store: RegistryStore;
beforeEach(async () => {
  registry = new LoggedRegistry(await testKey());
  store = memoryStore();
});

const stored = async () => (await store.load()) as StoredPublication;
const change = async (changes: Partial<StoredPublication>) => store.save({ ...(await stored()), ...changes });
const storedProof = async () => storedMembers(await stored()).log_proof;

/** Somebody who has all keys, and whose log differs from the second entry on. */
async function forkedFiles(size: number, cosigned = registry.cosigning(3)): Promise<Files> {
  const fork = registry.fork(1);
  fork.log.append(Buffer.from('something else'));
  fork.log.appendOther(size - 3);
  return fork.publish({ cosigned });
}

/** The kinds of clients before and after a restart. */
const RESTARTS = CLIENTS.flatMap(([name, create]) =>
  CLIENTS.map(([other, createOther]) => [`${name}, restarted as ${other}`, create, createOther] as const),
);

describe.each(RESTARTS)('%s', (_name, create, createOther) => {
  it('knows who has cosigned the log of a list that it cannot use', async () => {
    const reader = await logReader(create, registry, { store });
    expect(await reader.read(await registry.publish())).toBe(ACCEPTED);
    reader.client.close();
    if ('list' in (await stored())) await change({ list: 'damaged' });
    const next = await registry.publish();
    const withoutTiles = new Map([...next].filter(([path]) => !path.startsWith('log/tile/')));
    const restarted = await logReader(createOther, registry, { store });
    expect(await restarted.read(withoutTiles)).toBe(ACCEPTED);
  });

  it('does not use a stored list without a proof, and still refuses older publications', async () => {
    const older = await registry.publish();
    const reader = await logReader(create, registry, {
      trustAnchor: { root: registry.root.rootKey.jwk },
      store,
    });
    await reader.read(await registry.publish());
    expect(await storedProof()).toBeUndefined();
    const restarted = await logReader(createOther, registry, { store });
    expect(await restarted.read(older)).toBe('ERR_PUBLICATION_ROLLED_BACK');
    expect(restarted.events[0]).toMatchObject({ type: 'store-failed' });
    expect(await restarted.read(registry.files)).toBe(ACCEPTED);
    expect(await storedProof()).toBeDefined();
  });
});

describe.each(CLIENTS)('%s and its store', (_name, create: CreateClient) => {
  it('needs no network for a list that a quorum has cosigned, until the limit of age', async () => {
    const first = await logReader(create, registry, { store });
    await first.read(await registry.publish());
    first.client.close();
    const limit = registry.now + 30 * DAY * 1000 + 3_600_000 + 300_000;
    const offline = async (now: number) => {
      const reader = await logReader(create, registry, { store, timeout: 1 });
      reader.now = now;
      return { reader, verdict: await codeOf(reader.client.ready()) };
    };
    const { reader, verdict } = await offline(limit);
    expect(verdict).toBe(ACCEPTED);
    expect(reader.client.status()).toMatchObject({
      source: 'store',
      logSize: 1,
      cosignedBy: ['one.example', 'two.example'],
      cosignedAt: new Date(registry.now),
    });
    expect((await offline(limit + 1)).verdict).not.toBe(ACCEPTED);
    // After the clock was set back, the list is not lost.
    expect((await offline(registry.now - DAY * 1000)).verdict).toBe(ACCEPTED);
  });

  it('saves newer cosignatures of the same list, and not older ones', async () => {
    const reader = await logReader(create, registry, { store });
    const files = await registry.publish();
    await reader.read(files);
    const first = await stored();
    registry.now += 60_000;
    await reader.read(await registry.prove({ cosigned: registry.cosigning(2) }));
    const second = await stored();
    expect(storedMembers(second)).toEqual({
      ...storedMembers(first),
      log_proof: String(registry.files.get(PROOF)),
    });
    expect(second.list).toBe(first.list);
    expect(second).not.toEqual(first);
    expect(await reader.read(files)).toBe(ACCEPTED);
    expect(await stored()).toEqual(second);
  });

  it('restarts from a file', async () => {
    const file = join(temporaryFolder(), 'state.json');
    const reader = await logReader(create, registry, { store: fileStore(file) });
    registry.log.appendOther(3);
    await reader.read(await registry.publish());
    reader.client.close();
    const restarted = await logReader(create, registry, { store: fileStore(file) });
    expect(await restarted.read(await forkedFiles(4))).toBe(INCONSISTENT);
    expect(storedMembers(JSON.parse(readFileSync(file, 'utf8'))).log_proof).toMatch(
      /^c2sp.org\/tlog-proof@v1\nindex 3\n/,
    );
  });
});

describe('openRegistry with a quorum', () => {
  /** Opens a stored publication, and a folder with the files. */
  const open = async (options: {
    readonly quorum?: number;
    readonly now?: number;
    readonly maxAge?: number;
  }) => {
    const { quorum = 2, now = registry.now, maxAge = 10 * DAY } = options;
    const settings = { trustAnchor: registry.anchor(quorum), now: () => now, maxAge, clockTolerance: 0 };
    const folder = temporaryFolder();
    const files = together(registry.files);
    writeFiles(folder, Object.fromEntries(files));
    const bundle = join(temporaryFolder(), 'bundle.json');
    const text = (path: string) => String(files.get(path));
    const members = { version: 1, statements: text('statements.json'), list: text('issuers.json') };
    writeFileSync(bundle, JSON.stringify(members));
    const copy: StoredPublication = JSON.parse(JSON.stringify(members));
    const opened = [
      openRegistry(copy, settings),
      openRegistry(copyIn(registry.files), settings),
      openPath(folder, settings),
      openPath(bundle, settings),
    ].map((opening) => opening.then(() => ACCEPTED).catch(({ code }) => code));
    const [verdict, ...others] = await Promise.all(opened);
    expect(others).toEqual([verdict, verdict, verdict]);
    return verdict;
  };

  it('opens a copy that as many witnesses have cosigned', async () => {
    await registry.publish({ cosigned: registry.cosigning(2) });
    expect(await open({})).toBe(ACCEPTED);
    expect(await open({ quorum: 3 })).toBe('ERR_TOO_FEW_COSIGNATURES');
  });

  it('counts the age of the copy from the cosignatures', async () => {
    await registry.publish();
    const [list, { now }] = [registry.now, registry];
    await registry.prove({ cosigned: registry.cosigning(3, now - 3_600_000) });
    const limit = list - 3_600_000 + 10 * DAY * 1000;
    expect(await open({ now: limit })).toBe(ACCEPTED);
    expect(await open({ now: limit + 1 })).toBe('ERR_LIST_EXPIRED');
    await registry.prove({ cosigned: registry.cosigning(3, now + 1000) });
    expect(await open({ now: now + 1000 })).toBe(ACCEPTED);
    expect(await open({ now: now + 999 })).toBe('ERR_TOO_FEW_COSIGNATURES');
  });

  it('refuses a copy without a proof', async () => {
    await registry.publish();
    registry.files.delete(PROOF);
    expect(await open({})).toBe('ERR_NOT_LOGGED');
  });
});
