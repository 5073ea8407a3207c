import { createHmac } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import {
  createRegistryClient,
  NoUsableSource,
  openRegistry,
  type RegistryClientOptions,
  type RegistryErrorCode,
  verifyList,
} from '@passport-registry/verifier';
import type { JWTPayload } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  at,
  checkpoint,
  type Files,
  issuer,
  publish,
  publishBytes,
  rotationStep,
  sha256,
  signature,
  statement,
  type TestKey,
  testKey,
  withCheckpoint,
  withOnlineKey,
  withRotation,
} from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';
import { rounds } from '../../support/soak.js';
import { copyIn } from '../../support/sources.js';

shortenRetries();

let root: TestKey;
let online: TestKey;
let other: TestKey;

beforeAll(async () => {
  [root, online, other] = await Promise.all([testKey(), testKey(), testKey()]);
});

/** What a fresh client says of a host: the code of the one source's error, or `accepted`. */
async function verdict(host: RegistryHost, options: Partial<RegistryClientOptions> = {}): Promise<string> {
  const client = createRegistryClient({
    sources: [host.base],
    rootKey: root.rootKey.jwk,
    timeout: 60,
    maxBytes: 100_000,
    ...options,
  });
  try {
    await client.ready();
    return 'accepted';
  } catch (error) {
    expect(error).toBeInstanceOf(NoUsableSource);
    // Nothing that failed may be read afterwards.
    expect(() => client.list()).toThrow();
    return (error as NoUsableSource).errors[host.base]?.code ?? '';
  } finally {
    client.close();
  }
}

/** Where the list is that a publication names by its hash. */
const namedPath = (files: Files) => `lists/${sha256(files.get('issuers.json') as Buffer)}.json`;
const without = (files: Files, path: string) => new Map([...files].filter(([name]) => name !== path));

type Attack = [name: string, code: RegistryErrorCode, make: () => Files | Promise<Files>];
const moment = at(-60);
const good = () => publish(root, [issuer('a'), issuer('b')], moment);
const set = (files: Files, path: string, content: Buffer | string) => files.set(path, Buffer.from(content));
/** Another character for the 20th: still a list in JSON, still a signature in base64url, and no longer the right one. */
const altered = (files: Files, path: string) => {
  const text = (files.get(path) as Buffer).toString();
  return set(files, path, `${text.slice(0, 20)}${text[20] === 'a' ? 'b' : 'a'}${text.slice(21)}`);
};
/** A JWT with the payload of another and a header of one's own. */
const withHeader = (jwt: string, header: object, sign: (input: string) => string) => {
  const input = `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${jwt.split('.')[1]}`;
  return `${input}.${sign(input)}`;
};

describe('a good registry is accepted', () => {
  it.each<[string, () => Files | Promise<Files>]>([
    ['with a checkpoint by the root key', good],
    ['with a checkpoint by an online key', () => withCheckpoint(good(), root, online)],
    [
      'with a checkpoint by a P-256 online key',
      async () => withCheckpoint(good(), root, await testKey('p256')),
    ],
    [
      'whose list is found under its hash alone',
      () => new Map([...good()].filter(([path]) => path !== 'issuers.json')),
    ],
    [
      'whose list is found in issuers.json alone',
      () => new Map([...good()].filter(([path]) => !path.startsWith('lists/'))),
    ],
    [
      'whose detached signature says nothing, which no client reads',
      () => set(good(), 'issuers.sig', signature(Buffer.from('another list'), other)),
    ],
  ])('%s', async (_name, make) => {
    expect(await verdict(await registryHost(await make()))).toBe('accepted');
  });

  it('with a P-256 root key', async () => {
    const p256 = await testKey('p256');
    const host = await registryHost(await withCheckpoint(publish(p256, [issuer('a')]), p256, online));
    expect(await verdict(host, { rootKey: p256.rootKey.jwk })).toBe('accepted');
  });
});

describe('the list', () => {
  const otherList = (files: Files, list: Buffer | string) =>
    set(set(files, namedPath(files), list), 'issuers.json', list);
  const attacks: Attack[] = [
    [
      'altered',
      'ERR_PUBLICATION_MISMATCH',
      () => altered(altered(good(), 'issuers.json'), namedPath(good())),
    ],
    [
      'altered, and nothing under its hash',
      'ERR_PUBLICATION_MISMATCH',
      () => altered(without(good(), namedPath(good())), 'issuers.json'),
    ],
    [
      'altered under its hash, and no other',
      'ERR_PUBLICATION_MISMATCH',
      () => altered(without(good(), 'issuers.json'), namedPath(good())),
    ],
    [
      'nowhere',
      'ERR_PUBLICATION_MISMATCH',
      () => without(without(good(), 'issuers.json'), namedPath(good())),
    ],
    ['cut short', 'ERR_PUBLICATION_MISMATCH', () => otherList(good(), '{"issuers":[')],
    ['empty', 'ERR_PUBLICATION_MISMATCH', () => otherList(good(), '')],
    [
      'of another publication by the same key',
      'ERR_PUBLICATION_MISMATCH',
      () => otherList(good(), publish(root, [issuer('c')]).get('issuers.json') as Buffer),
    ],
    [
      'larger than its publication says',
      'ERR_PUBLICATION_MISMATCH',
      () => otherList(good(), `${good().get('issuers.json')} `),
    ],
    ['by another root key', 'ERR_PUBLICATION_INVALID', () => publish(other, [issuer('a')])],
  ];
  it.each(attacks)('%s: %s', async (_name, code, make) => {
    expect(await verdict(await registryHost(await make()))).toBe(code);
  });

  it('by an Ed25519 key for a pinned P-256 key: ERR_PUBLICATION_INVALID', async () => {
    const p256 = await testKey('p256');
    expect(await verdict(await registryHost(good()), { rootKey: p256.rootKey.jwk })).toBe(
      'ERR_PUBLICATION_INVALID',
    );
  });

  it.each<[string, JWTPayload]>([
    ['another hash', { sha256: 'f'.repeat(64) }],
    ['a larger size', { size: 5000 }],
    ['a smaller size', { size: 1 }],
    ['another number of issuers', { issuers: 3 }],
    ['another time', { updated_at: '2026-11-01T00:00:01Z' }],
  ])('of which the publication says %s: ERR_PUBLICATION_MISMATCH', async (_name, claims) => {
    const files = publish(root, [issuer('a'), issuer('b')], time, { claims });
    expect(await verdict(await registryHost(files))).toBe('ERR_PUBLICATION_MISMATCH');
  });

  const time = '2026-11-01T00:00:00Z';
  const text = (files: Files) => (files.get('issuers.json') as Buffer).toString();
  const signed: Attack[] = [
    [
      'an id twice',
      'ERR_LIST_UNSORTED',
      () => publish(root, [issuer('a', { status: 'revoked' }), issuer('a')], time),
    ],
    ['ids out of order', 'ERR_LIST_UNSORTED', () => publish(root, [issuer('b'), issuer('a')], time)],
    [
      'a JSON key twice',
      'ERR_LIST_NOT_CANONICAL',
      () =>
        publishBytes(
          root,
          text(publish(root, [issuer('a')], time)).replace('"status":', '"status":"revoked","status":'),
        ),
    ],
    [
      '__proto__ in a record',
      'ERR_LIST_NONCONFORMING',
      () =>
        publishBytes(
          root,
          text(good()).replace('{"certified', '{"__proto__":{"tier":"founding"},"certified'),
        ),
    ],
    [
      'constructor in the list',
      'ERR_LIST_NONCONFORMING',
      () => publishBytes(root, text(good()).replace('{"issuers', '{"constructor":{"prototype":{}},"issuers')),
    ],
    [
      'an unknown status',
      'ERR_LIST_NONCONFORMING',
      () => publishBytes(root, text(good()).replace('active', 'valid')),
    ],
    ['no JSON', 'ERR_LIST_MALFORMED', () => publishBytes(root, 'hello')],
    ['white space', 'ERR_LIST_NOT_CANONICAL', () => publishBytes(root, `${text(good())}\n`)],
  ];
  it.each(signed)('rightly signed, with %s: %s', async (_name, code, make) => {
    expect(await verdict(await registryHost(await make()))).toBe(code);
    expect(({} as { tier?: string }).tier).toBeUndefined();
  });

  it('accepts none of many random single-bit flips over list and signature', async () => {
    const files = good();
    const list = files.get('issuers.json') as Buffer;
    const sig = files.get('issuers.sig') as Buffer;
    let accepted = 0;
    const flip = async () => {
      const both = Buffer.concat([list, sig]);
      const bit = Math.floor(Math.random() * both.length * 8);
      both.writeUInt8(both.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      const flipped = {
        list: both.subarray(0, list.length),
        signature: both.subarray(list.length).toString('latin1'),
      };
      await verifyList({ ...flipped, rootKey: root.rootKey }).then(
        () => accepted++,
        () => undefined,
      );
    };
    const batches = rounds({ usual: 5, soak: 100 });
    for (let batch = 0; batch < batches; batch++) await Promise.all(Array.from({ length: 100 }, flip));
    expect(accepted).toBe(0);
    await verifyList({ list, signature: sig.toString(), rootKey: root.rootKey });
  });
});

describe('a host', () => {
  type Manner = RegistryHost['intercept'];
  const isList = (path: string) => path === 'issuers.json' || path.startsWith('lists/');
  const onList =
    (answer: (response: Parameters<Manner>[2]) => void): Manner =>
    (path, _request, response) => {
      if (!isList(path)) return false;
      answer(response);
      return true;
    };
  it.each<[string, RegistryErrorCode, Manner]>([
    [
      'that breaks off in the middle of the list',
      'ERR_SOURCE_TRUNCATED',
      onList((response) => {
        response.writeHead(200, { 'Content-Length': '5000' }).write('{"issuers":[');
        setTimeout(() => response.destroy(), 50);
      }),
    ],
    [
      'that never stops sending',
      'ERR_PUBLICATION_MISMATCH',
      onList((response) => {
        response.writeHead(200);
        const send = () => {
          while (!response.destroyed && response.write('x'.repeat(10_000)));
          if (!response.destroyed) response.once('drain', send);
        };
        send();
      }),
    ],
    [
      'that sends a byte at a time',
      'ERR_SOURCE_TIMEOUT',
      onList((response) => {
        response.writeHead(200);
        const timer = setInterval(() => response.write('x'), 50);
        response.once('close', () => clearInterval(timer));
      }),
    ],
    ['that never answers', 'ERR_SOURCE_TIMEOUT', onList(() => undefined)],
    [
      'that redirects to another origin',
      'ERR_SOURCE_REDIRECTED',
      onList((response) => response.writeHead(302, { Location: 'http://127.0.0.1:9/issuers.json' }).end()),
    ],
    [
      'that answers everything with a page',
      'ERR_SOURCE_CONTENT',
      (_path, _request, response) => {
        response
          .writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' })
          .end('<!doctype html><title>Log in</title>');
        return true;
      },
    ],
    ['that fails', 'ERR_SOURCE_STATUS', onList((response) => response.writeHead(500).end())],
    ['that has no list', 'ERR_PUBLICATION_MISMATCH', onList((response) => response.writeHead(404).end())],
    [
      'that says that nothing has changed when it was not asked',
      'ERR_SOURCE_STATUS',
      onList((response) => response.writeHead(304).end()),
    ],
  ])('%s: %s', async (_name, code, intercept) => {
    const host = await registryHost(good());
    host.intercept = intercept;
    expect(await verdict(host, code === 'ERR_SOURCE_TIMEOUT' ? { timeout: 1 } : {})).toBe(code);
  });

  it('may compress; what it sends is bounded as it comes out', async () => {
    const host = await registryHost(good());
    let body = gzipSync(host.files.get('issuers.json') as Buffer);
    host.intercept = (path, _request, response) => {
      if (!isList(path)) return false;
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(body);
      return true;
    };
    expect(await verdict(host)).toBe('accepted');
    body = gzipSync(Buffer.alloc(50_000_000));
    expect(body.length).toBeLessThan(100_000);
    expect(await verdict(host)).toBe('ERR_PUBLICATION_MISMATCH');
  });

  it('that is not there: ERR_SOURCE_UNREACHABLE', async () => {
    const host = { ...(await registryHost()), base: 'http://127.0.0.1:9' };
    expect(await verdict(host)).toBe('ERR_SOURCE_UNREACHABLE');
  });

  it('that is caught in the middle of a publication is asked again, and accepted', async () => {
    const host = await registryHost(good());
    const old = publish(root, [issuer('z')]).get('issuers.json') as Buffer;
    let stale = 5;
    host.intercept = (path, _request, response) => {
      if (!isList(path) || stale-- <= 0) return false;
      response.writeHead(200).end(old);
      return true;
    };
    expect(await verdict(host)).toBe('accepted');
  });
});

describe('freshness', () => {
  const now = () => Math.floor(Date.now() / 1000);
  const changed = async (change: (files: Files) => unknown) => {
    const files = await withCheckpoint(good(), root, online);
    await change(files);
    return files;
  };
  const text = (files: Files, path: string) => (files.get(path) as Buffer).toString();
  const attacks: Attack[] = [
    ['a list from the future', 'ERR_NOT_YET_VALID', () => publish(root, [issuer('a')], at(3600))],
    [
      'an expired checkpoint',
      'ERR_CHECKPOINT_EXPIRED',
      () => withCheckpoint(good(), root, online, { iat: now() - 7200, exp: now() - 3600 }),
    ],
    [
      'a checkpoint from the future',
      'ERR_NOT_YET_VALID',
      () => withCheckpoint(good(), root, online, { iat: now() + 3600, exp: now() + 7200 }),
    ],
    [
      'a checkpoint for no publication',
      'ERR_CHECKPOINT_MISMATCH',
      () => withCheckpoint(good(), root, online, { publication: 'f'.repeat(64) }),
    ],
    [
      'a checkpoint by the root key for another publication',
      'ERR_CHECKPOINT_MISMATCH',
      () => set(good(), 'checkpoint.jwt', text(publish(root, [issuer('c')]), 'checkpoint.jwt')),
    ],
    [
      'a checkpoint for a publication of the same list and sequence',
      'ERR_CHECKPOINT_MISMATCH',
      () =>
        changed(async (files) => {
          const twin = withOnlineKey(files, root, online, { hold: true });
          set(files, 'checkpoint.jwt', await checkpoint(twin, online));
        }),
    ],
    [
      'a checkpoint without a publication',
      'ERR_CHECKPOINT_INVALID',
      () => withCheckpoint(good(), root, online, { publication: undefined }),
    ],
    [
      'a checkpoint without the hash of the tree',
      'ERR_CHECKPOINT_INVALID',
      () => withCheckpoint(good(), root, online, { tree_sha256: undefined }),
    ],
    [
      'a checkpoint that names its publication by more than a hash',
      'ERR_CHECKPOINT_INVALID',
      () => withCheckpoint(good(), root, online, { publication: ['f'.repeat(64)] }),
    ],
    [
      'a checkpoint without an expiry',
      'ERR_CHECKPOINT_INVALID',
      () => withCheckpoint(good(), root, online, { exp: undefined } as unknown as JWTPayload),
    ],
    [
      'a checkpoint that is no JWT',
      'ERR_CHECKPOINT_INVALID',
      () => changed((files) => set(files, 'checkpoint.jwt', 'x')),
    ],
    [
      'a checkpoint by a key that the publication does not name',
      'ERR_CHECKPOINT_INVALID',
      () => changed(async (files) => set(files, 'checkpoint.jwt', await checkpoint(files, other))),
    ],
    [
      'a checkpoint by an online key that was replaced',
      'ERR_CHECKPOINT_INVALID',
      () =>
        changed((files) =>
          set(files, 'publication.jwt', text(withOnlineKey(files, root, other), 'publication.jwt')),
        ),
    ],
    [
      'a checkpoint for more than 31 days',
      'ERR_CHECKPOINT_INVALID',
      () =>
        changed(async (files) => {
          const times = { iat: now(), exp: now() + 31 * 24 * 3600 + 1 };
          return set(files, 'checkpoint.jwt', await checkpoint(files, online, times));
        }),
    ],
    [
      'a checkpoint of alg none',
      'ERR_CHECKPOINT_INVALID',
      () =>
        changed((files) => {
          const header = { alg: 'none', typ: 'registry-checkpoint+jwt', kid: online.rootKey.thumbprint };
          return set(
            files,
            'checkpoint.jwt',
            withHeader(text(files, 'checkpoint.jwt'), header, () => ''),
          );
        }),
    ],
    [
      'a checkpoint of alg HS256 with the public key as the secret',
      'ERR_CHECKPOINT_INVALID',
      () =>
        changed((files) => {
          const header = { alg: 'HS256', typ: 'registry-checkpoint+jwt', kid: online.rootKey.thumbprint };
          const hmac = (input: string) =>
            createHmac('sha256', online.rootKey.jwk.x).update(input).digest('base64url');
          return set(files, 'checkpoint.jwt', withHeader(text(files, 'checkpoint.jwt'), header, hmac));
        }),
    ],
    [
      'a publication statement that is passed off as a checkpoint',
      'ERR_CHECKPOINT_INVALID',
      () => changed((files) => set(files, 'checkpoint.jwt', text(files, 'publication.jwt'))),
    ],
    [
      'a checkpoint that is passed off as a publication statement',
      'ERR_PUBLICATION_INVALID',
      () => changed(async (files) => set(files, 'publication.jwt', await checkpoint(files, root))),
    ],
    [
      'a private key as an online key',
      'ERR_PUBLICATION_INVALID',
      () =>
        changed((files) => {
          const keys = [{ ...online.rootKey.jwk, d: 'AAAA' }];
          return set(
            files,
            'publication.jwt',
            text(withOnlineKey(files, root, online, { keys }), 'publication.jwt'),
          );
        }),
    ],
  ];
  it.each(attacks)('%s: %s', async (_name, code, make) => {
    expect(await verdict(await registryHost(await make()))).toBe(code);
  });

  it.each<[string, RegistryErrorCode]>([
    ['checkpoint.jwt', 'ERR_STATEMENTS_INVALID'],
    ['publication.jwt', 'ERR_STATEMENTS_INVALID'],
  ])('no %s: %s', async (path, code) => {
    expect(await verdict(await registryHost(without(good(), path)))).toBe(code);
  });

  it.each([-300, -240, 240, 300])('bears a clock that is %d seconds off', async (skew) => {
    const host = await registryHost(
      await withCheckpoint(publish(root, [issuer('a')], at(0)), root, online, { iat: now(), exp: now() + 1 }),
    );
    expect(await verdict(host, { now: () => Date.now() + skew * 1000 - (skew > 0 ? 2000 : 0) })).toBe(
      'accepted',
    );
    expect(await verdict(host, { now: () => Date.now() + (skew < 0 ? -310_000 : 310_000) })).not.toBe(
      'accepted',
    );
  });
});

describe('the rotation of the root key', () => {
  let keys: TestKey[];
  beforeAll(async () => {
    keys = [root, await testKey('p256'), await testKey(), await testKey()];
  });
  const key = (index: number) => keys[index] as TestKey;
  const steps = (...path: number[]) =>
    Promise.all(path.slice(1).map((to, index) => rotationStep(key(path[index] ?? 0), key(to))));
  const rotated = async (...path: number[]) =>
    withRotation(publish(key(path.at(-1) ?? 0), [issuer('a')]), await steps(...path));

  it('leads from any pinned root to the current one', async () => {
    const host = await registryHost(await rotated(0, 1, 2, 3));
    for (const pinned of keys) expect(await verdict(host, { rootKey: pinned.rootKey.jwk })).toBe('accepted');
    const both = [key(0).rootKey.jwk, key(3).rootKey.jwk];
    expect(await verdict(host, { rootKey: both })).toBe('accepted');
    expect(await verdict(host, { rootKey: [other.rootKey.jwk, key(0).rootKey.jwk] })).toBe('accepted');
  });

  it('with checkpoints under the new root, too', async () => {
    const files = await withCheckpoint(publish(key(1), [issuer('a')]), key(1), online);
    expect(await verdict(await registryHost(withRotation(files, await steps(0, 1))))).toBe('accepted');
    const published = publish(key(1), [issuer('a')]);
    const byRoot = set(published, 'checkpoint.jwt', await checkpoint(published, key(1)));
    expect(await verdict(await registryHost(withRotation(byRoot, await steps(0, 1))))).toBe('accepted');
  });

  const attacks: Attack[] = [
    [
      'a gap',
      'ERR_ROTATION_GAP',
      async () => withRotation(await rotated(0, 1, 2, 3), [...(await steps(0, 1)), ...(await steps(2, 3))]),
    ],
    [
      'no way from the pinned key',
      'ERR_ROTATION_GAP',
      async () => withRotation(await rotated(1, 2, 3), await steps(1, 2, 3)),
    ],
    [
      'a loop',
      'ERR_ROTATION_LOOP',
      async () => withRotation(publish(key(2), [issuer('a')]), await steps(0, 1, 0, 2)),
    ],
    [
      'a step in place',
      'ERR_ROTATION_LOOP',
      async () => withRotation(publish(key(1), []), await steps(0, 0, 1)),
    ],
    [
      'a step by the wrong signer that claims to be the right one',
      'ERR_ROTATION_SIGNATURE',
      async () => {
        const forged = { ...other, rootKey: { ...other.rootKey, thumbprint: root.rootKey.thumbprint } };
        return withRotation(publish(other, [issuer('a')]), [await rotationStep(forged, other)]);
      },
    ],
    [
      'a step of another type',
      'ERR_ROTATION_INVALID',
      async () => {
        const jwt = await statement(root, 'registry-checkpoint+jwt', {
          iat: 1,
          next_root: other.rootKey.jwk,
        });
        return withRotation(publish(other, [issuer('a')]), [jwt]);
      },
    ],
    ['no JSON', 'ERR_STATEMENTS_INVALID', () => set(publish(key(1), []), 'keys/rotation.json', '<html>')],
    ['no array', 'ERR_STATEMENTS_INVALID', () => set(publish(key(1), []), 'keys/rotation.json', '{"0":"x"}')],
    ['no JWTs', 'ERR_ROTATION_INVALID', () => withRotation(publish(key(1), []), ['x'])],
    [
      'a next root that is no key',
      'ERR_ROTATION_INVALID',
      async () => {
        const jwt = await statement(root, 'registry-root-rotation+jwt', {
          iat: 1,
          next_root: { kty: 'RSA' },
        });
        return withRotation(publish(key(1), []), [jwt]);
      },
    ],
    [
      'the end of the chain, with a list by a key that has been left',
      'ERR_PUBLICATION_INVALID',
      async () => withRotation(publish(key(1), [issuer('a')]), await steps(0, 1, 2)),
    ],
  ];
  it.each(attacks)('%s: %s', async (_name, code, make) => {
    expect(await verdict(await registryHost(await make()))).toBe(code);
  });

  it('walks 64 steps, and not one more', async () => {
    const chain = [root, ...(await Promise.all(Array.from({ length: 65 }, () => testKey())))];
    const jwts = await Promise.all(
      chain.slice(1).map((to, index) => rotationStep(chain[index] as TestKey, to)),
    );
    const rotatedBy = (steps: number) =>
      registryHost(withRotation(publish(chain[steps] as TestKey, [issuer('a')]), jwts.slice(0, steps)));
    expect(await verdict(await rotatedBy(64))).toBe('accepted');
    expect(await verdict(await rotatedBy(65))).toBe('ERR_ROTATION_INVALID');
  });
});

describe('a copy without a network', () => {
  const files = (publication: Files) => copyIn(publication);
  const day = 24 * 3600;

  it('passes the same checks, within an explicit age', async () => {
    const copy = files(publish(root, [issuer('a')], at(-3 * day)));
    const registry = await openRegistry(copy, { rootKey: root.rootKey.jwk, maxAge: 4 * day });
    expect(registry.resolve('a')?.tier).toBe('certified');
    await expect(openRegistry(copy, { rootKey: root.rootKey.jwk, maxAge: 2 * day })).rejects.toMatchObject({
      code: 'ERR_LIST_EXPIRED',
    });
    await expect(openRegistry(copy, { rootKey: other.rootKey.jwk, maxAge: 4 * day })).rejects.toMatchObject({
      code: 'ERR_PUBLICATION_INVALID',
    });
    const bare = { rootKey: root.rootKey.jwk } as { rootKey: typeof root.rootKey.jwk; maxAge: number };
    await expect(openRegistry(copy, bare)).rejects.toMatchObject({ code: 'ERR_OPTIONS_INVALID' });
  });

  it('counts its age from the checkpoint, and checks that', async () => {
    const old = publish(root, [issuer('a')], at(-300 * day));
    const claims = { iat: Math.floor(Date.now() / 1000) - 2 * day, exp: Math.floor(Date.now() / 1000) - day };
    const copy = await withCheckpoint(old, root, online, claims);
    const options = { rootKey: root.rootKey.jwk, maxAge: 3 * day };
    expect((await openRegistry(files(copy), options)).sha256).toBe(sha256(old.get('issuers.json') as Buffer));
    await expect(openRegistry(files(copy), { ...options, maxAge: day })).rejects.toMatchObject({
      code: 'ERR_LIST_EXPIRED',
    });
    const future = { iat: Math.floor(Date.now() / 1000) + day, exp: Math.floor(Date.now() / 1000) + 2 * day };
    const early = files(await withCheckpoint(old, root, online, future));
    await expect(openRegistry(early, options)).rejects.toMatchObject({ code: 'ERR_NOT_YET_VALID' });
    const bare = new Map(copy);
    bare.delete('checkpoint.jwt');
    await expect(openRegistry(files(bare), options)).rejects.toMatchObject({
      code: 'ERR_STATEMENTS_INVALID',
    });
    const forged = set(new Map(copy), 'checkpoint.jwt', await checkpoint(old, other));
    await expect(openRegistry(files(forged), options)).rejects.toMatchObject({
      code: 'ERR_CHECKPOINT_INVALID',
    });
  });

  it('grows old while it is in use', async () => {
    let now = Date.now();
    const copy = files(publish(root, [issuer('a')]));
    const registry = await openRegistry(copy, { rootKey: root.rootKey.jwk, maxAge: day, now: () => now });
    now += 2 * day * 1000;
    expect(() => registry.decide('a', { tiers: ['certified'] })).toThrow('has not been fresh since');
  });
});
