import { basename, join } from 'node:path';
import { loadRecords } from 'passport-registry';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

/** Checks a record with some fields, and returns what is wrong, each as line, column and rule. */
async function faultsOf(fields: Record<string, string>): Promise<string[]> {
  const folder = temporaryFolder();
  writeFiles(folder, { 'acme.yaml': recordText('acme', { status: 'revoked', ...fields }) });
  const { diagnostics } = await loadRecords([join(folder, 'acme.yaml')]);
  return diagnostics.map(({ line, column, rule }) => `${line}:${column} ${rule}`);
}

describe.each(['name', 'status_reason'])('%s of a record', (field) => {
  const column = field.length + 3;

  it.each([
    ['one character', 'A'],
    ['words', 'Aurora Bank'],
    ['signs that YAML reads', 'No: 1 # "A" & Co, [Ltd] {x}'],
    ['markup, which whoever shows it escapes', '<b>A</b> ##[x]'],
    ['other scripts', '株式会社 Привет مرحبا 가'],
    ['a composed character', 'Caf\u00e9'],
    ['a mark that no composed character has', 'x\u0301'],
    ['a hundred characters of two units each', '\u{1f511}'.repeat(100)],
  ])('may have %s', async (_name, text) => {
    const fields = { [field]: stringify(text, { lineWidth: 0 }).trim() };
    expect(await faultsOf(fields)).toEqual([]);
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/acme.yaml': recordText('acme', { status: 'revoked', ...fields }) });
    const { about } = await loadRecords([join(folder, 'issuers')]);
    expect([...about]).toEqual([['acme', { [field]: text }]]);
  });

  it.each([
    ['nothing', '', 'bad-text'],
    ['a space first', ' A', 'bad-text'],
    ['a space last', 'A ', 'bad-text'],
    ['a line break', 'A\nB', 'bad-text'],
    ['a carriage return', 'A\rB', 'bad-text'],
    ['a tab', 'A\tB', 'bad-text'],
    ['a line separator', 'A\u2028B', 'bad-text'],
    ['a next line', 'A\u0085B', 'bad-text'],
    ['an escape', 'A\u001b[31m', 'bad-text'],
    ['a bidirectional override', 'A\u202eB', 'bad-text'],
    ['a bidirectional isolate', 'A\u2066B', 'bad-text'],
    ['a bidirectional mark', 'A\u200fB', 'bad-text'],
    ['a zero width space', 'A\u200bB', 'bad-text'],
    ['a joiner', 'A\u200dB', 'bad-text'],
    ['a soft hyphen', 'A\u00adB', 'bad-text'],
    ['a byte order mark', 'A\ufeffB', 'bad-text'],
    ['a tag', 'A\u{e0041}B', 'bad-text'],
    ['a variation selector', 'A\ufe0fB', 'bad-text'],
    ['a filler', 'A\u3164', 'bad-text'],
    ['an empty pattern of dots', 'A\u2800', 'bad-text'],
    ['a space that does not break', 'A\u00a0B', 'bad-text'],
    ['a private character', 'A\ue000', 'bad-text'],
    ['half of a character', 'A\ud83d', 'bad-text'],
    ['a decomposed character', 'Cafe\u0301', 'bad-text'],
  ])('may not have %s', async (_name, text, rule) => {
    expect(await faultsOf({ [field]: JSON.stringify(text) })).toEqual([`7:${column} ${rule}`]);
  });

  it.each(['null', '7', '[A]', '{ a: b }'])('may not be %s', async (text) => {
    const [fault = ''] = await faultsOf({ [field]: text });
    expect(fault).toMatch(/ (?:wrong-type|yaml-too-deep)$/);
  });
});

describe('a record', () => {
  it('may not have a longer name or reason, in characters and not in units', async () => {
    const long = (length: number) => '\u{1f511}'.repeat(length);
    expect(await faultsOf({ name: long(101) })).toEqual(['7:7 too-long']);
    expect(await faultsOf({ status_reason: long(300) })).toEqual([]);
    expect(await faultsOf({ status_reason: long(301) })).toEqual(['7:16 too-long']);
  });

  it('has a reason only while it is not active', async () => {
    const reason = { status_reason: 'its key has leaked' };
    expect(await faultsOf({ status: 'active', ...reason })).toEqual(['7:1 reason-while-active']);
    expect(await faultsOf({ status: 'suspended', ...reason })).toEqual([]);
  });
});

describe('the name of an issuer', () => {
  it.each([
    ['the same name', 'Bank Ltd', 'Bank Ltd', true],
    ['another end', 'Bank Ltd', 'Bank Ltd.', true],
    ['another case and other spaces', 'Bank Ltd', 'BANK  ltd', true],
    ['letters of another script', 'Harbour Bank', 'Наrbоur Ваnk', true],
    ['digits for letters', 'Lloyd Oslo', 'L1oyd 0slo', true],
    ['an accent or a stroke', 'Sørli', 'Sorlí', true],
    ['the id of the other issuer', undefined, 'The-Other', true],
    ['another legal form', 'Harbour Bank', 'Harbour  Bank, S.A.', true],
    ['letters of Lisu and of Cherokee', 'Harbour Bank', 'ꓧarbour Ꮟank', false],
    ['capitals of Lisu and of Cherokee', 'Harbour Bank', 'ꓧarbour Ᏼank', true],
    ['a claim that only the registry makes', 'Harbour Bank', 'Harbour Bank ✓ trusted · founding', true],
    ['a claim, in German, before it', 'Harbour Bank', 'Geprüft: Harbour Bank', true],
    ['nothing but a claim', 'Trusted', 'Certified', false],
    ['legal forms in letters of another script', 'Harbour Bank', 'Harbour Bank GmbH & Со. KG', true],
    ['nothing but a legal form', 'AS', 'Ltd', false],
    ['a legal form that is not at the end', 'Co Bank', 'Bank', false],
    ['another word', 'Bank Oslo', 'Bank Bergen', false],
    ['names without letters', '—', '!', false],
  ])('with %s is told of: %s, %s', async (_name, other, own, isAlike) => {
    const folder = temporaryFolder();
    writeFiles(folder, {
      'acme.yaml': recordText('acme', { name: `'${own}'` }),
      'the-other.yaml': recordText('the-other', other === undefined ? {} : { name: `'${other}'` }),
    });
    const { diagnostics } = await loadRecords([folder]);
    const told = diagnostics.map(({ rule, severity, file }) => [rule, severity, basename(file)]);
    const both = ['acme.yaml', ...(other === undefined ? [] : ['the-other.yaml'])];
    expect(told).toEqual(isAlike ? both.map((file) => ['similar-name', 'warning', file]) : []);
  });
});
