import { ODD_VALUES } from './claims.js';
import { concatBytes, utf8 } from './encoding.js';
import type { Members } from './jwt.js';
import { type Registry, record } from './registry.js';

const MEMBERS = [
  ...['issuer_id', 'tier', 'status', 'jwks_uri', 'discovery_uri', 'certified_since', 'policy_uri', 'contact'],
  ...['geographical_scope', 'domain_scope', 'passport_types', 'last_audit'],
];

/** A number of characters. */
const long = (count: number) => 'x'.repeat(count);

/** An e-mail address of some characters, of which some are before the at sign. The labels of its host have at most 63. */
function mail(local: number, all: number): string {
  const host = `${`${long(50)}.`.repeat(5)}`.slice(0, all - local - '@.example'.length);
  return `${long(local)}@${host.replace(/\.$/, 'x')}.example`;
}

/** Values at the borders of what a record may say. */
interface Borders {
  readonly good: readonly unknown[];
  readonly bad: readonly unknown[];
}

const BORDERS: Readonly<Record<string, Borders>> = {
  issuer_id: {
    good: ['a', 'a_b', 'console', 'a.html.x', long(128), 'constructor', '0', 'con-x'],
    bad: [
      ...['A', 'a..b', '.a', 'a.', 'a-', '-a', 'a b', 'ä', 'index', 'con', 'con.x', 'com0', 'lpt9', 'a.gz'],
      ...['a.br', 'a.html', 'a.htm', long(129), 'a\n', 'a/b', '__proto__'],
    ],
  },
  tier: { good: ['founding', 'certified', 'registered', 'sandbox'], bad: ['Founding', 'gold', ''] },
  status: { good: ['active', 'suspended', 'revoked'], bad: ['Active', 'withdrawn'] },
  jwks_uri: {
    good: [
      'https://a.example/',
      'https://a.example',
      `https://a.example/${long(2030)}`,
      'https://a.example:1/%2f?a=b',
    ],
    bad: [
      ...['http://a.example/', 'https://a.example/#x', 'https://u@a.example/', '/keys', 'https://'],
      ...[
        'https://ä.example/',
        'https://a.example/ ',
        'https://a.example/%zz',
        `https://a.example/${long(2031)}`,
      ],
      ...['https://[::1]/', 'HTTPS://a.example/', 'javascript:alert(1)', 'https://a.example/\n'],
    ],
  },
  discovery_uri: {
    good: ['https://a.example/?q', 'https://a.example:99999/'],
    bad: ['http://a.example/', 'ftp://a.example/', 'https://a.example:999999/'],
  },
  policy_uri: {
    good: [null, 'http://a.example/#x', 'https://a.example/'],
    bad: ['mailto:a@a.example', `http://a.example/${long(2048)}`, 'javascript:alert(1)', ''],
  },
  contact: {
    good: [null, 'a@a.example', mail(64, 254), mail(1, 254), "a.b!#$%&'*+/=?^_`{|}~-@a.example"],
    bad: [
      ...[
        'a',
        'a@',
        `${long(245)}@a.example`,
        'a@a.example\n',
        'a@b@a.example',
        mail(65, 254),
        mail(64, 255),
      ],
      ...[mail(1, 255), 'a..b@a.example', '.a@a.example', 'a.@a.example', `a@${long(64)}.example`, 'a@a'],
    ],
  },
  certified_since: {
    good: [
      ...[
        '2026-02-28T00:00:00Z',
        '2024-02-29t00:00:00z',
        '2016-12-31T23:59:60Z',
        '2017-01-01T00:59:60+01:00',
      ],
      ...[
        '2026-01-01T00:00:00.5+23:59',
        `2026-01-01T00:00:00.${'0'.repeat(43)}Z`,
        '2026-01-01T00:00:00-00:00',
        '0000-02-29T00:00:00Z',
        '9999-12-31T23:59:60Z',
      ],
    ],
    bad: [
      ...[
        '2026-02-29T00:00:00Z',
        '2026-01-32T00:00:00Z',
        '2026-04-31T00:00:00Z',
        '2026-01-01T24:00:00Z',
        '2016-12-31T22:59:60Z',
        '2026-01-01T00:00:00+24:00',
      ],
      ...[
        '2026-01-01',
        '2026-01-01T00:00Z',
        '2026-13-01T00:00:00Z',
        '2026-01-00T00:00:00Z',
        '2026-01-01 00:00:00Z',
      ],
      ...[`2026-01-01T00:00:00.${'0'.repeat(44)}Z`, '2026-01-01T00:00:00', '2026-01-01T00:00:00Z\n'],
    ],
  },
  last_audit: { good: [null, '2026-01-01T00:00:00Z'], bad: ['2026-06-31T00:00:00Z', ''] },
  geographical_scope: {
    good: [[], ['NO', 'SE'], ['XX'], ['global'], ['US-CA', 'US-1']],
    bad: [['NO', 'NO'], ['no'], [null], ['NO', 1], ['US-'], ['US-CALI'], 'NO'],
  },
  domain_scope: {
    good: [[], ['finance'], [long(64)], ['a.example']],
    bad: [['finance', 'finance'], ['Finance'], [long(65)], [''], ['a-'], ['a..b']],
  },
  passport_types: { good: [[], ['basic']], bad: [['basic', 'basic'], ['BASIC'], [{}]] },
};

/** Members that a record need not have. */
const OPTIONAL = [
  'policy_uri',
  'contact',
  'geographical_scope',
  'domain_scope',
  'passport_types',
  'last_audit',
];
/** Members that may be null, and those that are arrays. */
const NULLABLE = ['policy_uri', 'contact', 'last_audit'];
const ARRAYS = ['geographical_scope', 'domain_scope', 'passport_types'];

/** A record at the border of what is right, and whether it is. */
interface BorderRecord {
  readonly name: string;
  readonly rule: string;
  readonly alpha: Members;
  readonly isGood: boolean;
}

const RULES: Readonly<Record<string, string>> = {
  issuer_id: 'issuer-id',
  ...{ jwks_uri: 'record-uris', discovery_uri: 'record-uris', policy_uri: 'record-uris' },
  ...{ certified_since: 'date-time', last_audit: 'date-time' },
};

/** Every member of a record with odd values, and on both sides of its borders. */
export function* borderRecords(): Generator<BorderRecord> {
  for (const member of MEMBERS) {
    const rule = RULES[member] ?? 'record-form';
    const at = (name: string, alpha: Members, isGood: boolean) => ({
      name: `${member} ${name}`,
      rule,
      alpha,
      isGood,
    });
    yield at('absent', without(record('alpha'), member), OPTIONAL.includes(member));
    for (const [name, value] of ODD_VALUES) {
      const isGood =
        (name === 'null' && NULLABLE.includes(member)) ||
        (name === 'an array' && ARRAYS.includes(member)) ||
        (name === 'text' && member === 'issuer_id');
      yield at(name, record('alpha', { [member]: value }), isGood);
    }
    const { good = [], bad = [] } = BORDERS[member] ?? {};
    for (const [number, value] of [...good, ...bad].entries()) {
      const shown = String(value)
        .replaceAll(/[^\w.:-]/g, '_')
        .slice(0, 30);
      yield at(`border ${number} ${shown}`, record('alpha', { [member]: value }), number < good.length);
    }
  }
  const another = { rule: 'record-form', isGood: false };
  yield { name: 'another member', alpha: record('alpha', { note: 'x' }), ...another };
  yield { name: 'an empty member name', alpha: record('alpha', { '': 'x' }), ...another };
  yield { name: 'a name for people', alpha: record('alpha', { name: 'Alpha' }), ...another };
  yield { name: 'a reason', alpha: record('alpha', { status_reason: 'x' }), ...another };
}

/** Publishes a list with another record in the place of `alpha`, sorted as if its id were right. */
export function publishWith(registry: Registry, alpha: Members): Registry {
  const id = alpha['issuer_id'];
  registry.records.delete('alpha');
  registry.records.set(typeof id === 'string' ? id : 'alpha', alpha);
  return registry.publish();
}

function without(members: Members, name: string): Members {
  return Object.fromEntries(Object.entries(members).filter(([one]) => one !== name));
}

/** How the bytes of a list can be other than canonical, or another list. */
export const LISTS: Readonly<Record<string, (canonical: string) => string | Uint8Array>> = {
  'a final newline': (list) => `${list}\n`,
  'a space before': (list) => ` ${list}`,
  'a byte order mark': (list) => `\uFEFF${list}`,
  'a space inside': (list) => list.replace(',', ', '),
  'members in another order': (list) => list.replace(/^\{(.*),("updated_at":"[^"]*")\}$/, '{$2,$1}'),
  'an escape': (list) => list.replace('alpha', '\\u0061lpha'),
  'a slash that is escaped': (list) => list.replace('https://', 'https:\\/\\/'),
  'a member twice': (list) => list.replace('"tier":"certified"', '"tier":"certified","tier":"certified"'),
  'a member twice, the last one wrong': (list) =>
    list.replace('"status":"active"', '"status":"active","status":"x"'),
  'a member twice, the first one wrong': (list) =>
    list.replace('"status":"active"', '"status":"x","status":"active"'),
  'a member twice in two spellings': (list) =>
    list.replace('"tier":"certified"', '"tier":"certified","t\\u0069er":"certified"'),
  'issuers twice': (list) => list.replace('{"issuers":', '{"issuers":[],"issuers":'),
  __proto__: (list) => list.replace('{"issuers":', '{"__proto__":{},"issuers":'),
  'another member': (list) => list.replace('{"issuers":', '{"extra":1,"issuers":'),
  'no updated_at': (list) => list.replace(/,"updated_at":"[^"]*"/, ''),
  'no issuers': (list) => list.replace(/"issuers":.*,"updated_at"/, '"updated_at"'),
  'issuers null': (list) => list.replace(/"issuers":.*,"updated_at"/, '"issuers":null,"updated_at"'),
  'issuers an object': (list) => list.replace(/"issuers":.*,"updated_at"/, '"issuers":{},"updated_at"'),
  'no records': (list) => list.replace(/"issuers":.*,"updated_at"/, '"issuers":[],"updated_at"'),
  'a record null': (list) => list.replace('"issuers":[', '"issuers":[null,'),
  'a record twice': (list) => list.replace(/\[(\{[^}]*\}),/, '[$1,$1,'),
  'records in another order': (list) => list.replace(/\[(\{[^}]*\}),(\{[^}]*\})/, '[$2,$1'),
  'an array': (list) => `[${list}]`,
  'a number': () => '1',
  'no text': () => '',
  'half of it': (list) => list.slice(0, list.length >> 1),
  'something after': (list) => `${list}{}`,
  'bytes that are not UTF-8': (list) => concatBytes(utf8(list), Uint8Array.of(0xff)),
  'an overlong encoding': (list) =>
    concatBytes(utf8(list.slice(0, 20)), Uint8Array.of(0xc0, 0xaf), utf8(list.slice(20))),
  'UTF-16': (list) => Uint8Array.from([0xff, 0xfe, ...[...list].flatMap((one) => [one.charCodeAt(0), 0])]),
  'a lone surrogate': (list) => list.replace('alpha', '\\ud800'),
  'a number that is too large': (list) => list.replace('"certified"', '1e400'),
  'a depth of 501': () => `${'['.repeat(501)}${']'.repeat(501)}`,
  'a depth of 100000': () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
};

/** Forms of `updated_at` that are not the one of a list. */
export const TIMES = [
  ...[
    '2026-11-21T08:03:00.0Z',
    '2026-11-21T08:03:00+00:00',
    '2026-11-21t08:03:00z',
    '2026-11-21 08:03:00Z',
    '2026-11-21T08:03Z',
  ],
  ...[
    '2026-11-31T08:03:00Z',
    '2016-12-31T23:59:60Z',
    '2026-11-21T24:00:00Z',
    '',
    '1795248180',
    '+002026-11-21T08:03:00Z',
  ],
];
