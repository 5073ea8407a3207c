import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import { sha256 } from '../../support/sha256.js';
import { registryWithRequests, requestsIn, signFiles } from '../../support/signing-request.js';
import { onTerminal } from '../../support/terminal.js';
import {
  cli,
  cliAnswering,
  good,
  goodCli,
  keyPair,
  run,
  temporaryFolder,
  writeFiles,
} from '../../support/workspace.js';

let folder: string;
const { at, read, record, request, sign, attach, refused, publish } = requestsIn(() => folder);

beforeEach(async () => {
  folder = await registryWithRequests();
});

/** The lines of an output that say what changes. */
const changes = (output: string) => output.split('\n').filter((line) => /^[-+~]/.test(line));
const isSigned = () => existsSync(at('request/issuers.sig'));

describe('signing on another machine', () => {
  it('shows there what changes, and publishes what was signed', async () => {
    record('alpha', { status: 'suspended', tier: 'registered', last_audit: '2026-01-01T00:00:00Z' });
    record('gamma');
    rmSync(at('issuers/beta.yaml'));
    const removes = ['--override', 'beta:record-removed'];
    await good(request(...removes));
    // The machine with the key has no registry.
    const machine = temporaryFolder();
    for (const file of ['key.pem', 'request']) renameSync(at(file), join(machine, file));
    const signed = await goodCli(['sign', 'request', '--key', 'key.pem', '--yes', ...removes], machine);
    renameSync(join(machine, 'request'), at('request'));
    await good(attach(...removes));
    expect(changes(signed.stderr)).toEqual([
      '~ alpha: status "active" -> "suspended"',
      '~ alpha: tier "certified" -> "registered"',
      '~ alpha: last_audit (none) -> "2026-01-01T00:00:00Z"',
      '- beta: REMOVED',
      '+ gamma: new, certified, active, keys at https://gamma.internal/.well-known/jwks.json',
    ]);
    await goodCli(['verify', 'dist', '--trust-anchor', 'root.json'], folder);
    // A build with the key has nothing to add.
    cpSync(join(machine, 'key.pem'), at('key.pem'));
    expect((await goodCli(['build', '--key', 'key.pem'], folder)).stderr).toContain('0 written');
  });
});

describe('a request with a list', () => {
  beforeEach(async () => {
    record('gamma');
    await good(request());
  });

  it('is neither signed nor attached with a record that a build refuses', async () => {
    const before = read('dist/SHA256SUMS');
    // Verifiers accept this port. No program can connect to it.
    const list = read('request/issuers.json').toString();
    writeFiles(folder, {
      'request/issuers.json': list.replace('gamma.internal/.well-known/jwks', 'gamma.internal:99999/jwks'),
    });
    const facts = ['record gamma', '/jwks_uri'];
    await refused(sign('--json'), 'ERR_TREE_REJECTED', ...facts);
    expect(isSigned()).toBe(false);
    signFiles(folder);
    await refused(attach('--json'), 'ERR_TREE_REJECTED', ...facts);
    expect(read('dist/SHA256SUMS').equals(before)).toBe(true);
  });

  it('is not signed without a yes or a key, and not written over another one', async () => {
    const sign = ['sign', 'request', '--key', 'key.pem', '--memory', 'memory'];
    const asked = ['build', '--unsigned', 'request', '--root-key', 'root.json'];
    await refused(cli([...sign, '--json'], folder), 'ERR_USAGE', '--yes');
    await refused(cli(['sign', 'request', '--json'], folder), 'ERR_KEY_REJECTED', '--key');
    await refused(cli([...asked, '--json'], folder), 'ERR_USAGE', 'request exists');
  });

  const SIGN = ['sign', 'request', '--key', 'key.pem', '--memory', 'memory'];

  it.each([
    ['yes', 0],
    ['no', 2],
  ])('is shown on a terminal, and signed where the answer is yes: %s', async (answer, expected) => {
    const { code, stderr } = await cliAnswering(answer, SIGN, folder);
    expect(stderr).toContain('+ gamma: new');
    expect([code, isSigned()]).toEqual([expected, expected === 0]);
  });

  // Ctrl+D: test/cli/scaffold/init.
  it('is not signed after Ctrl+C', async () => {
    const { code } = await onTerminal(SIGN, folder, { question: 'Sign this? Type yes:', typed: '\u0003' });
    expect([code, isSigned()]).toEqual([2, false]);
  });
});

describe('the machine with the key remembers', () => {
  /** Signs a request that was made before others. */
  const signRoutine = (...more: string[]) =>
    cli(['sign', 'routine', '--key', 'key.pem', '--yes', '--memory', 'memory', '--json', ...more], folder);
  const publishedHash = () => sha256(read('dist/issuers.json'));

  beforeEach(async () => {
    record('gamma');
    await good(request());
    renameSync(at('request'), at('routine'));
  });

  it('the published lists that it has verified: a request from before an emergency is refused', async () => {
    for (const id of ['alpha', 'beta']) {
      record(id, { status: 'suspended' });
      await publish();
    }
    await refused(signRoutine(), 'ERR_REQUEST_OUTDATED', 'has verified');
    await refused(signRoutine('--instead-of', publishedHash()), 'ERR_REQUEST_OUTDATED', 'has verified');
  });

  it('the list that it signed last: another one after the same list is refused, unless that one was given up', async () => {
    record('alpha', { status: 'suspended' });
    await publish();
    await refused(signRoutine(), 'ERR_REQUEST_OUTDATED', `--instead-of ${publishedHash()}`);
    await refused(signRoutine('--instead-of', '0'.repeat(64)), 'ERR_REQUEST_OUTDATED', '--instead-of');
    await good(signRoutine('--instead-of', publishedHash()));
    // What was signed may be signed again.
    await good(signRoutine());
  });

  it('in the folder of the state, or below the home folder where XDG_STATE_HOME is relative', async () => {
    const { kid } = JSON.parse(readFileSync(at('root.json'), 'utf8'));
    const sign = ['sign', 'routine', '--key', 'key.pem', '--yes'];
    for (const [XDG_STATE_HOME, memory] of [
      [at('state'), 'state'],
      ['relative', 'home/.local/state'],
    ] as const) {
      expect((await cli(sign, folder, { XDG_STATE_HOME, HOME: at('home') })).code).toBe(0);
      expect(existsSync(at(`${memory}/passport-registry/${kid}.json`))).toBe(true);
    }
    expect(existsSync(at('relative'))).toBe(false);
  });

  it('and signs nothing where it cannot remember', async () => {
    rmSync(at('memory'), { recursive: true });
    writeFiles(folder, { memory: 'a file' });
    await refused(signRoutine(), 'ERR_IO_FAILED', 'memory');
    expect(existsSync(at('routine/issuers.sig'))).toBe(false);
  });
});

// With a key for Ed25519: test/docs/operator-commands. The forms of a signature: generator/signing/signers.
describeWith(['openssl'], 'openssl alone on the machine with the key', () => {
  const SIGNATURES = ['issuers.sig', 'publication.sig', 'checkpoint.sig'];

  it('signs all files with a key for P-256, which never signs alike', async () => {
    folder = temporaryFolder();
    await keyPair(folder, 'key', '--alg', 'P-256', '--public', 'root.json');
    record('alpha');
    await good(request());
    const openssl = async () => {
      const lines = ['issuers.json', 'publication.signing-input', 'checkpoint.signing-input'].map(
        (payload, index) =>
          `openssl dgst -sha256 -sign key.pem request/${payload} > request/${SIGNATURES[index]}`,
      );
      expect(await run('sh', ['-ec', lines.join('\n')], folder)).toMatchObject({ code: 0, stderr: '' });
    };
    await openssl();
    await good(attach());
    await goodCli(['verify', 'dist', '--trust-anchor', 'root.json'], folder);
    // What is published already keeps its signatures.
    const before = read('dist/SHA256SUMS');
    await openssl();
    for (const name of SIGNATURES) renameSync(at(`request/${name}`), at(name));
    await good(cli(['attach', 'request', ...SIGNATURES, '--root-key', 'root.json'], folder));
    expect(read('dist/SHA256SUMS').equals(before)).toBe(true);
  });
});
