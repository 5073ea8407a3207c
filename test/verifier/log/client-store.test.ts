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
import { noteSigner, TestLog } from '../../support/test-log.js';
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
const changeProof = async (damage: (proof: string) => string | undefined) => {
  const members = storedMembers(await stored());
  await change({ statements: JSON.stringify({ ...members, log_proof: damage(members.log_proof ?? '') }) });
};

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
  /** Saves what a client accepts, and starts another. */
  const restart = async (
    first: Files,
    { before = 2, after = before }: { before?: number; after?: number },
  ) => {
    const reader = await logReader(create, registry, { trustAnchor: anchorOf(before), store });
    expect(await reader.read(first)).toBe(ACCEPTED);
    reader.client.close();
    return logReader(createOther, registry, { trustAnchor: anchorOf(after), store });
  };
  const anchorOf = (quorum: number) => registry.anchor(quorum === 0 ? undefined : quorum);

  it.each([0, 2])(
    'refuses a smaller log and another log of the same size, with the quorum %d',
    async (quorum) => {
      registry.log.appendOther(3);
      const first = await registry.publish();
      const smaller = await forkedFiles(3);
      const same = await forkedFiles(registry.log.size);
      const reader = await restart(first, { before: quorum });
      expect(await reader.read(smaller)).toBe(INCONSISTENT);
      expect(await reader.read(same)).toBe(INCONSISTENT);
      expect(await reader.read(await registry.publish())).toBe(ACCEPTED);
    },
  );

  it('compares logs by tiles without witnesses', async () => {
    registry.log.appendOther(3);
    const reader = await restart(await registry.publish(), { before: 0 });
    expect(await reader.read(await forkedFiles(9))).toBe(INCONSISTENT);
    expect(await reader.read(await registry.publish())).toBe(ACCEPTED);
  });

  it.each([0, 1])(
    'with the quorum %d before and 2 now, still compares with the accepted log',
    async (before) => {
      registry.log.appendOther(3);
      const first = await registry.publish({ cosigned: registry.cosigning(1) });
      const reader = await restart(first, { before, after: 2 });
      expect(await codeOf(reader.client.ready())).not.toBe(ACCEPTED);
      expect(reader.events[0]).toMatchObject({ type: 'store-failed' });
      expect(reader.client.status().updatedAt).toBeUndefined();
      expect(await reader.read(await forkedFiles(4))).toBe(INCONSISTENT);
      // No quorum has cosigned the log in the store, so the word of the witnesses does not suffice.
      expect(await reader.read(await forkedFiles(9))).toBe(INCONSISTENT);
      expect(await reader.read(first)).toBe('ERR_TOO_FEW_COSIGNATURES');
      expect(await reader.read(await registry.publish())).toBe(ACCEPTED);
    },
  );

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

  it('refuses a log whose end was lost, and one of another name, until anchor and store are new', async () => {
    const early = await registry.publish();
    const restored = registry.fork();
    const last = await registry.publish();
    const reader = await restart(last, {});
    // The operator goes on from a copy that lacks the last entry.
    Object.assign(restored, { sequence: registry.sequence, now: registry.now });
    expect(await reader.read(await restored.publish())).toBe(INCONSISTENT);
    expect(await reader.read(early)).toBe('ERR_PUBLICATION_ROLLED_BACK');
    reader.client.close();
    // The operator begins another log, under the same root key.
    const renamed = new LoggedRegistry(registry.root, new TestLog(noteSigner('second.example/log', 'log')));
    Object.assign(renamed, { sequence: registry.sequence + 1, now: restored.now });
    const files = await renamed.publish();
    const trustAnchor = renamed.anchor(2);
    const old = await logReader(createOther, renamed, { trustAnchor, store });
    expect(await old.read(files)).toBe('ERR_PUBLICATION_ROLLED_BACK');
    const fresh = await logReader(createOther, renamed, { trustAnchor, store: memoryStore() });
    expect(await fresh.read(files)).toBe(ACCEPTED);
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

  it.each([
    ['damaged', (proof: string) => proof.replace('index', 'indes')],
    ['of another entry', (proof: string) => proof.replace(/index \d/, 'index 1')],
    ['empty', () => ''],
    ['missing', () => undefined],
  ])(
    'does not use a stored list whose proof is %s, and still refuses older publications',
    async (_what, damage) => {
      const older = await registry.publish();
      registry.log.appendOther(2);
      const files = await registry.publish();
      const reader = await restart(files, {});
      await changeProof(damage);
      expect(await reader.read(older)).toBe('ERR_PUBLICATION_ROLLED_BACK');
      expect(reader.events[0]).toMatchObject({ type: 'store-failed' });
      expect(await reader.read(files)).toBe(ACCEPTED);
    },
  );
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
