import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { build as buildRegistry } from 'passport-registry';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import { copyOf } from '../../support/made-once.js';
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

function pair(algorithm: Algorithm) {
  return algorithm === 'Ed25519'
    ? generateKeyPairSync('ed25519')
    : generateKeyPairSync('ec', { namedCurve: 'P-256' });
}

/** A folder with records, a private key out of the build's sight, and its public half in `root.json`. */
async function folderFor({ privateKey, publicKey }: ReturnType<typeof pair>): Promise<string> {
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
  // How a signature is printed does not depend on its algorithm, except for DER.
  it.each<[Algorithm, string]>([
    ['Ed25519', 'raw'],
    ['Ed25519', 'hex'],
    ['P-256', 'raw'],
    ['P-256', 'base64'],
    ['P-256', 'base64url'],
    ['P-256', 'hex'],
    ['P-256', 'der'],
    ['P-256', 'der-base64'],
    ['P-256', 'der-hex'],
  ])('by a key of %s may print its signature as %s', async (algorithm, form) => {
    const folder = await folderFor(pair(algorithm));
    const { code, stderr } = await build(folder, signsInput('hsm/key.pem', form));
    expect(stderr).not.toContain('passport-registry:');
    expect(code).toBe(0);
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

/** Signs stdin until the DER has a length, so that the halves of the signature have a form, and prints it with a change. */
const DER_TOOL = `
import { createPrivateKey, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
const [shortest, longest, more] = process.argv.slice(2).map(Number);
const key = createPrivateKey(readFileSync('hsm/key.pem'));
const bytes = readFileSync(0);
let der;
do der = sign('sha256', bytes, { key, dsaEncoding: 'der' });
while (der.length < shortest || der.length > longest);
process.stdout.write(more < 0 ? der.subarray(0, more) : Buffer.concat([der, Buffer.alloc(more)]));
`;

describe('DER', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await folderFor(pair('P-256'));
    writeFiles(folder, { 'tool.mjs': DER_TOOL });
  });

  /** Builds with signatures of such lengths, of which some bytes are cut off, or to which zeros are added. */
  const exitCode = async (shortest: number, longest: number, more = 0) => {
    const command = `"${process.execPath}" tool.mjs ${shortest} ${longest} ${more}`;
    return (await build(folder, command, {}, '--out', `dist-${longest}-${more}`)).code;
  };

  // A build verifies its signature.
  it.each([
    ['both halves with a zero in front', 72, 72],
    ['one half with a zero in front', 71, 71],
    ['no zero in front', 70, 70],
    ['a half that is short', 60, 69],
  ])('comes out right with %s', async (_name, shortest, longest) => {
    expect(await exitCode(shortest, longest)).toBe(0);
  });

  it.each([
    ['a byte more', 1],
    ['a byte less', -1],
  ])('is refused with %s', async (_name, more) => {
    expect(await exitCode(70, 72, more)).toBe(3);
  });
});

describe('a command that does not sign', () => {
  /** A registry that such a command has signed. */
  let made: string;
  let folder: string;
  let before: Map<string, Buffer>;
  const published = () => filesOf(join(folder, 'dist'));

  beforeAll(async () => {
    made = await folderFor(pair('Ed25519'));
    writeFiles(made, {
      'other.pem': String(pair('Ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })),
    });
    expect((await build(made, signsInput('hsm/key.pem', 'raw'))).code).toBe(0);
  });

  beforeEach(() => {
    folder = copyOf(made);
    before = published();
    // So that there is something to sign.
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
  });

  it.each([
    ['that fails', 'exit 7', 'ended with exit code 7'],
    ['that is not there', 'no-such-tool-anywhere', 'ended with exit code 127'],
    ['that prints nothing', 'cat > /dev/null', 'printed nothing on stdout'],
    ['that prints words', 'echo Using slot 0', 'bytes that are not a signature'],
    [
      'that prints words before the signature',
      `echo Using slot 0; ${signsInput('hsm/key.pem', 'raw')}`,
      'not a signature',
    ],
    [
      'that prints words after the signature',
      `${signsInput('hsm/key.pem', 'base64')}; echo Done`,
      'not a signature',
    ],
    ['that prints 64 bytes of something', 'head -c 64 /dev/zero', 'is not valid for the payload'],
    [
      'that signs by another key',
      `sed -i s/x/x/ root.json; ${signsInput('other.pem', 'raw')}`,
      'the right key',
    ],
    [
      'that signs something else',
      `echo other > x; ${signsInput('hsm/key.pem', 'raw')} x`,
      'is not valid for the payload',
    ],
    ['that never stops printing', 'yes', 'prints more than a signature'],
    ['that is killed', 'kill -9 $$', 'was ended by SIGKILL'],
  ])('%s: the published tree stays', async (_name, command, message) => {
    const { code, stderr } = await build(folder, command);
    expect(stderr).toContain(message);
    expect(code).toBe(3);
    expect(published()).toEqual(before);
  });

  it.each(['sleep 600', 'sleep 600; true'])('that hangs, %j: the published tree stays', async (command) => {
    const built = buildRegistry({
      ...{ issuers: join(folder, 'issuers'), out: join(folder, 'dist') },
      signer: {
        ...{ production: true, directory: folder, rootKey: join(folder, 'root.json') },
        signer: { command, timeout: 1 },
      },
    });
    await expect(built).rejects.toMatchObject({
      code: 'ERR_KEY_REJECTED',
      message: expect.stringContaining('did not end within 1 s'),
    });
    expect(published()).toEqual(before);
  });

  it.each([
    [{ key: 'hsm/key.pem' }, 'either a key or a signing command'],
    [{ input: 'digest' }, 'Ed25519 signs whole payloads'],
    [{ input: 'hash' }, 'payload'],
  ])('with %j is wrong usage', async (more, message) => {
    const { code, stderr } = await build(folder, 'cat', more);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
    nameSigner(folder, { command: 'cat' });
    const bare = await cli(['build'], folder);
    expect([bare.code, bare.stderr.includes('--root-key')]).toEqual([2, true]);
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
    nameSigner(folder, { command: `${inGroup}; ${signsFile('hsm/key.pem')}` });
    const stdin = Object.assign(Readable.from([]), { isTTY });
    const { code } = await cliWith(['build', ...ROOT], folder, {
      env: cleanEnvironment(),
      stdin,
    });
    expect(code).toBe(0);
    expect(readFileSync(join(folder, 'group'), 'utf8').trim()).toBe(group);
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
    const digest = await build(
      folder,
      'openssl pkeyutl -sign -inkey hsm/key.pem -in {}',
      { input: 'digest' },
      '--out',
      'other',
    );
    expect(digest.stderr).not.toContain('passport-registry:');
    expect(digest.code).toBe(0);
  });
});
