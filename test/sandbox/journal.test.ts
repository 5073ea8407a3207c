import { type ChildProcess, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectTo, obtainPassport } from '@passport-registry/verifier';
import { JournalError, SandboxIssuer } from 'passport-registry/sandbox';
import { afterEach, describe, expect, it } from 'vitest';
import { agentKeys } from '../support/passport-world.js';
import { CLI } from '../support/paths.js';
import { answering, freePort } from '../support/serving.js';
import { cleanEnvironment, cli, temporaryFolder } from '../support/workspace.js';

const ISSUER = 'https://playground.example';
const AGENT = {
  principal_id: 'user-1',
  realm_id: 'laptop',
  agent_type: 'ai-assistant',
  capabilities: [],
  subdelegation_mode: 'none',
} as const;

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

/** `passport-registry sandbox` over a journal. */
async function start(folder: string) {
  const port = await freePort();
  const args = ['sandbox', '--port', String(port), '--journal', 'journal.jsonl'];
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: 'ignore',
  });
  running.push(child);
  const address = await answering(`http://127.0.0.1:${port}`);
  const fetch = connectTo({ [ISSUER]: address });
  return {
    address,
    obtain: async () => obtainPassport({ issuer: ISSUER, keys: await agentKeys(), agent: AGENT, fetch }),
    passport: async (did: string) => (await fetch(`${ISSUER}/v1/passports/${did}`)).json(),
    keys: async () => (await fetch(`${ISSUER}/.well-known/jwks.json`)).json(),
    operator: async (method: string, path: string) => {
      const token = readFileSync(join(folder, '.passport-registry/sandbox-operator-token'), 'utf8').trim();
      const headers = { Authorization: `Bearer ${token}` };
      return (await fetch(`${ISSUER}${path}`, { method, headers })).json();
    },
    kill: async () => {
      child.kill('SIGKILL');
      await new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

describe('a journal', () => {
  it('survives kill -9: keys, passports and revocations are as they were answered for', async () => {
    const folder = temporaryFolder();
    const first = await start(folder);
    const { passport } = await first.obtain();
    const revoked = (await first.obtain()).passport;
    await first.operator('POST', `/v1/passports/${revoked.passport_did}/revoke`);
    await first.operator('POST', '/v1/keys/rotate');
    const keys = await first.keys();
    await first.kill();
    const second = await start(folder);
    expect(await second.keys()).toEqual(keys);
    expect(await second.passport(passport.passport_did)).toEqual(passport);
    expect(await second.passport(revoked.passport_did)).toMatchObject({
      status: 'revoked',
      revocation_nonce: 1,
    });
    const { entries } = await second.operator('GET', '/v1/audit');
    expect(entries.map(({ event }: { event: string }) => event)).toEqual([
      'key-created',
      'passport-issued',
      'passport-issued',
      'passport-revoked',
      'key-created',
    ]);
  });

  it('killed twenty times under load loses no passport that it has answered with', async () => {
    const folder = temporaryFolder();
    const answered: string[] = [];
    for (let round = 0; round < 20; round++) {
      const sandbox = await start(folder);
      for (const did of answered.slice(-3))
        expect(await sandbox.passport(did)).toMatchObject({ status: 'active' });
      const work = Array.from({ length: 4 }, async () => {
        for (let minted = true; minted; ) {
          const { passport } = await sandbox.obtain().catch(() => ({ passport: undefined }));
          minted = passport !== undefined;
          if (passport !== undefined) answered.push(passport.passport_did);
        }
      });
      await expect.poll(() => answered.length, { interval: 5 }).toBeGreaterThan(2 * round);
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 80));
      await sandbox.kill();
      await Promise.all(work);
    }
    const issuer = new SandboxIssuer({ journal: join(folder, 'journal.jsonl') });
    for (const did of answered) expect(issuer.passport(did).status).toBe('active');
    issuer.close();
  });

  it('can be read by its owner alone, for it holds the private keys', async () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    new SandboxIssuer({ journal: path }).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readFileSync(path, 'utf8')).toContain('"d":');
  });

  it('leaves out a last line without its end, which was never answered for', () => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    const keys = (issuer: SandboxIssuer) => JSON.stringify(issuer.keys());
    const first = new SandboxIssuer({ journal: path });
    const before = keys(first);
    first.close();
    const whole = readFileSync(path, 'utf8');
    appendFileSync(path, '{"entry":{"seq":2,"ev');
    const second = new SandboxIssuer({ journal: path });
    expect(keys(second)).toBe(before);
    second.close();
    expect(readFileSync(path, 'utf8')).toBe(whole);
  });

  it.each([
    ['a line that is no JSON', (lines: string[]) => ['x', ...lines.slice(1)], /:1: this line is not JSON/],
    ['a line that is missing', (lines: string[]) => [lines[0], ...lines.slice(2)], /entry 2 does not follow/],
    [
      'lines in another order',
      (lines: string[]) => [lines[1], lines[0], lines[2]],
      /entry 1 does not follow/,
    ],
    [
      'a line that was altered',
      (lines: string[]) => [lines[0]?.replace(/"at":"2/, '"at":"1'), ...lines.slice(1)],
      /entry 2 does not follow/,
    ],
  ])('with %s is refused', (_name, change, message) => {
    const path = join(temporaryFolder(), 'journal.jsonl');
    const issuer = new SandboxIssuer({ journal: path });
    issuer.rotateKeys();
    issuer.rotateKeys();
    issuer.close();
    const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
    writeFileSync(path, `${change(lines).join('\n')}\n`);
    expect(() => new SandboxIssuer({ journal: path })).toThrow(JournalError);
    expect(() => new SandboxIssuer({ journal: path })).toThrow(message);
    expect(existsSync(`${path}.lock`)).toBe(false);
  });

  it('is used by one process at a time', async () => {
    const folder = temporaryFolder();
    const { address, kill } = await start(folder);
    expect(address).toMatch(/^http/);
    const second = await cli(['sandbox', '--port', '0', '--journal', 'journal.jsonl'], folder);
    expect(second.code).toBe(4);
    expect(second.stderr).toContain('is in use by another process');
    await kill();
    await start(folder);
  });

  it('that is no file is refused', () => {
    expect(() => new SandboxIssuer({ journal: '/dev/zero' })).toThrow(/is no file/);
  });
});

describe('passport-registry sandbox', () => {
  it.each([
    [['--port', '70000'], /--port takes/],
    [['--issuer-url', 'playground'], /--issuer-url takes/],
    [['--key-type', 'rsa'], /--key-type takes/],
    [['--passport-lifetime', '0'], /--passport-lifetime takes/],
  ])('%j is wrong usage', async (args, message) => {
    const { code, stderr } = await cli(['sandbox', ...args], temporaryFolder());
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('says when its port is taken', async () => {
    const folder = temporaryFolder();
    const { address } = await start(folder);
    const { code, stderr } = await cli(['sandbox', '--port', new URL(address).port], folder);
    expect(code).toBe(4);
    expect(stderr).toContain('is in use');
  });

  it('makes the token of its operator once, for its owner alone, and never prints it', async () => {
    const folder = temporaryFolder();
    const first = await cli(['sandbox', '--port', '70001'], folder);
    expect(first.code).toBe(2);
    await start(folder);
    const file = join(folder, '.passport-registry/sandbox-operator-token');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const token = readFileSync(file, 'utf8').trim();
    expect(token).toHaveLength(43);
    const busy = await cli(['sandbox', '--journal', 'journal.jsonl', '--json'], folder);
    expect(busy.stdout + busy.stderr).not.toContain(token);
    writeFileSync(join(folder, 'short'), 'secret');
    const short = await cli(['sandbox', '--operator-token', 'short'], folder);
    expect([short.code, short.stderr.includes('secret')]).toEqual([2, false]);
    expect((await cli(['sandbox', '--operator-token', 'missing'], folder)).code).toBe(4);
  });

  it('ends well when it is told to', async () => {
    const folder = temporaryFolder();
    const child = spawn(process.execPath, [CLI, 'sandbox', '--port', '0', '--json', '--journal', 'j'], {
      cwd: folder,
      env: cleanEnvironment(),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    running.push(child);
    const output = await new Promise<string>((resolve) =>
      child.stdout?.once('data', (data) => resolve(String(data))),
    );
    const { address, issuerId } = JSON.parse(output);
    expect(issuerId).toBe('playground');
    expect((await fetch(`${address}/openapi.json`)).status).toBe(200);
    child.kill('SIGTERM');
    expect(await new Promise((resolve) => child.once('exit', resolve))).toBe(0);
    expect(existsSync(join(folder, 'j.lock'))).toBe(false);
  });
});
