import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { getRequestListener } from '@hono/node-server';
import type { PassportVerifier } from '@passport-registry/passports';
import { transform } from 'esbuild';
import type { FastifyInstance } from 'fastify';
import type { Hono } from 'hono';
import { afterAll, describe, expect, it } from 'vitest';
import { issuedPassport } from '../support/passport-world.js';
import { ROOT } from '../support/paths.js';
import { listen } from '../support/serving.js';

/** The examples of the section, by the adapter that they import. */
function examples(): Map<string, string> {
  const document = readFileSync(join(ROOT, 'docs/verifiers.md'), 'utf8');
  const [, section = ''] = /^### Middleware\n([\s\S]*?)^### /m.exec(document) ?? [];
  const blocks = [...section.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code);
  return new Map(blocks.map((code) => [/passports\/(\w+)'/.exec(code)?.[1] ?? '', code]));
}

/** Runs an example. Returns its export. */
async function mailOf(adapter: string): Promise<(verifier: PassportVerifier) => unknown> {
  const folder = join(ROOT, 'test-results', 'examples');
  mkdirSync(folder, { recursive: true });
  const script = join(folder, `middleware-${adapter}.mjs`);
  const { code } = await transform(examples().get(adapter) ?? '', { loader: 'ts' });
  writeFileSync(script, code);
  return (await import(pathToFileURL(script).href)).mail;
}

const servers: FastifyInstance[] = [];
afterAll(() => Promise.all(servers.map((server) => server.close())));

/** Starts what an example returns. */
const STARTS: Record<string, (made: never) => Promise<string>> = {
  fetch: (handler: (request: Request) => Promise<Response>) => listen(getRequestListener(handler)),
  hono: (app: Hono) => listen(getRequestListener(app.fetch)),
  express: (app: RequestListener) => listen(app),
  fastify: (app: FastifyInstance) => {
    servers.push(app);
    return app.listen({ host: '127.0.0.1', port: 0 });
  },
  mcp: (app: RequestListener) => listen(app),
};

const { passport, verifier, credentials } = await issuedPassport();

describe('docs/verifiers.md, Middleware', () => {
  it('has an example for each adapter', () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, 'passports/package.json'), 'utf8'));
    const adapters = Object.entries<{ types?: string }>(exports).filter(([, { types }]) =>
      types?.includes('/middleware/'),
    );
    expect([...examples().keys()].map((name) => `./${name}`).sort()).toEqual(
      adapters.map(([name]) => name).sort(),
    );
  });

  it.each(Object.keys(STARTS))('the example for %s admits and refuses requests', async (name) => {
    const mail = await mailOf(name);
    const base = await STARTS[name]?.(mail(verifier) as never);
    const payload = { to: 'you@example.com' };
    const post = (headers: Record<string, string>, body = JSON.stringify(payload)) =>
      fetch(`${base}/send`, {
        method: 'POST',
        body,
        headers: { 'Content-Type': 'application/json', ...headers },
      });
    const good = await credentials(payload);
    expect((await post({})).status).toBe(401);
    expect((await post({ ...good, Authorization: 'Bearer x' })).status).toBe(401);
    if (name !== 'mcp') {
      expect((await post(good, '{"to":"me@example.com"}')).status).toBe(401);
      expect((await post(good, '{"to":"me@example.com","to":"you@example.com"}')).status).toBe(400);
    }
    const admitted = await post(good);
    expect(admitted.status).toBe(200);
    expect(await admitted.json()).toEqual(
      name === 'mcp' ? { agent: passport.did } : { sentFor: 'principal', to: 'you@example.com' },
    );
  });
});
