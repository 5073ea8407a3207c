import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { copyOf } from '../../support/made-once.js';
import { operatorIn } from '../../support/operator.js';
import { claimsOf, readTreeFile } from '../../support/statements.js';
import { cli, clockAhead, keyPair, workspace } from '../../support/workspace.js';

let folder: string;
const { at: path, record } = operatorIn(() => folder);
/** In minutes of this day. Each test counts on from here. */
let minutes: number;

let made: string;
beforeAll(async () => {
  minutes = 0;
  made = folder = await workspace(['alpha', 'beta']);
  await keyPair(folder, 'root');
  await good('build', ...KEY);
});
beforeEach(() => {
  minutes = 0;
  folder = copyOf(made);
});

const KEY = ['--key', 'root.pem', '--production'];
const run = (...args: string[]) => cli(args, folder, clockAhead(minutes));
async function good(...args: string[]): Promise<string> {
  const { code, stderr } = await run(...args);
  expect(code, stderr).toBe(0);
  return stderr;
}
const build = (...more: string[]) => good('build', ...KEY, ...more);
const suspend = (id = 'alpha') => good('suspend', id, '--reason', 'leak', ...KEY);
const end = (id = 'alpha') => good('suspend', '--end', id, '--reason', 'new keys', ...KEY);

const text = (path: string) => readFileSync(join(folder, path), 'utf8');
const fields = (id = 'alpha') => parse(text(`issuers/${id}.yaml`));
const about = (id = 'alpha') => JSON.parse(text('dist/about.json')).issuers[id];
const updatedAt = (): string => JSON.parse(text('dist/issuers.json')).updated_at;
const published = (id = 'alpha'): string => JSON.parse(text(`dist/issuers/${id}`)).status;
const copy = (source: string, target: string) => {
  rmSync(path(target), { recursive: true, force: true });
  cpSync(path(source), path(target), { recursive: true });
};
/** A time in minutes of this day, RFC 3339. */
const at = (minute: number) => new Date(Date.now() + minute * 60_000).toISOString();

/** Asserts that no way to a list lifts the suspension, and returns what the diagnostic says. */
async function refused(issuers = 'issuers'): Promise<Record<string, unknown>> {
  const before = text('dist/issuers.json');
  const said: Record<string, unknown>[] = [];
  for (const command of [
    ['build', ...KEY, '--issuers', issuers],
    ['build', '--unsigned', 'request', '--root-key', 'root.json', '--issuers', issuers],
    ['diff', 'dist', issuers, '--trust-anchor', 'root.json'],
  ]) {
    const outcome = await run(...command, '--json');
    const { diagnostics } = JSON.parse(outcome.stdout);
    expect([outcome.code, diagnostics]).toMatchObject([1, [{ rule: 'suspension-not-lifted' }]]);
    said.push(diagnostics[0]);
  }
  expect(text('dist/issuers.json')).toBe(before);
  return said[0] as Record<string, unknown>;
}

describe('about.json', () => {
  it('says since when an issuer is not active: since the list that first says so', async () => {
    await suspend();
    const since = updatedAt();
    expect(about()).toEqual({ status_reason: 'leak', status_since: since });
    minutes = 1;
    record('beta', { tier: 'founding' });
    await build();
    expect(updatedAt()).not.toBe(since);
    minutes = 2;
    record('beta', { tier: 'registered' });
    await build();
    minutes = 3;
    await good('suspend', 'alpha', '--reason', 'another reason', ...KEY);
    expect(about()).toEqual({ status_reason: 'another reason', status_since: since });
    expect(await build()).toContain('0 written');
    // Another status has another time.
    minutes = 4;
    await good('revoke', 'alpha', '--reason', 'gone', ...KEY);
    expect(about()).toEqual({ status_reason: 'gone', status_since: updatedAt() });
    await good('verify', 'dist', '--trust-anchor', 'root.json');
  });

  it('says so of a first list, too, and after a rotation', async () => {
    rmSync(path('dist'), { recursive: true });
    record('alpha', { status: 'suspended' });
    await build();
    const since = updatedAt();
    expect(about()).toEqual({ status_since: since });
    expect(claimsOf(readTreeFile(path('dist/publication.jwt')))).toHaveProperty('about_sha256');
    minutes = 1;
    const next = ['--next-key', 'next.pem'];
    await keyPair(folder, 'next');
    await good('keys', 'rotate', '--yes', '--key', 'root.pem', ...next);
    expect(about()).toEqual({ status_since: since });
  });
});

describe('the end of a suspension', () => {
  it('is a time in the record, which `suspend --end` writes, and which stays', async () => {
    await suspend();
    const since = updatedAt();
    minutes = 1;
    expect(await end()).toContain('This lifts a suspension');
    const { reinstated, status } = fields();
    const times = [since, reinstated, updatedAt()];
    expect([status, times]).toEqual(['active', times.toSorted()]);
    expect(reinstated).not.toBe(since);
    expect([published(), about()]).toEqual(['active', { reinstated }]);
    expect(text('dist/issuers/alpha')).not.toContain('reinstated');
    await good('check');
    await good('verify', 'dist', '--trust-anchor', 'root.json');
    // Twice is once.
    const files = [text('issuers/alpha.yaml'), text('dist/SHA256SUMS')];
    minutes = 2;
    await end();
    await build();
    expect([text('issuers/alpha.yaml'), text('dist/SHA256SUMS')]).toEqual(files);
  });

  // A build asks nobody when a file was written, so an old clone, a squash or a revert is no more than old records.
  it('is no time from before the suspension, and none without a time: old records lift nothing', async () => {
    await suspend();
    const since = updatedAt();
    record('alpha');
    expect(await refused()).toMatchObject({ file: 'issuers/alpha.yaml', line: 3 });
    for (const reinstated of [since, at(-60)]) {
      record('alpha', { reinstated });
      expect(await refused()).toMatchObject({ file: 'issuers/alpha.yaml', line: 7 });
    }
  });

  it('is no time of the future, beyond what clocks may differ', async () => {
    await suspend();
    record('alpha', { reinstated: at(10) });
    for (const args of [['check'], ['build', ...KEY]]) {
      const { code, stdout } = await run(...args, '--json');
      const found = { rule: 'suspension-not-lifted', file: 'issuers/alpha.yaml', line: 7 };
      const message = expect.stringContaining('in the future');
      expect([code, JSON.parse(stdout).diagnostics]).toMatchObject([1, [{ ...found, message }]]);
    }
    record('alpha', { reinstated: at(4) });
    await build();
  });

  it('is later than a suspension by a clock that was ahead', async () => {
    minutes = 4;
    await suspend();
    const since = updatedAt();
    minutes = 0;
    await end();
    expect(Date.parse(fields().reinstated)).toBe(Date.parse(since) + 1000);
  });

  it('ends one suspension, and none after it', async () => {
    await suspend();
    minutes = 1;
    await end();
    copy('issuers', 'first-end');
    minutes = 2;
    await suspend();
    expect(about()).toEqual({
      status_reason: 'leak',
      status_since: updatedAt(),
      reinstated: fields().reinstated,
    });
    await refused('first-end');
    // By hand, the old time is no new one.
    const { reinstated } = fields();
    record('alpha', { reinstated });
    await refused();
    minutes = 3;
    await end();
    expect(Date.parse(fields().reinstated)).toBeGreaterThan(Date.parse(reinstated));
    expect(published()).toBe('active');
  });

  it('is no end of a later suspension either if the clock that wrote it was ahead', async () => {
    await suspend();
    minutes = 1;
    record('alpha', { reinstated: at(5) });
    await build();
    copy('issuers', 'first-end');
    minutes = 2;
    await suspend();
    await refused('first-end');
    await end();
    expect(published()).toBe('active');
  });

  it('is refused by every command about another issuer, too', async () => {
    copy('issuers', 'old');
    await suspend();
    for (const [name, status] of [
      ['suspend', 'suspended'],
      ['revoke', 'revoked'],
    ] as const) {
      copy('old', 'issuers');
      const { code, stdout } = await run(name, 'beta', '--reason', 'x', ...KEY, '--json');
      const remedy = expect.stringMatching(/git pull.*`suspend --end`/);
      const { diagnostics } = JSON.parse(stdout);
      expect([code, diagnostics]).toMatchObject([1, [{ rule: 'suspension-not-lifted', remedy }]]);
      expect([published(), fields('beta').status]).toEqual(['suspended', status]);
    }
    // The way on if nobody has pushed the newest records.
    copy('old', 'issuers');
    await good('suspend', 'alpha', 'beta', '--reason', 'leak', ...KEY);
    expect([published(), published('beta')]).toEqual(['suspended', 'suspended']);
  });

  it('of several issuers is one command, which ends no other', async () => {
    copy('issuers', 'old');
    await good('suspend', 'alpha', 'beta', '--reason', 'leak', ...KEY);
    copy('old', 'issuers');
    const several = ['suspend', '--end', '--reason', 'new keys', ...KEY];
    const { code, stdout } = await run(...several, 'alpha', '--json');
    const refusal = { rule: 'suspension-not-lifted', file: 'issuers/beta.yaml', line: 3 };
    expect([code, JSON.parse(stdout).diagnostics]).toMatchObject([1, [refusal]]);
    await good(...several, 'alpha', 'beta');
    expect([published(), published('beta')]).toEqual(['active', 'active']);
  });

  it('for which the record was never edited is written by `suspend --end`', async () => {
    copy('issuers', 'old');
    await suspend();
    copy('old', 'issuers');
    minutes = 1;
    await end();
    expect([published(), fields()]).toEqual([
      'active',
      expect.objectContaining({ status: 'active', reinstated: expect.any(String) }),
    ]);
  });

  it('is a problem for `status` if the record does not show it', async () => {
    copy('issuers', 'old');
    await suspend();
    copy('old', 'issuers');
    const { parts } = JSON.parse((await run('status', '--json')).stdout);
    const problems = [expect.objectContaining({ rule: 'suspension-not-lifted' })];
    expect(parts).toContainEqual(expect.objectContaining({ part: 'records', level: 'error', problems }));
  });
});
