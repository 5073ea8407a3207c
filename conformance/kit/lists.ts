import type { Case, Right } from '../cases/case.js';
import { base64url, concatBytes, jcs, timeText, utf8 } from '../cases/encoding.js';
import { bytesIn, textIn } from '../cases/files.js';
import { algebra, encodings } from '../cases/forgeries.js';
import { golden } from '../cases/goldens.js';
import { key } from '../cases/keys.js';
import { ASKED, either, makeCase, topic } from '../cases/make-case.js';
import type { Patch } from '../cases/patch.js';
import { record } from '../cases/registry.js';
import { anchorKit } from './anchors.js';
import { policyKit } from './policies.js';
import { recordKit } from './records.js';
import { oddSignatures, rootKeys, signatureSizes } from './root-keys.js';
import { partAlone } from './trees.js';

/** What a list verifier must accept and refuse: the runner's README says which rules of docs/protocol.md. */
export function* listKit(): Generator<Case> {
  yield* goodLists();
  yield* wrongSigners();
  yield* signatureForms();
  yield* oddSignatures();
  yield* signatureSizes();
  yield* listBytes();
  yield* recordKit();
  yield* orders();
  yield* rootKeys();
  yield* anchorKit();
  yield* policyKit();
}

const GOOD: Readonly<Record<string, string>> = { p256: 'signature-algorithm', stated: 'root-key-pinned' };

function* goodLists(): Generator<Case> {
  const rule = 'verify-before-parse';
  const make = topic('list', 'good', { rule, base: 'stated', why: 'The root key has signed this list.' });
  for (const base of ['stated', 'checkpoint', 'p256', 'levels-1']) {
    const own = { rule: GOOD[base] ?? rule, base, ask: ASKED, trusted: ['alpha', 'beta'] };
    yield make(base, own, 'accept');
  }
  const alone = {
    rule: 'verify-before-parse',
    base: 'checkpoint',
    patches: partAlone('checkpoint'),
    why: 'A list verifier needs nothing else.',
  };
  yield make('part A alone', alone, 'accept');
  yield make('no records', { rule: 'list-form', base: 'empty', why: 'A list may be empty.' }, 'accept');
}

const SIGNERS = ['stranger', 'p256 stranger', 'online', 'root 2', 'log'];

function* wrongSigners(): Generator<Case> {
  for (const base of ['stated', 'p256']) {
    const why = 'Another key has signed the list.';
    const make = topic('list', 'signer', { rule: 'root-key-pinned', base, why });
    const list = bytesIn(golden(base).files, 'issuers.json');
    for (const signer of SIGNERS) {
      const patches: Patch[] = [{ file: 'issuers.sig', text: base64url(key(signer).sign(list)) }];
      // A key of another kind: the algorithm follows from the pinned key.
      const isOther = (key(signer).alg === 'ES256') !== (base === 'p256');
      const rule = isOther ? 'signature-algorithm' : 'root-key-pinned';
      yield make(`${base} by ${signer}`, { rule, patches }, INVALID);
      const own: Patch = {
        file: 'keys/root.json',
        text: jcs({ ...key(signer).jwk, kid: key(signer).thumbprint }),
      };
      const both = [...patches, own];
      yield make(`${base} by ${signer}, with its root key`, { rule, patches: both }, INVALID);
    }
    for (const at of [0, 40, list.length - 1]) {
      const patches: Patch[] = [{ file: 'issuers.json', at, xor: 1 }];
      const why = 'The signature is that of another list.';
      yield make(`${base} a wrong bit at ${at}`, { rule: 'verify-before-parse', patches, why }, INVALID);
    }
  }
}

const INVALID = ['ERR_SIGNATURE_INVALID'];
const MALFORMED = ['ERR_SIGNATURE_MALFORMED'];
/** Encodings that a reader accepts. All others of the same signature are malformed. */
const GOOD_ENCODINGS = ['white space around', 'of 256 bytes with white space'];
/** 64 bytes, but not the right ones. */
const OTHER_BYTES = ['zeros'];

function* signatureForms(): Generator<Case> {
  for (const base of ['stated', 'p256']) {
    const right = textIn(golden(base).files, 'issuers.sig');
    for (const [name, text] of Object.entries(encodings(right))) {
      // The sizes are cases of their own.
      if (name.startsWith('of 257')) continue;
      const verdict = either(
        GOOD_ENCODINGS.includes(name),
        ...(OTHER_BYTES.includes(name) ? INVALID : MALFORMED),
      );
      const why = 'The signature has another encoding.';
      yield signatureCase({ rule: 'signature-form', base, name, text, why }, verdict);
    }
    for (const [name, text] of Object.entries(algebra(base, right))) {
      const why = 'The signature fulfils an equation, or nearly.';
      const verdict = either(name === 'the other s', ...(name === 'DER' ? MALFORMED : INVALID));
      yield signatureCase({ rule: 'signature-strict', base, name, text, why }, verdict);
    }
  }
}

/** A list under a signature in another form. */
interface OddSignature {
  readonly rule: string;
  readonly base: string;
  readonly name: string;
  readonly text: string | Uint8Array;
  readonly why: string;
}

function signatureCase({ name, text, ...draft }: OddSignature, right: Right): Case {
  const bytes = base64url(typeof text === 'string' ? utf8(text) : text);
  const patches = [{ file: 'issuers.sig', bytes }];
  return makeCase('list', { ...draft, id: `signature/${draft.base}, ${name}`, patches }, right);
}

const MALFORMED_LIST = ['ERR_LIST_MALFORMED'];
const NONCONFORMING = ['ERR_LIST_NONCONFORMING'];
const UNSORTED = ['ERR_LIST_UNSORTED'];
const NOT_CANONICAL = ['ERR_LIST_NOT_CANONICAL'];

/** How the bytes of a list can be other than canonical, or another list, and what is right. */
const LISTS: Readonly<Record<string, readonly [(canonical: string) => string | Uint8Array, Right]>> = {
  'a final newline': [(list) => `${list}\n`, NOT_CANONICAL],
  'a space before': [(list) => ` ${list}`, NOT_CANONICAL],
  'a byte order mark': [(list) => `\uFEFF${list}`, MALFORMED_LIST],
  'a space inside': [(list) => list.replace(',', ', '), NOT_CANONICAL],
  'members in another order': [
    (list) => list.replace(/^\{(.*),("updated_at":"[^"]*")\}$/, '{$2,$1}'),
    NOT_CANONICAL,
  ],
  'an escape': [(list) => list.replace('alpha', '\\u0061lpha'), NOT_CANONICAL],
  'a slash that is escaped': [(list) => list.replace('https://', 'https:\\/\\/'), NOT_CANONICAL],
  'a member twice': [
    (list) => list.replace('"tier":"certified"', '"tier":"certified","tier":"certified"'),
    NOT_CANONICAL,
  ],
  'a member twice, the last one wrong': [
    (list) => list.replace('"status":"active"', '"status":"active","status":"x"'),
    NONCONFORMING,
  ],
  'a member twice, the first one wrong': [
    (list) => list.replace('"status":"active"', '"status":"x","status":"active"'),
    NOT_CANONICAL,
  ],
  'a member twice in two spellings': [
    (list) => list.replace('"tier":"certified"', '"tier":"certified","t\\u0069er":"certified"'),
    NOT_CANONICAL,
  ],
  'issuers twice': [(list) => list.replace('{"issuers":', '{"issuers":[],"issuers":'), NOT_CANONICAL],
  __proto__: [(list) => list.replace('{"issuers":', '{"__proto__":{},"issuers":'), NONCONFORMING],
  'another member': [(list) => list.replace('{"issuers":', '{"extra":1,"issuers":'), NONCONFORMING],
  'no updated_at': [(list) => list.replace(/,"updated_at":"[^"]*"/, ''), NONCONFORMING],
  'no issuers': [(list) => list.replace(/"issuers":.*,"updated_at"/, '"updated_at"'), NONCONFORMING],
  'issuers null': [
    (list) => list.replace(/"issuers":.*,"updated_at"/, '"issuers":null,"updated_at"'),
    NONCONFORMING,
  ],
  'issuers an object': [
    (list) => list.replace(/"issuers":.*,"updated_at"/, '"issuers":{},"updated_at"'),
    NONCONFORMING,
  ],
  'no records': [(list) => list.replace(/"issuers":.*,"updated_at"/, '"issuers":[],"updated_at"'), 'accept'],
  'a record null': [(list) => list.replace('"issuers":[', '"issuers":[null,'), NONCONFORMING],
  'a record twice': [(list) => list.replace(/\[(\{[^}]*\}),/, '[$1,$1,'), UNSORTED],
  'records in another order': [(list) => list.replace(/\[(\{[^}]*\}),(\{[^}]*\})/, '[$2,$1'), UNSORTED],
  'an array': [(list) => `[${list}]`, NONCONFORMING],
  'a number': [() => '1', NONCONFORMING],
  'no text': [() => '', MALFORMED_LIST],
  'half of it': [(list) => list.slice(0, list.length >> 1), MALFORMED_LIST],
  'something after': [(list) => `${list}{}`, MALFORMED_LIST],
  'bytes that are not UTF-8': [(list) => concatBytes(utf8(list), Uint8Array.of(0xff)), MALFORMED_LIST],
  'an overlong encoding': [
    (list) => concatBytes(utf8(list.slice(0, 20)), Uint8Array.of(0xc0, 0xaf), utf8(list.slice(20))),
    MALFORMED_LIST,
  ],
  'UTF-16': [
    (list) => Uint8Array.from([0xff, 0xfe, ...[...list].flatMap((one) => [one.charCodeAt(0), 0])]),
    MALFORMED_LIST,
  ],
  'a lone surrogate': [(list) => list.replace('alpha', '\\ud800'), NONCONFORMING],
  'a number that is too large': [(list) => list.replace('"certified"', '1e400'), NONCONFORMING],
  'a depth of 501': [() => `${'['.repeat(501)}${']'.repeat(501)}`, NONCONFORMING],
  // A parser that gives up before it has read everything, and one that does not, may both be used.
  'a depth of 100000': [
    () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    [...MALFORMED_LIST, ...NONCONFORMING],
  ],
};

/** Forms of `updated_at` that are not the one of a list. */
const TIMES = [
  ...['2026-11-21T08:03:00.0Z', '2026-11-21T08:03:00+00:00', '2026-11-21t08:03:00z', '2026-11-21 08:03:00Z'],
  ...['2026-11-21T08:03Z'],
  ...['2026-11-31T08:03:00Z', '2016-12-31T23:59:60Z', '2026-11-21T24:00:00Z', '', '1795248180'],
  ...['+002026-11-21T08:03:00Z'],
];

/** A list in other bytes, signed as it is. */
function signedList(base: string, list: Uint8Array): Patch[] {
  const { root } = golden(base).registry;
  return [
    { file: 'issuers.json', bytes: base64url(list) },
    { file: 'issuers.sig', text: base64url(root.sign(list)) },
  ];
}

function* listBytes(): Generator<Case> {
  for (const base of ['stated', 'p256']) {
    const { files, registry } = golden(base);
    const canonical = textIn(files, 'issuers.json');
    const why = 'The root key has signed a list in other bytes.';
    const make = topic('list', 'bytes', { rule: 'list-form', base, why });
    for (const [name, [change, right]] of Object.entries(LISTS)) {
      const list = change(canonical);
      const patches = signedList(base, typeof list === 'string' ? utf8(list) : list);
      const rule = name.startsWith('record') || name === 'a record twice' ? 'list-order' : 'list-form';
      yield make(`${base}, ${name}`, { rule, patches }, right);
    }
    if (base === 'p256') continue;
    const times = topic('list', 'time', { rule: 'list-time', base, why: 'updated_at has another form.' });
    const dated = (time: string) => ({
      patches: signedList(base, utf8(canonical.replace(timeText(registry.now), time))),
    });
    for (const time of TIMES) yield times(time === '' ? 'empty' : time, dated(time), NONCONFORMING);
    const exists = { now: Date.parse('2026-11-21T09:00:00Z'), why: 'updated_at is a day that exists.' };
    for (const time of [
      '2024-02-29T23:59:59Z',
      '2026-11-21T08:03:00Z',
      '2016-12-31T23:59:59Z',
      '0000-02-29T00:00:00Z',
    ])
      yield times(time, { ...dated(time), ...exists }, 'accept');
  }
}

/** Ids in their right order, where sorting by words, by case, or by length would be another one. */
const ORDERS: readonly (readonly [string, readonly string[], boolean])[] = [
  ['by code units', ['a', 'a-b', 'a.b', 'a0', 'a_b', 'aa', 'b'], true],
  ['a hyphen after a digit', ['a', 'a0', 'a-b'], false],
  ['an underscore before a digit', ['a', 'a_b', 'a0'], false],
  ['by number', ['a', 'a2', 'a10'], false],
  ['by length', ['b', 'aa'], false],
  ['digits first', ['0', 'a'], true],
];

function* orders(): Generator<Case> {
  const base = 'stated';
  const why = 'Ids are sorted as arrays of code units.';
  const make = topic('list', 'order', { rule: 'list-order', base, why });
  for (const [name, ids, isGood] of ORDERS) {
    const issuers = ids.map((id) => ({ ...record('any'), issuer_id: id }));
    const list = utf8(jcs({ issuers, updated_at: timeText(golden(base).registry.now) }));
    yield make(name, { patches: signedList(base, list) }, either(isGood, ...UNSORTED));
  }
}
