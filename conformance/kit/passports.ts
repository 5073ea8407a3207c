import type { Case, Documents, PassportRequest, Right, Role, Step } from '../cases/case.js';
import { sha256Hex, utf8 } from '../cases/encoding.js';
import { badKeys, GOOD_KEYS } from '../cases/forgeries.js';
import type { Members } from '../cases/jwt.js';
import { key } from '../cases/keys.js';
import { type Draft, either, topic, variant } from '../cases/make-case.js';
import {
  ACTION,
  AUDIENCE,
  actionProof,
  agent,
  documents,
  ISSUED,
  issuerJwk,
  JWKS,
  jwks,
  LIFETIME,
  METADATA,
  mandate,
  metadata,
  type OddJws,
  PAYLOAD,
  passportToken,
  principal,
  STATUS,
  signedMandate,
  status,
} from '../cases/passports.js';
import { FORMS, GOOD_JSON, JSON_TRAPS } from '../cases/traps.js';
import { tokenKit } from './tokens.js';

/** What a verifier of passports and actions must accept and refuse (rule run-time-order). */
export function* passportKit(role: Role): Generator<Case> {
  yield* good(role);
  yield* tokens(role);
  yield* claims(role);
  yield* times(role);
  yield* issuers(role);
  yield* discovery(role);
  yield* keySets(role);
  yield* statuses(role);
  yield* mandates(role);
  yield* scopes(role);
  yield* signedMandates(role);
  yield* proofs(role);
  yield* payloads(role);
  yield* memories(role);
  yield* httpRequests(role);
  yield* tokenKit(role);
}

const base = 'stated';
const now = ISSUED * 1000 + 1000;

/** What is special about a request. */
interface Odd {
  readonly token?: OddJws;
  readonly documents?: Documents;
  /** Whether an action is shown with the passport. */
  readonly acts?: true;
  readonly action?: string;
  readonly payload?: string;
  readonly proof?: OddJws;
  readonly now?: number;
  readonly request?: PassportRequest['request'];
}

function requestOf({
  token: oddToken = {},
  acts,
  action = ACTION,
  payload = PAYLOAD,
  proof = {},
  request,
  ...odd
}: Odd): PassportRequest {
  const token = passportToken(oddToken);
  return {
    ...{ audience: AUDIENCE, token, documents: { ...documents(), ...odd.documents } },
    ...(acts && {
      action,
      ...(request === undefined ? { payload } : { request }),
      proof: actionProof(token, { ...proof, claims: { action, ...proof.claims } }),
    }),
  };
}

const stepOf = (odd: Odd, right: Right): Step => ({
  ...{ now: odd.now ?? now, sources: [{ base, patches: [] }], passport: requestOf(odd), right },
});

const why = 'A passport, or an action with its proof.';

/** Makes the cases of a topic, each with one request. */
const requests = (role: Role, name: string, rule: string) => {
  const make = topic(role, name, { rule, base, why });
  return (id: string, odd: Odd, right: Right) => make(id, { steps: [stepOf(odd, right)] });
};

function* good(role: Role): Generator<Case> {
  const at = requests(role, 'good', 'run-time-order');
  yield at('a passport', {}, 'accept');
  yield at('an action', { acts: true }, 'accept');
  yield at('a passport without a mandate', { token: { claims: { mandate: undefined } } }, 'accept');
  yield at('a signed mandate', { acts: true, token: withMandate() }, 'accept');
}

function* tokens(role: Role): Generator<Case> {
  const at = requests(role, 'token', 'jwt-profile');
  const malformed = ['token-malformed'];
  yield at('signed by a stranger', { token: { signer: 'stranger' } }, ['token-signature-invalid']);
  yield at('signed by the agent', { token: { signer: 'agent' } }, ['token-signature-invalid']);
  for (const [name, change] of Object.entries(FORMS))
    yield at(`form with ${name}`, { token: { text: change } }, [...malformed, 'token-signature-invalid']);
  for (const [name, change] of Object.entries(JSON_TRAPS)) {
    yield at(
      `payload with ${name}`,
      { token: { rawClaims: change } },
      either(GOOD_JSON.includes(name), ...malformed, 'token-claims'),
    );
  }
  const headers: readonly (readonly [Members, Right])[] = [
    [{ typ: 'JWT' }, ['token-type']],
    [{ typ: 'application/passport+jwt' }, 'accept'],
    [{ typ: 'PASSPORT+JWT' }, 'accept'],
    [{ typ: 'Application/Passport+JWT' }, 'accept'],
    [{ typ: 'text/passport+jwt' }, ['token-type']],
    [{ typ: 'application/application/passport+jwt' }, ['token-type']],
    [{ typ: 'passport+jwt; charset=utf-8' }, ['token-type']],
    [{ typ: ' passport+jwt' }, ['token-type']],
    [{ typ: 'pa\u017f\u017fport+jwt' }, ['token-type']],
    [{ typ: undefined }, ['token-type']],
    [{ alg: 'none' }, ['token-algorithm']],
    [{ alg: 'HS256' }, ['token-algorithm']],
    [{ alg: 'Ed25519' }, 'accept'],
    [{ alg: 'ES256' }, ['token-algorithm', 'token-signature-invalid']],
    [{ alg: undefined }, ['token-algorithm']],
    ...['jku', 'jwk', 'x5u', 'x5c', 'crit', 'b64'].map((name) => [{ [name]: [] }, ['token-header']] as const),
    [{ note: 1 }, 'accept'],
    [{ kid: undefined }, ['token-header']],
    [{ kid: 1 }, ['token-header']],
    [{ kid: 'x'.repeat(257) }, ['token-header', 'token-claims', 'key-unknown']],
    [{ kid: 'another' }, ['key-unknown']],
  ];
  for (const [header, right] of headers) {
    const [[name, value] = []] = Object.entries(header);
    yield at(`header ${name} ${String(JSON.stringify(value)).slice(0, 40)}`, { token: { header } }, right);
  }
}

const long = (length: number) => 'x'.repeat(length);
/** A value in the id of a case. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'absent';
  return text.length <= SHOWN_LENGTH ? text : `${text.slice(0, SHOWN_LENGTH)} (${text.length})`;
}

const SHOWN_LENGTH = 30;

const MANY = Array.from({ length: 256 }, (_one, at) => `c${at}`);

/** What a claim may be, and what not. Undefined: it is absent. */
type Values = Readonly<
  Record<string, { readonly good?: readonly unknown[]; readonly bad: readonly unknown[] }>
>;

/** Each value of each claim, with its name, and whether it is right. */
function* valuesOf(claims: Values): Generator<[name: string, claim: Members, isGood: boolean]> {
  for (const [claim, { good = [], bad }] of Object.entries(claims)) {
    for (const [number, value] of [...good, ...bad].entries())
      yield [`${claim} ${shown(value)}`, { [claim]: value }, number < good.length];
  }
}

const CLAIMS: Values = {
  iss: {
    bad: [undefined, null, 1, '', 'alpha.example', 'https://alpha.example/?q', 'https://alpha.example/#f'],
  },
  jti: { bad: [undefined, null, 1, '', 'x', '0B4F3C1E-7A52-4C8E-9D46-2F1F6A0C5E11'] },
  sub: { bad: [undefined, null, 1, 'x', 'did:passport:00000000-7a52-4c8e-9d46-2f1f6a0c5e11'] },
  iat: { good: [ISSUED + 0.5], bad: [undefined, null, '1', -1, -0.5, true] },
  exp: { good: [ISSUED + LIFETIME + 0.25], bad: [undefined, null, '1', -1, -0.5, true] },
  nbf: { good: [undefined, 0, 1.5], bad: [null, '1', -1, -0.5] },
  issuer_id: { bad: [undefined, null, 1, '', 'ALPHA', 'a..b'] },
  realm_id: { good: ['x', long(256)], bad: [undefined, null, 1, '', long(257)] },
  principal_id: { good: ['x', long(256)], bad: [undefined, null, 1, '', long(257)] },
  agent_type: {
    good: ['autonomous-agent', 'human-proxy', 'service-agent'],
    bad: [undefined, null, 'robot', 'AI-ASSISTANT'],
  },
  capabilities: {
    good: [[], MANY, [long(256)]],
    bad: [undefined, null, 'email', [''], [1], [...MANY, 'x'], [long(257)]],
  },
  revocation_nonce: { bad: [undefined, null, '0', -1, 0.5] },
  cnf: { bad: [undefined, null, {}, { jwk: null }, { jwk: 'x' }] },
  principal_jkt: { good: [undefined, principal.thumbprint], bad: [] },
  note: { good: [{ any: ['thing'] }], bad: [] },
};

function* claims(role: Role): Generator<Case> {
  const at = requests(role, 'claim', 'passport-claims');
  for (const [name, claim, isGood] of valuesOf(CLAIMS))
    yield at(name, { token: { claims: claim } }, either(isGood, 'token-claims', 'token-malformed'));
  const withNulls = { cnf: { jwk: { ...agent.jwk, d: null, y: null } } };
  yield at('cnf.jwk with members that are null', { acts: true, token: { claims: withNulls } }, 'accept');
  for (const [name, bad] of Object.entries(badKeys(agent.jwk))) {
    // Of a key of another kind, and of the right key in other words, the table of public keys says nothing bad.
    if (GOOD_KEYS.includes(name) || name === 'the wrong kid') continue;
    yield at(`cnf.jwk is ${name}`, { acts: true, token: { claims: { cnf: { jwk: bad } } } }, [
      'token-claims',
      'proof-signature-invalid',
    ]);
  }
}

const TOLERANCE = 30_000;

function* times(role: Role): Generator<Case> {
  const at = requests(role, 'time', 'other-clocks');
  const begin = ISSUED * 1000 - TOLERANCE;
  const end = (ISSUED + LIFETIME) * 1000 + TOLERANCE;
  for (const side of [-1, 0])
    yield at(`iat ${side} ms`, { now: begin + side }, either(side === 0, 'token-not-yet-valid'));
  for (const side of [-1, 0])
    yield at(`exp ${side} ms`, { now: end + side }, either(side < 0, 'token-expired'));
  const nbf = ISSUED + 100;
  for (const side of [-1, 0]) {
    const odd = { token: { claims: { nbf } }, now: nbf * 1000 - TOLERANCE + side };
    yield at(`nbf ${side} ms`, odd, either(side === 0, 'token-not-yet-valid'));
  }
  const proof = { claims: { iat: ISSUED + 100, exp: ISSUED + 130 } };
  for (const side of [-1, 0]) {
    const early = { acts: true, proof, now: (ISSUED + 100) * 1000 - TOLERANCE + side } as const;
    yield at(`iat of a proof ${side} ms`, early, either(side === 0, 'proof-not-yet-valid'));
    const late = { acts: true, proof, now: (ISSUED + 130) * 1000 + TOLERANCE + side } as const;
    yield at(`exp of a proof ${side} ms`, late, either(side < 0, 'proof-expired'));
  }
  for (const [seconds, isGood] of [
    [0, false],
    [1, true],
    [60, true],
    [61, false],
    [-1, false],
  ] as const) {
    const lives = { acts: true, proof: { claims: { exp: ISSUED + seconds } } } as const;
    yield at(`a proof of ${seconds} seconds`, lives, either(isGood, 'proof-lives-too-long'));
  }
}

function* issuers(role: Role): Generator<Case> {
  const make = topic(role, 'issuer', { rule: 'run-time-order', base, why });
  const shown = (id: string, { patches = [], ...own }: Partial<Draft>, right: Right) => {
    const sources = [{ base: own.base ?? base, patches }];
    return make(id, { ...own, steps: [{ ...stepOf({}, right), sources }] });
  };
  const at = (id: string, more: Members, right: Right) =>
    shown(id, { patches: variant(base, (registry) => registry.change('alpha', more).publish()) }, right);
  yield at('active', {}, 'accept');
  yield at('suspended', { status: 'suspended' }, ['status-suspended']);
  yield at('revoked', { status: 'revoked' }, ['status-revoked']);
  const unknown = variant(base, (registry) => {
    registry.records.delete('alpha');
    registry.publish();
  });
  yield shown('not listed', { rule: 'trust-policy', patches: unknown }, ['issuer-unknown']);
  yield shown('another tier', { rule: 'trust-policy', policy: { tiers: ['founding'] } }, [
    'tier-not-accepted',
  ]);
  yield shown('not held', { rule: 'hold', base: 'hold' }, 'accept');
  const held = variant('root-checkpoint', (registry) => {
    registry.hold = ['alpha'];
    registry.seal();
  });
  yield shown('held', { rule: 'hold', base: 'root-checkpoint', patches: held }, ['issuer-held']);
  const PRIVATE = [
    ...['10.0.0.1', '127.0.0.1', '172.16.0.0', '172.31.255.255', '192.168.0.1', '169.254.169.254'],
    ...['100.64.0.1', '0.0.0.0'],
    ...['192.0.2.1', '198.18.0.1', '203.0.113.9', '224.0.0.1', '255.255.255.255', '168.63.129.16'],
    ...['2130706433', '0x7f000001'],
    ...['localhost', 'issuer', 'issuer.local', 'issuer.internal', 'issuer.lan', 'issuer.test'],
    ...['issuer.LOCALHOST', 'a.onion'],
  ];
  const PUBLIC = [
    '172.15.255.255',
    '172.32.0.0',
    '100.63.255.255',
    '100.128.0.1',
    '8.8.8.8',
    'internal.example',
    'local.example',
  ];
  const hosts = topic(role, 'host', { rule: 'public-hosts', base, why });
  for (const host of [...PUBLIC, ...PRIVATE]) {
    const url = `https://${host}/metadata`;
    const patches = variant(base, (registry) =>
      registry.change('alpha', { discovery_uri: url, jwks_uri: `https://${host}/jwks.json` }).publish(),
    );
    const iss = `https://${host}`;
    const found = {
      [url]: { status: 200, body: metadata({ issuer: iss, jwks_uri: `${iss}/jwks.json` }) },
      [`${iss}/jwks.json`]: { status: 200, body: jwks(issuerJwk) },
      [`${iss}/v1/passports/did:passport:0b4f3c1e-7a52-4c8e-9d46-2f1f6a0c5e11`]: {
        status: 200,
        body: status(),
      },
    };
    const right = either(PUBLIC.includes(host), 'address-private');
    const step = stepOf({ token: { claims: { iss } }, documents: found }, right);
    yield hosts(host, { steps: [{ ...step, sources: [{ base, patches }] }] });
  }
}

const answer = (body: string, code = 200) => ({ status: code, body });

/** Answers that no document has, and what is right by the prefix of its codes. */
function* strange(prefix: string): Generator<[string, { status: number; body: string }, string[]]> {
  yield ['a status 500', answer('{}', 500), [`${prefix}-unreachable`]];
  yield ['a redirect', answer('', 302), [`${prefix}-redirected`, `${prefix}-unreachable`]];
  for (const body of ['', 'null', '[]', '"x"', '{', '{}x'])
    yield [`the body ${body || 'empty'}`, answer(body), [`${prefix}-invalid`]];
}

function* discovery(role: Role): Generator<Case> {
  const at = requests(role, 'metadata', 'issuer-metadata');
  const responses = requests(role, 'metadata', 'issuer-responses');
  const shows = (body: string): Odd => ({ documents: { [METADATA]: answer(body) } });
  for (const [name, document, codes] of strange('discovery'))
    yield responses(name, { documents: { [METADATA]: document } }, codes);
  yield at('a status 404', { documents: { [METADATA]: answer('', 404) } }, ['discovery-unreachable']);
  yield at('another member', shows(metadata({ more: 1 })), 'accept');
  yield responses('a member twice', shows(metadata().replace('{', '{"note":1,"note":1,')), [
    'discovery-invalid',
  ]);
  yield at('another issuer_id', shows(metadata({ issuer_id: 'beta' })), ['discovery-mismatch']);
  yield at('another jwks_uri', shows(metadata({ jwks_uri: 'https://beta.example/jwks.json' })), [
    'discovery-mismatch',
  ]);
  yield at('another origin', shows(metadata({ issuer: 'https://beta.example' })), ['discovery-mismatch']);
  yield at('another port', shows(metadata({ issuer: 'https://alpha.example:8443' })), ['discovery-mismatch']);
  yield at('another path', shows(metadata({ issuer: 'https://alpha.example/x' })), ['iss-mismatch']);
  yield at('a final slash', shows(metadata({ issuer: 'https://alpha.example/' })), ['iss-mismatch']);
  for (const member of ['issuer', 'issuer_id', 'jwks_uri']) {
    yield at(`no ${member}`, shows(metadata({ [member]: undefined })), [
      'discovery-invalid',
      'discovery-mismatch',
    ]);
  }
  const iss = 'https://alpha.example/';
  yield at(
    'a final slash in both',
    { ...shows(metadata({ issuer: iss })), token: { claims: { iss } } },
    'accept',
  );
  const room = 262_144 - metadata({ more: '' }).length;
  yield responses('of 262144 bytes', shows(metadata({ more: long(room) })), 'accept');
  yield responses('of 262145 bytes', shows(metadata({ more: long(room + 1) })), [
    'discovery-invalid',
    'discovery-unreachable',
  ]);
}

function* keySets(role: Role): Generator<Case> {
  const at = requests(role, 'keys', 'issuer-keys');
  const shows = (...keys: readonly unknown[]): Odd => ({ documents: { [JWKS]: answer(jwks(...keys)) } });
  for (const [name, document, codes] of strange('jwks'))
    yield at(name, { documents: { [JWKS]: document } }, codes);
  yield at('a status 404', { documents: { [JWKS]: answer('', 404) } }, ['jwks-unreachable']);
  yield at('no keys', shows(), ['key-unknown']);
  yield at('another key', shows({ ...key('spare').jwk, kid: key('spare').thumbprint }), ['key-unknown']);
  yield at('another key under the kid', shows({ ...key('spare').jwk, kid: issuerJwk.kid }), [
    'token-signature-invalid',
  ]);
  yield at('the kid twice', shows(issuerJwk, issuerJwk), ['key-ambiguous']);
  const other = (number: number) => ({ kty: 'RSA', n: 'AQAB', e: 'AQAB', kid: `other ${number}` });
  const others = Array.from({ length: 100 }, (_one, number) => other(number));
  yield at('100 keys', shows(issuerJwk, ...others.slice(1)), 'accept');
  yield at('101 keys', shows(issuerJwk, ...others), ['jwks-invalid']);
  for (const element of [null, 'key', 1, [], {}])
    yield at(`the element ${JSON.stringify(element)}`, shows(element, issuerJwk), 'accept');
  const nothings = Array.from({ length: 100 }, () => null);
  yield at('101 elements', shows(issuerJwk, ...nothings), ['jwks-invalid']);
  yield at('a private key', shows({ ...issuerJwk, d: 'AAAA' }), ['jwks-private-key']);
  yield at('another private key', shows(issuerJwk, { ...other(1), d: 'AAAA' }), ['jwks-private-key']);
  yield at('an empty private member', shows({ ...issuerJwk, d: '' }), ['key-unusable']);
  yield at('an empty private member of another key', shows(issuerJwk, { ...other(1), d: '' }), 'accept');
  yield at('a symmetric key', shows(issuerJwk, { kty: 'oct', k: 'AAAA', kid: 'x' }), ['jwks-private-key']);
  const members: readonly (readonly [string, unknown, boolean])[] = [
    ['use', 'sig', true],
    ['use', 'enc', false],
    ['use', null, true],
    ['key_ops', ['verify'], true],
    ['key_ops', ['verify', 'sign'], true],
    ['key_ops', ['sign'], false],
    ['key_ops', [], false],
    ['key_ops', null, true],
    ['alg', 'EdDSA', true],
    ['alg', 'Ed25519', true],
    ['alg', 'ES256', false],
    ['alg', null, true],
    ['d', null, true],
    ['k', null, true],
    ['more', 1, true],
  ];
  for (const [member, value, isGood] of members) {
    yield at(
      `${member} ${JSON.stringify(value)}`,
      shows({ ...issuerJwk, [member]: value }),
      either(isGood, 'key-unusable'),
    );
  }
  for (const name of [
    'the point 0',
    'a point of order 8',
    'y equal to p',
    'no point',
    'padding in x',
    'a short x',
    'another curve',
  ]) {
    const bad = badKeys(issuerJwk)[name] as object;
    yield at(name, shows({ ...bad, kid: issuerJwk.kid }), ['key-unusable']);
    yield at(`${name}, in another key`, shows(issuerJwk, { ...bad, kid: 'other' }), 'accept');
  }
}

function* statuses(role: Role): Generator<Case> {
  const at = requests(role, 'status', 'issuer-status');
  const shows = (more: Members, nonce = 0): Odd => ({
    documents: { [STATUS]: answer(status(more)) },
    token: { claims: { revocation_nonce: nonce } },
  });
  for (const [name, document, codes] of strange('status'))
    yield at(name, { documents: { [STATUS]: document } }, codes);
  yield at('a status 404', { documents: { [STATUS]: answer('', 404) } }, ['passport-unknown']);
  yield at('suspended', shows({ status: 'suspended' }), ['passport-suspended']);
  yield at('revoked', shows({ status: 'revoked' }), ['passport-revoked']);
  for (const value of ['Active', 'unknown', null, true, undefined])
    yield at(`of ${value}`, shows({ status: value }), ['status-invalid']);
  yield at('a nonce of 1', shows({ revocation_nonce: 1 }, 1), 'accept');
  yield at('a higher nonce', shows({ revocation_nonce: 1 }), ['revocation-nonce-mismatch']);
  yield at('a lower nonce', shows({ revocation_nonce: 0 }, 1), ['revocation-nonce-mismatch']);
  for (const value of [-1, 0.5, '0', null, undefined])
    yield at(`a nonce of ${JSON.stringify(value)}`, shows({ revocation_nonce: value }), ['status-invalid']);
  for (const member of ['passport_id', 'passport_did', 'issuer_id']) {
    yield at(`another ${member}`, shows({ [member]: 'other' }), ['status-mismatch']);
    yield at(`no ${member}`, shows({ [member]: undefined }), ['status-mismatch', 'status-invalid']);
  }
  yield at('another member', shows({ more: 1 }), 'accept');
}

const MANDATES: readonly (readonly [string, Members, Right])[] = [
  ['no mandate_id', { mandate_id: undefined }, ['mandate-malformed']],
  ['an empty mandate_id', { mandate_id: '' }, ['mandate-malformed']],
  ['a mandate_id of 256 characters', { mandate_id: long(256) }, 'accept'],
  ['a mandate_id of 257 characters', { mandate_id: long(257) }, ['mandate-malformed']],
  ['no scope', { scope: undefined }, ['mandate-malformed']],
  ['a scope that is a text', { scope: 'email.*' }, ['mandate-malformed']],
  ['256 scopes', { scope: [...MANY.slice(1), 'email.*'] }, 'accept'],
  ['257 scopes', { scope: [...MANY, 'email.*'] }, ['mandate-malformed']],
  ['no issued_at', { issued_at: undefined }, ['mandate-malformed']],
  ['no expires_at', { expires_at: undefined }, ['mandate-malformed']],
  ['a day that does not exist', { expires_at: '2026-11-31T00:00:00Z' }, ['mandate-malformed']],
  ['another offset', { expires_at: '2026-11-22T08:00:00.5+09:30' }, 'accept'],
  ['it has expired', { expires_at: '2026-11-21T08:09:00Z' }, ['mandate-expired']],
  ['it is from the future', { issued_at: '2026-11-21T09:00:00Z' }, ['mandate-not-yet-valid']],
  ['another member', { note: 1 }, 'accept'],
];

function* mandates(role: Role): Generator<Case> {
  const at = requests(role, 'mandate', 'mandate-form');
  const has = (value: unknown): Odd => ({ acts: true, token: { claims: { mandate: value } } });
  yield at('none', has(undefined), ['mandate-missing']);
  for (const value of [null, 1, []])
    yield at(JSON.stringify(value), has(value), ['token-claims', 'mandate-malformed']);
  for (const [name, more, right] of MANDATES) yield at(name, has(mandate(more)), right);
  const policies = requests(role, 'mandate', 'mandate-policy');
  yield policies('an empty policy', has(mandate({ policy: {} })), 'accept');
  for (const value of [{ max: 1 }, { x: null }])
    yield policies(`a policy ${JSON.stringify(value)}`, has(mandate({ policy: value })), [
      'mandate-policy-unknown',
    ]);
  for (const value of [null, [], 'x'])
    yield policies(`a policy ${JSON.stringify(value)}`, has(mandate({ policy: value })), [
      'mandate-malformed',
    ]);
}

/** Scopes, an action, and what is right. */
const SCOPES: readonly (readonly [readonly string[], string, Right])[] = [
  [['email.send'], 'email.send', 'accept'],
  [['email.*'], 'email.send', 'accept'],
  [['email.*'], 'email.send.bulk', 'accept'],
  [['email.*'], 'email', ['scope-not-granted']],
  [['email.*'], 'emails.send', ['scope-not-granted']],
  [['email'], 'email.send', ['scope-not-granted']],
  [['email.send'], 'email.send.bulk', ['scope-not-granted']],
  [['email.send'], 'email.Send', ['scope-not-granted']],
  [['a', 'email.send'], 'email.send', 'accept'],
  [[], 'email.send', ['scope-not-granted']],
  [['*'], 'email.send', ['mandate-malformed']],
  [['email.*.bulk'], 'email.send.bulk', ['mandate-malformed']],
  [['email*'], 'email.send', ['mandate-malformed']],
  [['email..send', 'email.*'], 'email.send', ['mandate-malformed']],
  [['.email', 'email.*'], 'email.send', ['mandate-malformed']],
  [['email.', 'email.*'], 'email.send', ['mandate-malformed']],
  [['e mail', 'email.*'], 'email.send', ['mandate-malformed']],
  [['', 'email.*'], 'email.send', ['mandate-malformed']],
  [['é', 'email.*'], 'email.send', ['mandate-malformed']],
  [[long(256)], long(256), 'accept'],
  [[long(257), 'email.*'], 'email.send', ['mandate-malformed']],
  [['email.*'], 'email.*', ['action-malformed']],
  [['email.*'], '', ['action-malformed']],
  [['email.*'], 'email.', ['action-malformed']],
  [['email.*'], `email.${long(251)}`, ['action-malformed']],
  [['A_b-1.c'], 'A_b-1.c', 'accept'],
];

function* scopes(role: Role): Generator<Case> {
  const at = requests(role, 'scope', 'scope-cover');
  for (const [scope, action, right] of SCOPES) {
    const name = `${scope.map((one) => one.slice(0, 20)).join(' ') || 'none'} for ${action.slice(0, 20) || 'nothing'} (${action.length})`;
    yield at(name, { acts: true, action, token: { claims: { mandate: mandate({ scope }) } } }, right);
  }
}

function withMandate(odd: OddJws = {}, more: Members = {}): OddJws {
  return { claims: { mandate: signedMandate(odd), principal_jkt: principal.thumbprint, ...more } };
}

function* signedMandates(role: Role): Generator<Case> {
  const at = requests(role, 'signed-mandate', 'mandate-jws');
  const has = (odd: OddJws, more: Members = {}): Odd => ({ acts: true, token: withMandate(odd, more) });
  yield at('good', has({}), 'accept');
  yield at('by a stranger', has({ signer: 'stranger' }), ['mandate-signature-invalid']);
  yield at('by a stranger with its key', has({ signer: 'stranger', header: { jwk: key('stranger').jwk } }), [
    'mandate-principal-mismatch',
  ]);
  yield at('no principal_jkt', has({}, { principal_jkt: undefined }), ['mandate-principal-mismatch']);
  yield at('another principal_jkt', has({}, { principal_jkt: agent.thumbprint }), [
    'mandate-principal-mismatch',
  ]);
  yield at('no jwk', has({ header: { jwk: undefined } }), ['mandate-header']);
  yield at('a private jwk', has({ header: { jwk: { ...principal.jwk, d: 'AAAA' } } }), ['mandate-header']);
  yield at('a jwk of small order', has({ header: { jwk: badKeys(principal.jwk)['the point 0'] } }), [
    'mandate-header',
  ]);
  yield at('another typ', has({ header: { typ: 'passport+jwt' } }), ['mandate-type']);
  yield at('the typ as a media type', has({ header: { typ: 'application/Mandate+jwt' } }), 'accept');
  yield at('an nbf with a fraction', has({ claims: { nbf: ISSUED + 0.5 } }), 'accept');
  yield at('no algorithm', has({ header: { alg: 'none' } }), ['mandate-algorithm']);
  yield at('crit', has({ header: { crit: [] } }), ['mandate-header']);
  yield at('for another agent', has({ claims: { cnf: { jkt: principal.thumbprint } } }), [
    'mandate-holder-mismatch',
  ]);
  yield at('for nobody', has({ claims: { cnf: undefined } }), [
    'mandate-holder-mismatch',
    'mandate-malformed',
  ]);
  yield at('exp has passed', has({ claims: { exp: ISSUED - 30 } }), ['mandate-expired']);
  yield at('exp has nearly passed', has({ claims: { exp: ISSUED } }), 'accept');
  yield at('nbf in the future', has({ claims: { nbf: ISSUED + 60 } }), ['mandate-not-yet-valid']);
  yield at('iat in the future', has({ claims: { iat: ISSUED + 6000 } }), 'accept');
  yield at('expires_at has passed', has({ claims: { expires_at: '2026-11-21T08:09:00Z' } }), [
    'mandate-expired',
  ]);
  yield at('no scope', has({ claims: { scope: undefined } }), ['mandate-malformed']);
  yield at('a dot at the end', has({ text: (jws) => `${jws}.` }), ['mandate-malformed']);
}

const PROOF: Values = {
  iat: { good: [ISSUED + 0.5], bad: [undefined, null, '1', -1, -0.5] },
  exp: { good: [ISSUED + 30.5], bad: [undefined, null, '1', -1, -0.5] },
  jti: { good: ['!', '~', long(128)], bad: [undefined, null, 1, '', 'a b', 'é', 'a\n', long(129)] },
  aud: { bad: [undefined, null, 1, [AUDIENCE]] },
  passport: { bad: [undefined, null, 1] },
  ath: { bad: [undefined, null, 1] },
  action: { bad: [undefined, null, 1] },
  payload_sha256: { bad: [undefined, null, 1] },
  note: { good: [1], bad: [] },
};

function* proofs(role: Role): Generator<Case> {
  const at = requests(role, 'proof', 'action-proof');
  const has = (proof: OddJws): Odd => ({ acts: true, proof });
  yield at('by a stranger', has({ signer: 'stranger' }), ['proof-signature-invalid']);
  yield at('by the issuer', has({ signer: 'issuer alpha' }), ['proof-signature-invalid']);
  yield at('another typ', has({ header: { typ: 'JWT' } }), ['proof-type']);
  yield at('the typ as a media type', has({ header: { typ: 'application/Action+JWT' } }), 'accept');
  yield at('no algorithm', has({ header: { alg: 'none' } }), ['proof-algorithm']);
  yield at('crit', has({ header: { crit: [] } }), ['proof-header']);
  yield at('jwk', has({ header: { jwk: agent.jwk } }), ['proof-header']);
  yield at('any kid', has({ header: { kid: 1 } }), 'accept');
  yield at('a dot at the end', has({ text: (jws) => `${jws}.` }), ['proof-malformed']);
  yield at('a member twice', has({ rawClaims: (text) => text.replace('{', '{"note":1,"note":1,') }), [
    'proof-malformed',
  ]);
  for (const [name, claim, isGood] of valuesOf(PROOF))
    yield at(name, has({ claims: claim }), either(isGood, 'proof-claims', 'proof-malformed'));
  const others = [
    ['passport', '00000000-7a52-4c8e-9d46-2f1f6a0c5e11', 'proof-passport-mismatch'],
    ['ath', long(43), 'proof-token-mismatch'],
    ['action', 'email.read', 'action-mismatch'],
    ['payload_sha256', sha256Hex(utf8('{}')), 'payload-mismatch'],
    ['aud', 'https://other.example', 'audience-mismatch'],
  ] as const;
  for (const [claim, value, code] of others)
    yield at(`another ${claim}`, has({ claims: { [claim]: value } }), [code]);
  yield at(
    'a hash in capitals',
    has({ claims: { payload_sha256: sha256Hex(utf8(PAYLOAD)).toUpperCase() } }),
    ['payload-mismatch', 'proof-claims'],
  );
}

const nested = (depth: number) => `{"a":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

function* payloads(role: Role): Generator<Case> {
  const at = (id: string, { text, canonical = text }: { text: string; canonical?: string }, right: Right) =>
    requests(role, 'payload', 'canonical-values')(
      id,
      { acts: true, payload: text, proof: { claims: { payload_sha256: sha256Hex(utf8(canonical)) } } },
      right,
    );
  yield at('no members', { text: '{}' }, 'accept');
  yield at('members in another order', { text: '{"b":1,"a":2}', canonical: '{"a":2,"b":1}' }, 'accept');
  yield at('a hash of other bytes', { text: '{"b":1,"a":2}', canonical: '{"b":1,"a":2}' }, [
    'payload-mismatch',
  ]);
  yield at('numbers', { text: '{"a":1.0,"b":1e3,"c":-0}', canonical: '{"a":1,"b":1000,"c":0}' }, 'accept');
  yield at('escapes', { text: '{"a":"\\u00e9\\u000f\\/"}', canonical: '{"a":"é\\u000f/"}' }, 'accept');
  yield at(
    'order by code units',
    { text: '{"\\ufb33":1,"\\ud83d\\ude00":2}', canonical: '{"\u{1F600}":2,"\ufb33":1}' },
    'accept',
  );
  yield at('the largest number', { text: '{"a":9007199254740991}' }, 'accept');
  yield at('a number that is too large', { text: '{"a":9007199254740992}' }, ['payload-malformed']);
  yield at('a depth of 500', { text: nested(500) }, 'accept');
  yield at('a depth of 501', { text: nested(501) }, ['payload-malformed']);
  yield at('a lone surrogate', { text: '{"a":"\\ud800"}', canonical: '{"a":"\ud800"}' }, [
    'payload-malformed',
  ]);
  for (const text of ['[]', 'null', '"x"', '1'])
    yield at(`the text ${text}`, { text }, ['payload-malformed']);
}

function* memories(role: Role): Generator<Case> {
  const make = topic(role, 'memory', { rule: 'proof-replay', base, why });
  const at = (id: string, rule: string, steps: readonly (readonly [Odd, Right])[]) =>
    make(id, {
      rule,
      steps: steps.map(([odd, right], number) => {
        return { ...stepOf(odd, right), now: odd.now ?? now + number * 1000 };
      }),
    });
  const acts: Odd = { acts: true };
  const other: Odd = { acts: true, proof: { claims: { jti: 'proof-2' } } };
  yield at('a proof twice', 'proof-replay', [
    [acts, 'accept'],
    [acts, ['action-replayed']],
    [other, 'accept'],
  ]);
  const wrong: Odd = { acts: true, action: 'files.read' };
  yield at('a refused proof is not used up', 'proof-replay', [
    [{ ...acts, documents: { [STATUS]: answer('', 500) } }, ['status-unreachable']],
    [acts, 'accept'],
  ]);
  yield at('an action that is not allowed', 'proof-replay', [
    [wrong, ['scope-not-granted']],
    [{ ...acts, proof: { claims: { jti: 'proof-1' } } }, 'accept'],
  ]);
  const nonce = (of: number, more: Members = {}): Odd => ({
    ...{
      token: { claims: { revocation_nonce: of } },
      documents: { [STATUS]: answer(status({ revocation_nonce: of, ...more })) },
    },
  });
  yield at('a nonce that goes back', 'status-memory', [
    [nonce(1), 'accept'],
    [nonce(0), ['revocation-nonce-rolled-back']],
    [nonce(1), 'accept'],
  ]);
  yield at('a revocation that is taken back', 'status-memory', [
    [nonce(0, { status: 'revoked' }), ['passport-revoked']],
    [nonce(0), ['passport-revoked', 'revocation-nonce-rolled-back']],
  ]);
  yield at('a status that does not come any more', 'issuer-status', [
    [{}, 'accept'],
    [{ documents: { [STATUS]: answer('', 500) }, now }, ['status-unreachable']],
  ]);
  yield at('a wrong proof, and a status that does not come any more', 'run-time-order', [
    [acts, 'accept'],
    [
      { ...other, proof: { signer: 'stranger' }, documents: { [STATUS]: answer('', 500) } },
      ['status-unreachable'],
    ],
    [other, 'accept'],
  ]);
  yield at('a suspension that is taken back', 'revocation-nonce', [
    [nonce(0, { status: 'suspended' }), ['passport-suspended']],
    [nonce(0), 'accept'],
  ]);
}

/** Payloads of requests: the object in the body, or the query of a request without a body. */
const REQUESTS: readonly (readonly [string, Required<Odd>['request'], string, Right])[] = [
  ['a body', { target: '/send', body: '{"to":"a"}' }, '{"to":"a"}', 'accept'],
  ['a body in another order', { target: '/send', body: '{ "b": 1, "a": 2 }' }, '{"a":2,"b":1}', 'accept'],
  ['a query', { target: '/send?to=a' }, '{"to":"a"}', 'accept'],
  ['a query with a name twice', { target: '/send?to=a&to=b' }, '{"to":["a","b"]}', 'accept'],
  ['an encoded query', { target: '/send?to=%C3%A9%2B+x' }, '{"to":"\u00e9+ x"}', 'accept'],
  ['no query', { target: '/send' }, '{}', 'accept'],
  ['a query of numbers', { target: '/send?n=1' }, '{"n":1}', ['payload-mismatch']],
  ['a body and a query', { target: '/send?to=a', body: '{"to":"a"}' }, '{"to":"a"}', ['payload-ambiguous']],
  ['a fragment', { target: '/send?to=a#b' }, '{"to":"a"}', ['payload-ambiguous']],
  ['a query that is not UTF-8', { target: '/send?to=%FF' }, '{"to":"\ufffd"}', ['payload-ambiguous']],
  ['a body that is an array', { target: '/send', body: '[]' }, '{}', ['payload-malformed']],
  ['a body with a member twice', { target: '/send', body: '{"a":1,"a":1}' }, '{"a":1}', ['body-not-json']],
];

function* httpRequests(role: Role): Generator<Case> {
  const at = requests(role, 'request', 'action-http');
  for (const [name, request, payload, right] of REQUESTS) {
    const proof = { claims: { payload_sha256: sha256Hex(utf8(payload)) } };
    yield at(name, { acts: true, request, proof }, right);
  }
}
