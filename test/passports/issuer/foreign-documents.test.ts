import { gzipSync } from 'node:zlib';
import { findKeyFault, findMetadataFaults, readKeySet } from '@passport-registry/passports/documents';
import { boundedFetch, openFile } from '@passport-registry/verifier/http';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  agentKeys,
  fetchOf,
  type IssuerWorld,
  issuerKey,
  issuerWorld,
  passportOf,
  requestOf,
  type TestPassport,
  tokenOf,
  verifierOf,
} from '../../support/passport-world.js';

let world: IssuerWorld;
let passport: TestPassport;

beforeEach(async () => {
  world = await issuerWorld('alpha', await issuerKey());
  passport = await passportOf(world, await agentKeys());
});

/** The verdict on a passport of the issuer: code and message. */
async function verdict(header: Record<string, unknown> = {}) {
  const { reasons } = await (await verifierOf([world])).verifyPassport(
    await tokenOf(world, passport, header),
  );
  return { code: reasons[0]?.code, message: reasons[0]?.message };
}

const showKeys = (...keys: readonly unknown[]) => world.documents.set('/jwks.json', { keys });

describe('a member of a JWK that is null', () => {
  it.each(['d', 'k', 'p', 'oth', 'use', 'key_ops', 'alg', 'y', 'x5c'])(
    'counts as absent: %s',
    async (member) => {
      showKeys({ ...world.key.jwk, [member]: null });
      expect((await verdict()).code).toBe('verified');
    },
  );

  it('counts as absent in another key of the set, and in the key of an agent', async () => {
    showKeys(world.key.jwk, { kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: 'other', d: null, p: null, q: null });
    Object.assign((passport.claims['cnf'] as { jwk: object }).jwk, { d: null, y: null, use: null });
    const verifier = await verifierOf([world]);
    expect((await verifier.verifyAction(await requestOf(world, passport))).allowed).toBe(true);
  });

  it.each([0, false, 'AAAA'])('is not the same as a member that is %j', async (d) => {
    showKeys({ ...world.key.jwk, d });
    expect((await verdict()).code).toBe('jwks-private-key');
  });

  it('is not the same as an empty member, which reveals nothing', async () => {
    showKeys({ ...world.key.jwk, d: '' });
    expect((await verdict()).code).toBe('key-unusable');
  });

  it('does not stand for a kid, or for a member that is required', async () => {
    showKeys({ ...world.key.jwk, kid: null });
    expect((await verdict()).code).toBe('key-unknown');
    showKeys({ ...world.key.jwk, x: null });
    expect((await verdict()).code).toBe('key-unusable');
  });
});

describe('an element of a key set that is no key', () => {
  it.each([null, 'key', 7, [], true])('is left out: %j', async (element) => {
    showKeys(element, world.key.jwk, element);
    expect((await verdict()).code).toBe('verified');
  });

  it('counts among the 100', async () => {
    showKeys(...Array.from({ length: 100 }, () => null), world.key.jwk);
    expect(await verdict()).toMatchObject({
      code: 'jwks-invalid',
      message: expect.stringContaining('has 101 keys, and verifiers read at most 100'),
    });
  });

  it.each([
    [null, 'is not a JSON object'],
    [{ kty: 'OKP' }, 'names no key: it has no kid'],
    [{ kid: 7 }, 'names no key: its kid is not a string'],
    [{ kid: 'x'.repeat(257) }, 'has a kid of 257 characters, and verifiers read at most 256'],
    [{ kid: 'x', use: 'enc' }, 'is not for signatures (use)'],
    [{ kid: 'x', kty: 'RSA' }, 'is neither OKP/Ed25519 nor EC/P-256'],
  ])('is told with its reason: %j', (element, message) => {
    expect(findKeyFault(element)).toBe(message);
    expect(findKeyFault({ ...world.key.jwk, use: null })).toBeUndefined();
  });

  it('is named, if it is private', async () => {
    showKeys(null, world.key.jwk, { kty: 'oct', k: 'AAAA' });
    expect(await verdict()).toMatchObject({
      code: 'jwks-private-key',
      message: expect.stringContaining('as keys[2]'),
    });
    expect(readKeySet(world.documents.get('/jwks.json'))).toMatchObject({ fault: { about: 'private-key' } });
  });
});

describe('a kid that is too long', () => {
  it('is told for a token as for a key', async () => {
    expect(await verdict({ kid: 'x'.repeat(300) })).toEqual({
      code: 'token-header',
      message: 'the token has a kid of 300 characters, and verifiers read at most 256',
    });
  });
});

describe('the URLs of metadata', () => {
  const KNOWN = {
    discovery_uri: 'https://id.acme.example/.well-known/openid-configuration',
    jwks_uri: 'https://id.acme.example/jwks.json',
  };

  it.each([
    ['issuer', 'http://id.acme.example', ['scheme']],
    ['issuer', 'https://id.acme.example:8443', ['port']],
    ['issuer', 'https://other.example/', ['host']],
    ['issuer', 'http://other.example:8080', ['scheme', 'host', 'port']],
    ['issuer', 'https://id.acme.example/tenant', []],
    ['jwks_uri', 'http://id.acme.example/jwks.json', ['scheme']],
    ['jwks_uri', 'https://id.acme.example/jwks', ['path']],
    ['jwks_uri', 'https://id.acme.example/jwks.json?v=2', ['query']],
    ['jwks_uri', 'https://id.acme.example:443/jwks.json', ['spelling']],
    ['jwks_uri', 'https://ID.acme.example/jwks.json', ['spelling']],
  ])('are compared part by part: %s %s differs in %j', (about, url, differs) => {
    const metadata = { issuer: 'https://id.acme.example', issuer_id: 'acme', jwks_uri: KNOWN.jwks_uri };
    const faults = findMetadataFaults({ ...metadata, [about]: url }, KNOWN);
    expect(faults).toEqual(
      differs.length === 0
        ? []
        : [
            {
              about,
              differs,
              message: expect.stringContaining(`with another ${differs.join(', ')} than https`),
            },
          ],
    );
  });

  it.each(['?x=1', '#x', '?'])('are no issuer with %s at the end, which no token can name', (end) => {
    const metadata = { issuer: `https://id.acme.example${end}`, issuer_id: 'acme', jwks_uri: KNOWN.jwks_uri };
    expect(findMetadataFaults(metadata, KNOWN)).toMatchObject([{ about: 'form' }]);
  });

  it('are told in the verdict', async () => {
    const found = world.documents.get('/metadata') as object;
    world.documents.set('/metadata', { ...found, issuer: 'http://alpha.example' });
    expect(await verdict()).toMatchObject({
      code: 'discovery-mismatch',
      message: expect.stringContaining('names the issuer http://alpha.example, with another scheme than'),
    });
  });
});

describe('a document that is not strict JSON', () => {
  it.each<[string, string | Uint8Array]>([
    ['it is empty', ''],
    ['it is empty', ' \n'.repeat(2000)],
    ['it begins with a byte order mark', '\ufeff'],
    ['it contains NUL, as UTF-16 does', Buffer.from('{}', 'utf16le')],
    ['it begins with a byte order mark', '\ufeff{}'],
    ['it begins with <, as HTML and XML do', '\n<!doctype html><p>404</p>'],
    ['it is compressed', gzipSync('{}')],
    ['it is not UTF-8', Buffer.from('{"é":1}', 'latin1')],
    ['it is not UTF-8', Buffer.from('\ufeff{}', 'utf16le')],
    ['the member "a" appears twice', '{"a":1,"a":2}'],
  ])('is refused with its fault: %s', async (fault, body) => {
    world.intercept = (request, response) => {
      if (request.url !== '/metadata') return false;
      response.end(body);
      return true;
    };
    expect(await verdict()).toMatchObject({
      code: 'discovery-invalid',
      message: expect.stringContaining(fault),
    });
  });
});

describe('a fetch that keeps a clone of each response', () => {
  it.each(['/metadata', '/jwks.json'])('waits for no body that is discarded: %s', async (path) => {
    world.intercept = (request, response) => {
      if (request.url !== path) return false;
      response.writeHead(404).end('not here');
      return true;
    };
    const kept: Response[] = [];
    const fetch: typeof globalThis.fetch = async (...args) => {
      const response = await fetchOf([world])(...args);
      kept.push(response.clone());
      return response;
    };
    const verifier = await verifierOf([world], { fetch, timeout: 600 });
    const { reasons } = await verifier.verifyPassport(await tokenOf(world, passport));
    expect(reasons[0]?.message).toContain('does not exist');
    expect(kept.length).toBeGreaterThan(0);
  });
});

describe('a body that never ends', () => {
  it.each([0, 1])(
    'is left at the deadline, although each chunk of %i bytes is there at once',
    async (size) => {
      const body = new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(size)) });
      const fetch = async () => new Response(body);
      const answer = await boundedFetch('https://a.example/', {}, { fetch, timeout: 100, maxBytes: 2 ** 40 });
      await expect(answer.body()).rejects.toMatchObject({ code: 'ERR_SOURCE_TIMEOUT' });
    },
  );
});

describe('a redirect', () => {
  const limits = { timeout: 600_000, maxBytes: 1 };

  it('is refused although the platform has followed it', async () => {
    const followed = Object.defineProperty(new Response('{}'), 'redirected', { value: true });
    await expect(
      boundedFetch('https://a.example/', {}, { fetch: async () => followed, ...limits }),
    ).rejects.toMatchObject({ code: 'ERR_SOURCE_REDIRECTED' });
  });

  it('is told without its control characters', async () => {
    const fetch = async () => new Response(null, { status: 302, headers: { location: '/\u009b31m' } });
    await expect(boundedFetch('https://a.example/', {}, { fetch, ...limits })).rejects.toMatchObject({
      location: '/\u009b31m',
      message: expect.stringContaining('/%C2%9B31m'),
    });
  });
});

describe('a body that is discarded', () => {
  const hang = () => new Promise<never>(() => undefined);
  const fail = () => {
    throw new Error('locked');
  };
  const answering = (status: number, headers: Record<string, string>, cancel: () => unknown) =>
    (async () => ({ status, headers: new Headers(headers), body: { cancel } })) as unknown as typeof fetch;
  const limits = { timeout: 600_000, maxBytes: 1 };

  it.each([
    ['never confirms that it is cancelled', hang],
    ['refuses to be cancelled', fail],
  ])('may be one that %s', async (_what, cancel) => {
    const redirecting = answering(301, { location: '/x' }, cancel);
    await expect(boundedFetch('https://a.example/', {}, { fetch: redirecting, ...limits })).rejects.toThrow(
      /redirect/,
    );
    const { signal } = new AbortController();
    const page = answering(200, { 'content-type': 'text/html' }, cancel);
    await expect(openFile('https://a.example/', { fetch: page, signal }, undefined)).rejects.toThrow(/HTML/);
    const broken = answering(500, {}, cancel);
    await expect(openFile('https://a.example/', { fetch: broken, signal }, undefined)).rejects.toThrow(/500/);
  });
});
