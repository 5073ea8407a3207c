import { createPrivateKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseNoteKey } from '@passport-registry/verifier/internal';
import { beforeEach, describe, expect, it } from 'vitest';
import { type WitnessOptions, witnessChoice } from '../../../build/cli/options/witness-options.js';
import { cosignHead } from '../../../build/witnessing/cosign-head.js';
import { generatePair, invalid } from '../../support/note-keys.js';
import { namedEntries, ORIGIN, testLog } from '../../support/test-log.js';
import { cli, temporaryFolder, writeFiles } from '../../support/workspace.js';

let folder: string;
let jwk: { x: string };

beforeEach(async () => {
  folder = temporaryFolder();
  const { stdout } = await cli(
    ['keys', 'generate', '--no-passphrase', '--out', 'w.pem', '--public', 'w.json'],
    folder,
  );
  jwk = JSON.parse(stdout);
});

const keys = (...args: string[]) => cli(['keys', ...args], folder);

describe('keys witness', () => {
  it('prints the verifier key of a private key, a public key and a variable', async () => {
    const { code, stdout, stderr } = await keys('witness', 'w.pem', '--name', 'mirror.example');
    expect([code, stderr]).toEqual([0, '']);
    const key = parseNoteKey(stdout.trim(), 'witness', invalid);
    expect([key.name, key.jwk.x, stdout.endsWith('\n')]).toEqual(['mirror.example', jwk.x, true]);
    expect((await keys('witness', 'w.json', '--name', 'mirror.example')).stdout).toBe(stdout);
    const environment = { WITNESS: readFileSync(join(folder, 'w.pem'), 'utf8') };
    const args = ['keys', 'witness', 'env:WITNESS', '--name', 'mirror.example'];
    expect((await cli(args, folder, environment)).stdout).toBe(stdout);
  });

  it('creates the state of a new witness once', async () => {
    const args = ['witness', 'w.pem', '--name', 'mirror.example', '--state', 'witness/state'];
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
      const { code, stdout } = await keys('witness', 'w.pem', '--name', name, '--state', 'state');
      expect([code, stdout, existsSync(join(folder, 'state'))]).toEqual([2, '', false]);
    },
  );

  it('refuses a key that is not Ed25519', async () => {
    await keys('generate', '--no-passphrase', '--alg', 'P-256', '--out', 'p256.pem');
    const { code, stderr } = await keys('witness', 'p256.pem', '--name', 'mirror.example');
    expect([code, stderr]).toEqual([3, expect.stringContaining('Ed25519')]);
  });
});

describe('keys log', () => {
  it('prints the verifier key of a log', async () => {
    const { code, stdout } = await keys('log', 'w.pem', '--origin', ORIGIN);
    expect(code).toBe(0);
    const key = parseNoteKey(stdout.trim(), 'log', invalid);
    expect([key.name, key.jwk.x]).toEqual([ORIGIN, jwk.x]);
  });
});

describe('the options of a witness', () => {
  beforeEach(async () => {
    await keys('witness', 'w.pem', '--name', 'mirror.example', '--state', 'state');
  });

  const choose = (options: WitnessOptions, env: NodeJS.ProcessEnv = {}) =>
    witnessChoice({ ...process, env }, { witnessState: join(folder, 'state'), ...options });
  const path = (name: string) => join(folder, name);

  it('are none, or all that a witness needs', async () => {
    expect(await witnessChoice(process, {})).toBeUndefined();
    await expect(choose({})).rejects.toMatchObject({ code: 'ERR_USAGE' });
    const onlyKey = witnessChoice(process, { witnessKey: path('w.pem') });
    await expect(onlyKey).rejects.toMatchObject({ code: 'ERR_USAGE' });
    const both = choose({ witnessKey: path('w.pem'), witnessSignerCommand: 'cat' });
    await expect(both).rejects.toMatchObject({ code: 'ERR_USAGE' });
  });

  it('take the key from a file, a variable, an encrypted file or a command', async () => {
    const pem = readFileSync(path('w.pem'), 'utf8');
    const encrypted = createPrivateKey(pem).export({
      ...{ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'open sesame' },
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
    const command = `${process.execPath} ${path('sign.mjs')} ${path('w.pem')}`;
    const log = testLog(generatePair(), namedEntries('a', 5));
    const choices = [
      choose({ witnessKey: path('w.pem') }),
      choose({ witnessKey: 'env:WITNESS' }, { WITNESS: pem }),
      choose({ witnessKey: path('encrypted.pem'), witnessPassphraseFile: path('passphrase') }),
      choose({ witnessSignerCommand: command }, process.env),
    ];
    for (const [size, choice] of choices.entries()) {
      const cosigner = await choice;
      if (cosigner === undefined) throw new Error('there is no witness');
      const request = {
        head: await log.head({ size }),
        logKeys: [log.key],
        prove: (last: { size: number }) => log.consistency(last.size, size),
      };
      expect((await cosignHead(cosigner, request)).head.size).toBe(size);
    }
  });

  it('refuse another key than that of the state', async () => {
    await keys('generate', '--no-passphrase', '--out', 'other.pem');
    await expect(choose({ witnessKey: path('other.pem') })).rejects.toMatchObject({
      code: 'ERR_KEY_REJECTED',
      message: expect.stringContaining('belongs to'),
    });
  });
});
