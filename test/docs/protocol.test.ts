import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey, verifyList } from '@passport-registry/verifier';
import {
  statementHash,
  verifyCheckpoint,
  verifyPublicationStatement,
} from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import type { ShownTree } from '../../build/conformance/cases/case.js';
import { filesOf } from '../../build/conformance/cases/make-case.js';
import { describeWith } from '../support/components.js';
import { commandsBelow } from '../support/documents.js';
import { kitOf } from '../support/kit.js';
import { ROOT } from '../support/paths.js';
import { SCRIPTS, textOf, VECTORS } from '../support/protocol.js';
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

/** The forms of signatures in the kit, and what is right. */
const FORMS = (await kitOf('list')).filter(
  ({ id, rule }) => id.startsWith('list/signature/') && rule === 'signature-form',
);

describeWith(['openssl', 'curl'], 'the commands of docs/verifiers/openssl.md', () => {
  const algorithms = [
    ['Ed25519', 'An Ed25519 root key', 'Signature Verified Successfully'],
    ['P-256', 'A P-256 root key', 'Verified OK'],
  ] as const;

  /** Runs the commands for one kind of key as one script, in an empty folder. */
  function runScript(heading: string, environment: { REGISTRY: string; PINNED: string }) {
    const headings = ['With curl and openssl alone', heading];
    const commands = headings.flatMap((one) => commandsBelow(DOCUMENT, one)).join('\n');
    return run('sh', ['-c', commands], temporaryFolder(), environment);
  }

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
    const verify = (PINNED = kid) => runScript(heading, { REGISTRY: registry, PINNED });

    const good = await verify();
    expect(good.stderr + good.stdout).toContain(success);
    const { updated_at } = JSON.parse(readFileSync(join(folder, 'dist/issuers.json'), 'utf8'));
    expect(good.stdout.trim().split('\n').at(-1)).toBe(`"updated_at":"${updated_at}"}`);
    expect(good.code).toBe(0);

    const [whole = ''] = commandsBelow(DOCUMENT, 'A whole copy');
    const compare = () => run('sh', ['-c', whole], join(folder, 'dist'));
    expect(await compare()).toMatchObject({ code: 0, stdout: '', stderr: '' });

    expect((await verify('x'.repeat(43))).code).not.toBe(0);
    const list = join(folder, 'dist/issuers.json');
    writeFileSync(list, readFileSync(list, 'utf8').replace('certified', 'founding_'));
    const bad = await verify();
    expect(bad.stdout + bad.stderr).not.toContain(success);
    expect(bad.code).not.toBe(0);
    expect((await compare()).code).not.toBe(0);
  });

  // Each attempt runs a dozen processes.
  it.each(sample(FORMS, 6))('verify what the kit shows: $id', async ({ anchor, steps: [step] }) => {
    const [source] = step?.sources ?? [];
    const files = filesOf(source as ShownTree);
    let status = 200;
    const registry = await listen((request, response) => {
      const bytes = files.get(request.url?.slice(1) ?? '');
      response.writeHead(bytes === undefined ? 404 : status).end(bytes);
    });
    const { kid, crv } = JSON.parse(anchor).root;
    const [, heading = ''] = algorithms.find(([algorithm]) => algorithm === crv) ?? [];
    const verify = async () => (await runScript(heading, { REGISTRY: registry, PINNED: kid })).code === 0;
    expect(await verify()).toBe(step?.right === 'accept');
    status = 203;
    expect(await verify()).toBe(false);
  });
});
