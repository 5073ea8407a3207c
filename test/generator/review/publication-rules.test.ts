import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { EXAMPLE_RECORDS } from '../../support/paths.js';
import { signsFile } from '../../support/signing-command.js';
import {
  cli,
  clockAhead,
  recordText,
  temporaryFolder,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

let folder: string;
const list = () => readFileSync(join(folder, 'dist/issuers.json'), 'utf8');
const record = (id: string, changes: Record<string, string>) =>
  writeFiles(folder, { [`issuers/${id}.yaml`]: recordText(id, changes) });
/** The machine with the key forgets, too: what is tried here are the rules. */
const clear = () => {
  for (const name of ['request', 'memory']) rmSync(join(folder, name), { recursive: true, force: true });
};
const remove = (id: string) => rmSync(join(folder, `issuers/${id}.yaml`));

/** With these, a request has the change that the machine with the key, or with the registry, is to refuse. */
const ALL = [
  'a:revoked-is-final',
  's:suspension-not-lifted',
  'a:record-removed',
  'a:certified-since-changed',
].flatMap((override) => ['--override', override]);

/** Every way to a signed list: each must hold the same rules. */
const WAYS: Record<string, (...args: string[]) => Promise<{ code: number | null; stderr: string }>> = {
  build: (...args) => cli(['build', '--key', 'key.pem', ...args], folder),
  'build --production': (...args) => cli(['build', '--key', 'key.pem', '--production', ...args], folder),
  'build by a command': (...args) => {
    const signer = { command: signsFile('key.pem') };
    writeFiles(folder, { 'command.yaml': JSON.stringify({ root_key: 'root.json', signer }) });
    return cli(['build', '--config', 'command.yaml', ...args], folder);
  },
  'build --unsigned': (...args) => cli(['build', '--unsigned', 'request', ...args], folder),
  sign: async (...args) => {
    const request = await cli(['build', '--unsigned', 'request', '--allow-example-names', ...ALL], folder);
    expect(request.code).toBe(0);
    return cli(['sign', 'request', '--key', 'key.pem', '--memory', 'memory', '--yes', ...args], folder);
  },
  attach: async (...args) => {
    const allowed = ['--allow-example-names', ...ALL];
    expect((await cli(['build', '--unsigned', 'request', ...allowed], folder)).code).toBe(0);
    const sign = ['sign', 'request', '--key', 'key.pem', '--memory', 'memory', '--yes', ...allowed];
    expect((await cli(sign, folder)).code).toBe(0);
    return cli(['attach', 'request', '--root-key', 'root.json', ...args], folder);
  },
};

beforeEach(async () => {
  folder = await workspace(['a', 'b']);
  record('a', { status: 'revoked' });
  record('s', { status: 'suspended' });
  writeFiles(folder, { 'root.json': (await cli(['keys', 'public', 'key.pem'], folder)).stdout });
  expect((await cli(['build', '--key', 'key.pem'], folder)).code).toBe(0);
});

const FORBIDDEN: [rule: string, id: string, change: () => void][] = [
  ['revoked-is-final', 'a', () => record('a', { status: 'active' })],
  ['suspension-not-lifted', 's', () => record('s', {})],
  ['record-removed', 'a', () => remove('a')],
  [
    'certified-since-changed',
    'a',
    () => record('a', { status: 'revoked', certified_since: '2020-01-01T00:00:00Z' }),
  ],
];

describe.each(Object.entries(WAYS))('%s', (_name, publish) => {
  it.each(FORBIDDEN)(
    'refuses %s, and names the rule; an override for this rule and issuer permits it',
    async (rule, id, change) => {
      const before = list();
      change();
      const refused = await publish();
      expect(refused.stderr).toContain(rule);
      expect(refused.code).toBe(1);
      expect(list()).toBe(before);
      clear();
      const other = await publish('--override', `b:${rule}`);
      expect(other.code).toBe(1);
      clear();
      const permitted = await publish('--override', `${id}:${rule}`);
      expect(permitted.stderr).toContain('overridden');
      expect(permitted.code).toBe(0);
    },
  );

  it('refuses a record under a reserved name, unless the publication is a demonstration', async () => {
    record('c', { jwks_uri: 'https://keys.issuer.example/jwks.json' });
    const refused = await publish();
    expect(refused.stderr).toContain('example-name');
    expect(refused.code).toBe(1);
    clear();
    const allowed = await publish('--allow-example-names');
    expect(allowed.stderr).toContain('warning example-name');
    expect(allowed.code).toBe(0);
  });
});

describe('the rules of a change', () => {
  it('name the file and the line', async () => {
    record('a', { status: 'active' });
    const { stderr } = await cli(['build', '--key', 'key.pem'], folder);
    expect(stderr).toContain('issuers/a.yaml:3:9: error revoked-is-final');
  });

  it('bind what commands of an emergency publish', async () => {
    remove('a');
    const { code, stderr } = await cli(['suspend', 'b', '--reason', 'x', '--key', 'key.pem'], folder);
    expect([code, stderr.includes('record-removed')]).toEqual([1, true]);
    expect(readFileSync(join(folder, 'dist/issuers/b'), 'utf8')).toContain('"status":"active"');
  });

  it('are not reset by a rotation', async () => {
    await cli(['keys', 'generate', '--no-passphrase', '--private', 'next.pem'], folder);
    record('a', { status: 'active' });
    const rotate = ['keys', 'rotate', '--yes', '--key', 'key.pem', '--next-key', 'next.pem'];
    const { code, stderr } = await cli(rotate, folder);
    expect([code, stderr.includes('revoked-is-final')]).toEqual([1, true]);
  });

  it('bind development trees, which may be removed; and end where a production key replaces the development key', async () => {
    rmSync(join(folder, 'dist'), { recursive: true });
    expect((await cli(['build'], folder)).code).toBe(0);
    record('a', { status: 'active' });
    const { code, stderr } = await cli(['build'], folder);
    expect([code, stderr.includes('remove the development tree')]).toEqual([1, true]);
    expect((await cli(['build', '--key', 'key.pem'], folder)).code).toBe(0);
  });
});

describe('updated_at ahead of the clock', () => {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().replace(/\.\d+/, '');

  it('is refused where a list is made and where it is published; the machine with the key warns', async () => {
    record('b', { tier: 'founding' });
    for (const way of [
      ['--key', 'key.pem'],
      ['--unsigned', 'request'],
    ]) {
      const { code, stderr } = await cli(['build', ...way, '--updated-at', at(6)], folder);
      expect([code, stderr.includes('in the future (the clock of this machine')]).toEqual([2, true]);
    }
    // Made where the clock is wrong.
    expect((await cli(['build', '--unsigned', 'request'], folder, clockAhead(120))).code).toBe(0);
    const sign = ['sign', 'request', '--key', 'key.pem', '--memory', 'memory', '--yes'];
    expect((await cli(sign, folder)).stderr).toContain('WARNING: updated_at');
    const { code, stderr } = await cli(['attach', 'request', '--root-key', 'root.json'], folder);
    expect([code, stderr.includes('in the future (the clock of this machine')]).toEqual([2, true]);
  });

  it('by four minutes is within what verifiers tolerate', async () => {
    record('b', { tier: 'founding' });
    expect((await cli(['build', '--key', 'key.pem', '--updated-at', at(4)], folder)).code).toBe(0);
  });
});

describe('reserved names', () => {
  it('are refused in every field, and names that only look like them are not', async () => {
    const reserved: [field: string, value: string][] = [
      ['jwks_uri', 'https://example.com/jwks'],
      ['discovery_uri', 'https://a.b.example.org/m'],
      ['policy_uri', 'https://EXAMPLE.NET/policy'],
      ['policy_uri', 'https://issuer.test/policy'],
      ['jwks_uri', 'https://issuer.alt/jwks'],
      ['contact', 'x@mail.ALT'],
      ['policy_uri', 'https://issuer.invalid/policy'],
      ['policy_uri', 'https://issuer.localhost:8443/policy'],
      ['contact', 'x@example.com'],
      ['contact', 'x@mail.example'],
    ];
    const others = ['myexample.com', 'example.com.internal', 'contest', 'test.internal', 'example.co'];
    for (const [at, [field, value]] of reserved.entries()) record(`reserved-${at}`, { [field]: value });
    for (const [at, host] of others.entries()) record(`other-${at}`, { policy_uri: `https://${host}/p` });
    const { code, stdout } = await cli(['build', '--key', 'key.pem', '--json'], folder);
    const found = JSON.parse(stdout).diagnostics.map(
      ({ file, rule }: Record<string, string>) => `${file} ${rule}`,
    );
    expect([code, found]).toEqual([
      1,
      reserved.map((_one, at) => `issuers/reserved-${at}.yaml example-name`),
    ]);
  });

  it("this repository's example issuers are signed by a development key, and by no other", async () => {
    const demonstration = temporaryFolder();
    cpSync(EXAMPLE_RECORDS, join(demonstration, 'issuers'), { recursive: true });
    await cli(['keys', 'generate', '--no-passphrase', '--private', 'key.pem'], demonstration);
    const { code, stderr } = await cli(['build', '--key', 'key.pem', '--production'], demonstration);
    expect(code).toBe(1);
    expect(stderr.match(/error example-name/g)).toHaveLength(6);
    expect((await cli(['build'], demonstration)).code).toBe(0);
  });
});
