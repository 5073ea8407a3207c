import { describe, expect, it } from 'vitest';
import { loggedWorld, monitoredHosts } from '../../support/monitor.js';
import { signedHead } from '../../support/note-keys.js';

describe('a log whose key has signed a large head', () => {
  const SIZE = 2 ** 17;

  /** Lets the registry show a head of many entries, and answer each bundle with these bytes. */
  async function grown(bundle: Uint8Array | undefined) {
    const world = await loggedWorld();
    const monitored = await monitoredHosts(world);
    const [host] = monitored.hosts;
    if (host === undefined) throw new Error('there is no host');
    expect((await monitored.round()).told).toEqual([]);
    const head = signedHead(world.log.signer, { size: SIZE, root: new Uint8Array(32) });
    host.files.set('log/checkpoint', Buffer.from(head));
    host.log.splice(0);
    host.intercept = (path, _request, response) => {
      if (!path.startsWith('log/tile/entries/')) return false;
      response.writeHead(bundle === undefined ? 404 : 200).end(bundle);
      return true;
    };
    const { told } = await monitored.round();
    const bundles = host.log.filter((line) => line.startsWith('log/tile/entries/'));
    return { told, bundles: bundles.length };
  }

  /** A full bundle of entries, each as large as an entry can be. */
  function bundleOf(byte: number): Uint8Array {
    const entry = Buffer.alloc(2 + 4096, byte);
    entry.writeUInt16BE(4096);
    return Buffer.concat(Array.from({ length: 256 }, () => entry));
  }

  it.each([
    ['entries that are none', bundleOf(0x78)],
    ['bytes that are no bundle', Buffer.from('x')],
  ])('is given up at the first malformed entry, and not read again: %s', async (_name, bundle) => {
    const { told, bundles } = await grown(bundle);
    expect(told).toEqual(['alarm log-damaged host 0']);
    // Some are read at a time.
    expect(bundles).toBeLessThanOrEqual(8);
  });

  it('is asked for files that are missing, past caches and once more', async () => {
    const { told, bundles } = await grown(undefined);
    expect(told).toEqual(['alarm log-damaged host 0']);
    expect(bundles).toBeGreaterThan(8);
    expect(bundles).toBeLessThan(64);
  });
});
