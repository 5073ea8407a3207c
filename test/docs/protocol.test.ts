import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey, verifyList } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { describeWith } from '../support/components.js';
import { commandsBelow } from '../support/documents.js';
import { ROOT } from '../support/paths.js';
import { serve } from '../support/serving.js';
import { cli, run, temporaryFolder, workspace, writeFiles } from '../support/workspace.js';

interface Vector {
  records: Record<string, string>;
  updated_at: string;
  privateKey: { d: string };
  expected: Record<string, string>;
}

const DOCUMENT = 'docs/protocol.md';
const protocol = readFileSync(join(ROOT, DOCUMENT), 'utf8');
const vector = (name: string): Vector =>
  JSON.parse(readFileSync(join(ROOT, 'test/vectors', `${name}.json`), 'utf8'));

describe.each(['ed25519', 'p256'])('the vector %s', (name) => {
  const { records, updated_at, privateKey, expected } = vector(name);

  it('is what the document shows', () => {
    for (const bytes of Object.values(expected)) expect(protocol).toContain(`\n${bytes}\n`);
    const { length } = Buffer.from(expected['issuers.json'] ?? '');
    expect(protocol).toContain(`The list, ${length} bytes`);
  });

  it('verifies', async () => {
    const list = Buffer.from(expected['issuers.json'] ?? '');
    const rootKey = await importRootKey(JSON.parse(expected['keys/root.json'] ?? ''));
    const verified = await verifyList({ list, signature: expected['issuers.sig'] ?? '', rootKey });
    expect(verified.sha256).toBe(expected['sha256']);
    expect(createHash('sha256').update(list).digest('hex')).toBe(expected['sha256']);
  });

  it('is what the generator makes of its records', async () => {
    const folder = temporaryFolder();
    for (const [path, text] of Object.entries(records)) writeFiles(folder, { [`issuers/${path}`]: text });
    writeFiles(folder, { 'key.jwk': JSON.stringify(privateKey) });
    const { code } = await cli(['build', '--key', 'key.jwk', '--updated-at', updated_at], folder);
    expect(code).toBe(0);
    for (const [path, bytes] of Object.entries(expected)) {
      if (path === 'sha256' || (path === 'issuers.sig' && name === 'p256')) continue;
      expect(readFileSync(join(folder, 'dist', path), 'utf8')).toBe(bytes);
    }
  });
});

describeWith(['openssl', 'curl', 'basenc'], 'the commands of docs/protocol.md', () => {
  const algorithms = [
    ['Ed25519', 'An Ed25519 root key', 'Signature Verified Successfully'],
    ['P-256', 'A P-256 root key', 'Verified OK'],
  ] as const;

  async function published(algorithm: string): Promise<string> {
    const folder = await workspace(['alpha', 'beta.example']);
    await cli(['keys', 'generate', '--alg', algorithm, '--out', 'root.pem'], folder);
    await cli(['build', '--key', 'root.pem'], folder);
    return folder;
  }

  it.each(algorithms)('verify a tree with a %s root key', async (algorithm, heading, success) => {
    const folder = await published(algorithm);
    const registry = await serve(join(folder, 'dist'));
    const { kid } = JSON.parse(readFileSync(join(folder, 'dist/keys/root.json'), 'utf8'));
    const commands = [
      ...commandsBelow(DOCUMENT, '11. With curl and openssl alone'),
      ...commandsBelow(DOCUMENT, heading),
    ].join('\n');
    const verify = (environment: Record<string, string>) =>
      run('sh', ['-euc', commands], temporaryFolder(), { REGISTRY: registry, PINNED: kid, ...environment });

    const good = await verify({});
    expect(good.stderr + good.stdout).toContain(success);
    expect(good.code).toBe(0);

    expect((await verify({ PINNED: 'x'.repeat(43) })).code).not.toBe(0);
    const list = join(folder, 'dist/issuers.json');
    writeFileSync(list, readFileSync(list, 'utf8').replace('certified', 'founding_'));
    const bad = await verify({});
    expect(bad.stdout + bad.stderr).not.toContain(success);
    expect(bad.code).not.toBe(0);
  });

  it.each(['Ed25519', 'P-256'])('sign a list that verifies here with a %s key', async (algorithm) => {
    const folder = await published(algorithm);
    const [edwards, ecdsa] = commandsBelow(DOCUMENT, 'Signing with openssl');
    const dist = join(folder, 'dist');
    const rootKey = await importRootKey(JSON.parse(readFileSync(join(dist, 'keys/root.json'), 'utf8')));
    // r and s begin with a zero byte now and then, which is where such conversions fail.
    for (let round = 0; round < (algorithm === 'P-256' ? 40 : 1); round++) {
      writeFiles(folder, { 'signing/issuers.json': readFileSync(join(dist, 'issuers.json')) });
      writeFiles(folder, { 'signing/key.pem': readFileSync(join(folder, 'root.pem')) });
      const commands = String(algorithm === 'P-256' ? ecdsa : edwards);
      execFileSync('sh', ['-euc', commands], { cwd: join(folder, 'signing'), stdio: 'pipe' });
      const signature = readFileSync(join(folder, 'signing/issuers.sig'), 'utf8');
      await verifyList({ list: readFileSync(join(dist, 'issuers.json')), signature, rootKey });
      if (round > 0) continue;
      writeFiles(dist, { 'issuers.sig': signature });
      const reseal =
        'sha256sum $(find . -type f ! -name SHA256SUMS | sed s,^./,, | LC_ALL=C sort) > SHA256SUMS';
      execFileSync('sh', ['-c', reseal], { cwd: dist });
      writeFiles(folder, { 'pinned.json': JSON.stringify(rootKey.jwk) });
      expect((await cli(['verify', 'dist', '--root-key', 'pinned.json'], folder)).code).toBe(0);
    }
  });
});
