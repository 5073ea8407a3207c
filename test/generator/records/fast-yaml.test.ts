import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { parseFastYaml } from '../../../build/generator/records/yaml/fast-yaml.js';
import fc from '../../support/fast-check.js';
import { ROOT } from '../../support/paths.js';
import { rounds } from '../../support/soak.js';

const TEXTS = rounds({ usual: 8_000, soak: 200_000 });

/** What the parser of all YAML makes of a text; a complaint of any kind is an error here. */
function parsed(text: string): unknown {
  const document = parseDocument(text, { version: '1.2', schema: 'core', merge: false, uniqueKeys: true });
  expect(document.errors).toEqual([]);
  expect(document.warnings).toEqual([]);
  return document.toJS();
}

/** Runs a text through both. @returns whether the fast way took it */
function compare(text: string): boolean {
  const record = parseFastYaml(text);
  if (record === undefined) return false;
  // By its text, so that the order of fields counts, too.
  expect(JSON.stringify(record)).toBe(JSON.stringify(parsed(text)));
  return true;
}

const FIELDS = ['issuer_id', 'tier', 'jwks_uri', 'certified_since', 'domain_scope', 'contact', 'policy_uri'];

/** Pieces that matter to YAML, next to some that do not. */
const PIECES = [
  ...'a B7 acme NO no yes on null Null NULL ~ ~a true False nan inf .inf -.INF'.split(' '),
  ...'0 7 1e3 1.5 0x1F 0o17 +1 + - -- --- ... . .. << = 12:30:45 2026-01-01'.split(' '),
  ...'2026-01-15T09:00:00Z 2026-01-15T09:00:00.5+01:00 2026-01-15t09:00:00z a@b.example'.split(' '),
  ...'https://a.example http://a.example:80/x https://a.example/b?c=d&e#f'.split(' '),
  ...`: :: # , [ ] [] { } {} &a *a !t !!str | > |- % %41 @ \` ? \\ " ' "" '' "a" 'a' "a\\n" 'a''b'`.split(
    ' ',
  ),
  ...[': ', ' :', ' #', '# x', ', ', '? ', '- ', '- a', '%YAML 1.1', ' ', '  ', '\t', '\r'],
  ...['é', '\u0000', '\u0085', '\u2028', '\ufeff', '\u007f'],
];

const piece = fc.constantFrom(...PIECES);
/** What the fast way takes, and what looks like it. */
const near = fc.oneof(
  fc.stringMatching(/^[A-Za-z][A-Za-z0-9._@/%+=~-]{0,8}$/),
  fc.stringMatching(/^[A-Za-z]{1,4}( [A-Za-z0-9#:.-]{1,3}){1,2}$/),
  fc.stringMatching(/^https?:\/\/[a-z.]{1,6}(:[0-9]{1,4})?[/a-z:%-]{0,6}$/),
  fc.stringMatching(
    /^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,3})?([Zz]|[+-][0-9]{2}:?[0-9]{2})$/,
  ),
  fc.stringMatching(/^"[ -~]{0,8}"$/),
  fc.stringMatching(/^'[ -~]{0,8}'$/),
  fc.stringMatching(/^\[[A-Za-z0-9, .-]{0,12}\]$/),
  fc.constantFrom('null', 'true', 'NO', 'yes', '[]', '[a, b]', '[NO, SE]', '[null]', '[a,b]', '[a, b, ]'),
);
const scalar = fc.oneof(
  { weight: 16, arbitrary: near },
  { weight: 2, arbitrary: fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join('')) },
  fc.string({ maxLength: 12 }),
  fc.stringMatching(/^[A-Za-z0-9._@/%+=~:#, -]{0,12}$/),
);
const list = fc
  .array(scalar, { maxLength: 4 })
  .chain((items) =>
    fc.constantFrom(`[${items.join(', ')}]`, `[${items.join(',')}]`, `[ ${items.join(', ')} ]`),
  );
const block = fc
  .tuple(
    fc.array(scalar, { minLength: 1, maxLength: 3 }),
    fc.array(fc.constantFrom('', '  ', '    '), { minLength: 1, maxLength: 2 }),
  )
  .map(([items, indents]) => items.map((item, at) => `\n${indents[at % indents.length]}- ${item}`).join(''));
const value = fc.oneof(
  { weight: 8, arbitrary: scalar.map((text) => ` ${text}`) },
  { weight: 2, arbitrary: list.map((text) => ` ${text}`) },
  { weight: 3, arbitrary: block },
  scalar,
);
const line = fc.oneof(
  {
    weight: 16,
    arbitrary: fc.tuple(fc.constantFrom(...FIELDS), value).map(([field, text]) => `${field}:${text}`),
  },
  scalar.map((text) => `# ${text}`),
  scalar,
  fc.constantFrom('', '#', ' ', '---', '...', '  # in', 'tier :x', '"tier": a', 'unknown: a', '__proto__: a'),
);
const document = fc
  .tuple(
    fc.array(line, { minLength: 1, maxLength: 3 }),
    fc.constantFrom(...Array(9).fill('\n'), '\r\n'),
    fc.constantFrom(...Array(9).fill('\n'), ''),
  )
  .map(([lines, end, last]) => lines.join(end) + last);

describe('the fast way to read a record', () => {
  it('takes what it takes to be the same as the parser of all YAML does, over thousands of texts', () => {
    let taken = 0;
    fc.assert(
      fc.property(document, (text) => {
        taken += compare(text) ? 1 : 0;
      }),
      { numRuns: TEXTS },
    );
    // A way that takes nothing would pass, too.

    expect(taken).toBeGreaterThan(TEXTS / 10);
  });

  it('stays right when good records are damaged in one place', () => {
    const folder = join(ROOT, 'issuers');
    const records = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    fc.assert(
      fc.property(
        fc.constantFrom(...records),
        fc.nat(),
        fc.nat({ max: 3 }),
        fc.oneof(piece, fc.string({ maxLength: 3 }), fc.constantFrom('\n', '\n\n', '\n  ', '\n- ')),
        (text, place, removed, inserted) => {
          const at = place % (text.length + 1);
          compare(text.slice(0, at) + inserted + text.slice(at + removed));
        },
      ),
      { numRuns: TEXTS / 10 },
    );
  });

  it('takes records as people write them', () => {
    const folder = join(ROOT, 'issuers');
    for (const name of readdirSync(folder))
      expect(compare(readFileSync(join(folder, name), 'utf8'))).toBe(true);
  });

  it.each([
    ['a second document', 'tier: a\n---\ntier: b\n'],
    ['a directive', '%YAML 1.1\n---\ntier: NO\n'],
    ['a field twice', 'tier: a\ntier: b\n'],
    ['a field that no issuer has', 'colour: a\n'],
    ['a number', 'tier: 12\n'],
    ['a truth', 'tier: True\n'],
    ['nothing', 'tier:\n'],
    ['an anchor', 'tier: &a b\n'],
    ['a text over two lines', 'tier: a\n  b\n'],
    ['an escape', 'tier: "a\\u0041"\n'],
    ['a comment behind a value', 'tier: a # b\n'],
    ['items that are not equally far in', 'domain_scope:\n  - a\n   - b\n'],
    ['a list in a list', 'domain_scope:\n  - - a\n'],
    ['a missing end of line', 'tier: a'],
    ['Windows lines', 'tier: a\r\n'],
    ['a letter beyond ASCII', '# Zürich\ntier: a\n'],
    ['no field', '# nothing\n'],
  ])('leaves %s to the parser', (_what, text) => {
    expect(parseFastYaml(text)).toBeUndefined();
  });
});
