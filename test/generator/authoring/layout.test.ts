import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse, parseDocument, stringify } from 'yaml';
import { checkLayout, fixLayout } from '../../../build/generator/authoring/layout.js';
import fc, { codePoint } from '../../support/fast-check.js';
import { EXAMPLE_RECORDS } from '../../support/paths.js';
import { rounds } from '../../support/soak.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

const UNTIDY = `# yaml-language-server: $schema=../schemas/issuer.schema.json
# Zed is an example.

# Chosen by the board.
tier: "founding"   # until the next audit
issuer_id: 'zed'
name: 'Zed Ltd'
status: active
geographical_scope:
  - NO
  - "SE"
jwks_uri: https://zed.example/jwks
discovery_uri:   https://zed.example/metadata
last_audit: ~
domain_scope:
  # the first of many
  - banking
certified_since: "2026-01-01T00:00:00Z"
# The end.
`;

const TIDY = `# yaml-language-server: $schema=../schemas/issuer.schema.json
# Zed is an example.

issuer_id: zed
name: Zed Ltd
# Chosen by the board.
tier: founding # until the next audit
status: active
jwks_uri: https://zed.example/jwks
discovery_uri: https://zed.example/metadata
certified_since: 2026-01-01T00:00:00Z
last_audit: null
geographical_scope: [NO, SE]
domain_scope:
  # the first of many
  - banking

# The end.
`;

const commentsOf = (text: string) => [...text.matchAll(/#.*/g)].map(([comment]) => comment.trim()).sort();

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
});

/** Returns a record as `check --fix` leaves it. It must not complain. */
function formatted(text: string): string {
  const file = join(folder, 'a.yaml');
  writeFileSync(file, text);
  const { record } = fixLayout({ file, stem: 'a', text });
  expect(checkLayout(record)).toEqual([]);
  return readFileSync(file, 'utf8');
}

describe('the layout of records', () => {
  it('orders fields, drops needless quotes, and keeps every comment with its field', () => {
    expect(formatted(UNTIDY)).toBe(TIDY);
  });

  it('leaves the example records alone', () => {
    for (const name of readdirSync(EXAMPLE_RECORDS)) {
      const text = readFileSync(join(EXAMPLE_RECORDS, name), 'utf8');
      expect(formatted(text)).toBe(text);
    }
  });

  it.each([
    ['line ends of Windows', 'issuer_id: a\r\ntier: sandbox\r\n', 'issuer_id: a\ntier: sandbox\n'],
    ['a document marker', '---\nissuer_id: a\n', 'issuer_id: a\n'],
    ['a record in braces', '{tier: sandbox, issuer_id: a}\n', 'issuer_id: a\ntier: sandbox\n'],
    ['no end of the last line', 'issuer_id: a', 'issuer_id: a\n'],
    ['a field that nobody knows', 'zzz: 1\nissuer_id: a\n', 'issuer_id: a\nzzz: 1\n'],
    ['text that would be something else without quotes', 'contact: "null"\n', 'contact: "null"\n'],
    [
      'a list that is too long for a line',
      `domain_scope: [${Array.from({ length: 12 }, (_, index) => `domain-number-${index}`)}]\n`,
      `domain_scope:\n${Array.from({ length: 12 }, (_, index) => `  - domain-number-${index}\n`).join('')}`,
    ],
    [
      'the longest list on a line',
      `domain_scope: [${'a'.repeat(82)}]\n`,
      `domain_scope: [${'a'.repeat(82)}]\n`,
    ],
    [
      'the shortest list that is longer',
      `domain_scope: [${'a'.repeat(83)}]\n`,
      `domain_scope:\n  - ${'a'.repeat(83)}\n`,
    ],
    ['an empty list', 'domain_scope: [ ]\n', 'domain_scope: []\n'],
  ])('takes %s', (_name, text, laid) => {
    expect(formatted(text)).toBe(laid);
    expect(formatted(laid)).toBe(laid);
  });

  it('changes no value, loses no comment, and is done after one pass, whatever it gets', async () => {
    const value = fc.oneof(
      fc.string({ unit: codePoint }),
      fc.string({ unit: fc.constantFrom(...' \n\t\r\u0085\u00a0\u2028\ufeffa:#-?|>\'"\\&*!%@`{}[],') }),
      fc.constantFrom(
        'null',
        'true',
        '1',
        'NO',
        '# no comment',
        'a: b',
        '- a',
        '',
        ' x ',
        'a\nb',
        "it's",
        '"q"',
      ),
      fc.constant(null),
      fc.array(fc.string(), { maxLength: 4 }),
    );
    const field = fc.constantFrom('issuer_id', 'tier', 'contact', 'domain_scope', 'last_audit', 'zzz');
    const record = fc.dictionary(field, value, { minKeys: 1 });
    const style = fc.record({
      collectionStyle: fc.constantFrom('any' as const, 'block' as const, 'flow' as const),
      defaultStringType: fc.constantFrom('PLAIN' as const, 'QUOTE_DOUBLE' as const, 'QUOTE_SINGLE' as const),
      lineWidth: fc.constantFrom(0, 20, 80),
    });
    await fc.assert(
      fc.asyncProperty(record, style, fc.array(fc.constantFrom('', '\n')), async (data, options, gaps) => {
        // The runner of the tests must get an answer during the minutes that thousands of records take.
        await setImmediate();
        const lines = gaps.map((gap, index) => `# comment ${index}\n${gap}`).join('');
        const text = lines + stringify(data, options);
        // In flow style some texts of several lines are written so that nobody can read them.
        fc.pre(parseDocument(text).errors.length === 0);
        const laid = formatted(text);
        expect(parse(laid)).toEqual(parse(text));
        expect(formatted(laid)).toBe(laid);
        for (const index of gaps.keys()) expect(laid).toContain(`# comment ${index}\n`);
      }),
      { numRuns: rounds({ usual: 60, soak: 20_000 }) },
    );
  });

  it('is the same for simple records as for those with a comment, which need the full parser', () => {
    const word = fc.stringMatching(/^[A-Za-z][A-Za-z0-9._@%+=~-]{0,30}$/);
    const words = fc.array(word, { minLength: 1, maxLength: 8 });
    const value = fc.oneof(
      word.map((text) => ` ${text}`),
      fc.constantFrom(' null', ' https://a.example/b?c', ' two words', ' "quoted"', ' ~', ' 1', ' []'),
      words.map((items) => ` [${items.join(', ')}]`),
      words.map((items) => items.map((item) => `\n  - ${item}`).join('')),
    );
    const fields = ['issuer_id', 'tier', 'jwks_uri', 'last_audit', 'domain_scope', 'contact'];
    const record = fc
      .shuffledSubarray(fields, { minLength: 1 })
      .chain((some) => fc.tuple(...some.map((field) => value.map((text) => `${field}:${text}\n`))))
      .map((lines) => lines.join(''));
    fc.assert(
      fc.property(record, (text) => {
        expect(formatted(`# A comment.\n\n${text}`)).toBe(`# A comment.\n\n${formatted(text)}`);
      }),
      { numRuns: rounds({ usual: 100, soak: 5000 }) },
    );
  });
});

describe('passport-registry check', () => {
  /** The exit code of a command, and what it reports. */
  async function said(folder: string, ...args: string[]) {
    const { code, stdout } = await cli([...args, '--json'], folder);
    const diagnostics: Record<string, string>[] = JSON.parse(stdout).diagnostics;
    return [code, diagnostics.map(({ file, line, column, rule }) => `${file}:${line}:${column} ${rule}`)];
  }

  it('says which files are not formatted and where, and touches none; with --fix, it mends them', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/zed.yaml': UNTIDY, 'issuers/a.yaml': recordText('a') });
    expect(await said(folder, 'check')).toEqual([1, ['issuers/zed.yaml:4:1 layout']]);
    expect(readFileSync(join(folder, 'issuers/zed.yaml'), 'utf8')).toBe(UNTIDY);
    const format = await cli(['check', '--fix'], folder);
    expect(format).toEqual({
      code: 0,
      stdout: '2 files: 0 problems, 0 warnings, 1 reformatted\n',
      stderr: 'issuers/zed.yaml reformatted\n',
    });
    expect(commentsOf(readFileSync(join(folder, 'issuers/zed.yaml'), 'utf8'))).toEqual(commentsOf(UNTIDY));
    expect((await cli(['check'], folder)).code).toBe(0);
  });

  it('leaves a file alone that it cannot read as a record, and says so', async () => {
    const folder = temporaryFolder();
    const bad = 'issuer_id: [a\n';
    writeFiles(folder, { 'issuers/bad.yaml': bad, 'issuers/text.yaml': 'just a text\n' });
    const expected = ['issuers/bad.yaml:2:1 yaml-syntax', 'issuers/text.yaml:1:1 not-a-mapping'];
    expect(await said(folder, 'check', '--fix')).toEqual([1, expected]);
    expect(readFileSync(join(folder, 'issuers/bad.yaml'), 'utf8')).toBe(bad);
  });

  it('leaves a file alone that would be no YAML with other line ends, and says so', async () => {
    const folder = temporaryFolder();
    const text = 'domain_scope: [a,\r\r\n , b]\r\n';
    writeFiles(folder, { 'a.yaml': text });
    const { code, stdout } = await cli(['check', '--fix', 'a.yaml', '--json'], folder);
    expect(code).toBe(1);
    expect(JSON.parse(stdout).diagnostics).toContainEqual(
      expect.objectContaining({ rule: 'layout', message: expect.stringContaining('end in LF') }),
    );
    expect(readFileSync(join(folder, 'a.yaml'), 'utf8')).toBe(text);
  });
});
