import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseHead } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { naiveRoot } from '../../support/merkle.js';
import {
  loggedWorld,
  monitoredHosts,
  monitoredWorld,
  type RoundReport,
  serveOn,
} from '../../support/monitor.js';
import { invalid, noteSigner } from '../../support/note-keys.js';
import { together } from '../../support/statements.js';
import { ORIGIN } from '../../support/test-log.js';
import { writeFiles } from '../../support/workspace.js';

const witnesses = [1, 2, 3].map((number) => noteSigner(`witness${number}.example`, 'witness'));

describe('a registry that shows two logs', () => {
  it('is seen in one round by a monitor that asks all hosts: origin and one of two mirrors lie in concert', async () => {
    const honest = await loggedWorld();
    const lie = honest.fork();
    await honest.change('beta', { status: 'suspended' }).publish();
    await lie.publish();
    const { round, hosts } = await monitoredHosts(honest, 3);
    serveOn(lie, hosts[0], hosts[1]);
    const { told, report } = await round();
    expect(told).toContain('alarm log-forked host 2');
    expect(told.every((one) => one.includes(' host 2'))).toBe(true);
    // Who asks only the liars sees nothing.
    const fooled = await monitoredHosts(lie, 2);
    expect((await fooled.firstRound()).told).toEqual([]);
    expect(report.log?.size).toBe(2);
  });

  it('is seen by a monitor that has seen the other log before, and the monitor keeps that log', async () => {
    const { world: honest, round, hosts } = await monitoredWorld();
    const lie = honest.fork();
    await honest.publish();
    serveOn(honest, hosts[0]);
    await round();
    for (let longer = 0; longer < 3; longer++) {
      await lie.change('gamma').publish();
      serveOn(lie, hosts[0]);
      expect((await round()).told).toContain('alarm log-forked host 0');
    }
    await honest.change('beta', { status: 'suspended' }).publish();
    serveOn(honest, hosts[0]);
    expect((await round({ watch: ['beta'] })).told).toEqual(['change watched-issuer-changed entry 2']);
  });

  it('is seen when a head that was shown to others is shorter', async () => {
    const honest = await loggedWorld();
    const lie = honest.fork();
    await honest.publish();
    await honest.publish();
    await lie.change('gamma').publish();
    const { firstRound, hosts } = await monitoredHosts(honest, 2);
    serveOn(lie, hosts[1]);
    expect((await firstRound()).told).toEqual([
      'alarm log-forked host 1',
      'alarm not-logged host 1 statements.json',
      'alarm not-logged host 1 issuers.json',
    ]);
  });

  it('is proven by the two signed heads and the hashes of their entries, which are kept once', async () => {
    const honest = await loggedWorld();
    const lie = honest.fork();
    await honest.publish();
    await lie.change('gamma').publish();
    await lie.publish();
    const { monitor, firstRound, hosts, folder } = await monitoredHosts(honest, 2);
    serveOn(lie, hosts[1]);
    const { code, stdout, stderr } = await monitor('--state', 'state', '--json');
    expect(code).toBe(1);
    await monitor('--state', 'state');
    const kept = readdirSync(join(folder, 'state/evidence'));
    expect(kept).toHaveLength(1);
    const path = join('state/evidence', kept[0] ?? '');
    expect(stderr).toContain(`both signed heads are kept in ${path}`);
    const evidence = (name: string) => readFileSync(join(folder, path, name), 'utf8');
    const { findings }: RoundReport = JSON.parse(stdout);
    const fork = findings.find((found) => found.code === 'log-forked');
    expect(fork).toMatchObject({
      evidence: path,
      heads: [evidence('known.checkpoint'), evidence('other.checkpoint')],
    });
    for (const [name, world] of [
      ['known', honest],
      ['other', lie],
    ] as const) {
      const head = parseHead(evidence(`${name}.checkpoint`), invalid);
      const hashes = evidence(`${name}.hashes`)
        .trim()
        .split('\n')
        .map((line) => Buffer.from(line, 'hex'));
      expect(hashes).toHaveLength(world.log.size);
      expect(Buffer.from(head.root)).toEqual(Buffer.from(naiveRoot(hashes)));
    }
    // Without a folder, the report has the heads.
    const without = await firstRound();
    expect(without.report.findings.find(({ code }) => code === 'log-forked')).toMatchObject({
      evidence: null,
      heads: fork?.['heads'],
    });
  });

  it('is an alarm even if the evidence cannot be kept', async () => {
    const honest = await loggedWorld();
    const lie = honest.fork();
    await honest.publish();
    await lie.change('gamma').publish();
    const { round, hosts, folder } = await monitoredHosts(honest, 2);
    serveOn(lie, hosts[1]);
    writeFiles(folder, { 'state/evidence': 'not a folder' });
    const { report } = await round();
    const fork = report.findings.find(({ code }) => code === 'log-forked');
    expect(fork).toMatchObject({
      evidence: null,
      message: expect.stringContaining('the evidence is not kept'),
    });
    expect(fork?.['heads']).toHaveLength(2);
  });

  it('is seen in the proof that verifiers read', async () => {
    const honest = await loggedWorld();
    const lie = honest.fork();
    await honest.publish();
    await lie.change('gamma').publish();
    const { firstRound, hosts } = await monitoredHosts(honest, 2);
    const [, mirror] = hosts;
    mirror?.files.set('log/publication.tlog-proof', lie.files.get('log/publication.tlog-proof') as Buffer);
    expect((await firstRound()).told).toEqual(['alarm log-forked host 1', 'alarm proof-invalid host 1']);
  });

  it('is seen when the thief of the root key starts a log afresh, with a key of the thief', async () => {
    const honest = await loggedWorld();
    await honest.publish();
    const { round, hosts } = await monitoredHosts(honest);
    await round();
    const fresh = new LoggedRegistry(honest.root);
    for (let number = 0; number < 3; number++) await fresh.publish();
    serveOn(fresh, hosts[0]);
    const { told } = await round();
    expect(told).toEqual([
      'alarm log-forked host 0',
      'alarm not-logged host 0 statements.json',
      'alarm not-logged host 0 issuers.json',
    ]);
  });
});

describe('a host that shows good files to those who pass its caches', () => {
  it('is seen all the same', async () => {
    const honest = await loggedWorld();
    const lie = honest.fork();
    await honest.publish();
    await lie.change('mallory').publish();
    const { firstRound, hosts } = await monitoredHosts(honest, 2);
    const [, mirror] = hosts;
    for (const path of ['statements.json', 'log/checkpoint']) {
      const answer = together(lie.files).get(path);
      if (mirror !== undefined) {
        mirror.intercept = (asked, _request, response) => {
          if (asked !== path) return false;
          response.end(answer);
          return true;
        };
      }
      const { told } = await firstRound();
      // The statements have a proof, with a head of the other log.
      const alarms = ['alarm log-forked host 1', 'alarm not-logged host 1 statements.json'];
      expect(told).toEqual(path === 'statements.json' ? alarms : alarms.slice(0, 1));
    }
  });
});

describe('a registry that is ahead of its mirrors, or behind them,', () => {
  it('is consistent if a mirror shows an older log', async () => {
    const { world, round, hosts } = await monitoredWorld(2);
    await world.publish();
    await world.publish();
    serveOn(world, hosts[0]);
    const { report, told } = await round();
    expect(told).toEqual([]);
    expect(report.hosts.map(({ size }) => size)).toEqual([3, 1]);
  });

  it('has shrunk if a mirror shows more than the registry does, and the monitor follows the mirror', async () => {
    const { world, round, hosts } = await monitoredWorld(2);
    await round();
    await world.change('beta', { status: 'suspended' }).publish();
    serveOn(world, hosts[1]);
    const { told, report } = await round({ watch: ['beta'] });
    expect(told).toEqual(['alarm log-shrunk host 0', 'change watched-issuer-changed entry 1']);
    expect(report.log?.size).toBe(2);
    serveOn(world, hosts[0]);
    expect((await round()).told).toEqual([]);
  });

  it('has not shrunk if only a cache is old', async () => {
    const { world, round, hosts } = await monitoredWorld();
    const old = world.files.get('log/checkpoint') as Buffer;
    await world.publish();
    serveOn(world, hosts[0]);
    await round();
    const [host] = hosts;
    if (host !== undefined) {
      host.intercept = (path, _request, response) => {
        if (path !== 'log/checkpoint') return false;
        response.end(old);
        return true;
      };
    }
    expect((await round()).told).toEqual([]);
  });
});

describe('cosignatures', () => {
  const anchor = (quorum: number) => ({ log: ORIGIN, witnesses: witnesses.map(({ vkey }) => vkey), quorum });
  const some = (count: number) => witnesses.slice(0, count);

  it('that make up the quorum of the trust anchor are no alarm, and one fewer is', async () => {
    const world = await loggedWorld(some(2));
    const { firstRound } = await monitoredHosts(world, 2, anchor(2));
    expect((await firstRound()).told).toEqual([]);
    const few = await monitoredHosts(world, 2, anchor(3));
    expect((await few.firstRound()).told).toEqual([
      'alarm too-few-cosignatures host 0',
      'alarm too-few-cosignatures host 1',
    ]);
    const other = await monitoredHosts(world, 1, { ...anchor(2), log: 'other.example/log' });
    expect((await other.firstRound()).told).toContain('alarm head-not-signed host 0');
  });

  it('that are too old are an alarm', async () => {
    const world = await loggedWorld(some(2));
    const { firstRound, hosts } = await monitoredHosts(world, 1, anchor(2));
    world.cosignedAt = Date.now() - 31 * 24 * 3_600_000;
    await world.complete();
    serveOn(world, hosts[0]);
    const { told, report } = await firstRound();
    expect(told).toEqual(['alarm cosignatures-too-old host 0']);
    expect(report.findings[0]?.message).toContain(new Date(world.cosignedAt).toISOString().slice(0, 19));
  });

  it('are missing in a proof that is missing or damaged', async () => {
    const world = await loggedWorld(some(2));
    const { firstRound, hosts } = await monitoredHosts(world, 1, anchor(2));
    const proof = hosts[0]?.files.get('log/publication.tlog-proof')?.toString() ?? '';
    hosts[0]?.files.delete('log/publication.tlog-proof');
    expect((await firstRound()).told).toEqual(['alarm proof-invalid host 0']);
    for (const text of ['', proof.slice(1), proof.replace('index 0', 'index 1')]) {
      hosts[0]?.files.set('log/publication.tlog-proof', Buffer.from(text));
      expect(new Set((await firstRound()).told)).toEqual(new Set(['alarm proof-invalid host 0']));
    }
  });
});
