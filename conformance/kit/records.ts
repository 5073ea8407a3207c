import type { Case } from '../cases/case.js';
import { ODD_VALUES } from '../cases/claims.js';
import type { Members } from '../cases/jwt.js';
import { either, makeCase, publishedList } from '../cases/make-case.js';
import { record } from '../cases/registry.js';

/** A number of characters. */
const long = (count: number) => 'x'.repeat(count);

/** An e-mail address of some characters, of which some are before the at sign. The labels of its host have at most 63. */
function mail(local: number, all: number): string {
  const host = `${`${long(50)}.`.repeat(5)}`.slice(0, all - local - '@.example'.length);
  return `${long(local)}@${host.replace(/\.$/, 'x')}.example`;
}

/** A member of a record, with values at the borders of what it may be. */
interface Borders {
  readonly rule?: string;
  /** A member with one of these kinds may be absent, too. */
  readonly kind?: 'nullable' | 'array';
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const BORDERS: Readonly<Record<string, Borders>> = {
  issuer_id: {
    rule: 'issuer-id',
    good: ['a', 'a_b', 'console', 'a.html.x', long(128), 'constructor', '0', 'con-x'],
    bad: [
      ...['A', 'a..b', '.a', 'a.', 'a-', '-a', 'a b', 'ä', 'index', 'con', 'con.x', 'com0', 'lpt9', 'a.gz'],
      ...['a.br', 'a.html', 'a.htm', long(129), 'a\n', 'a/b', '__proto__'],
    ],
  },
  tier: { good: ['founding', 'certified', 'registered', 'sandbox'], bad: ['Founding', 'gold', ''] },
  status: { good: ['active', 'suspended', 'revoked'], bad: ['Active', 'withdrawn'] },
  jwks_uri: {
    rule: 'record-uris',
    good: [
      'https://a.example/',
      'https://a.example',
      `https://a.example/${long(2030)}`,
      'https://a.example:1/%2f?a=b',
    ],
    bad: [
      ...['http://a.example/', 'https://a.example/#x', 'https://u@a.example/', '/keys', 'https://'],
      ...['https://ä.example/', 'https://a.example/ ', 'https://a.example/%zz'],
      ...[`https://a.example/${long(2031)}`],
      ...['https://[::1]/', 'HTTPS://a.example/', 'javascript:alert(1)', 'https://a.example/\n'],
    ],
  },
  discovery_uri: {
    rule: 'record-uris',
    good: ['https://a.example/?q', 'https://a.example:99999/'],
    bad: ['http://a.example/', 'ftp://a.example/', 'https://a.example:999999/'],
  },
  certified_since: {
    rule: 'date-time',
    good: [
      ...['2026-02-28T00:00:00Z', '2024-02-29t00:00:00z', '2016-12-31T23:59:60Z'],
      ...['2017-01-01T00:59:60+01:00'],
      ...['2026-01-01T00:00:00.5+23:59', `2026-01-01T00:00:00.${'0'.repeat(43)}Z`],
      ...['2026-01-01T00:00:00-00:00', '0000-02-29T00:00:00Z', '9999-12-31T23:59:60Z'],
    ],
    bad: [
      ...['2026-02-29T00:00:00Z', '2026-01-32T00:00:00Z', '2026-04-31T00:00:00Z', '2026-01-01T24:00:00Z'],
      ...['2016-12-31T22:59:60Z', '2026-01-01T00:00:00+24:00'],
      ...['2026-01-01', '2026-01-01T00:00Z', '2026-13-01T00:00:00Z', '2026-01-00T00:00:00Z'],
      ...['2026-01-01 00:00:00Z'],
      ...[`2026-01-01T00:00:00.${'0'.repeat(44)}Z`, '2026-01-01T00:00:00', '2026-01-01T00:00:00Z\n'],
    ],
  },
  policy_uri: {
    rule: 'record-uris',
    kind: 'nullable',
    good: [null, 'http://a.example/#x', 'https://a.example/'],
    bad: ['mailto:a@a.example', `http://a.example/${long(2048)}`, 'javascript:alert(1)', ''],
  },
  contact: {
    kind: 'nullable',
    good: [null, 'a@a.example', mail(64, 254), mail(1, 254), "a.b!#$%&'*+/=?^_`{|}~-@a.example"],
    bad: [
      ...['a', 'a@', `${long(245)}@a.example`, 'a@a.example\n', 'a@b@a.example', mail(65, 254)],
      ...[mail(64, 255)],
      ...[mail(1, 255), 'a..b@a.example', '.a@a.example', 'a.@a.example', `a@${long(64)}.example`, 'a@a'],
    ],
  },
  geographical_scope: {
    kind: 'array',
    good: [[], ['NO', 'SE'], ['XX'], ['global'], ['US-CA', 'US-1']],
    bad: [['NO', 'NO'], ['no'], [null], ['NO', 1], ['US-'], ['US-CALI'], 'NO'],
  },
  domain_scope: {
    kind: 'array',
    good: [[], ['finance'], [long(64)], ['a.example']],
    bad: [['finance', 'finance'], ['Finance'], [long(65)], [''], ['a-'], ['a..b']],
  },
  passport_types: { kind: 'array', good: [[], ['basic']], bad: [['basic', 'basic'], ['BASIC'], [{}]] },
  last_audit: {
    rule: 'date-time',
    kind: 'nullable',
    good: [null, '2026-01-01T00:00:00Z'],
    bad: ['2026-06-31T00:00:00Z', ''],
  },
};

/** Every member of a record with odd values, and on both sides of its borders. */
export function* recordKit(): Generator<Case> {
  for (const [member, { rule = 'record-form', kind, good, bad }] of Object.entries(BORDERS)) {
    const at = (name: string, alpha: Members, isGood: boolean) =>
      recordCase(`${member} ${name}`, alpha, { rule, isGood });
    const { [member]: _absent, ...others } = record('alpha');
    yield at('absent', others, kind !== undefined);
    for (const [name, value] of ODD_VALUES) {
      const isGood =
        (name === 'null' && kind === 'nullable') ||
        (name === 'an array' && kind === 'array') ||
        (name === 'text' && member === 'issuer_id');
      yield at(name, record('alpha', { [member]: value }), isGood);
    }
    for (const [number, value] of [...good, ...bad].entries()) {
      const shown = String(value)
        .replaceAll(/[^\w.:-]/g, '_')
        .slice(0, 30);
      yield at(`border ${number} ${shown}`, record('alpha', { [member]: value }), number < good.length);
    }
  }
  const another = { rule: 'record-form', isGood: false };
  yield recordCase('another member', record('alpha', { note: 'x' }), another);
  yield recordCase('an empty member name', record('alpha', { '': 'x' }), another);
  yield recordCase('a name for people', record('alpha', { name: 'Alpha' }), another);
  yield recordCase('a reason', record('alpha', { status_reason: 'x' }), another);
}

/** A list with another record in the place of `alpha`, sorted as if its id were right. */
function recordCase(name: string, alpha: Members, { rule, isGood }: { rule: string; isGood: boolean }): Case {
  const base = 'stated';
  const id = alpha['issuer_id'];
  const patches = publishedList(base, (registry) => {
    registry.records.delete('alpha');
    registry.records.set(typeof id === 'string' ? id : 'alpha', alpha);
    registry.publish();
  });
  const why = isGood ? 'A record may say this.' : 'No record may say this.';
  const draft = { id: `record/${name}`, rule, base, patches, why };
  return makeCase('list', draft, either(isGood, 'ERR_LIST_NONCONFORMING'));
}
