import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { publicationProblems } from '../../../build/generator/review/assert-publishable.js';
import { recordsIn } from '../../../build/generator/review/record-set.js';
import { expectCommandError } from '../../support/expect-command-error.js';
import { copyOf } from '../../support/made-once.js';
import { EXAMPLE_RECORDS } from '../../support/paths.js';
import { requestsIn } from '../../support/signing-request.js';
import { cli, clockAhead, good, keyPair, type Outcome, temporaryFolder } from '../../support/workspace.js';

let folder: string;
const { at: path, record, run, request, sign, attach } = requestsIn(() => folder);
const list = () => readFileSync(path('dist/issuers.json'), 'utf8');
const build = (...args: string[]) => run('build', '--key', 'key.pem', ...args);

/** With these, a request has the change that the machine with the key, or with the registry, is to refuse. */
const ALL = [
  '--allow-example-names',
  '--override',
  's:suspension-not-lifted',
  '--override',
  'a:record-removed',
];

/** Every way to a signed list: each must hold the same rules. */
const WAYS: Record<string, (...args: string[]) => Promise<Outcome>> = {
  build,
  'build --production': (...args) => build('--production', ...args),
  'build --unsigned': request,
  sign: async (...args) => {
    await good(request(...ALL));
    return sign(...args);
  },
  attach: async (...args) => {
    await good(request(...ALL));
    await good(sign(...ALL));
    return attach(...args);
  },
};

let made: string;
beforeAll(async () => {
  made = folder = temporaryFolder();
  for (const id of ['a', 'b']) record(id);
  record('s', { status: 'suspended' });
  await keyPair(folder, 'key', '--public', 'root.json');
  await good(build());
});
beforeEach(() => {
  folder = copyOf(made);
});

/** Asserts that a command that was run with `--json` was refused by one rule. */
async function expectRefusal(command: Promise<Outcome>, rule: string): Promise<void> {
  const outcome = await command;
  expectCommandError(outcome, 'ERR_RECORDS_REJECTED');
  expect(JSON.parse(outcome.stdout).diagnostics).toMatchObject([{ severity: 'error', rule }]);
}

// Which changes are forbidden: review/diff.
describe.each(Object.entries(WAYS))('%s', (_name, publish) => {
  /** Publishes. The machine with the key has forgotten what it signed: only the rules are tried here. */
  const publishAnew = (...args: string[]) => {
    rmSync(path('memory'), { recursive: true, force: true });
    return publish(...args);
  };

  it.each<[rule: string, id: string, change: () => void]>([
    ['suspension-not-lifted', 's', () => record('s')],
    ['record-removed', 'a', () => rmSync(path('issuers/a.yaml'))],
  ])(
    'refuses %s, and names the rule; an override for this rule and issuer permits it',
    async (rule, id, change) => {
      const before = list();
      change();
      await expectRefusal(publishAnew('--json'), rule);
      expect(list()).toBe(before);
      await expectRefusal(publishAnew('--override', `b:${rule}`, '--json'), rule);
      const permitted = await publishAnew('--override', `${id}:${rule}`);
      expect(permitted).toMatchObject({ code: 0, stderr: expect.stringContaining('overridden') });
    },
  );

  it('refuses a record under a reserved name, unless the publication is a demonstration', async () => {
    record('c', { jwks_uri: 'https://keys.issuer.example/jwks.json' });
    await expectRefusal(publishAnew('--json'), 'example-name');
    const allowed = await publishAnew('--allow-example-names');
    expect(allowed).toMatchObject({ code: 0, stderr: expect.stringContaining('warning example-name') });
  });
});

describe('the rules of a change', () => {
  it('bind development trees, which may be removed; and end where a production key replaces the development key', async () => {
    rmSync(path('dist'), { recursive: true });
    await good(run('build'));
    rmSync(path('issuers/a.yaml'));
    expectCommandError(await run('build', '--json'), 'ERR_RECORDS_REJECTED', 'remove the development tree');
    await good(build());
  });
});

describe('updated_at ahead of the clock', () => {
  const at = (minutes: number) => new Date(Date.now() + minutes * 60_000).toISOString().replace(/\.\d+/, '');

  it('is refused where a list is made and where it is published; the machine with the key warns', async () => {
    record('b', { tier: 'founding' });
    for (const way of [build, request])
      expectCommandError(await way('--updated-at', at(6), '--json'), 'ERR_USAGE', 'in the future');
    // Made where the clock is wrong.
    expect((await cli(['build', '--unsigned', 'request'], folder, clockAhead(120))).code).toBe(0);
    expect((await sign()).stderr).toContain('WARNING: updated_at');
    expectCommandError(await attach('--json'), 'ERR_USAGE', 'in the future');
  });

  it('by four minutes is within what verifiers tolerate', async () => {
    record('b', { tier: 'founding' });
    await good(build('--updated-at', at(4)));
  });
});

describe('reserved names', () => {
  it('are refused in every field, and names that only look like them are not', () => {
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
    const change = { before: undefined, after: recordsIn([path('issuers')]) };
    const found = publicationProblems(change, {}, false).map(({ file, rule }) => `${file} ${rule}`);
    expect(found).toEqual(reserved.map((_one, at) => `${path(`issuers/reserved-${at}.yaml`)} example-name`));
  });

  it("this repository's example issuers are signed by a development key, and by no other", async () => {
    const demonstration = temporaryFolder();
    cpSync(EXAMPLE_RECORDS, join(demonstration, 'issuers'), { recursive: true });
    await keyPair(demonstration, 'key');
    const args = ['build', '--key', 'key.pem', '--production', '--json'];
    const { code, stdout } = await cli(args, demonstration);
    const rules = JSON.parse(stdout).diagnostics.map(({ rule }: { rule: string }) => rule);
    expect([code, rules]).toEqual([1, Array(6).fill('example-name')]);
    expect((await cli(['build'], demonstration)).code).toBe(0);
  });
});
