import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { issuers, type Kind, listenTls } from '../../support/broken-issuers.js';
import { certificate } from '../../support/certificate.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

/** A kind, with words of each finding. An issuer without rules passes without a warning. */
type Expected = Partial<Kind> & { readonly words?: readonly RegExp[] };

const metadata =
  (
    answer: (text: string, response: ServerResponse, request: IncomingMessage) => unknown,
  ): NonNullable<Kind['answer']> =>
  (request, response, document) => {
    if (document !== 'metadata') return false;
    const [, id = ''] = (request.url ?? '').split('/');
    const origin = `https://${request.headers.host}`;
    const text = JSON.stringify({ issuer: origin, issuer_id: id, jwks_uri: `${origin}/${id}/jwks` });
    answer(text, response, request);
    return true;
  };

/** Answers the first requests for each document otherwise. */
function first(count: number, answer: (response: ServerResponse) => unknown): NonNullable<Kind['answer']> {
  const seen = new Map<string, number>();
  return (_request, response, document) => {
    const before = seen.get(document) ?? 0;
    seen.set(document, before + 1);
    if (before < count) answer(response);
    return before < count;
  };
}

const busy = (status: number, retryAfter: string) => (response: ServerResponse) =>
  response.writeHead(status, { 'Retry-After': retryAfter }).end();

const KINDS: Readonly<Record<string, Expected>> = {
  'resets the first two connections': {
    answer: first(2, (response) => response.destroy()),
  },
  'breaks off its first answers': {
    answer: first(1, (response) => {
      response.writeHead(200, { 'Content-Length': '1000' }).write('{');
      setTimeout(() => response.destroy(), 20);
    }),
  },
  'is silent at first': { answer: first(1, () => undefined) },
  'is busy for a second': { answer: first(1, busy(429, '1')) },
  'is busy until a date': {
    answer: first(1, (response) => {
      // Only the difference counts: the clock of the host is years back.
      response.setHeader('Date', 'Sun, 06 Nov 1994 08:49:37 GMT');
      busy(503, 'Sun, 06 Nov 1994 08:49:38 GMT')(response);
    }),
  },
  'is busy, and does not say for how long': { answer: first(1, busy(503, 'soon')) },
  'is busy for an hour': {
    rules: ['http-status', 'http-status', 'http-status'],
    words: [/responded with status 429, and asks to come back in 3600 s/],
    answer: (_request, response) => {
      busy(429, '3600')(response);
      return true;
    },
  },
  'refuses requests of pages': {
    rules: ['no-cors', 'no-cors'],
    words: [/cannot be read by verifiers in browsers/],
    answer: (request, response) => {
      response.removeHeader('Access-Control-Allow-Origin');
      if (request.headers.origin !== undefined) response.writeHead(403).end();
      return request.headers.origin !== undefined;
    },
  },
  'compresses by gzip': {
    answer: metadata((text, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(text)),
    ),
  },
  'compresses without saying so': {
    rules: ['not-json'],
    words: [/is not JSON: it is compressed.*say so in Content-Encoding/s],
    answer: metadata((text, response) => response.end(gzipSync(text))),
  },
  'says gzip of what is not compressed': {
    rules: ['not-json'],
    words: [/cannot be decompressed.*correct the header Content-Encoding/s],
    answer: metadata((text, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(text)),
  },
  'compresses by what nobody asks for': {
    rules: ['not-json'],
    words: [/its Content-Encoding is "zstd".*verifiers ask for gzip/s],
    answer: metadata((text, response) =>
      response.writeHead(200, { 'Content-Encoding': 'zstd' }).end(gzipSync(text)),
    ),
  },
  'compresses by deflate, and then by gzip': {
    answer: metadata((text, response) =>
      response.writeHead(200, { 'Content-Encoding': 'deflate, gzip' }).end(gzipSync(deflateSync(text))),
    ),
  },
  'says an encoding that is none': {
    answer: metadata((text, response) => response.writeHead(200, { 'Content-Encoding': 'UTF-8' }).end(text)),
  },
  'has a byte order mark': {
    rules: ['not-json'],
    words: [/begins with a byte order mark.*UTF-8 without a byte order mark/s],
    answer: metadata((text, response) => response.end(`\ufeff${text}`)),
  },
  'is empty': {
    rules: ['not-json'],
    words: [/it is empty.*the response has no content/s],
    answer: metadata((_text, response) => response.end()),
  },
  'is a page': {
    rules: ['not-json'],
    words: [/as HTML and XML do.*not a page for people/s],
    answer: metadata((_text, response) => response.end('\n<html></html>')),
  },
  'has a member twice': {
    rules: ['not-json'],
    words: [/the member "issuer" appears twice.*remove one of the two/s],
    answer: metadata((text, response) => response.end(text.replace('{', '{"issuer":"",'))),
  },
  'is UTF-16': {
    rules: ['not-json'],
    words: [/it is not UTF-8.*save the document as UTF-8/s],
    answer: metadata((text, response) => response.end(Buffer.from(`\ufeff${text}`, 'utf16le'))),
  },
  'names http behind a TLS proxy': {
    rules: ['discovery-other-host'],
    words: [/another scheme than .*write https:/s],
    serve: ({ metadata: one }) =>
      Object.assign(one, { issuer: String(one['issuer']).replace('https:', 'http:') }),
  },
  'names another port': {
    rules: ['discovery-other-host'],
    words: [/another port than .*write the port of the record/s],
    serve: ({ metadata: one }) =>
      Object.assign(one, { issuer: String(one['issuer']).replace(/\d+$/, '8443') }),
  },
  'spells its key set otherwise': {
    rules: ['discovery-other-keys'],
    words: [/another spelling than .*character by character/s],
    serve: ({ metadata: one }) =>
      Object.assign(one, { jwks_uri: String(one['jwks_uri']).replace('localhost', 'LOCALHOST') }),
  },
  'writes null for what it does not have': {
    serve: ({ keys }) => {
      for (const key of keys) Object.assign(key, { d: null, use: null, key_ops: null, alg: null });
    },
  },
  'has a private member that is empty': {
    rules: ['jwks-unusable-key'],
    words: [/has a private member: leave it out/],
    serve: ({ keys }) => void keys.push({ kty: 'oct', k: '', kid: 'empty' } as never),
  },
  'has a key that is null': {
    rules: ['jwks-unusable-key'],
    words: [/keys\[0\] at jwks_uri is not a JSON object/],
    serve: ({ keys }) => void keys.unshift(null as never),
  },
  'has a kid that verifiers do not read': {
    rules: ['jwks-unusable-key'],
    words: [/has a kid of 300 characters, and verifiers read at most 256/],
    serve: ({ keys }) => void Object.assign(keys[0] ?? {}, { kid: 'k'.repeat(300) }),
  },
};
const names = Object.keys(KINDS);

/** A diagnostic of the command. */
interface Found {
  readonly file: string;
  readonly rule: string;
  readonly message: string;
  readonly remedy: string;
}

describe('check --online with what issuers in the field serve', () => {
  const folder = temporaryFolder();
  const received: IncomingMessage['rawHeaders'][] = [];
  let environment: Record<string, string>;
  let port: number;

  beforeAll(async () => {
    certificate(folder, 'good', 'localhost');
    environment = { NODE_EXTRA_CA_CERTS: join(folder, 'good.pem') };
    const answer = issuers((id) => ({ rules: [], ...KINDS[names[Number(id.slice(1))] ?? ''] }));
    port = await listenTls(folder, 'good', (request, response) => {
      received.push(request.rawHeaders);
      answer(request, response);
    });
    for (const id of ['good', ...names.keys()].map((key) => (key === 'good' ? key : `n${key}`)))
      writeFiles(folder, { [`issuers/${id}.yaml`]: recordOf(id, `https://localhost:${port}`) });
  });

  it('says of each fault what it is, and what to do, and passes what verifiers accept', async () => {
    const isSilent = (name: string) => name === 'is silent at first';
    const check = async (timeout: string, chosen: (name: string) => boolean) => {
      const ids = [...names.entries()].flatMap(([index, name]) => (chosen(name) ? [`n${index}`] : []));
      const args = ['check', '--online', ...ids, '--allow-private', '--timeout', timeout, '--json'];
      return JSON.parse((await cli(args, folder, environment)).stdout).diagnostics as Found[];
    };
    const diagnostics = [...(await check('4', isSilent)), ...(await check('60', (name) => !isSilent(name)))];
    for (const [index, name] of names.entries()) {
      const found = diagnostics.filter(({ file }) => file === `issuers/n${index}.yaml`);
      expect([name, ...found.map(({ rule }) => rule)]).toEqual([name, ...(KINDS[name]?.rules ?? [])]);
      for (const words of KINDS[name]?.words ?? []) {
        for (const { message, remedy } of found) expect(`${message}\n${remedy}`).toMatch(words);
      }
    }
  });

  it('sends the headers that the verifiers send', async () => {
    received.length = 0;
    await cli(['check', '--online', 'good', '--allow-private'], folder, environment);
    const plain: IncomingMessage['rawHeaders'][] = [];
    const server = createServer((request, response) => {
      plain.push(request.rawHeaders);
      response.end();
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
      headers: { Accept: 'application/json' },
    });
    server.close().closeAllConnections();
    expect(received.length).toBe(3);
    for (const headers of received) expect(toSet(headers)).toEqual(toSet(plain[0] ?? []));
  });

  it('uses a proxy where Node.js can, and says so where it cannot', async () => {
    const asked: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      asked.push(request.url ?? '');
      const tunnel = connect(port, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(tunnel).pipe(socket);
      });
      tunnel.on('error', () => socket.destroy());
      socket.on('error', () => tunnel.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const own = temporaryFolder();
    certificate(own, 'inside', 'id.inside.example');
    const inside = await listenTls(
      own,
      'inside',
      issuers(() => ({ rules: [] })),
    );
    writeFiles(own, { 'issuers/good.yaml': recordOf('good', 'https://id.inside.example') });
    port = inside;
    const { code, stdout, stderr } = await cli(['check', '--online', 'good'], own, {
      NODE_EXTRA_CA_CERTS: join(own, 'inside.pem'),
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: `http://user:secret@127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    });
    proxy.close().closeAllConnections();
    expect(stdout + stderr).not.toContain('secret');
    if (process.allowedNodeEnvironmentFlags.has('--use-env-proxy')) {
      expect([...new Set(asked)]).toEqual(['id.inside.example:443']);
      expect([code, stdout]).toEqual([0, expect.stringContaining('1 issuer: 1 passed, 0 failed')]);
    } else {
      expect(stdout).toMatch(
        /HTTPS_PROXY names a proxy, which Node\.js \S+ did not use: that needs Node\.js 22\.21/,
      );
      expect(code).toBe(1);
    }
  });
});

/** The names and values of headers, but for those of the connection. */
function toSet(raw: readonly string[]): string[] {
  const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [`${name.toLowerCase()}: ${raw[at + 1]}`] : []));
  return pairs.filter((pair) => !/^(?:host|connection):/.test(pair)).sort();
}

function recordOf(id: string, origin: string): string {
  return recordText(id, {
    jwks_uri: `${origin}/${id}/jwks`,
    discovery_uri: `${origin}/${id}/metadata`,
    policy_uri: `${origin}/${id}/policy`,
  });
}
