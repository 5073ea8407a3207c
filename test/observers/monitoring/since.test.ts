import { describe, expect, it } from 'vitest';
import type { LoggedRegistry } from '../../support/logged-registry.js';
import { loggedWorld, monitoredHosts, monitoredWorld } from '../../support/monitor.js';
import { testKey } from '../../support/publication.js';

const HOUR = 3_600_000;

/** Publishes `hours` hours ago. */
async function publishAgo(world: LoggedRegistry, hours: number): Promise<void> {
  world.now = Date.now() - hours * HOUR;
  await world.publish();
}

async function flipped(world: LoggedRegistry, hours: number): Promise<void> {
  world.change('beta', { status: world.records.get('beta')?.status === 'active' ? 'suspended' : 'active' });
  await publishAgo(world, hours);
}

describe('--since', () => {
  it('tells the changes of that time without an earlier round, and reads no older list but one', async () => {
    const world = await loggedWorld([], 300);
    for (const hours of [100, 90, 80, 30, 20]) await flipped(world, hours);
    const { monitor, hosts } = await monitoredHosts(world);
    const sent = (folder: string) =>
      hosts[0]?.log.splice(0).filter((line) => line.startsWith(folder) && line.endsWith(' 200')).length;
    const told = async (...args: string[]) => {
      const { code, report } = await monitor('beta', ...args);
      const entries = report.findings.map((found) => [found.code, found['entry']]);
      return [code, entries.filter(([name]) => name === 'watched-issuer-changed').map(([, entry]) => entry)];
    };
    expect(await told('--since', '25h')).toEqual([5, [5]]);
    expect(sent('lists/')).toBe(2);
    expect(await told('--since', '2d')).toEqual([5, [4, 5]]);
    expect(sent('log/statements/')).toBe(3);
    expect(await told('--since', '90m')).toEqual([0, []]);
    expect(sent('lists/')).toBe(1);
    expect(await told('--since', '98h')).toEqual([5, [2, 3, 4, 5]]);
    expect(await told()).toEqual([0, []]);
  });

  it('only matters for the first round of a monitor with a state', async () => {
    const world = await loggedWorld();
    await flipped(world, 20);
    const { monitor } = await monitoredHosts(world);
    const args = ['--state', 'state', 'beta', '--since', '2d'];
    expect((await monitor(...args)).code).toBe(5);
    expect((await monitor(...args)).code).toBe(0);
  });

  it('follows the rotations before that time', async () => {
    const world = await loggedWorld([], 300);
    const first = world.root;
    await flipped(world, 100);
    await world.rotate(await testKey());
    await flipped(world, 90);
    await flipped(world, 20);
    const { monitor } = await monitoredHosts(world, 1, { root: first.rootKey.jwk });
    const { code, told, report } = await monitor('--since', '2d', 'beta');
    expect([code, told]).toEqual([5, ['watched-issuer-changed']]);
    expect(report.findings.map((found) => found.code)).toEqual([
      'watched-issuer-changed',
      'publication-logged',
    ]);
  });

  it('is no success if the pinned root key cannot verify what it asks for', async () => {
    const world = await loggedWorld([], 300);
    await flipped(world, 100);
    await flipped(world, 30);
    await world.rotate(await testKey());
    await flipped(world, 20);
    world.change('alpha', { status: 'suspended' });
    await publishAgo(world, 10);
    const { monitor } = await monitoredHosts(world);
    const told = async (since: string, ...watch: string[]) => {
      const { code, told } = await monitor('--since', since, ...watch);
      return [code, told];
    };
    // In the window, the key before has signed a change of beta, which cannot be told.
    expect(await told('2d', 'beta')).toEqual([4, ['changes-not-verified']]);
    expect(await told('2d', 'alpha')).toEqual([5, ['watched-issuer-changed', 'changes-not-verified']]);
    // The list before the window, with which the first one is compared, is also needed.
    expect(await told('25h', 'beta')).toEqual([4, ['changes-not-verified']]);
    const { stderr } = await monitor('--since', '25h');
    expect(stderr).toMatch(/WARNING changes-not-verified: 4 entries .*: pass a trust anchor of that time/);
    // What is older does not matter.
    expect(await told('15h', 'beta')).toEqual([0, []]);
    const { code, report } = await monitor('beta');
    expect([code, report.findings.map((found) => found.code)]).toEqual([0, ['entries-not-verified']]);
  });

  it.each(['2', '1w', '0d', '-1d', 'x', '100000d'])('%s is wrong usage', async (since) => {
    const { monitor } = await monitoredWorld();
    const { code, stderr } = await monitor('--since', since);
    expect([code, stderr]).toEqual([2, expect.stringContaining('such as 90m, 36h or 2d')]);
  });
});
