import { describe, expect, it } from 'vitest';
import { expectCommandError } from '../../support/expect-command-error.js';
import type { LoggedRegistry } from '../../support/logged-registry.js';
import { loggedWorld, monitoredHosts, monitoredWorld } from '../../support/monitor.js';
import { testKey } from '../../support/publication.js';

const HOUR_MS = 3_600_000;

/** Publishes `hours` hours ago. */
async function publishAgo(world: LoggedRegistry, hours: number): Promise<void> {
  world.now = Date.now() - hours * HOUR_MS;
  await world.publish();
}

async function flipped(world: LoggedRegistry, hours: number): Promise<void> {
  world.change('beta', { status: world.records.get('beta')?.status === 'active' ? 'suspended' : 'active' });
  await publishAgo(world, hours);
}

/** The options of a first round that tells the changes of some hours to those who watch some issuers. */
const since = (hours: number, ...watch: string[]) => ({ sinceMs: hours * HOUR_MS, watch });

describe('a first round that tells the past', () => {
  it('tells the changes of that time, and reads no older list but one', async () => {
    const world = await loggedWorld([], 300);
    for (const hours of [100, 90, 80, 30, 20]) await flipped(world, hours);
    const { firstRound, hosts } = await monitoredHosts(world);
    const sent = (folder: string) =>
      hosts[0]?.log.splice(0).filter((line) => line.startsWith(folder) && line.endsWith(' 200')).length;
    const told = async (hours: number) => (await firstRound(since(hours, 'beta'))).told;
    const changed = (...entries: number[]) =>
      entries.map((entry) => `change watched-issuer-changed entry ${entry}`);
    expect(await told(25)).toEqual(changed(5));
    expect(sent('lists/')).toBe(2);
    expect(await told(48)).toEqual(changed(4, 5));
    expect(sent('log/statements/')).toBe(3);
    expect(await told(1.5)).toEqual([]);
    expect(sent('lists/')).toBe(1);
    expect(await told(98)).toEqual(changed(2, 3, 4, 5));
    expect((await firstRound({ watch: ['beta'] })).told).toEqual([]);
  });

  it('is followed by rounds that tell only what is new', async () => {
    const world = await loggedWorld();
    await flipped(world, 20);
    const { round } = await monitoredHosts(world);
    expect((await round(since(48, 'beta'))).told).toEqual(['change watched-issuer-changed entry 1']);
    expect((await round(since(48, 'beta'))).told).toEqual([]);
  });

  it('follows the rotations before that time', async () => {
    const world = await loggedWorld([], 300);
    const first = world.root;
    await flipped(world, 100);
    await world.rotate(await testKey());
    await flipped(world, 90);
    await flipped(world, 20);
    const { firstRound } = await monitoredHosts(world, 1, { root: first.rootKey.jwk });
    const { report } = await firstRound(since(48, 'beta'));
    expect(report.findings.map((found) => found.code)).toEqual([
      'watched-issuer-changed',
      'publication-logged',
    ]);
  });

  it('does not check all if the pinned root key cannot verify what is asked for', async () => {
    const world = await loggedWorld([], 300);
    await flipped(world, 100);
    await flipped(world, 30);
    await world.rotate(await testKey());
    await flipped(world, 20);
    world.change('alpha', { status: 'suspended' });
    await publishAgo(world, 10);
    const { firstRound } = await monitoredHosts(world);
    const told = async (hours: number, id: string) => (await firstRound(since(hours, id))).told;
    const notVerified = 'unchecked changes-not-verified';
    // In the window, the key before has signed a change of beta, which cannot be told.
    expect(await told(48, 'beta')).toEqual([notVerified]);
    expect(await told(48, 'alpha')).toEqual(['change watched-issuer-changed entry 5', notVerified]);
    // The list before the window, with which the first one is compared, is also needed.
    expect(await told(25, 'beta')).toEqual([notVerified]);
    const { report } = await firstRound(since(25));
    expect(report.findings.find(({ code }) => code === 'changes-not-verified')).toMatchObject({ entries: 4 });
    // What is older does not matter.
    expect(await told(15, 'beta')).toEqual([]);
    const late = await firstRound({ watch: ['beta'] });
    expect(late.report.findings.map((found) => found.code)).toEqual(['entries-not-verified']);
  });
});

describe('monitor --since', () => {
  it.each([
    ['90m', 0],
    ['25h', 1],
    ['2d', 2],
  ])('%s tells changes of that time', async (duration, count) => {
    const world = await loggedWorld([], 300);
    for (const hours of [100, 30, 20]) await flipped(world, hours);
    const { monitor } = await monitoredHosts(world);
    const { code, stdout } = await monitor('beta', '--since', duration);
    expect([code, stdout.match(/^CHANGE/gm) ?? []]).toEqual([count > 0 ? 5 : 0, Array(count).fill('CHANGE')]);
  });

  it.each(['2', '1w', '0d', '-1d', 'x', '100000d'])('%s is wrong usage', async (duration) => {
    const { monitor } = await monitoredWorld();
    expectCommandError(await monitor('--json', '--since', duration), 'ERR_USAGE', '--since');
  });
});
