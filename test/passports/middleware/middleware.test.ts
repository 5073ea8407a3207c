import { gzipSync } from 'node:zlib';
import { PROOF_HEADER } from '@passport-registry/passports/fetch';
import { beforeAll, describe, expect, it } from 'vitest';
import { FRAMEWORKS } from '../../support/frameworks.js';
import { answering, issuedPassport, passportOf, tokenOf } from '../../support/passport-world.js';
import { sendRaw } from '../../support/raw-request.js';
import { rounds } from '../../support/soak.js';

const { world, passport, verifier, token, sign } = await issuedPassport();
const { mandate: _mandate, ...withoutMandate } = passport.claims;
const bare = await tokenOf(world, { claims: withoutMandate });

const MAX = 2000;

/** What a client sends, and what its agent has signed. */
interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly body?: string;
  readonly signed?: object;
  readonly token?: string;
  /** Headers besides the passport and its proof, or in place of them. */
  readonly headers?: (bearer: string, proof: string) => readonly (readonly [name: string, value: string])[];
}

const credentials = (bearer: string, proof: string) =>
  [
    ['Authorization', bearer],
    [PROOF_HEADER, proof],
  ] as const;

/** Sends a request. Returns the status, and the object in the body. */
async function answer(
  base: string,
  { signed = {}, token: its = token, headers = credentials, ...sent }: Sent,
) {
  const { body, method = body === undefined ? 'GET' : 'POST', target = '/send' } = sent;
  const type = body === undefined ? [] : [['Content-Type', 'application/json'] as const];
  const proof = await sign(signed, its);
  const response = await sendRaw(base, {
    method,
    target,
    headers: [...headers(`Bearer ${its}`, proof), ...type],
    ...(body !== undefined && { body }),
  });
  return { status: response.status, ...response.json, headers: Object.fromEntries(response.headers) };
}

const you = { to: 'you@example.com' };
const numbers = { a: [9007199254740991, -9007199254740991, 0.1, 1e-7] };
const full = { a: 'x'.repeat(MAX - 8) };
const refused = (status: number, error: string) => ({ status, error });
const challenged = (status: number, error: string, parameters: string) => ({
  ...refused(status, error),
  headers: { 'www-authenticate': `Bearer realm="agent passport"${parameters}`, 'cache-control': 'no-store' },
});
const withHeaders = (headers: Required<Sent>['headers']): Sent => ({
  target: '/send?a=1',
  signed: { a: '1' },
  headers,
});

type Row = readonly [name: string, sent: Sent, answer: object];

/** One verdict of the middleware, whatever the framework. */
const REQUESTS: readonly Row[] = [
  [
    'a body',
    { body: JSON.stringify(you), signed: you },
    { status: 200, agent: passport.did, payload: you, body: you },
  ],
  ['nothing, where nothing is signed', { method: 'POST' }, { status: 200, payload: {} }],
  ['an empty object, where nothing is signed', { body: '{}' }, { status: 200, payload: {} }],
  [
    'the largest numbers on which all readers agree',
    { body: JSON.stringify(numbers), signed: numbers },
    { status: 200, payload: numbers },
  ],
  [
    'a body as large as it may be',
    { body: JSON.stringify(full), signed: full },
    { status: 200, payload: full },
  ],
  ['a body of one byte more', { body: `${JSON.stringify(full)} `, signed: full }, { status: 413 }],
  [
    'a body in chunks, without a length',
    {
      body: '7\r\n{"to":1\r\n1\r\n}\r\n0\r\n\r\n',
      signed: { to: 1 },
      headers: (...given) => [...credentials(...given), ['Transfer-Encoding', 'chunked']],
    },
    { status: 200, payload: { to: 1 } },
  ],
  ['a body that was altered', { body: '{"to":"me"}', signed: you }, refused(401, 'payload-mismatch')],
  ['a body that is an array', { body: '[1]', signed: { a: 1 } }, refused(400, 'payload-malformed')],
  ['a body that is no JSON', { body: '{' }, { status: 400 }],
  ...['9007199254740992', '-9007199254740992', '9007199254740993', '1e400', '1e21'].map(
    (number): Row => [
      `the number ${number}, on which readers differ`,
      { body: `{"a":[{"amount":${number}}]}` },
      { status: 400, error: expect.stringMatching(/^(?:body-not-json|payload-malformed)$/) },
    ],
  ),
  [
    'a query, with a name twice',
    { target: '/send?name=a+b&tag=x&tag=y', signed: { name: 'a b', tag: ['x', 'y'] } },
    { status: 200, payload: { name: 'a b', tag: ['x', 'y'] } },
  ],
  [
    'the query __proto__',
    { target: '/send?__proto__=z', signed: JSON.parse('{"__proto__":"z"}') },
    { status: 200 },
  ],
  ['a query that was altered', { target: '/send?to=me', signed: you }, refused(401, 'payload-mismatch')],
  [
    'a body and a query',
    { target: '/send?to=me', body: '{"a":1}', signed: { a: 1 } },
    refused(400, 'payload-ambiguous'),
  ],
  ['HEAD with a query', { method: 'HEAD', target: '/send?a=1', signed: { a: '1' } }, { status: 200 }],
  ['HEAD with another query', { method: 'HEAD', target: '/send?a=1', signed: {} }, { status: 401 }],
  [
    'no passport',
    withHeaders((_bearer, proof) => [[PROOF_HEADER, proof]]),
    challenged(401, 'passport-missing', ''),
  ],
  [
    'another scheme',
    withHeaders((bearer, proof) => credentials(bearer.replace('Bearer', 'Basic'), proof)),
    challenged(401, 'passport-missing', ''),
  ],
  [
    'no proof',
    withHeaders((bearer) => [['Authorization', bearer]]),
    challenged(401, 'proof-missing', ', error="invalid_proof", error_description="proof-missing"'),
  ],
  [
    'a token that is none',
    withHeaders((_bearer, proof) => credentials('Bearer x', proof)),
    challenged(401, 'token-malformed', ', error="invalid_token", error_description="token-malformed"'),
  ],
  [
    'a proof that is none',
    withHeaders((bearer) => credentials(bearer.toLowerCase().slice(0, 7) + bearer.slice(7), 'x')),
    challenged(401, 'proof-malformed', ', error="invalid_proof", error_description="proof-malformed"'),
  ],
  [
    'an action that no mandate covers',
    { token: bare },
    challenged(
      403,
      'mandate-missing',
      ', error="insufficient_scope", error_description="mandate-missing", scope="email.send"',
    ),
  ],
  ...Object.entries<Required<Sent>['headers']>({
    'two proofs': (bearer, proof) => [...credentials(bearer, proof), [PROOF_HEADER, proof]],
    'a proof and another value': (bearer, proof) => [...credentials(bearer, proof), [PROOF_HEADER, 'x']],
    'two passports': (bearer, proof) => [['Authorization', 'Bearer x'], ...credentials(bearer, proof)],
    'two passports in one header': (bearer, proof) => credentials(`${bearer}, ${bearer}`, proof),
    'a passport and a word': (bearer, proof) => credentials(`${bearer} x`, proof),
    'a proof with another letter': (bearer, proof) => credentials(bearer, `${proof}\u00e9`),
    'an empty proof': (bearer) => credentials(bearer, ''),
    'the scheme 500 times': (_bearer, proof) => credentials('Bearer '.repeat(500), proof),
  }).map(([name, headers]): Row => [name, withHeaders(headers), { status: 401 }]),
];

/** Bodies that two readers read differently. */
const TWICE = [
  '{"to":"me@example.com","to":"you@example.com"}',
  '{"t\\u006f":"me@example.com","to":"you@example.com"}',
  '{"a":[{"b":1,"b":1}],"to":"you@example.com"}',
];

/** Their parsers leave no trace of a repeated member: the handler then gets what was verified, and nothing else. */
const WITHOUT_BYTES = ['Express with a parser', 'Fastify', 'Fastify with semicolons'];

/** Targets that mean different things to different readers, with what an attacker has the agent sign. */
const AMBIGUOUS: readonly [target: string, signed: object][] = [
  ['/send#to=evil&?to=good', { to: 'good' }],
  ['/send?to=good#to=evil', { to: 'good' }],
  ['/send?to=good#?to=evil', { to: 'good' }],
  ['/send#to=evil', {}],
  ['/send#', {}],
  ['/#?to=good', { to: 'good' }],
  ['/send?to=%ff', { to: '\ufffd' }],
  ['/send?to=%', { to: '%' }],
  ['/send?to=%zz', { to: '%zz' }],
];

/** Targets that are not in origin form. Where the platform hands over a URL, it has read them already. */
const OTHER_FORMS: readonly [method: string, target: string][] = [
  ['GET', 'http://other.example/send?to=good'],
  ['GET', 'send?to=good'],
  ['OPTIONS', '*'],
  ['GET', '?to=good'],
  ['GET', '/send?to=\u00e9'],
];

/** Targets on which all readers agree. */
const PLAIN: readonly [target: string, query: object][] = [
  ['/send', {}],
  ['/send?', {}],
  ['/send?to=good', { to: 'good' }],
  ['/send?to=good%23to%3Devil', { to: 'good#to=evil' }],
  ['/send%23to=evil?to=good', { to: 'good' }],
  ['/send?to=a+b%20c', { to: 'a b c' }],
  ['/send?to=a?b', { to: 'a?b' }],
  ['/send??to=good', { '?to': 'good' }],
  ['/send?to=%C3%A9', { to: '\u00e9' }],
  ['//send?to=good', { to: 'good' }],
];

/** Answers to a compressed body other than 415: parsers of JSON that decompress, or refuse it themselves. */
const COMPRESSED: Readonly<Record<string, number>> = {
  'Express with a parser': 200,
  'Express with a parser that keeps the bytes': 200,
  Fastify: 400,
  'Fastify with semicolons': 400,
};

describe.each(Object.keys(FRAMEWORKS))('%s', (name) => {
  let base: string;
  beforeAll(async () => {
    base = (await FRAMEWORKS[name]?.({ verifier, action: 'email.send', maxBodyBytes: MAX })) ?? '';
  });

  it.each(REQUESTS)('gives one answer to %s', async (_name, sent, expected) => {
    expect(await answer(base, sent)).toMatchObject(expected);
  });

  it.each(TWICE)('refuses the body %s', async (body) => {
    const payload = JSON.parse(body);
    const expected = WITHOUT_BYTES.includes(name) ? { status: 200, payload } : refused(400, 'body-not-json');
    expect(await answer(base, { body, signed: payload })).toMatchObject(expected);
  });

  it.each(AMBIGUOUS)('refuses a target on which readers differ: %s', async (target, signed) => {
    const ambiguous = refused(400, 'payload-ambiguous');
    expect(await answer(base, { target, signed })).toMatchObject(ambiguous);
    expect(await answer(base, { target, body: '{"to":"good"}', signed: { to: 'good' } })).toMatchObject(
      ambiguous,
    );
  });

  it.each(OTHER_FORMS)('refuses another form, or has verified it: %s %s', async (method, target) => {
    const found: { status?: number | undefined; payload?: unknown; query?: unknown } = await answer(base, {
      method,
      target,
      signed: { to: 'good' },
    });
    if (found.status === 200) expect(found.query).toEqual(found.payload);
    else expect(found.status).toBeGreaterThanOrEqual(400);
    // These get the target as it was sent.
    if (/Express|Fastify/.test(name)) expect(found.status).not.toBe(200);
  });

  it.each(PLAIN)('has verified the query that the handler reads: %s', async (target, signed) => {
    expect(await answer(base, { target, signed })).toMatchObject({
      status: 200,
      payload: signed,
      query: signed,
    });
  });

  it('refuses a repetition', async () => {
    const headers = credentials(`Bearer ${token}`, await sign({ a: '1' }));
    const sent = withHeaders(() => headers);
    expect((await answer(base, sent)).status).toBe(200);
    expect(await answer(base, sent)).toMatchObject(refused(401, 'action-replayed'));
  });

  it('answers with 503 where the issuer cannot be reached', async () => {
    const other = await passportOf(world, passport.keys);
    const its = await tokenOf(world, other);
    const recover = answering(world, other.did, 500);
    expect(await answer(base, { token: its })).toMatchObject({
      ...refused(503, 'status-unreachable'),
      headers: { 'retry-after': '5' },
    });
    recover();
  });

  it('keeps many requests at the same time apart', async () => {
    const payloads = Array.from({ length: rounds({ usual: 25, soak: 100 }) }, (_one, number) => ({ number }));
    const isAltered = (number: number) => number % 3 === 0;
    const answers = await Promise.all(
      payloads.map((payload) =>
        answer(base, { body: JSON.stringify(payload), signed: isAltered(payload.number) ? you : payload }),
      ),
    );
    for (const [number, found] of answers.entries())
      expect(found).toMatchObject(isAltered(number) ? { status: 401 } : { status: 200, payload: { number } });
  });

  it('refuses a body with a coding, unless a parser has decoded it', async () => {
    const send = async (body: string | Buffer, encoding: Record<string, string>) =>
      fetch(`${base}/send`, {
        method: 'POST',
        body: body as string,
        headers: {
          ...Object.fromEntries(credentials(`Bearer ${token}`, await sign(you))),
          'Content-Type': 'application/json',
          ...encoding,
        },
      });
    const response = await send(gzipSync(JSON.stringify(you)), { 'Content-Encoding': 'gzip' });
    expect(response.status).toBe(COMPRESSED[name] ?? 415);
    if (response.status === 415) {
      expect(response.headers.get('accept-encoding')).toBe('identity');
      expect(await response.json()).toMatchObject({ error: 'body-encoded' });
    }
    expect((await send(JSON.stringify(you), { 'Content-Encoding': 'identity' })).status).toBe(200);
  });
});
