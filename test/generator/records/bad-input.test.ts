import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { loadRecords, RULES, UsageError } from 'passport-registry';
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
/** Where the value of a field starts in `changed({ [field]: … })`. */
const AT: Record<string, string> = {
  issuer_id: '1:12',
  tier: '2:7',
  status: '3:9',
  jwks_uri: '4:11',
  discovery_uri: '5:16',
  certified_since: '6:18',
};
const bomb = `a: &a [x, x]\n${[...'bcdefgh'].map((name, i) => `${name}: &${name} [*${'abcdefgh'[i]}, *${'abcdefgh'[i]}]`).join('\n')}\n`;

/** The bad file, and what is said of it: place and rule, then a word from the remedy where it matters. */
const CASES: Record<string, [text: string | Uint8Array, ...expected: string[]]> = {
  'an unknown field': [changed({ teir: 'gold' }), '7:1 unknown-field did you mean `tier`?'],
  'a field that nobody knows': [changed({ favourite_colour: 'red' }), '7:1 unknown-field remove the field'],
  'a field named __proto__': [`${changed({})}__proto__: {status: active}\n`, '7:1 unknown-field'],
  'a missing field': [changed({ jwks_uri: undefined }), '1:1 missing-field add jwks_uri: https://'],
  'all fields missing': ['{}', ...Array.from({ length: 6 }, () => '1:1 missing-field')],
  'a number for a text': [changed({ name: '7' }), '7:7 wrong-type quotes: "7"'],
  'a number for an address': [changed({ contact: '7' }), '7:10 wrong-type an address with an @'],
  'a boolean for a tier': [changed({ tier: 'true' }), '2:7 wrong-type'],
  'a null for a required field': [changed({ tier: 'null' }), '2:7 wrong-type write a value'],
  'no value at all': [changed({ tier: '' }), '2:7 wrong-type'],
  'a text for a list': [changed({ domain_scope: 'banking' }), '7:15 wrong-type such as [banking]'],
  'a list for a text': [changed({ status: '[active]' }), '3:9 wrong-type'],
  'a number in a list': [changed({ domain_scope: '[a, 7]' }), '7:19 wrong-type'],
  'a mapping for a list': [changed({ passport_types: '{a: b}' }), '7:17 wrong-type'],
  'a misspelt tier': [changed({ tier: 'certifed' }), '2:7 unknown-value did you mean `certified`?'],
  'an unknown status': [changed({ status: 'deleted' }), '3:9 unknown-value choose one of them'],
  'a day that does not exist': [
    changed({ certified_since: '2026-02-30T00:00:00Z' }),
    '6:18 bad-date-time the day is 30: write 01 to 28',
  ],
  'a 29 February in a year that is not a leap year': [
    changed({ certified_since: '1900-02-29' }),
    '6:18 bad-date-time the day is 29: write 01 to 28',
  ],
  'a month 13': [
    changed({ certified_since: '2026-13-40T00:00:00Z' }),
    '6:18 bad-date-time the month is 13: write 01 to 12',
  ],
  'a month 0 without a time': [
    changed({ certified_since: '2026-00-01' }),
    '6:18 bad-date-time the month is 00: write 01 to 12, in a date and time such as 2026-12-31T00:00:00Z',
  ],
  'an hour 24': [
    changed({ last_audit: '2026-01-01 24:00:00' }),
    '7:13 bad-date-time the hour is 24: write 00 to 23',
  ],
  'a minute 60': [
    changed({ last_audit: '2026-01-01T10:60:00Z' }),
    '7:13 bad-date-time the minute is 60: write 00 to 59',
  ],
  'a leap second at noon': [
    changed({ last_audit: '2026-01-01T12:00:60Z' }),
    '7:13 bad-date-time the second is 60: write 00 to 59',
  ],
  'a zone of 24 hours': [
    changed({ last_audit: '2026-01-01T12:00:00+24:00' }),
    '7:13 bad-date-time the hour of the zone is 24: write 00 to 23',
  ],
  'words for a date': [
    changed({ last_audit: 'last spring' }),
    '7:13 bad-date-time write the date, T, the time and the zone',
  ],
  'a date without a time': [
    changed({ certified_since: '2026-01-01' }),
    '6:18 bad-date-time did you mean `2026-01-01T00:00:00Z`?',
  ],
  'a date-time without a zone': [
    changed({ last_audit: '2026-01-01T10:00:00' }),
    '7:13 bad-date-time did you mean `2026-01-01T10:00:00Z`?',
  ],
  'a space for the T': [
    changed({ last_audit: '2026-01-01 10:00:00Z' }),
    '7:13 bad-date-time did you mean `2026-01-01T10:00:00Z`?',
  ],
  'a bad URI': [changed({ jwks_uri: 'acme.example/jwks.json' }), '4:11 bad-uri start the URL with https://'],
  'a URI with a space': [changed({ jwks_uri: '"https://acme.example/a b"' }), '4:11 bad-uri %20'],
  'a URI with a user name': [changed({ jwks_uri: 'https://me@acme.example/' }), '4:11 bad-uri user name'],
  'a URI with a port that there is not': [
    changed({ jwks_uri: 'https://acme.example:99999/' }),
    '4:11 bad-uri port',
  ],
  'a URI with an address that there is not': [
    changed({ jwks_uri: 'https://256.1.1.1/' }),
    '4:11 bad-uri host',
  ],
  'a URI with a fragment': [changed({ jwks_uri: 'https://acme.example/#a' }), '4:11 bad-uri fragment'],
  'a host that is not ASCII': [changed({ jwks_uri: 'https://äcme.example/' }), '4:11 bad-uri punycode'],
  'a script as an address': [changed({ policy_uri: '"javascript:alert(1)"' }), '7:13 bad-uri'],
  'an endless URI': [changed({ jwks_uri: `https://acme.example/${'a'.repeat(2100)}` }), '4:11 too-long'],
  'not https': [changed({ discovery_uri: 'http://acme.example/' }), '5:16 not-https "https://acme.example/"'],
  'a bad e-mail': [
    changed({ contact: 'mailto:me@acme.example' }),
    '7:10 bad-email write only me@acme.example',
  ],
  'a bad country': [changed({ geographical_scope: '[no]' }), '7:22 bad-geography did you mean `NO`?'],
  'a country by its name': [changed({ geographical_scope: '[Norway]' }), '7:22 bad-geography'],
  'a bad slug': [
    changed({ domain_scope: '[Retail Banking]' }),
    '7:16 bad-slug did you mean `retail-banking`?',
  ],
  'the same item twice': [changed({ domain_scope: '[a, b, a]' }), '7:22 duplicate-item'],
  'a duplicate key': [`${changed({})}status: revoked\n`, '7:1 duplicate-key'],
  'an id with a slash': [changed({ issuer_id: 'a/acme' }), '1:12 id-not-file-name', '1:12 id-path-traversal'],
  'a path traversal': [changed({ issuer_id: '../acme' }), '1:12 id-not-file-name', '1:12 id-path-traversal'],
  'a Windows path': [changed({ issuer_id: 'a\\acme' }), '1:12 id-not-file-name', '1:12 id-path-traversal'],
  'an id with two dots': [changed({ issuer_id: 'a..b' }), '1:12 id-not-file-name', '1:12 id-path-traversal'],
  'an id in capitals': [
    changed({ issuer_id: 'Acme' }),
    '1:12 bad-id did you mean `acme`?',
    '1:12 id-not-file-name',
  ],
  'an id that is too long': [changed({ issuer_id: 'a'.repeat(129) }), '1:12 bad-id', '1:12 id-not-file-name'],
  'an id with an e acute': [changed({ issuer_id: 'acmé' }), '1:12 bad-id', '1:12 id-not-file-name'],
  'an id unlike its file name': [
    changed({ issuer_id: 'acme-2' }),
    '1:12 id-not-file-name rename the file to acme-2.yaml, or write issuer_id: acme',
  ],
  'an id that is a number': [changed({ issuer_id: '42' }), '1:12 wrong-type quotes: "42"'],
  'several documents': [`${changed({})}---\n${changed({})}`, '7:1 multiple-documents'],
  'an empty second document': [`${changed({})}---\n`, '7:1 multiple-documents'],
  'an empty file': ['', '1:1 empty-file'],
  'nothing but comments': ['# nothing yet\n\n', '1:1 empty-file'],
  'a list of records': ['- issuer_id: acme\n', '1:1 not-a-mapping'],
  'a text': ['hello\n', '1:1 not-a-mapping'],
  'a tag': [changed({ tier: '!!js/function "x"' }), '2:7 yaml-tag', '2:21 unknown-value'],
  'a harmless tag': [changed({ tier: '!!str certified' }), '2:7 yaml-tag'],
  'an alias bomb': [bomb, ...aliasBombVerdicts()],
  'an alias': [
    changed({ tier: '&t certified', status: '*t' }),
    '2:7 yaml-alias repeat the value',
    '3:9 yaml-alias repeat the value',
  ],
  'an alias of nothing': [changed({ tier: '*nothing' }), '2:7 yaml-alias'],
  'a merge key': [`${changed({})}<<: {tier: sandbox}\n`, '7:1 yaml-merge-key'],
  'a directive that asks for YAML 1.1': [`%YAML 1.1\n---\n${changed({})}`, '1:1 yaml-directive'],
  'a directive after a comment': [`# hello\n%TAG ! tag:x,2026:\n---\n${changed({})}`, '2:1 yaml-directive'],
  'two directives': [
    `%YAML 1.2\n# hello\n\n%TAG ! tag:x,2026:\n---\n${changed({})}`,
    '1:1 yaml-directive',
    '4:1 yaml-directive',
  ],
  'broken syntax': [changed({ tier: '"certified' }), expect.stringMatching(/yaml-syntax/)],
  'a tab as indentation': ['issuer_id:\n\tacme\n', '2:1 yaml-syntax'],
  'brackets without end': ['['.repeat(30_000), '1:1 yaml-too-deep'],
  'a file over 64 KiB': [`${changed({})}#${'x'.repeat(65 * 1024)}\n`, '1:1 file-too-large'],
  'bytes that are not UTF-8': [
    Buffer.concat([Buffer.from('# ø\n# abc '), Buffer.from([0xe6, 0x0a])]),
    '2:7 not-utf8',
  ],
  'UTF-16': [Buffer.from(`\ufeff${changed({})}`, 'utf16le'), '1:1 not-utf8'],
  'a character cut in two at the end': [Buffer.from([0x23, 0x20, 0xc3]), '1:3 not-utf8'],
  'a NUL': ['# a\nissuer_id: ac\0me\n', '2:14 nul-character'],
  'an escaped NUL': [changed({ contact: '"a\\0@acme.example"' }), '7:10 bad-email'],
  'a lone surrogate': [changed({ domain_scope: '["\\ud800"]' }), '7:16 bad-slug'],
};

function aliasBombVerdicts(): string[] {
  const anchorsAndAliases = [...'bcdefgh'].flatMap((_name, index) =>
    [4, 8, 12].map((column) => `${index + 2}:${column} yaml-alias`),
  );
  const unknown = [...'abcdefgh'].map((_name, index) => `${index + 1}:1 unknown-field`);
  const missing = Array.from({ length: 6 }, () => '1:1 missing-field');
  return [...missing, '1:4 yaml-alias', ...anchorsAndAliases, ...unknown];
}

describe('a bad file', () => {
  it.each(Object.entries(CASES))('%s', async (_name, [text, ...expected]) => {
    writeFiles(folder, { 'acme.yaml': text });
    const { diagnostics, ok } = await loadRecords([folder]);
    expect(ok).toBe(false);
    const said = diagnostics.map(({ line, column, rule, remedy }) => ({
      place: `${line}:${column} ${rule}`,
      remedy,
    }));
    const places = expected.map((one) =>
      typeof one === 'string' ? one.split(' ').slice(0, 2).join(' ') : one,
    );
    expect(said.map(({ place }) => place).sort()).toEqual([...places].sort());
    for (const one of expected.filter((text) => typeof text === 'string')) {
      const [place, rule, ...words] = one.split(' ');
      const remedies = said.filter((each) => each.place === `${place} ${rule}`).map(({ remedy }) => remedy);
      expect(remedies.join('\n')).toContain(words.join(' '));
    }
    for (const found of diagnostics) {
      expect(found.file).toBe(join(folder, 'acme.yaml'));
      expect([found.message, found.expected, found.remedy].every((words) => words.length > 0)).toBe(true);
    }
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

  it('has every field’s value where the message says', async () => {
    for (const [field, place] of Object.entries(AT)) {
      writeFiles(folder, { 'acme.yaml': changed({ [field]: '{}' }) });
      expect(await verdicts(folder)).toEqual([`acme.yaml:${place} wrong-type`]);
    }
  });
});

describe('a bad folder', () => {
  it('no records at all', async () => {
    writeFiles(folder, { 'README.md': '# nothing' });
    const { diagnostics, ok } = await loadRecords([folder]);
    expect(ok).toBe(false);
    expect(diagnostics.map(({ rule }) => rule)).toEqual(['no-records']);
  });

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

  it('ids that differ only in case', async () => {
    writeFiles(folder, { 'a/ACME.yaml': recordText('ACME'), 'acme.yaml': recordText('acme') });
    expect(await verdicts(folder)).toContain('acme.yaml:1:12 id-case-collision');
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

  it('a symbolic link to nowhere', async () => {
    symlinkSync(join(folder, 'gone.yaml'), join(folder, 'acme.yaml'));
    expect(await verdicts(folder)).toEqual(['acme.yaml:1:1 file-unreadable']);
  });

  it('a pipe, which would block whoever reads it', async () => {
    execFileSync('mkfifo', [join(folder, 'acme.yaml')]);
    expect(await verdicts(folder)).toEqual(['acme.yaml:1:1 file-kind']);
  });

  it('a file whose ending is in capitals: it must not go unseen', async () => {
    writeFiles(folder, { 'acme.YAML': recordText('acme'), 'beta.yaml': recordText('beta') });
    expect(await verdicts(folder)).toEqual(['acme.YAML:1:1 file-name']);
  });

  it('a symbolic link to itself', async () => {
    symlinkSync(join(folder, 'acme.yaml'), join(folder, 'acme.yaml'));
    expect(await verdicts(folder)).toEqual(['acme.yaml:1:1 file-unreadable']);
  });

  it('tells all problems of all files in one run', async () => {
    writeFiles(folder, {
      'a.yaml': recordText('a', { tier: 'gold', status: 'dead', contact: 'x', teir: 'x' }),
      'b.yaml': '',
      'c.yaml': recordText('c', { jwks_uri: 'http://c.example/', geographical_scope: '[XX, no]' }),
    });
    expect(await verdicts(folder)).toEqual([
      'a.yaml:2:7 unknown-value',
      'a.yaml:3:9 unknown-value',
      'a.yaml:7:10 bad-email',
      'a.yaml:8:1 unknown-field',
      'b.yaml:1:1 empty-file',
      'c.yaml:4:11 not-https',
      'c.yaml:7:22 unknown-country',
      'c.yaml:7:26 bad-geography',
    ]);
  });
});

describe('the rules', () => {
  it('each have a name in kebab case, an expectation and a remedy', () => {
    for (const [name, { expected, remedy }] of Object.entries(RULES)) {
      expect(name).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
      expect(expected.length).toBeGreaterThan(3);
      expect(remedy.length).toBeGreaterThan(3);
    }
  });
});
