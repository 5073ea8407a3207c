import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import { afterEachFile } from '../../support/endings.js';
import { type GateFolder, gateFolder, ready, startGate, type TestGate } from '../../support/gate.js';
import {
  agentKeys,
  type IssuerWorld,
  issuerKey,
  issuerWorld,
  passportOf,
  proofOf,
  type TestPassport,
  tokenOf,
} from '../../support/passport-world.js';
import { CLI } from '../../support/paths.js';
import { issuer, publish } from '../../support/publication.js';
import { sendRaw } from '../../support/raw-request.js';
import { freePort } from '../../support/serving.js';
import { timeFromNow } from '../../support/times.js';
import { cleanEnvironment, cli, temporaryFolder, writeFiles } from '../../support/workspace.js';

const children: ChildProcess[] = [];
afterEachFile(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

let world: IssuerWorld;
let passport: TestPassport;
let token: string;
let made: GateFolder;

beforeAll(async () => {
  world = await issuerWorld('alpha', await issuerKey());
  passport = await passportOf(world, await agentKeys());
  token = await tokenOf(world, passport);
  made = await gateFolder([world]);
});

const bearer = () => ({ Authorization: `Bearer ${token}` });
let count = 0;
const proven = async (uri = '/send?to=you%40example.com&subject=Hello') => ({
  ...bearer(),
  'Action-Proof': await proofOf(token, passport),
  'X-Original-Method': 'GET',
  'X-Original-Uri': uri,
  'X-Original-Host': 'mail.example',
  'X-Original-Request-Id': String(count++).padStart(32, '0'),
});

const ask = async (
  { address }: Pick<TestGate, 'address'>,
  profile: string,
  headers: Record<string, string> = bearer(),
) => {
  const response = await fetch(`${address}/verify/${profile}`, { headers });
  await response.arrayBuffer();
  return {
    status: response.status,
    error: response.headers.get('passport-error'),
    headers: response.headers,
  };
};

describe('passport-registry gate', () => {
  it('admits what its profiles ask for, and says so', async () => {
    const gate = await startGate(made);
    await ready(gate);
    expect((await ask(gate, 'site')).headers.get('passport-proven')).toBe('passport');
    expect((await ask(gate, 'mail', await proven())).headers.get('passport-proven')).toBe('action');
    expect(await ask(gate, 'mail')).toMatchObject({ status: 403, error: 'gateway-headers' });
    expect(await ask(gate, 'api')).toMatchObject({ status: 401, error: 'token-type' });
    expect(gate.events()).toContainEqual(
      expect.objectContaining({ event: 'bodies-refused', profiles: ['mail'] }),
    );
    expect(gate.events()).toContainEqual(
      expect.objectContaining({
        event: 'refused',
        profile: 'api',
        status: 401,
        error: 'token-type',
        level: 'info',
      }),
    );
    expect(JSON.stringify(gate.events())).not.toContain(token);
    const metrics = await (await fetch(`${gate.address}/metrics`)).text();
    expect(metrics).toContain('passport_gate_answers_total{profile="site",status="200",error="none"} 1');
    expect(metrics).toContain('passport_gate_answers_total{profile="api",status="401",error="token-type"} 1');
    expect(metrics).toMatch(/^passport_gate_list_fresh_seconds \d{4,}/m);
    expect(metrics).toContain('passport_gate_seconds_count 4');
    expect(await gate.stop()).toBe(0);
  });

  it('escapes what others write, in its answers and in its log', async () => {
    const gate = await startGate(made);
    await ready(gate);
    const odd = 'key \u009b31m \u202e \u2028 \u{e0041} \u007f';
    const presented = await tokenOf(world, passport, { kid: odd });
    const response = await fetch(`${gate.address}/verify/site`, {
      headers: { Authorization: `Bearer ${presented}` },
    });
    const answer = await response.text();
    expect(answer).toContain('key-unknown');
    const { details } = JSON.parse(answer);
    expect(details.reasons[0].message).toContain('\\u009b31m \\u202e \\u2028 \\udb40\\udc41');
    expect(answer + gate.log()).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/u);
    expect(gate.events().at(-1)).toMatchObject({ error: 'key-unknown', message: details.reasons[0].message });
    expect(await gate.stop()).toBe(0);
  });

  it('has the times of a verifier', async () => {
    const outage = await issuerWorld('outage', await issuerKey());
    const held = await passportOf(outage, await agentKeys());
    const headers = { Authorization: `Bearer ${await tokenOf(outage, held)}` };
    const folder = await gateFolder([outage]);
    const times = { status_max_age: 0, metadata_max_age: 0, cooldown: 0, clock_tolerance: 5, timeout: 2 };
    const strict = await startGate(folder, times);
    const patient = await startGate(folder, { ...times, grace: 600 });
    for (const gate of [strict, patient]) {
      await ready(gate);
      expect(await ask(gate, 'site', headers)).toMatchObject({ status: 200 });
    }
    outage.intercept = (_request, response) => {
      response.writeHead(503).end();
      return true;
    };
    expect(await ask(strict, 'site', headers)).toMatchObject({ status: 403, error: 'discovery-unreachable' });
    expect(await ask(patient, 'site', headers)).toMatchObject({ status: 200 });
    for (const gate of [strict, patient]) expect(await gate.stop()).toBe(0);
  });

  it('has its own pages, which no client of Envoy can reach through its path', async () => {
    const gate = await startGate(made, { gateway: 'envoy' });
    await ready(gate);
    const statusOf = async (target: string) => (await sendRaw(gate.address, { target, headers: [] })).status;
    expect(await statusOf('/healthz')).toBe(200);
    for (const target of ['/verify/mail/../../healthz', '/verify/mail/%2e%2e/%2e%2e/healthz'])
      expect(await statusOf(target)).toBe(401);
    expect(await statusOf('http://a/healthz')).toBe(404);
  });

  it('refuses a policy that is wrong as a whole, and keeps the one before', async () => {
    const own = await gateFolder([world]);
    const gate = await startGate(own);
    await ready(gate);
    const policy = join(own.folder, 'policy.json');
    const replace = (text: string) => {
      writeFiles(own.folder, { 'policy.new': text });
      renameSync(join(own.folder, 'policy.new'), policy);
    };
    replace('{"tiers":[],"deny":[{"issuer_id":"alpha"}]}');
    await expect.poll(() => gate.events().map(({ event }) => event)).toContain('policy-refused');
    expect((await ask(gate, 'site')).status).toBe(200);
    const state = await fetch(`${gate.address}/readyz`);
    expect([state.status, (await state.json()).policy]).toEqual([
      200,
      [expect.stringMatching(/deny\[0\] has no reason/)],
    ]);
    expect(await (await fetch(`${gate.address}/metrics`)).text()).toContain(
      'passport_gate_policies_refused 1',
    );
    replace('{"tiers":["founding"]}');
    await expect.poll(async () => (await ask(gate, 'site')).error).toBe('tier-not-accepted');
    expect((await (await fetch(`${gate.address}/readyz`)).json()).policy).toBe('ok');
    rmSync(policy);
    await expect.poll(() => gate.events().filter(({ event }) => event === 'policy-refused')).toHaveLength(2);
    expect((await ask(gate, 'site')).error).toBe('tier-not-accepted');
  });

  it('answers 503 in other words to nginx until it has a list, and keeps its list without the registry', async () => {
    const own = await gateFolder([world]);
    own.host.intercept = (_path, _request, response) => {
      response.writeHead(500).end();
      return true;
    };
    const gate = await startGate(own, { state: 'state/list.json' });
    const waiting = await ask(gate, 'site');
    expect(waiting).toMatchObject({ status: 403, error: 'registry-unavailable' });
    expect(waiting.headers.get('retry-after')).toBe('5');
    expect(gate.events().find(({ event }) => event === 'refused')?.['message']).toMatch(
      /no list has been loaded yet: try/,
    );
    expect((await fetch(`${gate.address}/readyz`)).status).toBe(503);
    expect((await fetch(`${gate.address}/healthz`)).status).toBe(200);
    own.host.intercept = () => false;
    await expect.poll(async () => (await ask(gate, 'site')).status).toBe(200);
    // A door that ends sooner has saved nothing.
    await expect.poll(() => existsSync(join(own.folder, 'state/list.json'))).toBe(true);
    own.host.files = new Map();
    expect((await ask(gate, 'site')).status).toBe(200);
    await gate.stop();
    const again = await startGate(own, { state: 'state/list.json', gateway: 'caddy' });
    await ready(again);
    expect((await ask(again, 'site')).status).toBe(200);
  });

  it('answers 503 once its list is no longer fresh', async () => {
    const own = await gateFolder([world], ['another']);
    const { now } = Date;
    let ahead = 0;
    // Before the door takes its clock.
    Date.now = () => now() + ahead;
    try {
      const gate = await startGate(own, { gateway: 'caddy' });
      await ready(gate);
      expect((await ask(gate, 'site')).status).toBe(200);
      own.host.files = new Map();
      // The checkpoint is valid for an hour, and clocks may differ by five minutes.
      ahead = 66 * 60_000;
      expect(await ask(gate, 'site')).toMatchObject({ status: 503, error: 'registry-unavailable' });
      expect((await fetch(`${gate.address}/readyz`)).status).toBe(503);
    } finally {
      Date.now = now;
    }
  });

  it('lets no slow issuer delay another', async () => {
    const slow = await issuerWorld('slow', await issuerKey());
    const waiting: (() => void)[] = [];
    slow.intercept = (_request, response) => {
      waiting.push(() => response.writeHead(503).end());
      return true;
    };
    const gate = await startGate(await gateFolder([world, slow]), { gateway: 'caddy' });
    await ready(gate);
    const stolen = await tokenOf(slow, await passportOf(slow, passport.keys));
    const delayed = ask(gate, 'site', { Authorization: `Bearer ${stolen}` });
    await expect.poll(() => waiting.length).toBe(1);
    expect((await ask(gate, 'site')).status).toBe(200);
    for (const end of waiting) end();
    expect(await delayed).toMatchObject({ status: 503, error: 'discovery-unreachable' });
  });

  it('sees every header, of 32 KiB or behind a thousand others, and refuses more', async () => {
    const gate = await startGate(made);
    await ready(gate);
    expect((await ask(gate, 'site', { ...bearer(), 'X-Long': 'x'.repeat(32 * 1024) })).status).toBe(200);
    expect((await ask(gate, 'site', { ...bearer(), 'X-Long': 'x'.repeat(70 * 1024) })).status).toBe(431);
    const many = Array.from({ length: 1200 }, () => ['a', ''] as const);
    const headers = [...Object.entries(bearer()), ...many, ['Authorization', 'Bearer x'] as const];
    const answer = await sendRaw(gate.address, { target: '/verify/site', headers });
    expect(answer.headers.get('passport-error')).toBe('passport-missing');
  });

  it('learns of a revocation with its next refresh, without a restart', async () => {
    const own = await gateFolder([world]);
    const gate = await startGate(own, { refresh: 1 });
    await ready(gate);
    expect((await ask(gate, 'site')).status).toBe(200);
    own.host.files = publish(own.root, [issuer('alpha', { status: 'revoked' })], {
      updatedAt: timeFromNow(0),
    });
    await expect.poll(async () => (await ask(gate, 'site')).error).toBe('status-revoked');
  });

  it.each([
    ['nothing', undefined, 2, /missing required argument/],
    ['no file', 'missing.yaml', 4, /missing.yaml/],
    ['a wrong gateway', { gateway: 'nginy' }, 2, /gate.yaml:\d+:\d+.*unknown-value.*\n?.*nginx/s],
    ['an unknown setting', { audienc: 'x' }, 2, /audienc.*is not a setting.*audience/s],
    ['a profile of two kinds', { profiles: { a: { action: 'a', token: { type: 'a' } } } }, 2, /profiles.a/],
    ['a wrong name of a profile', { profiles: { 'A b': {} } }, 2, /"A b" is not a setting of profiles/],
    ['the token of any JWT', { profiles: { a: { token: { type: 'application/JWT' } } } }, 2, /a.token.type/],
    ['a password in a wrong URL', { redis: 'redis:/user:secret@host' }, 2, /redis is a .* not shown/],
    ['a missing variable', { redis: 'env:NO_SUCH' }, 2, /NO_SUCH is not a URL/],
    ['a wrong port', { listen: '127.0.0.1:70000' }, 2, /65535/],
    ['a missing policy', { policy: 'other.json' }, 4, /other.json/],
    ['a wrong policy', { policy: 'trust-anchor.json' }, 2, /is not a trust policy/],
    ['a policy with a member twice', { policy: 'twice.json' }, 2, /the member "deny" appears twice/],
  ] as const)('refuses %s with a place and a remedy', async (_what, given, expected, message) => {
    const { folder, settings } = made;
    const file = typeof given === 'string' ? given : 'gate.yaml';
    if (typeof given === 'object') {
      const { default: yaml } = await import('yaml');
      writeFiles(folder, {
        'gate.yaml': yaml.stringify({ ...settings, ...given }),
        'twice.json': '{"tiers":["certified"],"deny":[{"issuer_id":"alpha","reason":"x"}],"deny":[]}',
      });
    }
    const args = given === undefined ? [] : [file];
    const { code, stderr } = await cli(['gate', ...args], folder);
    expect([code, stderr]).toEqual([expected, expect.stringMatching(message)]);
    expect(stderr).not.toContain('secret');
  });

  it('says when its port is taken', async () => {
    const gate = await startGate(made);
    const listen = new URL(gate.address).host;
    writeFiles(made.folder, { 'taken.yaml': JSON.stringify({ ...made.settings, listen }) });
    const { code, stderr } = await cli(['gate', 'taken.yaml'], made.folder);
    expect([code, stderr]).toEqual([4, expect.stringMatching(/is in use: .* with listen\n/)]);
  });

  it('ends gracefully on SIGTERM under load: each request has a verdict, or no connection', async () => {
    const file = join(made.folder, 'process.yaml');
    const port = await freePort();
    writeFiles(made.folder, {
      'process.yaml': JSON.stringify({ ...made.settings, listen: `127.0.0.1:${port}` }),
    });
    const child = spawn(process.execPath, [CLI, 'gate', file], {
      env: cleanEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    child.stdout.resume();
    const gate = { address: `http://127.0.0.1:${port}` };
    const isUp = async () => (await fetch(`${gate.address}/readyz`).catch(() => undefined))?.status === 200;
    await expect.poll(isUp).toBe(true);
    const outcomes: unknown[] = [];
    let stopped = false;
    const clients = Array.from({ length: 20 }, async () => {
      while (!stopped) {
        const outcome = await ask(gate, 'site').then(
          ({ status }) => status,
          () => 'no connection',
        );
        outcomes.push(outcome);
        if (outcome !== 200) return;
      }
    });
    await expect.poll(() => outcomes.length).toBeGreaterThan(40);
    const end = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect(await end).toBe(0);
    stopped = true;
    await Promise.all(clients);
    expect([...new Set(outcomes)].sort()).toEqual([200, 'no connection']);
  });
});

describeWith(['redis-server'], 'doors that share one Redis', () => {
  it('let a proof through once, and refuse actions alone while Redis is gone', async () => {
    const port = await freePort();
    const startRedis = () => {
      const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', temporaryFolder()];
      const child = spawn('redis-server', args, { stdio: 'ignore' });
      children.push(child);
      return child;
    };
    const redis = startRedis();
    const more = { gateway: 'nginx', redis: 'env:REDIS_URL' };
    const env = { REDIS_URL: `redis://127.0.0.1:${port}` };
    const doors = [await startGate(made, more, env), await startGate(made, more, env)] as const;
    for (const door of doors) {
      await ready(door);
      await expect.poll(() => door.events().map(({ event }) => event)).toContain('redis-connected');
    }
    const headers = await proven();
    const both = await Promise.all(doors.map((door) => ask(door, 'mail', headers)));
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const replayed = { ...headers, 'X-Original-Request-Id': 'f'.repeat(32) };
    for (const door of doors) expect((await ask(door, 'mail', replayed)).error).toBe('action-replayed');
    const race = await proven();
    const answers = await Promise.all(
      doors.map((door, at) => ask(door, 'mail', { ...race, 'X-Original-Request-Id': `${at}`.repeat(32) })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
    redis.kill('SIGKILL');
    await expect.poll(() => doors[0].events().map(({ event }) => event)).toContain('redis-lost');
    expect(await ask(doors[0], 'mail', await proven())).toMatchObject({
      status: 403,
      error: 'replay-store-failed',
    });
    expect((await ask(doors[0], 'site')).status).toBe(200);
    expect(await (await fetch(`${doors[0].address}/readyz`)).json()).toMatchObject({
      ready: true,
      replay: 'unreachable',
    });
    startRedis();
    await expect.poll(async () => (await ask(doors[0], 'mail', await proven())).status).toBe(200);
  });
});
