import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { BAD_KEYS } from './bad-keys.js';
import { afterEachFile } from './endings.js';

const servers: Server[] = [];
afterEachFile(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** Starts an HTTPS server on loopback. Returns the port. */
export async function listenTls(folder: string, name: string, listener: RequestListener): Promise<number> {
  const server = createServer(
    { key: readFileSync(join(folder, `${name}.key`)), cert: readFileSync(join(folder, `${name}.pem`)) },
    listener,
  );
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

type Jwk = Record<string, unknown>;

const publicJwk = (key: KeyObject, more: Jwk = {}): Jwk => ({ ...key.export({ format: 'jwk' }), ...more });
const ed25519 = generateKeyPairSync('ed25519');
const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
const weak = generateKeyPairSync('rsa', { modulusLength: 1024 });
const GOOD: Jwk[] = [publicJwk(ed25519.publicKey, { kid: 'one' }), publicJwk(p256.publicKey, { kid: 'two' })];

/** The documents that an issuer serves. */
interface Documents {
  metadata: Jwk;
  keys: Jwk[];
}

/** Handles a request itself. Returns true if it sent a response. */
type Answer = (request: IncomingMessage, response: ServerResponse, document: string) => boolean;

/** How an issuer differs from a valid one, and the rules that `check` reports, in the order of the record's lines. */
export interface Kind {
  readonly rules: readonly string[];
  /** Changes the documents. */
  readonly serve?: (documents: Documents) => void;
  readonly answer?: Answer;
  /** What each finding says, with its remedy. */
  readonly words?: RegExp;
  /** Whether it does not answer, so that the command waits as long as it is told to. */
  readonly isSilent?: true;
  /** The server, if it is not the one with a trusted certificate. */
  readonly origin?: 'closed port' | 'untrusted' | 'other name' | 'no such host';
}

const only =
  (name: string, answer: (response: ServerResponse) => unknown): Answer =>
  (_request, response, document) => {
    if (document !== name) return false;
    answer(response);
    return true;
  };

const metadata =
  (answer: (text: string, response: ServerResponse, request: IncomingMessage) => unknown): Answer =>
  (request, response, document) => {
    if (document !== 'metadata') return false;
    const [, id = ''] = (request.url ?? '').split('/');
    const origin = `https://${request.headers.host}`;
    const text = JSON.stringify({ issuer: origin, issuer_id: id, jwks_uri: `${origin}/${id}/jwks` });
    answer(text, response, request);
    return true;
  };

/** Answers the first requests for each document otherwise. */
function first(count: number, answer: (response: ServerResponse) => unknown): Answer {
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

/** Every kind of broken issuer, by name. In a record, the order is: jwks_uri, discovery_uri, policy_uri. */
export const KINDS: Readonly<Record<string, Kind>> = {
  'is valid': { rules: [] },
  'has no server': {
    rules: ['host-unreachable', 'host-unreachable', 'host-unreachable'],
    origin: 'closed port',
  },
  'has a host name that does not resolve': {
    rules: ['host-unreachable', 'host-unreachable', 'host-unreachable'],
    origin: 'no such host',
  },
  'has an untrusted certificate': {
    rules: ['tls-failed', 'tls-failed', 'tls-failed'],
    origin: 'untrusted',
  },
  'has a certificate for another name': {
    rules: ['tls-failed', 'tls-failed', 'tls-failed'],
    origin: 'other name',
  },
  'never sends its keys': { rules: ['timed-out'], isSilent: true, answer: only('jwks', () => undefined) },
  'sends its metadata one byte at a time': {
    rules: ['timed-out'],
    isSilent: true,
    answer: only('metadata', (response) => {
      response.writeHead(200);
      const timer = setInterval(() => response.write(' '), 100);
      response.once('close', () => clearInterval(timer));
    }),
  },
  'has no metadata': {
    rules: ['http-status'],
    answer: only('metadata', (response) => response.writeHead(404).end()),
  },
  'redirects its keys': {
    rules: ['redirected'],
    answer: only('jwks', (response) => response.writeHead(302, { Location: '/elsewhere' }).end()),
  },
  'serves keys without end': {
    rules: ['answer-too-large'],
    answer: only('jwks', (response) => {
      const more = () => {
        while (!response.destroyed && response.write(' '.repeat(65536)));
      };
      response.on('drain', more);
      more();
    }),
  },
  'names another issuer': {
    rules: ['discovery-other-issuer'],
    serve: ({ metadata }) => Object.assign(metadata, { issuer_id: 'mallory' }),
  },
  'names other keys': {
    rules: ['discovery-other-keys'],
    serve: ({ metadata }) => Object.assign(metadata, { jwks_uri: 'https://mallory.example/jwks' }),
  },
  'names an issuer elsewhere': {
    rules: ['discovery-other-host'],
    serve: ({ metadata }) => Object.assign(metadata, { issuer: 'https://mallory.example' }),
  },
  'names an issuer that is no URL': {
    rules: ['discovery-incomplete'],
    serve: ({ metadata }) => Object.assign(metadata, { issuer: `${metadata['issuer']}/a b` }),
  },
  'names no keys': {
    rules: ['discovery-incomplete'],
    serve: ({ metadata }) => void delete metadata['jwks_uri'],
  },
  'has no keys': { rules: ['jwks-no-usable-key'], serve: ({ keys }) => void keys.splice(0) },
  'has more than 100 keys': {
    rules: ['jwks-malformed'],
    serve: ({ keys }) => void keys.push(...Array.from({ length: 99 }, (_one, at) => ({ kid: `key-${at}` }))),
  },
  'serves a list of keys, and no set': {
    rules: ['jwks-malformed'],
    answer: only('jwks', (response) => response.end(JSON.stringify(GOOD))),
  },
  'publishes a private key': {
    rules: ['jwks-private-key'],
    serve: ({ keys }) =>
      void keys.push(publicJwk(generateKeyPairSync('ed25519').privateKey, { kid: 'three' })),
  },
  'gives two keys the same kid': {
    rules: ['jwks-duplicate-kid'],
    serve: ({ keys }) => void keys.push(publicJwk(generateKeyPairSync('ed25519').publicKey, { kid: 'one' })),
  },
  'has a key twice': {
    rules: ['jwks-duplicate-key'],
    serve: ({ keys }) => void keys.push({ ...keys[0], kid: 'three' }),
  },
  'has a weak key': {
    rules: ['jwks-weak-key'],
    serve: ({ keys }) => void keys.push(publicJwk(weak.publicKey, { kid: 'three' })),
  },
  'has a key on an unsupported curve': {
    rules: ['jwks-unusable-key'],
    words: /at jwks_uri is neither OKP\/Ed25519 nor EC\/P-256/,
    serve: ({ keys }) => void keys.push(publicJwk(p384.publicKey, { kid: 'three' })),
  },
  'has only keys without a kid': {
    rules: ['jwks-unusable-key', 'jwks-unusable-key', 'jwks-no-usable-key'],
    serve: ({ keys }) => {
      for (const key of keys) delete key['kid'];
    },
  },
  'has a key that is not on its curve, and a key of small order': {
    rules: ['jwks-unusable-key', 'jwks-unusable-key'],
    serve: ({ keys }) =>
      void keys.push(
        { ...BAD_KEYS['P-256: not on the curve'], kid: 'three' },
        {
          ...BAD_KEYS['Ed25519: the identity with a sign'],
          kid: 'four',
        },
      ),
  },
  'has a key for encryption': {
    rules: ['jwks-unusable-key'],
    serve: ({ keys }) => Object.assign(keys[1] ?? {}, { use: 'enc' }),
  },
  'is closed to browsers': {
    rules: ['no-cors', 'no-cors'],
    answer: (_request, response) => {
      response.removeHeader('Access-Control-Allow-Origin');
      return false;
    },
  },
  'has no policy': {
    rules: ['http-status'],
    answer: only('policy', (response) => response.writeHead(410).end()),
  },
  'redirects its policy in a circle': {
    rules: ['redirected'],
    answer: only('policy', (response) => response.writeHead(301, { Location: '?again' }).end()),
  },
  'resets the first two connections': { rules: [], answer: first(2, (response) => response.destroy()) },
  'breaks off its first answers': {
    rules: [],
    answer: first(1, (response) => {
      response.writeHead(200, { 'Content-Length': '1000' }).write('{');
      setTimeout(() => response.destroy(), 20);
    }),
  },
  'is silent at first': { rules: [], isSilent: true, answer: first(1, () => undefined) },
  'is busy for a second': { rules: [], answer: first(1, busy(429, '1')) },
  'is busy until a date': {
    rules: [],
    answer: first(1, (response) => {
      // Only the difference counts: the clock of the host is years back.
      response.setHeader('Date', 'Sun, 06 Nov 1994 08:49:37 GMT');
      busy(503, 'Sun, 06 Nov 1994 08:49:38 GMT')(response);
    }),
  },
  'is busy, and does not say for how long': { rules: [], answer: first(1, busy(503, 'soon')) },
  'is busy for an hour': {
    rules: ['http-status', 'http-status', 'http-status'],
    words: /responded with status 429, and asks to come back in 3600 s/,
    answer: (_request, response) => {
      busy(429, '3600')(response);
      return true;
    },
  },
  'refuses requests of pages': {
    rules: ['no-cors', 'no-cors'],
    words: /cannot be read by verifiers in browsers/,
    answer: (request, response) => {
      response.removeHeader('Access-Control-Allow-Origin');
      if (request.headers.origin !== undefined) response.writeHead(403).end();
      return request.headers.origin !== undefined;
    },
  },
  'compresses by gzip': {
    rules: [],
    answer: metadata((text, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(text)),
    ),
  },
  'compresses without saying so': {
    rules: ['not-json'],
    words: /is not JSON: it is compressed.*say so in Content-Encoding/s,
    answer: metadata((text, response) => response.end(gzipSync(text))),
  },
  'says gzip of what is not compressed': {
    rules: ['not-json'],
    words: /cannot be decompressed.*correct the header Content-Encoding/s,
    answer: metadata((text, response) => response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(text)),
  },
  'compresses by what nobody asks for': {
    rules: ['not-json'],
    words: /its Content-Encoding is "zstd".*verifiers ask for gzip/s,
    answer: metadata((text, response) =>
      response.writeHead(200, { 'Content-Encoding': 'zstd' }).end(gzipSync(text)),
    ),
  },
  'compresses by deflate, and then by gzip': {
    rules: [],
    answer: metadata((text, response) =>
      response.writeHead(200, { 'Content-Encoding': 'deflate, gzip' }).end(gzipSync(deflateSync(text))),
    ),
  },
  'says an encoding that is none': {
    rules: [],
    answer: metadata((text, response) => response.writeHead(200, { 'Content-Encoding': 'UTF-8' }).end(text)),
  },
  'has a byte order mark': {
    rules: ['not-json'],
    words: /begins with a byte order mark.*UTF-8 without a byte order mark/s,
    answer: metadata((text, response) => response.end(`\ufeff${text}`)),
  },
  'is empty': {
    rules: ['not-json'],
    words: /it is empty.*the response has no content/s,
    answer: metadata((_text, response) => response.end()),
  },
  'is a page': {
    rules: ['not-json'],
    words: /as HTML and XML do.*not a page for people/s,
    answer: metadata((_text, response) => response.end('\n<html></html>')),
  },
  'has a member twice': {
    rules: ['not-json'],
    words: /the member "issuer" appears twice.*remove one of the two/s,
    answer: metadata((text, response) => response.end(text.replace('{', '{"issuer":"",'))),
  },
  'is UTF-16': {
    rules: ['not-json'],
    words: /it is not UTF-8.*save the document as UTF-8/s,
    answer: metadata((text, response) => response.end(Buffer.from(`\ufeff${text}`, 'utf16le'))),
  },
  'names http behind a TLS proxy': {
    rules: ['discovery-other-host'],
    words: /another scheme than .*write https:/s,
    serve: ({ metadata: one }) =>
      Object.assign(one, { issuer: String(one['issuer']).replace('https:', 'http:') }),
  },
  'names another port': {
    rules: ['discovery-other-host'],
    words: /another port than .*write the port of the record/s,
    serve: ({ metadata: one }) =>
      Object.assign(one, { issuer: String(one['issuer']).replace(/\d+$/, '8443') }),
  },
  'spells its key set otherwise': {
    rules: ['discovery-other-keys'],
    words: /another spelling than .*character by character/s,
    serve: ({ metadata: one }) =>
      Object.assign(one, { jwks_uri: String(one['jwks_uri']).replace('localhost', 'LOCALHOST') }),
  },
  'writes null for what it does not have': {
    rules: [],
    serve: ({ keys }) => {
      for (const key of keys) Object.assign(key, { d: null, use: null, key_ops: null, alg: null });
    },
  },
  'has a private member that is empty': {
    rules: ['jwks-unusable-key'],
    words: /has a private member: leave it out/,
    serve: ({ keys }) => void keys.push({ kty: 'oct', k: '', kid: 'empty' } as never),
  },
  'has a key that is null': {
    rules: ['jwks-unusable-key'],
    words: /keys\[0\] at jwks_uri is not a JSON object/,
    serve: ({ keys }) => void keys.unshift(null as never),
  },
  'has a kid that verifiers do not read': {
    rules: ['jwks-unusable-key'],
    words: /has a kid of 300 characters, and verifiers read at most 256/,
    serve: ({ keys }) => void Object.assign(keys[0] ?? {}, { kid: 'k'.repeat(300) }),
  },
};

/** Serves `/<issuer>/metadata`, `/<issuer>/jwks` and `/<issuer>/policy`, according to the kind of each issuer. */
export function issuers(kindOf: (issuer: string) => Kind): RequestListener {
  return (request, response) => {
    const [, id = '', document = ''] = (request.url ?? '').split(/[/?]/);
    const kind = kindOf(id);
    response.setHeader('Access-Control-Allow-Origin', '*');
    if (kind.answer?.(request, response, document)) return;
    const origin = `https://${request.headers.host}`;
    const documents = {
      metadata: { issuer: origin, issuer_id: id, jwks_uri: `${origin}/${id}/jwks` },
      keys: structuredClone(GOOD),
    };
    kind.serve?.(documents);
    if (document === 'metadata') response.end(JSON.stringify(documents.metadata));
    else if (document === 'jwks') response.end(JSON.stringify({ keys: documents.keys }));
    else response.end('Be good.');
  };
}
