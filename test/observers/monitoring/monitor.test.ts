import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { monitoredWorld, serveOn } from '../../support/monitor.js';
import { testKey } from '../../support/publication.js';
import { noteSigner, ORIGIN } from '../../support/test-log.js';

const STATE = ['--state', 'state'];

describe('passport-registry monitor', () => {
  it('tells nothing of a registry in which nothing is wrong', async () => {
    const { monitor } = await monitoredWorld(3);
    const { code, stderr, report } = await monitor(...STATE);
    expect([code, report.findings]).toEqual([0, []]);
    expect(report).toMatchObject({ ok: true, log: { origin: ORIGIN, size: 1, added: 1 } });
    expect(stderr).toMatch(/^monitor \S+Z: registry\.example\/log, 1 entry, 1 new, 3 hosts, no alarm\n$/);
  });

  it('tells what a watched issuer changed, and what others changed only as a note', async () => {
    const { world, monitor, hosts } = await monitoredWorld();
    expect((await monitor(...STATE, 'beta')).code).toBe(0);
    world.change('alpha', { tier: 'founding' });
    await world.publish();
    serveOn(world, hosts[0]);
    const other = await monitor(...STATE, 'beta');
    expect([other.code, other.told]).toEqual([0, []]);
    expect(other.report.findings).toMatchObject([
      { code: 'publication-logged', issuers: ['alpha'], entry: 1 },
    ]);
    world.change('beta', { status: 'suspended', jwks_uri: 'https://other.example/jwks.json' });
    await world.publish();
    serveOn(world, hosts[0]);
    const { code, report, stderr } = await monitor(...STATE, 'beta');
    expect(code).toBe(5);
    const since = new Date(world.now).toISOString().replace(/\.\d+Z/, 'Z');
    expect(report.findings[0]).toEqual({
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
    expect((await monitor(...STATE, 'beta')).code).toBe(0);
  });

  it('tells the changes of all issuers as notes if none is watched', async () => {
    const { world, monitor, hosts } = await monitoredWorld();
    await monitor(...STATE);
    world.change('gamma').change('beta', { contact: 'beta@beta.example' });
    await world.publish();
    serveOn(world, hosts[0]);
    const { code, report } = await monitor(...STATE);
    expect(code).toBe(0);
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
    const { world, monitor, hosts } = await monitoredWorld();
    const args = [...STATE, 'alpha', 'gamma'];
    const first = await monitor(...args);
    expect([first.code, first.told]).toEqual([4, ['watched-issuer-unknown']]);
    await world.change('gamma').publish();
    serveOn(world, hosts[0]);
    const second = await monitor(...args);
    expect([second.code, second.told]).toEqual([5, ['watched-issuer-changed']]);
    expect(second.stderr).toContain('gamma: new, certified, active, keys at https://gamma.example/jwks.json');
  });

  it('follows rotations and new keys of the log', async () => {
    const { world, monitor, hosts } = await monitoredWorld();
    await monitor(...STATE);
    const next = await testKey();
    await world.rotate(next);
    await world.change('beta', { status: 'suspended' }).publish();
    const { vkey } = world.log;
    world.log.signer = noteSigner(ORIGIN, 'log');
    await world.publish();
    serveOn(world, hosts[0]);
    const { code, report } = await monitor(...STATE);
    expect(code).toBe(0);
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
    expect((await monitor(...STATE)).told).toEqual([]);
    // A new monitor that pins the first key sees the same, and one that pins the next key begins there.
    expect((await monitor()).report.findings).toEqual([]);
  });

  it('keeps the newest list, and removes the one before', async () => {
    const { world, monitor, hosts, folder } = await monitoredWorld();
    await monitor(...STATE);
    await world.change('gamma').publish();
    serveOn(world, hosts[0]);
    await monitor(...STATE);
    const names = readdirSync(join(folder, 'state')).sort();
    expect(names).toEqual([expect.stringMatching(/^list-[0-9a-f]{64}\.json$/), 'state.json']);
    expect(readFileSync(join(folder, 'state', names[0] ?? ''))).toEqual(world.files.get('issuers.json'));
  });
});
