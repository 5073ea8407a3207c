import { chmodSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import { documented, gateFolder, ready, startGate } from '../../support/gate.js';
import { startCaddy, startNginx } from '../../support/hosts.js';
import {
  agentKeys,
  type IssuerWorld,
  issuerKey,
  issuerWorld,
  mandate,
  PAYLOAD,
  passportOf,
  proofOf,
  type TestPassport,
  tokenOf,
} from '../../support/passport-world.js';
import { type RawRequest, sendRaw } from '../../support/raw-request.js';
import { freePort, listen } from '../../support/serving.js';
import { temporaryFolder, writeFiles } from '../../support/workspace.js';

const QUERY = 'to=you%40example.com&subject=Hello';
const SEND = `/send?${QUERY}`;
/** The same with another receiver. */
const OTHER = '/send?to=me%40example.com&subject=Hello';
const IDENTITY = ['Issuer', 'Tier', 'Principal', 'Agent', 'Scope', 'Proven'].map(
  (name) => `passport-${name.toLowerCase()}`,
);

let world: IssuerWorld;
let sandbox: IssuerWorld;
let passport: TestPassport;
let token: string;
/** The requests that have reached the application. */
const reached: { method: string; url: string; headers: IncomingHttpHeaders; body: string }[] = [];
let application: string;

beforeAll(async () => {
  world = await issuerWorld('alpha', await issuerKey());
  sandbox = await issuerWorld('sandbox', await issuerKey(), { tier: 'sandbox' });
  passport = await passportOf(world, await agentKeys());
  token = await tokenOf(world, passport);
  application = await listen((request, response) => {
    let body = '';
    request.on('data', (data) => {
      body += data;
    });
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      reached.push({ method, url, headers, body });
      response.end('done');
    });
  });
});

beforeEach(() => {
  reached.length = 0;
});

type Headers = readonly (readonly [string, string])[];
const bearer = (value = token): Headers => [['Authorization', `Bearer ${value}`]];
const withProof = (proof: string, value = token): Headers => [...bearer(value), ['Action-Proof', proof]];
const proven = async (claims: Record<string, unknown> = {}) =>
  withProof(await proofOf(token, passport, claims));

/** Headers with a passport of an issuer, with other claims, and a proof that is valid. */
async function presented(issuer: IssuerWorld, claims: Record<string, unknown> = {}) {
  const other = await passportOf(issuer, passport.keys, claims);
  const value = await tokenOf(issuer, other);
  return withProof(await proofOf(value, other), value);
}

const request = (headers: Headers, more: Partial<RawRequest> = {}): RawRequest => ({
  target: SEND,
  headers,
  ...more,
});

/**
 * Attacks with one request, by what a gateway makes of it. Each must be refused, and must not reach the application. What the door
 * itself refuses, test/passports/gate shows, and which passports and proofs, the conformance kit.
 */
const ATTACKS: Readonly<Record<string, () => Promise<RawRequest>>> = {
  'two Authorization headers': async () => request([...bearer(), ...(await proven())]),
  'two passports in one header': async () =>
    request([['Authorization', `Bearer ${token}, Bearer ${token}`], ...(await proven()).slice(1)]),
  'two proofs': async () => request([...(await proven()), ['Action-Proof', await proofOf(token, passport)]]),
  'another query': async () => request(await proven(), { target: OTHER }),
  'a parameter after two question marks': async () => request(await proven(), { target: `/send??${QUERY}` }),
  'an additional parameter': async () => request(await proven(), { target: `${SEND}&bcc=me%40example.com` }),
  'a parameter twice': async () => request(await proven(), { target: `${SEND}&to=me%40example.com` }),
  'a query that is not UTF-8': async () => request(await proven(), { target: `${SEND}%ff` }),
  'the query of another URI in headers of every gateway': async () =>
    request(
      [
        ...(await proven()),
        ...['X-Original-Uri', 'X-Original-URL', 'X-Forwarded-Uri', 'X-Rewrite-Url'].map(
          (name) => [name, SEND] as const,
        ),
      ],
      { target: OTHER },
    ),
  'the same, with those headers named hop-by-hop': async () =>
    request(
      [
        ...(await proven()),
        ['X-Forwarded-Uri', SEND],
        ['X-Original-Uri', SEND],
        ['Connection', 'close, X-Forwarded-Uri, X-Original-Uri, X-Forwarded-Method, X-Original-Method'],
      ],
      { target: OTHER },
    ),
  'a passport named hop-by-hop, and another for the application': async () =>
    request([
      ['Authorization', 'Bearer x'],
      ['Connection', 'close, Authorization'],
      ...(await proven()).slice(1),
    ]),
  'a body with POST': async () =>
    request(await proven(), { method: 'POST', target: '/send', body: JSON.stringify(PAYLOAD) }),
  'a body with POST, named GET in headers': async () =>
    request(
      [
        ...(await proven()),
        ['X-Forwarded-Method', 'GET'],
        ['X-Original-Method', 'GET'],
        ['X-HTTP-Method-Override', 'GET'],
      ],
      { method: 'POST', body: '{"to":"me@example.com"}' },
    ),
  'a method that nobody knows': async () => request(await proven(), { method: 'FOO' }),
  'two lengths': async () =>
    request([...(await proven()), ['Content-Length', '4'], ['Transfer-Encoding', 'chunked']], {
      method: 'POST',
      body: '0\r\n\r\nGET',
    }),
  'a header of 100 KB': async () => request([...(await proven()), ['X-Long', 'x'.repeat(100_000)]]),
  'headers of the door without a passport': async () =>
    request([...IDENTITY.map((name) => [name, 'alpha'] as const), ['Passport-Proven', 'action']]),
};

type Places = Readonly<Record<string, string>>;

interface Gateway {
  readonly program: string;
  /** Starts it with the documented configuration. @param changes - other text in place of parts of it */
  readonly start: (changes?: Places) => Promise<string>;
}

/** Starts a door. Returns its host. */
async function door(gateway: string): Promise<string> {
  const gate = await startGate(await gateFolder([world, sandbox]), { gateway });
  await ready(gate);
  return new URL(gate.address).host;
}

const here = (text: string, places: Places) =>
  Object.entries(places).reduce((all, [from, to]) => {
    expect(all).toContain(from);
    return all.replaceAll(from, to);
  }, text);

const NGINX: Gateway = {
  program: 'nginx',
  start: async (changes = {}) => {
    const port = await freePort();
    const [text = ''] = documented('nginx', 'nginx');
    const places = {
      '127.0.0.1:8090': `127.0.0.1:${port}`,
      '127.0.0.1:8181': await door('nginx'),
      'http://127.0.0.1:3000': application,
    };
    return startNginx(here(here(text, changes), places), port);
  },
};

const CADDY: Gateway = {
  program: 'caddy',
  start: async (changes = {}) => {
    const port = await freePort();
    const [text = ''] = documented('Caddy', 'caddyfile');
    const places = {
      ':8090': `:${port}`,
      '127.0.0.1:8181': await door('caddy'),
      '127.0.0.1:3000': new URL(application).host,
    };
    return startCaddy(here(here(text, changes), places), port);
  },
};

/** What the headers of the door tell the application of the admitted agent. */
const told = () => ['alpha', 'certified', 'principal', passport.did, 'email.send', 'action'];

for (const { program, start } of [NGINX, CADDY]) {
  describeWith([program], `${program}, as documented`, () => {
    let address: string;
    beforeAll(async () => {
      address = await start();
    });

    it('admits an agent with a passport and a proof, and tells the application who it is', async () => {
      const { status } = await sendRaw(address, request(await proven()));
      expect(status).toBe(200);
      expect(reached).toHaveLength(1);
      expect(IDENTITY.map((one) => reached[0]?.headers[one])).toEqual(told());
    });

    it.each(Object.keys(ATTACKS))('refuses %s', async (attack) => {
      const { status = 400 } = await sendRaw(address, (await ATTACKS[attack]?.()) as RawRequest);
      // A server that closes the connection has refused, too.
      expect(status).toBeGreaterThanOrEqual(400);
      expect(status).not.toBe(503);
      expect(reached).toEqual([]);
    });

    it('says why', async () => {
      const { status, headers } = await sendRaw(address, request(bearer()));
      expect([status, headers.get('passport-error')]).toEqual([401, 'proof-missing']);
      expect(headers.get('www-authenticate')).toContain('invalid_proof');
      const other = await sendRaw(
        address,
        request(await presented(world, { mandate: mandate({ scope: [] }) })),
      );
      expect([other.status, other.headers.get('passport-error')]).toEqual([403, 'scope-not-granted']);
      expect(other.headers.get('www-authenticate')).toContain('insufficient_scope');
    });

    it('answers 503 while an issuer is unreachable', async () => {
      const other = await passportOf(world, passport.keys);
      const value = await tokenOf(world, other);
      world.intercept = ({ url }, response) => {
        if (url !== other.statusPath) return false;
        response.writeHead(500).end();
        return true;
      };
      const { status, headers } = await sendRaw(
        address,
        request(withProof(await proofOf(value, other), value)),
      );
      expect([status, headers.get('retry-after'), headers.get('passport-error')]).toEqual([
        503,
        '5',
        'status-unreachable',
      ]);
      world.intercept = () => false;
    });

    it('lets no fragment hide the query that the application reads', async () => {
      await sendRaw(address, request(await proven(), { target: `/send#?${QUERY}` }));
      // Caddy encodes the fragment, for the door and for the application.
      expect(reached.filter(({ url }) => url !== `/send%23?${QUERY}`)).toEqual([]);
    });

    it('refuses a proof that was used, whatever the client calls the request', async () => {
      const id: Headers = ['X-Request-Id', 'X-Original-Request-Id'].map((header) => [header, 'a'.repeat(32)]);
      const headers = [...(await proven()), ...id];
      expect((await sendRaw(address, request(headers))).status).toBe(200);
      expect((await sendRaw(address, request(headers))).status).toBe(401);
      expect(reached).toHaveLength(1);
    });

    it('tells the application nothing that the client has said of itself', async () => {
      const forged: Headers = [
        ...IDENTITY.map((one) => [one, 'evil'] as const),
        ...IDENTITY.map((one) => [one.replace('-', '_'), 'evil'] as const),
      ];
      const hops: Headers = [['Connection', `close, ${IDENTITY.join(', ')}`]];
      expect((await sendRaw(address, request([...(await proven()), ...forged, ...hops]))).status).toBe(200);
      const { headers = {} } = reached[0] ?? {};
      expect(IDENTITY.map((one) => headers[one])).not.toContain('evil');
      expect(headers['passport-issuer']).toBe('alpha');
      expect(Object.keys(headers).filter((one) => one.startsWith('passport_'))).toEqual([]);
    });

    it.each([
      '/%73end',
      '//send',
      '/x/../send',
      '/send%2f',
      '/x/%2e%2e/send',
      '/./send',
      '/send;a=b',
      '/SEND',
      '/_passport',
      '/verify/mail',
    ])('asks for every spelling of a path: %s', async (path) => {
      const { status } = await sendRaw(address, { target: path });
      expect([401, 404]).toContain(status);
      expect(reached).toEqual([]);
    });

    it.each([
      ['GET', [['Content-Length', '5']], 'hello'],
      ['DELETE', [['Content-Length', '5']], 'hello'],
      ['GET', [['Transfer-Encoding', 'chunked']], '5\r\nhello\r\n0\r\n\r\n'],
    ] as const)('keeps the body of %s with %j from the application', async (method, length, body) => {
      const headers = [...(await proven()), ...(length as Headers)];
      await sendRaw(address, request(headers, { method, body }));
      expect(reached.map((one) => one.body).join('')).toBe('');
    });
  });
}

describeWith(['nginx'], 'nginx with locations that were added later', () => {
  let address: string;
  beforeAll(async () => {
    const [text = '', read = ''] = documented('nginx', 'nginx');
    const [ask = ''] = /^ {4}location = \/_passport \{[\s\S]*?^ {4}\}\n/m.exec(text) ?? [];
    const site = here(ask, { '/_passport': '/_passport_site', '/verify/mail': '/verify/site' });
    const added = 'location /added/ { proxy_pass http://127.0.0.1:3000; }\n';
    address = await NGINX.start({ [ask]: `${ask}${site}${read}\n${added}` });
  });

  it('tells the application the truth there, too, and no body', async () => {
    const forged: Headers = IDENTITY.map((one) => [one, 'evil']);
    const headers: Headers = [...(await proven()), ...forged, ['Content-Length', '5']];
    const target = `/added/x?${QUERY}`;
    const { status } = await sendRaw(address, { method: 'DELETE', target, headers, body: 'hello' });
    expect([status, reached[0]?.url, reached[0]?.body]).toEqual([200, target, '']);
    expect(IDENTITY.map((one) => reached[0]?.headers[one])).toEqual(told());
  });

  it('admits a passport alone for one path, however the path is spelled', async () => {
    for (const path of ['/read', '/%72ead', '/x/../read', '//read', '/read/..%2fread']) {
      reached.length = 0;
      expect((await sendRaw(address, { target: path, headers: bearer() })).status).toBe(200);
      expect([path, reached[0]?.url, reached[0]?.headers['passport-proven']]).toEqual([
        path,
        '/read',
        'passport',
      ]);
    }
    reached.length = 0;
    for (const path of [
      '/read/',
      '/READ',
      '/read/..%2fsend',
      '/read/../send',
      '/read%2f..%2fsend',
      '/read;/../send',
    ])
      expect([path, (await sendRaw(address, { target: path, headers: bearer() })).status]).toEqual([
        path,
        401,
      ]);
    expect(reached).toEqual([]);
  });

  it('passes on paths as nginx reads them', async () => {
    const target = `/x/..%2f/send?${QUERY}`;
    expect((await sendRaw(address, request(await proven(), { target }))).status).toBe(200);
    expect(reached[0]?.url).toBe(SEND);
  });
});

describeWith(['nginx'], 'nginx as in the first ten minutes, with an action', () => {
  it('lets no client describe its own request', async () => {
    const folder = temporaryFolder();
    const port = await freePort();
    chmodSync(folder, 0o755);
    writeFiles(folder, { page: 'the page' });
    const [text = ''] = documented('A static site behind nginx, in ten minutes', 'nginx');
    const places = {
      '/srv/site': folder,
      '127.0.0.1:8090': `127.0.0.1:${port}`,
      '127.0.0.1:8181/verify/site': `${await door('nginx')}/verify/mail`,
    };
    const address = await startNginx(here(text, places), port);
    const forged = async (): Promise<Headers> => [
      ...(await proven()),
      ['X-Original-Method', 'GET'],
      ['X-Original-Uri', SEND],
      ['X-Original-Host', 'mail.example'],
      ['X-Original-Request-Id', 'a'.repeat(32)],
    ];
    const statusOf = async (target: string, headers: Headers) =>
      (await sendRaw(address, { target, headers })).status;
    expect(await statusOf('/page?unsigned=1', await forged())).toBe(401);
    const headers = await forged();
    expect(await statusOf(`/page?${QUERY}`, headers)).toBe(200);
    expect(await statusOf(`/page?${QUERY}`, headers)).toBe(401);
  });
});

describeWith(['caddy'], 'Caddy with a handler that was added later', () => {
  it('asks for it if it stands in the route, behind forward_auth', async () => {
    const proxy = '\t\treverse_proxy 127.0.0.1:3000\n';
    const address = await CADDY.start({ [proxy]: `\t\thandle /added/* {\n${proxy}\t\t}\n${proxy}` });
    const forged: Headers = IDENTITY.map((one) => [one, 'evil']);
    expect((await sendRaw(address, { target: '/added/x', headers: forged })).status).toBe(401);
    expect(reached).toEqual([]);
    const headers = [...(await proven()), ...forged];
    expect((await sendRaw(address, { target: `/added/x?${QUERY}`, headers })).status).toBe(200);
    expect(Object.values(reached[0]?.headers ?? {})).not.toContain('evil');
  });
});

const ORIGIN = 'https://app.example';
const PREFLIGHT: Headers = [
  ['Access-Control-Request-Method', 'GET'],
  ['Access-Control-Request-Headers', 'authorization,action-proof'],
];

/** The lines of the document for browsers, and where each gateway has them. */
const CORS: readonly (readonly [Gateway, () => Places])[] = [
  [
    NGINX,
    () => {
      const [map = '', lines = ''] = documented('Browsers and preflights (CORS)', 'nginx');
      const [repeated = ''] = /^( *add_header.*\n)+/.exec(lines) ?? [];
      const [upstream, refused] = ['upstream passport_door {\n', '    location @passport_refused {\n'];
      const page = '    error_page 403 = @passport_refused;\n';
      return { [upstream]: map + upstream, [page]: page + lines, [refused]: refused + repeated };
    },
  ],
  [
    CADDY,
    () => {
      const [lines = ''] = documented('Browsers and preflights (CORS)', 'caddyfile');
      return { '\troute {\n': `\troute {\n${lines}` };
    },
  ],
];

for (const [{ program, start }, changes] of CORS) {
  describeWith([program], `${program} with the lines for browsers`, () => {
    let address: string;
    beforeAll(async () => {
      address = await start(changes());
    });
    const from = (origin: string): Headers => [['Origin', origin]];
    const preflight = (origin: string) =>
      sendRaw(address, { method: 'OPTIONS', target: SEND, headers: [...from(origin), ...PREFLIGHT] });

    it('answers a preflight itself, and names only the known origin', async () => {
      const { status, headers } = await preflight(ORIGIN);
      expect(status).toBe(204);
      expect(headers.get('access-control-allow-origin')).toBe(ORIGIN);
      expect(headers.get('access-control-allow-headers')).toBe('Authorization, Action-Proof, Content-Type');
      expect((await preflight('https://evil.example')).headers.has('access-control-allow-origin')).toBe(
        false,
      );
      expect(reached).toEqual([]);
    });

    it('lets no OPTIONS reach the application, with or without a preflight', async () => {
      for (const headers of [[], from(ORIGIN), [...from(ORIGIN), ...(await proven())]])
        await sendRaw(address, { method: 'OPTIONS', target: SEND, headers });
      expect(reached).toEqual([]);
    });

    it('verifies every other request as before, and lets the script read why it was refused', async () => {
      const admitted = await sendRaw(address, request([...from(ORIGIN), ...(await proven())]));
      expect([admitted.status, admitted.headers.get('access-control-allow-origin')]).toEqual([200, ORIGIN]);
      const without = await sendRaw(address, request(from(ORIGIN)));
      expect([without.status, without.headers.get('access-control-allow-origin')]).toEqual([401, ORIGIN]);
      expect(without.headers.get('access-control-expose-headers')).toContain('Passport-Error');
      const untrusted = await presented(sandbox);
      const refused = await sendRaw(address, request([...from(ORIGIN), ...untrusted]));
      expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([403, ORIGIN]);
      expect(refused.headers.get('www-authenticate')).toContain('untrusted_issuer');
      expect(reached).toHaveLength(1);
    });
  });
}

describeWith(['caddy'], 'Caddy and the trailers of a request', () => {
  it('passes them on, but none of them becomes a header', async () => {
    const address = await CADDY.start();
    const trailer: Headers = [
      ['Transfer-Encoding', 'chunked'],
      ['Trailer', 'Passport-Issuer'],
    ];
    const body = '0\r\nPassport-Issuer: evil\r\n\r\n';
    const { status } = await sendRaw(address, request([...(await proven()), ...trailer], { body }));
    expect(status).toBe(200);
    expect(reached[0]?.headers['passport-issuer']).toBe('alpha');
    expect(Object.values(reached[0]?.headers ?? {})).not.toContain('evil');
  });
});

describeWith(['nginx'], 'nginx in front of files', () => {
  it('asks twice for one request, after index or try_files, which is no replay', async () => {
    const folder = temporaryFolder();
    const port = await freePort();
    chmodSync(folder, 0o755);
    writeFiles(folder, { 'index.html': 'the index', 'other.html': 'the other' });
    const gate = await door('nginx');
    const [text = ''] = documented('nginx', 'nginx');
    const [, proxied = ''] = /( {4}location \/ \{[\s\S]*?^ {4}\}\n)/m.exec(text) ?? [];
    const files = `root ${folder}; location / { try_files $uri $uri/ /other.html; }\n`;
    const places = {
      [proxied]: files,
      '127.0.0.1:8090': `127.0.0.1:${port}`,
      '127.0.0.1:8181': gate,
    };
    const address = await startNginx(here(text, places), port);
    for (const path of ['/', '/no-such-file']) {
      const answers = () => admittedBy(gate);
      const before = await answers();
      const headers = await proven();
      expect((await sendRaw(address, request(headers, { target: `${path}?${QUERY}` }))).status).toBe(200);
      expect([path, (await answers()) - before]).toEqual([path, 2]);
      expect((await sendRaw(address, request(headers, { target: `${path}?${QUERY}` }))).status).toBe(401);
    }
  });
});

/** How many requests a door has admitted to the profile `mail`. */
async function admittedBy(host: string): Promise<number> {
  const text = await (await fetch(`http://${host}/metrics`)).text();
  const [, count = 0] =
    /^passport_gate_answers_total\{profile="mail",status="200",error="none"\} (\d+)/m.exec(text) ?? [];
  return Number(count);
}
