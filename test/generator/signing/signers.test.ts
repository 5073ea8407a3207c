import { generateKeyPairSync, sign } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { importRootKey, type RootKey } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { commandSigner } from '../../../build/generator/signing/command-signer.js';
import { findValidSignature, signaturesIn } from '../../../build/generator/signing/signature-form.js';
import { describeWith } from '../../support/components.js';
import { expectCommandError } from '../../support/expect-command-error.js';
import { signsFile, signsInput } from '../../support/signing-command.js';
import { onTerminal } from '../../support/terminal.js';
import {
  cleanEnvironment,
  cli,
  cliWith,
  encryptedKey,
  filesOf,
  recordText,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

type Algorithm = 'Ed25519' | 'P-256';
type Pair = ReturnType<typeof pair>;

function pair(algorithm: Algorithm) {
  return algorithm === 'Ed25519'
    ? generateKeyPairSync('ed25519')
    : generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

const rootKeyOf = ({ publicKey }: Pair): Promise<RootKey> =>
  importRootKey(publicKey.export({ format: 'jwk' }));

const PAYLOAD = Buffer.from('what is signed');

/** A folder with records, a private key out of the build's sight, and its public half in `root.json`. */
async function folderFor({ privateKey, publicKey }: Pair): Promise<string> {
  const folder = await workspace(['alpha']);
  writeFiles(folder, {
    'hsm/key.pem': String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
    'root.json': JSON.stringify(publicKey.export({ format: 'jwk' })),
  });
  return folder;
}

const ROOT = ['--root-key', 'root.json', '--production'];

/** Names a signer in registry.yaml. */
const nameSigner = (folder: string, signer: object) =>
  writeFiles(folder, { 'registry.yaml': JSON.stringify({ signer }) });

/** Builds with a command that signs. @param more - other settings of the signer */
function build(folder: string, command: string, more: object = {}, ...args: string[]) {
  nameSigner(folder, { command, ...more });
  return cli(['build', ...ROOT, ...args], folder);
}

describe('a command that signs', () => {
  it('receives what is signed on stdin', async () => {
    const folder = await folderFor(pair('Ed25519'));
    const { code, stderr } = await build(folder, signsInput('hsm/key.pem'));
    expect(code, stderr).toBe(0);
    expect((await cli(['verify', 'dist', '--trust-anchor', 'root.json'], folder)).code).toBe(0);
  });

  it('may read a file instead, which goes away afterwards', async () => {
    const folder = await folderFor(pair('Ed25519'));
    const command = `echo {} > seen; ${signsFile('hsm/key.pem')} < /dev/null`;
    expect((await build(folder, command)).code).toBe(0);
    const seen = readFileSync(join(folder, 'seen'), 'utf8').trim();
    expect(seen.startsWith(tmpdir())).toBe(true);
    expect(existsSync(seen)).toBe(false);
  });
});

describe('the signature that a command prints', () => {
  const keys = { Ed25519: pair('Ed25519'), 'P-256': pair('P-256') };
  const signed = (algorithm: Algorithm, dsaEncoding: 'der' | 'ieee-p1363') =>
    sign(algorithm === 'P-256' ? 'sha256' : null, PAYLOAD, { key: keys[algorithm].privateKey, dsaEncoding });
  /** The raw signature in an output, if there is one. */
  const found = async (output: Uint8Array, algorithm: Algorithm) =>
    findValidSignature(signaturesIn(output), PAYLOAD, await rootKeyOf(keys[algorithm]));

  // How a signature is printed does not depend on its algorithm, except for DER.
  it.each<[Algorithm, 'ieee-p1363' | 'der', BufferEncoding | 'bytes']>([
    ['Ed25519', 'ieee-p1363', 'bytes'],
    ['Ed25519', 'ieee-p1363', 'hex'],
    ['P-256', 'ieee-p1363', 'bytes'],
    ['P-256', 'ieee-p1363', 'base64'],
    ['P-256', 'ieee-p1363', 'base64url'],
    ['P-256', 'ieee-p1363', 'hex'],
    ['P-256', 'der', 'bytes'],
    ['P-256', 'der', 'base64'],
    ['P-256', 'der', 'hex'],
  ])('by a key of %s may be %s in %s', async (algorithm, form, encoding) => {
    const bytes = signed(algorithm, form);
    const output = encoding === 'bytes' ? bytes : Buffer.from(`${bytes.toString(encoding)}\n`);
    expect(await found(output, algorithm)).toHaveLength(64);
  });

  /** Signs until the DER has a length, so that the halves of the signature have a form. */
  function derOf(shortest: number, longest: number): Buffer {
    for (;;) {
      const der = signed('P-256', 'der');
      if (der.length >= shortest && der.length <= longest) return der;
    }
  }

  it.each([
    ['both halves with a zero in front', 72, 72],
    ['one half with a zero in front', 71, 71],
    ['no zero in front', 70, 70],
    ['a half that is short', 60, 69],
  ])('may be DER with %s', async (_name, shortest, longest) => {
    expect(await found(derOf(shortest, longest), 'P-256')).toHaveLength(64);
  });

  it.each<[string, (der: Buffer) => Uint8Array]>([
    ['a byte more', (der) => Buffer.concat([der, Buffer.alloc(1)])],
    ['a byte less', (der) => der.subarray(0, -1)],
  ])('is not DER with %s', async (_name, change) => {
    expect(await found(change(derOf(70, 72)), 'P-256')).toBeUndefined();
  });
});

describe('a command signs', () => {
  const [key, other] = [pair('Ed25519'), pair('Ed25519')];
  /** Prints a signature as base64. */
  const prints = ({ privateKey }: Pair, bytes = PAYLOAD) =>
    `echo ${sign(null, bytes, privateKey).toString('base64')}`;
  const signBy = async (command: string, timeout = 60) =>
    commandSigner(await rootKeyOf(key), { command, timeout }).sign(PAYLOAD);

  it('if it prints the signature and nothing else', async () => {
    expect(await signBy(prints(key))).toEqual(Uint8Array.from(sign(null, PAYLOAD, key.privateKey)));
  });

  it.each([
    ['fails', 'exit 7', 'exit code 7'],
    ['is not there', 'no-such-tool-anywhere', 'exit code 127'],
    ['prints nothing', 'cat > /dev/null', 'nothing on stdout'],
    ['prints words', 'echo Using slot 0', 'not a signature'],
    ['prints words before the signature', `echo Using slot 0; ${prints(key)}`, 'not a signature'],
    ['prints words after the signature', `${prints(key)}; echo Done`, 'not a signature'],
    ['prints 64 bytes of something', 'head -c 64 /dev/zero', 'not valid for the payload'],
    ['signs by another key', prints(other), 'not valid for the payload'],
    ['signs something else', prints(key, Buffer.from('other')), 'not valid for the payload'],
    ['never stops printing', 'yes', 'more than a signature'],
    ['is killed', 'kill -9 $$', 'SIGKILL'],
  ])('unless it %s', async (_name, command, fact) => {
    const refused = { code: 'ERR_KEY_REJECTED', message: expect.stringContaining(fact) };
    await expect(signBy(command)).rejects.toMatchObject(refused);
  });

  it.each(['sleep 600', 'sleep 600; true'])('unless it hangs: %s', async (command) => {
    const refused = { code: 'ERR_KEY_REJECTED', message: expect.stringContaining('within 0.1 s') };
    await expect(signBy(command, 0.1)).rejects.toMatchObject(refused);
  });

  it('or the published tree stays as it is', async () => {
    const folder = await folderFor(key);
    expect((await build(folder, signsInput('hsm/key.pem'))).code).toBe(0);
    const published = () => filesOf(join(folder, 'dist'));
    const before = published();
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
    expectCommandError(await build(folder, 'exit 7', {}, '--json'), 'ERR_KEY_REJECTED', 'exit code 7');
    expect(published()).toEqual(before);
  });

  it('if it is named without a key, with the public key, and with an input of its algorithm', async () => {
    const folder = await folderFor(key);
    const refused = (more: object) => build(folder, 'cat', more, '--json');
    expectCommandError(await refused({ key: 'hsm/key.pem' }), 'ERR_USAGE', 'a key or a signing command');
    expectCommandError(await refused({ input: 'digest' }), 'ERR_USAGE', 'Ed25519', 'digest');
    expectCommandError(await refused({ input: 'hash' }), 'ERR_CONFIGURATION_REJECTED');
    nameSigner(folder, { command: 'cat' });
    expectCommandError(await cli(['build', '--json'], folder), 'ERR_USAGE', '--root-key');
  });
});

describe('a signing command', () => {
  it.each([
    ['stays in the session of the terminal, which may ask for a PIN', true, 'shared'],
    ['has a process group of its own without a terminal', false, 'own'],
  ])('%s', async (_name, isTTY, group) => {
    const folder = await folderFor(pair('Ed25519'));
    // The fifth field of this file is the process group; the name of the program before it has no space here.
    const inGroup = `if [ "$(cut -d' ' -f5 < /proc/$$/stat)" = $$ ]; then echo own; else echo shared; fi > group`;
    nameSigner(folder, { command: `${inGroup}; exit 9` });
    const stdin = Object.assign(Readable.from([]), { isTTY });
    const { code } = await cliWith(['build', ...ROOT], folder, { env: cleanEnvironment(), stdin });
    expect([code, readFileSync(join(folder, 'group'), 'utf8').trim()]).toEqual([3, group]);
  });
});

describe('an encrypted key', () => {
  // With a passphrase from a file, and with a wrong one: signing/keys.
  it('asks for its passphrase on a terminal, which does not show it', async () => {
    const folder = await workspace(['alpha']);
    writeFiles(folder, { 'root.pem': encryptedKey('correct horse') });
    // Typed with a mistake that is taken back.
    const { shown } = await onTerminal(['build', '--key', 'root.pem', '--production'], folder, {
      ...{ question: 'Passphrase of root.pem:', typed: 'correct horsx\u007fe\r', hidden: true },
    });
    expect(shown).not.toContain('horse');
    expect(shown).toContain('dist: 1 issuer');
  });
});

describeWith(['openssl'], 'openssl as the signing command', () => {
  it('signs by P-256 from stdin, and over a digest', async () => {
    const folder = await folderFor(pair('P-256'));
    expect((await build(folder, 'openssl dgst -sha256 -sign hsm/key.pem')).code).toBe(0);
    const command = 'openssl pkeyutl -sign -inkey hsm/key.pem -in {}';
    const { code, stderr } = await build(folder, command, { input: 'digest' }, '--out', 'other');
    expect(code, stderr).toBe(0);
  });
});
