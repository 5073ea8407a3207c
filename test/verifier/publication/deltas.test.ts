import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  canonicalBytes,
  createRegistryClient,
  memoryStore,
  type NoUsableSource,
  type RegistryClient,
  type RegistryClientOptions,
} from '@passport-registry/verifier';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Files,
  issuer,
  publish,
  publishBytes,
  sha256,
  type TestKey,
  testKey,
} from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { cli, recordText, workspace, writeFiles } from '../../support/workspace.js';

/** The trees of four publications in a row, without and with checkpoints: one record more or less, or another, each time. */
const WAYS = { 'without checkpoints': [], 'with checkpoints': ['--checkpoint-key', 'key.pem'] } as const;
const IDS = Array.from({ length: 60 }, (_one, index) => `issuer-${index}`);
const trees = new Map<string, Files[]>();

function tree(folder: string): Files {
  const dist = join(folder, 'dist');
  const paths = readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(dist.length + 1));
  return new Map(paths.map((path) => [path, readFileSync(join(dist, path))]));
}

beforeAll(async () => {
  for (const [way, args] of Object.entries(WAYS)) {
    const folder = await workspace(IDS);
    const steps = [
      {},
      { 'issuers/issuer-7.yaml': recordText('issuer-7', { status: 'suspended' }) },
      { 'issuers/issuer-60.yaml': recordText('issuer-60') },
      { 'issuers/issuer-7.yaml': recordText('issuer-7', { status: 'revoked' }) },
    ];
    const made: Files[] = [];
    for (const files of steps) {
      writeFiles(folder, files);
      const { code, stderr } = await cli(['build', '--key', 'key.pem', ...args], folder);
      expect(stderr).toContain('verified');
      expect(code).toBe(0);
      made.push(tree(folder));
    }
    trees.set(way, made);
  }
});

describe.each(Object.keys(WAYS))('a client that holds an older list, %s', (way) => {
  let host: RegistryHost;
  let client: RegistryClient;

  const publication = (number: number) => trees.get(way)?.[number] as Files;
  const keyOf = (files: Files) => JSON.parse(files.get('keys/root.json')?.toString() ?? '');
  const deltas = (files: Files) => [...files.keys()].filter((path) => path.startsWith('deltas/'));
  /** What was sent since the last question. */
  const sent = () => host.log.splice(0).filter((line) => line.endsWith(' 200'));
  const lists = (log: readonly string[]) => log.filter((line) => line.includes('issuers.json'));

  beforeEach(async () => {
    host = await registryHost(publication(0));
    client = createRegistryClient({ sources: [host.base], rootKey: keyOf(publication(0)) });
    await client.ready();
    expect(lists(sent())).toHaveLength(1);
  });
  afterEach(() => client.close());

  it('gets what has changed, and not the list', async () => {
    host.files = publication(1);
    await client.refresh();
    expect(client.resolve('issuer-7')?.status).toBe('suspended');
    const log = sent();
    expect(lists(log)).toEqual([]);
    expect(log.filter((line) => line.startsWith('deltas/'))).toHaveLength(1);
    expect(client.sha256).toBe(sha256Of(publication(1)));
    // And so on from there.
    host.files = publication(2);
    await client.refresh();
    expect(client.resolve('issuer-60')?.tier).toBe('certified');
    expect(lists(sent())).toEqual([]);
    host.files = publication(2);
    await client.refresh();
    expect(sent().filter((line) => line.startsWith('deltas/'))).toEqual([]);
  });

  it('goes several steps at once, and arrives at the same bytes', async () => {
    const store = memoryStore();
    const other = createRegistryClient({ sources: [host.base], rootKey: keyOf(publication(0)), store });
    await other.ready();
    sent();
    host.files = publication(3);
    await other.refresh();
    other.close();
    const log = sent();
    expect(lists(log)).toEqual([]);
    expect(log.filter((line) => line.startsWith('deltas/'))).toHaveLength(3);
    expect(other.resolve('issuer-7')?.status).toBe('revoked');
    expect((await store.load())?.list).toBe(publication(3).get('issuers.json')?.toString());
  });

  it('sends less than a tenth of the list for a changed record', () => {
    const [newest] = deltas(publication(1));
    const list = publication(1).get('issuers.json')?.length ?? 0;
    expect(publication(1).get(newest ?? '')?.length).toBeLessThan(list / 10);
  });

  it.each<[string, (files: Files) => void]>([
    [
      'there is none',
      (files) => {
        for (const path of deltas(files)) files.delete(path);
      },
    ],
    ['it is no JSON', alter(() => 'x')],
    ['it is of another form', alter(() => '{}')],
    ['it is cut off', alter((text) => text.slice(0, -10))],
    ['it leaves a revocation out', alter((text) => text.replace('suspended', 'active'))],
    ['it says too much', alter((text) => text.replace('"removed":[]', '"removed":["issuer-1"]'))],
    ['it has a record that is none', alter((text) => text.replace('"tier":"certified"', '"tier":"gold"'))],
    ['it is not canonical', alter((text) => text.replace('"issuers":[{', '"issuers":[{ "a":1,'))],
    ['it leads elsewhere', alter((text) => text.replace(/"to":"[0-9a-f]{4}/, '"to":"0000'))],
    ['it begins elsewhere', alter((text) => text.replace(/"from":"[0-9a-f]{4}/, '"from":"0000'))],
    ['it goes back in time', alter((text) => text.replace(/"updated_at":"2/, '"updated_at":"1'))],
    ['its hashes are right, and nobody signed it', alter(forged)],
  ])('asks for the whole list when %s', async (_why, change) => {
    const files = new Map(publication(1));
    change(files);
    host.files = files;
    await client.refresh();
    expect(client.resolve('issuer-7')?.status).toBe('suspended');
    expect(client.sha256).toBe(sha256Of(publication(1)));
    expect(lists(sent()).length).toBeGreaterThan(0);
  });

  it.each<[string, number]>([
    ['an error', 500],
    ['a redirect', 302],
  ])('asks for the whole list when the host answers with %s', async (_what, status) => {
    host.files = publication(1);
    host.intercept = (path, _request, response) => {
      if (path.startsWith('deltas/')) response.writeHead(status, { Location: '/' }).end();
      return path.startsWith('deltas/');
    };
    await client.refresh();
    expect(client.resolve('issuer-7')?.status).toBe('suspended');
  });

  it('does not follow deltas that lead round', async () => {
    const files = new Map(publication(1));
    for (const path of deltas(files)) files.delete(path);
    const [one, other] = [publication(0), publication(0)].map((files) => files.get('issuers.json') as Buffer);
    const { updated_at } = JSON.parse(String(one));
    const later = Buffer.from(
      canonicalBytes({ ...JSON.parse(String(other)), updated_at: '2099-01-01T00:00:00Z' }),
    );
    const step = (from: Buffer, to: Buffer, at: string) =>
      files.set(
        `deltas/${sha256(from)}.json`,
        Buffer.from(
          canonicalBytes({ from: sha256(from), to: sha256(to), updated_at: at, issuers: [], removed: [] }),
        ),
      );
    step(one as Buffer, later, '2099-01-01T00:00:00Z');
    step(later, one as Buffer, updated_at);
    host.files = files;
    await client.refresh();
    expect(client.sha256).toBe(sha256Of(publication(1)));
    expect(host.log.filter((line) => line.startsWith('deltas/'))).toHaveLength(2);
  });

  it('does not take the word of a checkpoint for the signature of the root key', async () => {
    const files = new Map(publication(1));
    // The list that the deltas lead to is right, and the one that a checkpoint names; the signature is of another.
    for (const path of [...files.keys()].filter((path) => path.endsWith('issuers.sig'))) {
      if (!path.includes(sha256Of(publication(0))))
        files.set(path, publication(2).get('issuers.sig') as Buffer);
    }
    host.files = files;
    await expect(client.refresh()).rejects.toMatchObject({ code: 'ERR_NO_USABLE_SOURCE' });
    expect(client.sha256).toBe(sha256Of(publication(0)));
  });

  it('accepts nothing when neither deltas nor list are rightly signed', async () => {
    const files = new Map(publication(1));
    alter((text) => text.replace('suspended', 'active'))(files);
    for (const path of [...files.keys()].filter((path) => path.endsWith('issuers.json'))) {
      files.set(path, Buffer.from((files.get(path) as Buffer).toString().replace('suspended', 'active')));
    }
    host.files = files;
    await expect(client.refresh()).rejects.toMatchObject({ code: 'ERR_NO_USABLE_SOURCE' });
    expect(client.resolve('issuer-7')?.status).toBe('active');
    expect(client.sha256).toBe(sha256Of(publication(0)));
  });
});

describe('the limits of deltas, which nobody signs', () => {
  const UPDATED = ['2026-11-20T08:00:00Z', '2026-11-20T08:00:01Z', '2026-11-20T08:00:02Z'] as const;
  const lists = (log: readonly string[]) => log.filter((line) => line.includes('issuers.json'));

  interface Chain {
    readonly key: TestKey;
    readonly first: Files;
    readonly last: Files;
    readonly listSize: number;
  }

  /** A publication, and a later one with the deltas of two steps in between. The first step has a filler of some length. */
  async function chain(total: (listSize: number) => number): Promise<Chain> {
    const key = await testKey();
    const held = [...IDS].sort().map((id) => issuer(id));
    const first = publish(key, held, UPDATED[0]);
    const listSize = first.get('issuers.json')?.length ?? 0;
    const list = (issuers: readonly object[], updatedAt: string) =>
      Buffer.from(
        canonicalBytes({
          issuers: [...issuers].sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1)),
          updated_at: updatedAt,
        }),
      );
    const idOf = (record: object) => (record as { issuer_id: string }).issuer_id;
    const added = issuer('zz');
    const between = (filler: number) => [...held, { ...added, tier: 'gold', filler: 'x'.repeat(filler) }];
    const end = list([...held, added], UPDATED[2]);
    const deltas = (filler: number) => {
      const middle = list(between(filler), UPDATED[1]);
      const step = (from: Buffer, to: Buffer, updated_at: string, record: object) =>
        [
          `deltas/${sha256(from)}.json`,
          Buffer.from(
            canonicalBytes({
              from: sha256(from),
              to: sha256(to),
              updated_at,
              issuers: [record],
              removed: [],
            }),
          ),
        ] as const;
      const start = first.get('issuers.json') as Buffer;
      return [
        step(start, middle, UPDATED[1], between(filler).at(-1) as object),
        step(middle, end, UPDATED[2], added),
      ];
    };
    const sizeOf = (filler: number) => deltas(filler).reduce((size, [, bytes]) => size + bytes.length, 0);
    const filler = total(listSize) - sizeOf(0);
    expect(sizeOf(filler)).toBe(total(listSize));
    const last = new Map([...publishBytes(key, end), ...deltas(filler)]);
    return { key, first, last, listSize };
  }

  async function refreshed({ key, first, last }: Chain, options: Partial<RegistryClientOptions> = {}) {
    const host = await registryHost(first);
    const client = createRegistryClient({ sources: [host.base], rootKey: key.rootKey.jwk, ...options });
    await client.ready();
    host.files = last;
    host.log.length = 0;
    const code = await client.refresh().then(
      () => 'accepted',
      (error: NoUsableSource) => error.errors[host.base]?.code,
    );
    client.close();
    return { code, log: host.log, client };
  }

  it('do not check the form of a list on the way, and take deltas as large as the list together', async () => {
    const { code, log, client } = await refreshed(await chain((size) => size));
    expect(code).toBe('accepted');
    expect(client.resolve('zz')?.tier).toBe('certified');
    expect(lists(log)).toEqual([]);
  });

  it('stop a byte beyond: the whole list is asked for', async () => {
    const { code, log } = await refreshed(await chain((size) => size + 1));
    expect(code).toBe('accepted');
    expect(lists(log)).toHaveLength(1);
  });

  it.each([
    [0, 'accepted'],
    [-1, 'ERR_SOURCE_TOO_LARGE'],
  ])('maxBytes holds for a list by deltas: %i bytes beside it: %s', async (more, verdict) => {
    const made = await chain((size) => Math.floor(size / 2));
    const start = made.first.get('issuers.json') as Buffer;
    const end = made.last.get('issuers.json') as Buffer;
    const delta = {
      from: sha256(start),
      to: sha256(end),
      updated_at: UPDATED[2],
      issuers: [issuer('zz')],
      removed: [],
    };
    const last = new Map(made.last).set(`deltas/${sha256(start)}.json`, Buffer.from(canonicalBytes(delta)));
    const { code, log } = await refreshed({ ...made, last }, { maxBytes: end.length + more });
    expect(code).toBe(verdict);
    expect(log.filter((line) => line.startsWith('deltas/'))).toHaveLength(1);
    expect(lists(log)).toHaveLength(more === 0 ? 0 : 1);
  });
});

function alter(change: (text: string, files: Files) => string): (files: Files) => void {
  return (files) => {
    for (const [path, bytes] of files) {
      if (path.startsWith('deltas/')) files.set(path, Buffer.from(change(bytes.toString(), files)));
    }
  };
}

/** A delta to a list that nobody has signed, with the right hash of it: the list before, under a later time. */
function forged(text: string): string {
  const delta = JSON.parse(text);
  for (const [first] of trees.values()) {
    const list = first?.get('issuers.json') as Buffer;
    if (sha256(list) !== delta.from) continue;
    const made = canonicalBytes({ ...JSON.parse(list.toString()), updated_at: delta.updated_at });
    return Buffer.from(canonicalBytes({ ...delta, issuers: [], to: sha256(made) })).toString();
  }
  throw new Error('the delta begins at no list that was published first');
}

function sha256Of(files: Files): string {
  return sha256(files.get('issuers.json') as Buffer);
}
