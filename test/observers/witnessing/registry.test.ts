import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseHead } from '@passport-registry/verifier/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectCommandError } from '../../support/expect-command-error.js';
import { cosignedHeadPath } from '../../support/log-files.js';
import { plainHost } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { readTreeFile } from '../../support/statements.js';
import {
  newWitness,
  startWitness,
  type WitnessFiles,
  type WitnessProcess,
} from '../../support/witness-service.js';
import { cli, goodCli, keyPair, recordText, workspace, writeFiles } from '../../support/workspace.js';

const ORIGIN = 'registry.example/log';
const BUILD = ['build', '--key', 'key.pem', ...withKeys({ origin: ORIGIN })];

const WITNESS_OPTIONS = ['--witness-key', 'witness.pem', '--witness-state', 'state'];

let folder: string;

beforeEach(async () => {
  folder = await workspace(['alpha']);
  for (const name of ['online', 'log', 'log2']) await keyPair(folder, name);
});

const ok = async (...args: string[]) => (await goodCli(args, folder)).stdout;
const change = (id: string) => writeFiles(folder, { [`issuers/${id}.yaml`]: recordText(id) });
const fileOf = (path: string) => readTreeFile(join(folder, 'dist', path)).toString();
const kid = (name: string): string => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')).kid;
/** The names of those who have signed the head of the log. */
const signers = (path = 'log/checkpoint') => {
  const text = fileOf(path);
  const head = text.startsWith('c2sp') ? text.slice(text.indexOf('\n\n') + 2) : text;
  return parseHead(head, (message) => new Error(message)).note.signatures.map(({ name }) => name);
};

/** A witness as registry.yaml names it: with the URL of its service. */
interface Configured {
  readonly files: WitnessFiles;
  readonly service: string;
}

/** Names witnesses in registry.yaml. */
function configure(witnesses: readonly Configured[], quorum: number) {
  const lines = witnesses.map(
    ({ files, service }) => `    - {key: '${files.vkey}', service: '${service}'}\n`,
  );
  writeFiles(folder, {
    'registry.yaml': `log:\n  quorum: ${quorum}\n  witnesses:\n${lines.join('')}`,
  });
}

/** Starts witnesses that know the key of the log from `--log`, and names them in registry.yaml. */
async function witnesses(count: number, quorum: number): Promise<WitnessProcess[]> {
  const vkey = (await ok('keys', 'public', 'log.pem', '--origin', ORIGIN)).trim();
  const started = await Promise.all(
    Array.from({ length: count }, async (_one, at) => {
      const files = await newWitness(`witness${at}.example`);
      return { files, process: await startWitness(files, '--log', vkey) };
    }),
  );
  configure(
    started.map(({ files, process }) => ({ files, service: process.url })),
    quorum,
  );
  return started.map(({ process }) => process);
}

describe('a publisher with witnesses', () => {
  it('collects with every publication, and with every checkpoint', async () => {
    await witnesses(2, 2);
    const more = withKeys({ log: 'log.pem', checkpoint: 'online.pem' });
    const { code, stderr } = await cli([...BUILD, ...more], folder);
    expect([code, stderr]).toEqual([0, expect.stringContaining('cosigned by 2 witnesses, 2 of them now')]);
    const all = [ORIGIN, 'witness0.example', 'witness1.example'];
    expect([signers(), signers('log/publication.tlog-proof')]).toEqual([all, all]);
    const before = [fileOf('checkpoint.jwt'), fileOf('log/publication.tlog-proof')];
    await new Promise((resolve) => setTimeout(resolve, 1100));
    const report = JSON.parse(await ok('checkpoint', '--online-key', 'online.pem', '--json'));
    expect(report).toMatchObject({ ok: true, log: { cosigned: 2, collected: 2, quorum: 2, missing: [] } });
    expect(fileOf('checkpoint.jwt')).not.toBe(before[0]);
    expect(fileOf('log/publication.tlog-proof')).not.toBe(before[1]);
  });
});

describe('a witness of a registry', () => {
  it('learns the key of the log from the root key, and a new one from its operator before it is published', async () => {
    await ok(...BUILD, ...withKeys({ log: 'log.pem' }));
    const url = await plainHost(join(folder, 'dist'), '404.html');
    writeFiles(folder, { 'root.json': fileOf('keys/root.json') });
    const files = await newWitness('w.example');
    const rootKey = join(folder, 'root.json');
    const next = (await ok('keys', 'public', 'log2.pem', '--origin', ORIGIN)).trim();
    const witness = await startWitness(files, url, '--trust-anchor', rootKey, '--log', next);
    expect(witness.said()).toContain(`cosigns 1 log: ${ORIGIN}`);
    configure([{ files, service: witness.url }], 1);
    for (const [id, key] of [
      ['beta', 'log.pem'],
      ['gamma', 'log2.pem'],
      ['delta', 'log2.pem'],
    ] as const) {
      change(id);
      const keys = withKeys({ log: key, logPublicKey: key.replace('.pem', '.json') });
      const { code, stderr } = await cli([...BUILD, ...keys], folder);
      expect([id, code, stderr]).toEqual([
        id,
        0,
        expect.stringContaining('cosigned by 1 witness, 1 of them now'),
      ]);
    }
    const served = await (await fetch(`${witness.url}/${cosignedHeadPath(ORIGIN)}`)).text();
    expect(parseHead(served, (message) => new Error(message)).size).toBe(4);
    expect(fileOf('log/checkpoint')).toBe(served);
  });

  it('does not believe a statement of another root key', async () => {
    await ok(...BUILD, ...withKeys({ log: 'log.pem' }));
    const url = await plainHost(join(folder, 'dist'), '404.html');
    const files = await newWitness();
    const args = ['witness', ...WITNESS_OPTIONS, url, '--trust-anchor', join(folder, 'log.json')];
    const refused = await cli([...args, '--json'], files.folder);
    const signer = JSON.parse(await ok('keys', 'public', 'key.pem')).kid;
    expectCommandError(refused, 'ERR_TREE_REJECTED', url, signer, kid('log'));
  });

  it('follows the rotation of the root key only to a key to which the trust anchor commits it', async () => {
    await keyPair(folder, 'next');
    writeFiles(folder, { 'root.json': await ok('keys', 'public', 'key.pem') });
    await ok(...BUILD, ...withKeys({ log: 'log.pem' }));
    const logging = withKeys({ origin: ORIGIN, log: 'log.pem' });
    await ok('keys', 'rotate', '--yes', '--key', 'key.pem', '--next-key', 'next.pem', ...logging);
    const url = await plainHost(join(folder, 'dist'), '404.html');
    const follows = async (...next: string[]) => {
      const root = JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8'));
      writeFiles(folder, { 'anchor.json': JSON.stringify({ root, next_roots: next.map(kid) }) });
      return [url, '--trust-anchor', join(folder, 'anchor.json')];
    };
    const files = await newWitness();
    const refused = ['witness', ...WITNESS_OPTIONS, ...(await follows('log', 'log2'))];
    const uncommitted = await cli([...refused, '--json'], files.folder);
    expectCommandError(uncommitted, 'ERR_TREE_REJECTED', url, ...['log', 'log2', 'next'].map(kid));
    const witness = await startWitness(files, ...(await follows('log', 'next')));
    expect(witness.said()).toContain(`cosigns 1 log: ${ORIGIN}`);
  });
});
