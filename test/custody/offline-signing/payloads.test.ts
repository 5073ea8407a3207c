import {
  appendFileSync,
  copyFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { importRootKey } from '@passport-registry/verifier';
import { beforeEach, describe, expect, it } from 'vitest';
import { assertFollowsMemory } from '../../../build/custody/offline-signing/signing-memory.js';
import type { SigningRequest } from '../../../build/custody/offline-signing/signing-request.js';
import type { ErrorCode } from '../../support/expect-command-error.js';
import { sha256 } from '../../support/sha256.js';
import { alterInput, registryWithRequests, requestsIn, signFiles } from '../../support/signing-request.js';
import { claimsOf } from '../../support/statements.js';
import { good, keyPair, type Outcome, writeFiles } from '../../support/workspace.js';

/** A registry whose root key only `sign` and this file use, and which has no online key. */
let folder: string;
const requests = requestsIn(() => folder);
const { at, read, record, run, publish, signatures } = requests;

const HASH = '0'.repeat(43);

beforeEach(async () => {
  folder = await registryWithRequests();
});

const thumbprint = (name: string): string => JSON.parse(read(`${name}.json`).toString()).kid;

/** Runs a command that must be refused. @param fact - what the message must name */
async function refused(code: ErrorCode, fact: string, ...args: readonly string[]): Promise<void> {
  await requests.refused(run(...args, '--json'), code, fact);
}

/** A request with a checkpoint alone, unless a record has changed. */
const renew = () => good(requests.request());
function rotate(...more: string[]): Promise<Outcome> {
  rmSync(at('request'), { recursive: true, force: true });
  const keys = ['--root-key', 'root.json', '--next-root-key', 'next.json'];
  return good(run('keys', 'rotate', '--unsigned', 'request', ...keys, ...more));
}
const MEMORY = ['--yes', '--memory', 'memory'];
const signing = (...more: string[]) => ['sign', 'request', '--key', 'key.pem', ...MEMORY, ...more];
/** Signs a rotation with the next key, too. */
const signingByNext = (...more: string[]) => {
  const keys = ['--key', 'next.pem', '--root-key', 'next.json', '--previous-root-key', 'root.json'];
  return ['sign', 'request', ...keys, ...MEMORY, ...more];
};
const attaching = (...more: string[]) => ['attach', 'request', '--root-key', 'root.json', ...more];
const signed = (...more: string[]) => good(run(...signing(...more)));
const signedByNext = (...more: string[]) => good(run(...signingByNext(...more)));
const attached = (...more: string[]) => good(run(...attaching(...more)));
const verified = (rootKey = 'root.json') => good(run('verify', 'dist', '--trust-anchor', rootKey));

/** The lines that describe a request, without the lines that say how to go on. */
const words = ({ stderr }: Outcome) =>
  stderr.split('\n').filter((line) => line !== '' && !/^(signed: |request is ready|note: )/.test(line));

/** Lets a key sign checkpoints from the next publication on. */
const online = (name: string, more = '') =>
  writeFiles(folder, {
    'registry.yaml': `checkpoint: { public_key: ${name}.json, signer: { key: ${name}.pem }${more} }\n`,
  });

describe('a request with a checkpoint', () => {
  it('is signed with list and statement in one session, and published with them', async () => {
    record('gamma');
    const asked = await renew();
    const shown = await signed();
    expect(words(shown)).toEqual(words(asked));
    expect(read('request/CHANGES.txt').toString().trimEnd().split('\n')).toEqual(words(asked));
    const { iat, exp } = claimsOf(read('request/checkpoint.signing-input'));
    expect(Number(exp) - Number(iat)).toBe(30 * 86_400);
    const time = (seconds: unknown) => new Date(Number(seconds) * 1000).toISOString().replace('.000Z', 'Z');
    expect(words(shown)).toEqual([
      expect.stringContaining('list of '),
      expect.stringContaining('+ gamma: new'),
      'publication 2, after publication 1',
      expect.any(String),
      expect.any(String),
      expect.any(String),
      'checkpoint for publication 2',
      `  signed    ${time(iat)}`,
      `  until     ${time(exp)}`,
      expect.stringMatching(/^ {2}tree {6}[0-9a-f]{64}$/),
      '  holds     nobody',
      `sha256   ${sha256(read('request/issuers.json'))}`,
      `root key ${thumbprint('root')}`,
    ]);
    expect(signatures()).toEqual(['checkpoint.sig', 'issuers.sig', 'publication.sig']);
    await attached();
    await verified();
    expect(claimsOf(read('dist/checkpoint.jwt'))).toMatchObject({ iat, exp });
  });

  it('alone comes of a build that has nothing else to sign: list, signature and statement stay', async () => {
    const shown = await renew();
    expect(readdirSync(at('request')).sort()).toEqual([
      'CHANGES.txt',
      'checkpoint.signing-input',
      'previous',
    ]);
    expect(words(await signed())).toEqual(words(shown));
    expect(signatures()).toEqual(['checkpoint.sig']);
    // A machine that has signed no publication remembers nothing of it.
    for (let time = 0; time < 2; time++)
      await good(run('sign', 'request', '--key', 'key.pem', '--yes', '--memory', 'fresh'));
    const kept = ['issuers.json', 'issuers.sig', 'publication.jwt'].map((name) => `dist/${name}`);
    const before = kept.map(read);
    const { iat } = claimsOf(read('request/checkpoint.signing-input'));
    expect(JSON.parse((await attached('--json')).stdout)).toMatchObject({ ok: true, hold: [] });
    expect(kept.map(read)).toEqual(before);
    expect(claimsOf(read('dist/checkpoint.jwt'))).toMatchObject({ iat });
    await verified();
  });

  it('says whom it holds, and cannot end a hold', async () => {
    await renew();
    await signed();
    renameSync(at('request'), at('before'));
    await good(run('hold', 'alpha', '--online-key', 'key.pem'));
    await refused('ERR_REQUEST_OUTDATED', 'newer', 'attach', 'before', '--root-key', 'root.json');
    expect(words(await renew())).toContain('  holds     alpha');
    expect(words(await signed())).toContain('  holds     alpha');
    // The signer sees it.
    const iat = Number(claimsOf(read('request/checkpoint.signing-input'))['iat']) + 1;
    alterInput(folder, 'checkpoint', { claims: { hold: undefined, iat } });
    expect(words(await signed())).toContain('  holds     nobody');
    await refused('ERR_REQUEST_OUTDATED', 'holds', ...attaching());
    expect(claimsOf(read('dist/checkpoint.jwt'))).toMatchObject({ hold: ['alpha'] });
    await renew();
    await signed();
    await attached();
    expect(claimsOf(read('dist/checkpoint.jwt'))).toMatchObject({ hold: ['alpha'] });
  });

  it.each([
    ['alone', () => {}],
    ['with a list', () => record('gamma')],
  ])('%s is not published for another tree', async (_name, change) => {
    change();
    await renew();
    alterInput(folder, 'checkpoint', { claims: { tree_sha256: '0'.repeat(64) } });
    await signed();
    const before = read('dist/statements.json');
    await refused('ERR_REQUEST_OUTDATED', 'SHA256SUMS', ...attaching());
    expect(read('dist/statements.json').equals(before)).toBe(true);
  });
});

describe('a request with online keys', () => {
  it('says which are new or gone, and whether they may hold issuers', async () => {
    const shown = async () => {
      const asked = words(await renew());
      expect(words(await signed())).toEqual(asked);
      expect(signatures()).toEqual(['issuers.sig', 'publication.sig']);
      await attached();
      await verified();
      return asked.filter((line) => /^ {2}(?:online|hold) /.test(line));
    };
    const permitted =
      '  hold      checkpoints by online keys may hold issuers, so that verifiers refuse them';
    online('online');
    expect(await shown()).toEqual([
      `  online    ${thumbprint('online')}, A NEW KEY`,
      `${permitted}, A NEW PERMISSION`,
    ]);
    online('second');
    expect(await shown()).toEqual([
      `  online    ${thumbprint('second')}, A NEW KEY`,
      `  online    ${thumbprint('online')}, NO LONGER AN ONLINE KEY`,
      permitted,
    ]);
    online('second', ', may_hold: false');
    expect(await shown()).toEqual([
      `  online    ${thumbprint('second')}`,
      expect.stringContaining('NO LONGER PERMITTED'),
    ]);
  });
});

describe('a build with the public root key alone', () => {
  it('signs nothing, and leaves the tree as it was', async () => {
    online('online');
    await renew();
    await signed();
    await attached();
    const sums = read('dist/SHA256SUMS');
    const build = ['build', '--root-key', 'root.json'];
    record('gamma');
    await refused('ERR_KEY_REJECTED', '--unsigned', ...build);
    expect(read('dist/SHA256SUMS').equals(sums)).toBe(true);
    rmSync(at('issuers/gamma.yaml'));
    appendFileSync(at('registry.yaml'), "description: 'Who is in.'\n");
    await good(run(...build));
  });
});

describe('a request for a rotation', () => {
  it('is signed by both keys, in any order, and published as a whole', async () => {
    record('gamma');
    writeFiles(folder, { 'registry.yaml': 'root_key: root.json # public\n' });
    copyFileSync(at('root.json'), at('old.json'));
    const asked = await rotate();
    for (const sign of [signedByNext, signed]) {
      const before = signatures();
      const outcome = await sign('--json');
      const { signed: made, left } = JSON.parse(outcome.stdout);
      expect(words(outcome).filter((line) => !line.startsWith('left'))).toEqual(words(asked));
      expect(signatures()).toEqual([...before, ...made.map((file: string) => file.slice(8))].sort());
      expect(made.length + left.length).toBe(before.length === 0 ? 4 : 1);
      if (left.length > 0) await refused('ERR_USAGE', 'run `sign request`', ...attaching());
    }
    const { stderr } = await attached();
    expect(stderr).toContain('changed    root.json');
    for (const rootKey of ['old.json', 'next.json', 'root.json']) await verified(rootKey);
    expect(thumbprint('root')).toBe(thumbprint('next'));
    expect(claimsOf(read('dist/publication.jwt'))).toMatchObject({ sequence: 2, issuers: 3 });
  });

  it('keeps the rules of change, may be attached again, and is followed by the next key', async () => {
    rmSync(at('issuers/beta.yaml'));
    const removes = ['--override', 'beta:record-removed'];
    const removalRefused = async (...args: string[]) => {
      const { code, stdout } = await run(...args, '--json');
      expect([code, JSON.parse(stdout).diagnostics]).toMatchObject([1, [{ rule: 'record-removed' }]]);
    };
    const rotation = ['keys', 'rotate', '--unsigned', 'other', '--next-root-key', 'next.json'];
    await removalRefused(...rotation, '--root-key', 'root.json');
    await rotate(...removes);
    for (const step of [signing, signingByNext, attaching]) {
      await removalRefused(...step());
      await good(run(...step(...removes)));
    }
    const tree = read('dist/statements.json');
    await attached(...removes);
    expect(read('dist/statements.json').equals(tree)).toBe(true);
    expect(claimsOf(read('dist/publication.jwt'))).toMatchObject({
      sequence: 2,
      previous: [expect.any(String)],
    });
    record('gamma');
    await requests.refused(requests.request('--json'), 'ERR_KEY_REJECTED', 'root key');
    await good(requests.request('--root-key', 'next.json'));
    await good(run('sign', 'request', '--key', 'next.pem', ...MEMORY));
    await good(run('attach', 'request', '--root-key', 'next.json'));
    expect(claimsOf(read('dist/publication.jwt'))).toMatchObject({ sequence: 3 });
  });

  it('after an emergency, a new one takes over the step that was signed', async () => {
    await rotate();
    await signed();
    await signedByNext();
    renameSync(at('request'), at('old'));
    // The emergency, signed by the outgoing key, which has forgotten nothing.
    await good(run('suspend', 'alpha', '--reason', 'leak', '--key', 'key.pem', '--root-key', 'root.json'));
    renameSync(at('old'), at('request'));
    await refused('ERR_REQUEST_OUTDATED', 'newest', ...attaching());
    const hash = sha256(read('request/issuers.json'));
    renameSync(at('request'), at('old'));
    await rotate();
    rmSync(at('request/outgoing'), { recursive: true });
    renameSync(at('old/outgoing'), at('request/outgoing'));
    renameSync(at('key.pem'), at('away.pem'));
    await refused('ERR_REQUEST_OUTDATED', 'has signed', ...signingByNext());
    expect(JSON.parse((await signedByNext('--instead-of', hash, '--json')).stdout).left).toEqual([]);
    await attached();
    for (const rootKey of ['root.json', 'next.json']) await verified(rootKey);
    expect(String(read('dist/issuers.json'))).toContain('suspended');
  });

  it('shows the keys to which a step commits the next one', async () => {
    const commit = ['--commit', 'second.json', thumbprint('online')];
    const asked = await rotate(...commit);
    const shown = words(await signed()).filter((line) => !line.startsWith('left'));
    expect(shown).toEqual(words(asked));
    expect(shown.filter((line) => line.startsWith('  next_root'))).toEqual(
      ['second', 'online'].map((name) =>
        expect.stringContaining(`next_root ${thumbprint(name)}: the step after`),
      ),
    );
  });

  it('lets an online key sign the checkpoint where it is attached', async () => {
    online('online');
    await rotate();
    await signed();
    await signedByNext();
    expect(signatures()).toEqual(['issuers.sig', 'outgoing/rotation.sig', 'publication.sig']);
    await attached();
    for (const rootKey of ['root.json', 'next.json']) await verified(rootKey);
  });

  it('is not made without the next key, and signed by no other', async () => {
    await refused('ERR_USAGE', '--next-root-key', 'keys', 'rotate', '--unsigned', 'other');
    await rotate();
    const other = ['sign', 'request', '--key', 'second.pem', '--yes'];
    await refused('ERR_KEY_REJECTED', '--previous-root-key', ...other);
    await refused(
      'ERR_KEY_REJECTED',
      `the key is ${thumbprint('second')}`,
      ...other,
      '--previous-root-key',
      'root.json',
    );
    await refused('ERR_KEY_REJECTED', '--previous-root-key', 'sign', 'request', '--key', 'next.pem', '--yes');
    await refused(
      'ERR_REQUEST_PAYLOAD',
      `root key ${thumbprint('root')}`,
      ...other,
      '--previous-root-key',
      'next.json',
    );
    expect(signatures()).toEqual([]);
  });
});

/** Runs `sign`, which must refuse, sign nothing, and remember nothing. */
async function assertRefused(code: ErrorCode, ...facts: readonly string[]): Promise<void> {
  const [memory] = readdirSync(at('memory'));
  const before = read(`memory/${memory}`);
  await requests.refused(run(...signing(), '--json'), code, ...facts);
  expect(signatures()).toEqual([]);
  expect(read(`memory/${memory}`).equals(before)).toBe(true);
}

describe('a request without a checkpoint', () => {
  it('is signed, and not published: nobody is shown a checkpoint that is not there', async () => {
    record('gamma');
    await renew();
    rmSync(at('request/checkpoint.signing-input'));
    expect((await signed()).stderr).not.toContain('checkpoint');
    expect(signatures()).toEqual(['issuers.sig', 'publication.sig']);
    await refused('ERR_KEY_REJECTED', 'checkpoint', ...attaching());
  });
});

// What else is refused, and why: read-request.test.ts.
describe('sign, where a request is refused,', () => {
  it('signs nothing, and remembers nothing', async () => {
    record('gamma');
    await renew();
    appendFileSync(at('request/publication.signing-input'), '.AAAA');
    await assertRefused('ERR_TREE_REJECTED', 'publication');
  });
});

/** Other values in place of a value and of each of its members, and objects with one more member. */
function damaged(value: unknown): unknown[] {
  const others = [null, true, -1, 1.5, '', 'x', [], [null], {}];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return others;
  const members = Object.entries(value).flatMap(([name, member]) =>
    damaged(member).map((other) => ({ ...value, [name]: other })),
  );
  return [...others, ...members, { ...value, later: 1 }];
}

describe('the machine with the key remembers', () => {
  it('the publication that it signed last: no checkpoint makes an older one fresh', async () => {
    await renew();
    renameSync(at('request'), at('older'));
    record('gamma');
    await publish();
    renameSync(at('request'), at('newer'));
    renameSync(at('older'), at('request'));
    await assertRefused('ERR_REQUEST_OUTDATED', 'checkpoint is for publication 1');
    await renew();
    await signed();
    await attached();
    await verified();
  });

  it('the publications, while it signs checkpoints and steps', async () => {
    record('gamma');
    await renew();
    await signed();
    copyFileSync(at('request/issuers.json'), at('newest.json'));
    await rotate();
    // A rotation follows the newest publication, too.
    await assertRefused('ERR_REQUEST_OUTDATED', 'has signed');
    await signed('--instead-of', sha256(read('newest.json')));
    record('delta');
    await renew();
    await assertRefused('ERR_REQUEST_OUTDATED', 'has signed');
  });

  it('nothing that is damaged: it signs only with a memory in which all is as it was written', async () => {
    record('gamma');
    await publish();
    await rotate();
    await signed();
    const path = `memory/${thumbprint('root')}.json`;
    const file = at(path);
    const memory = JSON.parse(readFileSync(file, 'utf8'));
    expect(Object.keys(memory).sort()).toEqual(['rotated', 'signed', 'verified']);
    const text = JSON.stringify(memory);
    const duplicate = text.replace('{', '{"signed":1,');
    const { sha256: _, ...verified } = memory.verified;
    const { nextRoots: __, ...rotated } = memory.rotated;
    const others = [...damaged(memory), { ...memory, verified }, { ...memory, rotated }].map((one) =>
      JSON.stringify(one),
    );
    const texts = [
      '',
      '0',
      text.slice(0, -1),
      duplicate,
      `\ufeff${text}`,
      ...others.filter((one) => one !== text),
    ];
    const rootKey = await importRootKey(JSON.parse(read('root.json').toString()));
    const remembering = { rootKey } as SigningRequest;
    for (const damage of texts) {
      writeFileSync(file, damage);
      expect(() => assertFollowsMemory(at('memory'), remembering, undefined), damage).toThrow(
        expect.objectContaining({ code: 'ERR_IO_FAILED', message: expect.stringContaining(path) }),
      );
    }
    await refused('ERR_IO_FAILED', path, ...signing());
    // What cannot be read is not absent.
    rmSync(file);
    mkdirSync(file);
    await refused('ERR_IO_FAILED', 'is a folder', ...signing());
    rmSync(file, { recursive: true });
    writeFileSync(file, text);
    await signed();
  });

  it('the key to which it has rotated: another one needs to be named', async () => {
    await rotate();
    const first = thumbprint('next');
    await signed();
    // The same step again, and a later step to the same key.
    await signed();
    await rotate();
    await signed();
    alterInput(folder, 'rotation', { claims: { next_roots: [HASH.replace(/0$/, 'A')] } });
    rmSync(at('request/outgoing/rotation.sig'));
    await assertRefused('ERR_REQUEST_OUTDATED', `--instead-of ${first}`);
    for (const end of ['pem', 'json']) rmSync(at(`next.${end}`));
    await keyPair(folder, 'next');
    await rotate();
    expect(thumbprint('next')).not.toBe(first);
    await assertRefused('ERR_REQUEST_OUTDATED', `--instead-of ${first}`);
    await refused(
      'ERR_REQUEST_OUTDATED',
      `--instead-of ${first}`,
      ...signing('--instead-of', thumbprint('next')),
    );
    await signed('--instead-of', first);
  });
});

describe('attach refuses', () => {
  it('a payload whose signature is missing, of other bytes, or by another key', async () => {
    await rotate();
    await signed();
    await signedByNext();
    const good = new Map(signatures().map((name) => [`request/${name}`, read(`request/${name}`)]));
    expect(good.size).toBe(4);
    for (const [file, signature] of good) {
      rmSync(at(file));
      await refused('ERR_USAGE', 'run `sign request`', ...attaching());
      for (const other of ['A'.repeat(86), '', '\0', read('dist/issuers.sig')]) {
        writeFiles(folder, { [file]: other });
        const [payload] = file.slice('request/'.length).split('.');
        await refused('ERR_KEY_REJECTED', `signature of ${payload}.`, ...attaching());
      }
      writeFiles(folder, { [file]: signature });
    }
    await refused(
      'ERR_REQUEST_PAYLOAD',
      thumbprint('online'),
      'attach',
      'request',
      '--root-key',
      'online.json',
    );
    await refused('ERR_USAGE', 'but 5', ...attaching('one', 'two', 'three', 'four', 'five'));
    const files = ['issuers', 'publication', 'checkpoint', 'outgoing/rotation'];
    await attached(...files.map((file) => `request/${file}.sig`));
  });

  it('a rotation that no signer would sign, although the root key has signed it', async () => {
    await rotate();
    alterInput(folder, 'rotation', { claims: { anything: true } });
    signFiles(folder, { key: 'next', outgoing: 'key' });
    await refused('ERR_REQUEST_PAYLOAD', 'claim anything', ...attaching());
  });

  it('a request without a step by which another root key would replace that of the tree', async () => {
    await rotate();
    rmSync(at('request/outgoing'), { recursive: true });
    signFiles(folder, { key: 'next' });
    await refused('ERR_KEY_REJECTED', 'no rotation', 'attach', 'request', '--root-key', 'next.json');
  });
});
