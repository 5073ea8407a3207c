import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loggedWorld, monitoredHosts, serveOn } from '../../support/monitor.js';

const ARGS = ['--state', 'state', '--feed', 'feed.atom'];

const idsIn = (feed: string) => [...feed.matchAll(/<entry>\n {4}<id>([^<]+)</g)].map(([, id]) => id);

describe('the feed of a monitor', () => {
  it('gets each alarm and each change once, newest first', async () => {
    const world = await loggedWorld();
    const { monitor, hosts, folder } = await monitoredHosts(world);
    const file = join(folder, 'feed.atom');
    const feed = () => readFileSync(file, 'utf8');
    await monitor(...ARGS, '--watch', 'beta');
    expect(feed()).toMatch(
      /^<\?xml version="1\.0" encoding="utf-8"\?>\n<feed xmlns="http:\/\/www\.w3\.org\/2005\/Atom"/,
    );
    expect(idsIn(feed())).toEqual([]);
    hosts[0]?.files.delete('log/checkpoint');
    for (let round = 0; round < 2; round++) expect((await monitor(...ARGS)).code).toBe(1);
    const [alarm] = idsIn(feed());
    expect(idsIn(feed())).toEqual([expect.stringMatching(/^urn:uuid:[0-9a-f-]{36}$/)]);
    expect(feed()).toContain(`<title>Alarm: ${hosts[0]?.base}: there is no log/checkpoint</title>`);
    expect(feed()).toContain('<category term="log-missing"/>');
    await world.change('beta', { status: 'suspended', contact: 'a&b@beta.example' }).publish();
    serveOn(world, hosts[0]);
    expect((await monitor(...ARGS, '--watch', 'beta')).code).toBe(5);
    expect(idsIn(feed())).toEqual([expect.not.stringContaining(alarm ?? ''), alarm]);
    expect(feed()).toContain('a&#38;b@beta.example');
    const { mtimeMs } = statSync(file);
    await monitor(...ARGS, '--watch', 'beta');
    expect(statSync(file).mtimeMs).toBe(mtimeMs);
  });

  it('keeps the newest hundred', async () => {
    const world = await loggedWorld();
    const { monitor, hosts, folder } = await monitoredHosts(world);
    await monitor(...ARGS);
    for (let number = 0; number < 130; number++) world.change(`issuer-${number}`);
    await world.publish();
    serveOn(world, hosts[0]);
    const { stderr } = await monitor(...ARGS);
    expect(idsIn(readFileSync(join(folder, 'feed.atom'), 'utf8'))).toHaveLength(100);
    // The words are limited, too.
    expect(stderr).toContain('note    and 111 more');
  });

  it('does not replace another file', async () => {
    const world = await loggedWorld();
    const { monitor, folder } = await monitoredHosts(world);
    writeFileSync(join(folder, 'feed.atom'), '<feed/>');
    const { code, stderr } = await monitor(...ARGS);
    expect([code, stderr]).toEqual([2, expect.stringContaining('feed.atom is not a feed of this command')]);
    expect(readFileSync(join(folder, 'feed.atom'), 'utf8')).toBe('<feed/>');
  });
});
