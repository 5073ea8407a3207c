import { canonicalBytes } from '@passport-registry/verifier/core';
import { beforeEach, describe, expect, it } from 'vitest';
import type { LoggedRegistry } from '../../support/logged-registry.js';
import { loggedWorld, type MonitoredHosts, monitoredHosts, serveOn } from '../../support/monitor.js';
import { sha256 } from '../../support/sha256.js';

let world: LoggedRegistry;
let registry: MonitoredHosts;

beforeEach(async () => {
  world = await loggedWorld();
  registry = await monitoredHosts(world);
});

/** Publishes names and reasons. @param isServed - whether the host has the file that the statement names */
async function publish(issuers: object | undefined, isServed = true): Promise<void> {
  const about = issuers && Buffer.from(canonicalBytes({ issuers }));
  await world.publish({ claims: about === undefined ? {} : { about_sha256: sha256(about) } });
  serveOn(world, registry.hosts[0]);
  if (about !== undefined && isServed) registry.hosts[0]?.files.set('about.json', about);
}

/** Runs a round. Returns what it tells about issuers. */
async function round(...watch: string[]) {
  const { report } = await registry.round({ watch });
  const told = report.findings.filter((found) => found['issuer_id'] !== undefined);
  return told.map(({ code, message, fields }) => ({ code, message, fields }));
}

describe('the monitor', () => {
  it('tells a changed name or reason, once, in words and as data', async () => {
    await publish({ alpha: { name: 'Alpha Bank' } });
    expect(await round()).toEqual([]);
    await publish({ alpha: { name: 'Alpha "Trust"' }, beta: { status_reason: 'its key leaked' } });
    expect(await round()).toEqual([
      {
        code: 'issuer-changed',
        message: expect.stringMatching(
          /^alpha: name "Alpha Bank" -> "Alpha \\"Trust\\"", since .*, by publication 3$/,
        ),
        fields: [{ field: 'name', from: 'Alpha Bank', to: 'Alpha "Trust"' }],
      },
      {
        code: 'issuer-changed',
        message: expect.stringMatching(/^beta: status_reason \(none\) -> "its key leaked", since /),
        fields: [{ field: 'status_reason', from: null, to: 'its key leaked' }],
      },
    ]);
    expect(await round()).toEqual([]);
    await publish(undefined);
    expect((await round()).map(({ fields }) => fields)).toEqual([
      [{ field: 'name', from: 'Alpha "Trust"', to: null }],
      [{ field: 'status_reason', from: 'its key leaked', to: null }],
    ]);
  });

  it('tells only of watched issuers if some are watched', async () => {
    await round('beta');
    await publish({ alpha: { name: 'Alpha Bank' } });
    expect(await round('beta')).toEqual([]);
    await publish({ alpha: { name: 'Alpha' }, beta: { name: 'Beta' } });
    expect(await round('beta')).toMatchObject([
      { code: 'watched-issuer-changed', fields: [{ field: 'name', from: null, to: 'Beta' }] },
    ]);
  });

  it('waits for the names that a statement names, and takes nothing for none meanwhile', async () => {
    await publish({ alpha: { name: 'Alpha Bank' } });
    await round();
    await publish({ alpha: { name: 'Alpha Trust' } }, false);
    expect(await round()).toEqual([]);
    const about = Buffer.from(canonicalBytes({ issuers: { alpha: { name: 'Alpha Trust' } } }));
    registry.hosts[0]?.files.set('about.json', about);
    expect((await round()).map(({ fields }) => fields)).toEqual([
      [{ field: 'name', from: 'Alpha Bank', to: 'Alpha Trust' }],
    ]);
  });
});
