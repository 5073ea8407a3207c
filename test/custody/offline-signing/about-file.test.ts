import { existsSync, readdirSync, rmSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import { copyOf, madeOnce } from '../../support/made-once.js';
import { sha256 } from '../../support/sha256.js';
import { alterStatement, requestsIn, signFiles } from '../../support/signing-request.js';
import { claimsOf } from '../../support/statements.js';
import { keyPair, writeFiles } from '../../support/workspace.js';

/** A registry in which alpha has a name, and a key beside it that only `sign` and this file use. */
let folder: string;
const { at, run, read, record, request, sign, attach, refused, publish } = requestsIn(() => folder);

beforeEach(async () => {
  const made = await madeOnce('about-request', async (home) => {
    folder = home;
    record('alpha', { name: 'Alpha' });
    record('beta');
    await keyPair(folder, 'key', '--public', 'root.json');
    await publish();
  });
  folder = copyOf(made);
});

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
    expect((await run('verify', 'dist', '--trust-anchor', 'root.json')).code).toBe(0);
  });

  it('keeps the list if only names change, and shows a name that goes', async () => {
    const list = read('dist/issuers.json');
    record('alpha');
    await request();
    const { stderr } = await sign();
    expect(read('request/issuers.sig').equals(read('dist/issuers.sig'))).toBe(true);
    expect(stderr).toContain('keeps its signature');
    expect(stderr).toContain('~ alpha: name "Alpha" -> (none)');
    expect((await attach()).code).toBe(0);
    expect([existsSync(at('dist/about.json')), read('dist/issuers.json').equals(list)]).toEqual([
      false,
      true,
    ]);
  });

  it('has only a checkpoint if no name has changed', async () => {
    expect((await request()).code).toBe(0);
    const files = readdirSync(at('request')).filter((name) => name.endsWith('.signing-input'));
    expect(files).toEqual(['checkpoint.signing-input']);
  });

  it('shows all names if the request has lost the published ones, so that no emergency waits for them', async () => {
    record('beta', { status: 'suspended', status_reason: 'its key has leaked' });
    await request();
    rmSync(at('request/previous/about.json'));
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

  // What the file may contain, the conformance kit shows (auditor/about).
  it.each<[string, () => void, string]>([
    ['other names', () => about({ alpha: { name: 'Omega' } }), 'its about_sha256'],
    ['no names', () => rmSync(at('request/about.json')), 'its about_sha256'],
    ['no claim', () => alterStatement(folder, { about_sha256: undefined }), 'its about_sha256'],
    ['another form', () => forge('{ "issuers": { "alpha": { "name": "x" } } }'), 'canonical form'],
    ['nobody', () => forge('{"issuers":{}}'), 'no issuers'],
    ['a stranger', () => forge('{"issuers":{"omega":{"name":"x"}}}'), 'omega'],
    [
      'a reason while active',
      () => forge('{"issuers":{"alpha":{"status_reason":"x"}}}'),
      'alpha, which is active',
    ],
  ])('is refused with %s, also once it is signed', async (_name, spoil, fact) => {
    record('alpha', { name: 'Alpha Bank' });
    await request();
    spoil();
    await refused(sign('--json'), 'ERR_REQUEST_PAYLOAD', fact);
    signFiles(folder);
    await refused(attach('--json'), 'ERR_REQUEST_PAYLOAD', fact);
    expect(claimsOf(read('dist/publication.jwt'))).toMatchObject({ sequence: 1 });
  });
});

describe('a signing request of a registry that suspends an issuer', () => {
  const since = () => JSON.parse(read('dist/about.json').toString()).issuers.beta.status_since;
  const end = () => {
    rmSync(at('request'), { recursive: true, force: true });
    const more = ['--reason', 'new keys', '--unsigned', 'request', '--root-key', 'root.json'];
    return run('suspend', '--end', 'beta', ...more);
  };

  beforeEach(async () => {
    record('beta', { status: 'suspended' });
    await publish();
  });

  it('carries on since when, and the end', async () => {
    const first = since();
    record('alpha', { name: 'Alpha Bank' });
    await publish();
    expect(since()).toBe(first);
    for (const step of [end, sign, attach]) expect(await step()).toMatchObject({ code: 0 });
    expect(read('dist/issuers/beta').toString()).toContain('"status":"active"');
    expect(read('dist/about.json').toString()).toMatch(/"beta":\{"reinstated":"[^"]+"\}/);
  });

  it.each<[string, (text: string) => string, string]>([
    [
      'an earlier time',
      (text) => text.replace(/"status_since":"2\d{3}/, '"status_since":"2000'),
      'beta is not active since 2000',
    ],
    ['no time', (text) => text.replace(/,"beta":\{[^}]*\}/, ''), 'since when beta'],
    [
      'a time for an active issuer',
      (text) => text.replace('"name":"Alpha Bank"', '"name":"x","status_since":"2026-01-01T00:00:00Z"'),
      'since when alpha',
    ],
  ])('is refused with %s, also once it is signed', async (_name, change, fact) => {
    record('alpha', { name: 'Alpha Bank' });
    await request();
    forge(change(read('request/about.json').toString()));
    await refused(sign('--json'), 'ERR_REQUEST_PAYLOAD', fact);
    signFiles(folder);
    await refused(attach('--json'), 'ERR_REQUEST_PAYLOAD');
    expect(claimsOf(read('dist/publication.jwt'))['sequence']).toBe(2);
  });

  it('ends no suspension on a machine that does not learn since when', async () => {
    expect(await end()).toMatchObject({ code: 0 });
    rmSync(at('request/previous/about.json'));
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
