import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { statementHash } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { isLocalOrigin } from '../../../build/generator/log/log-choice.js';
import { type ErrorCode, expectCommandError } from '../../support/expect-command-error.js';
import { logEntries, logHead, problemsIn } from '../../support/log-files.js';
import { lengthenLog } from '../../support/long-log.js';
import { noteSigner, pairIn } from '../../support/note-keys.js';
import { operatorInCopies } from '../../support/operator.js';
import { keyIn } from '../../support/publication.js';
import { withKeys } from '../../support/settings.js';
import { sha256 } from '../../support/sha256.js';
import { claimsOf } from '../../support/statements.js';
import { filesBelow, keyedWorkspace, keyPair, writeFiles } from '../../support/workspace.js';

const ORIGIN = 'registry.example/log';
const KEYS = ['--key', 'key.pem', ...withKeys({ log: 'log.pem' })];
const named = (origin: string) => ['build', ...KEYS, ...withKeys({ origin })];
const BUILD = named(ORIGIN);
const ROTATE = ['keys', 'rotate', '--yes', '--key', 'key.pem', '--next-key', 'next.pem'];

const operator = operatorInCopies(() => keyedWorkspace(['alpha'], 'log', 'next', 'online'));
const { at, dist, read, good, record: change, tree, claims } = operator;

/** Runs a command with `--json`, which must be refused, and must leave the tree as it is. */
const refused = async (args: readonly string[], code: ErrorCode, ...facts: readonly string[]) => {
  const outcome = await operator.refused([...args, '--json']);
  expectCommandError(outcome, code, ...facts);
  return JSON.parse(outcome.stdout).error;
};
const hashOf = (path: string) => statementHash(String(read(path)));
const signersOfLog = async () => ({
  root: await keyIn(at('key.pem')),
  log: noteSigner(ORIGIN, 'log', pairIn(at('log.pem'))),
});
const types = async () => (await logEntries(dist())).map(({ type }) => type);

describe('the log of a registry', () => {
  it('gets an entry with every publication and rotation, and keeps their statements', async () => {
    await good(...BUILD);
    const { iat: _iat, log, ...statement } = claims('publication');
    expect(log).toEqual({
      origin: ORIGIN,
      vkey: expect.stringMatching(/^registry\.example\/log\+[0-9a-f]{8}\+A/),
    });
    expect(await logEntries(dist())).toEqual([
      {
        list: statement['sha256'],
        sequence: 1,
        sha256: hashOf('publication.jwt'),
        type: 'publication',
        updated_at: statement['updated_at'],
      },
    ]);
    change('beta');
    await good(...BUILD);
    const online = withKeys({ checkpoint: 'online.pem' });
    await good(...BUILD, ...online);
    expect(await types()).toEqual(['publication', 'publication', 'publication']);
    await good(...ROTATE, ...withKeys({ log: 'log.pem' }), ...online);
    const entries = await logEntries(dist());
    expect(entries.slice(3)).toMatchObject([
      { type: 'rotation', step: 1, next: JSON.parse(read('keys/root.json').toString())['kid'] },
      { type: 'publication', sequence: 4 },
    ]);
    for (const [index, { sha256: hash }] of entries.entries()) {
      expect(hashOf(`log/statements/${index}.jwt`)).toBe(hash);
    }
    expect(await problemsIn(dist())).toEqual([]);
  });

  it('is not touched by a build that publishes nothing new, which needs no key of the log', async () => {
    await good(...BUILD);
    const before = tree();
    const { mtimeMs } = statSync(dist('log/checkpoint'));
    await good('build', '--key', 'key.pem');
    expect(tree()).toEqual(before);
    expect(statSync(dist('log/checkpoint')).mtimeMs).toBe(mtimeMs);
  });

  it('begins in a registry that has published before, with all its rotations', async () => {
    await good('build', '--key', 'key.pem');
    await good(...ROTATE);
    expect(claims('publication')).not.toHaveProperty('log');
    await good('build', '--key', 'next.pem', ...withKeys({ log: 'log.pem', origin: ORIGIN }));
    expect(await types()).toEqual(['rotation', 'publication']);
    expect(claims('publication')).toMatchObject({ sequence: 3, log: { origin: ORIGIN } });
    expect(await problemsIn(dist())).toEqual([]);
  });

  it('keeps each list that is small enough', async () => {
    await good(...BUILD);
    const first = sha256(read('issuers.json'));
    change('beta');
    writeFiles(at(), { 'none.yaml': 'log: { keep_lists: 0 }\n' });
    await good(...BUILD, '--config', 'none.yaml');
    expect(readdirSync(dist('lists'))).toHaveLength(2);
    for (const id of ['beta', 'gamma', 'delta']) {
      change(id);
      await good(...BUILD);
    }
    expect(readdirSync(dist('lists'))).toHaveLength(4);
    expect(sha256(read(`lists/${first}.json`))).toBe(first);
    change('epsilon');
    await good(...BUILD, '--config', 'none.yaml');
    expect(readdirSync(dist('lists'))).toHaveLength(3);
    expect(existsSync(dist(`lists/${sha256(read('issuers.json'))}.json`))).toBe(true);
    expect(await problemsIn(dist())).toEqual([]);
  });

  it('loses the partial tiles of a full one', async () => {
    await good(...BUILD);
    await lengthenLog(dist(), await signersOfLog(), 255);
    expect(readdirSync(dist('log/tile/0/000.p'))).toHaveLength(255);
    change('beta');
    await good(...BUILD);
    const tiles = () => filesBelow(dist('log/tile')).sort();
    expect(tiles()).toEqual(['0/000', '1/000.p/1', 'entries/000']);
    change('gamma');
    await good(...BUILD);
    expect(tiles()).toEqual(['0/000', '0/001.p/1', '1/000.p/1', 'entries/000', 'entries/001.p/1']);
    expect(await problemsIn(dist())).toEqual([]);
  });

  it('begins anew where a production key replaces a development key', async () => {
    await good('build', ...withKeys({ origin: ORIGIN }));
    change('beta');
    await good('build');
    expect(logHead(dist()).size).toBe(2);
    await good(...BUILD);
    expect(await types()).toEqual(['publication']);
    expect(claims('publication')).toMatchObject({ sequence: 1 });
    expect(claims('publication')).not.toHaveProperty('previous');
    expect(readdirSync(dist('log/tile/0/000.p'))).toEqual(['1']);
    expect(await problemsIn(dist())).toEqual([]);
  });

  it('is signed by another key after a statement that names the key', async () => {
    await good(...BUILD);
    await keyPair(at(), 'log2');
    const build = ['build', '--key', 'key.pem'];
    const keyId = (name: string) => noteSigner(ORIGIN, 'log', pairIn(at(`${name}.pem`))).vkey.split('+')[1];
    change('beta');
    const ids = [`has the key ${keyId('log')}`, `log.signer is the key ${keyId('log2')}`];
    const mistaken = await refused([...build, ...withKeys({ log: 'log2.pem' })], 'ERR_KEY_REJECTED', ...ids);
    expect(mistaken.see).toBe('docs/operators/emergency.md#the-key-of-the-log-is-lost');
    await good(...build, ...withKeys({ log: 'log2.pem', logPublicKey: 'log2.json' }));
    expect(await types()).toEqual(['publication', 'publication']);
    const { log } = claims('publication') as { log: { vkey: string } };
    expect(log.vkey).not.toBe(
      (claimsOf(read('log/statements/0.jwt')) as typeof log & { log: typeof log })['log'].vkey,
    );
    expect(await problemsIn(dist())).toEqual([]);
  });

  it('is part of a publication that was signed elsewhere: the private key stays where `attach` runs', async () => {
    await good(...BUILD);
    change('beta');
    const away = withKeys({ log: 'away.pem', logPublicKey: 'log.json' });
    await good('build', '--unsigned', 'request', '--root-key', 'key.json', ...away);
    expect(readFileSync(at('request/CHANGES.txt'), 'utf8')).toContain(`  log       ${ORIGIN}\n`);
    await good('sign', 'request', '--key', 'key.pem', '--yes');
    const attach = ['attach', 'request', '--root-key', 'key.json'];
    await refused(attach, 'ERR_USAGE', 'log.signer');
    await refused([...attach, ...away], 'ERR_KEY_REJECTED', 'away.pem');
    await good(...attach, ...withKeys({ log: 'log.pem' }));
    const before = tree();
    await good(...attach);
    expect(tree()).toEqual(before);
    expect(await types()).toEqual(['publication', 'publication']);
    expect(await problemsIn(dist())).toEqual([]);
  });

  it('tells the signer of a request that a log begins, and that its key changes', async () => {
    await good('build', '--key', 'key.pem');
    const unsigned = ['build', '--root-key', 'key.json', ...withKeys({ origin: ORIGIN }), '--unsigned'];
    await good(...unsigned, 'request', ...withKeys({ log: 'log.pem' }));
    const changes = readFileSync(at('request/CHANGES.txt'), 'utf8');
    expect(changes).toContain(`log       ${ORIGIN} FROM NOW ON: it cannot be withdrawn`);
    expect(changes).toMatch(/log key {3}registry\.example\/log\+/);
    await good('sign', 'request', '--key', 'key.pem', '--yes');
    await good('attach', 'request', '--root-key', 'key.json', ...withKeys({ log: 'log.pem' }));
    await keyPair(at(), 'log2');
    await good(...unsigned, 'request2', ...withKeys({ log: 'log2.pem', logPublicKey: 'log2.json' }));
    expect(readFileSync(at('request2/CHANGES.txt'), 'utf8')).toContain(', A NEW KEY');
    await good('sign', 'request2', '--key', 'key.pem', '--yes');
    const attach = ['attach', 'request2', '--root-key', 'key.json'];
    await refused([...attach, ...withKeys({ log: 'log.pem' })], 'ERR_USAGE', 'another key of the log');
    await good(...attach, ...withKeys({ log: 'log2.pem' }));
  });
});

describe('a build refuses', () => {
  it.each<[string, readonly string[], ErrorCode, string]>([
    ['a log without its key', ['build', '--key', 'key.pem'], 'ERR_USAGE', 'log.signer'],
    ['another name', named('other.example/log'), 'ERR_USAGE', `the log is ${ORIGIN}`],
    [
      'a P-256 key',
      ['build', '--key', 'key.pem', ...withKeys({ log: 'p256.pem' })],
      'ERR_KEY_REJECTED',
      'Ed25519',
    ],
  ])('%s', async (_what, args, code, fact) => {
    await good('keys', 'generate', '--no-passphrase', '--alg', 'P-256', '--private', 'p256.pem');
    await good(...BUILD);
    change('beta');
    await refused(args, code, fact);
  });

  it('a new log without a name', async () => {
    await refused(['build', ...KEYS], 'ERR_USAGE', 'log.origin');
  });

  it.each([
    '127.0.0.1/log',
    'localhost/log',
    '[::1]/log',
    'laptop/log',
    'registry.local/log',
    '192.168.1.7:8080/log',
    'a.localhost/log',
  ])('the name %s, which only one machine or network has', (origin) => {
    expect(isLocalOrigin(origin)).toBe(true);
  });

  it.each([ORIGIN, 'registry.example:8080/log', '1.example/local'])('not the name %s', (origin) => {
    expect(isLocalOrigin(origin)).toBe(false);
  });

  it('such a name, also in a request', async () => {
    const origin = 'laptop/log';
    for (const way of [
      ['build', ...KEYS],
      ['build', '--unsigned', 'request', '--root-key', 'key.json', ...withKeys({ log: 'log.pem' })],
    ])
      await refused([...way, ...withKeys({ origin })], 'ERR_USAGE', origin);
  });

  it('a name that is not one', async () => {
    const { stdout } = await operator.refused([
      'build',
      ...KEYS,
      '--json',
      ...withKeys({ origin: 'https://registry.example' }),
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'ERR_CONFIGURATION_REJECTED' },
      diagnostics: [{ message: expect.stringContaining('log.origin') }],
    });
  });

  it('a log that was put back, and a log of another history', async () => {
    await good(...BUILD);
    cpSync(dist(), at('old'), { recursive: true });
    change('beta');
    await good(...BUILD);
    rmSync(dist('log'), { recursive: true });
    cpSync(at('old/log'), dist('log'), { recursive: true });
    change('gamma');
    await refused(BUILD, 'ERR_TREE_REJECTED', 'does not end with the publication statement');
  });
});
