import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CLI } from '../support/paths.js';
import { sandboxIn } from '../support/serving.js';
import { cleanEnvironment, cli, temporaryFolder } from '../support/workspace.js';

const running: ChildProcess[] = [];
afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL');
});

describe('passport-registry sandbox', () => {
  it.each([
    [['--port', '70000'], /--port takes/],
    [['--issuer-url', 'playground'], /--issuer-url takes/],
    [['--alg', 'rsa'], /Ed25519, P-256/],
    [['--passport-lifetime', '0'], /--passport-lifetime takes/],
  ])('%j is wrong usage', async (args, message) => {
    const { code, stderr } = await cli(['sandbox', ...args], temporaryFolder());
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('makes the token of its operator once, for its owner alone, and never prints it', async () => {
    const folder = temporaryFolder();
    const first = await cli(['sandbox', '--port', '70001'], folder);
    expect(first.code).toBe(2);
    const address = await sandboxIn(folder);
    const file = join(folder, '.passport-registry/sandbox-operator-token');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const token = readFileSync(file, 'utf8').trim();
    expect(token).toHaveLength(43);
    const busy = await cli(['sandbox', '--port', new URL(address).port, '--json'], folder);
    expect(busy.stdout + busy.stderr).not.toContain(token);
    writeFileSync(join(folder, 'short'), 'secret');
    const short = await cli(['sandbox', '--operator-token', 'short'], folder);
    expect([short.code, short.stderr.includes('secret')]).toEqual([2, false]);
    expect((await cli(['sandbox', '--operator-token', 'missing'], folder)).code).toBe(4);
  });

  it('ends well when it is told to', async () => {
    const folder = temporaryFolder();
    const child = spawn(process.execPath, [CLI, 'sandbox', '--port', '0', '--json'], {
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
  });
});
