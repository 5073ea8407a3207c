import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { issuers, KINDS, type Kind, listenTls } from '../../support/broken-issuers.js';
import { certificate } from '../../support/certificate.js';
import { git } from '../../support/git.js';
import { freePort } from '../../support/serving.js';
import { cli, type Outcome, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

/** A diagnostic of the command. */
interface Found {
  readonly file: string;
  readonly rule: string;
  readonly line: number;
  readonly message: string;
  readonly remedy: string;
}

/** The text of a record whose documents are at an origin. */
const recordAt = (id: string, origin: string) =>
  recordText(id, {
    jwks_uri: `${origin}/${id}/jwks`,
    discovery_uri: `${origin}/${id}/metadata`,
    policy_uri: `${origin}/${id}/policy`,
  });

/** What a message about a field says of its document. */
const DOCUMENTS: Record<string, RegExp> = {
  jwks_uri: /jwks/,
  discovery_uri: /metadata|discovery/,
  policy_uri: /policy/,
};

/** The names and values of headers, but for those of the connection. */
function toSet(raw: readonly string[]): string[] {
  const pairs = raw.flatMap((name, at) => (at % 2 === 0 ? [`${name.toLowerCase()}: ${raw[at + 1]}`] : []));
  return pairs.filter((pair) => !/^(?:host|connection):/.test(pair)).sort();
}

describe('passport-registry check --online', () => {
  const folder = temporaryFolder();
  /** The kind of each issuer, by its id. */
  const kinds = new Map<string, Kind>(Object.values(KINDS).map((kind, index) => [`n${index}`, kind]));
  const idOf = (name: string) => `n${Object.keys(KINDS).indexOf(name)}`;
  const received: IncomingMessage[] = [];
  let environment: Record<string, string>;

  beforeAll(async () => {
    certificate(folder, 'good', 'localhost');
    certificate(folder, 'untrusted', 'localhost');
    certificate(folder, 'other', 'other.example');
    const answer = issuers((id) => kinds.get(id) ?? { rules: [] });
    const good = await listenTls(folder, 'good', (request, response) => {
      received.push(request);
      answer(request, response);
    });
    const origins = {
      'closed port': `https://localhost:${await freePort()}`,
      untrusted: `https://localhost:${await listenTls(folder, 'untrusted', answer)}`,
      'other name': `https://localhost:${await listenTls(folder, 'other', answer)}`,
      'no such host': 'https://no-such-host.invalid',
    };
    const trusted = ['good.pem', 'other.pem'].map((file) => readFileSync(join(folder, file), 'utf8'));
    writeFiles(folder, { 'trusted.pem': trusted.join('') });
    environment = { NODE_EXTRA_CA_CERTS: join(folder, 'trusted.pem') };
    for (const [id, { origin }] of kinds) {
      const at = origin === undefined ? `https://localhost:${good}` : origins[origin];
      writeFiles(folder, { [`issuers/${id}.yaml`]: recordAt(id, at) });
    }
  });

  const check = (ids: readonly string[], ...options: string[]) =>
    cli(['check', '--online', ...ids, ...options], folder, environment);

  it('says of each kind of issuer what is wrong, at the line, and what to do', async () => {
    const silent = [...kinds.keys()].filter((id) => kinds.get(id)?.isSilent);
    const others = [...kinds.keys()].filter((id) => !silent.includes(id));
    const outcomes = await Promise.all([
      check(silent, '--allow-private', '--json', '--timeout', '4'),
      check(others, '--allow-private', '--json', '--timeout', '60'),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([1, 1]);
    const reports = outcomes.map(({ stdout }) => JSON.parse(stdout));
    const diagnostics: Found[] = reports.flatMap((report) => report.diagnostics);
    const results = reports.map((report) =>
      report.issuers.map(({ issuer_id, result }: Record<string, string>) => [issuer_id, result]),
    );
    expect(results.map((all) => all.map(([id]: string[]) => id))).toEqual([silent.sort(), others.sort()]);
    expect(results.flat()).toEqual(
      expect.arrayContaining([
        [idOf('is valid'), 'good'],
        [idOf('is closed to browsers'), 'good'],
        [idOf('has no server'), 'bad'],
      ]),
    );
    for (const [name, { rules, words = /./ }] of Object.entries(KINDS)) {
      const file = `issuers/${idOf(name)}.yaml`;
      const found = diagnostics.filter((one) => one.file === file);
      expect([name, ...found.map(({ rule }) => rule)]).toEqual([name, ...rules]);
      const lines = readFileSync(join(folder, file), 'utf8').split('\n');
      for (const { line, message, remedy } of found) {
        expect(`${message}\n${remedy}`).toMatch(words);
        const field = lines[line - 1]?.split(':')[0] ?? '';
        expect(Object.keys(DOCUMENTS)).toContain(field);
        if (message.includes('/')) expect(message).toMatch(DOCUMENTS[field] ?? /never/);
      }
    }
  });

  describe('of two ids', () => {
    let outcome: Outcome;
    beforeAll(async () => {
      received.length = 0;
      outcome = await check(['n0', idOf('is closed to browsers')], '--allow-private');
    });

    it('looks at these, and ends with 0 when they are good or there are but warnings', () => {
      const { code, stdout } = outcome;
      expect(stdout).toContain('warning no-cors');
      expect(stdout).toContain('2 issuers: 2 passed, 0 failed');
      expect(code).toBe(0);
    });

    it('sends the headers that the verifiers send', async () => {
      const plain: IncomingMessage['rawHeaders'][] = [];
      const server = createServer((request, response) => {
        plain.push(request.rawHeaders);
        response.end();
      }).listen(0, '127.0.0.1');
      await new Promise((resolve) => server.once('listening', resolve));
      await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
        headers: { Accept: 'application/json' },
      });
      server.close().closeAllConnections();
      const asked = received.filter(({ url }) => url?.startsWith('/n0/'));
      expect(asked).toHaveLength(3);
      for (const { rawHeaders } of asked) expect(toSet(rawHeaders)).toEqual(toSet(plain[0] ?? []));
    });
  });

  it('refuses addresses of this machine and of private networks, and does not connect', async () => {
    received.length = 0;
    const { stdout, code } = await check(['n0']);
    expect(code).toBe(1);
    expect(stdout.match(/error private-address: localhost is not a public host/g)).toHaveLength(2);
    expect(received).toEqual([]);
  });

  it('uses a proxy where Node.js can, and says so where it cannot', async () => {
    const asked: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      asked.push(request.url ?? '');
      const tunnel = connect(inside, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(tunnel).pipe(socket);
      });
      tunnel.on('error', () => socket.destroy());
      socket.on('error', () => tunnel.destroy());
    });
    await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
    const own = temporaryFolder();
    certificate(own, 'inside', 'id.inside.example');
    const inside = await listenTls(
      own,
      'inside',
      issuers(() => ({ rules: [] })),
    );
    writeFiles(own, { 'issuers/good.yaml': recordAt('good', 'https://id.inside.example') });
    const { code, stdout, stderr } = await cli(['check', '--online', 'good'], own, {
      NODE_EXTRA_CA_CERTS: join(own, 'inside.pem'),
      NODE_USE_ENV_PROXY: '1',
      HTTPS_PROXY: `http://user:secret@127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    });
    proxy.close().closeAllConnections();
    expect(stdout + stderr).not.toContain('secret');
    if (process.allowedNodeEnvironmentFlags.has('--use-env-proxy')) {
      expect([...new Set(asked)]).toEqual(['id.inside.example:443']);
      expect([code, stdout]).toEqual([0, expect.stringContaining('1 issuer: 1 passed, 0 failed')]);
    } else {
      expect(stdout).toMatch(
        /HTTPS_PROXY names a proxy, which Node\.js \S+ did not use: that needs Node\.js 22\.21/,
      );
      expect(code).toBe(1);
    }
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

  // Which addresses and names are public, test/verifier/http/public-address shows.
  it.each(['10.1.2.3', '[fd00::1]', 'metadata.google.internal'])(
    'refuses %s, which is not public, in each field',
    async (host) => {
      const own = temporaryFolder();
      writeFiles(own, { 'issuers/n.yaml': recordAt('n', `https://${host}`) });
      const { stdout } = await cli(['check', '--online', '--json', '--timeout', '2'], own);
      const rules = JSON.parse(stdout).diagnostics.map(({ rule }: Found) => rule);
      // A record may not have some of these as addresses at all; what it may have is refused before anything is sent.
      const refused = rules.filter((rule: string) => ['private-address', 'bad-uri'].includes(rule));
      expect(refused).toHaveLength(3);
    },
  );

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
  it('break every rule that `check --online` has', async () => {
    const { RULES } = await import('passport-registry');
    const broken = new Set(Object.values(KINDS).flatMap(({ rules }) => rules));
    const first = Object.keys(RULES).indexOf('host-unreachable');
    const online = Object.keys(RULES).slice(first, Object.keys(RULES).indexOf('no-cors') + 1);
    expect([...broken, 'private-address'].sort()).toEqual(online.sort());
  });
});
