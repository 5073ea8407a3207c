import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyHistoryProof } from '@passport-registry/verifier/history';
import { beforeAll, describe, expect, it } from 'vitest';
import { cosignTree } from '../../support/log-files.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { claimsOf, sha256 } from '../../support/signed-tree.js';
import { type Cosigning, noteSigner, ORIGIN } from '../../support/test-log.js';
import { cli, recordText, workspace, writeFiles } from '../../support/workspace.js';

/** A registry with three publications, and copies of its trees. */
let folder: string;
const witnesses = ['w1.example', 'w2.example', 'w3.example'].map((name) => noteSigner(name, 'witness'));

const BUILD = ['build', '--key', 'key.pem', ...withKeys({ log: 'log.pem', origin: ORIGIN })];
const TRUST = ['--root-key', 'trust-anchor.json'];
const dist = () => join(folder, 'dist');

async function good(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(args, folder);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
  return stdout;
}

const cosign = (time: string) => {
  const [w1, w2] = witnesses.map((witness, at): Cosigning => [witness, time.replace(/0Z$/, `${at}Z`)]);
  return cosignTree(dist(), [w1, w2] as Cosigning[], 2);
};

beforeAll(async () => {
  folder = await workspace(['alpha', 'beta']);
  for (const name of ['log', 'online']) {
    writeFiles(folder, {
      [`${name}.json`]: await good('keys', 'generate', '--no-passphrase', '--private', `${name}.pem`),
    });
  }
  const publish = async (day: number, ...more: string[]) => {
    await good(...BUILD, ...more);
    for (const hour of [10, 12]) await cosign(`2026-03-0${day}T${hour}:00:00Z`);
    cpSync(dist(), join(folder, `dist-${day}`), { recursive: true });
  };
  await publish(1);
  writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
  await publish(3);
  writeFiles(folder, {
    'issuers/gamma.yaml': recordText('gamma'),
    delegation: await good('keys', 'delegate', '--key', 'key.pem', '--online', 'online.json'),
  });
  await publish(5, '--delegation', 'delegation', ...withKeys({ checkpoint: 'online.pem' }));
  const root = JSON.parse(readFileSync(join(dist(), 'keys/root.json'), 'utf8'));
  const anchor = { root, log: ORIGIN, witnesses: witnesses.map(({ vkey }) => vkey), quorum: 2 };
  writeFiles(folder, {
    'trust-anchor.json': JSON.stringify(anchor),
    'root.json': JSON.stringify(root),
    'policy.json': '{"tiers":["certified"]}',
  });
});

describe('resolve --at', () => {
  it('shows the record of a time, and between which times it is proven', async () => {
    const { code, stderr } = await cli(
      ['resolve', 'alpha', '--at', '2026-03-03T11:00:00+00:00', ...TRUST],
      folder,
    );
    const list = readFileSync(join(folder, 'dist-3/issuers.json'));
    expect(stderr).toBe(`alpha was listed as certified, suspended at 2026-03-03T11:00:00Z
    proven from  2026-03-03T10:00:01Z, by w1.example, w2.example
    proven until 2026-03-03T12:00:00Z, by w1.example, w2.example
    publication  2, list of ${JSON.parse(list.toString()).updated_at}
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
      ['resolve', 'alpha', '--at', '2026-03-01T10:00:01Z', ...TRUST, '--json'],
      folder,
    );
    const statement = claimsOf(readFileSync(join(folder, 'dist-1/publication.jwt')));
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      ...{ issuerId: 'alpha', at: '2026-03-01T10:00:01Z', evidence: 'witnesses', listed: true },
      issuer: JSON.parse(readFileSync(join(folder, 'dist-1/issuers/alpha'), 'utf8')),
      ...{ from: '2026-03-01T10:00:01Z', until: '2026-03-01T12:00:00Z' },
      witnesses: { from: ['w1.example', 'w2.example'], until: ['w1.example', 'w2.example'] },
      ...{ sequence: 1, updatedAt: statement['updated_at'], sha256: statement['sha256'] },
      rootKey: JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8')).kid,
    });
  });

  it('applies a policy to the record of that time', async () => {
    const ask = (day: number) =>
      cli(
        [
          'resolve',
          'alpha',
          '--at',
          `2026-03-0${day}T11:00:00Z`,
          ...TRUST,
          '--policy',
          'policy.json',
          '--json',
        ],
        folder,
      );
    const [active, suspended] = [await ask(1), await ask(3)];
    expect([active.code, suspended.code]).toEqual([0, 1]);
    expect(JSON.parse(active.stdout)).toMatchObject({ accepted: true, reasons: [{ code: 'policy-met' }] });
    expect(JSON.parse(suspended.stdout)).toMatchObject({
      accepted: false,
      reasons: [{ code: 'status-suspended' }],
    });
    expect(suspended.stderr).toContain('the policy REJECTS it\n    status-suspended: ');
  });

  it('ends with 1 if the issuer was not listed, with 4 if nothing is proven, and shows the neighbours', async () => {
    const absent = await cli(['resolve', 'gamma', '--at', '2026-03-03T11:00:00Z', ...TRUST], folder);
    expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('gamma was NOT listed at')]);
    const between = [
      'resolve',
      'alpha',
      '--at',
      '2026-03-02T00:00:00Z',
      ...TRUST,
      '--proof-out',
      'none.json',
    ];
    const { code, stderr } = await cli(between, folder);
    expect([code, stderr]).toEqual([
      4,
      `nothing proves what the registry said of alpha at 2026-03-02T00:00:00Z
    before: until 2026-03-01T12:00:00Z, publication 1: listed as certified, active
    after: from 2026-03-03T10:00:01Z, publication 2: listed as certified, suspended
none.json is not written, because there is nothing to prove
`,
    ]);
    expect(existsSync(join(folder, 'none.json'))).toBe(false);
    const { stdout } = await cli([...between, '--json'], folder);
    expect(JSON.parse(stdout)).toMatchObject({
      ...{ issuerId: 'alpha', at: '2026-03-02T00:00:00Z', evidence: 'none', unproven: [] },
      before: { sequence: 1, issuer: { status: 'active' } },
      after: { sequence: 2, issuer: { status: 'suspended' } },
    });
  });

  it('says that without witnesses the times are only the word of the publisher', async () => {
    const { iat = 0 } = claimsOf(readFileSync(join(dist(), 'publication.jwt')));
    const signed = new Date(iat * 1000).toISOString();
    const ask = ['resolve', 'alpha', '--at', signed, '--root-key', 'root.json'];
    const { code, stderr } = await cli(ask, folder);
    expect(stderr).toContain(
      "    NOT proven: without a trust anchor that names witnesses, the times are only the publisher's word\n" +
        `    signed       ${signed.replace('.000', '')}, not replaced yet\n`,
    );
    expect(stderr).not.toMatch(/proven from|proven until/);
    expect(code).toBe(0);
    expect(JSON.parse((await cli([...ask, '--json'], folder)).stdout)).toMatchObject({
      ...{ evidence: 'publisher', witnesses: null, until: null },
    });
    const proof = await cli([...ask, '--proof-out', 'p.json'], folder);
    expect([proof.code, proof.stderr]).toEqual([
      2,
      expect.stringContaining('needs a trust anchor with witnesses'),
    ]);
  });

  it('asks hosts, one after the other, until one has an answer', async () => {
    const base = await serve(dist());
    writeFiles(folder, { 'empty/x': '' });
    const sources = ['http://127.0.0.1:9', 'empty', base];
    const ask = ['resolve', 'alpha', '--at', '2026-03-01T11:00:00Z', ...TRUST];
    const { code, stderr } = await cli([...ask, ...sources], folder);
    expect(code).toBe(0);
    expect(stderr).toMatch(
      /^note: http:\/\/127\.0\.0\.1:9 has no answer: .*\nnote: empty has no answer: .*\nalpha was listed/,
    );
    const none = await cli([...ask, 'http://127.0.0.1:9'], folder);
    expect(none.code).toBe(4);
  });

  it('asks the next source if one proves nothing for this time', async () => {
    const ask = (time: string, ...sources: string[]) =>
      cli(['resolve', 'alpha', '--at', time, ...TRUST, ...sources], folder);
    const { code, stderr } = await ask('2026-03-05T11:00:00Z', 'dist-1', 'dist-5');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(
        /^note: dist-1 proves nothing for this time\nalpha was listed as certified, susp/,
      ),
    ]);
    // A source that proves nothing is no answer, but it has one more than a source that does not respond.
    for (const sources of [
      ['dist-1', 'dist-3', 'http://127.0.0.1:9'],
      ['http://127.0.0.1:9', 'dist-3', 'dist-1'],
    ]) {
      const nothing = await ask('2026-03-02T00:00:00Z', ...sources);
      expect(nothing.stderr.match(/^note: \S+/gm)).toEqual(sources.map((source) => `note: ${source}`));
      expect(nothing.stderr).toContain(
        'nothing proves what the registry said of alpha at 2026-03-02T00:00:00Z\n' +
          '    before: until 2026-03-01T12:00:00Z, publication 1: listed as certified, active\n' +
          '    after: from 2026-03-03T10:00:01Z, publication 2: listed as certified, suspended\n',
      );
    }
  });
});

describe('a proof file', () => {
  const prove = (...more: string[]) =>
    cli(
      ['resolve', 'alpha', '--at', '2026-03-03T11:00:00Z', ...TRUST, '--proof-out', 'alpha.json', ...more],
      folder,
    );

  it('is written by resolve and checked by verify, without the registry', async () => {
    const { code, stderr } = await prove();
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('alpha.json proves it to everybody who trusts'),
    ]);
    const alone = await workspace([]);
    for (const name of ['alpha.json', 'trust-anchor.json']) cpSync(join(folder, name), join(alone, name));
    const verified = await cli(['verify', '--proof', 'alpha.json', ...TRUST], alone);
    expect(verified.stderr).toMatch(
      /^alpha\.json is valid: alpha was listed as certified, suspended\n {4}proven from {2}2026-03-03T10:00:01Z, by w1/,
    );
    expect(verified.code).toBe(0);
    const { stdout } = await cli(['verify', '--proof', 'alpha.json', ...TRUST, '--json'], alone);
    const { at: _at, evidence: _evidence, ...asked } = JSON.parse((await prove('--json')).stdout);
    expect(JSON.parse(stdout)).toEqual({ ok: true, ...asked });
    const trustAnchor = JSON.parse(readFileSync(join(alone, 'trust-anchor.json'), 'utf8'));
    const file = readFileSync(join(alone, 'alpha.json'));
    expect(await verifyHistoryProof(file, { trustAnchor })).toMatchObject({
      issuer: { status: 'suspended' },
    });
    expect(file.length).toBeLessThan(8 * 1024);
  });

  it('is refused if it is altered, or of another registry', async () => {
    await prove();
    const text = readFileSync(join(folder, 'alpha.json'), 'utf8');
    writeFiles(folder, {
      'altered.json': text.replace('suspended', 'active'),
      'half.json': text.slice(0, 500),
    });
    const altered = await cli(['verify', '--proof', 'altered.json', ...TRUST], folder);
    expect([altered.code, altered.stderr]).toEqual([
      1,
      expect.stringContaining('is NOT valid: ERR_SUMS_MISMATCH'),
    ]);
    const half = await cli(['verify', '--proof', 'half.json', ...TRUST, '--json'], folder);
    expect(half.code).toBe(1);
    expect(JSON.parse(half.stdout)).toMatchObject({ ok: false, error: { code: 'ERR_TREE_REJECTED' } });
    const anchor = JSON.parse(readFileSync(join(folder, 'trust-anchor.json'), 'utf8'));
    const { kid: _kid, ...other } = JSON.parse(readFileSync(join(folder, 'log.json'), 'utf8'));
    writeFiles(folder, { 'other.json': JSON.stringify({ ...anchor, root: other }) });
    const stranger = await cli(['verify', '--proof', 'alpha.json', '--root-key', 'other.json'], folder);
    expect([stranger.code, stranger.stderr]).toEqual([1, expect.stringContaining('ERR_PUBLICATION_INVALID')]);
  });

  it.each([
    ['a tree', ['dist', ...TRUST], 'leave out the tree'],
    ['no trust', [], 'needs --root-key'],
    ['a root key alone', ['--root-key', 'root.json'], 'that has witnesses and a quorum'],
  ])('is not checked with %s', async (_what, args, message) => {
    await prove();
    const { code, stderr } = await cli(['verify', '--proof', 'alpha.json', ...args], folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('that does not exist cannot be checked', async () => {
    expect((await cli(['verify', '--proof', 'nothing.json', ...TRUST], folder)).code).toBe(4);
  });
});

describe('diff --at --at', () => {
  const at = (first: string, second: string, ...more: string[]) =>
    cli(['diff', 'dist', '--at', first, '--at', second, ...more], folder);

  it.each([
    [[], 'dist-1', 'dist-3', '2026-03-01T11:00:00Z', '2026-03-03T11:00:00Z'],
    [['--format', 'json'], 'dist-1', 'dist-5', '2026-03-01T11:00:00Z', '2026-03-05T11:00:00Z'],
    [['--format', 'markdown'], 'dist-3', 'dist-5', '2026-03-03T11:00:00Z', '2026-03-05T11:00:00Z'],
    [[], 'dist-3', 'dist-3', '2026-03-03T10:00:01Z', '2026-03-03T12:00:00Z'],
  ])('shows what diff shows of the trees of that time %s', async (format, before, after, first, second) => {
    const expected = await cli(['diff', before, after, '--root-key', 'root.json', ...format], folder);
    const { code, stdout, stderr } = await at(first, second, ...TRUST, ...format);
    const shown = stdout.startsWith('{') ? { ...JSON.parse(stdout), past: undefined } : stdout;
    expect([code, shown]).toEqual([
      expected.code,
      stdout.startsWith('{') ? JSON.parse(expected.stdout) : expected.stdout,
    ]);
    expect(stderr.endsWith(expected.stderr)).toBe(true);
  });

  it('says which publications it compares, and between which times they are proven', async () => {
    const times = ['2026-03-01T11:00:00Z', '2026-03-03T11:00:00+00:00'] as const;
    const { stderr } = await at(...times, ...TRUST);
    const [one = {}, two = {}] = ['dist-1', 'dist-3'].map((tree) =>
      claimsOf(readFileSync(join(folder, tree, 'publication.jwt'))),
    ) as Record<string, unknown>[];
    expect(
      stderr.startsWith(`the list of 2026-03-01T11:00:00Z
    proven from  2026-03-01T10:00:01Z, by w1.example, w2.example
    proven until 2026-03-01T12:00:00Z, by w1.example, w2.example
    publication  1, list of ${one['updated_at']}
    sha256       ${one['sha256']}
the list of 2026-03-03T11:00:00Z
    proven from  2026-03-03T10:00:01Z, by w1.example, w2.example
    proven until 2026-03-03T12:00:00Z, by w1.example, w2.example
    publication  2, list of ${two['updated_at']}
    sha256       ${two['sha256']}
`),
    ).toBe(true);
    const { past } = JSON.parse((await at(...times, ...TRUST, '--json')).stdout);
    const both = ['w1.example', 'w2.example'];
    const side = (sequence: number, day: number, claims: Record<string, unknown>) => ({
      ...{ at: `2026-03-0${day}T11:00:00Z`, evidence: 'witnesses', sequence },
      ...{ from: `2026-03-0${day}T10:00:01Z`, until: `2026-03-0${day}T12:00:00Z` },
      ...{ witnesses: { from: both, until: both } },
      ...{ updatedAt: claims['updated_at'], sha256: claims['sha256'] },
      rootKey: JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8')).kid,
    });
    expect(past).toEqual([side(1, 1, one), side(2, 3, two)]);
  });

  it('says that without witnesses the times are only the word of the publisher', async () => {
    const { iat = 0 } = claimsOf(readFileSync(join(dist(), 'publication.jwt')));
    const now = new Date(iat * 1000).toISOString();
    const { code, stderr } = await at(now, now, '--root-key', 'root.json');
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/^note: NOT proven: .*\n(the list of .*\n( {4}.*\n){3}){2}0 issuers changed/),
    ]);
  });

  it('refuses times for which nothing is proven', async () => {
    const { code, stderr } = await at('2026-03-01T11:00:00Z', '2026-03-02T00:00:00Z', ...TRUST);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(
        /in force at 2026-03-02T00:00:00Z: .* are proven until 2026-03-01T12:00:00Z and from 2026-03-03T10:00:01Z/,
      ),
    ]);
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
    [['resolve', 'alpha', ...TRUST], 'pass --tier or --policy; or --at'],
    [['resolve', 'alpha', ...TRUST, '--policy', 'policy.json', '--proof-out', 'x'], 'pass --at'],
    [['diff', 'dist', '--at', time, ...TRUST], 'pass --at twice'],
    [['diff', 'dist', '--at', time, '--at', time, '--at', time, ...TRUST], 'pass --at twice'],
    [['diff', 'dist', '--at', '2026-03-03T11:00:00Z', '--at', time, ...TRUST], 'must not be later than'],
    [['diff', 'dist', '--at', time, '--at', time], '--at needs --root-key'],
    [['diff', 'dist', 'dist-1', '--at', time, '--at', time, ...TRUST], 'leave out the second side'],
    [['diff', 'HEAD', '--at', time, '--at', time, ...TRUST], 'neither a folder nor an http(s) URL'],
  ])('%j', async (args, message) => {
    const { code, stderr } = await cli(args, folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });

  it('is a registry that has no log', async () => {
    const plain = await workspace(['alpha']);
    await cli(['build', '--key', 'key.pem'], plain);
    const ask = ['resolve', 'alpha', '--at', time, '--root-key', 'dist/keys/root.json'];
    const { code, stderr } = await cli(ask, plain);
    expect([code, stderr]).toEqual([1, expect.stringContaining('dist has no log, so nothing shows')]);
  });

  it('is not a log without the lists', async () => {
    const copy = join(folder, 'without');
    cpSync(dist(), copy, { recursive: true });
    for (const path of ['log/lists', 'snapshots']) rmSync(join(copy, path), { recursive: true });
    const { code, stderr } = await cli(['resolve', 'alpha', '--at', time, ...TRUST, copy], folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining('has not kept the list')]);
    writeFileSync(join(copy, 'log/publication.tlog-proof'), 'x');
    const damaged = await cli(['resolve', 'alpha', '--at', time, ...TRUST, copy], folder);
    expect([damaged.code, damaged.stderr]).toEqual([1, expect.stringContaining('ERR_NOT_LOGGED')]);
  });
});
