import type { Case, Right, Role } from '../cases/case.js';
import { jcs, sha256Hex, utf8 } from '../cases/encoding.js';
import { textIn } from '../cases/files.js';
import { golden } from '../cases/goldens.js';
import type { Members } from '../cases/jwt.js';
import { resigned, topic, variant } from '../cases/make-case.js';
import type { Patch } from '../cases/patch.js';
import { record } from '../cases/registry.js';
import { PUBLICATION } from '../cases/statements.js';
import { LINES } from '../cases/traps.js';

const INVALID = ['ERR_SUMS_INVALID'];
const MISMATCH = ['ERR_SUMS_MISMATCH'];

/** What a client that looks up single issuers must accept and refuse: the tree of sums, and records. */
export function* lookupKit(role: Role): Generator<Case> {
  yield* proven(role);
  yield* sumsLines(role);
  yield* levels(role);
  yield* records(role);
  yield* hashes(role);
  yield* unsigned(role);
}

function* proven(role: Role): Generator<Case> {
  const why = 'The tree of sums proves each issuer, or that it is absent.';
  const make = topic(role, 'proven', { rule: 'sums-proof', base: 'stated', why });
  for (const base of ['stated', 'checkpoint', 'levels-1', 'levels-2', 'rotated', 'witnessed', 'p256']) {
    yield make(base, { base, trusted: ['alpha', 'beta'] }, 'accept');
  }
  yield make('hold', { rule: 'hold', base: 'hold', trusted: ['alpha'] }, 'accept');
  yield make('empty', { rule: 'sums-place', base: 'empty', trusted: [] }, 'accept');
  const ask = ['alpha', 'ALPHA', 'a..b', '../issuers.json', '', 'con', 'alpha/', 'a'.repeat(129)];
  const invalid = 'A string that is no issuer_id is in no list.';
  yield make('invalid ids', { why: invalid, ask, trusted: ['alpha'] }, 'accept');
  for (const status of ['suspended', 'revoked']) {
    const patches = variant('stated', (registry) => registry.change('alpha', { status }).publish());
    const own = { rule: 'status-rejected', patches, why: 'The status is not active.', trusted: ['beta'] };
    yield make(status, own, 'accept');
  }
}

/** A sums file in another form, named by the statement as it is. */
function withSums(base: string, text: string): Patch[] {
  const claims = { sums_sha256: sha256Hex(utf8(text)) };
  return [{ file: 'sums/root', text }, ...resigned(base, PUBLICATION, claims)];
}

function* sumsLines(role: Role): Generator<Case> {
  for (const base of ['stated', 'levels-1']) {
    const make = topic(role, 'sums', { rule: 'sums-form', base, why: 'A sums file has other lines.' });
    const before = textIn(golden(base).files, 'sums/root');
    for (const [name, change] of Object.entries(LINES)) {
      const id = `${base}, ${name}`;
      const patches = withSums(base, change(before));
      if (name === 'no lines') yield make(id, { patches, trusted: [] }, 'accept');
      // Whether the first line is needed depends on the places of the ids.
      else if (name === 'a line less' || name === 'the wrong hash') {
        if (base !== 'stated') continue;
        const own = { patches, rule: 'sums-proof' };
        yield name === 'a line less'
          ? make(id, { ...own, trusted: ['beta'] }, 'accept')
          : make(id, own, MISMATCH);
      } else yield make(id, { patches }, INVALID);
    }
  }
}

function* levels(role: Role): Generator<Case> {
  const base = 'stated';
  const why = 'The statement has another number of levels than the tree of sums.';
  const make = topic(role, 'sums', { rule: 'sums-form', base, why });
  for (const number of [1, 8]) {
    const patches = resigned(base, PUBLICATION, { levels: number });
    yield make(`levels ${number}`, { patches }, INVALID);
  }
}

const RECORD = ['ERR_RECORD_INVALID'];

/** Records in other bytes, whose hash is right. */
const RECORDS: Readonly<Record<string, (text: string) => string>> = {
  'a final newline': (text) => `${text}\n`,
  'a space': (text) => text.replace(':', ': '),
  'a byte order mark': (text) => `\uFEFF${text}`,
  'a member twice': (text) => text.replace('"tier":', '"tier":"certified","tier":'),
  'members in another order': (text) => text.replace(/^\{(.*),("tier":"[^"]*")\}$/, '{$2,$1}'),
  'another member': (text) => text.replace('{', '{"a":1,'),
  'another id': (text) => text.replace('"issuer_id":"alpha"', '"issuer_id":"beta"'),
  'no text': () => '',
  'an array': (text) => `[${text}]`,
  'half of it': (text) => text.slice(0, text.length >> 1),
  'another tier': (text) => text.replace('certified"', 'gold"'),
  'a time that does not exist': (text) => text.replace('2026-01-01T', '2026-02-30T'),
};

function* records(role: Role): Generator<Case> {
  const base = 'stated';
  const why = 'The record has another form, and the right hash.';
  const formed = topic(role, 'record', { rule: 'sums-proof', base, why });
  const make = (name: string, bytes: string, right: Right) => {
    const published = { records: new Map([['alpha', utf8(bytes)]]) };
    return formed(name, { patches: variant(base, (registry) => registry.publish(published)) }, right);
  };
  const text = textIn(golden(base).files, 'issuers/alpha');
  yield make('as it is', text, 'accept');
  for (const [name, change] of Object.entries(RECORDS)) yield make(name, change(text), RECORD);
  const passport_types = Array.from({ length: 400 }, (_, at) => `${'x'.repeat(60)}-${at}`);
  const large = {
    ...{ rule: 'other-limits', ask: ['acme.jwt'], trusted: ['acme.jwt'] },
    why: 'The limit of a record is that of a record, whatever its id ends in.',
    patches: variant(base, (registry) => registry.change('acme.jwt', { passport_types }).publish()),
  };
  yield formed('of 27,000 bytes, whose id ends in .jwt', large, 'accept');
  const tooLarge = utf8(JSON.stringify(record('alpha', { note: 'x'.repeat(65_536) })));
  const published = { records: new Map([['alpha', tooLarge]]) };
  const limited = { rule: 'other-limits', patches: variant(base, (registry) => registry.publish(published)) };
  yield formed('too large', limited, ['ERR_SOURCE_TOO_LARGE']);
}

/** Files that do not have the hash above them. */
function* hashes(role: Role): Generator<Case> {
  const why = 'A file has another hash than the file above names.';
  const hashed = topic(role, 'hash', { rule: 'sums-proof', base: 'stated', why });
  const make = (id: string, patches: readonly Patch[], right: Right) => hashed(id, { patches }, right);
  const damaged = (file: string): Patch => ({ file, at: 3, xor: 1 });
  yield make('sums/root', [damaged('sums/root')], MISMATCH);
  yield make('issuers/alpha', [damaged('issuers/alpha')], MISMATCH);
  yield make('a record that nobody asks for', [damaged('issuers/gamma')], 'accept');
  yield make('no record', [{ file: 'issuers/alpha', removed: true }], ['ERR_SOURCE_STATUS']);
  yield make('no sums file', [{ file: 'sums/root', removed: true }], ['ERR_SOURCE_STATUS']);
  const list: Patch[] = [
    { file: 'issuers.json', removed: true },
    { file: 'issuers.sig', removed: true },
  ];
  yield make('no list', list, 'accept');
}

/** A record has no signature of its own: only the tree of sums makes it one of the registry. */
function* unsigned(role: Role): Generator<Case> {
  const unsignedRecord = topic(role, 'unsigned', {
    ...{ rule: 'signed-bytes', base: 'stated', why: 'Only what the root key has signed counts.' },
    ...{ ask: ['alpha'], trusted: ['alpha'] },
  });
  const make = (id: string, changed: Members, right: Right) => {
    const text = jcs(record('alpha', changed));
    return unsignedRecord(id, { patches: [{ file: 'issuers/alpha', text }] }, right);
  };
  yield make('the record that is proven', {}, 'accept');
  yield make('a record of another tier', { tier: 'founding' }, MISMATCH);
  yield make('a record of another key set', { jwks_uri: 'https://evil.example/jwks.json' }, MISMATCH);
}
