import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey, verifyList, verifySignature } from '@passport-registry/verifier';
import {
  statementHash,
  verifyCheckpoint,
  verifyPublicationStatement,
} from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { describeWith } from '../support/components.js';
import { commandsBelow } from '../support/documents.js';
import { ROOT } from '../support/paths.js';
import { SCRIPTS, textOf, VECTORS } from '../support/protocol.js';
import { type Files, publish, signature, testKey } from '../support/publication.js';
import { listen, serve } from '../support/serving.js';
import { sample } from '../support/soak.js';
import { readTreeFile } from '../support/statements.js';
import { cli, run, temporaryFolder, workspace, writeFiles } from '../support/workspace.js';

interface Vector {
  records: Record<string, string>;
  updated_at: string;
  privateKey: { d: string };
  expected: Record<string, string>;
}

const DOCUMENT = SCRIPTS;
const ANY_TIME = { clock: undefined, expiry: false } as const;
const protocol = textOf(VECTORS);
const vector = (name: string): Vector =>
  JSON.parse(readFileSync(join(ROOT, 'test/vectors', `${name}.json`), 'utf8'));

describe.each(['ed25519', 'p256'])('the test vector %s', (name) => {
  const { records, updated_at, privateKey, expected } = vector(name);

  it('is the one that docs/protocol/vectors.md shows', () => {
    for (const [path, bytes] of Object.entries(expected)) {
      // The root key is the only line that differs.
      const shown = path === 'SHA256SUMS' ? bytes.split(/.*keys\/root.json\n/) : [`\n${bytes.trimEnd()}\n`];
      for (const text of shown) expect(protocol).toContain(text);
    }
    const size = (path: string) => Buffer.from(expected[path] ?? '').length;
    expect(protocol).toContain(`The list, ${size('issuers.json')} bytes`);
    expect(protocol).toContain(`\`/sums/root\`, ${size('sums/root')} bytes`);
    const claims = Buffer.from(expected['publication.jwt']?.split('.')[1] ?? '', 'base64url').toString();
    expect(protocol).toContain(`\n${claims}\n`);
    expect(protocol).toContain(`\n${statementHash(expected['publication.jwt'] ?? '')}\n`);
  });

  it('verifies', async () => {
    const list = Buffer.from(expected['issuers.json'] ?? '');
    const rootKey = await importRootKey(JSON.parse(expected['keys/root.json'] ?? ''));
    const verified = await verifyList({ list, signature: expected['issuers.sig'] ?? '', rootKey });
    expect(verified.sha256).toBe(expected['sha256']);
    expect(createHash('sha256').update(list).digest('hex')).toBe(expected['sha256']);
    const statement = await verifyPublicationStatement(expected['publication.jwt'] ?? '', rootKey, ANY_TIME);
    expect(statement).toMatchObject({ sequence: 1, updatedAt: updated_at, sha256: expected['sha256'] });
    expect(statement).toMatchObject({ size: list.length, issuers: 2, levels: 0 });
    expect(statement.sumsSha256).toBe(
      createHash('sha256')
        .update(expected['sums/root'] ?? '')
        .digest('hex'),
    );
    const signers = { rootKey, online: statement.online };
    const checkpoint = await verifyCheckpoint(expected['checkpoint.jwt'] ?? '', signers, ANY_TIME);
    expect(checkpoint.publication).toBe(statement.hash);
    const checksums = createHash('sha256').update(expected['SHA256SUMS'] ?? '');
    expect(checkpoint.treeSha256).toBe(checksums.digest('hex'));
  });

  it('is the output of the generator for its records', async () => {
    const folder = temporaryFolder();
    for (const [path, text] of Object.entries(records)) writeFiles(folder, { [`issuers/${path}`]: text });
    writeFiles(folder, { 'key.jwk': JSON.stringify(privateKey) });
    const { code } = await cli(
      ['build', '--key', 'key.jwk', '--updated-at', updated_at, '--allow-example-names'],
      folder,
    );
    expect(code).toBe(0);
    for (const [path, bytes] of Object.entries(expected)) {
      // A build signs its checkpoint now, over a tree with more files.
      if (['sha256', 'checkpoint.jwt', 'SHA256SUMS'].includes(path)) continue;
      const published = readTreeFile(join(folder, 'dist', path)).toString();
      // ECDSA uses a random number.
      const isRandom = name === 'p256' && ['issuers.sig', 'publication.jwt'].includes(path);
      if (!isRandom) expect(published).toBe(bytes);
      else if (path === 'publication.jwt')
        expect(published.split('.').slice(0, 2)).toEqual(bytes.split('.').slice(0, 2));
    }
  });
});

/** The group orders of Ed25519 and P-256. */
const ORDER = {
  Ed25519: 2n ** 252n + 27742317777372353535851937790883648493n,
  'P-256': 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
};

const bytesOf = (value: bigint) => Buffer.from(value.toString(16).padStart(64, '0'), 'hex');
const integerOf = (bytes: Buffer) => BigInt(`0x${bytes.toString('hex')}`);

/** Replaces the number in the second half of a signature. */
function withScalar(text: string, algorithm: keyof typeof ORDER, change: (s: bigint) => bigint): string {
  const raw = Buffer.from(text, 'base64url');
  const half = Buffer.from(raw.subarray(32));
  // Ed25519 encodes numbers in little-endian order.
  if (algorithm === 'Ed25519') half.reverse();
  const changed = bytesOf(change(integerOf(half)));
  if (algorithm === 'Ed25519') changed.reverse();
  return Buffer.concat([raw.subarray(0, 32), changed]).toString('base64url');
}

/** Other valid signatures over the same bytes. */
function otherForms(text: string, algorithm: keyof typeof ORDER): Record<string, string> {
  if (algorithm === 'Ed25519') return {};
  return { 'the other value of s, high or low': withScalar(text, algorithm, (s) => ORDER[algorithm] - s) };
}

/** Encodings of a valid signature that are not permitted (rule signature-form). */
function badForms(text: string, algorithm: keyof typeof ORDER): Record<string, string> {
  const last = 'AQgw'.indexOf(text.at(-1) ?? '');
  const raw = Buffer.from(text, 'base64url');
  return {
    'a byte order mark': `\uFEFF${text}`,
    'a vertical tab': `${text}\v`,
    'a no-break space': `${text}\u00a0`,
    'a NUL at the end': `${text}\0`,
    'a NUL before': `\0${text}`,
    'white space inside': `${text.slice(0, 40)}\n${text.slice(40)}`,
    'a second line': `${text}\n${text}`,
    padding: `${text}==`,
    'the other alphabet': `+${text.slice(1)}`,
    'unused bits': `${text.slice(0, -1)}${'BRhx'[last]}`,
    'one character missing': text.slice(1),
    'one extra character': `${text}A`,
    nothing: '',
    'a signature in DER': Buffer.concat([Buffer.from('3044', 'hex'), raw]).toString('base64url'),
    'another signature': Buffer.from(raw.map((byte) => byte ^ 1)).toString('base64url'),
    ...(algorithm === 'Ed25519'
      ? { 'S not below L': withScalar(text, algorithm, (s) => s + ORDER[algorithm]) }
      : {
          's of zero': withScalar(text, algorithm, () => 0n),
          's of n': withScalar(text, algorithm, () => ORDER[algorithm]),
        }),
  };
}

describeWith(['openssl', 'curl'], 'the commands of docs/verifiers/openssl.md', () => {
  const algorithms = [
    ['Ed25519', 'An Ed25519 root key', 'Signature Verified Successfully'],
    ['P-256', 'A P-256 root key', 'Verified OK'],
  ] as const;

  async function published(algorithm: string): Promise<string> {
    const folder = await workspace(['alpha', 'beta.example']);
    await cli(['keys', 'generate', '--no-passphrase', '--alg', algorithm, '--private', 'root.pem'], folder);
    await cli(['build', '--key', 'root.pem'], folder);
    return folder;
  }

  it.each(algorithms)('verify a tree with a %s root key', async (algorithm, heading, success) => {
    const folder = await published(algorithm);
    const registry = await serve(join(folder, 'dist'));
    const { kid } = JSON.parse(readFileSync(join(folder, 'dist/keys/root.json'), 'utf8'));
    const commands = [
      ...commandsBelow(DOCUMENT, 'With curl and openssl alone'),
      ...commandsBelow(DOCUMENT, heading),
    ].join('\n');
    const verify = (environment: Record<string, string>) =>
      run('sh', ['-c', commands], temporaryFolder(), { REGISTRY: registry, PINNED: kid, ...environment });

    const good = await verify({});
    expect(good.stderr + good.stdout).toContain(success);
    const { updated_at } = JSON.parse(readFileSync(join(folder, 'dist/issuers.json'), 'utf8'));
    expect(good.stdout.trim().split('\n').at(-1)).toBe(`"updated_at":"${updated_at}"}`);
    expect(good.code).toBe(0);

    const [whole = ''] = commandsBelow(DOCUMENT, 'A whole copy');
    const compare = () => run('sh', ['-c', whole], join(folder, 'dist'));
    expect(await compare()).toMatchObject({ code: 0, stdout: '', stderr: '' });

    expect((await verify({ PINNED: 'x'.repeat(43) })).code).not.toBe(0);
    const list = join(folder, 'dist/issuers.json');
    writeFileSync(list, readFileSync(list, 'utf8').replace('certified', 'founding_'));
    const bad = await verify({});
    expect(bad.stdout + bad.stderr).not.toContain(success);
    expect(bad.code).not.toBe(0);
    expect((await compare()).code).not.toBe(0);
  });

  it.each(algorithms)('verify (rule signature-form) with a %s root key', async (algorithm, heading) => {
    const key = await testKey(algorithm === 'P-256' ? 'p256' : 'ed25519');
    const files = publish(key, []);
    const list = files.get('issuers.json') as Buffer;
    const answers = new Map<string, { status: number; bytes: Uint8Array }>();
    const registry = await listen((request, response) => {
      const { status, bytes } = answers.get(request.url ?? '') ?? { status: 404, bytes: Buffer.from('') };
      response.writeHead(status, { Location: '/elsewhere' }).end(bytes);
    });
    const commands = [
      ...commandsBelow(DOCUMENT, 'With curl and openssl alone'),
      ...commandsBelow(DOCUMENT, heading),
    ].join('\n');
    const verdict = async (signature: Uint8Array | string, status = 200) => {
      for (const [path, bytes] of files) answers.set(`/${path}`, { status: 200, bytes });
      answers.set('/issuers.sig', { status, bytes: Buffer.from(signature) });
      const environment = { REGISTRY: registry, PINNED: key.rootKey.thumbprint };
      return (await run('sh', ['-c', commands], temporaryFolder(), environment)).code === 0;
    };
    const text = signature(list, key);
    const good = {
      plain: text,
      'white space around': `\f\t \r\n${text} \t\r\f\n`,
      ...otherForms(text, algorithm),
    };
    for (const [name, form] of Object.entries(good)) {
      await verifySignature(list, form, key.rootKey);
      expect(await verdict(form), name).toBe(true);
    }
    const forms = Object.entries(badForms(text, algorithm));
    for (const [name, form] of forms)
      await expect(verifySignature(list, form, key.rootKey), name).rejects.toThrow();
    // Most forms are the same for both algorithms, and each attempt runs a dozen processes.
    const first = algorithm === 'P-256' ? 1 : 0;
    for (const [name, form] of sample(forms, 3, first)) expect(await verdict(form), name).toBe(false);
    for (const status of sample([203, 301, 404, 500], 2, first))
      expect(await verdict(text, status), String(status)).toBe(false);
    const another = await testKey(algorithm === 'P-256' ? 'p256' : 'ed25519');
    for (const bad of [
      publish(another, []),
      new Map([...files, ['issuers.json', Buffer.from('{}')]]),
    ] as Files[]) {
      for (const [path, bytes] of bad) files.set(path, bytes);
      expect(await verdict(files.get('issuers.sig') as Buffer)).toBe(false);
    }
  });
});
