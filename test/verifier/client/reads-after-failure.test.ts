import { createIssuerLookup, createRegistryClient, type NoUsableSource } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import { issuer, publish, testKey } from '../../support/publication.js';
import { registryHost } from '../../support/registry-host.js';

const root = await testKey();

describe('reads after ready() has failed', () => {
  /** A registry that is down, and the time of the client in milliseconds. */
  async function world() {
    const host = await registryHost(publish(root, [issuer('alpha')]));
    const up = host.intercept;
    let asked = 0;
    host.intercept = (path, _request, response) => {
      // Each refresh asks for this file once.
      if (path.startsWith('statements.json')) asked++;
      response.writeHead(503).end();
      return true;
    };
    const clock = { now: Date.now() };
    const options = { sources: [host.base], rootKey: root.rootKey.jwk, now: () => clock.now };
    /** How many refreshes have begun since the last call. */
    const sent = () => {
      const count = asked;
      asked = 0;
      return count;
    };
    return { host, up, clock, options, sent };
  }
  const codeOf = (work: Promise<unknown>) => work.then(String, ({ code }: NoUsableSource) => code);

  it('of a look-up send nothing before the next refresh is due, and share that refresh', async () => {
    const { host, up, clock, options, sent } = await world();
    const lookup = closedAfterTest(createIssuerLookup(options));
    const read = () => codeOf(lookup.resolve('alpha'));
    expect(() => lookup.sha256).toThrow(expect.objectContaining({ code: 'ERR_REGISTRY_NOT_READY' }));
    expect(await codeOf(lookup.ready())).toBe('ERR_NO_USABLE_SOURCE');
    expect(sent()).toBe(1);
    // The first pause is 1.6 to 2 s.
    for (const wait of [0, 500, 500, 599]) {
      clock.now += wait;
      expect([await read(), sent()]).toEqual(['ERR_NO_USABLE_SOURCE', 0]);
    }
    clock.now += 401;
    const reads = await Promise.all([read(), read(), read(), read(), read(), read()]);
    expect([new Set(reads), sent()]).toEqual([new Set(['ERR_NO_USABLE_SOURCE']), 1]);
    // The second pause is 3.2 to 4 s.
    clock.now += 3199;
    expect([await read(), sent()]).toEqual(['ERR_NO_USABLE_SOURCE', 0]);
    host.intercept = up;
    clock.now += 801;
    expect((await lookup.resolve('alpha'))?.issuer_id).toBe('alpha');
  });

  it('of a look-up do not wait for a clock that was set back', async () => {
    const { host, up, clock, options } = await world();
    const lookup = closedAfterTest(createIssuerLookup({ ...options, refreshInterval: 60 }));
    await codeOf(lookup.ready());
    host.intercept = up;
    clock.now -= 3_600_000;
    // The list is from the future of this clock, so it is refused; but the source is asked.
    expect(await codeOf(lookup.resolve('alpha'))).toBe('ERR_NO_USABLE_SOURCE');
    clock.now += 3_600_000 + 61_000;
    expect((await lookup.resolve('alpha'))?.issuer_id).toBe('alpha');
  });

  it('of a look-up that call ready() again are asked at once', async () => {
    const { host, up, options } = await world();
    const lookup = closedAfterTest(createIssuerLookup(options));
    await codeOf(lookup.ready());
    host.intercept = up;
    await lookup.ready();
    expect((await lookup.resolve('alpha'))?.issuer_id).toBe('alpha');
  });

  it('of a whole client send nothing before the next refresh is due', async () => {
    const { clock, options, sent } = await world();
    const client = closedAfterTest(createRegistryClient(options));
    expect(await codeOf(client.ready())).toBe('ERR_NO_USABLE_SOURCE');
    expect(sent()).toBe(1);
    const read = () => {
      expect(() => client.resolve('alpha')).toThrow(
        expect.objectContaining({ code: 'ERR_REGISTRY_NOT_READY' }),
      );
    };
    clock.now += 1599;
    for (let count = 0; count < 6; count++) read();
    expect(sent()).toBe(0);
    clock.now += 401;
    for (let count = 0; count < 6; count++) read();
    expect(await codeOf(client.refresh())).toBe('ERR_NO_USABLE_SOURCE');
    expect(sent()).toBe(1);
  });
});
