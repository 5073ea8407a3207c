import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { loggedWorld, monitoredHosts, monitoredWorld, serveOn } from '../../support/monitor.js';
import { DOWN } from '../../support/registry-host.js';
import { freePort } from '../../support/serving.js';
import { shortenRetries } from '../../support/short-retries.js';
import { timeLimitsByHand } from '../../support/time-limits.js';

beforeAll(shortenRetries);

/** A registry with a mirror that answers some requests in its own way. */
async function withBadMirror(isBad: (path: string) => boolean, answer: (response: ServerResponse) => void) {
  const world = await loggedWorld();
  const monitored = await monitoredHosts(world, 2);
  const [, mirror] = monitored.hosts;
  if (mirror !== undefined) {
    mirror.intercept = (path, _request, response) => {
      if (!isBad(path)) return false;
      answer(response);
      return true;
    };
  }
  return { world, ...monitored };
}

/** Sends bytes for ever. */
function flood(response: ServerResponse): void {
  response.writeHead(200);
  const more = () => {
    if (response.destroyed) return;
    if (response.write(Buffer.alloc(1024 * 1024))) setImmediate(more);
    else response.once('drain', more);
  };
  more();
}

describe('a host that cannot be read', () => {
  it('is a warning with exit code 4, while the other hosts are checked', async () => {
    const { world, monitor, round, hosts } = await monitoredWorld();
    await round();
    await world.change('beta', { status: 'suspended' }).publish();
    serveOn(world, hosts[0]);
    const gone = `http://127.0.0.1:${await freePort()}`;
    const { code, stdout } = await monitor('--state', 'state', '--mirror', gone);
    expect([code, stdout]).toEqual([
      4,
      expect.stringMatching(`WARNING host-unreadable: ${gone} .*: the host refused the connection`),
    ]);
    // The state has gone on: the publication is told once.
    expect((await round()).report.findings).toEqual([]);
  });

  it('is the registry: a mirror then shows its log', async () => {
    const { world, round, hosts } = await monitoredWorld(2);
    await round();
    await world.change('beta', { status: 'suspended' }).publish();
    serveOn(world, hosts[1]);
    const [registry] = hosts;
    if (registry !== undefined) registry.intercept = DOWN;
    expect((await round({ watch: ['beta'] })).told).toEqual([
      'change watched-issuer-changed entry 1',
      'unchecked host-unreadable host 0',
    ]);
  });

  it('is told if nothing at all can be read, and the state stays as it is', async () => {
    const { round, firstRound, hosts } = await monitoredWorld();
    await round();
    const [host] = hosts;
    if (host !== undefined) host.intercept = (_path, request) => request.socket.destroy() !== undefined;
    const { told, report } = await round();
    expect([told, report.log?.size]).toEqual([['unchecked host-unreadable host 0'], 1]);
    const fresh = await firstRound();
    expect([fresh.told, fresh.report.log]).toEqual([['unchecked host-unreadable host 0'], null]);
    await expect(firstRound({ anchor: null })).rejects.toMatchObject({ code: 'ERR_IO_FAILED' });
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['an error', (response) => response.writeHead(500).end()],
    ['a response that never ends', flood],
  ])('because it sends %s is a warning', async (_name, answer) => {
    const { round } = await withBadMirror((path) => path.startsWith('log/'), answer);
    expect((await round()).told).toEqual(['unchecked host-unreadable host 1']);
  });

  it('because it hangs is a warning after the time limit of a round', async () => {
    const endLimits = timeLimitsByHand();
    const { monitor, hosts } = await withBadMirror(
      (path) => path !== 'keys/root.json',
      // A mirror has a third of the time of a round.
      () => endLimits(5000),
    );
    const { code, stdout } = await monitor('--round-timeout', '15');
    expect([code, stdout]).toEqual([4, expect.stringContaining(`host-unreadable: ${hosts[1]?.base} `)]);
    expect(hosts[1]?.log.filter((line) => line.endsWith(' 200'))).toHaveLength(1);
  });
});

describe('a mirror', () => {
  it('that sends a list without end has a list that is not in the log', async () => {
    const { round } = await withBadMirror((path) => path.startsWith('issuers.json'), flood);
    const { told, report } = await round();
    expect(told).toEqual(['alarm not-logged host 1 issuers.json']);
    expect(report.findings[0]?.message).toContain('is larger than the');
  });

  it('that has no log is a warning, but what it publishes must be in the log', async () => {
    const { world, round, hosts } = await withBadMirror(
      (path) => path.startsWith('log/'),
      (response) => response.writeHead(404).end(),
    );
    expect((await round()).told).toEqual(['unchecked mirror-without-log host 1']);
    const secret = world.fork();
    await secret.change('mallory').publish();
    hosts[1]?.files.set('issuers.json', secret.files.get('issuers.json') as Buffer);
    expect((await round()).told).toEqual([
      'alarm not-logged host 1 issuers.json',
      'unchecked mirror-without-log host 1',
    ]);
  });

  it('cannot hide a statement that the registry hides, by hanging', async () => {
    const { world, round, hosts } = await withBadMirror(
      (path) => path.startsWith('log/statements/'),
      (response) => response.writeHead(500).end(),
    );
    await world.publish();
    serveOn(world, hosts[0], hosts[1]);
    hosts[0]?.files.delete('log/statements/1.jwt');
    expect((await round()).told).toContain('alarm statement-missing entry 1');
  });

  it('can have what the registry has lost', async () => {
    const { world, round, hosts } = await withBadMirror(
      () => false,
      () => undefined,
    );
    await world.change('beta', { status: 'suspended' }).publish();
    serveOn(world, hosts[0], hosts[1]);
    const files = hosts[0]?.files;
    for (const path of [...(files?.keys() ?? [])])
      if (/^log\/(?:lists|statements)\//.test(path)) files?.delete(path);
    files?.delete('issuers.json');
    expect((await round()).told).toEqual([]);
  });
});
