import { execFileSync } from 'node:child_process';
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { importRootKey, verifySignature } from '@passport-registry/verifier';
import { beforeEach, describe, expect, it } from 'vitest';
import { loadSigner } from '../../../build/generator/signing/key-file.js';
import { signPayload } from '../../../build/generator/signing/sign.js';
import { BAD_KEYS } from '../../support/bad-keys.js';
import { describeWith } from '../../support/components.js';
import { expectCommandError } from '../../support/expect-command-error.js';
import { SETTINGS, TOOL } from '../../support/scaffold.js';
import {
  cleanEnvironment,
  cli,
  cliWith,
  filesBelow,
  recordText,
  temporaryFolder,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' });
const generate = (file: string) => ['keys', 'generate', '--no-passphrase', '--private', file];
const INIT = ['init', 'registry', ...SETTINGS, ...TOOL, '--key', 'root.pem'];
const jwk = (key: KeyObject) => JSON.stringify(key.export({ format: 'jwk' }));

describe('passport-registry keys generate', () => {
  it.each([
    ['Ed25519', 'ed25519'],
    ['P-256', 'ec'],
  ])('makes a %s key that only its owner can read, and prints the public half', async (algorithm, type) => {
    const { code, stdout } = await cli([...generate('root.pem'), '--alg', algorithm], folder);
    expect(code).toBe(0);
    expect(statSync(join(folder, 'root.pem')).mode & 0o777).toBe(0o600);
    expect(createPrivateKey(readFileSync(join(folder, 'root.pem'))).asymmetricKeyType).toBe(type);
    const { jwk: imported } = await importRootKey(JSON.parse(stdout));
    expect(imported).toEqual(JSON.parse(stdout));
    expect((await cli(['keys', 'public', 'root.pem'], folder)).stdout).toBe(stdout);
  });

  it('never overwrites a key, and makes Ed25519 unless told otherwise', async () => {
    const { stdout } = await cli(generate('root.pem'), folder);
    expect(JSON.parse(stdout).crv).toBe('Ed25519');
    const before = readFileSync(join(folder, 'root.pem'), 'utf8');
    expect((await cli(generate('root.pem'), folder)).code).toBe(4);
    expect(readFileSync(join(folder, 'root.pem'), 'utf8')).toBe(before);
    expect((await cli([...generate('x.pem'), '--alg', 'RSA'], folder)).code).toBe(2);
    expect((await cli(['keys', 'generate'], folder)).code).toBe(2);
  });
});

describe('the passphrase of a key that is made', () => {
  const LONG = 'correct horse battery staple';
  const typing = (text: string) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.write(text);
    return stdin;
  };
  const onTerminal = (args: readonly string[], folder: string, text: string) =>
    cliWith(args, folder, { env: cleanEnvironment(), stdin: typing(text) });
  /** A key with this passphrase as Node.js exports it: with 2,048 iterations, where only the reading is tested. */
  const protectedKey = () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    const options = { cipher: 'aes-256-cbc', passphrase: LONG };
    return {
      'root.pem': privateKey.export({ type: 'pkcs8', format: 'pem', ...options }),
      'root.json': JSON.stringify(publicKey.export({ format: 'jwk' })),
    };
  };

  it.each<[string, readonly string[], string[], string]>([
    [
      'keys generate, until it is typed twice alike and long enough,',
      ['keys', 'generate', '--alg', 'P-256', '--private', 'root.pem', '--public', 'root.json'],
      ['short', ' '.repeat(LONG.length), LONG, `${LONG}!`],
      'ec',
    ],
    ['init --key', INIT, [], 'ed25519'],
  ])('is asked for twice by %s on a terminal, and is never shown', async (_name, args, refused, type) => {
    const typed = [...refused, LONG, LONG].map((line) => `${line}\r`).join('');
    const { code, stdout, stderr } = await onTerminal(args, folder, typed);
    expect(code, stderr).toBe(0);
    expect(stdout + stderr).not.toContain(LONG);
    const key = readFileSync(join(folder, 'root.pem'), 'utf8');
    expect(key).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----\n/);
    expect(createPrivateKey({ key, passphrase: LONG }).asymmetricKeyType).toBe(type);
    // The number of iterations in DER: an integer of as few bytes as there can be.
    const der = Buffer.from(key.replaceAll(/-----.*-----|\n/g, ''), 'base64').toString('hex');
    expect(der).toContain(`0203${(600_000).toString(16).padStart(6, '0')}`);
  });

  it.each([
    [['keys', 'generate', '--private', 'root.pem'], 2],
    [['keys', 'generate', '--private', 'root.pem', '--public', 'root.json'], 2],
    [INIT, 2],
    [['keys', 'generate', '--private', 'root.pem', '--no-passphrase', '--passphrase-file', 'long'], 2],
    [['keys', 'generate', '--private', 'root.pem', '--passphrase-file', 'short'], 3],
    [['keys', 'generate', '--private', 'root.pem', '--passphrase-file', 'blank'], 3],
  ])('is demanded without a terminal, and no file is made: %j', async (args, expected) => {
    writeFiles(folder, { long: LONG, short: 'short', blank: ' '.repeat(LONG.length) });
    expect((await cli(args, folder)).code).toBe(expected);
    expect(readdirSync(folder).sort()).toEqual(['blank', 'long', 'short']);
  });

  it('can be in a file, whose line end does not count', async () => {
    writeFiles(folder, { words: `${LONG}\r\n` });
    await cli(['keys', 'generate', '--private', 'root.pem', '--passphrase-file', 'words'], folder);
    const key = readFileSync(join(folder, 'root.pem'), 'utf8');
    expect(createPrivateKey({ key, passphrase: LONG }).asymmetricKeyType).toBe('ed25519');
  });

  it.each(['', '\n', '\r\n'])('can be in a file that ends with %j for a build', async (end) => {
    const folder = await workspace(['alpha']);
    writeFiles(folder, { ...protectedKey(), words: `${LONG}${end}` });
    const args = ['build', '--production', '--key', 'root.pem', '--root-key', 'root.json'];
    const { code, stderr } = await cli([...args, '--passphrase-file', 'words'], folder);
    expect(code, stderr).toBe(0);
    expect((await cli([...args, '--out', 'other'], folder)).code).toBe(2);
  });

  it.each([
    ['three times on a terminal', ['wrong', 'wronger', LONG], 0],
    ['no fourth time', ['wrong', 'wronger', 'wrongest', LONG], 3],
    ['not again after the end of the input', ['\u0004'], 2],
  ])('is asked for if it is wrong: %s', async (_name, lines, expected) => {
    const folder = await workspace(['alpha']);
    writeFiles(folder, { 'root.pem': protectedKey()['root.pem'] });
    const typed = lines.map((line) => `${line}\r`).join('');
    const { code, stdout, stderr } = await onTerminal(['build', '--key', 'root.pem'], folder, typed);
    expect(code, stderr).toBe(expected);
    expect(stdout + stderr).not.toContain(LONG);
    // Only people have another answer.
    const file = ['--passphrase-file', 'issuers/alpha.yaml'];
    expect((await cli(['build', '--key', 'root.pem', ...file], folder)).code).toBe(3);
  });

  it('is not needed for a build that signs nothing', async () => {
    const folder = await workspace(['alpha']);
    const settings = 'root_key: root.json\nsigner: { key: root.pem }\n';
    writeFiles(folder, { ...protectedKey(), words: LONG, 'registry.yaml': settings });
    const file = ['--passphrase-file', 'words'];
    const build = ['build', '--production'];
    expect((await cli([...build, ...file], folder)).code).toBe(0);
    const again = await cli(build, folder);
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining('0 written')]);
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    expect((await cli(build, folder)).code).toBe(2);
    // The key must still be that of root_key.
    writeFiles(folder, { 'other.pem': protectedKey()['root.pem'] });
    expect((await cli([...build, '--key', 'other.pem', ...file], folder)).code).toBe(3);
    expect((await cli([...build, ...file], folder)).code).toBe(0);
  });
});

/** Lets git commit a key in the private folder. */
const PRIVATE_EXCEPTION = { '.passport-registry/.gitignore': '*\n!*.pem\n' };

describe('passport-registry keys generate --public', () => {
  const generateBoth = (folder: string, out: string, file: string) =>
    cli([...generate(out), '--public', file], folder);
  const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8');

  it('writes the public JWK that it prints, as a key that commands accept', async () => {
    const folder = await workspace(['alpha']);
    const { code, stdout } = await generateBoth(folder, 'root.pem', 'root.json');
    expect([code, read(folder, 'root.json')]).toEqual([0, stdout]);
    const build = await cli(['build', '--key', 'root.pem', '--root-key', 'root.json'], folder);
    expect(build.code, build.stderr).toBe(0);
  });

  it('changes nothing if one of the files exists, and makes both files or none', async () => {
    await generateBoth(folder, 'root.pem', 'root.json');
    const before = [read(folder, 'root.pem'), read(folder, 'root.json')];
    for (const [out, file, code] of [
      ['root.pem', 'root.json', 4],
      ['root.pem', 'other.json', 4],
      ['other.pem', 'root.json', 4],
      ['other.pem', 'nowhere/other.json', 4],
      ['other.pem', './other.pem', 2],
    ] as const) {
      const outcome = await generateBoth(folder, out, file);
      expect([outcome.code, outcome.stdout]).toEqual([code, '']);
    }
    expect(readdirSync(folder).sort()).toEqual(['root.json', 'root.pem']);
    expect([read(folder, 'root.pem'), read(folder, 'root.json')]).toEqual(before);
  });

  it('does not replace a broken link', async () => {
    symlinkSync('nowhere', join(folder, 'root.json'));
    expect((await generateBoth(folder, 'root.pem', 'root.json')).code).toBe(4);
    expect(readdirSync(folder)).toEqual(['root.json']);
  });
});

describe('a key that is put into a folder', () => {
  /** A git repository of its own: some tests need several. */
  const inRepository = () => {
    folder = temporaryFolder();
    const git = (...args: string[]) => String(execFileSync('git', args, { cwd: folder }));
    git('init', '-q', '--template=');
    return { folder, listed: () => git('status', '--porcelain', '-uall').trim().split('\n').sort() };
  };
  const ignored = (folder: string) => readFileSync(join(folder, '.gitignore'), 'utf8');

  it.each(['root.key', '#my [root]*!.key', 'keys/deep/root.key', 'back\\slash'])(
    'of a git repository as %s is not committed',
    async (name) => {
      const { folder, listed } = inRepository();
      writeFiles(folder, { 'keys/deep/.gitignore': '*.pem', 'notes.txt': '', 'keys/root.keys': '' });
      const { code } = await cli(generate(name), folder);
      expect(code).toBe(0);
      const expected = ['?? keys/deep/.gitignore', '?? keys/root.keys', '?? notes.txt'];
      if (!name.startsWith('keys/')) expected.unshift('?? .gitignore');
      expect(listed()).toEqual(expected);
    },
  );

  it('that ignores it, or is in no repository, changes nothing else there', async () => {
    const { folder } = inRepository();
    writeFiles(folder, { '.gitignore': '*.pem\n' });
    await cli(generate('root.pem'), folder);
    expect(ignored(folder)).toBe('*.pem\n');
    const elsewhere = temporaryFolder();
    await cli(generate('root.pem'), elsewhere);
    expect(readdirSync(elsewhere)).toEqual(['root.pem']);
  });

  // With init: test/cli/scaffold/init.
  it.each([
    ['a later line', { '.gitignore': '/root.pem\n!*.pem\n' }, generate('root.pem')],
    ['a later line without a line feed', { '.gitignore': '/root.pem\r\n!*.pem' }, generate('root.pem')],
    ['a line of the private folder', PRIVATE_EXCEPTION, generate('.passport-registry/root.pem')],
    ['such a line, for the key of a build,', PRIVATE_EXCEPTION, ['build']],
  ])('of a git repository is not committed although %s says otherwise', async (_name, files, args) => {
    const { folder, listed } = inRepository();
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha'), ...files });
    expect((await cli(args, folder)).code).toBe(0);
    expect(filesBelow(folder).filter((path) => path.endsWith('.pem'))).toHaveLength(1);
    expect(listed().join()).not.toContain('.pem');
  });

  it('is not made if git would commit it all the same', async () => {
    const { folder } = inRepository();
    // git does not ignore a file that it tracks.
    writeFiles(folder, { 'root.pem': '' });
    execFileSync('git', ['add', 'root.pem'], { cwd: folder });
    rmSync(join(folder, 'root.pem'));
    for (const args of [generate('root.pem'), [...INIT, '--no-passphrase']]) {
      const { code, stderr } = await cli(args, folder);
      expect([code, stderr]).toEqual([2, expect.stringContaining('outside of the repository')]);
      for (const made of ['root.pem', 'registry']) expect(existsSync(join(folder, made))).toBe(false);
    }
  });

  it.each([
    ['a build', ['build']],
    ['keys generate', generate('.passport-registry/root.key')],
  ])('made by hand for private files is not committed, by %s', async (_name, args) => {
    for (const existing of [
      {},
      { '.passport-registry/development-key.pem': pem(generateKeyPairSync('ed25519').privateKey) },
    ]) {
      const { folder, listed } = inRepository();
      mkdirSync(join(folder, '.passport-registry'));
      writeFiles(folder, {
        'issuers/alpha.yaml': recordText('alpha'),
        '.gitignore': 'dist\n.dist*\n',
        ...existing,
      });
      const { code } = await cli(args, folder);
      expect(code).toBe(0);
      expect(ignored(join(folder, '.passport-registry'))).toBe('*\n');
      expect(listed()).toEqual(['?? .gitignore', '?? issuers/alpha.yaml']);
    }
  });
});

describe('a key to sign with', () => {
  const edwards = generateKeyPairSync('ed25519');
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });

  /** Loads the signer of a key file with this text, or of a file that is not there. */
  const load = (text?: string) => {
    if (text !== undefined) writeFiles(folder, { key: text });
    return loadSigner(join(folder, 'key'), undefined, {});
  };

  it.each([
    ['an Ed25519 PEM', pem(edwards.privateKey)],
    ['an Ed25519 JWK', jwk(edwards.privateKey)],
    ['a P-256 PEM', pem(p256.privateKey)],
    ['a P-256 JWK', jwk(p256.privateKey)],
    [
      'a P-256 JWK with a kid of its own',
      JSON.stringify({ ...JSON.parse(jwk(p256.privateKey)), kid: 'mine' }),
    ],
  ])('may be %s', async (_name, text) => {
    const payload = Buffer.from('what is signed');
    const signer = await load(String(text));
    await verifySignature(payload, await signPayload(payload, signer), signer.rootKey);
  });

  it('signs a build', async () => {
    const folder = await workspace();
    writeFiles(folder, { key: jwk(p256.privateKey), 'root.json': jwk(p256.publicKey) });
    expect((await cli(['build', '--key', 'key', '--production'], folder)).code).toBe(0);
    expect((await cli(['verify', 'dist', '--trust-anchor', 'root.json'], folder)).code).toBe(0);
  });

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  const mixed = {
    ...JSON.parse(jwk(edwards.privateKey)),
    x: generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x,
  };
  it.each([
    ['RSA', pem(rsa.privateKey), 'Ed25519 or P-256'],
    ['P-384', pem(p384.privateKey), 'Ed25519 or P-256'],
    ['X25519', pem(generateKeyPairSync('x25519').privateKey), 'Ed25519 or P-256'],
    ['a public PEM', edwards.publicKey.export({ type: 'spki', format: 'pem' }), 'a public key'],
    ['a public JWK', jwk(edwards.publicKey), 'a public key'],
    ['a JWK whose public half is another key’s', JSON.stringify(mixed), 'private JWK'],
    ['nothing', '', 'empty'],
    ['a text', 'secret', 'private JWK'],
    ['an array', '[]', 'private JWK'],
    ['half a PEM', String(pem(edwards.privateKey)).slice(0, 60), 'private JWK'],
  ])('must not be %s', async (_name, text, fact) => {
    const refused = { code: 'ERR_KEY_REJECTED', message: expect.stringContaining(fact) };
    await expect(load(String(text))).rejects.toMatchObject(refused);
  });

  it('must be there', async () => {
    await expect(load()).rejects.toMatchObject({ code: 'ERR_IO_FAILED' });
    const outcome = await cli(['build', '--key', 'nowhere.pem', '--json'], await workspace());
    expectCommandError(outcome, 'ERR_IO_FAILED', 'nowhere.pem');
  });
});

describe('passport-registry keys public', () => {
  it('reads a public JWK and a public PEM as well', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    writeFiles(folder, {
      'public.json': jwk(publicKey),
      'public.pem': String(publicKey.export({ type: 'spki', format: 'pem' })),
    });
    const fromJwk = await cli(['keys', 'public', 'public.json'], folder);
    expect(JSON.parse(fromJwk.stdout).kid).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect((await cli(['keys', 'public', 'public.pem'], folder)).stdout).toBe(fromJwk.stdout);
  });

  it.each(['Ed25519: the identity with a sign', 'Ed25519: y = p + 1, sign 0', 'P-256: not on the curve'])(
    'refuses what is no point that can be a key: %s',
    async (name) => {
      writeFiles(folder, { 'bad.json': JSON.stringify(BAD_KEYS[name]) });
      const outcome = await cli(['keys', 'public', 'bad.json'], folder);
      expect([outcome.code, outcome.stderr]).toEqual([3, expect.stringContaining('bad.json')]);
    },
  );
});

describeWith(['openssl'], 'openssl', () => {
  it.each([
    ['an Ed25519', ['genpkey', '-algorithm', 'ed25519']],
    ['a P-256', ['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256']],
    ['an older P-256', ['ecparam', '-name', 'prime256v1', '-genkey', '-noout']],
  ])('makes %s key that signs here', async (_name, args) => {
    execFileSync('openssl', [...args, '-out', 'openssl.pem'], { cwd: folder });
    const signer = await loadSigner(join(folder, 'openssl.pem'), undefined, {});
    expect(await signPayload(Buffer.from('what is signed'), signer)).toMatch(/^[\w-]{86}$/);
  });
});
