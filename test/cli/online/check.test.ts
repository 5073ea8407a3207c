import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { issuers, KINDS, type Kind, listenTls } from '../../support/broken-issuers.js';
import { certificate } from '../../support/certificate.js';
import { git } from '../../support/git.js';
import { REAL_RECORDS } from '../../support/paths.js';
import { freePort } from '../../support/serving.js';
import { rounds } from '../../support/soak.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

/** Loopback, private, link-local, shared, unspecified and multicast addresses, also in disguise. */
const PRIVATE_HOSTS = [
  '127.0.0.1',
  '10.1.2.3',
  '192.168.1.1',
  '172.16.0.1',
  '169.254.169.254',
  '100.64.0.1',
  '0.0.0.0',
  '224.0.0.1',
  '[::1]',
  '[::ffff:127.0.0.1]',
  '[fe80::1]',
  '[fd00::1]',
  '2130706433',
  '0x7f.1',
  '192.88.99.1',
  '240.0.0.1',
  '255.255.255.255',
  '[64:ff9b::7f00:1]',
  '[64:ff9b:1::808:808]',
  '[100::1]',
  '[2001::1]',
  '[2002:808:808::1]',
  '[3fff::1]',
  '[5f00::1]',
  'metadata.google.internal',
  'localhost.localdomain',
  'router.lan',
  'router.home.arpa',
  'vault.default.svc',
];

/** Two or more of each kind. */
const COUNT = rounds({ usual: 62, soak: 200 });
/** The kinds that do not answer, on which the command waits as long as it is told to. */
const SILENT = ['never sends its keys', 'sends its metadata one byte at a time'];
const names = Object.keys(KINDS);
const kindOf = (index: number) => KINDS[names[index % names.length] ?? ''] as Kind;

/** Real records where they are at hand, else made-up ones of the same number; only their addresses are of this machine. */
function twoHundredRecords(): [id: string, text: string][] {
  const found = existsSync(REAL_RECORDS) ? readdirSync(REAL_RECORDS) : [];
  const files = found.filter((file) => file.endsWith('.yaml')).sort();
  if (files.length === 0) {
    return Array.from({ length: 200 }, (_one, index) => [`issuer-${index}`, recordText(`issuer-${index}`)]);
  }
  return files.map((file) => [basename(file, '.yaml'), readFileSync(join(REAL_RECORDS, file), 'utf8')]);
}

function pointedAt(text: string, id: string, origin: string): string {
  const kept = text.split('\n').filter((line) => !/^(jwks_uri|discovery_uri|policy_uri|status):/.test(line));
  const address = (document: string) => `${origin}/${id}/${document}`;
  return [
    ...kept.filter((line) => line !== ''),
    `jwks_uri: ${address('jwks')}`,
    `discovery_uri: ${address('metadata')}`,
    `policy_uri: ${address('policy')}`,
    'status: active',
    '',
  ].join('\n');
}

describe('passport-registry check --online', () => {
  const folder = temporaryFolder();
  const records = twoHundredRecords().slice(0, COUNT);
  const ids = records.map(([id]) => id);
  let requests = 0;
  let environment: Record<string, string>;

  beforeAll(async () => {
    certificate(folder, 'good', 'localhost');
    certificate(folder, 'untrusted', 'localhost');
    certificate(folder, 'other', 'other.example');
    const answer = issuers((id) => kindOf(ids.indexOf(id)));
    const good = await listenTls(folder, 'good', (request, response) => {
      requests += 1;
      answer(request, response);
    });
    const origins = {
      'closed port': `https://localhost:${await freePort()}`,
      untrusted: `https://localhost:${await listenTls(folder, 'untrusted', answer)}`,
      'other name': `https://localhost:${await listenTls(folder, 'other', answer)}`,
      'no such host': 'https://no-such-host.invalid',
    };
    const trusted =
      readFileSync(join(folder, 'good.pem'), 'utf8') + readFileSync(join(folder, 'other.pem'), 'utf8');
    writeFiles(folder, { 'trusted.pem': trusted });
    environment = { NODE_EXTRA_CA_CERTS: join(folder, 'trusted.pem') };
    for (const [index, [id, text]] of records.entries()) {
      const { origin } = kindOf(index);
      const at = origin === undefined ? `https://localhost:${good}` : origins[origin];
      writeFiles(folder, { [`issuers/${id}.yaml`]: pointedAt(text, id, at) });
    }
  });

  it(`says of ${COUNT} issuers of 31 kinds what is wrong with each, at the line`, async () => {
    expect(names).toHaveLength(31);
    const isSilent = (_id: string, index: number) => SILENT.includes(names[index % names.length] ?? '');
    const silent = ids.filter(isSilent);
    const others = ids.filter((id) => !silent.includes(id));
    const check = (timeout: string, chosen: readonly string[]) =>
      cli(
        ['check', '--online', ...chosen, '--allow-private', '--timeout', timeout, '--json'],
        folder,
        environment,
      );
    const outcomes = await Promise.all([check('4', silent), check('60', others)]);
    expect(outcomes.map(({ code }) => code)).toEqual([1, 1]);
    const reports = outcomes.map(({ stdout }) => JSON.parse(stdout));
    const report = {
      issuers: reports.flatMap(({ issuers: found }) => found),
      diagnostics: reports.flatMap(({ diagnostics }) => diagnostics),
    };
    expect(report.issuers).toHaveLength(COUNT);
    const LINES: Record<string, RegExp> = {
      jwks_uri: /jwks/,
      discovery_uri: /metadata|discovery/,
      policy_uri: /policy/,
    };
    for (const [index, id] of ids.entries()) {
      const file = `issuers/${id}.yaml`;
      const found = report.diagnostics.filter((one: { file: string }) => one.file === file);
      const rules = found.map(({ rule }: { rule: string }) => rule);
      expect([names[index % names.length], ...rules]).toEqual([
        names[index % names.length],
        ...kindOf(index).rules,
      ]);
      const lines = readFileSync(join(folder, file), 'utf8').split('\n');
      for (const { line, message } of found) {
        const field = lines[line - 1]?.split(':')[0] ?? '';
        expect(Object.keys(LINES)).toContain(field);
        if (message.includes('/')) expect(message).toMatch(LINES[field] ?? /never/);
      }
    }
    const curve = `issuers/${ids[names.indexOf('has a key on an unsupported curve')]}.yaml`;
    expect(report.diagnostics.find(({ file }: { file: string }) => file === curve)?.message).toContain(
      'at jwks_uri is neither OKP/Ed25519 nor EC/P-256',
    );
    for (const [index, { issuers: found }] of reports.entries()) {
      const bad = found.filter(({ result }: { result: string }) => result === 'bad').length;
      expect(outcomes[index]?.stderr).toContain(
        `${found.length} issuers: ${found.length - bad} passed, ${bad} failed, 0 revoked`,
      );
    }
  });

  it('with ids looks at these, and ends with 0 when they are good or there are but warnings', async () => {
    const warned = ids[names.indexOf('is closed to browsers')] ?? '';
    const chosen = [ids[0] ?? '', warned];
    const { code, stdout } = await cli(
      ['check', '--online', ...chosen, '--allow-private'],
      folder,
      environment,
    );
    expect(stdout).toContain('warning no-cors');
    expect(stdout).toContain('2 issuers: 2 passed, 0 failed');
    expect(code).toBe(0);
  });

  it('refuses addresses of this machine and of private networks, and does not connect', async () => {
    const before = requests;
    const { stdout, code } = await cli(['check', '--online', ids[0] ?? ''], folder, environment);
    expect(code).toBe(1);
    expect(stdout.match(/error private-address: localhost is not a public host/g)).toHaveLength(2);
    expect(requests).toBe(before);
  });

  it('says of a made-up name that it never answers', async () => {
    const own = temporaryFolder();
    writeFiles(own, { 'registry.yaml': 'name: Registry\n' });
    const made = await cli(['new', 'acme', '--issuer-url', 'https://id.acme.alt'], own);
    expect(made.stderr).toMatch(
      /`npx passport-registry check --online acme`, once .* names under .alt never answer/,
    );
    const { code, stdout } = await cli(['check', '--online', 'acme'], own);
    expect(code).toBe(1);
    expect(stdout.match(/error host-unreachable: id.acme.alt is a made-up name/g)).toHaveLength(2);
  });

  it('refuses addresses of every kind that is not public, in each field', async () => {
    const own = temporaryFolder();
    for (const [index, host] of PRIVATE_HOSTS.entries()) {
      const addresses = {
        jwks_uri: `https://${host}/jwks`,
        discovery_uri: `https://${host}/metadata`,
        policy_uri: `http://${host}/policy`,
      };
      writeFiles(own, { [`issuers/n${index}.yaml`]: recordText(`n${index}`, addresses) });
    }
    const { stdout } = await cli(['check', '--online', '--json', '--timeout', '2'], own);
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { file: string; rule: string }[] };
    for (const [index, host] of PRIVATE_HOSTS.entries()) {
      const rules = diagnostics
        .filter(({ file }) => file === `issuers/n${index}.yaml`)
        .map(({ rule }) => rule);
      // A record may not have some of these as addresses at all; what it may have is refused before anything is sent.
      const refused = rules.filter((rule) => ['private-address', 'bad-uri'].includes(rule));
      expect([host, refused.length]).toEqual([host, 3]);
    }
  });

  it.each(PRIVATE_HOSTS)('refuses %s where a redirect leads to it', async (host) => {
    const { assertPublicHost } = await import('../../../build/cli/online/public-host.js');
    // What a URL makes of it, which is what is connected to.
    expect(() => assertPublicHost(new URL(`http://${host}/`).hostname)).toThrow('not a public host');
    expect(() => assertPublicHost('93.184.215.14')).not.toThrow();
    expect(() => assertPublicHost('[2606:2800:21f:cb07:6820:80da:af6b:8b2c]')).not.toThrow();
  });

  it('refuses a name that leads to such an address, and says which', async () => {
    const { publicLookup } = await import('../../../build/cli/online/public-host.js');
    const lookUp = (name: string) =>
      new Promise((resolve) => publicLookup(name, { all: true }, (error, found) => resolve(error ?? found)));
    // The resolver of every platform knows this name, and asks nobody.
    expect(await lookUp('localhost')).toMatchObject({
      message: expect.stringMatching(/^localhost is (127\.0\.0\.1|::1), which is not a public IP address$/),
    });
  });

  it('says of a revoked issuer that it was not asked, of an unknown one that there is none, of a bad record what is wrong', async () => {
    const own = temporaryFolder();
    writeFiles(own, {
      'issuers/gone.yaml': recordText('gone', { status: 'revoked' }),
      'issuers/bad.yaml': recordText('bad', { tier: 'gold' }),
    });
    const gone = await cli(['check', '--online', 'gone'], own);
    expect([gone.code, gone.stdout]).toEqual([
      0,
      '1 issuer: 0 passed, 0 failed, 1 revoked and not checked\n',
    ]);
    const unknown = await cli(['check', '--online', 'gnoe'], own);
    expect([unknown.code, unknown.stderr.includes('did you mean `gone`?')]).toEqual([2, true]);
    expect((await cli(['check', '--online', 'nobody'], own)).code).toBe(2);
    const bad = await cli(['check', '--online', 'bad'], own);
    expect([bad.code, bad.stdout.includes('unknown-value')]).toEqual([1, true]);
  });
});

describe('passport-registry check --online --changed', () => {
  it('looks only at what differs from a commit', async () => {
    const own = temporaryFolder();
    writeFiles(own, { 'issuers/a.yaml': recordText('a'), 'issuers/b.yaml': recordText('b') });
    git(own, 'init', '-q');
    git(own, 'add', '.');
    git(own, 'commit', '-qm', 'Records');
    writeFiles(own, {
      'issuers/b.yaml': recordText('b', { tier: 'founding' }),
      'issuers/c.yaml': recordText('c'),
    });
    const { stdout } = await cli(['check', '--online', '--changed', 'HEAD', '--json'], own);
    expect(JSON.parse(stdout).issuers.map(({ issuer_id }: { issuer_id: string }) => issuer_id)).toEqual([
      'b',
      'c',
    ]);
  });
});

describe('the kinds of broken issuers', () => {
  it('are at least the twelve that were asked for, and break every rule that `check --online` has', async () => {
    const { RULES } = await import('passport-registry');
    const broken = new Set(Object.values(KINDS).flatMap(({ rules }) => rules));
    const first = Object.keys(RULES).indexOf('host-unreachable');
    const online = Object.keys(RULES).slice(first, Object.keys(RULES).indexOf('no-cors') + 1);
    expect([...broken, 'private-address'].sort()).toEqual(online.sort());
  });
});
