import { beforeAll, describe, expect, it } from 'vitest';
import { pinnedKey } from '../../../build/generator/verification/pinned-trust.js';
import {
  compareStatements,
  orderOf,
  readServed,
  type Statements,
} from '../../../build/observers/hosts/served.js';
import { issuer, publish, type TestKey, testKey } from '../../support/publication.js';
import { registryHost } from '../../support/registry-host.js';
import { freePort } from '../../support/serving.js';

describe('a publication', () => {
  const place = (sequence: number, hash: string, ...previous: string[]) => ({ sequence, hash, previous });
  const wanted = place(4, 'd', 'c', 'b');

  it.each([
    ['is the same', place(4, 'd', 'c', 'b'), 'same'],
    ['is named by the other one', place(2, 'b'), 'older'],
    ['names the other one', place(6, 'f', 'e', 'd'), 'newer'],
    ['has its number', place(4, 'x', 'c'), 'other'],
    ['would have been named', place(3, 'x', 'b'), 'other'],
    ['would have named the other one', place(5, 'x', 'y', 'z'), 'other'],
    ['is too old to be named', place(1, 'a'), 'older'],
    ['is too new to name the other one', place(40, 'x', 'y', 'z'), 'newer'],
  ] as const)('that %s', (_what, served, order) => {
    expect(orderOf(served, wanted)).toBe(order);
  });
});

describe('a checkpoint', () => {
  const statements = (issuedAt: number, hold: readonly string[] = [], hash = 'a') =>
    ({
      publication: { hash, previous: [], sequence: 1 },
      checkpoint: { issuedAt, hold, text: `${issuedAt} ${hold}` },
    }) as unknown as Statements;

  it.each([
    ['is the same', statements(2, ['x']), { publication: 'same', checkpoint: 'same', notHeld: [] }],
    ['is older', statements(1), { publication: 'same', checkpoint: 'older', notHeld: ['x'] }],
    [
      'is newer, and has ended a hold',
      statements(3),
      { publication: 'same', checkpoint: 'newer', notHeld: ['x'] },
    ],
    ['is of the same time', statements(2), { publication: 'same', checkpoint: 'other', notHeld: ['x'] }],
    [
      'is of another history',
      statements(3, [], 'b'),
      { publication: 'other', checkpoint: 'other', notHeld: ['x'] },
    ],
  ])('that %s', (_what, served, expected) => {
    expect(compareStatements(served, statements(2, ['x']))).toEqual(expected);
  });
});

describe('a host', () => {
  let signer: TestKey;
  let other: TestKey;
  const now = Date.now();
  const read = (url: string, by = signer) => readServed(url, pinnedKey(by.rootKey), { now });

  beforeAll(async () => {
    [signer, other] = [await testKey(), await testKey()];
  });

  it('is asked one question, whose answer no cache has', async () => {
    const host = await registryHost(publish(signer, [issuer('alpha')]));
    const served = await read(host.base);
    expect(served).toMatchObject({ state: 'registry', checkpoint: { hold: [] } });
    await read(host.base);
    expect(host.log).toEqual(Array(2).fill(expect.stringMatching(/^statements\.json\?\S+ 200$/)));
    expect(host.log[0]).not.toBe(host.log[1]);
  });

  it('is refused under another root key, and its publication is named', async () => {
    const host = await registryHost(publish(signer, [issuer('alpha')]));
    const served = await read(host.base);
    const hash = served.state === 'registry' ? served.publication.hash : '';
    expect(await read(host.base, other)).toMatchObject({ state: 'refused', hash });
    host.files = new Map([['statements.json', Buffer.from('x')]]);
    expect(await read(host.base)).toMatchObject({ state: 'refused', hash: undefined });
  });

  it('that has no statements is empty, and one that does not answer is unreachable', async () => {
    const host = await registryHost();
    expect(await read(host.base)).toEqual({ state: 'nothing' });
    host.intercept = (_path, _request, response) => {
      response.writeHead(503).end();
      return true;
    };
    expect((await read(host.base)).state).toBe('unreachable');
    expect((await read(`http://127.0.0.1:${await freePort()}`)).state).toBe('unreachable');
  });
});
