import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createIssuerLookup, createRegistryClient } from '@passport-registry/verifier';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { closedAfterTest } from '../support/clients.js';
import {
  agentKeys,
  issuerKey,
  issuerWorld,
  passportOf,
  tokenOf,
  verifierOf,
} from '../support/passport-world.js';
import { ROOT } from '../support/paths.js';
import {
  checkpoint,
  type Files,
  issuer,
  publish,
  stated,
  type TestKey,
  testKey,
} from '../support/publication.js';
import { responseFrom } from '../support/statements.js';

/** Returns the defaults that are numbers in a table of docs/verifiers/options.md, as the document writes them. */
function defaultsBelow(heading: string): Readonly<Record<string, string>> {
  const text = readFileSync(join(ROOT, 'docs/verifiers/options.md'), 'utf8');
  const section = text.split(/^## /m).find((one) => one.startsWith(`${heading}\n`)) ?? '';
  const rows = [...section.matchAll(/^\| (`.*?`) \| (\d.*?) \|/gm)];
  return Object.fromEntries(rows.map(([, names = '', values = '']) => [names.replaceAll('`', ''), values]));
}

/** A response whose body never ends, and how much of it was read, to the byte. */
function endlessBody(limit: number) {
  const block = new Uint8Array(2 ** 20);
  let read = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const size = Math.min(block.length, Math.max(1, limit - read));
    controller.enqueue(block.subarray(0, size));
    read += size;
  };
  const response = () => new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
  return { response, read: () => read };
}

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe('the defaults of a client in docs/verifiers/options.md', () => {
  const LISTED = Date.parse('2026-03-01T10:00:00Z');
  const EXPIRES = LISTED + 86_400_000;
  let root: TestKey;
  let files: Files;
  let requests: string[];
  let now: number;

  beforeAll(async () => {
    root = await testKey();
    files = publish(root, [issuer('alpha')], { updatedAt: '2026-03-01T10:00:00Z' });
    const times = { iat: LISTED / 1000, exp: EXPIRES / 1000 };
    files.set('checkpoint.jwt', Buffer.from(await checkpoint(files, root, times)));
  });

  beforeEach(() => {
    [requests, now] = [[], LISTED];
  });

  const fetchFiles: typeof fetch = async (input) => {
    const path = new URL(String(input)).pathname.slice(1);
    requests.push(path);
    return responseFrom(files, path);
  };
  const trust = () => ({ sources: ['https://registry.example'], rootKey: root.rootKey.jwk });
  const lookUp = (options: object = {}) =>
    closedAfterTest(createIssuerLookup({ ...trust(), fetch: fetchFiles, now: () => now, ...options }));

  // The kit shows what clockTolerance and grace do, to the millisecond: client/clock.
  it('are these', () => {
    expect(defaultsBelow('Options')).toEqual({
      refreshInterval: '60',
      grace: '3600',
      clockTolerance: '300',
      timeout: '15',
      maxBytes: '256 MiB',
    });
  });

  it('refreshInterval: when a source is asked again', async () => {
    const lookup = lookUp();
    await lookup.resolve('alpha');
    const before = requests.length;
    // A fifth of the interval is random.
    now = LISTED + 48_000 - 1;
    await lookup.resolve('alpha');
    expect(requests.length).toBe(before);
    now = LISTED + 60_000;
    await lookup.resolve('alpha');
    expect(requests.length).toBeGreaterThan(before);
  });

  it('timeout: when a source has not answered in time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let isOver = false;
    await new Promise<void>((asked) => {
      const fetch = () => {
        asked();
        return new Promise<never>(() => undefined);
      };
      lookUp({ fetch })
        .ready()
        .catch(() => {
          isOver = true;
        });
    });
    await vi.advanceTimersByTimeAsync(14_999);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isOver).toBe(true);
  });

  it('maxBytes: how much of a list is read', async () => {
    const maxBytes = 256 * 2 ** 20;
    const list = endlessBody(maxBytes);
    const named = stated(files, root, { size: 2 * maxBytes });
    const times = { iat: LISTED / 1000, exp: EXPIRES / 1000 };
    named.set('checkpoint.jwt', Buffer.from(await checkpoint(named, root, times)));
    const fetchList: typeof fetch = async (input) => {
      const path = new URL(String(input)).pathname.slice(1);
      if (path.startsWith('lists/')) return list.response();
      // By its hash, the list is the endless one.
      return path === 'issuers.json' ? new Response('', { status: 404 }) : responseFrom(named, path);
    };
    const client = closedAfterTest(
      createRegistryClient({ ...trust(), fetch: fetchList, now: () => LISTED, timeout: 60 }),
    );
    await expect(client.ready()).rejects.toMatchObject({
      errors: { 'https://registry.example': { code: 'ERR_SOURCE_TOO_LARGE' } },
    });
    expect(list.read()).toBe(maxBytes + 1);
  });
});

describe('the defaults of a passport verifier in docs/verifiers/options.md', () => {
  // What they do is shown in test/passports/: issuer/issuer-answers, issuer/strict-answers (maxBytes) and
  // verification/verify-token (maxAge); and by the kit: passport/time.
  it('are these', () => {
    expect(defaultsBelow('Options of a passport verifier')).toEqual({
      clockTolerance: '30',
      statusMaxAge: '30',
      metadataMaxAge: '300',
      grace: '0',
      cooldown: '10',
      'timeout, maxBytes': '5, 256 KiB',
    });
    expect(defaultsBelow('Options of a token profile')).toEqual({ maxAge: '86400' });
  });

  it('timeout: when an issuer has not answered in time', async () => {
    const world = await issuerWorld('alpha', await issuerKey());
    const token = await tokenOf(world, await passportOf(world, await agentKeys()));
    const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(AbortSignal.abort());
    const { reasons } = await (await verifierOf([world])).verifyPassport(token);
    expect([reasons[0]?.code, timeout.mock.lastCall?.[0]]).toEqual(['discovery-unreachable', 5000]);
  });
});
