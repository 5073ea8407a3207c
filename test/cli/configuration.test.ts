import { generateKeyPairSync } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { beforeEach, describe, expect, it } from 'vitest';
import { withKeys } from '../support/settings.js';
import { readTreeFile } from '../support/statements.js';
import { cli, clockAhead, keyPair, workspace, writeFiles } from '../support/workspace.js';

let folder: string;

beforeEach(async () => {
  folder = await workspace(['alpha']);
  writeFiles(folder, { 'keys/.keep': '' });
  for (const name of ['root', 'online', 'other']) await keyPair(folder, `keys/${name}`);
});

const configure = (text: string) => writeFiles(folder, { 'registry.yaml': text });
const published = (path: string) => readTreeFile(join(folder, 'dist', path)).toString();
const validity = (jwt: string) => {
  const { iat = 0, exp = 0 } = decodeJwt(jwt);
  return exp - iat;
};

const WHOLE = `# What the operator would otherwise repeat.
base_url: http://127.0.0.1:1
root_key: keys/root.json
signer:
  key: keys/root.pem
checkpoint:
  hours: 6
  signer:
    command: '"${process.execPath}" sign.mjs {}'
  public_key: keys/online.json
  days_online: 30
`;

const SIGN = `import { sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
process.stdout.write(sign(null, readFileSync(process.argv[2]), readFileSync('keys/online.pem')));
`;

describe('registry.yaml', () => {
  beforeEach(() => writeFiles(folder, { 'sign.mjs': SIGN }));

  it('says once what every command would have to be told', async () => {
    // No host is asked whether the registry is new.
    configure(WHOLE.replace(/^base_url.*$/m, ''));
    const build = await cli(['build', '--production'], folder);
    expect(build.stderr).not.toContain('passport-registry:');
    expect(build.code).toBe(0);
    configure(WHOLE);
    const { iat = 0, online } = decodeJwt<{ online: { exp: number } }>(published('publication.jwt'));
    // The time of the key is counted from the build, the statement is of the time of its list.
    expect(Math.round((online.exp - iat) / 60)).toBe(30 * 24 * 60);
    expect(validity(published('checkpoint.jwt'))).toBe(6 * 3600);
    const before = published('checkpoint.jwt');
    // A checkpoint of the same second would be the same.
    expect((await cli(['checkpoint'], folder, clockAhead(1))).code).toBe(0);
    expect(published('checkpoint.jwt')).not.toBe(before);
    expect((await cli(['verify', 'dist'], folder)).stdout).toContain('(pinned)');
    // Without a folder it is the address that is verified; nothing answers there.
    const live = await cli(['verify'], folder);
    expect(live.stdout).toContain('http://127.0.0.1:1');
    expect(live.code).toBe(4);
  });

  it('names the key of a passphrase that the command line gives', async () => {
    const words = 'a passphrase of several words';
    writeFiles(folder, { words, wrong: 'wrong' });
    // As Node.js encrypts them: with 2,048 iterations, in place of the 600,000 of our own.
    const encrypt = { cipher: 'aes-256-cbc', passphrase: words };
    for (const name of ['root', 'online']) {
      const { privateKey, publicKey } = generateKeyPairSync('ed25519');
      writeFiles(folder, {
        [`${name}.pem`]: String(privateKey.export({ type: 'pkcs8', format: 'pem', ...encrypt })),
        [`${name}.json`]: JSON.stringify(publicKey.export({ format: 'jwk' })),
      });
    }
    const online = 'checkpoint: { signer: { key: online.pem } }\n';
    configure(`root_key: root.json\nsigner: { key: root.pem, passphrase_file: wrong }\n${online}`);
    const given = ['--passphrase-file', 'words'];
    const args = ['build', '--production', ...given];
    const settings = readFileSync(join(folder, 'registry.yaml'), 'utf8');
    configure(settings.replace('key: online.pem', 'key: online.pem, passphrase_file: words'));
    const built = await cli(args, folder);
    configure(settings);
    expect(built.code, built.stderr).toBe(0);
    expect((await cli(['checkpoint', '--online-passphrase-file', 'words'], folder)).code).toBe(0);
  });

  it('has its paths below itself, wherever it is read from', async () => {
    writeFiles(folder, { 'elsewhere/registry.yaml': 'signer: { key: ../keys/root.pem }\n' });
    for (const args of [
      ['--config', 'elsewhere/registry.yaml', 'build', '--production'],
      ['build', '--production', '--config', 'elsewhere/registry.yaml'],
    ])
      expect((await cli(args, folder)).code).toBe(0);
    expect(JSON.parse(published('keys/root.json')).kid).toBe(
      JSON.parse(readFileSync(join(folder, 'keys/root.json'), 'utf8')).kid,
    );
  });

  it('takes a key from the environment', async () => {
    configure('signer: { key: "env:ROOT" }\n');
    const ROOT = readFileSync(join(folder, 'keys/root.pem'), 'utf8');
    expect((await cli(['build', '--production'], folder, { ROOT })).code).toBe(0);
  });

  it('yields to the command line, a key there also to a command here', async () => {
    configure(`signer: { command: 'false' }\nroot_key: keys/root.json\ncheckpoint: { hours: 6 }\n`);
    expect((await cli(['build', '--production'], folder)).code).toBe(3);
    const key = ['--key', 'keys/root.pem'];
    expect((await cli(['build', '--production', ...key], folder)).code).toBe(0);
    const other = ['--key', 'keys/other.pem', '--root-key', 'keys/other.json', '--out', 'other'];
    expect((await cli(['build', '--production', ...other], folder)).code).toBe(0);
    const online = withKeys({ checkpoint: 'keys/root.pem' });
    expect((await cli(['build', '--production', ...key, ...online], folder)).code).toBe(0);
    expect(validity(published('checkpoint.jwt'))).toBe(6 * 3600);
    expect((await cli(['checkpoint', '--online-key', 'keys/root.pem'], folder)).code).toBe(0);
    expect(validity(published('checkpoint.jwt'))).toBe(6 * 3600);
  });

  it('never leads to a development key under a pinned root', async () => {
    configure('root_key: keys/root.json\n');
    expect((await cli(['build'], folder)).code).toBe(3);
  });

  it('may be empty', async () => {
    configure('# nothing yet\n');
    expect((await cli(['build'], folder)).code).toBe(0);
  });

  it.each([
    ['siner: {}', '1:1', 'unknown-field', '"siner" is not a setting of the file', 'did you mean `signer`?'],
    ['checkpoint:\n  hours: 24h', '2:10', 'wrong-type', 'checkpoint.hours is "24h"', 'must be integer'],
    ['checkpoint:\n  hours: 0', '2:10', 'wrong-type', 'checkpoint.hours is the number 0', 'must be >= 1'],
    ['base_url: registry.example', '1:11', 'wrong-type', 'base_url is "registry.example"', 'expected form'],
    [
      'signer:\n  key: a\n  input: digset',
      '3:10',
      'unknown-value',
      'signer.input is "digset"',
      'did you mean `digest`?',
    ],
    ['- a', '1:1', 'wrong-type', 'the file is a list', 'must be object'],
    ['signer: [', '1:10', 'yaml-syntax', '', 'fix the syntax'],
    ['next_roots: []', '1:13', 'wrong-type', 'next_roots', '1'],
    [`next_roots: [${'A'.repeat(43)}, next.json]`, '1:59', 'wrong-type', 'next_roots', ''],
    ['root_key: a\nroot_key: b', '2:1', 'duplicate-key', 'root_key appears twice', 'remove the duplicate'],
  ])(
    'that holds %j is refused at its place, before anything is done',
    async (text, place, rule, message, remedy) => {
      configure(text);
      const { code, stderr, stdout } = await cli(['build', '--json'], folder);
      expect(code).toBe(2);
      expect(stderr).toContain(`registry.yaml:${place}: error ${rule}: ${message}`);
      expect(stderr).toContain(remedy);
      expect(JSON.parse(stdout)).toMatchObject({
        ok: false,
        error: { code: 'ERR_CONFIGURATION_REJECTED' },
        diagnostics: [{ rule }],
      });
    },
  );

  it('that is invalid stops no command that takes nothing from it', async () => {
    configure('signer: [');
    const generate = ['keys', 'generate', '--no-passphrase', '--private', 'new.pem', '--public', 'new.json'];
    const ceremony = ['keys', 'ceremony', 'start', 'c', 'Anna', 'Bo', '--threshold', '2'];
    for (const args of [generate, ['keys', 'public', 'new.pem'], ceremony]) {
      const { code, stderr } = await cli(args, folder);
      expect(code, stderr).toBe(0);
    }
    for (const args of [
      ['keys', 'rotate', '--next-key', 'x'],
      ['verify', '.'],
    ])
      expect(await cli(args, folder)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('registry.yaml:'),
      });
  });

  it('that is not there although it was named is an error', async () => {
    const { code, stderr } = await cli(['--config', 'none.yaml', 'build'], folder);
    expect(code).toBe(4);
    expect(stderr).toContain('none.yaml does not exist');
  });
});
