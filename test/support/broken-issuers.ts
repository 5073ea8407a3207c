import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
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

/** How an issuer differs from a valid one, and the rules that `check` reports, in the order of the record's lines. */
export interface Kind {
  readonly rules: readonly string[];
  /** Changes the documents. */
  readonly serve?: (documents: Documents) => void;
  /** Handles a request itself. Returns true if it sent a response. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse, document: string) => boolean;
  /** The server, if it is not the one with a trusted certificate. */
  readonly origin?: 'closed port' | 'untrusted' | 'other name' | 'no such host';
}

const only =
  (name: string, answer: (response: ServerResponse) => unknown): NonNullable<Kind['answer']> =>
  (_request, response, document) => {
    if (document !== name) return false;
    answer(response);
    return true;
  };

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
  'never sends its keys': { rules: ['timed-out'], answer: only('jwks', () => undefined) },
  'sends its metadata one byte at a time': {
    rules: ['timed-out'],
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
  'serves HTML as metadata, and keys with a duplicate member': {
    rules: ['not-json', 'not-json'],
    answer: (_request, response, document) => {
      const bad: Record<string, string> = {
        metadata: '<!doctype html>',
        jwks: JSON.stringify({ keys: GOOD }).replace('{', '{"keys":[],'),
      };
      if (bad[document] === undefined) return false;
      response.end(bad[document]);
      return true;
    },
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
  'has a key that is not an object': {
    rules: ['jwks-unusable-key'],
    serve: ({ keys }) => void keys.push('key' as unknown as Jwk),
  },
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
