import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeWith } from '../support/components.js';
import {
  cli,
  type Outcome,
  recordText,
  run,
  temporaryFolder,
  workspace,
  writeFiles,
} from '../support/workspace.js';

/** The machine with the registry, which has no key, and the one with the key, which has no registry. */
let online: string;
let offline: string;

beforeEach(async () => {
  online = await workspace(['alpha', 'beta']);
  offline = temporaryFolder();
  cpSync(join(online, 'key.pem'), join(offline, 'key.pem'));
  rmSync(join(online, 'key.pem'));
  const { stdout } = await cli(['keys', 'public', 'key.pem'], offline);
  writeFiles(online, { 'root.json': stdout });
  await whole();
});

const carry = (from: string, to: string) =>
  cpSync(join(from, 'request'), join(to, 'request'), { recursive: true });
const request = (...more: string[]) => cli(['build', '--unsigned', 'request', ...more], online);
const sign = (...more: string[]) => cli(['sign', 'request', '--key', 'key.pem', '--yes', ...more], offline);
const attach = (...more: string[]) => cli(['attach', 'request', '--root-key', 'root.json', ...more], online);
const sums = () => readFileSync(join(online, 'dist/SHA256SUMS'), 'utf8');
const clear = () => {
  for (const folder of [online, offline]) rmSync(join(folder, 'request'), { recursive: true, force: true });
};

/** All three steps, which must go well. */
async function whole(): Promise<Outcome> {
  clear();
  expect((await request()).code).toBe(0);
  carry(online, offline);
  const signed = await sign();
  expect(signed.stderr).not.toContain('passport-registry:');
  carry(offline, online);
  const attached = await attach();
  expect(attached.stderr).not.toContain('passport-registry:');
  expect(attached.code).toBe(0);
  return signed;
}

describe('signing in two steps', () => {
  it('publishes what was signed, and shows before what it changes', async () => {
    writeFiles(online, {
      'issuers/alpha.yaml': recordText('alpha', {
        status: 'suspended',
        tier: 'registered',
        last_audit: '2026-01-01T00:00:00Z',
      }),
      'issuers/gamma.yaml': recordText('gamma'),
    });
    rmSync(join(online, 'issuers/beta.yaml'));
    const { stderr } = await whole();
    const shown = stderr.split('\n').filter((line) => /^[-+~]/.test(line));
    expect(shown).toEqual([
      '~ alpha: status "active" -> "suspended"',
      '~ alpha: tier "certified" -> "registered"',
      '~ alpha: last_audit (none) -> "2026-01-01T00:00:00Z"',
      '- beta: REMOVED',
      '+ gamma: new, certified, active, keys at https://gamma.example/.well-known/jwks.json',
    ]);
    const list = JSON.parse(readFileSync(join(online, 'dist/issuers.json'), 'utf8'));
    expect(list.issuers.map(({ issuer_id }: { issuer_id: string }) => issuer_id)).toEqual(['alpha', 'gamma']);
    expect((await cli(['verify', 'dist', '--root-key', 'root.json'], online)).code).toBe(0);
    // The one-step build of the same records has nothing to add.
    cpSync(join(offline, 'key.pem'), join(online, 'key.pem'));
    const { stderr: built } = await cli(['build', '--key', 'key.pem'], online);
    expect(built).toContain('0 written');
  });

  it('leaves the tree alone until it is attached', async () => {
    const before = sums();
    clear();
    writeFiles(online, { 'issuers/gamma.yaml': recordText('gamma') });
    await request();
    expect(sums()).toBe(before);
  });

  it('has nothing to sign where no record has changed, unless it is to be renewed', async () => {
    clear();
    const { code, stderr } = await request();
    expect([code, stderr.includes('nothing to sign')]).toEqual([0, true]);
    expect(existsSync(join(online, 'request'))).toBe(false);
    const { stdout } = await request('--renew', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      request: 'request',
      changes: [expect.any(String), '  no record changes'],
    });
  });

  describe('refuses', () => {
    beforeEach(async () => {
      clear();
      writeFiles(online, { 'issuers/gamma.yaml': recordText('gamma') });
      await request();
    });

    const spoil = (change: (list: string) => string, path = 'request/issuers.json') => {
      const file = join(offline, path);
      writeFiles(offline, { [path]: change(readFileSync(file, 'utf8')) });
    };

    it.each<[string, () => void, number, RegExp]>([
      ['a list that is not canonical', () => spoil((list) => ` ${list}`), 1, /ERR_LIST_NOT_CANONICAL/],
      ['a list that is none', () => spoil(() => '{}'), 1, /ERR_LIST/],
      [
        'a list that is not later',
        () => spoil((list) => list.replace(/"updated_at":"2/, '"updated_at":"1')),
        1,
        /not later/,
      ],
      [
        'a list before it that was altered',
        () => spoil((list) => list.replace('alpha', 'alphx'), 'request/previous/issuers.json'),
        3,
        /ERR_SIGNATURE_INVALID/,
      ],
      [
        'a folder that is no request',
        () => rmSync(join(offline, 'request/issuers.json')),
        2,
        /is no signing request/,
      ],
    ])('to sign %s', async (_name, change, code, message) => {
      carry(online, offline);
      change();
      const outcome = await sign();
      expect(outcome.stderr).toMatch(message);
      expect(outcome.code).toBe(code);
      expect(existsSync(join(offline, 'request/issuers.sig'))).toBe(false);
    });

    it('to sign without being told to', async () => {
      carry(online, offline);
      const { code, stderr } = await cli(['sign', 'request', '--key', 'key.pem'], offline);
      expect([code, stderr.includes('give --yes')]).toEqual([2, true]);
      const none = await cli(['sign', 'request'], offline);
      expect(none.code).toBe(3);
    });

    it('to write over a request', async () => {
      expect((await request()).code).toBe(2);
    });

    it('a signature by another key, of another list, and none', async () => {
      const before = sums();
      expect((await attach()).code).toBe(4);
      writeFiles(online, { 'request/issuers.sig': 'A'.repeat(86) });
      expect((await attach()).code).toBe(3);
      cpSync(join(online, 'dist/issuers.sig'), join(online, 'request/issuers.sig'));
      const { code, stderr } = await attach();
      expect([code, stderr.includes('the signature does not hold')]).toEqual([3, true]);
      expect(sums()).toBe(before);
    });

    it('a request that was overtaken', async () => {
      carry(online, offline);
      await sign();
      carry(offline, online);
      expect((await attach()).code).toBe(0);
      const { code, stderr } = await attach();
      expect([code, stderr.includes('make a new request')]).toEqual([2, true]);
    });
  });

  describeWith(['script'], 'on a terminal', () => {
    it.each([
      ['yes', true],
      ['no', false],
    ])('signs after %j: %s', async (answer, signed) => {
      clear();
      writeFiles(online, { 'issuers/gamma.yaml': recordText('gamma') });
      await request();
      carry(online, offline);
      const { CLI } = await import('../support/paths.js');
      const command = `"${process.execPath}" "${CLI}" sign request --key key.pem`;
      await run(
        'sh',
        ['-c', `(sleep 2; echo ${answer}; sleep 3) | script -qec '${command}' typescript`],
        offline,
      );
      expect(readFileSync(join(offline, 'typescript'), 'utf8')).toContain('+ gamma: new');
      expect(existsSync(join(offline, 'request/issuers.sig'))).toBe(signed);
    });
  });

  describeWith(['openssl', 'basenc'], 'with openssl alone on the machine with the key', () => {
    it('signs the same', async () => {
      clear();
      writeFiles(online, { 'issuers/gamma.yaml': recordText('gamma') });
      await request();
      carry(online, offline);
      const openssl = 'openssl pkeyutl -sign -rawin -inkey key.pem -in request/issuers.json';
      await run('sh', ['-c', `${openssl} | basenc --base64url -w 0 | tr -d = > signature`], offline);
      cpSync(join(offline, 'signature'), join(online, 'signature'));
      const { code } = await cli(['attach', 'request', 'signature', '--root-key', 'root.json'], online);
      expect(code).toBe(0);
    });
  });
});
