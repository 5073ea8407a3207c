import { gzipSync } from 'node:zlib';
import {
  findKeyFault,
  findMetadataFaults,
  parseDocument,
  readKeySet,
} from '@passport-registry/passports/documents';
import { boundedFetch, openFile } from '@passport-registry/verifier/http';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  agentKeys,
  fetchOf,
  type IssuerWorld,
  issuerKey,
  issuerWorld,
  passportOf,
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

/** The code of the verdict on a passport of the issuer. */
async function code() {
  const { reasons } = await (await verifierOf([world])).verifyPassport(await tokenOf(world, passport));
  return reasons[0]?.code;
}

const showKeys = (...keys: readonly unknown[]) => world.documents.set('/jwks.json', { keys });

describe('a member of a JWK that is null', () => {
  // Which members may be null is shown by the kit: passport/keys and passport/claim.
  it.each([0, false, 'AAAA'])('is not the same as a member that is %j', async (d) => {
    showKeys({ ...world.key.jwk, d });
    expect(await code()).toBe('jwks-private-key');
  });

  it('does not stand for a kid, or for a member that is required', async () => {
    showKeys({ ...world.key.jwk, kid: null });
    expect(await code()).toBe('key-unknown');
    showKeys({ ...world.key.jwk, x: null });
    expect(await code()).toBe('key-unusable');
  });
});

describe('an element of a key set that is no key', () => {
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

  it('is a fault of the whole set, if it is private', () => {
    const keys = [null, world.key.jwk, { kty: 'oct', k: 'AAAA' }];
    expect(readKeySet({ keys })).toMatchObject({ fault: { about: 'private-key' } });
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
});

describe('a document that is not strict JSON', () => {
  it.each<[string, string | Uint8Array]>([
    ['empty', ''],
    ['empty', ' \n'.repeat(2000)],
    ['byte-order-mark', '\ufeff'],
    ['byte-order-mark', '\ufeff{}'],
    ['not-utf8', Buffer.from('{}', 'utf16le')],
    ['not-utf8', Buffer.from('{"é":1}', 'latin1')],
    ['markup', '\n<!doctype html><p>404</p>'],
    ['compressed', gzipSync('{}')],
    ['compressed', Buffer.of(0x28, 0xb5, 0x2f, 0xfd)],
  ])('is refused with its fault: %s', (fault, body) => {
    expect(() => parseDocument(Buffer.from(body))).toThrow(expect.objectContaining({ fault }));
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
    expect(reasons[0]?.code).toMatch(/-unreachable$/);
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
