import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CLI } from '../../support/paths.js';
import { until } from '../../support/until.js';
import { cleanEnvironment, cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

/** Checks the records of a folder until it is told to end, which returns the exit code. */
function watch(folder: string) {
  const child = spawn(process.execPath, [CLI, 'check', '--watch'], { cwd: folder, env: cleanEnvironment() });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      said += chunk;
    });
  }
  return {
    /** Waits until it has said something since the last time. */
    says: async (pattern: RegExp) => {
      await until(
        () => pattern.test(said),
        () => said,
      );
      said = '';
    },
    end: () => {
      const ended = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGINT');
      return ended;
    },
  };
}

describe('passport-registry check --watch', () => {
  it('checks again after each change, survives a broken file, and ends when told to', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/a.yaml': recordText('a') });
    const { says, end } = watch(folder);
    await says(/1 file: 0 problems/);
    writeFiles(folder, { 'issuers/a.yaml': recordText('a', { tier: 'gold' }) });
    await says(/unknown-value[\s\S]*1 file: 1 problem/);
    writeFiles(folder, { 'issuers/eu/b.yaml': 'issuer_id: [' });
    await says(/2 files: 2 problems/);
    expect(await end()).toBe(0);
  });

  it('survives that its folder is removed, replaced, moved over or a link that turns', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, {
      'issuers/a.yaml': recordText('a'),
      'other/b.yaml': recordText('b', { tier: 'gold' }),
    });
    const { says, end } = watch(folder);
    await says(/1 file: 0 problems/);
    rmSync(join(folder, 'issuers'), { recursive: true });
    await says(/issuers does not exist/);
    writeFiles(folder, { 'issuers/a.yaml': recordText('a'), 'issuers/c.yaml': recordText('c') });
    await says(/2 files: 0 problems/);
    writeFiles(folder, { 'issuers/c.yaml': recordText('c', { tier: 'gold' }) });
    await says(/2 files: 1 problem/);
    renameSync(join(folder, 'issuers'), join(folder, 'away'));
    renameSync(join(folder, 'other'), join(folder, 'issuers'));
    await says(/1 file: 1 problem/);
    writeFiles(folder, { 'issuers/b.yaml': recordText('b') });
    await says(/1 file: 0 problems/);
    mkdirSync(join(folder, 'issuers/eu'));
    writeFiles(folder, { 'issuers/eu/d.yaml': recordText('d') });
    await says(/2 files: 0 problems/);
    rmSync(join(folder, 'issuers/eu'), { recursive: true });
    await says(/1 file: 0 problems/);
    expect(await end()).toBe(0);
    expect(existsSync(join(folder, 'away'))).toBe(true);
  });

  it('has something to watch, and reports as text', async () => {
    const folder = temporaryFolder();
    expect((await cli(['check', 'nowhere', '--watch'], folder)).code).toBe(2);
    writeFiles(folder, { 'issuers/a.yaml': recordText('a') });
    expect((await cli(['check', '--watch', '--json'], folder)).code).toBe(2);
  });
});
