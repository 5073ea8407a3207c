import { execFileSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { git } from '../../support/git.js';
import { copyOf } from '../../support/made-once.js';
import { withKeys } from '../../support/settings.js';
import {
  cli,
  clockAhead,
  filesBelow,
  filesOf,
  recordText,
  temporaryFolder,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

describe('passport-registry branch save never undoes a publication', () => {
  let folder: string;
  let origin: string;
  let aheadMinutes = 0;

  const run = async (...args: string[]) => {
    const outcome = await cli(args, folder, clockAhead(aheadMinutes));
    expect(outcome.code, outcome.stderr).toBe(0);
    return outcome;
  };
  const build = (...args: string[]) => run('build', '--key', 'key.pem', ...args);
  const save = (...args: string[]) => run('branch', 'save', ...args);
  const copy = (from: string, to: string) => {
    rmSync(join(folder, to), { recursive: true, force: true });
    cpSync(join(folder, from), join(folder, to), { recursive: true });
  };
  const head = () => git(origin, 'rev-parse', 'published');
  const statusOf = (id: string) => JSON.parse(git(origin, 'show', `published:issuers/${id}`)).status;
  const key = async (name: string) => {
    const { stdout } = await run('keys', 'generate', '--no-passphrase', '--private', `${name}.pem`);
    writeFiles(folder, { [`${name}.json`]: stdout });
  };

  /** Asserts that a tree is refused, in words, and that the branch stays as it is. */
  async function refused(code: number, words: string | RegExp, ...args: string[]): Promise<void> {
    const before = head();
    const outcome = await cli(['branch', 'save', ...args], folder, clockAhead(aheadMinutes));
    expect([outcome.code, head()], outcome.stderr).toEqual([code, before]);
    expect(outcome.stderr).toMatch(words);
  }

  /** Commits a change by hand on top of the branch. */
  function pushByHand(command: string): void {
    const other = join(temporaryFolder(), 'by-hand');
    git(origin, 'worktree', 'add', '-q', '--detach', other, 'published');
    execFileSync('sh', ['-ec', command], { cwd: other });
    git(other, 'add', '-A');
    git(other, 'commit', '-q', '--allow-empty', '-m', 'By hand');
    git(other, 'update-ref', 'refs/heads/published', 'HEAD');
  }

  async function loadNew(): Promise<void> {
    rmSync(join(folder, 'dist'), { recursive: true, force: true });
    await run('branch', 'load');
  }

  const use = (parent: string) => {
    folder = join(parent, 'registry');
    origin = join(parent, 'origin.git');
    aheadMinutes = 0;
  };
  /** Goes on with a registry whose first list is on the branch. */
  const published = () => use(copyOf(saved));
  let unsaved: string;
  let saved: string;

  beforeAll(async () => {
    unsaved = temporaryFolder();
    cpSync(await workspace(['alpha']), join(unsaved, 'registry'), { recursive: true });
    git(unsaved, 'init', '-q', '--template=', '--bare', 'origin.git');
    git(join(unsaved, 'origin.git'), 'config', 'receive.autogc', 'false');
    git(unsaved, 'init', '-q', '--template=', '-b', 'main', 'registry');
    git(join(unsaved, 'registry'), 'remote', 'add', 'origin', '../origin.git');
    saved = copyOf(unsaved);
    use(saved);
    await build();
    await save();
  });

  beforeEach(() => use(copyOf(unsaved)));

  it('by an older list: a revocation stays', async () => {
    published();
    copy('dist', 'old');
    await run('revoke', 'alpha', '--reason', 'x', '--key', 'key.pem');
    await save();
    await refused(
      1,
      /old does not follow branch published of origin: .* list dated .*Load the branch/s,
      'old',
    );
    expect(statusOf('alpha')).toBe('revoked');
  });

  it('by a tree that was built over an older list', async () => {
    published();
    copy('dist', 'old');
    copy('issuers', 'stale');
    await run('suspend', 'alpha', '--reason', 'x', '--key', 'key.pem');
    await save();
    writeFiles(folder, { 'stale/beta.yaml': recordText('beta') });
    await build('--issuers', 'stale', '--out', 'old', '--updated-at', later());
    // Both trees have a second publication, so that no verifier of one accepts the other.
    await refused(1, 'of the same sequence', 'old');
    writeFiles(folder, { 'stale/gamma.yaml': recordText('gamma') });
    await build('--issuers', 'stale', '--out', 'old', '--updated-at', later(60));
    await refused(1, /old does not follow .* changes\.json lacks changes .*built over an older tree/, 'old');
    expect(statusOf('alpha')).toBe('suspended');
  });

  it('by an older publication statement about the same list', async () => {
    await key('online');
    await build();
    copy('dist', 'old');
    const list = readFileSync(join(folder, 'dist/issuers.json'));
    await build(...withKeys({ checkpoint: 'online.pem' }));
    await save();
    expect(readFileSync(join(folder, 'dist/issuers.json')).equals(list)).toBe(true);
    await refused(1, 'ERR_PUBLICATION_ROLLED_BACK', 'old');
    // A new checkpoint does not make the older statement a newer one.
    await run('checkpoint', 'old', '--online-key', 'key.pem');
    await refused(1, 'ERR_PUBLICATION_ROLLED_BACK', 'old');
  });

  it('by another list of the same date', async () => {
    const time = ['--updated-at', '2026-01-01T00:00:00Z'];
    await build(...time);
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    await build(...time, '--out', 'other');
    await save();
    await refused(1, 'of the same date', 'other');
  });

  it('by a change that breaks a rule, unless the operator permits the exception', async () => {
    published();
    rmSync(join(folder, 'issuers/alpha.yaml'));
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    await build('--override', 'alpha:record-removed');
    await refused(1, /record-removed[\s\S]*dist does not follow branch published of origin/);
    await refused(1, 'record-removed', '--override', 'beta:record-removed');
    const [reason, settings] = ['it was a test', 'transitions: { overrides: [{ issuer_id: alpha, '];
    writeFiles(folder, { 'registry.yaml': `${settings}rule: record-removed, reason: ${reason} }] }\n` });
    expect((await save()).stderr).toContain(`overridden: ${reason}`);
  });

  it('by an older checkpoint, or one of a replaced online key', async () => {
    await key('online');
    await key('other');
    await build(...withKeys({ checkpoint: 'online.pem' }));
    await save();
    copy('dist', 'first');
    second();
    await run('checkpoint', '--online-key', 'online.pem');
    await save();
    await refused(1, /the checkpoint is dated .* was accepted before/, 'first');
    await build(...withKeys({ checkpoint: 'other.pem' }));
    await save();
    second();
    await run('checkpoint', 'first', '--online-key', 'online.pem');
    await refused(1, 'ERR_PUBLICATION_ROLLED_BACK', 'first');
    pushByHand('echo x > statements.json');
    expect((await cli(['branch', 'load', 'damaged'], folder)).code).toBe(1);
    await run('checkpoint', '--online-key', 'other.pem');
    await refused(1, 'the published tree is damaged');
  });

  it('by a checkpoint from before a hold, even with a newer list', async () => {
    await build(...withKeys({ checkpoint: 'key.pem' }));
    await save();
    copy('dist', 'old');
    await run('hold', 'alpha', '--online-key', 'key.pem');
    await save();
    await refused(1, /the checkpoint is dated .* was accepted before/, 'old');
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    // On a machine whose clock is behind, its checkpoint is older than the hold.
    const time = new Date(Date.now() + 9000).toISOString().replace(/\.\d+/, '');
    const args = ['build', '--key', 'key.pem', '--out', 'old', '--updated-at', time];
    expect((await cli(args, folder, clockAhead(-1))).code).toBe(0);
    await refused(1, /the checkpoint is dated .* was accepted before/, 'old');
  });

  it('but an expired checkpoint is no obstacle, so that an emergency does not wait for the online key', async () => {
    await key('online');
    const past = async (...args: string[]) => {
      const outcome = await cli(args, folder, clockAhead(-180));
      expect(outcome.code, outcome.stderr).toBe(0);
      return outcome.stdout;
    };
    writeFiles(folder, { 'short.yaml': 'checkpoint: { hours: 1 }\n' });
    const freshness = [...withKeys({ checkpoint: 'online.pem' }), '--config', 'short.yaml'];
    await past('build', '--key', 'key.pem', ...freshness);
    await past('branch', 'save');
    copy('dist', 'old');
    await run('suspend', 'alpha', '--reason', 'x', '--key', 'key.pem');
    await save();
    expect(statusOf('alpha')).toBe('suspended');
    // Both trees have the checkpoint of the older list.
    await refused(1, 'list dated', 'old');
  });

  it('by another root key without a rotation', async () => {
    published();
    await key('next');
    const args = ['--key', 'next.pem', '--out', 'other'];
    await run('build', ...args, '--updated-at', later());
    await refused(1, /follow only a rotation/, 'other');
    await save('other', '--break-pinned-verifiers');
    await loadNew();
    await key('last');
    const step = ['keys', 'step', '--key', 'next.pem', '--next', 'last.json'];
    writeFiles(folder, { 'rotation.jwt': (await run(...step)).stdout });
    copy('dist', 'before');
    await run('build', '--key', 'last.pem', '--rotation', 'rotation.jwt');
    await save();
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    await run('build', '--key', 'next.pem', '--out', 'before', '--updated-at', later(60));
    await refused(1, 'before does not follow', 'before');
  });

  it('by an older list, even with --break-pinned-verifiers', async () => {
    await key('other');
    await run('build', '--key', 'other.pem', '--out', 'other', '--updated-at', '2026-01-01T00:00:00Z');
    await build();
    await save();
    await refused(1, 'list dated', 'other', '--break-pinned-verifiers');
  });

  it('by a development tree. A development tree is replaced, as by a build', async () => {
    await run('build', '--out', 'development');
    copy('.passport-registry', 'other-machine');
    await save('development');
    rmSync(join(folder, '.passport-registry'), { recursive: true });
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    await run('build', '--out', 'development', '--updated-at', later());
    await save('development');
    await build('--updated-at', '2026-01-01T00:00:00Z');
    await save();
    await refused(3, 'development tree does not replace it', 'development', '--break-pinned-verifiers');
  });

  it('if the tree of the branch is empty or damaged where it is signed', async () => {
    const next = copyOf(saved);
    use(next);
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    await build();
    for (const damage of [
      'git rm -qr .',
      'echo >> issuers.json',
      'rm keys/root.json',
      'echo x > issuers.sig',
    ]) {
      use(copyOf(next));
      pushByHand(damage);
      expect((await cli(['branch', 'load', join(temporaryFolder(), 'new')], folder)).code).toBe(1);
      await refused(1, /the published tree is damaged.*git revert/);
    }
    pushByHand('git -c user.name=a -c user.email=a@example.com revert --no-edit HEAD');
    await loadNew();
    pushByHand('echo x > issuers/alpha');
    await run('branch', 'load', 'damaged');
    await build();
    await save();
    expect(statusOf('alpha')).toBe('active');
  });

  it.each(['root.pem', 'CNAME', 'middleware.js', 'publication.jwt'])(
    'and publishes no file that is not part of the tree, such as %s',
    async (path) => {
      published();
      writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
      await build();
      writeFileSync(join(folder, 'dist', path), 'x');
      await refused(1, path);
      await build();
      await save();
      expect(git(origin, 'ls-tree', '--name-only', 'published').split('\n')).not.toContain(path);
    },
  );

  it('and nothing else while the first publication is only in its log', async () => {
    await key('log');
    await build(...withKeys({ log: 'log.pem', origin: 'registry.example/log' }));
    const isLogged = /^(?:log\/|lists\/|keys\/root.json$)/;
    const files = filesOf(join(folder, 'dist'));
    for (const path of filesBelow(join(folder, 'dist')))
      if (!isLogged.test(path)) rmSync(join(folder, 'dist', path));
    const [list = ''] = readdirSync(join(folder, 'dist/lists'));
    const pending = `dist/log/pending/${list.replace('.json', '')}/issuers.sig`;
    writeFiles(folder, { 'dist/CNAME': 'x', [pending]: files.get('issuers.sig') as Buffer });
    const { code, stderr } = await cli(['branch', 'save'], folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining('CNAME')]);
    rmSync(join(folder, 'dist/CNAME'));
    await save();
  });

  it('by a tree that fails verification', async () => {
    published();
    writeFiles(folder, { 'dist/issuers/alpha': '{}' });
    await refused(1, 'dist fails verification');
    writeFiles(folder, { 'dist/issuers.sig': 'x' });
    await refused(1, 'dist has no list with a valid signature');
  });

  it('if another publication arrives between the comparison and the push', async () => {
    published();
    pushByHand('true');
    const theirs = head();
    git(origin, 'update-ref', 'refs/heads/published', `${theirs}^`);
    const move = `git --git-dir='${origin}' update-ref refs/heads/published ${theirs}`;
    writeFiles(folder, { '.git/hooks/pre-push': `#!/bin/sh\n${move}\n` });
    execFileSync('chmod', ['+x', '.git/hooks/pre-push'], { cwd: folder });
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    await build();
    const { code, stderr } = await cli(['branch', 'save'], folder);
    expect([code, head()]).toEqual([4, theirs]);
    expect(stderr).toMatch(/has another publication/);
  });

  it('and makes a branch again that was deleted, on top of what was loaded', async () => {
    published();
    copy('dist', 'old');
    await run('revoke', 'alpha', '--reason', 'x', '--key', 'key.pem');
    await save();
    git(origin, 'update-ref', '-d', 'refs/heads/published');
    const { code, stderr } = await cli(['branch', 'save', 'old'], folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining('old does not follow')]);
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    await build();
    await save();
    expect([statusOf('alpha'), git(origin, 'rev-list', '--count', 'published')]).toEqual(['revoked', '3']);
  });

  /** A time after every list of the test, which is still within the tolerance for clocks. */
  function later(seconds = 30): string {
    return new Date(Date.now() + seconds * 1000).toISOString().replace(/\.\d+Z/, 'Z');
  }

  /** Lets two seconds pass: statements are dated to the second. */
  function second(): void {
    aheadMinutes += 2 / 60;
  }
});
