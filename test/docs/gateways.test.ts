import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeWith } from '../support/components.js';
import { commandsBelow, sh, withoutInstall } from '../support/documents.js';
import { documented, gateFolder, ready, startGate } from '../support/gate.js';
import { startNginx } from '../support/hosts.js';
import {
  agentKeys,
  issuerKey,
  issuerWorld,
  PAYLOAD,
  passportOf,
  proofOf,
  tokenOf,
} from '../support/passport-world.js';
import { ROOT } from '../support/paths.js';
import { type RawRequest, sendRaw } from '../support/raw-request.js';
import { freePort, sandboxIn, serve } from '../support/serving.js';
import { run, temporaryFolder, writeFiles } from '../support/workspace.js';

const DOCUMENT = readFileSync(join(ROOT, 'docs/gateways.md'), 'utf8');

const START = 'A static site behind nginx, in ten minutes';

describe('docs/gateways.md', () => {
  it('has at most 3,000 words', () => {
    expect(DOCUMENT.split(/\s+/).length).toBeLessThanOrEqual(3000);
  });
});

describeWith(['nginx'], 'the first ten minutes', () => {
  it('protect a static site with nginx', async () => {
    const folder = temporaryFolder();
    const [make = '', pin = '', start] = commandsBelow('docs/gateways.md', START);
    expect(start).toBe('npx passport-registry gate gate.yaml\n');
    await sh(withoutInstall(make).replace('npm init --yes\n', ''), folder);
    const registry = await serve(join(folder, 'dist'));
    const issuer = await sandboxIn(folder);
    await sh(pin.replace('http://127.0.0.1:8080', registry), folder);
    const [settings = ''] = documented(START, 'yaml');
    const door = await startGate(
      { folder, settings: parse(settings.replace('http://127.0.0.1:8787', issuer)) },
      { listen: '127.0.0.1:0' },
    );
    const port = await freePort();
    const site = join(folder, 'site');
    mkdirSync(site);
    chmodSync(folder, 0o755);
    writeFiles(site, { 'index.html': 'the page' });
    const [nginx = ''] = documented(START, 'nginx');
    const address = await startNginx(
      nginx
        .replace('127.0.0.1:8090', `127.0.0.1:${port}`)
        .replace('/srv/site', site)
        .replace('http://127.0.0.1:8181', door.address),
      port,
    );
    const [agent = ''] = documented(START, 'js');
    const here = agent.replace('http://127.0.0.1:8787', issuer).replace('http://127.0.0.1:8090', address);
    // Inside the checkout, so that the imports find the package by name.
    const checkout = join(ROOT, 'test-results/gateways');
    writeFiles(checkout, { 'agent.mjs': here });
    const { stdout } = await run(process.execPath, ['agent.mjs'], checkout);
    expect(stdout).toBe('401 passport-missing 200\n');
  });
});

interface EnvoyFilter {
  readonly typed_config: {
    readonly failure_mode_allow: boolean;
    readonly status_on_error: { readonly code: string };
    readonly with_request_body: { readonly allow_partial_message: boolean };
    readonly allowed_headers: Matchers;
    readonly http_service: {
      readonly path_prefix: string;
      readonly authorization_response: {
        readonly allowed_upstream_headers: Matchers;
        readonly allowed_client_headers: Matchers;
      };
    };
  };
}

interface Matchers {
  readonly patterns: readonly { readonly exact?: string; readonly prefix?: string }[];
}

const matches = ({ patterns }: Matchers, name: string) =>
  patterns.some(({ exact, prefix = '\n' }) => exact === name || name.startsWith(prefix));

interface ClientRequest {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** A check as a gateway sends it, and what the gateway makes of the answer. */
interface CheckOf {
  check(request: ClientRequest): RawRequest;
  /** Whether the request passes on, and with which headers. */
  upstream(
    request: ClientRequest,
    answer: { status: number | undefined; headers: Headers },
  ): Record<string, string> | undefined;
}

/**
 * Envoy with the filter of the document, after its documentation: method, host, authorization and what `allowed_headers` matches; the
 * path behind `path_prefix`; the body, with x-envoy-auth-partial-body; and no such header of a client.
 */
function envoy({ typed_config: { allowed_headers, http_service } }: EnvoyFilter): CheckOf {
  const { path_prefix, authorization_response } = http_service;
  return {
    check: ({ method, target, headers, body = '' }) => ({
      ...{ method, target: path_prefix + target, body },
      headers: [
        ['content-length', String(body.length)],
        ...Object.entries(headers).filter(
          ([name]) => name === 'authorization' || matches(allowed_headers, name),
        ),
        ...(body === '' ? [] : [['x-envoy-auth-partial-body', 'false'] as const]),
      ],
    }),
    upstream: ({ headers }, { status, headers: told }) =>
      status !== 200
        ? undefined
        : {
            ...headers,
            ...Object.fromEntries(
              [...told].filter(([name]) => matches(authorization_response.allowed_upstream_headers, name)),
            ),
          },
  };
}

interface TraefikFile {
  readonly http: {
    readonly middlewares: {
      readonly passport: {
        readonly forwardAuth: {
          readonly address: string;
          readonly authResponseHeaders: readonly string[];
        } & Readonly<Record<string, unknown>>;
      };
    };
  };
}

/** Traefik with the middleware of the document, after its documentation: all headers, and five that it sets itself. */
function traefik({ http: { middlewares } }: TraefikFile): CheckOf {
  const { address, authResponseHeaders } = middlewares.passport.forwardAuth;
  const listed = authResponseHeaders.map((name) => name.toLowerCase());
  return {
    check: ({ method, target, headers, body = '' }) => ({
      ...{ method, target: new URL(address).pathname, body },
      headers: [
        ...Object.entries(headers).filter(([name]) => !name.startsWith('x-forwarded-')),
        ['X-Forwarded-Method', method],
        ['X-Forwarded-Proto', 'https'],
        ['X-Forwarded-Host', 'mail.example'],
        ['X-Forwarded-Uri', target],
        ['X-Forwarded-For', '192.0.2.1'],
      ],
    }),
    upstream: ({ headers }, { status, headers: told }) =>
      status !== 200
        ? undefined
        : {
            ...Object.fromEntries(Object.entries(headers).filter(([name]) => !listed.includes(name))),
            ...Object.fromEntries(
              listed.flatMap((name) => (told.has(name) ? [[name, told.get(name) ?? '']] : [])),
            ),
          },
  };
}

describe.each([
  ['Envoy', envoy, 'envoy'],
  ['Traefik', traefik, 'traefik'],
] as const)('%s, by its protocol', (heading, gateway, name) => {
  it('admits an action with its body, and nothing that a client says of itself', async () => {
    const [text = ''] = documented(heading, 'yaml');
    const { check, upstream } = gateway(parse(text));
    const world = await issuerWorld('alpha', await issuerKey());
    const passport = await passportOf(world, await agentKeys());
    const token = await tokenOf(world, passport);
    const gate = await startGate(await gateFolder([world]), { gateway: name });
    await ready(gate);
    const outcome = async (request: ClientRequest) =>
      upstream(request, await sendRaw(gate.address, check(request)));
    const headers = async (more: Record<string, string> = {}) => ({
      authorization: `Bearer ${token}`,
      'action-proof': await proofOf(token, passport),
      'content-type': 'application/json',
      ...more,
    });
    const body = JSON.stringify(PAYLOAD);
    const forged = { 'passport-issuer': 'evil', 'passport-proven': 'action', 'passport-agent': 'evil' };
    const told = await outcome({ method: 'POST', target: '/send', headers: await headers(forged), body });
    expect(told).toMatchObject({
      'passport-issuer': 'alpha',
      'passport-proven': 'action',
      'passport-agent': passport.did,
    });
    expect(Object.keys(told ?? {}).filter((one) => one.startsWith('passport-'))).toHaveLength(6);
    const query = '/send?to=you%40example.com&subject=Hello';
    expect(await outcome({ method: 'GET', target: query, headers: await headers() })).toBeDefined();
    // Without the body, or with more than the proof covers.
    expect(await outcome({ method: 'POST', target: query, headers: await headers() })).toBeUndefined();
    expect(await outcome({ method: 'POST', target: query, headers: await headers(), body })).toBeUndefined();
    expect(await outcome({ method: 'GET', target: query, headers: await headers(), body })).toBeUndefined();
    const other = JSON.stringify({ ...PAYLOAD, to: 'me@example.com' });
    expect(
      await outcome({ method: 'POST', target: '/send', headers: await headers(), body: other }),
    ).toBeUndefined();
    for (const target of [
      '/../site',
      '/%2e%2e/site',
      '/../../healthz',
      '/..\\..\\..\\healthz',
      '//x/../../../healthz',
    ])
      expect([target, await outcome({ method: 'GET', target, headers: await headers() })]).toEqual([
        target,
        undefined,
      ]);
  });
});

describe('docs/gateways.md', () => {
  it('lets Envoy and Traefik fail closed', () => {
    const [filter = '', middleware = ''] = ['Envoy', 'Traefik'].map(
      (heading) => documented(heading, 'yaml')[0],
    );
    const { typed_config } = parse(filter) as EnvoyFilter;
    expect(typed_config).toMatchObject({
      failure_mode_allow: false,
      status_on_error: { code: 'ServiceUnavailable' },
      with_request_body: { allow_partial_message: false },
    });
    const clientHeaders = typed_config.http_service.authorization_response.allowed_client_headers;
    for (const name of ['passport-error', 'www-authenticate', 'retry-after'])
      expect(matches(clientHeaders, name)).toBe(true);
    const { forwardAuth } = (parse(middleware) as TraefikFile).http.middlewares.passport;
    expect(forwardAuth).toMatchObject({ forwardBody: true, preserveRequestMethod: true });
    expect(forwardAuth).not.toHaveProperty('trustForwardHeader');
  });

  it('describes every setting of gate.yaml with a file that the command accepts', async () => {
    const [text = ''] = documented('Profiles', 'yaml');
    const settings = parse(text);
    const { properties } = JSON.parse(readFileSync(join(ROOT, 'schemas/gate.schema.json'), 'utf8'));
    const told = Object.keys(properties).filter((name) => name in settings || DOCUMENT.includes(`\`${name}`));
    expect(told).toEqual(Object.keys(properties));
    const { folder } = await gateFolder([]);
    const gate = await startGate(
      { folder, settings },
      { listen: '127.0.0.1:0' },
      { REDIS_URL: 'redis://127.0.0.1:1' },
    );
    expect(gate.events()).toContainEqual(expect.objectContaining({ profiles: ['site', 'mail', 'api'] }));
  });
});

describeWith(['systemd-analyze'], 'cli/passport-gate.service', () => {
  it('is a unit that systemd understands', async () => {
    const folder = temporaryFolder();
    const unit = readFileSync(join(ROOT, 'cli/passport-gate.service'), 'utf8');
    const [, command = ''] = /^ExecStart=(passport-registry .*)$/m.exec(unit) ?? [];
    expect(command).toBe('passport-registry gate /etc/passport-gate/gate.yaml');
    writeFiles(folder, {
      'passport-gate.service': unit.replace('ExecStart=passport-registry', 'ExecStart=/bin/true'),
    });
    const { code, stderr } = await run('systemd-analyze', ['verify', './passport-gate.service'], folder);
    expect([code, stderr.match(/passport-gate.*/g)]).toEqual([0, null]);
  });
});
