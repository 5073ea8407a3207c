import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { cosignTree } from '../../support/log-files.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { sha256 } from '../../support/sha256.js';
import { claimsOf, readTreeFile } from '../../support/statements.js';
import { type Cosigning, noteSigner, ORIGIN } from '../../support/test-log.js';
import { cli, goodCli, keyPair, recordText, workspace, writeFiles } from '../../support/workspace.js';

/** A registry with three publications, and copies of its trees. */
let folder: string;
const witnesses = ['w1.example', 'w2.example', 'w3.example'].map((name) => noteSigner(name, 'witness'));

const BUILD = ['build', '--key', 'key.pem', ...withKeys({ log: 'log.pem', origin: ORIGIN })];
const TRUST = ['--trust-anchor', 'trust-anchor.json'];
const dist = () => join(folder, 'dist');

const cosign = (time: string) => {
  const [w1, w2] = witnesses.map((witness, at): Cosigning => [witness, time.replace(/0Z$/, `${at}Z`)]);
  return cosignTree(dist(), [w1, w2] as Cosigning[]);
};

beforeAll(async () => {
  folder = await workspace(['alpha', 'beta']);
  await keyPair(folder, 'log');
  const publish = async (day: number) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(`2026-03-0${day}T09:00:00Z`) });
    try {
      await goodCli(BUILD, folder);
    } finally {
      vi.useRealTimers();
    }
    await cosign(`2026-03-0${day}T12:00:00Z`);
    cpSync(dist(), join(folder, `dist-${day}`), { recursive: true });
  };
  await publish(1);
  writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
  await publish(3);
  writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma') });
  await publish(5);
  const root = JSON.parse(readFileSync(join(dist(), 'keys/root.json'), 'utf8'));
  const anchor = { root, log: ORIGIN, witnesses: witnesses.map(({ vkey }) => vkey), quorum: 2 };
  writeFiles(folder, {
    'trust-anchor.json': JSON.stringify(anchor),
    'root.json': JSON.stringify(root),
    'policy.json': '{"tiers":["certified"]}',
  });
});

describe('resolve --at', () => {
  it('shows the record of a time, and which publication has it', async () => {
    const { code, stdout } = await cli(
      ['resolve', 'alpha', '--at', '2026-03-03T11:00:00+00:00', ...TRUST],
      folder,
    );
    const list = readFileSync(join(folder, 'dist-3/issuers.json'));
    expect(stdout).toBe(`alpha was listed as certified, suspended at 2026-03-03T11:00:00Z
    signed       2026-03-03T09:00:00Z, replaced 2026-03-05T09:00:00Z
    clock        that of the registry, which signed these times
    log          newest head cosigned by witnesses at 2026-03-05T12:00:00Z
    publication  2, list of 2026-03-03T09:00:00Z
    sha256       ${sha256(list)}
    certified_since: 2026-01-01T00:00:00Z
    discovery_uri: https://alpha.internal/.well-known/openid-configuration
    jwks_uri: https://alpha.internal/.well-known/jwks.json
    status: suspended
    tier: certified
`);
    expect(code).toBe(0);
  });

  it('reports as JSON', async () => {
    const { code, stdout } = await cli(
      ['resolve', 'alpha', '--at', '2026-03-01T10:00:00Z', ...TRUST, '--json'],
      folder,
    );
    const statement = claimsOf(readTreeFile(join(folder, 'dist-1/publication.jwt')));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      issuerId: 'alpha',
      at: '2026-03-01T10:00:00Z',
      listed: true,
      issuer: JSON.parse(readFileSync(join(folder, 'dist-1/issuers/alpha'), 'utf8')),
      from: '2026-03-01T09:00:00Z',
      until: '2026-03-03T09:00:00Z',
      cosignedAt: '2026-03-05T12:00:00Z',
      sequence: 1,
      updatedAt: statement['updated_at'],
      sha256: statement['sha256'],
      rootKey: JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8')).kid,
    });
  });

  it('applies a policy to the record of that time', async () => {
    for (const [day, exit, reason] of [
      [1, 0, 'policy-met'],
      [3, 1, 'status-suspended'],
    ] as const) {
      const ask = ['resolve', 'alpha', '--at', `2026-03-0${day}T11:00:00Z`, ...TRUST, '--json'];
      const { code, stdout } = await cli([...ask, '--policy', 'policy.json'], folder);
      expect([code, JSON.parse(stdout)]).toMatchObject([exit, { reasons: [{ code: reason }] }]);
    }
  });

  it('ends with 1 if the issuer was not listed, and with 4 if the log does not show it', async () => {
    const absent = await cli(['resolve', 'gamma', '--at', '2026-03-03T11:00:00Z', ...TRUST], folder);
    expect([absent.code, absent.stdout]).toEqual([1, expect.stringContaining('gamma was NOT listed at')]);
    const early = ['resolve', 'alpha', '--at', '2026-02-02T00:00:00Z', ...TRUST];
    expect(await cli(early, folder)).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(
        'dist does not show which list was in force at 2026-02-02T00:00:00Z: its first publication is later',
      ),
    });
    const { code, stdout } = await cli([...early, '--json'], folder);
    expect([code, JSON.parse(stdout)]).toMatchObject([4, { ok: false }]);
  });

  it('asks hosts, one after the other, until one has an answer', async () => {
    const base = await serve(dist());
    writeFiles(folder, { 'empty/x': '' });
    const sources = ['http://127.0.0.1:9', 'empty', base];
    const ask = ['resolve', 'alpha', '--at', '2026-03-01T11:00:00Z', ...TRUST];
    const { code, stdout, stderr } = await cli([...ask, ...sources], folder);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^note: http:\/\/127\.0\.0\.1:9 has no answer: .*\nnote: empty has no answer: .*\n$/,
    );
    expect(stdout).toMatch(/^alpha was listed/);
    const none = await cli([...ask, 'http://127.0.0.1:9'], folder);
    expect(none.code).toBe(4);
  });
});

describe('diff --at --at', () => {
  const at = (first: string, second: string, ...more: string[]) =>
    cli(['diff', 'dist', '--at', first, '--at', second, ...more], folder);

  it.each([
    [[], 'dist-1', 'dist-3', '2026-03-01T11:00:00Z', '2026-03-03T11:00:00Z'],
    [['--json'], 'dist-1', 'dist-5', '2026-03-01T11:00:00Z', '2026-03-05T11:00:00Z'],
    [['--markdown'], 'dist-3', 'dist-5', '2026-03-03T11:00:00Z', '2026-03-05T11:00:00Z'],
  ])('shows what diff shows of the trees of that time %s', async (format, before, after, first, second) => {
    const expected = await cli(['diff', before, after, '--trust-anchor', 'root.json', ...format], folder);
    const { code, stdout, stderr } = await at(first, second, ...TRUST, ...format);
    const shown = stdout.startsWith('{')
      ? { ...JSON.parse(stdout), past: undefined }
      : stdout.replace(/^(?:the list of .*\n(?: {4}.*\n){5}){2}/, '');
    expect([code, shown]).toEqual([
      expected.code,
      stdout.startsWith('{') ? JSON.parse(expected.stdout) : expected.stdout,
    ]);
    expect(stderr.endsWith(expected.stderr)).toBe(true);
  });

  it('says which publications it compares', async () => {
    const times = ['2026-03-01T11:00:00Z', '2026-03-03T11:00:00+00:00'] as const;
    const [one = {}, two = {}] = ['dist-1', 'dist-3'].map((tree) =>
      claimsOf(readTreeFile(join(folder, tree, 'publication.jwt'))),
    ) as Record<string, unknown>[];
    const { past } = JSON.parse((await at(...times, ...TRUST, '--json')).stdout);
    const side = (sequence: number, day: number, claims: Record<string, unknown>) => ({
      at: `2026-03-0${day}T11:00:00Z`,
      sequence,
      cosignedAt: '2026-03-05T12:00:00Z',
      from: `2026-03-0${day}T09:00:00Z`,
      until: `2026-03-0${day + 2}T09:00:00Z`,
      updatedAt: claims['updated_at'],
      sha256: claims['sha256'],
      rootKey: JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8')).kid,
    });
    expect(past).toEqual([side(1, 1, one), side(2, 3, two)]);
  });
});

describe('wrong usage', () => {
  const time = '2026-03-01T11:00:00Z';
  it.each([
    [['resolve', 'alpha', '--at', 'yesterday', ...TRUST], 'takes an RFC 3339 date-time'],
    [['resolve', 'alpha', '--at', '2026-03-01', ...TRUST], 'takes an RFC 3339 date-time'],
    [['resolve', 'alpha', '--at', '2126-03-01T11:00:00Z', ...TRUST], 'is in the future'],
    [['resolve', '../alpha', '--at', time, ...TRUST], 'is not a valid issuer_id'],
    [['resolve', 'alpha', '--at', time, ...TRUST, 'dist', 'nowhere'], 'nowhere is neither a folder nor'],
    [['resolve', 'alpha', ...TRUST], 'pass --tiers or --policy; or --at'],
    [['diff', 'dist', '--at', time, ...TRUST], 'pass --at twice'],
    [['diff', 'dist', '--at', time, '--at', time, '--at', time, ...TRUST], 'pass --at twice'],
    [['diff', 'dist', '--at', '2026-03-03T11:00:00Z', '--at', time, ...TRUST], 'must not be later than'],
    [['diff', 'dist', '--at', time, '--at', time], '--at needs --trust-anchor'],
    [['diff', 'dist', 'dist-1', '--at', time, '--at', time, ...TRUST], 'leave out the second side'],
    [['diff', 'HEAD', '--at', time, '--at', time, ...TRUST], 'neither a folder nor an http(s) URL'],
  ])('%j', async (args, message) => {
    const { code, stderr } = await cli(args, folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});
