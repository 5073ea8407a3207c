import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TrustAnchor } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { expectCommandError } from '../../support/expect-command-error.js';
import {
  loggedWorld,
  type MonitoredHosts,
  monitoredHosts,
  monitoredWorld,
  serveOn,
} from '../../support/monitor.js';
import { passTime } from '../../support/passing-time.js';
import { CLI } from '../../support/paths.js';
import { testKey } from '../../support/publication.js';
import { rounds } from '../../support/soak.js';
import { until } from '../../support/until.js';
import { ageLock, cleanEnvironment, cli, writeFiles } from '../../support/workspace.js';

/** More than a full tile of the log in the soak. */
const CHANGES = rounds({ usual: 40, soak: 300 });
const STATE = ['--state', 'state'];

/** Starts a monitor as a separate process. */
function start({ folder, hosts }: MonitoredHosts, ...args: string[]) {
  const fixed = ['monitor', hosts[0]?.base ?? '', '--trust-anchor', 'anchor.json'];
  const child = spawn(process.execPath, [CLI, ...fixed, ...args], {
    ...{ cwd: folder, env: cleanEnvironment() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk;
    });
  }
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, ended, said: () => text };
}

describe('the rounds of a monitor', () => {
  it('read a log of many entries once, and then only what is new', async () => {
    const world = await loggedWorld();
    for (let number = 0; number < CHANGES; number++) {
      await world.change('beta', { status: number % 2 === 0 ? 'suspended' : 'active' }).publish();
    }
    const { round, hosts } = await monitoredHosts(world);
    const sent = () => hosts[0]?.log.splice(0).map((line) => line.replace(/[0-9a-f]{64}/, 'HASH')) ?? [];
    const first = await round();
    expect([first.told, first.report.log?.size]).toEqual([[], CHANGES + 1]);
    const begun = sent();
    expect(begun.filter((line) => line.startsWith('log/statements/'))).toHaveLength(CHANGES + 1);
    expect(begun.filter((line) => line.startsWith('lists/'))).toHaveLength(CHANGES + 1);
    const [full, partial] = CHANGES < 256 ? ['', '000.p'] : ['000', '001.p'];
    const width = (CHANGES + 1) % 256;
    const tiles = [
      ...(full === '' ? [] : [`log/tile/0/${full}`, 'log/tile/1/000.p/1', `log/tile/entries/${full}`]),
      ...[`log/tile/0/${partial}/${width}`, `log/tile/entries/${partial}/${width}`],
    ];
    expect(begun.filter((line) => line.startsWith('log/tile/')).sort()).toEqual(
      tiles.map((path) => `${path} 200`).sort(),
    );
    expect((await round()).told).toEqual([]);
    const always = ['issuers.json 200', 'keys/root.json 200', 'log/checkpoint 200', 'statements.json 200'];
    expect(sent().sort()).toEqual(always);
    await world.change('gamma').publish();
    serveOn(world, hosts[0]);
    expect((await round()).told).toEqual([]);
    const grown = [
      'lists/HASH.json 200',
      `log/statements/${CHANGES + 1}.jwt 200`,
      `log/tile/0/${partial}/${width + 1} 200`,
      `log/tile/entries/${partial}/${width + 1} 200`,
    ];
    expect(sent().sort()).toEqual([...always, ...grown].sort());
  });

  it('repeat what a killed monitor has not finished, and skip nothing', async () => {
    const world = await loggedWorld();
    const monitored = await monitoredHosts(world);
    await monitored.round();
    let [seen, expected] = [1, 1];
    const told = new Set<number>();
    const [host] = monitored.hosts;
    for (let kill = 0; kill < rounds({ usual: 3, soak: 100 }); kill++) {
      await world.change('beta', { status: kill % 2 === 0 ? 'suspended' : 'active' }).publish();
      expected += 1;
      serveOn(world, host);
      // Kills at a certain request: the moments between them are those at which the state could be wrong.
      const last =
        ['statements.json', 'log/checkpoint', 'log/tile', 'log/statements', 'lists', 'issuers.json'][
          kill % 6
        ] ?? '';
      const run = start(monitored, ...STATE, 'beta', '--json');
      if (host !== undefined) {
        host.intercept = (path) => {
          if (path.startsWith(last)) run.child.kill('SIGKILL');
          return false;
        };
      }
      await run.ended;
      ageLock(join(monitored.folder, 'state/state.json'));
      if (host !== undefined) host.intercept = () => false;
      const state = JSON.parse(readFileSync(join(monitored.folder, 'state/state.json'), 'utf8'));
      expect(state.entries.length).toBe(seen);
      const { report } = await monitored.round({ watch: ['beta'] });
      for (const { entry } of report.findings.filter(({ code }) => code === 'watched-issuer-changed'))
        told.add(entry as number);
      seen = expected;
    }
    expect([...told]).toEqual(Array.from({ length: expected - 1 }, (_one, index) => index + 1));
  });

  it('run for ever with --every, without a folder too, until the process is told to stop', async () => {
    const world = await loggedWorld();
    const monitored = await monitoredHosts(world);
    const run = start(monitored, '--every', '1', 'beta');
    await until(() => run.said().includes(' 1 new'), run.said);
    await world.change('beta', { status: 'suspended' }).publish();
    serveOn(world, monitored.hosts[0]);
    await until(() => run.said().includes('CHANGE  watched-issuer-changed'), run.said);
    monitored.hosts[0]?.files.delete('log/checkpoint');
    await until(() => run.said().includes('ALARM   log-missing'), run.said);
    run.child.kill('SIGTERM');
    expect(await run.ended).toBe(0);
    expect(run.said().match(/CHANGE/g)).toHaveLength(1);
    expect(existsSync(join(monitored.folder, 'state'))).toBe(false);
  });
});

describe('the folder of a monitor', () => {
  it('that is damaged is refused', async () => {
    const { monitor, round, folder } = await monitoredWorld();
    await round();
    const file = join(folder, 'state/state.json');
    const good = readFileSync(file, 'utf8');
    const { list, entries } = JSON.parse(good);
    const damaged = [
      '',
      '{}',
      good.slice(0, 100),
      good.replace('"version":1', '"version":2'),
      good.replace(entries[0].sha256, '0'.repeat(64)),
      good.replace('"roots":[{"kty":"OKP"', '"roots":[{"kty":"RSA"'),
      good.replace(`"list":"${list}","publication"`, `"list":"${'0'.repeat(64)}","publication"`),
    ];
    for (const text of damaged) {
      expect(text).not.toBe(good);
      writeFileSync(file, text);
      expectCommandError(await monitor(...STATE, '--json'), 'ERR_IO_FAILED', 'state.json is damaged');
      expect(readFileSync(file, 'utf8')).toBe(text);
    }
    writeFileSync(file, good);
    writeFiles(folder, { [`state/list-${list}.json`]: '{}' });
    expect((await monitor(...STATE)).code).toBe(4);
  });

  it('belongs to one registry, whose root key it pins', async () => {
    const { world, monitor, round, firstRound, folder, hosts } = await monitoredWorld();
    const told = async (anchor: TrustAnchor | null) => (await round({ anchor })).told;
    const first = { root: world.root.rootKey.jwk };
    expect(await told(null)).toEqual(['warning root-key-not-pinned']);
    expect(await told(null)).toEqual([]);
    expect(await told(first)).toEqual([]);
    const other = (await testKey()).rootKey;
    writeFiles(folder, { 'other.json': JSON.stringify(other.jwk) });
    const refused = await monitor(...STATE, '--trust-anchor', 'other.json', '--json');
    expectCommandError(refused, 'ERR_USAGE', 'state', world.root.rootKey.thumbprint, other.thumbprint);
    // The next root key is pinned by the log.
    const next = await testKey();
    await world.rotate(next);
    await world.publish();
    serveOn(world, hosts[0]);
    expect(await told(first)).toEqual([]);
    const anchor = { root: next.rootKey.jwk };
    expect(await told(anchor)).toEqual([]);
    // Without a state, the next key cannot verify what the first one signed.
    const { report } = await firstRound({ anchor });
    expect(report.findings).toMatchObject([{ code: 'entries-not-verified', entries: 2 }]);
  });

  it('is used by one monitor at a time', async () => {
    const world = await loggedWorld();
    const monitored = await monitoredHosts(world);
    const [host] = monitored.hosts;
    let isWaiting = false;
    if (host !== undefined) {
      host.intercept = () => {
        isWaiting = true;
        return true;
      };
    }
    const run = start(monitored, ...STATE);
    await until(() => isWaiting, run.said);
    const args = ['monitor', host?.base ?? '', ...STATE];
    const { outcome, passedMs } = await passTime(() => cli(args, monitored.folder));
    expect(outcome.code).toBe(4);
    // Longer than the lock of a monitor that was killed stays.
    expect(passedMs).toBeGreaterThan(15_000);
    run.child.kill('SIGKILL');
    await run.ended;
    ageLock(join(monitored.folder, 'state/state.json'));
    if (host !== undefined) host.intercept = () => false;
    expect((await monitored.round()).told).toEqual([]);
  });
});
