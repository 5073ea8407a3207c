import { createPublicKey } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistryClient } from '@passport-registry/verifier';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { altered } from '../support/altered.js';
import { type ErrorCode, expectCommandError } from '../support/expect-command-error.js';
import { LoggedRegistry, PROOF } from '../support/logged-registry.js';
import { noteSigner } from '../support/note-keys.js';
import {
  committedTo,
  type Files,
  issuer,
  publish,
  rotationStep,
  type TestKey,
  testKey,
  withCheckpoint,
  withRotation,
} from '../support/publication.js';
import { registryHost } from '../support/registry-host.js';
import { listen } from '../support/serving.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../support/workspace.js';

let first: TestKey;
let second: TestKey;
let third: TestKey;
let online: TestKey;
let plain: Files;
let checkpointed: Files;
let rotated: Files;
let folder: string;

beforeAll(async () => {
  [first, second, third, online] = [await testKey(), await testKey('p256'), await testKey(), await testKey()];
  plain = publish(first, [issuer('a'), issuer('b')]);
  checkpointed = await withCheckpoint(plain, first, online);
  rotated = withRotation(await withCheckpoint(publish(third, [issuer('a')]), third, online), [
    await rotationStep(first, second),
    await rotationStep(second, third),
  ]);
});
beforeEach(() => {
  folder = temporaryFolder();
});

const thumbprintOf = ({ rootKey }: TestKey) => rootKey.thumbprint;
const hostOf = async (files: Files) => (await registryHost(files)).base;
const pin = (url: string, ...args: string[]) => cli(['pin', url, ...args], folder);
const written = (file = 'trust-anchor.json') => JSON.parse(readFileSync(join(folder, file), 'utf8'));

describe('passport-registry pin', () => {
  it('writes the trust anchor of the registry that has the thumbprint, whatever registry.yaml says', async () => {
    const url = await hostOf(checkpointed);
    writeFiles(folder, { 'registry.yaml': 'log: { quorum: 2 }\nroot_key: other.json\n' });
    const { code, stderr, stdout } = await pin(`${url}/`, '--thumbprint', thumbprintOf(first));
    expect([code, stdout]).toEqual([0, '']);
    expect(stderr).toMatch(/^list {7}\S+Z, 2 issuers$/m);
    expect(written()).toEqual({ root: first.rootKey.jwk, sources: [url] });
  });

  it('without a thumbprint, shows the registry, says how to compare, and writes nothing', async () => {
    const { code, stderr } = await pin(await hostOf(checkpointed));
    expect(code).toBe(1);
    expect(stderr).toContain(`root key   ${thumbprintOf(first)}\n`);
    // The thumbprint to type must come from the user.
    expect(stderr).toContain('--thumbprint THUMBPRINT\n');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('without a thumbprint, pins only on first use, with a warning', async () => {
    const { code, stderr } = await pin(await hostOf(checkpointed), '--trust-on-first-use');
    expect(code).toBe(0);
    expect(stderr).toContain('WARNING: ');
    expect(written().root).toEqual(first.rootKey.jwk);
  });

  it('reports as JSON', async () => {
    const url = await hostOf(checkpointed);
    const pinned = JSON.parse((await pin(url, '--thumbprint', thumbprintOf(first), '--json')).stdout);
    expect(pinned).toMatchObject({ ok: true, file: 'trust-anchor.json', trustAnchor: written(), issuers: 2 });
    const shown = await pin(url, '--json');
    expect([shown.code, JSON.parse(shown.stdout)]).toMatchObject([1, { ok: false, file: null }]);
    const refused = await pin(url, '--thumbprint', thumbprintOf(second), '--json');
    expect(JSON.parse(refused.stdout)).toMatchObject({ ok: false, error: { code: 'ERR_TREE_REJECTED' } });
  });
});

describe('pin and the next root keys', () => {
  const one = 'A'.repeat(43);
  const other = `${'A'.repeat(42)}E`;
  const nextRoots = (...keys: string[]) => keys.flatMap((thumbprint) => ['--next-root', thumbprint]);
  /** A registry that has rotated to the third key, which it commits to others. */
  const committing = async (...next: TestKey[]) =>
    withRotation(publish(third, [issuer('a')]), [
      await rotationStep(first, second),
      await rotationStep(second, third, committedTo(...next)),
    ]);
  const refused = async (files: Files, args: string[], ...facts: string[]): Promise<void> => {
    expectCommandError(await pin(await hostOf(files), ...args, '--json'), 'ERR_TREE_REJECTED', ...facts);
    expect(readdirSync(folder)).toEqual([]);
  };

  it('writes those that the user gives', async () => {
    const url = await hostOf(plain);
    const { stderr } = await pin(url, '--thumbprint', thumbprintOf(first), ...nextRoots(one, other));
    expect(stderr).toContain(`${one} or ${other}`);
    expect(written()).toEqual({ root: first.rootKey.jwk, next_roots: [one, other], sources: [url] });
  });

  it('writes those that the known key proves, after a rotation', async () => {
    const stranger = await testKey();
    const files = await committing(online, stranger);
    await pin(await hostOf(files), '--thumbprint', thumbprintOf(second));
    const sorted = [thumbprintOf(online), thumbprintOf(stranger)].sort();
    expect(written()).toMatchObject({ root: third.rootKey.jwk, next_roots: sorted });
  });

  it('those that the host alone shows are named, but written only with --next-root or on first use', async () => {
    const url = await hostOf(await committing(online));
    const known = ['--thumbprint', thumbprintOf(third)];
    const named = await pin(url, ...known, '--json');
    expect(JSON.parse(named.stdout)).toMatchObject({ shownNextRoots: [thumbprintOf(online)] });
    expect(named.stderr).toContain(`pass --next-root ${thumbprintOf(online)}\n`);
    expect(written()).not.toHaveProperty('next_roots');
    await pin(url, ...known, ...nextRoots(thumbprintOf(online)), '--trust-anchor', 'told.json');
    expect(written('told.json').next_roots).toEqual([thumbprintOf(online)]);
    await pin(url, '--trust-on-first-use', '--trust-anchor', 'first.json');
    expect(written('first.json').next_roots).toEqual([thumbprintOf(online)]);
    const shown = await pin(url, ...nextRoots(thumbprintOf(online)));
    expect(shown.stderr).toContain(`--thumbprint THUMBPRINT --next-root ${thumbprintOf(online)}\n`);
  });

  it('refuses those that do not fit', async () => {
    const files = await committing(online);
    const differs = ['--thumbprint', thumbprintOf(third), ...nextRoots(one)];
    await refused(files, differs, `${thumbprintOf(online)}, not by ${one}`);
    const left = ['--thumbprint', thumbprintOf(second), ...nextRoots(one)];
    await refused(files, left, `${one}, not by ${thumbprintOf(third)}`);
    const itself = ['--thumbprint', thumbprintOf(first), ...nextRoots(thumbprintOf(first))];
    await refused(plain, itself, 'itself');
    const right = ['--thumbprint', thumbprintOf(second), ...nextRoots(thumbprintOf(third))];
    expect((await pin(await hostOf(files), ...right)).code).toBe(0);
    expect(written().next_roots).toEqual([thumbprintOf(online)]);
  });
});

describe('pin and the log', () => {
  let registry: LoggedRegistry;
  const known = (...args: string[]) => ['--thumbprint', thumbprintOf(first), ...args];
  /** The options for witnesses, all or some, and a quorum. */
  const quorum = (number: number | string, witnesses = registry.witnesses) => [
    ...witnesses.flatMap(({ vkey }) => ['--witness', vkey]),
    '--quorum',
    String(number),
  ];

  beforeEach(() => {
    registry = new LoggedRegistry(first);
  });

  it('writes the log, the witnesses and the quorum', async () => {
    const url = await hostOf(await registry.publish({ cosigned: registry.cosigning(2) }));
    const { code, stderr, stdout } = await pin(url, ...known(...quorum(2)), '--json');
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('WARNING')]);
    expect(written()).toEqual({ ...registry.anchor(2), sources: [url] });
    const cosignedBy = ['one.example', 'two.example'];
    expect(JSON.parse(stdout)).toMatchObject({ log: 'registry.example/log', logSize: 1, cosignedBy });
    const client = createRegistryClient({ trustAnchor: written() });
    await client.ready();
    expect(client.status()).toMatchObject({ logSize: 1, cosignedBy });
    client.close();
  });

  it('writes the log of a registry that has one, and says what witnesses are for', async () => {
    const url = await hostOf(await registry.publish({ cosigned: [] }));
    const { code, stderr } = await pin(url, ...known());
    expect([code, written().log, written().witnesses]).toEqual([0, 'registry.example/log', undefined]);
    expect(stderr).toContain('--witness and --quorum');
  });

  it('warns about a quorum of half of the witnesses or less', async () => {
    const url = await hostOf(await registry.publish());
    expect((await pin(url, ...known(...quorum(1)))).stderr).toContain('WARNING: 1 of 3');
    const two = quorum(1, registry.witnesses.slice(1));
    expect((await pin(url, ...known('--force', ...two))).stderr).toContain('WARNING: 1 of 2');
  });

  it('without a thumbprint, shows the command with the witnesses', async () => {
    const { code, stderr } = await pin(await hostOf(await registry.publish()), ...quorum(2));
    expect([code, readdirSync(folder)]).toEqual([1, []]);
    const [one, two, three] = registry.witnesses.map(({ vkey }) => `--witness ${vkey}`);
    expect(stderr).toContain(`--thumbprint THUMBPRINT ${one} ${two} ${three} --quorum 2\n`);
  });

  it.each<[string, () => Files | Promise<Files>, string[]]>([
    [
      'that has too few cosignatures',
      () => registry.publish({ cosigned: registry.cosigning(1) }),
      ['2 witnesses', 'only of: one.example'],
    ],
    ['that has no log', () => publish(first, [issuer('a')]), ['no log', '--witness and --quorum']],
  ])('refuses a registry %s', async (_name, files, facts) => {
    const outcome = await pin(await hostOf(await files()), ...known(...quorum(2)), '--json');
    expectCommandError(outcome, 'ERR_TREE_REJECTED', ...facts);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('refuses a registry that hides the proof of its log, also without witnesses', async () => {
    const url = await hostOf(altered(await registry.publish(), PROOF, undefined));
    expectCommandError(
      await pin(url, ...known(), '--json'),
      'ERR_TREE_REJECTED',
      'proof that the list is logged',
    );
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('pin after a rotation', () => {
  it('pins the present root key if the rotation contains the key with the thumbprint', async () => {
    const { code, stdout } = await pin(await hostOf(rotated), '--thumbprint', thumbprintOf(second), '--json');
    expect([code, JSON.parse(stdout).rotatedFrom]).toEqual([0, thumbprintOf(second)]);
    expect(written().root).toEqual(third.rootKey.jwk);
  });

  it('pins the present root key by its own thumbprint', async () => {
    const { code, stdout } = await pin(await hostOf(rotated), '--thumbprint', thumbprintOf(third), '--json');
    expect([code, JSON.parse(stdout).rotatedFrom]).toEqual([0, undefined]);
  });

  it('says why the thumbprint of the first root key does not help', async () => {
    const outcome = await pin(await hostOf(rotated), '--thumbprint', thumbprintOf(first), '--json');
    expectCommandError(outcome, 'ERR_TREE_REJECTED', thumbprintOf(first));
  });

  it('refuses a step that another key signed', async () => {
    const forged = await rotationStep({ ...second, privateKey: (await testKey('p256')).privateKey }, third);
    const files = withRotation(rotated, [await rotationStep(first, second), forged]);
    const outcome = await pin(await hostOf(files), '--thumbprint', thumbprintOf(second), '--json');
    expectCommandError(outcome, 'ERR_TREE_REJECTED', `step after the root key ${thumbprintOf(second)}`);
  });

  it('refuses a rotation that leads past the published root key', async () => {
    const files = new Map([...rotated, ['keys/root.json', Buffer.from(canonicalBytes(second.rootKey.jwk))]]);
    const outcome = await pin(await hostOf(files as Files), '--thumbprint', thumbprintOf(second), '--json');
    expectCommandError(outcome, 'ERR_TREE_REJECTED', `the root key is ${thumbprintOf(second)}`);
  });
});

describe('pin refuses, and writes nothing', () => {
  // What a client refuses, the conformance kit shows.
  it.each<[string, () => Files | Promise<Files>, string, ErrorCode?]>([
    ['another root key', () => publish(second, [issuer('a')]), 'publishes the root key'],
    [
      'the root key beside a list of another key',
      () => altered(publish(second, []), 'keys/root.json', plain.get('keys/root.json')?.toString()),
      'and the root key is',
    ],
    ['no root key', () => altered(plain, 'keys/root.json', undefined), 'keys/root.json is missing'],
    ['a root key that is a page', () => altered(plain, 'keys/root.json', '<html>'), 'not JSON'],
    ['a private root key', () => altered(plain, 'keys/root.json', '{"kty":"OKP","d":"x"}'), 'private member'],
    [
      'a root key of 17 KiB',
      () => altered(plain, 'keys/root.json', ' '.repeat(17 * 1024)),
      '16384',
      'ERR_IO_FAILED',
    ],
    [
      'an expired checkpoint',
      () => withCheckpoint(plain, first, online, { exp: Math.floor(Date.now() / 1000) - 600 }),
      'expired',
    ],
    ['a development key', () => altered(plain, 'UNFIT-FOR-PRODUCTION.txt', 'x'), '--allow-development'],
  ])('%s', async (_name, files, fact, code = 'ERR_TREE_REJECTED') => {
    const url = await hostOf(await files());
    expectCommandError(await pin(url, '--thumbprint', thumbprintOf(first), '--json'), code, fact);
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a redirect', async () => {
    const there = await hostOf(plain);
    const url = await listen((request, response) => {
      response.writeHead(302, { Location: `${there}${request.url}` }).end();
    });
    expectCommandError(
      await pin(url, '--thumbprint', thumbprintOf(first), '--json'),
      'ERR_IO_FAILED',
      'redirect',
      there,
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('a host that does not answer', async () => {
    const { code } = await pin('http://127.0.0.1:9', '--thumbprint', thumbprintOf(first));
    expect(code).toBe(4);
  });

  it('a development key even on first use, unless told', async () => {
    const url = await hostOf(altered(plain, 'UNFIT-FOR-PRODUCTION.txt', 'x'));
    expect((await pin(url, '--trust-on-first-use')).code).toBe(1);
    const { code, stderr } = await pin(url, '--trust-on-first-use', '--allow-development');
    expect([code, stderr.includes(`${thumbprintOf(first)} (development)`)]).toEqual([0, true]);
  });
});

describe('wrong usage of pin', () => {
  const ID = 'A'.repeat(43);
  const witness = noteSigner('one.example', 'witness');
  const alias = noteSigner('alias.example', 'witness', witness.pair);
  const witnessed = (quorum: string, ...vkeys: string[]) => [
    ...vkeys.flatMap((vkey) => ['--witness', vkey]),
    ...['--quorum', quorum],
  ];

  it.each<[string, string[], string]>([
    ['a thumbprint of 42 characters', ['--thumbprint', 'A'.repeat(42)], '--thumbprint takes'],
    ['a thumbprint with unused bits', ['--thumbprint', `${'A'.repeat(42)}B`], '--thumbprint takes'],
    ['a thumbprint and first use', ['--trust-on-first-use'], '--trust-on-first-use'],
    ['a next key of 42 characters', ['--next-root', 'A'.repeat(42)], '--next-root takes'],
    ['a next key twice', ['--next-root', ID, ID], '--next-root takes'],
    ['a quorum without witnesses', ['--quorum', '1'], '--quorum has no effect without --witness'],
    ['witnesses without a quorum', ['--witness', witness.vkey], '--witness has no effect without --quorum'],
    ['the quorum 0', witnessed('0', witness.vkey), '--quorum takes'],
    ['the quorum 33', witnessed('33', witness.vkey), '--quorum takes'],
    ['a quorum of more than all', witnessed('2', witness.vkey), 'quorum is 2'],
    ['the key of a log', witnessed('1', noteSigner('a.example', 'log').vkey), '--witness takes'],
    ['one witness under two names', witnessed('2', witness.vkey, alias.vkey), 'earlier witness'],
  ])('%s', async (_name, args, fact) => {
    const known = args.includes('--thumbprint') ? [] : ['--thumbprint', ID];
    expectCommandError(await pin('https://registry.example', ...known, ...args, '--json'), 'ERR_USAGE', fact);
  });

  it.each([
    'registry.example',
    'ftp://registry.example',
    'https://someone:hunter2@registry.example',
    'https://registry.example?a',
    'https://registry.example#a',
  ])('the URL %s', async (url) => {
    const { code, stderr } = await pin(url, '--thumbprint', ID);
    expect([code, stderr.includes('hunter2')]).toEqual([2, false]);
  });
});

describe('pin and an existing file', () => {
  it('leaves the same content, and replaces other content only with --force', async () => {
    const url = await hostOf(plain);
    const args = ['--thumbprint', thumbprintOf(first)];
    await pin(url, ...args);
    expect((await pin(url, ...args)).stderr).toContain('trust-anchor.json unchanged');
    const other = JSON.stringify({ root: second.rootKey.jwk });
    writeFiles(folder, { 'trust-anchor.json': other });
    expectCommandError(await pin(url, ...args, '--json'), 'ERR_IO_FAILED', 'trust-anchor.json', '--force');
    expect(readFileSync(join(folder, 'trust-anchor.json'), 'utf8')).toBe(other);
    const forced = await pin(url, ...args, '--force');
    expect([forced.code, forced.stderr.includes('trust-anchor.json replaced')]).toEqual([0, true]);
    expect(written().root).toEqual(first.rootKey.jwk);
  });

  it('needs a folder that exists', async () => {
    const { code } = await pin(
      await hostOf(plain),
      '--trust-on-first-use',
      '--trust-anchor',
      'none/anchor.json',
    );
    expect(code).toBe(4);
  });
});

describe('--trust-anchor', () => {
  let url: string;

  async function anchored(files: Files): Promise<void> {
    url = await hostOf(files);
    const anchor = { root: first.rootKey.jwk, sources: [url] };
    writeFiles(folder, { 'anchor.json': JSON.stringify(anchor) });
  }

  it('verify and resolve read the sources of the trust anchor', async () => {
    await anchored(checkpointed);
    writeFiles(folder, { 'policy.json': '{"tiers":["certified"]}' });
    const trusting = (...args: string[]) => cli([...args, '--trust-anchor', 'anchor.json'], folder);
    // The tree has no SHA256SUMS.
    expect((await trusting('verify')).stdout).toContain(`${url} is NOT valid`);
    expect((await trusting('resolve', 'a', '--policy', 'policy.json')).code).toBe(0);
  });

  it('takes nothing but one trust anchor', async () => {
    await anchored(plain);
    const anchor = readFileSync(join(folder, 'anchor.json'), 'utf8');
    const pem = createPublicKey({ key: first.rootKey.jwk as never, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    });
    for (const other of [anchor.replace('{', '{"note":"",'), `${anchor}\n${pem}`]) {
      writeFileSync(join(folder, 'anchor.json'), other);
      expect((await cli(['verify', url, '--trust-anchor', 'anchor.json'], folder)).code).toBe(3);
    }
  });

  it('names no key in a command that signs', async () => {
    await anchored(plain);
    writeFiles(folder, {
      'issuers/alpha.yaml': recordText('alpha'),
      'command.yaml': 'signer: { command: "false" }',
    });
    for (const command of [
      ['build', '--config', 'command.yaml', '--root-key', 'anchor.json'],
      ['keys', 'public', 'anchor.json'],
    ]) {
      const { code, stderr } = await cli(command, folder);
      expect([code, stderr]).toEqual([3, expect.stringContaining('anchor.json is a trust anchor')]);
    }
  });
});

describe('verify without an argument', () => {
  it('says what to name if there is nothing to verify', async () => {
    expectCommandError(await cli(['verify', '--json'], folder), 'ERR_USAGE', 'nothing to verify');
  });

  it('verifies dist, or the base_url of registry.yaml if there is one', async () => {
    writeFiles(folder, { 'dist/issuers.json': '{}' });
    expect((await cli(['verify'], folder)).stdout).toContain('dist is NOT valid');
    writeFiles(folder, { 'registry.yaml': `base_url: ${await hostOf(plain)}\n` });
    expect((await cli(['verify'], folder)).stdout).toMatch(/http:\S+ is NOT valid/);
  });
});
