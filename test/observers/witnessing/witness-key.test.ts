import { createPrivateKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseNoteKey } from '@passport-registry/verifier/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { invalid, pairIn } from '../../support/note-keys.js';
import { namedEntries, ORIGIN, testLog } from '../../support/test-log.js';
import { post, requestBody, startWitness } from '../../support/witness-service.js';
import { cli, temporaryFolder, writeFiles } from '../../support/workspace.js';

let folder: string;
let jwk: { x: string };

beforeEach(async () => {
  folder = temporaryFolder();
  const { stdout } = await cli(
    ['keys', 'generate', '--no-passphrase', '--private', 'w.pem', '--public', 'w.json'],
    folder,
  );
  jwk = JSON.parse(stdout);
});

const keys = (...args: string[]) => cli(['keys', ...args], folder);

describe('keys public --witness-name', () => {
  it('prints the verifier key of a private key, a public key and a variable', async () => {
    const { code, stdout, stderr } = await keys('public', 'w.pem', '--witness-name', 'mirror.example');
    expect([code, stderr]).toEqual([0, '']);
    const key = parseNoteKey(stdout.trim(), 'witness', invalid);
    expect([key.name, key.jwk.x, stdout.endsWith('\n')]).toEqual(['mirror.example', jwk.x, true]);
    expect((await keys('public', 'w.json', '--witness-name', 'mirror.example')).stdout).toBe(stdout);
    const environment = { WITNESS: readFileSync(join(folder, 'w.pem'), 'utf8') };
    const args = ['keys', 'public', 'env:WITNESS', '--witness-name', 'mirror.example'];
    expect((await cli(args, folder, environment)).stdout).toBe(stdout);
  });

  it('creates the state of a new witness once', async () => {
    const args = ['public', 'w.pem', '--witness-name', 'mirror.example', '--witness-state', 'witness/state'];
    const { code, stdout, stderr } = await keys(...args);
    expect([code, stderr]).toEqual([0, expect.stringContaining('needs another key')]);
    expect(readFileSync(join(folder, 'witness/state/vkey'), 'utf8')).toBe(stdout);
    const again = await keys(...args);
    expect([again.code, again.stdout, again.stderr]).toEqual([
      2,
      '',
      expect.stringContaining('is not empty'),
    ]);
  });

  it.each(['https://mirror.example', 'a name', 'a+b', '', 'ä.example', 'x'.repeat(401)])(
    'refuses the name %j, and creates nothing',
    async (name) => {
      const { code, stdout } = await keys(
        'public',
        'w.pem',
        '--witness-name',
        name,
        '--witness-state',
        'state',
      );
      expect([code, stdout, existsSync(join(folder, 'state'))]).toEqual([2, '', false]);
    },
  );

  it('refuses a key that is not Ed25519', async () => {
    await keys('generate', '--no-passphrase', '--alg', 'P-256', '--private', 'p256.pem');
    const { code, stderr } = await keys('public', 'p256.pem', '--witness-name', 'mirror.example');
    expect([code, stderr]).toEqual([3, expect.stringContaining('Ed25519')]);
  });
});

describe('keys public --origin', () => {
  it('prints the verifier key of a log', async () => {
    const { code, stdout } = await keys('public', 'w.pem', '--origin', ORIGIN);
    expect(code).toBe(0);
    const key = parseNoteKey(stdout.trim(), 'log', invalid);
    expect([key.name, key.jwk.x]).toEqual([ORIGIN, jwk.x]);
  });
});

describe('the options of a witness', () => {
  const state = ['--witness-state', 'state'];
  let vkey: string;
  let log: string;

  beforeEach(async () => {
    const args = ['public', 'w.pem', '--witness-name', 'mirror.example', '--witness-state', 'state'];
    vkey = (await keys(...args)).stdout.trim();
    await keys('generate', '--no-passphrase', '--private', 'log.pem');
    log = (await keys('public', 'log.pem', '--origin', ORIGIN)).stdout.trim();
  });

  const witness = (...args: readonly string[]) => cli(['witness', '--log', log, ...args], folder);

  it('are all that a witness needs', async () => {
    for (const args of [
      [],
      state,
      ['--witness-key', 'w.pem'],
      [...state, '--witness-key', 'w.pem', '--witness-signer-command', 'cat'],
    ])
      expect([args, (await witness(...args)).code]).toEqual([args, 2]);
  });

  it('take the key from a file, a variable, an encrypted file or a command', async () => {
    const pem = readFileSync(join(folder, 'w.pem'), 'utf8');
    const encrypted = createPrivateKey(pem).export({
      type: 'pkcs8',
      format: 'pem',
      cipher: 'aes-256-cbc',
      passphrase: 'open sesame',
    });
    const script = `import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
const key = createPrivateKey(readFileSync(process.argv[2]));
process.stdout.write(sign(null, readFileSync(0), key));`;
    writeFiles(folder, {
      'encrypted.pem': String(encrypted),
      passphrase: 'open sesame\n',
      'sign.mjs': script,
    });
    const choices = [
      ['--witness-key', 'w.pem'],
      ['--witness-key', 'env:WITNESS'],
      ['--witness-key', 'encrypted.pem', '--witness-passphrase-file', 'passphrase'],
      ['--witness-signer-command', `${process.execPath} sign.mjs w.pem`],
    ];
    const entries = testLog(pairIn(join(folder, 'log.pem')), namedEntries('a', choices.length));
    for (const [index, keyOptions] of choices.entries()) {
      const files = { folder, vkey, keyOptions, environment: { WITNESS: pem } };
      const { url, end } = await startWitness(files, '--log', log);
      const size = index + 1;
      const proof = await entries.consistency(index, size);
      const answer = await post(url, requestBody(index, proof, await entries.note({ size })));
      expect([keyOptions, answer.status, await answer.text()]).toEqual([
        ...[keyOptions, 200, expect.stringMatching(/^\u2014 mirror\.example \S+\n$/)],
      ]);
      await end('SIGTERM');
    }
  });
});
