import type { ServerResponse } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { loggedWorld, monitoredHosts, monitoredWorld, serveOn } from '../../support/monitor.js';
import { freePort } from '../../support/serving.js';
import { shortenRetries } from '../../support/short-retries.js';
import { timeLimitsByHand } from '../../support/time-limits.js';

const STATE = ['--state', 'state'];

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
    const { world, monitor, hosts } = await monitoredWorld();
    const gone = ['--mirror', `http://127.0.0.1:${await freePort()}`];
    await monitor(...STATE);
    await world.change('beta', { status: 'suspended' }).publish();
    serveOn(world, hosts[0]);
    const { code, told, stderr } = await monitor(...STATE, ...gone);
    expect([code, told]).toEqual([4, ['host-unreadable -1']]);
    expect(stderr).toContain('the host refused the connection');
    // The state has gone on: the publication is told once.
    expect((await monitor(...STATE)).report.findings).toEqual([]);
  });

  it('is the registry: a mirror then shows its log', async () => {
    const { world, monitor, hosts } = await monitoredWorld(2);
    await monitor(...STATE);
    await world.change('beta', { status: 'suspended' }).publish();
    serveOn(world, hosts[1]);
    for (const host of hosts.slice(0, 1)) {
      host.intercept = (_path, _request, response) => {
        response.writeHead(503).end();
        return true;
      };
    }
    const { code, told } = await monitor(...STATE, 'beta');
    expect([code, told]).toEqual([5, ['watched-issuer-changed', 'host-unreadable 0']]);
  });

  it('is told if nothing at all can be read, and the state stays as it is', async () => {
    const { monitor, hosts } = await monitoredWorld();
    await monitor(...STATE);
    const [host] = hosts;
    if (host !== undefined) host.intercept = (_path, request) => request.socket.destroy() !== undefined;
    const { code, told, report } = await monitor(...STATE);
    expect([code, told, report.log?.size]).toEqual([4, ['host-unreadable 0'], 1]);
    const fresh = await monitor();
    expect([fresh.code, fresh.report.log]).toEqual([4, null]);
    const unpinned = await monitor('--no-trust-anchor');
    expect([unpinned.code, unpinned.stdout]).toEqual([4, expect.stringContaining('ERR_IO_FAILED')]);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['an error', (response) => response.writeHead(500).end()],
    ['a response that never ends', flood],
  ])('because it sends %s is a warning', async (_name, answer) => {
    const { monitor } = await withBadMirror((path) => path.startsWith('log/'), answer);
    const { code, told } = await monitor(...STATE);
    expect([code, told]).toEqual([4, ['host-unreadable 1']]);
  });

  it('because it hangs is a warning after the time limit of a round', async () => {
    const endLimits = timeLimitsByHand();
    const { monitor, hosts } = await withBadMirror(
      (path) => path !== 'keys/root.json',
      // A mirror has a third of the time of a round.
      () => endLimits(5000),
    );
    const { code, told } = await monitor(...STATE, '--round-timeout', '15');
    expect([code, told]).toEqual([4, ['host-unreadable 1']]);
    expect(hosts[1]?.log.filter((line) => line.endsWith(' 200'))).toHaveLength(1);
  });
});

describe('a mirror', () => {
  it('that sends a list without end has a list that is not in the log', async () => {
    const { monitor } = await withBadMirror((path) => path.startsWith('issuers.json'), flood);
    const { code, told, report } = await monitor(...STATE);
    expect([code, told]).toEqual([1, ['not-logged 1']]);
    expect(report.findings[0]?.message).toContain('is larger than the');
  });

  it('that has no log is a warning with exit code 4, but what it publishes must be in the log', async () => {
    const { world, monitor, hosts } = await withBadMirror(
      (path) => path.startsWith('log/'),
      (response) => response.writeHead(404).end(),
    );
    const { code, told } = await monitor(...STATE);
    expect([code, told]).toEqual([4, ['mirror-without-log 1']]);
    const secret = world.fork();
    await secret.change('mallory').publish();
    hosts[1]?.files.set('issuers.json', secret.files.get('issuers.json') as Buffer);
    expect((await monitor(...STATE)).told).toEqual(['not-logged 1', 'mirror-without-log 1']);
  });

  it('cannot hide a statement that the registry hides, by hanging', async () => {
    const { world, monitor, hosts } = await withBadMirror(
      (path) => path.startsWith('log/statements/'),
      (response) => response.writeHead(500).end(),
    );
    await world.publish();
    serveOn(world, hosts[0], hosts[1]);
    hosts[0]?.files.delete('log/statements/1.jwt');
    expect((await monitor(...STATE)).told).toContain('statement-missing');
  });

  it('can have what the registry has lost', async () => {
    const { world, monitor, hosts } = await withBadMirror(
      () => false,
      () => undefined,
    );
    await world.change('beta', { status: 'suspended' }).publish();
    serveOn(world, hosts[0], hosts[1]);
    const files = hosts[0]?.files;
    for (const path of [...(files?.keys() ?? [])])
      if (/^log\/(?:lists|statements)\//.test(path)) files?.delete(path);
    files?.delete('issuers.json');
    expect((await monitor(...STATE)).told).toEqual([]);
  });
});
