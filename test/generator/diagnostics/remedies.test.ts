import { loadRecords } from 'passport-registry';
import { describe, expect, it } from 'vitest';
import { expectCommandError } from '../../support/expect-command-error.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

async function problemsOf(id: string, text: string) {
  const folder = temporaryFolder();
  writeFiles(folder, { [`${id}.yaml`]: text });
  return (await loadRecords([folder])).diagnostics;
}

/** The remedies for settings that are refused. */
async function remediesOfSettings(text: string): Promise<string[]> {
  const folder = temporaryFolder();
  writeFiles(folder, { 'registry.yaml': `${text}\n` });
  const outcome = await cli(['status', '--json'], folder);
  expectCommandError(outcome, 'ERR_CONFIGURATION_REJECTED');
  return JSON.parse(outcome.stdout).diagnostics.map(({ remedy }: { remedy: string }) => remedy);
}

/** The field, its text, the message, and the value that the remedy shows. */
const QUOTED: readonly (readonly [field: string, text: string, message: RegExp, shown: string])[] = [
  ['issuer_id', '0123', /the number 0123$/, '"0123"'],
  ['issuer_id', '1e3', /the number 1e3$/, '"1e3"'],
  ['issuer_id', '0x1f', /the number 0x1f$/, '"0x1f"'],
  ['issuer_id', '12345678901234567890', /the number 12345678901234567890$/, '"12345678901234567890"'],
  ['issuer_id', 'true', /the boolean true$/, '"true"'],
  ['name', '007', /the number 007$/, '"007"'],
  ['name', 'TRUE', /the boolean true$/, '"TRUE"'],
  ['name', '.5', /the number \.5$/, '".5"'],
  ['status_reason', '+1', /the number \+1$/, '"+1"'],
  ['name', 'Null', /null$/, '"Null"'],
  ['domain_scope', '[1.10]', /the number 1\.10$/, '"1.10"'],
  ['passport_types', '[0o17, agent]', /the number 0o17$/, '"0o17"'],
];

describe('a value that YAML does not read as text', () => {
  it.each(QUOTED)('%s: %s keeps its text in the remedy, which works', async (field, text, message, shown) => {
    const id = field === 'issuer_id' ? text : 'acme';
    const record = recordText(id, {
      [field]: text,
      jwks_uri: 'https://id.acme.internal/jwks',
      discovery_uri: 'https://id.acme.internal/metadata',
      ...(field === 'status_reason' && { status: 'suspended' }),
    });
    const [found, ...more] = await problemsOf(id, record);
    expect(more).toEqual([]);
    expect(found?.message).toMatch(message);
    expect(found?.remedy).toContain(`put it in quotes: ${shown}`);
    const line = `${field}: ${text}\n`;
    const fixed = record.replace(line, line.replace(shown.slice(1, -1), shown));
    expect(await problemsOf(id, fixed)).toEqual([]);
  });

  it.each([
    ['certified_since', '1779278400', 'did you mean `2026-05-20T12:00:00Z`?'],
    ['certified_since', '1779278400000', 'did you mean `2026-05-20T12:00:00Z`?'],
    ['last_audit', '20260520', 'did you mean `2026-05-20T00:00:00Z`?'],
    ['certified_since', '2026', 'write the date, T, the time and the zone'],
    ['tier', '1', 'choose one of them'],
    ['tier', '~', 'write a value'],
    ['status', 'true', 'choose one of them'],
    ['contact', '123', 'write an address with an @'],
    ['domain_scope', '1.10', 'write a list, such as ["1.10"]'],
    ['passport_types', 'true', 'write a list, such as ["true"]'],
    ['domain_scope', '~', 'write a list, such as [item]'],
    ['jwks_uri', 'http://acme.no/ø', 'serve the document over https, and write ø as %C3%B8'],
    ['issuer_id', '0X1F', 'did you mean `"0x1f"`?'],
  ])('%s: %s gets a remedy that fits the field', async (field, text, remedy) => {
    const found = await problemsOf('acme', recordText('acme', { [field]: text }));
    expect(found.map((one) => one.remedy)).toContainEqual(expect.stringContaining(remedy));
  });

  it.each([
    ['name: 0123', 'put it in quotes: "0123"'],
    // Quotes alone would not help.
    ['contact: 5', 'write an address with an @'],
    ['base_url: 8080', 'write the value in the expected form'],
    ['log: {origin: 1e43}', 'write the value in the expected form'],
  ])('also in the settings: %s', async (setting, remedy) => {
    const found = await remediesOfSettings(setting);
    expect(found).toEqual([expect.stringContaining(remedy)]);
    expect(found[0]?.includes('put it in quotes')).toBe(remedy.startsWith('put it in quotes'));
  });
});

describe('an address that the schema refuses', () => {
  it.each([
    ['post@bjørn.no', 'write the domain in punycode: post@xn--bjrn-hra.no'],
    ['bjørn@acme.no', 'only ASCII is accepted before the @: use an address without U+00F8'],
    ['"post\u00a0@acme.no"', 'remove the invisible character U+00A0'],
    ['"post@acme.no\u00a0"', 'remove the invisible character U+00A0 at the end'],
    ['post＠acme.no', 'write @ in place of the wide character U+FF20'],
    ['"post@acme.no\u200b"', 'remove the invisible character U+200B'],
    ['"post @acme.no"', 'remove the space'],
    ['post@mail_1.acme.no', 'use a host without an underscore'],
    ['post@[IPv6:2001:db8::1]', 'IPv6 addresses are not accepted'],
    ['post@localhost', 'write a domain with a dot'],
    ['post@acme.no.', 'remove the dot at the end of the host'],
    ['post@acme..no', 'write one dot between two parts'],
    ['a@acme.no, b@acme.no', 'write one address'],
    ['Acme <post@acme.no>', 'write only post@acme.no'],
    ['mailto:post@acme.no', 'write only post@acme.no'],
    ['post..box@acme.no', 'single dots'],
    ['acme.no', 'write an address with an @'],
  ])('%s: %s', async (contact, remedy) => {
    const [found] = await problemsOf('acme', recordText('acme', { contact }));
    expect(found).toMatchObject({ rule: 'bad-email', remedy: expect.stringContaining(remedy) });
  });

  it('is explained in the settings, too', async () => {
    const found = await remediesOfSettings('contact: post@bjørn.no');
    expect(found).toEqual([expect.stringContaining('punycode: post@xn--bjrn-hra.no')]);
  });
});

describe('a URL that the schema refuses', () => {
  it.each([
    ['https://bjørn.no/jwks', 'write the host in punycode: xn--bjrn-hra.no'],
    ['https://docs_v2.acme.no/jwks', 'use a host without an underscore'],
    ['https://[2001:db8::1]/jwks', 'IPv6 addresses are not accepted'],
    ['"https://acme.no/\u00a0jwks"', 'remove the invisible character U+00A0'],
    ['"https://acme.no/jwks\u200b"', 'remove the invisible character U+200B'],
    ['"https://acme.no/a b"', 'remove the space, or write it as %20'],
    ['https://acme.no/ø', 'write ø as %C3%B8'],
    ['https://acme.no/a|b', 'write | as %7C'],
    ['https://acme.no/100%', 'write % as %25'],
    ['https://acme.no:/jwks', 'write a port after the colon'],
    ['https://fe80::1/jwks', 'IPv6 addresses are not accepted'],
    ['https://acme.no./jwks', 'remove the dot at the end of the host'],
    ['https://-acme.no/jwks', 'begins or ends with a hyphen'],
    ['https://acme.no:99999/jwks', 'correct the host or the port'],
    ['https://user@acme.no/jwks', 'remove the user name'],
    ['"https://acme.no\\\\jwks"', 'write / in place of \\'],
    ['acme.no/jwks', 'start the URL with https://'],
  ])('%s: %s', async (jwks_uri, remedy) => {
    const [found] = await problemsOf('acme', recordText('acme', { jwks_uri }));
    expect(found).toMatchObject({ rule: 'bad-uri', remedy: expect.stringContaining(remedy) });
  });
});
