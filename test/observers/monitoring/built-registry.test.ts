import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onlyLogged } from '../../support/only-logged.js';
import { registryHost } from '../../support/registry-host.js';
import { withKeys } from '../../support/settings.js';
import {
  cli,
  filesOf,
  goodCli,
  keyPair,
  recordText,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

it('a monitor agrees with what the command line builds, rotates and completes', async () => {
  const folder = await workspace(['alpha', 'beta']);
  const good = async (...args: string[]) => (await goodCli(args, folder)).stdout;
  for (const name of ['log', 'next', 'online']) await keyPair(folder, name);
  writeFiles(folder, { 'root.json': await good('keys', 'public', 'key.pem') });
  const host = await registryHost();
  const monitor = async () => {
    host.files = filesOf(join(folder, 'dist'));
    const args = ['--trust-anchor', 'root.json', '--state', 'state', 'beta', '--json'];
    const { code, stdout } = await cli(['monitor', host.base, ...args], folder);
    const findings = JSON.parse(stdout).findings as { code: string; message: string }[];
    return [code, ...findings.map((found) => found.code)];
  };
  const change = (id: string, fields: Record<string, string> = {}) =>
    writeFiles(folder, { [`issuers/${id}.yaml`]: recordText(id, fields) });
  const logging = withKeys({ log: 'log.pem', origin: 'registry.example/log' });
  await good('build', '--key', 'key.pem', ...logging);
  expect(await monitor()).toEqual([0]);

  const checkpoint = withKeys({ checkpoint: 'online.pem' });
  await good('build', '--key', 'key.pem', ...logging, ...checkpoint);
  expect(await monitor()).toEqual([0, 'online-keys-changed']);
  await good('checkpoint', 'dist', '--online-key', 'online.pem');
  expect(await monitor()).toEqual([0]);

  change('beta', { status: 'suspended' });
  const before = join(folder, 'before');
  cpSync(join(folder, 'dist'), before, { recursive: true });
  const whole = join(folder, 'whole');
  await onlyLogged(join(folder, 'dist'), async () => {
    await good('build', '--key', 'key.pem', ...logging, ...checkpoint);
    cpSync(join(folder, 'dist'), whole, { recursive: true });
  });
  expect(await monitor()).toEqual([5, 'watched-issuer-changed', 'publication-logged']);
  cpSync(whole, join(folder, 'dist'), { recursive: true });
  expect(await monitor()).toEqual([0]);

  change('gamma');
  const rotate = ['keys', 'rotate', '--yes', '--key', 'key.pem', '--next-key', 'next.pem'];
  await good(...rotate, ...checkpoint, ...logging);
  expect(await monitor()).toEqual([0, 'rotation-logged', 'publication-logged']);

  // A tree that was put back.
  rmSync(join(folder, 'dist'), { recursive: true });
  cpSync(before, join(folder, 'dist'), { recursive: true });
  expect(await monitor()).toEqual([1, 'log-shrunk']);
  // Another history by the same keys.
  change('beta', { status: 'active', tier: 'founding' });
  await good('build', '--key', 'key.pem', ...logging, ...checkpoint);
  expect(await monitor()).toContain('log-forked');
});
