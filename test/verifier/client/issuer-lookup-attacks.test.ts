import {
  createIssuerLookup,
  createRegistryClient,
  type IssuerLookup,
  type IssuerLookupOptions,
  type NoUsableSource,
  type RegistryEvent,
} from '@passport-registry/verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import { at, type Files, issuer, sha256, type TestKey, testKey } from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';
import { rounds } from '../../support/soak.js';
import { together } from '../../support/statements.js';
import { publishSummed, resummed, statementClaims, withStatement } from '../../support/summed-registry.js';
import { placeOf, proofPaths } from '../../support/sums.js';

shortenRetries();

let root: TestKey;

beforeAll(async () => {
  root = await testKey();
});

function lookupOf(hosts: readonly RegistryHost[], options: Partial<IssuerLookupOptions> = {}): IssuerLookup {
  const sources = hosts.map(({ base }) => base);
  const { jwk } = root.rootKey;
  return closedAfterTest(createIssuerLookup({ sources, rootKey: jwk, timeout: 60, ...options }));
}

const IDS = Array.from({ length: 40 }, (_one, index) => `issuer-${index}`);
const issuers = (revoked?: string) =>
  IDS.map((id) => issuer(id, { status: id === revoked ? 'revoked' : 'active' }));
const ID = 'issuer-1';
/** A second issuer in another leaf, whatever the number of levels. */
const OTHER = IDS.find((id) => placeOf(id)[0] !== placeOf(ID)[0]) as string;

/** Returns the code by which the only source was refused. */
async function refusalOf(files: Files, id = ID): Promise<string | undefined> {
  const lookup = lookupOf([await registryHost(files)]);
  const error = (await lookup.resolve(id).then(
    (found) => new Error(`found ${found?.issuer_id}`),
    (thrown) => thrown,
  )) as NoUsableSource;
  return Object.values(error.errors ?? {})[0]?.code ?? error.message;
}

const changed = (files: Files, path: string, bytes: Buffer | undefined): Files => {
  const copy = new Map(files);
  if (bytes === undefined) copy.delete(path);
  else copy.set(path, bytes);
  return copy;
};
const lines = (...all: string[]) => Buffer.from(all.map((line) => `${line}\n`).join(''));
const linesOf = (files: Files, path: string) => (files.get(path)?.toString() ?? '').split('\n').slice(0, -1);

describe('a host that alters a file of a proof', () => {
  it('is refused for bits of each file', async () => {
    const files = await publishSummed(root, issuers().slice(0, 3), { levels: 1 });
    const paths = ['publication.jwt', 'checkpoint.jwt', ...proofPaths(ID, 1)];
    const host = await registryHost(files);
    const step = rounds({ usual: 997, soak: 97 });
    for (const path of paths) {
      const good = files.get(path) as Buffer;
      for (let bit = 0; bit < 8 * good.length; bit += step) {
        const bad = Buffer.from(good);
        bad[bit >> 3] = (bad[bit >> 3] as number) ^ (1 << (bit & 7));
        host.files = changed(files, path, bad);
        // A deadline ends the retries early.
        await expect(
          lookupOf([host], { timeout: 0.05 }).resolve(ID),
          `${path}, bit ${bit}`,
        ).rejects.toThrow();
      }
    }
  });

  it.each([0, 1, 2])('or leaves it out is refused, in a tree with %d levels', async (levels) => {
    const files = await publishSummed(root, issuers(), { levels });
    for (const path of proofPaths(ID, levels)) {
      expect(await refusalOf(changed(files, path, undefined)), path).toBe('ERR_SOURCE_STATUS');
      expect(await refusalOf(changed(files, path, Buffer.alloc(0))), path).toBe('ERR_SUMS_MISMATCH');
    }
  });

  it('to fake an absence, by a leaf or by a branch, is refused', async () => {
    const files = await publishSummed(root, issuers(), { levels: 2 });
    for (const [index, path] of proofPaths(ID, 2).slice(0, -1).entries()) {
      const next = proofPaths(ID, 2)[index + 1] as string;
      const without = lines(...linesOf(files, path).filter((line) => !line.endsWith(`  ${next}`)));
      expect(await refusalOf(changed(files, path, without)), path).toBe('ERR_SUMS_MISMATCH');
    }
  });

  it('to show the record of another issuer is refused', async () => {
    const files = await publishSummed(root, issuers(), { levels: 1 });
    expect(await refusalOf(changed(files, `issuers/${ID}`, files.get(`issuers/${OTHER}`)))).toBe(
      'ERR_SUMS_MISMATCH',
    );
  });

  it('is refused if it sends more than the limit, and is not read to the end', async () => {
    const files = await publishSummed(root, issuers(), { levels: 1 });
    const [, leaf = '', record = ''] = proofPaths(ID, 1);
    expect(await refusalOf(changed(files, leaf, Buffer.alloc(256 * 1024 + 1)))).toBe('ERR_SOURCE_TOO_LARGE');
    expect(await refusalOf(changed(files, leaf, Buffer.alloc(256 * 1024)))).toBe('ERR_SUMS_MISMATCH');
    expect(await refusalOf(changed(files, record, Buffer.alloc(64 * 1024 + 1)))).toBe('ERR_SOURCE_TOO_LARGE');
    expect(await refusalOf(changed(files, record, Buffer.alloc(64 * 1024)))).toBe('ERR_SUMS_MISMATCH');
  });
});

describe('an old statement with a new tree, and the other way round', () => {
  it.each([1, 2])('are refused, with %d levels', async (levels) => {
    const older = await publishSummed(root, issuers(), { levels, updatedAt: at(-90) });
    const newer = await publishSummed(root, issuers(ID), { levels, sequence: 2 });
    const mixed = (statement: Files, tree: Files) =>
      changed(
        changed(tree, 'publication.jwt', statement.get('publication.jwt')),
        'checkpoint.jwt',
        statement.get('checkpoint.jwt'),
      );
    expect(await refusalOf(mixed(older, newer))).toBe('ERR_SUMS_MISMATCH');
    expect(await refusalOf(mixed(newer, older))).toBe('ERR_SUMS_MISMATCH');
  });
});

describe('a tree that the operator has signed, but that is not well-formed', () => {
  const leafOf = (files: Files) => proofPaths(ID, statementClaims(files).levels).at(-2) as string;

  it.each<[string, (own: string[], foreign: string) => string[]]>([
    ['a record from another branch', (own, foreign) => [...own, foreign].sort(byPath)],
    ['one id on two lines', (own) => own.flatMap((line) => [line, line])],
    ['lines out of order', (own) => own.toReversed()],
    ['a line that is not in the format', (own) => [...own, 'x']],
    ['an id that is not valid', (own) => [...own, `${'0'.repeat(64)}  issuers/x..y`]],
  ])('is refused: a leaf with %s', async (_name, change) => {
    const files = await publishSummed(root, issuers(), { levels: 1 });
    const leaf = leafOf(files);
    const foreign = linesOf(files, proofPaths(OTHER, 1)[1] as string)[0] as string;
    const bytes = lines(...change(linesOf(files, leaf), foreign));
    expect(linesOf(files, leaf).length).toBeGreaterThan(1);
    const signed = await resummed(files, root, { id: ID, path: leaf, bytes });
    expect(await refusalOf(signed)).toBe('ERR_SUMS_INVALID');
  });

  it('is refused: an empty leaf, and an inner file that lists a record', async () => {
    const files = await publishSummed(root, issuers(), { levels: 1 });
    const leaf = leafOf(files);
    const empty = await resummed(files, root, { id: ID, path: leaf, bytes: Buffer.alloc(0) });
    expect(await refusalOf(empty)).toBe('ERR_SUMS_INVALID');
    const bytes = files.get(leaf) as Buffer;
    const inner = await resummed(files, root, { id: ID, path: 'sums/root', bytes });
    expect(await refusalOf(inner)).toBe('ERR_SUMS_INVALID');
  });

  it.each([0, 2])('is refused: a statement that names %d levels instead of 1', async (levels) => {
    const files = await publishSummed(root, issuers(), { levels: 1 });
    const claims = { ...statementClaims(files), levels };
    expect(await refusalOf(await withStatement(files, root, claims))).toBe('ERR_SUMS_INVALID');
  });

  it('is refused: another number of levels in a later statement with the same sums', async () => {
    const host = await registryHost(await publishSummed(root, issuers(), { levels: 1 }));
    const lookup = lookupOf([host]);
    expect((await lookup.resolve(ID))?.issuer_id).toBe(ID);
    const claims = { ...statementClaims(host.files), sequence: 2, levels: 0 };
    host.files = await withStatement(host.files, root, claims);
    await lookup.refresh();
    await expect(lookup.resolve(ID)).rejects.toMatchObject({
      errors: { [host.base]: { code: 'ERR_SUMS_INVALID' } },
    });
  });

  const text = (change: (record: object) => unknown) =>
    Buffer.from(JSON.stringify(change(JSON.parse(JSON.stringify(sorted(issuer(ID)))))));
  const sorted = (record: object) =>
    Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));

  it.each<[string, () => Buffer]>([
    ['another id', () => text((record) => ({ ...record, issuer_id: OTHER }))],
    ['white space', () => Buffer.from(JSON.stringify(sorted(issuer(ID)), undefined, 1))],
    ['members out of order', () => Buffer.from(JSON.stringify(issuer(ID)))],
    [
      'an escape',
      () =>
        Buffer.from(
          text((record) => record)
            .toString()
            .replace('issuer_id', 'issuer\\u005fid'),
        ),
    ],
    [
      'a member twice',
      () =>
        Buffer.from(
          text((record) => record)
            .toString()
            .replace('{', '{"issuer_id":"x",'),
        ),
    ],
    ['an unknown member', () => text((record) => ({ ...record, zone: 'x' }))],
    ['a member that is missing', () => text((record) => ({ ...record, tier: undefined }))],
    ['a value that is not valid', () => text((record) => ({ ...record, status: 'fine' }))],
    ['bytes that are not UTF-8', () => Buffer.from([0xff])],
    ['a byte order mark', () => Buffer.concat([Buffer.from('\ufeff'), text((record) => record)])],
    ['no JSON', () => Buffer.from('{')],
    ['nested arrays', () => Buffer.from('['.repeat(60_000))],
    ['an array', () => Buffer.from('[]')],
  ])('is refused: a record with %s', async (_name, bytes) => {
    const files = await publishSummed(root, issuers(), { levels: 1 });
    const good = await resummed(files, root, {
      id: ID,
      path: `issuers/${ID}`,
      bytes: text((record) => record),
    });
    expect(sha256(good.get(`issuers/${ID}`) as Buffer)).toBe(sha256(files.get(`issuers/${ID}`) as Buffer));
    const bad = await resummed(files, root, { id: ID, path: `issuers/${ID}`, bytes: bytes() });
    expect(await refusalOf(bad)).toBe('ERR_RECORD_INVALID');
  });
});

const byPath = (a: string, b: string) => (a.slice(66) < b.slice(66) ? -1 : 1);

describe('caches and publications', () => {
  it('a cache that keeps an old leaf is asked again with the expected hash', async () => {
    const older = await publishSummed(root, issuers(), { levels: 1, updatedAt: at(-90) });
    const newer = await publishSummed(root, issuers(ID), { levels: 1, sequence: 2 });
    const [, leaf = ''] = proofPaths(ID, 1);
    const host = await registryHost(newer);
    host.intercept = (path, _request, response) => {
      // The host ignores a query. The cache in front of it does not.
      const [file = '', query] = path.split('?');
      if (path !== leaf && query === undefined) return false;
      response.writeHead(200).end(query === undefined ? older.get(file) : newer.get(file));
      return true;
    };
    expect((await lookupOf([host]).resolve(ID))?.status).toBe('revoked');
    expect(host.log).toContain(`${leaf}?${sha256(newer.get(leaf) as Buffer)} 200`);
  });

  it.each(['cold', 'with the statement before'])(
    'a cache that keeps old statements is passed by: a look-up, %s',
    async (kind) => {
      const older = await publishSummed(root, issuers(), { levels: 1, updatedAt: at(-90) });
      const newer = await publishSummed(root, issuers(ID), { levels: 1, sequence: 2 });
      const host = await registryHost(older);
      const lookup = lookupOf([host]);
      if (kind !== 'cold') await lookup.resolve(OTHER);
      host.files = newer;
      host.intercept = (path, _request, response) => {
        if (path !== 'statements.json') return false;
        response.writeHead(200).end(together(older).get(path));
        return true;
      };
      host.log.length = 0;
      expect((await lookup.resolve(ID))?.status).toBe('revoked');
      const statements = host.log.filter((line) => line.startsWith('statements.json'));
      expect(statements.filter((line) => line.startsWith('statements.json?'))).toHaveLength(1);
    },
  );

  it('a cache that keeps old statements is passed by: a client of the list', async () => {
    const older = await publishSummed(root, issuers(), { levels: 1, updatedAt: at(-90) });
    const newer = await publishSummed(root, issuers(ID), { levels: 1, sequence: 2 });
    const host = await registryHost(newer);
    host.intercept = (path, _request, response) => {
      if (path !== 'statements.json') return false;
      response.writeHead(200).end(together(older).get(path));
      return true;
    };
    const client = createRegistryClient({ sources: [host.base], rootKey: root.rootKey.jwk, timeout: 60 });
    await client.ready();
    expect(client.resolve(ID)?.status).toBe('revoked');
    client.close();
  });

  it('a file that stays wrong is requested twice more, and no more', async () => {
    const host = await registryHost(await publishSummed(root, issuers(), { levels: 1 }));
    const [, leaf = ''] = proofPaths(ID, 1);
    const expected = sha256(host.files.get(leaf) as Buffer);
    host.intercept = (path, _request, response) => {
      if (!path.startsWith(leaf)) return false;
      response.writeHead(200).end('old');
      return true;
    };
    await expect(lookupOf([host]).resolve(ID)).rejects.toMatchObject({
      errors: { [host.base]: { code: 'ERR_SUMS_MISMATCH' } },
    });
    expect(host.log.filter((line) => line.startsWith(leaf))).toEqual([
      `${leaf} 200`,
      `${leaf}?${expected} 200`,
      `${leaf}?${expected} 200`,
    ]);
  });

  it('a publication between two look-ups is noticed by its files, and its statement is fetched', async () => {
    const host = await registryHost(await publishSummed(root, issuers(), { levels: 1, updatedAt: at(-90) }));
    const lookup = lookupOf([host]);
    await lookup.resolve(OTHER);
    host.files = await publishSummed(root, issuers(ID), { levels: 1, sequence: 2 });
    expect((await lookup.resolve(ID))?.status).toBe('revoked');
  });

  it('a publication with more levels is followed', async () => {
    const host = await registryHost(await publishSummed(root, issuers(), { levels: 0, updatedAt: at(-90) }));
    const lookup = lookupOf([host]);
    await lookup.resolve(ID);
    host.files = await publishSummed(root, issuers(ID), { levels: 2, sequence: 2 });
    await lookup.refresh();
    expect((await lookup.resolve(ID))?.status).toBe('revoked');
    expect(await lookup.resolve('issuer-400')).toBeUndefined();
  });
});

describe('mirrors', () => {
  const mirrors = async (count: number, files: Files) =>
    Promise.all(Array.from({ length: count }, () => registryHost(files)));

  it('that mix two publications are left for one that does not', async () => {
    const older = await publishSummed(root, issuers(), { levels: 1, updatedAt: at(-90) });
    const newer = await publishSummed(root, issuers(ID), { levels: 1, sequence: 2 });
    const [mixed, good] = (await mirrors(2, newer)) as [RegistryHost, RegistryHost];
    mixed.files = changed(newer, `issuers/${ID}`, older.get(`issuers/${ID}`));
    const events: RegistryEvent[] = [];
    const lookup = lookupOf([mixed, good], { onEvent: (event) => events.push(event) });
    expect((await lookup.resolve(ID))?.status).toBe('revoked');
    expect(lookup.status().errors[mixed.base]?.code).toBe('ERR_SUMS_MISMATCH');
    expect(events).toContainEqual(expect.objectContaining({ type: 'source-failed', source: mixed.base }));
  });

  it('may deliver the proof for the statement of another', async () => {
    const files = await publishSummed(root, issuers(), { levels: 1 });
    const [first, second] = (await mirrors(2, files)) as [RegistryHost, RegistryHost];
    first.files = new Map([...files].filter(([path]) => !/^(?:sums|issuers)\//.test(path)));
    second.files = new Map([...files].filter(([path]) => /^(?:sums|issuers)\//.test(path)));
    const lookup = lookupOf([first, second]);
    expect((await lookup.resolve(ID))?.issuer_id).toBe(ID);
    expect(lookup.status().source).toBe(first.base);
  });

  it('that hang, drip or fail are left after a third of the deadline', async () => {
    const files = await publishSummed(root, issuers(), { levels: 1 });
    const [hanging, dripping, failing, good] = (await mirrors(4, files)) as RegistryHost[];
    const isProof = (path: string) => /^(?:sums|issuers)\//.test(path);
    (hanging as RegistryHost).intercept = isProof;
    (failing as RegistryHost).intercept = (path, _request, response) => {
      if (isProof(path)) response.writeHead(500).end();
      return isProof(path);
    };
    (dripping as RegistryHost).intercept = (path, _request, response) => {
      if (!isProof(path)) return false;
      response.writeHead(200);
      const timer = setInterval(() => response.write('0'), 50);
      response.once('close', () => clearInterval(timer));
      return true;
    };
    const hosts = [hanging, dripping, failing, good] as RegistryHost[];
    const lookup = lookupOf(hosts, { timeout: 3 });
    const since = Date.now();
    expect((await lookup.resolve(ID))?.issuer_id).toBe(ID);
    // Two sources are waited for, each for a third of the deadline.
    expect(Date.now() - since).toBeGreaterThanOrEqual(1_900);
    expect(lookup.status().errors[(hanging as RegistryHost).base]?.code).toBe('ERR_SOURCE_TIMEOUT');
  });

  it('that never answer one request keep nobody from the file, however many look-ups arrive', async () => {
    const host = await registryHost(await publishSummed(root, issuers(), { levels: 1 }));
    let requests = 0;
    // Only the first request hangs.
    host.intercept = (path) => path === 'sums/root' && ++requests === 1;
    const lookup = lookupOf([host], { timeout: 1.5 });
    await lookup.ready();
    let found = 0;
    const lookups: Promise<void>[] = [];
    // There is always a look-up that waits.
    for (let count = 0; count < 40 && found === 0; count++) {
      const one = lookup.resolve(ID).then(() => {
        found += 1;
      });
      lookups.push(one.catch(() => undefined));
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    expect(found).toBeGreaterThan(0);
    await Promise.all(lookups);
    expect((await lookup.resolve(ID))?.issuer_id).toBe(ID);
    // Two on a machine that is quick enough, and in no case one for each look-up.
    expect(requests).toBeGreaterThanOrEqual(2);
    expect(requests).toBeLessThan(5);
  });

  it('that all hang end at the deadline', async () => {
    const host = await registryHost(await publishSummed(root, issuers(), { levels: 1 }));
    host.intercept = (path) => path.startsWith('sums/');
    await expect(lookupOf([host], { timeout: 0.5 }).resolve(ID)).rejects.toMatchObject({
      errors: { [host.base]: { code: 'ERR_SOURCE_TIMEOUT' } },
    });
  });

  it.each<[string, RegistryHost['intercept']]>([
    ['a page', (_path, _request, response) => end(response.writeHead(200, { 'Content-Type': 'text/html' }))],
    ['a redirect', (_path, _request, response) => end(response.writeHead(302, { Location: '/x' }))],
    ['an error', (_path, _request, response) => end(response.writeHead(500))],
  ])('that answer with %s prove nothing', async (_name, intercept) => {
    const host = await registryHost(await publishSummed(root, issuers(), { levels: 1 }));
    host.intercept = (path, request, response) =>
      path.startsWith('issuers/') && intercept(path, request, response);
    await expect(lookupOf([host]).resolve(ID)).rejects.toMatchObject({ code: 'ERR_NO_USABLE_SOURCE' });
  });
});

function end(response: { end(text: string): unknown }): boolean {
  response.end('x');
  return true;
}
