import fs, { cpSync, existsSync, renameSync, rmSync } from 'node:fs';
import { beforeEach, describe, expect, it } from 'vitest';
import type { ErrorCode } from '../../support/expect-command-error.js';
import { withFs } from '../../support/patched-fs.js';
import { withKeys } from '../../support/settings.js';
import { sha256 } from '../../support/sha256.js';
import {
  alterStatement,
  registryWithRequests,
  requestsIn,
  signFiles,
} from '../../support/signing-request.js';
import { claimsOf } from '../../support/statements.js';
import { writeFiles } from '../../support/workspace.js';

/** A registry with a published list, and another record. */
let folder: string;
const { at, run, read, record, request, sign, attach, refused, publish } = requestsIn(() => folder);

const HASH = '0'.repeat(64);
const INPUT = 'request/publication.signing-input';

beforeEach(async () => {
  folder = await registryWithRequests();
  record('gamma');
});

const published = () => claimsOf(read('dist/publication.jwt'));
const requested = () => claimsOf(read(INPUT));
const ONLINE = withKeys({ checkpoint: 'online.pem' });

/** The hash of a statement: of its signing input. */
const statementHash = (jwt: Buffer) => sha256(Buffer.from(jwt.toString().split('.').slice(0, 2).join('.')));

describe('a request for a publication statement', () => {
  it('names the root key', async () => {
    await publish();
    const [header = ''] = read('dist/publication.jwt').toString().split('.');
    const { kid } = JSON.parse(read('root.json').toString());
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: 'EdDSA',
      kid,
      typ: 'registry-publication+jwt',
    });
  });

  it('has the next sequence, the hash of the statement before, and what the list and its sums are', async () => {
    const before = read('dist/publication.jwt');
    await publish();
    const list = read('dist/issuers.json');
    const { updated_at } = JSON.parse(list.toString());
    expect(published()).toEqual({
      iat: Date.parse(updated_at) / 1000,
      sequence: 2,
      previous: [statementHash(before)],
      updated_at,
      sha256: sha256(list),
      size: list.length,
      issuers: 3,
      sums_sha256: sha256(read('dist/sums/root')),
      levels: 0,
    });
  });

  it('has the statement before beside it', async () => {
    const before = read('dist/publication.jwt');
    await request();
    expect(read('request/previous/publication.jwt').equals(before)).toBe(true);
  });

  it('says which publication it follows, in CHANGES.txt and to whoever asks and signs', async () => {
    const [asked, signed] = [await request(), await sign()];
    for (const said of [asked.stderr, signed.stderr, read('request/CHANGES.txt').toString()])
      expect(said).toContain('publication 2, after publication 1');
  });

  it('needs the root key for a first list, and takes it from the tree or from registry.yaml otherwise', async () => {
    expect((await run('build', '--unsigned', 'one')).code).toBe(0);
    renameSync(at('dist'), at('elsewhere'));
    await refused(run('build', '--unsigned', 'two', '--json'), 'ERR_USAGE', '--root-key');
    writeFiles(folder, { 'registry.yaml': 'root_key: root.json\n' });
    expect((await run('build', '--unsigned', 'three')).stderr).toContain('publication 1: the FIRST ');
  });

  // With which others it is not signed: read-request.test.ts.
  it.each<[string, Record<string, unknown>, ErrorCode, string]>([
    ['other sums', { sums_sha256: HASH }, 'ERR_REQUEST_PAYLOAD', 'sums'],
    ['other levels', { levels: 1 }, 'ERR_REQUEST_PAYLOAD', 'levels'],
    ['another list', { sha256: HASH }, 'ERR_REQUEST_PAYLOAD', 'sha256'],
    ['a sequence that burns others', { sequence: 9 }, 'ERR_REQUEST_PAYLOAD', 'sequence'],
    ['another statement before it', { previous: [HASH] }, 'ERR_REQUEST_OUTDATED', 'newest is publication 1'],
    ['a time to come', { iat: 2 ** 40 }, 'ERR_USAGE', 'updated_at'],
    ['a claim that nobody knows', { hold: true }, 'ERR_REQUEST_PAYLOAD', 'hold'],
  ])('is not published with %s, although the root key has signed it', async (_name, claims, code, fact) => {
    const before = read('dist/SHA256SUMS');
    await request();
    alterStatement(folder, claims);
    signFiles(folder);
    await refused(attach('--json'), code, fact);
    expect(read('dist/SHA256SUMS').equals(before)).toBe(true);
  });

  it('is not published after another statement about the same list', async () => {
    rmSync(at('issuers/gamma.yaml'));
    await request(...ONLINE);
    await sign();
    renameSync(at('request'), at('overtaken'));
    // Another statement about the same list.
    writeFiles(folder, { 'registry.yaml': 'checkpoint: { may_hold: false }\n' });
    await request(...ONLINE);
    await sign('--instead-of', sha256(read('dist/issuers.json')));
    expect((await attach(...ONLINE)).code).toBe(0);
    const attached = run('attach', 'overtaken', '--root-key', 'root.json', '--json', ...ONLINE);
    await refused(attached, 'ERR_REQUEST_OUTDATED');
  });
});

describe('a new statement about an unchanged list', () => {
  beforeEach(() => rmSync(at('issuers/gamma.yaml')));

  it('names an online key, and leaves list and signature as they are', async () => {
    const list = read('dist/issuers.json');
    const signature = read('dist/issuers.sig');
    expect((await request(...ONLINE)).stderr).toContain('A NEW KEY');
    // Only the statement needs a signature: the online key signs the checkpoint.
    expect(read('request/issuers.sig').equals(signature)).toBe(true);
    expect(existsSync(at('request/checkpoint.signing-input'))).toBe(false);
    await sign();
    expect((await attach(...ONLINE)).code).toBe(0);
    expect([read('dist/issuers.json').equals(list), read('dist/issuers.sig').equals(signature)]).toEqual([
      true,
      true,
    ]);
    expect(published()).toMatchObject({ sequence: 2, online: { hold: true } });
    expect(claimsOf(read('dist/checkpoint.jwt'))).toMatchObject({
      publication: statementHash(read('dist/publication.jwt')),
    });
    expect((await run('verify', 'dist', '--trust-anchor', 'root.json')).code).toBe(0);
    expect((await request(...ONLINE)).code).toBe(0);
    expect(existsSync(at('request'))).toBe(false);
  });
});

describe('a publication that was stopped while it was attached', () => {
  it('is completed by whatever comes next, and no other takes its sequence', async () => {
    await request();
    await sign();
    const before = read('dist/publication.jwt');
    const rename = fs.renameSync;
    const full: typeof fs.renameSync = (from, to) => {
      if (String(to).endsWith('dist/statements.json')) throw new Error('ENOSPC');
      rename(from, to);
    };
    expect((await withFs({ renameSync: full }, () => attach())).code).toBe(4);
    expect(read('dist/publication.jwt')).toEqual(before);
    const stopped = requested();
    renameSync(at('request'), at('stopped'));

    record('delta');
    expect((await request()).code).toBe(0);
    const published = read('dist/publication.jwt');
    expect(claimsOf(published)).toEqual(stopped);
    expect(requested()).toMatchObject({
      sequence: 3,
      previous: [statementHash(published), statementHash(before)],
    });
    const complete = [read('dist/statements.json'), read('dist/SHA256SUMS')];
    expect((await run('attach', 'stopped', '--root-key', 'root.json')).code).toBe(0);
    expect([read('dist/statements.json'), read('dist/SHA256SUMS')]).toEqual(complete);
  });
});

describe('the machine with the key remembers', () => {
  it('the sequence that it has verified: a request after an older statement about the same list is refused', async () => {
    rmSync(at('issuers/gamma.yaml'));
    cpSync(at('dist'), at('older'), { recursive: true });
    await publish(...ONLINE);
    record('gamma');
    await request();
    expect((await sign()).code).toBe(0);
    const given = sha256(read('request/issuers.json'));
    // Whoever has the machine of the registry makes a request that follows the publication before.
    expect((await request('--out', 'older')).code).toBe(0);
    const facts = ['has verified', 'publication 1', 'publication 2'];
    await refused(sign('--instead-of', given, '--json'), 'ERR_REQUEST_OUTDATED', ...facts);
    // The same from the present tree is what the operator means.
    await request();
    expect((await sign('--instead-of', given)).code).toBe(0);
  });

  it('the sequence that it signed last, also where the list is the same', async () => {
    rmSync(at('issuers/gamma.yaml'));
    await request(...ONLINE);
    expect((await sign()).code).toBe(0);
    // The same bytes may be signed again.
    expect((await sign()).code).toBe(0);
    // Other claims of the same sequence may not, unless the first ones are given up.
    alterStatement(folder, { iat: Number(requested()['iat']) + 1 });
    const list = sha256(read('dist/issuers.json'));
    await refused(sign('--json'), 'ERR_REQUEST_OUTDATED', 'publication 1', `--instead-of ${list}`);
    expect((await sign('--instead-of', list)).code).toBe(0);
  });
});
