import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Issuer } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { monitoredWorld, type RoundReport, serveOn } from '../../support/monitor.js';
import { testKey } from '../../support/publication.js';
import { DOWN, type RegistryHost } from '../../support/registry-host.js';
import { noteSigner, ORIGIN } from '../../support/test-log.js';

describe('passport-registry monitor', () => {
  it('tells nothing of a registry in which nothing is wrong', async () => {
    const { monitor } = await monitoredWorld(3);
    const { code, stdout, stderr } = await monitor('--json');
    expect(code).toBe(0);
    const log = { origin: ORIGIN, size: 1, added: 1 };
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, log, findings: [] });
    expect(stderr).toMatch(/^monitor \S+Z: registry\.example\/log, 1 entry, 1 new, 3 hosts, no alarm\n$/);
  });

  it('tells what a watched issuer changed, once, and what others changed only as a note', async () => {
    const { world, monitor, hosts } = await monitoredWorld();
    const asked = ['--state', 'state', 'beta', '--json'];
    const findings = (stdout: string) => (JSON.parse(stdout) as RoundReport).findings;
    expect((await monitor(...asked)).code).toBe(0);
    world.change('alpha', { tier: 'founding' });
    await world.publish();
    serveOn(world, hosts[0]);
    const other = await monitor(...asked);
    expect([other.code, findings(other.stdout)]).toMatchObject([
      0,
      [{ code: 'publication-logged', severity: 'note', issuers: ['alpha'], entry: 1 }],
    ]);
    world.change('beta', { status: 'suspended', jwks_uri: 'https://other.example/jwks.json' });
    await world.publish();
    serveOn(world, hosts[0]);
    const { code, stdout, stderr } = await monitor(...asked);
    expect(code).toBe(5);
    const since = new Date(world.now).toISOString().replace(/\.\d+Z/, 'Z');
    expect(findings(stdout)[0]).toEqual({
      code: 'watched-issuer-changed',
      severity: 'change',
      message: expect.stringMatching(
        /^beta: status "active" -> "suspended"; beta: jwks_uri .*, by publication 3$/,
      ),
      entry: 2,
      sequence: 3,
      since,
      issuer_id: 'beta',
      kind: 'changed',
      fields: [
        { field: 'status', from: 'active', to: 'suspended' },
        { field: 'jwks_uri', from: 'https://beta.example/jwks.json', to: 'https://other.example/jwks.json' },
      ],
    });
    expect(stderr).toContain(`CHANGE  watched-issuer-changed: beta: status "active" -> "suspended"`);
    expect((await monitor(...asked)).code).toBe(0);
  });

  it('raises an alarm about a mirror that is behind for longer than --max-behind', async () => {
    const { world, monitor, hosts } = await monitoredWorld(2);
    const iat = Math.floor(Date.now() / 1000) - 2 * 3600;
    await world.publish({ claims: { iat } });
    serveOn(world, hosts[0]);
    const { code, stdout } = await monitor('--max-behind', '3600');
    const late = `ALARM   host-behind: ${hosts[1]?.base} publication 2 is in the log`;
    expect([code, stdout]).toEqual([1, expect.stringContaining(late)]);
    expect((await monitor('--max-behind', '10800')).code).toBe(0);
  });
});

it('passport-registry monitor ends with 1 for an alarm, else with 5 for a change, else with 4 if something was not checked', async () => {
  const { world, monitor, hosts } = await monitoredWorld(2);
  const [registry, mirror] = hosts as [RegistryHost, RegistryHost];
  const code = async () => (await monitor('--state', 'state', 'beta')).code;
  const change = async (status: Issuer['status']) => {
    await world.change('beta', { status }).publish();
    serveOn(world, registry);
  };
  mirror.intercept = DOWN;
  expect(await code()).toBe(4);
  await change('suspended');
  expect(await code()).toBe(5);
  await change('active');
  registry.files.set('issuers.json', Buffer.from('{}'));
  expect(await code()).toBe(1);
});

describe('a round', () => {
  it('tells the changes of all issuers as notes if none is watched', async () => {
    const { world, round, hosts } = await monitoredWorld();
    await round();
    world.change('gamma').change('beta', { contact: 'beta@beta.example' });
    await world.publish();
    serveOn(world, hosts[0]);
    const { told, report } = await round();
    expect(told).toEqual([]);
    expect(report.findings).toMatchObject([
      { code: 'publication-logged' },
      {
        code: 'issuer-changed',
        issuer_id: 'beta',
        kind: 'changed',
        fields: [{ field: 'contact', from: null }],
      },
      { code: 'issuer-changed', issuer_id: 'gamma', kind: 'added', fields: [] },
    ]);
  });

  it('says that a watched issuer is not in the list, and that it has been added', async () => {
    const { world, round, hosts } = await monitoredWorld();
    const watch = ['alpha', 'gamma'];
    expect((await round({ watch })).told).toEqual(['unchecked watched-issuer-unknown']);
    await world.change('gamma').publish();
    serveOn(world, hosts[0]);
    const { told, report } = await round({ watch });
    expect(told).toEqual(['change watched-issuer-changed entry 1']);
    expect(report.findings[0]?.message).toContain(
      'gamma: new, certified, active, keys at https://gamma.example/jwks.json',
    );
  });

  it('follows rotations and new keys of the log', async () => {
    const { world, round, firstRound, hosts } = await monitoredWorld();
    await round();
    const next = await testKey();
    await world.rotate(next);
    await world.change('beta', { status: 'suspended' }).publish();
    const { vkey } = world.log;
    world.log.signer = noteSigner(ORIGIN, 'log');
    await world.publish();
    serveOn(world, hosts[0]);
    const { told, report } = await round();
    expect(told).toEqual([]);
    expect(report.findings.map((found) => [found.code, found['entry']])).toEqual([
      ['rotation-logged', 1],
      ['log-key-changed', 3],
      ['publication-logged', 2],
      ['issuer-changed', 2],
      ['publication-logged', 3],
    ]);
    expect(report.findings[0]).toMatchObject({ to: next.rootKey.thumbprint });
    expect(vkey).not.toBe(world.log.vkey);
    // The next round goes on from there.
    await world.change('beta', { status: 'active' }).publish();
    serveOn(world, hosts[0]);
    expect((await round()).told).toEqual([]);
    // A new monitor that pins the first key sees the same.
    expect((await firstRound()).report.findings).toEqual([]);
  });

  it('keeps the newest list, and removes the one before', async () => {
    const { world, round, hosts, folder } = await monitoredWorld();
    await round();
    await world.change('gamma').publish();
    serveOn(world, hosts[0]);
    await round();
    const names = readdirSync(join(folder, 'state')).sort();
    expect(names).toEqual([expect.stringMatching(/^list-[0-9a-f]{64}\.json$/), 'state.json']);
    expect(readFileSync(join(folder, 'state', names[0] ?? ''))).toEqual(world.files.get('issuers.json'));
  });
});
