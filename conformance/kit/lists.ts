import type { Case, Right } from '../cases/case.js';
import { base64url, jcs, timeText, utf8 } from '../cases/encoding.js';
import { bytesIn, textIn } from '../cases/files.js';
import { algebra, encodings } from '../cases/forgeries.js';
import { golden } from '../cases/goldens.js';
import { key } from '../cases/keys.js';
import { ASKED, either, makeCase, publishedList, topic } from '../cases/make-case.js';
import type { Patch } from '../cases/patch.js';
import { borderRecords, LISTS, publishWith, TIMES } from '../cases/records.js';
import { record } from '../cases/registry.js';
import { anchorKit } from './anchors.js';
import { policyKit } from './policies.js';
import { oddSignatures, rootKeys, signatureSizes } from './root-keys.js';

/** What a list verifier must accept and refuse: the runner's README says which rules of docs/protocol.md. */
export function* listKit(): Generator<Case> {
  yield* goodLists();
  yield* wrongSigners();
  yield* signatureForms();
  yield* oddSignatures();
  yield* signatureSizes();
  yield* listBytes();
  yield* records();
  yield* orders();
  yield* rootKeys();
  yield* anchorKit();
  yield* policyKit();
}

const GOOD: Readonly<Record<string, string>> = { p256: 'signature-algorithm', stated: 'root-key-pinned' };

function* goodLists(): Generator<Case> {
  const rule = 'verify-before-parse';
  const make = topic('list', 'good', { rule, base: 'plain', why: 'The root key has signed this list.' });
  for (const base of ['plain', 'stated', 'checkpoint', 'p256', 'levels-1']) {
    const own = { rule: GOOD[base] ?? rule, base, ask: ASKED, trusted: ['alpha', 'beta'] };
    yield make(base, own, 'accept');
  }
  yield make('no records', { rule: 'list-form', base: 'empty', why: 'A list may be empty.' }, 'accept');
}

const SIGNERS = ['stranger', 'p256 stranger', 'online', 'root 2', 'log'];

function* wrongSigners(): Generator<Case> {
  for (const base of ['plain', 'p256']) {
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
  for (const base of ['plain', 'p256']) {
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

/** What is right for each of the lists in other bytes. */
const LIST_CODES: Readonly<Record<keyof typeof LISTS, Right>> = {
  'a final newline': NOT_CANONICAL,
  'a space before': NOT_CANONICAL,
  'a byte order mark': MALFORMED_LIST,
  'a space inside': NOT_CANONICAL,
  'members in another order': NOT_CANONICAL,
  'an escape': NOT_CANONICAL,
  'a slash that is escaped': NOT_CANONICAL,
  'a member twice': NOT_CANONICAL,
  'a member twice, the last one wrong': NONCONFORMING,
  'a member twice, the first one wrong': NOT_CANONICAL,
  'a member twice in two spellings': NOT_CANONICAL,
  'issuers twice': NOT_CANONICAL,
  __proto__: NONCONFORMING,
  'another member': NONCONFORMING,
  'no updated_at': NONCONFORMING,
  'no issuers': NONCONFORMING,
  'issuers null': NONCONFORMING,
  'issuers an object': NONCONFORMING,
  'no records': 'accept',
  'a record null': NONCONFORMING,
  'a record twice': UNSORTED,
  'records in another order': UNSORTED,
  'an array': NONCONFORMING,
  'a number': NONCONFORMING,
  'no text': MALFORMED_LIST,
  'half of it': MALFORMED_LIST,
  'something after': MALFORMED_LIST,
  'bytes that are not UTF-8': MALFORMED_LIST,
  'an overlong encoding': MALFORMED_LIST,
  'UTF-16': MALFORMED_LIST,
  'a lone surrogate': NONCONFORMING,
  'a number that is too large': NONCONFORMING,
  'a depth of 501': NONCONFORMING,
  // A parser that gives up before it has read everything, and one that does not, may both be used.
  'a depth of 100000': [...MALFORMED_LIST, ...NONCONFORMING],
};

/** A list in other bytes, signed as it is. */
function signedList(base: string, list: Uint8Array): Patch[] {
  const { root } = golden(base).registry;
  return [
    { file: 'issuers.json', bytes: base64url(list) },
    { file: 'issuers.sig', text: base64url(root.sign(list)) },
  ];
}

function* listBytes(): Generator<Case> {
  for (const base of ['plain', 'p256']) {
    const { files, registry } = golden(base);
    const canonical = textIn(files, 'issuers.json');
    const why = 'The root key has signed a list in other bytes.';
    const make = topic('list', 'bytes', { rule: 'list-form', base, why });
    for (const [name, change] of Object.entries(LISTS)) {
      const list = change(canonical);
      const patches = signedList(base, typeof list === 'string' ? utf8(list) : list);
      const rule = name.startsWith('record') || name === 'a record twice' ? 'list-order' : 'list-form';
      yield make(`${base}, ${name}`, { rule, patches }, LIST_CODES[name] as Right);
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

function* records(): Generator<Case> {
  const base = 'plain';
  for (const { name, rule, alpha, isGood } of borderRecords()) {
    const patches = publishedList(base, (registry) => publishWith(registry, alpha));
    const why = isGood ? 'A record may say this.' : 'No record may say this.';
    const draft = { id: `record/${name}`, rule, base, patches, why };
    yield makeCase('list', draft, either(isGood, ...NONCONFORMING));
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
  const base = 'plain';
  const why = 'Ids are sorted as arrays of code units.';
  const make = topic('list', 'order', { rule: 'list-order', base, why });
  for (const [name, ids, isGood] of ORDERS) {
    const issuers = ids.map((id) => ({ ...record('any'), issuer_id: id }));
    const list = utf8(jcs({ issuers, updated_at: timeText(golden(base).registry.now) }));
    yield make(name, { patches: signedList(base, list) }, either(isGood, ...UNSORTED));
  }
}
