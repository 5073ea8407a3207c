import { beforeEach, describe, expect, it } from 'vitest';
import type { LoggedRegistry } from '../../support/logged-registry.js';
import { loggedWorld, type MonitoredHosts, monitoredHosts, serveOn } from '../../support/monitor.js';
import { checkpoint, testKey } from '../../support/publication.js';

const MADE = Math.floor(Date.now() / 1000) - 1000;
let world: LoggedRegistry;
let registry: MonitoredHosts;

beforeEach(async () => {
  world = await loggedWorld();
  registry = await monitoredHosts(world, 2);
});

/** Serves a checkpoint on one host. @param later - seconds after the first */
async function serveHold(later: number, hold: readonly string[], host = 0, by = world.root): Promise<void> {
  const claims = { iat: MADE + later, exp: MADE + 9000, ...(hold.length > 0 && { hold: [...hold] }) };
  const text = await checkpoint(world.files, by, claims);
  registry.hosts[host]?.files.set('checkpoint.jwt', Buffer.from(text));
}

/** Runs a round. Returns what it tells about holds. */
const round = async (...watch: string[]) => holdsIn(await registry.round({ watch }));

/** Runs a first round. Returns what it tells about holds. */
const firstRound = async (options = {}) => holdsIn(await registry.firstRound(options));

function holdsIn({ report: { findings } }: Awaited<ReturnType<MonitoredHosts['round']>>) {
  const holds = findings.filter(({ kind }) => kind === 'held' || kind === 'released');
  return holds.map(({ code, issuer_id, kind }) => [code, issuer_id, kind]);
}

describe('the monitor', () => {
  it('tells which issuers a checkpoint begins to hold, and which it releases, once', async () => {
    await serveHold(0, []);
    expect(await round()).toEqual([]);
    await serveHold(1, ['alpha', 'beta']);
    expect(await round()).toEqual([
      ['issuer-changed', 'alpha', 'held'],
      ['issuer-changed', 'beta', 'held'],
    ]);
    expect((await registry.round()).report.findings).toEqual([]);
    await serveHold(2, ['beta']);
    expect(await round()).toEqual([['issuer-changed', 'alpha', 'released']]);
  });

  it('tells only of watched issuers if some are watched', async () => {
    await serveHold(0, []);
    await round('beta');
    await serveHold(1, ['alpha']);
    expect(await round('beta')).toEqual([]);
    await serveHold(2, ['alpha', 'beta']);
    expect(await round('beta')).toEqual([['watched-issuer-changed', 'beta', 'held']]);
  });

  it('believes the newest checkpoint of all hosts, and none that verifiers refuse', async () => {
    await serveHold(0, []);
    await serveHold(0, [], 1);
    await round();
    await serveHold(1, ['alpha'], 1);
    expect(await round()).toEqual([['issuer-changed', 'alpha', 'held']]);
    // The mirror is newer than the registry, so nothing is released.
    await serveHold(1, ['alpha'], 0);
    await serveHold(0, [], 1);
    expect(await round()).toEqual([]);
    await serveHold(5, ['beta'], 0, await testKey());
    expect(await round()).toEqual([]);
    registry.hosts[0]?.files.set('checkpoint.jwt', Buffer.from('damaged'));
    expect(await round()).toEqual([]);
  });

  it('believes that of two checkpoints of one second which holds all that the other one does, as verifiers do', async () => {
    await serveHold(0, ['alpha']);
    await serveHold(0, ['alpha'], 1);
    await round();
    await serveHold(0, ['alpha', 'beta'], 1);
    expect(await round()).toEqual([['issuer-changed', 'beta', 'held']]);
    await serveHold(0, ['beta'], 0);
    await serveHold(0, ['beta'], 1);
    expect(await round()).toEqual([]);
  });

  it('tells the holds of today in its first round only if it is asked for the past', async () => {
    await serveHold(0, ['alpha']);
    expect(await firstRound()).toEqual([]);
    expect(await firstRound({ sinceMs: 3_600_000 })).toEqual([['issuer-changed', 'alpha', 'held']]);
  });

  it('tells a hold of the first checkpoint, and nothing if the checkpoint disappears', async () => {
    await round();
    await serveHold(0, ['alpha']);
    expect(await round()).toEqual([['issuer-changed', 'alpha', 'held']]);
    serveOn(world, registry.hosts[0]);
    expect(await round()).toEqual([]);
  });
});
