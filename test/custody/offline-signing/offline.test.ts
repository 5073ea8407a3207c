import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import { copyOf, madeOnce } from '../../support/made-once.js';
import { claimsOf } from '../../support/signed-tree.js';
import { signFiles } from '../../support/signing-request.js';
import { readTreeFile } from '../../support/statements.js';
import { onTerminal } from '../../support/terminal.js';
import {
  cli,
  type Outcome,
  recordText,
  run,
  temporaryFolder,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

/** The machine with the registry, which has no key, and the one with the key, which has no registry. */
let online: string;
let offline: string;

beforeEach(async () => {
  const made = await madeOnce('offline-signing', async (folder) => {
    use(folder);
    for (const id of ['alpha', 'beta']) writeFiles(online, { [`issuers/${id}.yaml`]: recordText(id) });
    mkdirSync(offline);
    const { stdout } = await cli(['keys', 'generate', '--no-passphrase', '--private', 'key.pem'], offline);
    writeFiles(online, { 'root.json': stdout });
    await whole();
  });
  use(copyOf(made));
});

function use(folder: string): void {
  online = join(folder, 'online');
  offline = join(folder, 'offline');
}

const carry = (from: string, to: string) =>
  cpSync(join(from, 'request'), join(to, 'request'), { recursive: true });
const request = (...more: string[]) =>
  cli(['build', '--unsigned', 'request', '--root-key', 'root.json', ...more], online);
/** Each machine has a memory of its own. */
const sign = (...more: string[]) =>
  cli(['sign', 'request', '--key', 'key.pem', '--yes', ...more], offline, {
    XDG_STATE_HOME: join(offline, 'state'),
  });
const attach = (...more: string[]) => cli(['attach', 'request', '--root-key', 'root.json', ...more], online);
const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');
const sums = () => readFileSync(join(online, 'dist/SHA256SUMS'), 'utf8');
const clear = () => {
  for (const folder of [online, offline]) rmSync(join(folder, 'request'), { recursive: true, force: true });
};

const signOnTerminal = (typed: string) =>
  onTerminal(['sign', 'request', '--key', 'key.pem', '--memory', 'state'], offline, {
    question: 'Sign this? Type yes:',
    typed,
  });

/** The claims of the published statement. */
const statement = () => claimsOf(readTreeFile(join(online, 'dist/publication.jwt')));

/** All three steps, which must go well. */
async function whole(...exceptions: string[]): Promise<Outcome> {
  clear();
  expect((await request(...exceptions)).code).toBe(0);
  carry(online, offline);
  const signed = await sign(...exceptions);
  expect(signed.stderr).not.toContain('passport-registry:');
  carry(offline, online);
  const attached = await attach(...exceptions);
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
    const { stderr } = await whole('--override', 'beta:record-removed');
    const shown = stderr.split('\n').filter((line) => /^[-+~]/.test(line));
    expect(shown).toEqual([
      '~ alpha: status "active" -> "suspended"',
      '~ alpha: tier "certified" -> "registered"',
      '~ alpha: last_audit (none) -> "2026-01-01T00:00:00Z"',
      '- beta: REMOVED',
      '+ gamma: new, certified, active, keys at https://gamma.internal/.well-known/jwks.json',
    ]);
    const list = JSON.parse(readFileSync(join(online, 'dist/issuers.json'), 'utf8'));
    expect(list.issuers.map(({ issuer_id }: { issuer_id: string }) => issuer_id)).toEqual(['alpha', 'gamma']);
    expect((await cli(['verify', 'dist', '--trust-anchor', 'root.json'], online)).code).toBe(0);
    // The one-step build of the same records has nothing to add.
    cpSync(join(offline, 'key.pem'), join(online, 'key.pem'));
    const { stderr: built } = await cli(['build', '--key', 'key.pem'], online);
    expect(built).toContain('0 written');
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
        /is not signed by/,
      ],
      [
        'a folder that is no request',
        () => rmSync(join(offline, 'request/issuers.json')),
        2,
        /is not a signing request/,
      ],
    ])('to sign %s', async (_name, change, code, message) => {
      carry(online, offline);
      change();
      const outcome = await sign();
      expect(outcome.stderr).toMatch(message);
      expect(outcome.code).toBe(code);
      expect(existsSync(join(offline, 'request/issuers.sig'))).toBe(false);
    });

    it('to sign or to attach a record that a build refuses', async () => {
      const before = sums();
      carry(online, offline);
      // Verifiers accept this port. No program can connect to it.
      spoil((list) =>
        list.replace(
          'https://gamma.internal/.well-known/jwks',
          'https://gamma.internal:99999/.well-known/jwks',
        ),
      );
      const problem = 'the record gamma is not valid: /jwks_uri must match format "uri"';
      const signing = await sign();
      expect([signing.code, signing.stderr.includes(problem)]).toEqual([1, true]);
      expect(existsSync(join(offline, 'request/issuers.sig'))).toBe(false);
      signFiles(offline);
      carry(offline, online);
      const attaching = await attach();
      expect([attaching.code, attaching.stderr.includes(problem)]).toEqual([1, true]);
      expect(sums()).toBe(before);
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
      const unsigned = await attach();
      expect([unsigned.code, unsigned.stderr.includes('does not exist: run `sign request`')]).toEqual([
        2,
        true,
      ]);
      cpSync(join(offline, 'key.pem'), join(online, 'key.pem'));
      signFiles(online);
      for (const name of ['issuers.sig', 'publication.sig', 'checkpoint.sig']) {
        const good = readFileSync(join(online, 'request', name));
        const others = ['A'.repeat(86), '', '\0', readFileSync(join(online, 'dist/issuers.sig'))];
        for (const other of others) {
          writeFiles(online, { [`request/${name}`]: other });
          const { code, stderr } = await attach();
          expect([code, stderr.includes('is not valid')]).toEqual([3, true]);
        }
        rmSync(join(online, 'request', name));
        expect((await attach()).code).toBe(2);
        writeFiles(online, { [`request/${name}`]: good });
      }
      expect(sums()).toBe(before);
      expect((await attach()).code).toBe(0);
    });

    it('a request that was overtaken by another publication, and says so', async () => {
      carry(online, offline);
      await sign();
      carry(offline, online);
      cpSync(join(online, 'request'), join(online, 'routine'), { recursive: true });
      clear();
      writeFiles(online, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
      await request();
      carry(online, offline);
      const emergency = await sign('--instead-of', hashOf(join(online, 'routine/issuers.json')));
      expect(emergency.code).toBe(0);
      carry(offline, online);
      expect((await attach()).code).toBe(0);
      const before = sums();
      const { code, stderr } = await cli(['attach', 'routine', '--root-key', 'root.json'], online);
      expect([code, stderr.includes('make a new request')]).toEqual([2, true]);
      expect(sums()).toBe(before);
    });
  });

  describe('the machine with the key remembers', () => {
    /** A request that adds an issuer, as it lies on the machine with the key. */
    async function routine(): Promise<void> {
      clear();
      writeFiles(online, { 'issuers/gamma.yaml': recordText('gamma') });
      await request();
      carry(online, offline);
      cpSync(join(offline, 'request'), join(offline, 'routine'), { recursive: true });
    }
    const signRoutine = (...more: string[]) =>
      cli(['sign', 'routine', '--key', 'key.pem', '--yes', ...more], offline, {
        XDG_STATE_HOME: join(offline, 'state'),
      });

    it('the published lists that it has verified: a request from before an emergency is refused', async () => {
      await routine();
      writeFiles(online, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
      await whole();
      writeFiles(online, { 'issuers/beta.yaml': recordText('beta', { status: 'suspended' }) });
      await whole();
      const { code, stderr } = await signRoutine();
      expect([code, stderr.includes('has verified the published list')]).toEqual([2, true]);
      const forced = await signRoutine('--instead-of', hashOf(join(online, 'dist/issuers.json')));
      expect(forced.code).toBe(2);
      expect(existsSync(join(offline, 'routine/issuers.sig'))).toBe(false);
    });

    it('the list that it signed last: another one after the same list is refused, unless that one was given up', async () => {
      await routine();
      writeFiles(online, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
      await whole();
      const signed = hashOf(join(online, 'dist/issuers.json'));
      const { code, stderr } = await signRoutine();
      expect(code).toBe(2);
      expect(stderr).toContain(`--instead-of ${signed}`);
      expect((await signRoutine('--instead-of', '0'.repeat(64))).code).toBe(2);
      expect((await signRoutine('--instead-of', signed)).code).toBe(0);
      // What was signed may be signed again.
      expect((await signRoutine()).code).toBe(0);
    });

    it('in the home folder of its user, where XDG_STATE_HOME is relative', async () => {
      await routine();
      const { code } = await cli(['sign', 'routine', '--key', 'key.pem', '--yes'], offline, {
        XDG_STATE_HOME: 'relative',
        HOME: join(offline, 'home'),
      });
      const { kid } = JSON.parse(readFileSync(join(online, 'root.json'), 'utf8'));
      const memory = join(offline, `home/.local/state/passport-registry/${kid}.json`);
      expect([code, existsSync(memory), existsSync(join(offline, 'relative'))]).toEqual([0, true, false]);
    });

    it('and signs nothing where it cannot remember', async () => {
      await routine();
      const memory = join(offline, 'state/passport-registry');
      rmSync(memory, { recursive: true });
      writeFiles(offline, { 'state/passport-registry': 'a file' });
      expect((await signRoutine()).code).toBe(4);
      expect(existsSync(join(offline, 'routine/issuers.sig'))).toBe(false);
    });
  });

  it('goes on with a rotation, and then with the next key', async () => {
    await cli(['keys', 'generate', '--no-passphrase', '--private', 'next.pem'], offline);
    const { stdout: next } = await cli(['keys', 'public', 'next.pem'], offline);
    writeFiles(online, { 'next.json': next });
    cpSync(join(online, 'root.json'), join(offline, 'root.json'));
    const rotation = (...more: string[]) => {
      clear();
      const keys = ['--root-key', 'root.json', '--next-root-key', 'next.json'];
      return cli(['keys', 'rotate', '--unsigned', 'request', ...keys, ...more], online);
    };
    const signNext = (...more: string[]) =>
      cli(['sign', 'request', '--key', 'next.pem', '--yes', ...more], offline, {
        XDG_STATE_HOME: join(offline, 'state'),
      });
    // A rotation does not reset the rules: what is gone is gone under the next key, too.
    rmSync(join(online, 'issuers/beta.yaml'));
    const removes = ['--override', 'beta:record-removed'];
    expect((await rotation()).code).toBe(1);
    expect((await rotation(...removes)).stderr).toContain('ROTATION FROM ROOT KEY');
    carry(online, offline);
    expect((await sign()).code).toBe(1);
    expect((await sign(...removes)).code).toBe(0);
    expect((await signNext('--previous-root-key', 'root.json')).code).toBe(1);
    expect((await signNext('--previous-root-key', 'root.json', ...removes)).code).toBe(0);
    carry(offline, online);
    expect((await attach()).code).toBe(1);
    expect((await attach(...removes)).code).toBe(0);
    for (const key of ['root.json', 'next.json'])
      expect((await cli(['verify', 'dist', '--trust-anchor', key], online)).code).toBe(0);
    expect(statement()).toMatchObject({ sequence: 2, previous: [expect.any(String)] });
    // The next list follows under the new key, and this machine knows the sequence.
    writeFiles(online, { 'issuers/gamma.yaml': recordText('gamma') });
    clear();
    expect((await request()).code).toBe(3);
    expect((await request('--root-key', 'next.json')).code).toBe(0);
    carry(online, offline);
    expect((await signNext()).code).toBe(0);
    carry(offline, online);
    expect((await attach('--root-key', 'next.json')).code).toBe(0);
    expect(statement()).toMatchObject({ sequence: 3 });
  });

  it.each([
    ['yes', 'yes\n', 0],
    ['no', 'no\n', 2],
    ['Ctrl+C', '\u0003', 2],
    ['Ctrl+D', '\u0004', 2],
  ])('asks on a terminal, where the answer is %s', async (_name, typed, expected) => {
    clear();
    writeFiles(online, { 'issuers/gamma.yaml': recordText('gamma') });
    await request();
    carry(online, offline);
    const { code, shown } = await signOnTerminal(typed);
    expect(shown).toContain('+ gamma: new');
    expect([code, existsSync(join(offline, 'request/issuers.sig'))]).toEqual([expected, expected === 0]);
  });

  describeWith(['openssl'], 'with openssl alone on the machine with the key', () => {
    it.each(['ed25519', 'p256'])('signs all files with a key for %s, in any form', async (algorithm) => {
      const folder = temporaryFolder();
      const made = await workspace(['alpha']);
      if (algorithm === 'p256') {
        rmSync(join(made, 'key.pem'));
        await cli(['keys', 'generate', '--no-passphrase', '--alg', 'P-256', '--private', 'key.pem'], made);
      }
      const { stdout } = await cli(['keys', 'public', 'key.pem'], made);
      writeFiles(made, { 'root.json': stdout });
      cpSync(join(made, 'key.pem'), join(folder, 'key.pem'));
      const openssl = async (form: string) => {
        const digest =
          algorithm === 'p256' ? 'dgst -sha256 -sign key.pem' : 'pkeyutl -sign -rawin -inkey key.pem -in';
        const lines = [
          'issuers.json issuers',
          'publication.signing-input publication',
          'checkpoint.signing-input checkpoint',
        ].map((pair) => {
          const [payload, name] = pair.split(' ').map((part) => `request/${part}`);
          return `openssl ${digest} ${payload} ${form} > ${name}.sig`;
        });
        cpSync(join(made, 'request'), join(folder, 'request'), { recursive: true });
        const { code, stderr } = await run('sh', ['-ec', lines.join('\n')], folder);
        expect([code, stderr]).toEqual([0, '']);
        cpSync(join(folder, 'request'), join(made, 'request'), { recursive: true });
      };
      for (const [index, form] of ['', '| base64', '| od -An -v -tx1'].entries()) {
        writeFiles(made, { [`issuers/issuer${index}.yaml`]: recordText(`issuer${index}`) });
        rmSync(join(made, 'request'), { recursive: true, force: true });
        const asked = await cli(['build', '--unsigned', 'request', '--root-key', 'root.json'], made);
        expect(asked.code).toBe(0);
        await openssl(form);
        const attached = await cli(['attach', 'request', '--root-key', 'root.json'], made);
        expect(attached.stderr).not.toContain('passport-registry:');
        expect(attached.code).toBe(0);
        const verified = await cli(['verify', 'dist', '--trust-anchor', 'root.json'], made);
        expect(verified.code).toBe(0);
        // ECDSA never signs alike. What is published already keeps its signatures.
        const before = readFileSync(join(made, 'dist/SHA256SUMS'));
        await openssl(form);
        const signatures = ['issuers.sig', 'publication.sig', 'checkpoint.sig'];
        for (const name of signatures) renameSync(join(made, 'request', name), join(made, name));
        const again = ['attach', 'request', ...signatures, '--root-key', 'root.json'];
        expect((await cli(again, made)).code).toBe(0);
        expect(readFileSync(join(made, 'dist/SHA256SUMS')).equals(before)).toBe(true);
      }
    });
  });
});
