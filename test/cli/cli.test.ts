import { existsSync, mkdtempSync, readdirSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { copyOf } from '../support/made-once.js';
import { CLI } from '../support/paths.js';
import { plainHost, serve } from '../support/serving.js';
import {
  cli,
  cliProcess,
  commandLine,
  goodCli,
  keyedWorkspace,
  recordText,
  run,
  temporaryFolder,
  workspace,
  writeFiles,
} from '../support/workspace.js';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

describe('passport-registry', () => {
  it('has a version', async () => {
    expect((await cli(['--version'], folder)).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it.each([
    [['bild']],
    [['build', '--nonsense']],
    [['build', 'issuers']],
    [['build', '--out']],
    [['build', '--issuers', 'nowhere', '--key', 'key.pem']],
    [['check', 'nowhere']],
    [['keys']],
    [['serve', 'nowhere']],
  ])('ends with 2 on wrong usage: %j', async (args) => {
    const folder = await workspace();
    const { code, stderr, stdout } = await cli(args, folder);
    expect(code).toBe(2);
    expect(stderr).not.toBe('');
    expect(stderr).not.toMatch(/^ +at .*:\d+:\d+/m);
    expect(stdout).toBe('');
  });

  it('says that its working folder is gone', async () => {
    const { main } = await commandLine();
    const before = process.cwd();
    const stderr = new PassThrough();
    const gone = mkdtempSync(join(temporaryFolder(), 'gone-'));
    process.chdir(gone);
    rmdirSync(gone);
    const io = { stdout: new PassThrough(), stderr, stdin: Readable.from([]), env: {} };
    const code = await main(['status'], io).finally(() => process.chdir(before));
    expect([code, String(stderr.read())]).toEqual([
      4,
      'passport-registry: the working folder was removed or replaced: enter it again, with `cd "$PWD"`\n',
    ]);
  });
});

describe('the command line within another process', () => {
  it.each([[['bild']], [['check', '--json']], [['build', '--production']]])(
    'says and answers what it does in its own: %j',
    async (args) => {
      const folder = await workspace();
      writeFiles(folder, { 'issuers/bad.yaml': 'issuer_id: worse' });
      expect(await cli(args, folder)).toEqual(await cliProcess(args, folder));
    },
  );

  it('leaves nothing behind, whatever the environment and the outcome', async () => {
    const folder = await workspace();
    const state = () => [
      process.cwd(),
      process.umask(),
      process.exitCode,
      ...['SIGINT', 'SIGTERM', 'warning', 'exit'].map((event) => process.listenerCount(event)),
    ];
    // The library of the lock listens to signals from its first use on, for as long as the process lives.
    await cli(['build', '--key', 'key.pem'], folder, { CI: '1' });
    const before = state();
    await cli(['build', '--key', 'key.pem'], folder, { CI: '1' });
    await cli(['keys', 'public', 'key.pem'], folder).then(({ stdout }) =>
      writeFiles(folder, { 'root.json': stdout }),
    );
    expect((await cli(['mirror', 'nowhere', 'copy', '--trust-anchor', 'root.json'], folder)).code).not.toBe(
      0,
    );
    expect((await cli(['build'], folder, { CI: '1' })).code).toBe(3);
    expect((await cli(['build', '--out', 'other'], folder)).code).toBe(0);
    const others = process.listeners('SIGTERM');
    const watching = cli(['check', '--watch'], folder);
    const added = () => process.listeners('SIGTERM').find((listener) => !others.includes(listener));
    await expect.poll(added).toBeDefined();
    // Not those of the library of the lock: they end the process of the test when they find no other listener.
    added()?.('SIGTERM');
    expect((await watching).code).toBe(0);
    expect(state()).toEqual(before);
  });
});

describe.runIf(existsSync('/dev/full'))('output that cannot be written', () => {
  it.each([
    ['check --json', 4],
    ['nonsense', 2],
  ])('is an error of %s', async (command, expected) => {
    const folder = await workspace();
    const program = `"${process.execPath}" "${CLI}" ${command}`;
    const { code, stderr } = await run('sh', ['-c', `${program} >/dev/full`], folder);
    expect(code).toBe(expected);
    if (code === 4) expect(stderr).toContain('ENOSPC');
    // Lost messages for people change nothing.
    const silent = await run('sh', ['-c', `${program} 2>/dev/full`], folder);
    expect(silent.code).toBe(expected === 4 ? 0 : expected);
  });
});

describe('passport-registry check', () => {
  it('says where, what, and what to do, on stdout, and ends with 1', async () => {
    writeFiles(folder, {
      'issuers/a.yaml': recordText('a', { tier: 'certifed' }),
      'issuers/b.yaml': recordText('b', { jwks_uri: undefined }),
    });
    const { code, stdout, stderr } = await cli(['check'], folder);
    expect(code).toBe(1);
    expect(stderr).toBe('');
    expect(stdout).toBe(`issuers/a.yaml:2:7: error unknown-value: tier is "certifed"
 2 | tier: certifed
   |       ^^^^^^^^
    expected: one of founding, certified, registered, sandbox
    remedy: did you mean \`certified\`?
issuers/b.yaml:1:1: error missing-field: jwks_uri is missing
 1 | issuer_id: b
   | ^^^^^^^^^^^^
    expected: all required fields
    remedy: add jwks_uri: https://issuer.example/.well-known/jwks.json
2 files: 2 problems, 0 warnings
`);
  });

  it('--json gives the same as data on stdout', async () => {
    writeFiles(folder, { 'a.yaml': recordText('a', { status: '7' }) });
    const { code, stdout } = await cli(['check', '--json', 'a.yaml'], folder);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      files: 1,
      diagnostics: [
        {
          rule: 'wrong-type',
          severity: 'error',
          file: 'a.yaml',
          line: 3,
          column: 9,
          endLine: 3,
          endColumn: 10,
          message: 'status is the number 7',
          expected: 'one of active, suspended, revoked',
          remedy: 'choose one of them',
          excerpt: { before: 'status: ', marked: '7', after: '' },
        },
      ],
    });
  });

  it('a warning alone is no failure', async () => {
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { geographical_scope: '[UK]' }) });
    const { code, stdout } = await cli(['check'], folder);
    expect(code).toBe(0);
    expect(stdout).toContain('1 file: 0 problems, 1 warning');
  });
});

describe('progress', () => {
  it('is shown on a terminal for work that takes long, and goes away; elsewhere there is none', async () => {
    const ids = Array.from({ length: 1100 }, (_one, index) => `issuer-${index}`);
    writeFiles(folder, Object.fromEntries(ids.map((id) => [`issuers/${id}.yaml`, recordText(id)])));
    // A clock that runs fast makes any work take long.
    const fast = 'const { now } = performance; performance.now = () => 1e4 * now.call(performance);';
    writeFiles(folder, { 'fast.mjs': fast });
    const command = `${process.execPath} --import ./fast.mjs ${CLI} check`;
    const { stdout } = await run('script', ['-qec', command, '/dev/null'], folder);
    expect(stdout.replaceAll('\u001b[K', '')).toMatch(/\rchecking [\d,]+ of 1,100\r/);
    expect(stdout.endsWith('\r\u001b[K1,100 files: 0 problems, 0 warnings\r\n')).toBe(true);
    expect(await cli(['check'], folder)).toEqual({
      code: 0,
      stdout: '1,100 files: 0 problems, 0 warnings\n',
      stderr: '',
    });
  });
});

describe('passport-registry resolve', () => {
  let made: string;
  beforeAll(async () => {
    made = await keyedWorkspace(['alpha']);
    await goodCli(['build', '--key', 'key.pem'], made);
    writeFiles(made, { 'policy.json': '{"tiers":["certified"]}', 'strict.json': '{"tiers":[]}' });
  });
  beforeEach(() => {
    folder = copyOf(made);
  });
  const ask = (id: string, policy: string, ...more: string[]) => [
    'resolve',
    id,
    '--policy',
    policy,
    '--trust-anchor',
    'key.json',
    ...more,
  ];

  it('accepts and rejects, with every reason, from a folder and from a live registry', async () => {
    const live = await serve(join(folder, 'dist'));
    for (const source of [[], [live], ['http://127.0.0.1:9', live]]) {
      const good = await cli(ask('alpha', 'policy.json', ...source), folder);
      expect([good.code, good.stdout]).toEqual([0, expect.stringContaining('alpha is accepted')]);
      const bad = await cli(ask('alpha', 'strict.json', '--json', ...source), folder);
      const reasons = [{ code: 'tier-not-accepted' }];
      expect([bad.code, JSON.parse(bad.stdout)]).toMatchObject([1, { accepted: false, reasons }]);
      const unknown = await cli(ask('alhpa', 'policy.json', ...source), folder);
      expect([unknown.code, unknown.stdout.includes('issuer-unknown')]).toEqual([1, true]);
      // Only a list shows which ids are similar. A host is asked for one issuer.
      expect(unknown.stdout.includes('did you mean `alpha`?')).toBe(source.length === 0);
    }
  });

  it('fetches from a host only what proves one issuer', async () => {
    const requested: string[] = [];
    const live = await plainHost(join(folder, 'dist'), 'index.html', (path, bytes) => {
      requested.push(path);
      return bytes;
    });
    expect((await cli(ask('alpha', 'policy.json', live), folder)).code).toBe(0);
    expect(requested.sort()).toEqual(['/issuers/alpha', '/statements.json', '/sums/root']);
  });

  it('takes tiers and domains without a policy file', async () => {
    const asks = (...options: string[]) =>
      cli(['resolve', 'alpha', '--trust-anchor', 'key.json', ...options], folder);
    const written = await asks('--tiers', 'founding,certified', '--domains', 'banking', '--json');
    writeFiles(folder, { 'same.json': '{"tiers":["founding","certified"],"domains":["banking"]}' });
    const { stdout, code } = await asks('--policy', 'same.json', '--json');
    expect([written.code, JSON.parse(written.stdout)]).toEqual([code, JSON.parse(stdout)]);
    expect((await asks('--tiers', 'certified')).code).toBe(0);
    expect((await asks('--tiers', 'sandbox')).code).toBe(1);
    for (const wrong of [
      ['--tiers', 'gold'],
      ['--tiers', 'certified,certified'],
      ['--tiers', 'certified', '--domains', 'No Slug'],
      [],
    ]) {
      expect([wrong, (await asks(...wrong)).code]).toEqual([wrong, 2]);
    }
  });

  it('has the name and the reason for people, or that they are not known', async () => {
    const reason = { status: 'revoked', status_reason: 'its keys were stolen' };
    writeFiles(folder, {
      'issuers/alpha.yaml': recordText('alpha', { name: 'Alpha Bank', ...reason }),
      'issuers/beta.yaml': recordText('beta'),
    });
    await cli(['build', '--key', 'key.pem'], folder);
    const live = await serve(join(folder, 'dist'));
    const about = async (id: string, source: string[]) => {
      const { stdout, stderr } = await cli(ask(id, 'policy.json', '--json', ...source), folder);
      return { stderr, data: JSON.parse(stdout).about };
    };
    for (const source of [[], [live]]) {
      const { stderr, data } = await about('alpha', source);
      expect(stderr).toMatch(/name: "Alpha Bank"\n.*reason: "its keys were stolen"\n/);
      expect(data).toMatchObject({ name: 'Alpha Bank', status_reason: reason.status_reason });
      const without = await about('beta', source);
      expect(without).toEqual({ stderr: expect.stringContaining('name: none\n'), data: {} });
      expect(without.stderr).not.toContain('reason');
      expect((await about('gamma', source)).stderr).not.toContain('name');
    }
    writeFiles(folder, { 'dist/about.json': '{"issuers":{"alpha":{"name":"Other"}}}' });
    for (const source of [[], [live]]) {
      const { stderr, data } = await about('alpha', source);
      expect([stderr, data]).toEqual([expect.stringMatching(/name: not known\n.*reason: not known\n/), null]);
    }
  });

  it('decides nothing without a good registry, a good policy and a pinned key', async () => {
    writeFiles(folder, { 'typo.json': '{"tier":["certified"]}', 'no.json': '{' });
    for (const [policy, code] of [
      ['typo.json', 2],
      ['no.json', 2],
      ['nowhere.json', 4],
    ] as const)
      expect([policy, (await cli(ask('alpha', policy), folder)).code]).toEqual([policy, code]);
    expect((await cli(ask('alpha', 'policy.json', 'nowhere'), folder)).code).toBe(2);
    expect((await cli(['resolve', 'alpha', '--policy', 'policy.json'], folder)).code).toBe(2);
    // In the folder of a registry, its settings name the root key.
    writeFiles(folder, { 'registry.yaml': 'root_key: key.json\n' });
    expect((await cli(['resolve', 'alpha', '--policy', 'policy.json'], folder)).code).toBe(0);
    // Whoever reads the list has it from either place.
    const [list = ''] = readdirSync(join(folder, 'dist/lists'));
    writeFiles(folder, { 'dist/issuers.json': '{}', [`dist/lists/${list}`]: '{}' });
    const { code, stderr, stdout } = await cli(ask('alpha', 'policy.json'), folder);
    expect(code).toBe(1);
    expect(stderr).toContain('ERR_PUBLICATION_MISMATCH');
    expect(stdout).toBe('');
  });
});
