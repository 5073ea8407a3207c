import { gzipSync } from 'node:zlib';
import { requestNonce, signAction } from '@passport-registry/passports/agent';
import { describe, expect, it } from 'vitest';
import {
  agentKeys,
  fetchOf,
  type IssuerWorld,
  issuerKey,
  issuerWorld,
  PAYLOAD,
  passportOf,
  requestOf,
  verifierOf,
} from '../../support/passport-world.js';

const KIB = 1024;
const REQUEST = { principal_id: 'user-1', realm_id: 'laptop' };

/** The documents of an issuer, by what asks for them. */
const DOCUMENTS = { discovery: '/metadata', jwks: '/jwks.json', status: '/v1/passports/' } as const;

/** An issuer that answers for one of its documents with other bytes than it should. */
async function answering(
  path: string,
  change: (json: string) => string | Uint8Array,
  headers: Record<string, string> = {},
): Promise<{ world: IssuerWorld; verdict: () => Promise<string | undefined> }> {
  const world = await issuerWorld('alpha', await issuerKey());
  const passport = await passportOf(world, await agentKeys());
  world.intercept = (request, response) => {
    if (request.url?.startsWith(path) !== true) return false;
    response.writeHead(200, { 'Content-Type': 'application/json', ...headers });
    response.end(change(JSON.stringify(world.documents.get(request.url))));
    return true;
  };
  const verifier = await verifierOf([world]);
  const request = await requestOf(world, passport);
  return { world, verdict: async () => (await verifier.verifyAction(request)).reasons[0]?.code };
}

const padded = (json: string, size: number) => json.padEnd(size, ' ');

describe.each(Object.entries(DOCUMENTS))('what an issuer answers about its %s', (document, path) => {
  const codeOf = async (...args: [(json: string) => string | Uint8Array, Record<string, string>?]) =>
    (await answering(path, ...args)).verdict();

  it('is good as it is, and with white space up to 256 KiB', async () => {
    expect(await codeOf((json) => json)).toBe('verified');
    expect(await codeOf((json) => padded(json, 256 * KIB))).toBe('verified');
    expect(await codeOf((json) => padded(json, 256 * KIB + 1))).toBe(`${document}-unreachable`);
  });

  // What else is no strict JSON is shown by the kit: passport/token.
  it.each<[string, (json: string) => string | Uint8Array]>([
    ['with a member that appears twice', (json) => json.replace('{', '{"a":1,"a":1,')],
    ['with a byte order mark', (json) => `\uFEFF${json}`],
    ['that is not UTF-8', (json) => Buffer.from(json.replace('{', '{"a":"é",'), 'latin1')],
  ])('is refused %s', async (_name, change) => {
    expect(await codeOf(change)).toBe(`${document}-invalid`);
  });

  it('is limited after it has been decompressed', async () => {
    const gzip = { 'Content-Encoding': 'gzip' };
    expect(await codeOf((json) => gzipSync(padded(json, 256 * KIB)), gzip)).toBe('verified');
    expect(await codeOf((json) => gzipSync(padded(json, 64 * KIB * KIB)), gzip)).toBe(
      `${document}-unreachable`,
    );
  });
});

describe('what an issuer answers an agent', () => {
  const nonce = { nonce_id: 'n', nonce: 'n'.repeat(43), expires_at: '2036-01-01T00:00:00Z' };

  async function request(body: string | Uint8Array) {
    const world = await issuerWorld('alpha', await issuerKey());
    world.intercept = (_request, response) => {
      response.writeHead(200).end(body);
      return true;
    };
    return requestNonce(world.url, REQUEST, { fetch: fetchOf([world]) });
  }

  it('is read strictly, up to 256 KiB', async () => {
    const json = JSON.stringify(nonce);
    expect(await request(padded(json, 256 * KIB))).toEqual(nonce);
    await expect(request(padded(json, 256 * KIB + 1))).rejects.toMatchObject({
      code: 'ERR_SOURCE_TOO_LARGE',
    });
    for (const bad of [json.replace('{', '{"nonce":"x",'), `\uFEFF${json}`, '['.repeat(100_000)]) {
      await expect(request(bad)).rejects.toMatchObject({ code: 'ERR_ISSUER_ANSWER_INVALID' });
    }
  });

  it.each([Number.POSITIVE_INFINITY, Number.NaN, -1, 0, 3_000_000])(
    'is awaited for a time that a timer supports, not %s seconds',
    async (timeout) => {
      const ask = requestNonce('https://alpha.example', REQUEST, {
        fetch: async () => new Response(),
        timeout,
      });
      await expect(ask).rejects.toMatchObject({ code: 'ERR_OPTIONS_INVALID', option: 'timeout' });
    },
  );

  it('may take a fraction of a second', async () => {
    const fetch = async () => Response.json(nonce);
    expect(await requestNonce('https://alpha.example', REQUEST, { fetch, timeout: 1.005 })).toEqual(nonce);
  });

  it('is a token only if its claims are', async () => {
    const encode = (text: string) => Buffer.from(text).toString('base64url');
    const keys = await agentKeys();
    const sign = (claims: string) =>
      signAction({
        token: `e30.${encode(claims)}.e30`,
        keys,
        audience: 'https://mail.example',
        action: 'email.send',
        payload: PAYLOAD,
      });
    expect(await sign('{"jti":"1"}')).toMatch(/^ey/);
    for (const claims of ['{"jti":"1","jti":"2"}', '{"jti":1}', '[]', '', '{']) {
      await expect(sign(claims)).rejects.toMatchObject({ code: 'ERR_ISSUER_ANSWER_INVALID' });
    }
  });
});
