import { createPrivateKey } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistryClient, type RegistryClient, type RootJwk } from '@passport-registry/verifier';
import { decodeJwt, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { copyOf } from '../../support/made-once.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { claimsOf, jwt, signerKey } from '../../support/signed-tree.js';
import { hasTreeFile, readTreeFile, removeTreeFile } from '../../support/statements.js';
import {
  cli,
  filesBelow,
  filesOf,
  goodCli,
  keyPair,
  recordText,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

let made: string;
let folder: string;

beforeAll(async () => {
  folder = await workspace(['alpha', 'beta']);
  for (const name of ['root', 'online', 'stranger']) await keyPair(folder, name);
  made = folder;
});

beforeEach(() => {
  folder = copyOf(made);
  // What this machine has signed with the key, which all copies have.
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
});

const jwk = (name: string): RootJwk => JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'));
const path = (...steps: string[]) => join(folder, 'dist', ...steps);
const text = (...steps: string[]) => readFileSync(path(...steps), 'utf8');
const lists = () => readdirSync(path('lists')).sort();

const good = (...args: string[]) => goodCli(args, folder);

/** The options that name settings in which checkpoints are valid for some hours. */
function hoursInSettings(hours: string): string[] {
  writeFiles(folder, { 'hours.yaml': `checkpoint: { hours: ${hours} }\n` });
  return ['--config', 'hours.yaml'];
}

/** A statement of `keys delegate` or `keys step`, in a file. */
async function statement(file: string, ...args: string[]): Promise<void> {
  writeFiles(folder, { [file]: (await good('keys', ...args)).stdout });
}

const delegate = (root = 'root', online = 'online', file = 'delegation.jwt') =>
  statement(file, 'delegate', '--key', `${root}.pem`, '--online', `${online}.json`);

const build = (...more: string[]) => good('build', '--key', 'root.pem', '--production', ...more);
const checkpoint = (...more: string[]) => good('checkpoint', '--online-key', 'online.pem', ...more);

/** Something to publish. */
let changes = 0;
function change(status: 'active' | 'suspended' | 'revoked' = 'active'): void {
  changes += 1;
  writeFiles(folder, {
    'issuers/alpha.yaml': recordText('alpha', { status, policy_uri: `https://alpha.internal/${changes}` }),
  });
}

async function client(base: string, root = 'root'): Promise<RegistryClient> {
  const registry = createRegistryClient({ sources: [base], rootKey: jwk(root), timeout: 60 });
  await registry.ready();
  registry.close();
  return registry;
}

describe('a tree in which an older list was put back', () => {
  const old = new Map<string, Buffer>();

  beforeEach(async () => {
    await delegate();
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    for (const file of ['issuers.json', 'issuers.sig']) old.set(file, readFileSync(path(file)));
    change('suspended');
    await build(
      ...withKeys({ checkpoint: 'online.pem' }),
      '--updated-at',
      new Date(Date.now() + 60_000).toISOString().replace(/\.\d+/, ''),
    );
    for (const [file, bytes] of old) writeFiles(folder, { [`dist/${file}`]: bytes });
  });

  it.each<[string, string[]]>([
    ['a checkpoint', ['checkpoint', '--online-key', 'online.pem']],
    ['a build', ['build', '--key', 'root.pem', '--production', ...withKeys({ checkpoint: 'online.pem' })]],
    ['a signing request', ['build', '--unsigned', 'request']],
  ])('is refused for %s, which would undo the suspension', async (_name, args) => {
    change('active');
    const before = text('checkpoint.jwt');
    const { code, stderr } = await cli(args, folder);
    expect(stderr).toContain('an older list was put back');
    expect(code).toBe(1);
    expect(text('checkpoint.jwt')).toBe(before);
  });
});

describe('a tree without a checkpoint in which an older list was put back under the newer publication statement', () => {
  const old = new Map<string, Buffer>();

  beforeEach(async () => {
    await delegate();
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    for (const file of ['issuers.json', 'issuers.sig', 'SHA256SUMS']) {
      old.set(file, readFileSync(path(file)));
    }
    change('revoked');
    await build(...withKeys({ checkpoint: 'online.pem' }));
    removeTreeFile(path('checkpoint.jwt'));
    change('active');
  });

  const commands: [string, string[]][] = [
    ['a checkpoint', ['checkpoint', '--online-key', 'online.pem']],
    ['a build', ['build', '--key', 'root.pem', '--production']],
    ['a signing request', ['build', '--unsigned', 'request']],
    [
      'a rotation',
      ['keys', 'rotate', '--yes', '--key', 'root.pem', '--next-key', 'next.pem', '--next-no-passphrase'],
    ],
  ];
  // Without its signature, the list still counts if SHA256SUMS has its hash.
  const files = ['issuers.sig', 'SHA256SUMS'];
  it.each(commands.flatMap(([name, args]) => files.map((file) => [name, file, args] as const)))(
    'is refused for %s, which would undo the revocation, with the %s of that list',
    async (_name, file, args) => {
      for (const name of ['issuers.json', file])
        writeFiles(folder, { [`dist/${name}`]: old.get(name) ?? '' });
      const before = bytesOfTree();
      const { code, stderr } = await cli(args, folder);
      expect([code, stderr]).toEqual([1, expect.stringContaining('an older list was put back')]);
      expect(bytesOfTree()).toBe(before);
    },
  );

  it('is refused if both lists have the same time', async () => {
    const { sequence, updated_at, ...claims } = claimsOf(readTreeFile(path('publication.jwt')));
    const signer = await signerKey(folder, 'root');
    const forged = { ...claims, sequence, sha256: '0'.repeat(64), updated_at };
    writeFiles(folder, { 'dist/publication.jwt': await jwt(signer, 'registry-publication+jwt', forged) });
    const { code, stderr } = await cli(['build', '--key', 'root.pem'], folder);
    expect([code, stderr.includes('an older list was put back')]).toEqual([1, true]);
  });

  const bytesOfTree = () =>
    filesBelow(path())
      .map((name) => `${name} ${text(name)}`)
      .join('\n');
});

describe('a tree in which an older publication statement was put back, with the same list', () => {
  let old: Buffer;

  beforeEach(async () => {
    await build();
    old = readTreeFile(path('publication.jwt'));
    await delegate();
    // The list is unchanged, and the new statement promises checkpoints.
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    expect(claimsOf(readTreeFile(path('publication.jwt')))).toMatchObject({ sequence: 2, checkpoint: true });
  });

  it.each<[string, string[]]>([
    ['a checkpoint', ['checkpoint', '--online-key', 'online.pem']],
    ['a build', ['build', '--key', 'root.pem', '--production', ...withKeys({ checkpoint: 'online.pem' })]],
    ['a signing request', ['build', '--unsigned', 'request']],
  ])('is refused for %s', async (_name, args) => {
    writeFiles(folder, { 'dist/publication.jwt': old });
    const { code, stderr } = await cli(args, folder);
    expect(stderr).toContain('was put back');
    expect(code).toBe(1);
  });

  it('gets no checkpoint without a sequence where only the statement is gone', async () => {
    const before = text('checkpoint.jwt');
    expect(claimsOf(Buffer.from(before))).toMatchObject({ sequence: 2 });
    removeTreeFile(path('publication.jwt'));
    const { code, stderr } = await cli(['checkpoint', '--online-key', 'online.pem'], folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining('publication.jwt of the published tree is')]);
    expect(text('checkpoint.jwt')).toBe(before);
    writeFiles(folder, { 'dist/publication.jwt': 'x' });
    expect((await cli(['checkpoint', '--online-key', 'online.pem'], folder)).code).not.toBe(0);
    expect(text('checkpoint.jwt')).toBe(before);
  });

  it('does not begin anew where every trace of it but the checkpoint is gone', async () => {
    removeTreeFile(path('publication.jwt'));
    const sums = text('SHA256SUMS').split('\n');
    writeFiles(folder, {
      'dist/SHA256SUMS': sums.filter((line) => !line.endsWith('  publication.jwt')).join('\n'),
    });
    const { code, stderr } = await cli(
      ['build', '--key', 'root.pem', ...withKeys({ checkpoint: 'online.pem' })],
      folder,
    );
    expect([code, stderr.includes('a build cannot recreate the file')]).toEqual([2, true]);
  });
});

describe('a publication statement that promises checkpoints', () => {
  it('is not withdrawn by a build without a checkpoint, and the note says what is missing', async () => {
    await delegate();
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    removeTreeFile(path('checkpoint.jwt'));
    change();
    // Every verifier refuses the tree until `checkpoint` has run.
    const built = await cli(['build', '--key', 'root.pem', '--production', '--json'], folder);
    expect([built.code, JSON.parse(built.stdout)]).toMatchObject([6, { ok: false, isFinished: false }]);
    expect(built.stderr).toContain('The publication statement promises');
    expect(claimsOf(readTreeFile(path('publication.jwt')))).toMatchObject({ sequence: 2, checkpoint: true });
    const refused = await cli(['verify', 'dist'], folder);
    expect([refused.code, refused.stdout.includes('a checkpoint is required')]).toEqual([1, true]);
    await checkpoint();
    await good('verify', 'dist');
    expect(claimsOf(readTreeFile(path('checkpoint.jwt')))).toMatchObject({ sequence: 2 });
  });

  it('follows the first checkpoint with the next build, and a note says so until then', async () => {
    await delegate();
    await build('--delegation', 'delegation.jwt');
    await checkpoint();
    await good('verify', 'dist');
    expect(claimsOf(readTreeFile(path('publication.jwt')))).not.toHaveProperty('checkpoint');
    const list = text('issuers.json');
    await build(...withKeys({ checkpoint: 'online.pem' }));
    expect(text('issuers.json')).toBe(list);
    expect(claimsOf(readTreeFile(path('publication.jwt')))).toMatchObject({ sequence: 2, checkpoint: true });
  });
});

describe('a registry with checkpoints', () => {
  it('begins with a delegation; from then on a client demands them', async () => {
    await delegate();
    await build('--delegation', 'delegation.jwt');
    const { stderr } = await checkpoint();
    expect(stderr).toContain('has a checkpoint that is valid until');
    const base = await serve(path());
    const { checkpoint: vouched, updatedAt } = (await client(base)).status();
    expect([vouched, updatedAt]).toEqual([true, JSON.parse(text('issuers.json')).updated_at]);
    await good('verify', base, '--root-key', 'root.json');
    await good('verify', 'dist', '--root-key', 'root.json');
  });

  it('reaches clients at once with a new publication statement, and older ones with the next checkpoint', async () => {
    await delegate();
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    const base = await serve(path());
    const registry = createRegistryClient({ sources: [base], rootKey: jwk('root'), timeout: 60 });
    await registry.ready();
    change('suspended');
    expect((await build()).stderr).toContain('note: The checkpoint');
    // The root key has signed the new publication. The older checkpoint stays valid, and says so much less.
    await registry.refresh();
    expect(registry.resolve('alpha')?.status).toBe('suspended');
    expect((await good('verify', base)).stdout).toContain('do not read publication statements');
    await checkpoint();
    await registry.refresh();
    expect(registry.resolve('alpha')?.status).toBe('suspended');
    registry.close();
  });

  it('publishes a change and its checkpoint at once if the settings name the online key', async () => {
    await delegate();
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    change('suspended');
    const { stderr } = await build(...withKeys({ checkpoint: 'online.pem' }));
    expect(stderr.match(/^note: .*/gm)).toEqual([
      expect.stringContaining('no base_url is known'),
      'note: alpha: status active → suspended.',
    ]);
    expect((await client(await serve(path()))).resolve('alpha')?.status).toBe('suspended');
  });

  it('keeps this list and the two before it, also if the checkpoint names an older one', async () => {
    await delegate();
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    const [first] = lists();
    for (let round = 0; round < 4; round++) {
      change();
      await build();
    }
    expect(lists()).toHaveLength(3);
    expect(lists()).not.toContain(first);
    await good('verify', 'dist');
    await client(await serve(path()));
  });

  it('is touched nowhere else by a new checkpoint', async () => {
    await delegate();
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    const files = () =>
      readdirSync(path(), { recursive: true, encoding: 'utf8' })
        .filter((name) => name !== 'checkpoint.jwt')
        .map((name) => [name, statSync(path(name)).mtimeMs]);
    const before = files();
    const { stdout } = await checkpoint('--hours', '2', '--json');
    expect(files()).toEqual(before);
    const { iat = 0, exp = 0 } = decodeJwt(text('checkpoint.jwt'));
    expect(exp - iat).toBe(7200);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      expires: new Date(exp * 1000).toISOString().replace('.000', ''),
    });
  });

  it('has a checkpoint that a web server can read and rsync tells from the last, whatever the umask', async () => {
    await build(...withKeys({ checkpoint: 'root.pem' }));
    const before = statSync(path('checkpoint.jwt')).mtimeMs;
    const previous = process.umask(0o077);
    await good('checkpoint', '--online-key', 'root.pem', '--hours', '2');
    process.umask(previous);
    const { mode, mtimeMs } = statSync(path('checkpoint.jwt'));
    expect((mode & 0o777).toString(8)).toBe('644');
    expect(Math.floor(mtimeMs / 1000)).toBeGreaterThan(Math.floor(before / 1000));
  });

  it('is warned well before a delegation ends', async () => {
    await statement(
      'delegation.jwt',
      'delegate',
      '--key',
      'root.pem',
      '--online',
      'online.json',
      '--days',
      '13',
    );
    await build('--delegation', 'delegation.jwt');
    expect((await checkpoint()).stderr).toMatch(/WARNING: .*, in 1[23] days/);
    expect((await cli(['verify', 'dist'], folder)).stdout).toContain('WARNING: the delegation expires');
    await delegate();
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    expect((await checkpoint()).stderr).not.toContain('WARNING: the delegation');
    expect((await good('verify', 'dist')).stdout).not.toContain('WARNING');
  });

  it.each([
    ['a checkpoint', (hours: string) => checkpoint('--hours', hours)],
    [
      'a build',
      (hours: string) =>
        build('--renew', ...withKeys({ checkpoint: 'online.pem' }), ...hoursInSettings(hours)),
    ],
  ])('has %s that ends with its delegation at the latest, and says so', async (_name, sign) => {
    await statement(
      'delegation.jwt',
      'delegate',
      '--key',
      'root.pem',
      '--online',
      'online.json',
      '--days',
      '20',
    );
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    const { exp: end } = decodeJwt(text('keys/delegation.jwt'));
    const said = /[Tt]he checkpoint is valid only until \S+Z, when its delegation expires/;
    expect((await sign('479')).stderr).not.toMatch(said);
    expect(decodeJwt(text('checkpoint.jwt')).exp).toBeLessThan(end ?? 0);
    for (const hours of ['481', '99999']) {
      expect((await sign(hours)).stderr).toMatch(said);
      expect(decodeJwt(text('checkpoint.jwt')).exp).toBe(end);
    }
    expect((await good('verify', 'dist')).stdout).toMatch(said);
    const { stdout } = await checkpoint('--hours', '481', '--json');
    expect(JSON.parse(stdout).expires).toBe(JSON.parse(stdout).delegationExpires);
  });

  it('has a checkpoint by the root key that no delegation limits', async () => {
    await delegate();
    await build(
      '--delegation',
      'delegation.jwt',
      ...withKeys({ checkpoint: 'root.pem' }),
      ...hoursInSettings('9999'),
    );
    const { iat = 0, exp = 0 } = decodeJwt(text('checkpoint.jwt'));
    expect(exp - iat).toBe(9999 * 3600);
    expect((await good('verify', 'dist')).stdout).not.toContain('WARNING');
  });

  describe('under `verify`', () => {
    const HOUR = 60 * 60;
    /** A checkpoint of some time ago, in the tree. */
    async function checkpointOf(hoursAgo: number, hours: number, online = 'online'): Promise<void> {
      const key = createPrivateKey(readFileSync(join(folder, `${online}.pem`)));
      const iat = Math.floor(Date.now() / 1000) - hoursAgo * HOUR;
      const claims = { ...decodeJwt(text('checkpoint.jwt')), iat, exp: iat + hours * HOUR };
      const jwt = new SignJWT(claims).setProtectedHeader({
        alg: 'EdDSA',
        kid: jwk(online).kid ?? '',
        typ: 'registry-checkpoint+jwt',
      });
      writeFiles(folder, { 'dist/checkpoint.jwt': await jwt.sign(key) });
    }

    /** A delegation that is older than all checkpoints here. */
    async function olderDelegation(): Promise<string> {
      const iat = Math.floor(Date.now() / 1000) - 48 * HOUR;
      return new SignJWT({ iat, exp: iat + 90 * 24 * HOUR, keys: [jwk('online')] })
        .setProtectedHeader({ alg: 'EdDSA', kid: jwk('root').kid ?? '', typ: 'registry-delegation+jwt' })
        .sign(createPrivateKey(readFileSync(join(folder, 'root.pem'))));
    }

    beforeEach(async () => {
      writeFiles(folder, { 'delegation.jwt': await olderDelegation() });
      await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    });

    it('is good, and good a long time before its checkpoint expires', async () => {
      await checkpointOf(17, 24);
      const { stdout } = await good('verify', 'dist');
      expect(stdout).toContain(
        'ok      checkpoint\nskipped statements: the tree has no statements.json\nok      freshness\n',
      );
      expect(stdout).not.toContain('WARNING');
    });

    it('is warned of in the last quarter of its time', async () => {
      await checkpointOf(20, 24);
      expect((await good('verify', 'dist')).stdout).toMatch(/WARNING: .*, in [34] hours/);
    });

    it('is not good with a checkpoint that has expired; a build can still be made', async () => {
      await checkpointOf(25, 24);
      const { code, stdout } = await cli(['verify', 'dist'], folder);
      expect(code).toBe(1);
      expect(stdout).toMatch(/FAILED {2}freshness\n/);
      change();
      await build();
      await checkpoint();
      await good('verify', 'dist');
    });

    it.each([
      [
        'signed by a key that is not delegated',
        () => checkpointOf(1, 24, 'stranger'),
        'the delegation does not name',
      ],
      [
        'no JWT at all',
        async () => writeFiles(folder, { 'dist/checkpoint.jwt': 'x' }),
        'the checkpoint is not a JWS in compact form',
      ],
    ])('is not good with a checkpoint that is %s', async (_name, alter, message) => {
      await alter();
      const { code, stdout } = await cli(['verify', 'dist', '--root-key', 'root.json'], folder);
      expect(code).toBe(1);
      expect(stdout).toMatch(/FAILED {2}checkpoint\n/);
      expect(stdout).toContain(message);
    });
  });

  it('may have its checkpoints from the root key itself', async () => {
    await build(...withKeys({ checkpoint: 'root.pem' }));
    expect(existsSync(path('keys/delegation.jwt'))).toBe(false);
    expect((await client(await serve(path()))).status().checkpoint).toBe(true);
    await good('checkpoint', '--online-key', 'root.pem');
  });

  it.each([
    [
      'a key that is not delegated',
      ['checkpoint', '--online-key', 'stranger.pem'],
      3,
      'the delegation does not name it, but',
    ],
    ['a key that is not there', ['checkpoint', '--online-key', 'none.pem'], 3, 'does not exist'],
    [
      'a folder that is no tree',
      ['checkpoint', 'issuers', '--online-key', 'online.pem'],
      2,
      'contains no registry',
    ],
    ['hours that are none', ['checkpoint', '--online-key', 'online.pem', '--hours', '0'], 2, '--hours takes'],
    [
      'a build with a key that is not delegated',
      ['build', '--key', 'root.pem', ...withKeys({ checkpoint: 'stranger.pem' })],
      3,
      'the delegation does not name it, but',
    ],
    [
      'a delegation by another root key',
      ['build', '--key', 'root.pem', '--delegation', 'forged.jwt'],
      3,
      'is not signed by root key',
    ],
    [
      'a delegation that is none',
      ['build', '--key', 'root.pem', '--delegation', 'root.json'],
      3,
      'is not signed by root key',
    ],
  ])('refuses %s, and stays as it was', async (_name, args, code, message) => {
    await delegate();
    await delegate('stranger', 'online', 'forged.jwt');
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    const before = text('checkpoint.jwt') + text('SHA256SUMS');
    change();
    const outcome = await cli(args, folder);
    expect(outcome.stderr).toContain(message);
    expect(outcome.code).toBe(code);
    expect(text('checkpoint.jwt') + text('SHA256SUMS')).toBe(before);
  });

  it.each([
    [
      'of a build into a folder that lacks the published tree',
      ['build', '--key', 'root.pem', ...withKeys({ checkpoint: 'online.pem' })],
    ],
    ['of a tree without a delegation', ['checkpoint', '--online-key', 'online.pem']],
  ])('by an online key %s is refused: load the published tree', async (_name, args) => {
    await delegate();
    await build('--delegation', 'delegation.jwt');
    rmSync(args[0] === 'build' ? path() : path('keys/delegation.jwt'), { recursive: true });
    // The delegation would show that there was a tree.
    rmSync(join(folder, 'delegation.jwt'));
    const { code, stderr } = await cli(args, folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining('output folder')]);
  });
});

describe('a rotation of the root key', () => {
  const rotate = (from: string, to: string) =>
    statement(`${from}-${to}.jwt`, 'step', '--key', `${from}.pem`, '--next', `${to}.json`);

  beforeEach(async () => {
    for (const name of ['second', 'third']) await keyPair(folder, name);
  });

  it('is followed by a verifier that is pinned two roots ago', async () => {
    await build();
    await rotate('root', 'second');
    await good('build', '--key', 'second.pem', '--root-key', 'second.json', '--rotation', 'root-second.jwt');
    await rotate('second', 'third');
    await good('build', '--key', 'third.pem', '--root-key', 'third.json', '--rotation', 'second-third.jwt');
    const base = await serve(path());
    for (const pinned of ['root', 'second', 'third']) {
      expect((await client(base, pinned)).status().rootKeys).toEqual([jwk('third').kid]);
    }
    await expect(client(base, 'stranger')).rejects.toMatchObject({ code: 'ERR_NO_USABLE_SOURCE' });
    // The chain stays from build to build.
    change();
    await good('build', '--key', 'third.pem');
    expect(JSON.parse(text('keys/rotation.json'))).toHaveLength(2);
  });

  it('of a registry with checkpoints needs a delegation by the new root, and a checkpoint at once', async () => {
    await delegate();
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    const base = await serve(path());
    const held = createRegistryClient({ sources: [base], rootKey: jwk('root') });
    await held.ready();
    await rotate('root', 'second');
    const args = [
      'build',
      '--key',
      'second.pem',
      '--root-key',
      'second.json',
      '--rotation',
      'root-second.jwt',
    ];
    const bare = await cli(args, folder);
    expect([bare.code, bare.stderr.includes('pass --delegation')]).toEqual([2, true]);
    await delegate('second', 'online', 'second.jwt');
    const without = await cli([...args, '--delegation', 'second.jwt'], folder);
    expect([without.code, without.stderr.includes('set checkpoint.signer in registry.yaml')]).toEqual([
      2,
      true,
    ]);
    await held.refresh();
    expect(held.status().rootKeys).toEqual([jwk('root').kid]);
    await good(...args, '--delegation', 'second.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    await held.refresh();
    expect(held.status()).toMatchObject({ rootKeys: [jwk('second').kid], checkpoint: true });
    held.close();
    await good('checkpoint', '--online-key', 'online.pem');
    await client(base, 'root');
  });

  it('lets a build without the online key change nothing, although the first root key is not in the tree', async () => {
    await delegate();
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    await rotate('root', 'second');
    await delegate('second', 'online', 'second.jwt');
    const second = ['build', '--key', 'second.pem', '--root-key', 'second.json'];
    const statements = ['--rotation', 'root-second.jwt', '--delegation', 'second.jwt'];
    await good(...second, ...statements, ...withKeys({ checkpoint: 'online.pem' }));
    const before = filesOf(path());
    await good(...second);
    expect(filesOf(path())).toEqual(before);
    expect((await cli(['verify', 'dist'], folder)).code).toBe(0);
  });

  it('is refused where a step is missing, or is not by the root key before', async () => {
    await build();
    await rotate('root', 'second');
    await rotate('second', 'third');
    await rotate('stranger', 'third');
    const to = (step: string) =>
      cli(['build', '--key', 'third.pem', '--root-key', 'third.json', '--rotation', step], folder);
    for (const step of ['second-third.jwt', 'stranger-third.jwt', 'root-second.jwt']) {
      const before = text('SHA256SUMS');
      const { code, stderr } = await to(step);
      expect(stderr).toMatch(/the rotation (is not valid|leads from)/);
      expect(code).toBe(3);
      expect(text('SHA256SUMS')).toBe(before);
    }
  });
});

describe('a published tree that was damaged', () => {
  const rotated = async () => {
    await keyPair(folder, 'second');
    await delegate();
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    await statement('step', 'step', '--key', 'root.pem', '--next', 'second.json');
    await delegate('second', 'online', 'second.jwt');
    await good(...rotation);
  };
  const rotation = [
    ...['build', '--key', 'second.pem', '--root-key', 'second.json', '--rotation', 'step'],
    ...['--delegation', 'second.jwt', ...withKeys({ checkpoint: 'online.pem' })],
  ];
  const again = () =>
    cli(['build', '--key', 'second.pem', ...withKeys({ checkpoint: 'online.pem' })], folder);

  it.each<[string, () => unknown]>([
    ['garbled', () => writeFiles(folder, { 'dist/keys/rotation.json': '[garbled' })],
    ['with a garbled step', () => writeFiles(folder, { 'dist/keys/rotation.json': '["e30.e30."]' })],
    ['gone', () => removeTreeFile(path('keys/rotation.json'))],
    [
      'a folder',
      () => {
        removeTreeFile(path('keys/rotation.json'));
        mkdirSync(path('keys/rotation.json'));
      },
    ],
  ])(
    'never loses its rotation: where that is %s, the build says how to restore it',
    async (_name, damage) => {
      await rotated();
      const chain = text('keys/rotation.json');
      const before = text('SHA256SUMS');
      damage();
      const { code, stderr } = await again();
      expect([code, stderr]).toEqual([
        2,
        expect.stringMatching(/keys\/rotation.json is (?:damaged|missing)/),
      ]);
      expect(text('SHA256SUMS')).toBe(before);
      removeTreeFile(path('keys/rotation.json'));
      writeFiles(folder, { 'dist/keys/rotation.json': chain });
      expect((await again()).code).toBe(0);
      await client(await serve(path()), 'root');
    },
  );

  it('and never rotated gets rid of whatever lies in the place of a rotation', async () => {
    await build();
    for (const lie of ['[garbled', '["e30.e30."]']) {
      writeFiles(folder, { 'dist/keys/rotation.json': lie });
      await build();
      expect(hasTreeFile(path('keys/rotation.json'))).toBe(false);
    }
    mkdirSync(path('keys/rotation.json'));
    await build();
    await good('verify', 'dist');
  });

  it('goes on after a build that was killed when it had written the rotation alone', async () => {
    await rotated();
    const chain = text('keys/rotation.json');
    rmSync(path(), { recursive: true });
    await delegate();
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    writeFiles(folder, { 'dist/keys/rotation.json': chain });
    // Not older than the published one, however long that took.
    await delegate('second', 'online', 'second.jwt');
    await good(...rotation);
    expect(JSON.parse(text('keys/rotation.json'))).toHaveLength(1);
  });

  it('never loses its delegation, nor goes on with a checkpoint that does not hold', async () => {
    await delegate();
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    const delegation = text('keys/delegation.jwt');
    for (const lie of ['x', undefined]) {
      rmSync(path('keys/delegation.jwt'));
      if (lie !== undefined) writeFiles(folder, { 'dist/keys/delegation.jwt': lie });
      const { code, stderr } = await cli(['build', '--key', 'root.pem'], folder);
      expect([code, stderr]).toEqual([2, expect.stringMatching(/keys\/delegation.jwt is .* --delegation /)]);
      writeFiles(folder, { 'dist/keys/delegation.jwt': delegation });
    }
    writeFiles(folder, { 'dist/checkpoint.jwt': 'x' });
    const { code, stderr } = await cli(['build', '--key', 'root.pem'], folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining('set checkpoint.signer in registry.yaml')]);
    await checkpoint();
    await build();
    await good('verify', 'dist');
  });

  it('asks for a checkpoint with a delegation that is younger than the published one', async () => {
    await delegate();
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await delegate();
    const { code, stderr } = await cli(
      ['build', '--key', 'root.pem', '--delegation', 'delegation.jwt'],
      folder,
    );
    expect([code, stderr]).toEqual([2, expect.stringContaining('set checkpoint.signer in registry.yaml')]);
    await build('--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' }));
    await good('verify', 'dist');
  });

  it('is repaired by the next build, whichever file is a folder', async () => {
    await rotated();
    // What a build cannot make anew, or needs to check the change against, must be restored; the exit code by its path.
    const lost: Record<string, number> = {
      'keys/rotation.json': 2,
      'keys/delegation.jwt': 2,
      'publication.jwt': 2,
      'issuers.json': 1,
    };
    for (const name of filesBelow(path())) {
      if (/^(?:issuers\/beta|schemas\/|assets\/)/.test(name)) continue;
      // A build removes an older list that is a folder.
      if (!existsSync(path(name))) continue;
      const bytes = readFileSync(path(name));
      rmSync(path(name));
      mkdirSync(path(name));
      const { code, stderr } = await again();
      if (name in lost) {
        expect([name, code]).toEqual([name, lost[name]]);
        rmSync(path(name), { recursive: true });
        writeFiles(folder, { [`dist/${name}`]: bytes });
      } else
        expect([name, code, stderr]).toEqual([
          name,
          name === 'SHA256SUMS' ? expect.any(Number) : 0,
          expect.not.stringContaining('mistake of the program'),
        ]);
      expect([name, (await cli(['verify', 'dist'], folder)).code]).toEqual([name, 0]);
    }
  });
});
