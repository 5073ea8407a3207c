import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadRecords, UsageError } from 'passport-registry';
import { beforeEach, describe, expect, it } from 'vitest';
import { recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

/** What validation says of a folder, a line each: file:line:column rule. */
async function verdicts(folder: string): Promise<string[]> {
  const { diagnostics } = await loadRecords([folder]);
  return diagnostics.map(
    ({ file, line, column, rule }) => `${file.slice(folder.length + 1)}:${line}:${column} ${rule}`,
  );
}

const changed = (changes: Record<string, string | undefined>) => recordText('acme', changes);
const OTHER_NAME = '1:12 id-not-file-name';

/**
 * The text of a file, what is said of it as place and rule, and a word of the remedy where it matters. The plain case of each
 * rule is in diagnostics/annotations; remedies for addresses and numbers are in diagnostics/remedies.
 */
const CASES: Record<string, [text: string | Uint8Array, said: string | string[], remedy?: string]> = {
  'a field that nobody knows': [
    changed({ favourite_colour: 'red' }),
    '7:1 unknown-field',
    'remove the field',
  ],
  'a field named __proto__': [`${changed({})}__proto__: {status: active}\n`, '7:1 unknown-field'],
  'all fields missing': ['{}', Array(6).fill('1:1 missing-field')],
  'a boolean for a tier': [changed({ tier: 'true' }), '2:7 wrong-type'],
  'a null for a required field': [changed({ tier: 'null' }), '2:7 wrong-type', 'write a value'],
  'no value at all': [changed({ tier: '' }), '2:7 wrong-type'],
  'a text for a list': [changed({ domain_scope: 'banking' }), '7:15 wrong-type', 'such as [banking]'],
  'a number in a list': [changed({ domain_scope: '[a, 7]' }), '7:19 wrong-type'],
  'a mapping for a list': [changed({ passport_types: '{a: b}' }), '7:17 wrong-type'],
  'an unknown status': [changed({ status: 'deleted' }), '3:9 unknown-value', 'choose one of them'],
  'a URI with an address that there is not': [
    changed({ jwks_uri: 'https://256.1.1.1/' }),
    '4:11 bad-uri',
    'host',
  ],
  'a URI with a fragment': [changed({ jwks_uri: 'https://acme.example/#a' }), '4:11 bad-uri', 'fragment'],
  'a script as an address': [changed({ policy_uri: '"javascript:alert(1)"' }), '7:13 bad-uri'],
  'an endless URI': [changed({ jwks_uri: `https://acme.example/${'a'.repeat(2100)}` }), '4:11 too-long'],
  'a bad country': [changed({ geographical_scope: '[no]' }), '7:22 bad-geography', 'did you mean `NO`?'],
  'a country by its name': [changed({ geographical_scope: '[Norway]' }), '7:22 bad-geography'],
  'an id with a slash': [changed({ issuer_id: 'a/acme' }), [OTHER_NAME, '1:12 id-path-traversal']],
  'a Windows path': [changed({ issuer_id: 'a\\acme' }), [OTHER_NAME, '1:12 id-path-traversal']],
  'an id with two dots': [changed({ issuer_id: 'a..b' }), [OTHER_NAME, '1:12 id-path-traversal']],
  'an id in capitals': [changed({ issuer_id: 'Acme' }), ['1:12 bad-id', OTHER_NAME], 'did you mean `acme`?'],
  'an id that is too long': [changed({ issuer_id: 'a'.repeat(129) }), ['1:12 bad-id', OTHER_NAME]],
  'an id with an e acute': [changed({ issuer_id: 'acmé' }), ['1:12 bad-id', OTHER_NAME]],
  'an empty second document': [`${changed({})}---\n`, '7:1 multiple-documents'],
  'a text': ['hello\n', '1:1 not-a-mapping'],
  'a tag': [changed({ tier: '!!js/function "x"' }), ['2:21 unknown-value', '2:7 yaml-tag']],
  'an alias': [
    changed({ tier: '&t certified', status: '*t' }),
    ['2:7 yaml-alias', '3:9 yaml-alias'],
    'repeat the value',
  ],
  'an alias of nothing': [changed({ tier: '*nothing' }), '2:7 yaml-alias'],
  'a directive after a comment': [`# hello\n%TAG ! tag:x,2026:\n---\n${changed({})}`, '2:1 yaml-directive'],
  'two directives': [
    `%YAML 1.2\n# hello\n\n%TAG ! tag:x,2026:\n---\n${changed({})}`,
    ['1:1 yaml-directive', '4:1 yaml-directive'],
  ],
  'a tab as indentation': ['issuer_id:\n\tacme\n', '2:1 yaml-syntax'],
  'bytes that are not UTF-8': [
    Buffer.concat([Buffer.from('# ø\n# abc '), Buffer.from([0xe6, 0x0a])]),
    '2:7 not-utf8',
  ],
  'UTF-16': [Buffer.from(`\ufeff${changed({})}`, 'utf16le'), '1:1 not-utf8'],
  'a character cut in two at the end': [Buffer.from([0x23, 0x20, 0xc3]), '1:3 not-utf8'],
  'an escaped NUL': [changed({ contact: '"a\\0@acme.example"' }), '7:10 bad-email'],
  'a lone surrogate': [changed({ domain_scope: '["\\ud800"]' }), '7:16 bad-slug'],
};

/** Times that do not exist, and times in another form, with what the remedy says. */
const TIMES: Record<string, string> = {
  '1900-02-29': 'the day is 29: write 01 to 28',
  '2026-13-40T00:00:00Z': 'the month is 13: write 01 to 12',
  '2026-00-01': 'the month is 00: write 01 to 12, in a date and time such as 2026-12-31T00:00:00Z',
  '2026-01-01 24:00:00': 'the hour is 24: write 00 to 23',
  '2026-01-01T10:60:00Z': 'the minute is 60: write 00 to 59',
  '2026-01-01T12:00:60Z': 'the second is 60: write 00 to 59',
  '2026-01-01T12:00:00+24:00': 'the hour of the zone is 24: write 00 to 23',
  'last spring': 'write the date, T, the time and the zone',
  '2026-01-01': 'did you mean `2026-01-01T00:00:00Z`?',
  '2026-01-01T10:00:00': 'did you mean `2026-01-01T10:00:00Z`?',
  '2026-01-01 10:00:00Z': 'did you mean `2026-01-01T10:00:00Z`?',
};

describe('a bad file', () => {
  it.each([
    ...Object.entries(CASES),
    ...Object.entries(TIMES).map(
      ([text, remedy]) => [text, [changed({ last_audit: text }), '7:13 bad-date-time', remedy]] as const,
    ),
  ])('%s', async (_name, [text, said, remedy = '']) => {
    writeFiles(folder, { 'acme.yaml': text });
    const { diagnostics, ok } = await loadRecords([folder]);
    expect(ok).toBe(false);
    expect(diagnostics.map(({ line, column, rule }) => `${line}:${column} ${rule}`).sort()).toEqual(
      [said].flat(),
    );
    expect(diagnostics.map((found) => found.remedy).join('\n')).toContain(remedy);
    for (const found of diagnostics) {
      expect(found.file).toBe(join(folder, 'acme.yaml'));
      expect([found.message, found.expected, found.remedy]).not.toContain('');
    }
  });

  it('an alias bomb, which is not expanded', async () => {
    const lines = [...'bcdefgh'].map(
      (name, at) => `${name}: &${name} [*${'abcdefgh'[at]}, *${'abcdefgh'[at]}]\n`,
    );
    writeFiles(folder, { 'acme.yaml': `a: &a [x, x]\n${lines.join('')}` });
    const { diagnostics } = await loadRecords([folder]);
    // Eight anchors, and two aliases in each line but the first.
    expect(diagnostics.filter(({ rule }) => rule === 'yaml-alias')).toHaveLength(22);
  });

  it.each(['index', 'con', 'nul', 'com1.example', 'lpt9'])('the reserved id %s', async (id) => {
    writeFiles(folder, { [`${id}.yaml`]: recordText(id) });
    expect((await verdicts(folder)).at(0)).toBe(`${id}.yaml:1:12 id-reserved`);
  });

  it.each(['acme.html', 'acme.htm', 'acme.gz', 'acme.br'])(
    'the id %s, which hosts would rewrite',
    async (id) => {
      writeFiles(folder, { [`${id}.yaml`]: recordText(id) });
      expect((await verdicts(folder)).at(0)).toBe(`${id}.yaml:1:12 id-host-suffix`);
    },
  );
});

describe('a bad folder', () => {
  it('no folder at all', async () => {
    await expect(loadRecords([join(temporaryFolder(), 'nowhere')])).rejects.toThrow(UsageError);
  });

  it('the same id twice, in sub-folders and with either ending', async () => {
    writeFiles(folder, {
      'a/acme.yaml': recordText('acme'),
      'acme.yml': recordText('acme'),
      'b/acme.yaml': recordText('acme'),
    });
    expect(await verdicts(folder)).toEqual(['acme.yml:1:12 duplicate-id', 'b/acme.yaml:1:12 duplicate-id']);
    const { diagnostics } = await loadRecords([folder]);
    expect(diagnostics[0]?.message).toContain(`${folder}/a/acme.yaml:1`);
  });

  it('the id of another file, which is not blamed for it', async () => {
    writeFiles(folder, { 'aa.yaml': recordText('acme'), 'acme.yaml': recordText('acme') });
    const { diagnostics } = await loadRecords([folder]);
    expect(diagnostics.map(({ file, rule, remedy }) => [basename(file), rule, remedy])).toEqual([
      ['aa.yaml', 'duplicate-id', expect.any(String)],
      // Not to rename the file: that name is taken.
      ['aa.yaml', 'id-not-file-name', 'write issuer_id: aa'],
    ]);
  });

  it('a symbolic link that leaves it, to a file or a folder', async () => {
    const outside = temporaryFolder();
    writeFiles(outside, { 'acme.yaml': recordText('acme') });
    mkdirSync(join(folder, 'sub'));
    symlinkSync(join(outside, 'acme.yaml'), join(folder, 'acme.yaml'));
    symlinkSync(outside, join(folder, 'sub', 'others'));
    expect(await verdicts(folder)).toEqual([
      'acme.yaml:1:1 symlink-outside',
      'sub/others:1:1 symlink-outside',
    ]);
  });
});
