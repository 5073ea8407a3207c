import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { build, type RegistryDescription } from 'passport-registry';
import { beforeEach, describe, expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';
import { cli, goodCli, recordText, workspace, writeFiles } from '../support/workspace.js';

const WHOLE = `name: Nordic Agents Registry
description: Issuers of agent passports that the Nordic members have examined.
contact: operator@registry.example
homepage: https://www.registry.example/?a=1&b=2
`;
const DEFAULT = 'Registry of agent passport issuers';
const OPEN_API = 'schemas/registry.openapi.json';
/** What a description changes in a tree, besides SHA256SUMS. */
const DOCUMENTS = ['index.html', OPEN_API];

let folder: string;

beforeEach(async () => {
  folder = await workspace(['alpha']);
});

const configure = (text: string) => writeFiles(folder, { 'registry.yaml': text });
const read = (path: string) => readFileSync(join(folder, 'dist', path), 'utf8');
const documents = () => DOCUMENTS.map(read);

const run = (...args: string[]) => goodCli(args, folder);

async function buildTree(...args: string[]) {
  return JSON.parse((await run('build', '--key', 'key.pem', '--json', ...args)).stdout);
}

describe('a registry with a name', () => {
  it('has the name in its page and its OpenAPI description', async () => {
    configure(WHOLE);
    await buildTree();
    const [page, openApi] = documents();
    expect(page).toContain('<title>Nordic Agents Registry</title>');
    expect(page).toContain('<h1 dir="auto"><a href="./">Nordic Agents Registry</a></h1>');
    expect(page).toContain('>Issuers of agent passports that the Nordic members have examined.</p>');
    expect(page).toContain('<a href="https://www.registry.example/?a=1&#38;b=2" rel="noopener noreferrer">');
    expect(page).toContain('<a href="mailto:operator@registry.example">operator@registry.example</a>');
    const { info } = JSON.parse(openApi ?? '');
    expect(info).toMatchObject({
      title: 'Nordic Agents Registry',
      summary: 'Issuers of agent passports that the Nordic members have examined.',
      contact: { url: 'https://www.registry.example/?a=1&b=2', email: 'operator@registry.example' },
      license: { identifier: 'Apache-2.0' },
    });
    const validator = new Validator();
    for (const schema of ['issuer.schema.json', 'issuer-registry.schema.json', 'jwk.schema.json']) {
      await validator.addSpecRef(JSON.parse(read(`schemas/${schema}`)), schema);
    }
    expect(await validator.validate(JSON.parse(openApi ?? ''))).toMatchObject({ valid: true });
  });

  it('has one rewritten when its name changes, and keeps its list', async () => {
    configure(WHOLE);
    const first = await buildTree();
    const before = documents();
    expect(await buildTree()).toMatchObject({ written: 0, sha256: first.sha256 });
    configure(WHOLE.replace('Nordic', 'Baltic'));
    const second = await buildTree();
    expect(second).toMatchObject({ written: 4, kept: true, sha256: first.sha256, notes: [] });
    expect(read('index.html')).toContain('<title>Baltic Agents Registry</title>');
    configure(WHOLE);
    await buildTree();
    expect(documents()).toEqual(before);
  });

  it('keeps it in every command that publishes', async () => {
    configure(WHOLE);
    await buildTree();
    const before = documents();
    writeFiles(folder, { 'root.json': (await run('keys', 'public', 'key.pem')).stdout });
    for (const command of [['suspend'], ['suspend', '--end'], ['revoke']]) {
      await run(...command, 'alpha', '--key', 'key.pem', '--reason', 'a test');
      expect(read('index.html')).toContain('<title>Nordic Agents Registry</title>');
      expect(read(OPEN_API)).toBe(before[1]);
    }
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    await run('build', '--unsigned', 'request');
    const state = { XDG_STATE_HOME: join(folder, 'state') };
    const signed = await cli(['sign', 'request', '--key', 'key.pem', '--yes'], folder, state);
    expect(signed.stderr).not.toContain('passport-registry:');
    await run('attach', 'request', '--root-key', 'root.json');
    expect(read('index.html')).toContain('<title>Nordic Agents Registry</title>');
    expect(read('index.html')).toContain('beta');
    expect(read(OPEN_API)).toBe(before[1]);
    await run('keys', 'generate', '--no-passphrase', '--private', 'next.pem');
    const rotate = ['keys', 'rotate', '--yes', '--key', 'key.pem', '--root-key', 'root.json'];
    await run(...rotate, '--next-key', 'next.pem');
    expect(read('index.html')).toContain('<title>Nordic Agents Registry</title>');
    expect(read(OPEN_API)).toBe(before[1]);
  });

  it('has it as text, whatever it would be as markup or in the template of the page', async () => {
    const name = `</title><b>{{policy}} $& $' "x" &lt;`;
    await build(options({ name, description: name, contact: "a'?cc=b&c=%22@registry.example" }));
    const escaped = '&#60;/title&#62;&#60;b&#62;{{policy}} $&#38; $&#39; &#34;x&#34; &#38;lt;';
    expect(read('index.html')).toContain(`<title>${escaped}</title>`);
    expect(read('index.html')).toContain(`dir="auto">${escaped}</p>`);
    expect(read('index.html')).toContain('href="mailto:a&#39;%3Fcc%3Db%26c%3D%2522@registry.example"');
    expect(JSON.parse(read(OPEN_API)).info).toMatchObject({ title: name, summary: name });
  });
});

describe('a registry without a name', () => {
  it('is called what it is', async () => {
    await buildTree();
    expect(read('index.html')).toContain(`<title>${DEFAULT}</title>`);
    expect(read('index.html')).toContain('>A passport says who is behind an agent.');
    expect(read('index.html')).not.toContain('Operator:');
    expect(read(OPEN_API)).toBe(readFileSync(join(ROOT, OPEN_API), 'utf8'));
  });

  it('may have any of the other settings, and a name without the others', async () => {
    const shown = async (settings: string) => {
      configure(settings);
      await buildTree();
      return [read('index.html'), JSON.parse(read(OPEN_API)).info.contact];
    };
    expect(await shown('description: Only this.\n')).toEqual([
      expect.stringContaining('>Only this.</p>'),
      undefined,
    ]);
    const [mail] = await shown('contact: operator@registry.example\n');
    expect(mail).toMatch(/<p>Operator: <a href="mailto:[^"]+">[^<]+<\/a>\. The host/);
    const [page] = await shown('homepage: https://www.registry.example\n');
    expect(page).toMatch(/<p>Operator: <a href="https:[^"]+" rel="[^"]+">[^<]+<\/a>\. The host/);
    expect(await shown('name: Nordic Agents Registry\n')).toEqual([
      expect.stringContaining(`<p class="description" dir="auto">${DEFAULT}</p>`),
      { name: 'Nordic Agents Registry' },
    ]);
  });
});

/** What a program asks `build` for. */
const options = (about: object | undefined) => ({
  issuers: join(folder, 'issuers'),
  out: join(folder, 'dist'),
  about,
  signer: { key: join(folder, 'key.pem'), production: true, directory: folder },
  exceptions: { allowExampleNames: true },
});

describe('a part of the description of a registry', () => {
  it.each<RegistryDescription>([
    { name: 'x'.repeat(100) },
    { name: '😀'.repeat(99).concat('1') },
    { name: 'سجل جهات إصدار جوازات الوكلاء' },
    { name: 'Agents \u200d & "Co" <b>\'s' },
    { description: 'x'.repeat(500) },
    { contact: `${'x'.repeat(64)}@registry.example` },
    { homepage: 'https://www.registry.example:65535/a?b=c' },
  ])('may be %j', async (about) => {
    await build(options(about));
  });

  it.each<object>([
    ...['Nordic \u202eyrtsigeR', 'Nordic \u2066Registry\u2069', 'Nordic\nRegistry', 'Nordic\u2028Registry']
      .concat(['Nordic\u0000', 'a\ud800', '', '\u200b', 'x'.repeat(101)])
      .map((name) => ({ name })),
    { name: 7 },
    { description: 'a\u202ab' },
    { description: 'x'.repeat(501) },
    { contact: 'operator' },
    { homepage: 'javascript:alert(1)' },
    { nme: 'x' },
    'Nordic' as unknown as object,
  ])('is never %j, and the tree stays', async (about) => {
    await build(options({ name: 'Nordic' }));
    const before = read('SHA256SUMS');
    await expect(build(options(about))).rejects.toMatchObject({ code: 'ERR_USAGE' });
    expect(read('SHA256SUMS')).toBe(before);
  });
});

it('build() of the library takes the description, and reads no registry.yaml', async () => {
  configure(WHOLE);
  await build(options({ name: 'Baltic' }));
  expect(read('index.html')).toContain('<title>Baltic</title>');
  await build(options(undefined));
  expect(read('index.html')).toContain(`<title>${DEFAULT}</title>`);
});
