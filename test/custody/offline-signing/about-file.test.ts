import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { copyOf, madeOnce } from '../../support/made-once.js';
import { claimsOf, sha256 } from '../../support/signed-tree.js';
import { alterStatement, signFiles } from '../../support/signing-request.js';
import { readTreeFile } from '../../support/statements.js';
import { cli, type Outcome, recordText, writeFiles } from '../../support/workspace.js';

/** A registry in which alpha has a name, and a key beside it that only `sign` and this file use. */
let folder: string;

beforeEach(async () => {
  const made = await madeOnce('about-request', async (home) => {
    folder = home;
    record('alpha', { name: 'Alpha' });
    record('beta', {});
    await cli(
      ['keys', 'generate', '--no-passphrase', '--private', 'key.pem', '--public', 'root.json'],
      folder,
    );
    for (const step of [request, sign, attach]) expect((await step()).code).toBe(0);
    rmSync(join(folder, 'request'), { recursive: true });
  });
  folder = copyOf(made);
});

const record = (id: string, fields: Record<string, string>) =>
  writeFiles(folder, { [`issuers/${id}.yaml`]: recordText(id, fields) });
const read = (path: string) => (path.startsWith('dist/') ? readTreeFile : readFileSync)(join(folder, path));
const request = () => cli(['build', '--unsigned', 'request', '--root-key', 'root.json'], folder);
const sign = () => cli(['sign', 'request', '--key', 'key.pem', '--yes', '--memory', 'memory'], folder);
const attach = () => cli(['attach', 'request', '--root-key', 'root.json'], folder);
const about = (issuers: object) => writeFiles(folder, { 'request/about.json': JSON.stringify({ issuers }) });
/** Puts other names into a request, and their hash into its statement. */
const forge = (text: string) => {
  writeFiles(folder, { 'request/about.json': text });
  alterStatement(folder, { about_sha256: sha256(Buffer.from(text)) });
};

describe('a signing request with names and reasons', () => {
  it('has their file, shows each change in words, and publishes what was shown', async () => {
    record('alpha', { name: 'Alpha Bank' });
    record('beta', { status: 'suspended', status_reason: 'its key has leaked' });
    const outcomes = [await request(), await sign()];
    for (const { code, stderr } of outcomes) {
      expect([code, stderr]).toEqual([0, expect.stringContaining('~ alpha: name "Alpha" -> "Alpha Bank"')]);
      expect(stderr).toContain('~ beta: status_reason (none) -> "its key has leaked"');
      expect(stderr).toContain(`names     ${sha256(read('request/about.json'))}`);
    }
    expect(read('request/CHANGES.txt').toString()).toContain('~ alpha: name "Alpha" -> "Alpha Bank"');
    expect((await attach()).code).toBe(0);
    expect(read('dist/about.json').equals(read('request/about.json'))).toBe(true);
    expect(claimsOf(read('dist/publication.jwt'))).toMatchObject({
      sequence: 2,
      about_sha256: sha256(read('dist/about.json')),
    });
    expect((await cli(['verify', 'dist', '--trust-anchor', 'root.json'], folder)).code).toBe(0);
  });

  it('keeps the list if only names change, and shows a name that goes', async () => {
    const list = read('dist/issuers.json');
    record('alpha', {});
    await request();
    const { stderr } = await sign();
    expect(stderr).toContain('which is published already: it keeps its signature');
    expect(stderr).toContain('~ alpha: name "Alpha" -> (none)');
    expect((await attach()).code).toBe(0);
    expect([existsSync(join(folder, 'dist/about.json')), read('dist/issuers.json').equals(list)]).toEqual([
      false,
      true,
    ]);
  });

  it('has only a checkpoint if no name has changed', async () => {
    expect((await request()).code).toBe(0);
    const files = readdirSync(join(folder, 'request')).filter((name) => name.endsWith('.signing-input'));
    expect(files).toEqual(['checkpoint.signing-input']);
  });

  it('shows all names if the request has lost the published ones, so that no emergency waits for them', async () => {
    record('beta', { status: 'suspended', status_reason: 'its key has leaked' });
    await request();
    rmSync(join(folder, 'request/previous/about.json'));
    const { code, stderr } = await sign();
    expect([code, stderr]).toEqual([0, expect.stringContaining('are not known, so all are shown')]);
    expect(stderr).toContain('~ alpha: name (none) -> "Alpha"');
    expect((await attach()).code).toBe(0);
  });

  it('does not take names as published that the root key has not signed', async () => {
    record('alpha', { name: 'Alpha Bank' });
    await request();
    const forged = '{"issuers":{"alpha":{"name":"Alpha Bank"}}}';
    writeFiles(folder, { 'request/previous/about.json': forged });
    expect((await sign()).stderr).toContain('~ alpha: name (none) -> "Alpha Bank"');
  });

  it.each<[string, () => void, RegExp]>([
    ['other names', () => about({ alpha: { name: 'Omega' } }), /as its about_sha256, but/],
    ['no names', () => rmSync(join(folder, 'request/about.json')), /as its about_sha256, but/],
    [
      'no claim',
      () => alterStatement(folder, { about_sha256: undefined }),
      /has no value as its about_sha256/,
    ],
    ['another form', () => forge('{ "issuers": { "alpha": { "name": "x" } } }'), /not in canonical form/],
    ['text before it', () => forge('x'), /is not JSON/],
    ['bytes that are no text', () => forge('{"issuers":{"alpha":{"name":"\\ud83d"}}}'), /is not|invalid/],
    ['nobody', () => forge('{"issuers":{}}'), /has no issuers/],
    [
      'a stranger',
      () => forge('{"issuers":{"omega":{"name":"x"}}}'),
      /names omega, which is not in the list/,
    ],
    [
      'a field that is not shown',
      () => forge('{"issuers":{"alpha":{"tier":"x"}}}'),
      /invalid entry for "alpha"/,
    ],
    ['nothing to say', () => forge('{"issuers":{"alpha":{}}}'), /invalid entry for "alpha"/],
    [
      'more than issuers',
      () => forge('{"issuers":{"alpha":{"name":"x"}},"more":1}'),
      /not in canonical form/,
    ],
    [
      'a reason while active',
      () => forge('{"issuers":{"alpha":{"status_reason":"x"}}}'),
      /reason for the status of alpha, which is active/,
    ],
    ['a text that turns', () => forge('{"issuers":{"alpha":{"name":"a\u202eb"}}}'), /invalid entry/],
    [
      'a text that is too long',
      () => forge(`{"issuers":{"alpha":{"name":"${'x'.repeat(101)}"}}}`),
      /invalid/,
    ],
  ])('is refused with %s, also once it is signed', async (_name, spoil, message) => {
    record('alpha', { name: 'Alpha Bank' });
    await request();
    spoil();
    const refused = await sign();
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringMatching(message)]);
    signFiles(folder);
    const attached: Outcome = await attach();
    expect([attached.code, claimsOf(read('dist/publication.jwt'))['sequence']]).toEqual([1, 1]);
  });
});

describe('a signing request of a registry that suspends an issuer', () => {
  const again = async () => {
    for (const step of [request, sign, attach]) expect(await step()).toMatchObject({ code: 0 });
    rmSync(join(folder, 'request'), { recursive: true });
  };
  const since = () => JSON.parse(read('dist/about.json').toString()).issuers.beta.status_since;
  const end = () => {
    const more = ['--reason', 'new keys', '--unsigned', 'request', '--root-key', 'root.json'];
    return cli(['suspend', '--end', 'beta', ...more], folder);
  };

  beforeEach(async () => {
    record('beta', { status: 'suspended' });
    await again();
  });

  it('carries on since when, and the end', async () => {
    const first = since();
    record('alpha', { name: 'Alpha Bank' });
    await again();
    expect(since()).toBe(first);
    for (const step of [end, sign, attach]) expect(await step()).toMatchObject({ code: 0 });
    expect(read('dist/issuers/beta').toString()).toContain('"status":"active"');
    expect(read('dist/about.json').toString()).toMatch(/"beta":\{"reinstated":"[^"]+"\}/);
  });

  it.each<[string, (text: string) => string, RegExp]>([
    [
      'an earlier time',
      (text) => text.replace(/"status_since":"2\d{3}/, '"status_since":"2000'),
      /says that beta is not active since 2000/,
    ],
    ['no time', (text) => text.replace(/,"beta":\{[^}]*\}/, ''), /does not say since when beta is suspended/],
    [
      'a time for an active issuer',
      (text) => text.replace('"name":"Alpha Bank"', '"name":"x","status_since":"2026-01-01T00:00:00Z"'),
      /says since when alpha is not active/,
    ],
  ])('is refused with %s, also once it is signed', async (_name, change, message) => {
    record('alpha', { name: 'Alpha Bank' });
    await request();
    forge(change(read('request/about.json').toString()));
    expect(await sign()).toMatchObject({ code: 1, stderr: expect.stringMatching(message) });
    signFiles(folder);
    expect(await attach()).toMatchObject({ code: 1 });
    expect(claimsOf(read('dist/publication.jwt'))['sequence']).toBe(2);
  });

  it('ends no suspension on a machine that does not learn since when', async () => {
    expect(await end()).toMatchObject({ code: 0 });
    rmSync(join(folder, 'request/previous/about.json'));
    expect(await sign()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('suspension-not-lifted'),
    });
  });

  it('that a key without these rules has signed ends none without the time, and with an earlier one', async () => {
    expect(await end()).toMatchObject({ code: 0 });
    const good = read('request/about.json').toString();
    for (const reinstated of ['', '"beta":{"reinstated":"2026-01-01T00:00:00Z"}']) {
      forge(good.replace(/"beta":\{[^}]*\}/, reinstated).replace(',}', '}'));
      signFiles(folder);
      expect(await attach()).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('suspension-not-lifted'),
      });
    }
  });
});
