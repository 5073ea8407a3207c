import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { registryHost } from '../../support/registry-host.js';
import { freePort, plainHost } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { removeTreeFile } from '../../support/statements.js';
import { ONLINE, registryForStatus } from '../../support/status-registry.js';
import { cli, clockAhead, recordText, writeFiles } from '../../support/workspace.js';

const { here, good, registry, configure, publishWithCheckpoint, statusOf, hosted } = registryForStatus();
const later = (minutes: number) => clockAhead(minutes);

describe('a rotation', () => {
  const NEXT = ['--next-key', 'next.pem', '--next-no-passphrase'];
  const rotate = () => good('keys', 'rotate', '--yes', ...NEXT);
  const keyIn = (file: string) => JSON.parse(readFileSync(join(here.folder, file), 'utf8')).kid;

  it.each([false, true])(
    'is copied to the host that still has the outgoing key: checkpoints %s',
    async (on) => {
      registry();
      if (on) await publishWithCheckpoint();
      else await good('build');
      cpSync(join(here.folder, 'dist'), join(here.folder, 'live'), { recursive: true });
      const [base, mirror] = [await hosted('live'), await hosted('dist')];
      await rotate();
      const outgoing = keyIn('root.json');
      const asked = ['--base-url', base, '--mirror', base, mirror];
      // As root_key names the outgoing key, and as it names the next key.
      for (const rotated of [true, false]) {
        if (!rotated) cpSync(join(here.folder, 'rotation/next.json'), join(here.folder, 'root.json'));
        const { code, report } = await statusOf(asked);
        expect([report.rootKey.rotated, report.live.level, report.live.comparedWithTree]).toEqual([
          ...[rotated, 'warning', 'older'],
        ]);
        expect(report.live.parts.rootKey).toBe('older');
        expect(report.live.host).toMatchObject({ state: 'primary', rootKey: outgoing });
        expect(report.next.map(({ reason }: { reason: string }) => reason)).toContainEqual(
          expect.stringMatching(/^copy dist to the host/),
        );
        // The first mirror has the tree of the host. The second mirror is ahead of it.
        expect(report.mirrors.map(({ level }: { level: string }) => level)).toEqual(['ok', 'error']);
        expect(code).toBe(1);
      }
      rmSync(join(here.folder, 'live'), { recursive: true });
      cpSync(join(here.folder, 'dist'), join(here.folder, 'live'), { recursive: true });
      const { code, report } = await statusOf(asked);
      expect([code, report.live.level, report.rotation]).toEqual([
        ...[0, 'ok'],
        expect.objectContaining({ level: 'note', state: 'complete', next: keyIn('root.json') }),
      ]);
      const leftOver = expect.stringMatching(/registry.yaml.* remove rotation$/);
      expect(report.next).toEqual([{ command: 'rm -r rotation', reason: leftOver }]);
      rmSync(join(here.folder, 'rotation'), { recursive: true });
      expect((await statusOf(asked)).report.next).toEqual([]);
    },
  );

  it('begins with the newest records, or with the suspension that they lack', async () => {
    registry();
    const record = readFileSync(join(here.folder, 'issuers/beta.yaml'), 'utf8');
    await good('suspend', 'beta', '--reason', 'x');
    writeFiles(here.folder, { 'issuers/beta.yaml': record });
    const { code, stderr } = await cli(['keys', 'rotate', '--yes', ...NEXT], here.folder);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/`git pull`.*`suspend` the issuer .*`suspend --end/),
    ]);
  });

  it('has replaced a key that `signer` still names, which the error says', async () => {
    registry();
    await good('build');
    await rotate();
    const suspend = () => cli(['suspend', 'beta', '--reason', 'x'], here.folder);
    const words =
      /was replaced by the rotation in dist: signer in registry.yaml, or --key, must be the root key /;
    expect(await suspend()).toMatchObject({ code: 3, stderr: expect.stringMatching(words) });
    cpSync(join(here.folder, 'rotation/next.json'), join(here.folder, 'root.json'));
    const later = /If a rotation has replaced that key, let signer in registry.yaml, or --key, name /;
    expect(await suspend()).toMatchObject({ code: 3, stderr: expect.stringMatching(later) });
  });

  it('that was made elsewhere is an error, and no command adopts or undoes it', async () => {
    registry();
    await good('build');
    cpSync(join(here.folder, 'dist'), join(here.folder, 'before'), { recursive: true });
    await rotate();
    cpSync(join(here.folder, 'dist'), join(here.folder, 'live'), { recursive: true });
    for (const path of ['dist', 'rotation']) rmSync(join(here.folder, path), { recursive: true });
    cpSync(join(here.folder, 'before'), join(here.folder, 'dist'), { recursive: true });
    // A change that would be published otherwise.
    writeFiles(here.folder, { 'issuers/gamma.yaml': recordText('gamma') });
    const base = await hosted('live');
    const foreign = await statusOf(['--base-url', base]);
    expect([foreign.code, foreign.report.live.level, foreign.report.live.isForeign]).toEqual([
      1,
      'error',
      true,
    ]);
    expect(foreign.next).toEqual([undefined]);
    expect(foreign.report.next[0].reason).toContain(foreign.report.live.host.rootKey);
    // Whoever has pinned the new key has brought it here.
    const key = JSON.parse(readFileSync(join(here.folder, 'live/keys/root.json'), 'utf8'));
    writeFiles(here.folder, { 'root.json': JSON.stringify(key) });
    const own = await statusOf(['--base-url', base]);
    expect(own.report.live.isForeign).toBe(false);
  });

  it('is no reason to accept another key on the host, or a newer list by the outgoing key', async () => {
    registry();
    await good('build');
    await good('build', '--key', 'stranger.pem', '--root-key', 'stranger.json', '--out', 'strange');
    cpSync(join(here.folder, 'dist'), join(here.folder, 'live'), { recursive: true });
    await rotate();
    cpSync(join(here.folder, 'root.json'), join(here.folder, 'outgoing.json'));
    cpSync(join(here.folder, 'rotation/next.json'), join(here.folder, 'root.json'));
    const strange = await statusOf(['--base-url', await hosted('strange')]);
    expect([strange.code, strange.report.live.host.state]).toEqual([1, 'altered']);
    writeFiles(here.folder, { 'issuers/gamma.yaml': recordText('gamma') });
    const args = ['build', '--root-key', 'outgoing.json', '--out', 'live'];
    expect((await cli(args, here.folder, later(1))).code).toBe(0);
    const leaked = await statusOf(['--base-url', await hosted('live')]);
    expect([leaked.code, leaked.report.live.comparedWithTree]).toEqual([1, 'other']);
    const replaced = `the rotation of dist has replaced the root key of`;
    expect(leaked.report.live.details.at(-1)).toMatch(
      new RegExp(`${replaced} .*, ${keyIn('outgoing.json')}$`),
    );
    // Verifiers that have seen the later list refuse an older one.
    expect(leaked.report.next[0].reason).toMatch(/^publish a change of any record, /);
    expect(leaked.next).toEqual([undefined, expect.stringContaining('--expect dist')]);
  });

  it('that another machine published is newer', async () => {
    registry();
    await good('build');
    cpSync(join(here.folder, 'dist'), join(here.folder, 'old'), { recursive: true });
    await rotate();
    const { report } = await statusOf(['--base-url', await hosted('dist'), '--out', 'old']);
    expect([report.live.comparedWithTree, report.live.parts.rootKey]).toEqual(['newer', 'newer']);
  });

  it('that was stopped is named with the command that continues it', async () => {
    registry();
    await good('build');
    cpSync(join(here.folder, 'dist'), join(here.folder, 'before'), { recursive: true });
    await rotate();
    const next = keyIn('rotation/next.json');
    const expectUnfinished = async (reason: RegExp) => {
      const { report } = await statusOf();
      expect(report.rotation).toMatchObject({ level: 'warning', state: 'unfinished' });
      expect(report.next[0].reason).toMatch(reason);
    };
    const words = /^continue the rotation: run `(npx passport-registry keys rotate)` with --next-key /;
    // A build that was killed, while it replaced the files.
    rmSync(join(here.folder, 'dist/SHA256SUMS'));
    await expectUnfinished(words);
    rmSync(join(here.folder, 'dist'), { recursive: true });
    await expectUnfinished(/^load /);
    cpSync(join(here.folder, 'before'), join(here.folder, 'dist'), { recursive: true });
    for (const file of ['step.jwt', 'next.json']) {
      await expectUnfinished(words);
      rmSync(join(here.folder, 'rotation', file));
    }
    await expectUnfinished(words);
    const { stdout } = await cli(['status'], here.folder);
    expect(stdout).toMatch(/^warning rotation {4}the next key is not made yet/m);
    expect(stdout).not.toContain('There is nothing to do');
    rmSync(join(here.folder, 'next.pem'));
    await rotate();
    expect(keyIn('rotation/next.json')).not.toBe(next);
  });

  it('with files that are not its own is not read as one, and damaged files are named', async () => {
    registry();
    await good('build');
    writeFiles(here.folder, { 'rotation/notes.txt': 'x' });
    expect((await statusOf()).report.rotation.state).toBe('none');
    writeFiles(here.folder, { 'rotation/next.json': '{}' });
    const { report } = await statusOf();
    expect(report.rotation).toMatchObject({ level: 'warning', state: 'unreadable' });
    expect(report.next.at(-1).reason).toContain('rotation/next.json contains no public JWK');
  });
});

type Intercept = Awaited<ReturnType<typeof registryHost>>['intercept'];

const redirect: Intercept = (_path, _request, response) => {
  response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
  return true;
};

const fails: Intercept = (_path, _request, response) => {
  response.writeHead(503).end();
  return true;
};

const endless: Intercept = (_path, _request, response) => {
  const more = () => response.destroyed || response.write(Buffer.alloc(65536), () => setImmediate(more));
  response.writeHead(200);
  more();
  return true;
};

describe('hosts', () => {
  beforeEach(async () => {
    registry();
    await good('build');
  });

  const change = () => writeFiles(here.folder, { 'issuers/gamma.yaml': recordText('gamma') });
  /** The command that brings the tree of a host into an output folder. */
  const copyFrom = (base: string, out: string) => {
    const away = existsSync(join(here.folder, out))
      ? `mkdir (\\S+/replaced-\\d+) && mv ${out} \\1/dist && `
      : '';
    const mirror = '.passport-registry/mirror';
    return expect.stringMatching(
      `^npx passport-registry mirror ${base} ${mirror} && ${away}cp -rL ${mirror}/current ${out}$`,
    );
  };
  const copy = (name: string) =>
    cpSync(join(here.folder, 'dist'), join(here.folder, name), { recursive: true });

  it('serve the list of the tree, an older one or a newer one', async () => {
    copy('before');
    change();
    await good('build');
    copy('after');
    const hosts = { before: await hosted('before'), after: await hosted('after') };
    const compared = async (url: string, out: string) => {
      const { report } = await statusOf(['--base-url', url, '--out', out]);
      return [report.live.comparedWithTree, report.live.level];
    };
    expect(await compared(hosts.after, 'after')).toEqual(['same', 'ok']);
    expect(await compared(hosts.before, 'after')).toEqual(['older', 'warning']);
    expect(await compared(hosts.after, 'before')).toEqual(['newer', 'warning']);
  });

  it.each(['sums/root', 'SHA256SUMS'])(
    'that have only a part of the tree are to be copied again: %s',
    async (path) => {
      copy('live');
      change();
      await good('build');
      const old = readFileSync(join(here.folder, 'live', path));
      copy('live');
      writeFiles(here.folder, { [`live/${path}`]: old });
      const { report } = await statusOf(['--base-url', await hosted('live')]);
      expect([report.live.level, report.live.message]).toEqual(['error', expect.stringContaining(path)]);
      expect(report.next[0].reason).toMatch(/^copy dist to the host of /);
    },
  );

  it('are to be loaded from a new clone, before a build that could not compare its records', async () => {
    const base = await hosted('dist');
    const { code, report } = await statusOf(['--base-url', base, '--out', 'new']);
    expect([code, report.live.level, report.live.host.state]).toEqual([1, 'error', 'primary']);
    expect(report.next).toEqual([
      {
        command: copyFrom(base, 'new'),
        reason: expect.any(String),
      },
    ]);
  });

  it('with a newer list are to be loaded, and nothing is built before', async () => {
    copy('before');
    change();
    await good('build');
    const base = await hosted('dist');
    const { next } = await statusOf(['--base-url', base, '--out', 'before']);
    expect(next).toEqual([copyFrom(base, 'before')]);
  });

  it.each<[string, () => Promise<void> | void, string, string]>([
    ['the same files', () => undefined, 'same', 'ok'],
    ['no checkpoint', () => removeTreeFile(join(here.folder, 'live/checkpoint.jwt')), 'older', 'error'],
    ['no statements', () => rmSync(join(here.folder, 'live/statements.json')), 'older', 'error'],
    ['an older checkpoint', () => checkpointLater('dist'), 'older', 'warning'],
    ['a newer checkpoint', () => checkpointLater('live'), 'newer', 'warning'],
    [
      'an older list and a newer checkpoint',
      async () => {
        change();
        await good('build', ...withKeys({ checkpoint: 'online.pem' }));
        const signed = await cli(['checkpoint', 'live'], here.folder, later(2));
        expect(signed.code, signed.stderr).toBe(0);
      },
      'older',
      'warning',
    ],
  ])('that serve the list of the tree with %s', async (_name, alter, compared, level) => {
    await publishWithCheckpoint();
    copy('live');
    await alter();
    const base = await hosted('live');
    const { report, next } = await statusOf(['--base-url', base]);
    if (level === 'error') expect(report.live.host.state).toBe('altered');
    else expect(report.live.comparedWithTree).toBe(compared);
    expect(report.live.level).toBe(level);
    expect(next[0]).toEqual({ same: undefined, older: next[0], newer: copyFrom(base, 'dist') }[compared]);
    // Verifiers refuse an older checkpoint than the one that they have seen.
    const isFirst = report.live.parts?.checkpoint === 'newer' && compared === 'older';
    if (isFirst) expect(next[0]).toBe('npx passport-registry checkpoint dist');
    else if (compared === 'older' && level === 'warning') {
      expect(report.next[0].reason).toMatch(/^copy dist to the host of /);
    }
  });

  it('that serve the list of the tree with another publication statement', async () => {
    configure();
    await good('build');
    copy('before');
    // The list has no names, so only the statement is new.
    writeFiles(here.folder, { 'issuers/alpha.yaml': recordText('alpha', { name: 'Alpha' }) });
    await good('build');
    copy('after');
    const compared = async (live: string, out: string) => {
      const { report } = await statusOf(['--base-url', await hosted(live), '--out', out]);
      return [report.live.parts.list, report.live.parts.publication, report.live.comparedWithTree];
    };
    expect(await compared('before', 'after')).toEqual(['same', 'older', 'older']);
    expect(await compared('after', 'before')).toEqual(['same', 'newer', 'newer']);
    expect(await compared('after', 'after')).toEqual(['same', 'same', 'same']);
  });

  /** Signs the checkpoint of a tree again, in a later second. */
  async function checkpointLater(tree: string): Promise<void> {
    const signed = await cli(['checkpoint', tree], here.folder, later(1));
    expect(signed.code, signed.stderr).toBe(0);
  }

  it.each<[string, Intercept | undefined, string]>([
    ['redirects', redirect, 'a redirect to'],
    ['serves no registry', undefined, 'serves no list'],
    ['sends a list without end', endless, 'larger than'],
    ['answers with errors', fails, 'responds with 503'],
  ])('that are hostile: one %s', async (_name, intercept, words) => {
    const host = await registryHost();
    if (intercept !== undefined) host.intercept = intercept;
    // The host of a first publication may not be there yet.
    change();
    await good('build');
    const { code, report } = await statusOf(['--base-url', host.base]);
    expect([code, report.live]).toEqual([
      1,
      expect.objectContaining({ level: 'error', message: expect.stringContaining(words) }),
    ]);
    expect(report.tree.level).toBe('ok');
  });

  it('are not asked with --offline', async () => {
    const host = await registryHost();
    const { code, report } = await statusOf(['--offline', '--base-url', host.base, '--mirror', host.base]);
    expect([code, report.live.level, report.mirrors[0].level, host.log]).toEqual([0, 'note', 'note', []]);
  });

  it.each([
    ['status', '--base-url', 'registry.example'],
    ['status', '--mirror', 'ftp://mirror.example'],
    ['mirror', 'status', 'registry.example', '--root-key', 'root.json'],
  ])('that are no URLs are wrong usage: %s %s %s', async (...args) => {
    const { code, stderr } = await cli(args, here.folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not an http(s) URL')]);
  });

  it('of another key are altered', async () => {
    copy('other');
    const base = await hosted('other');
    rmSync(join(here.folder, 'dist'), { recursive: true });
    const { report } = await statusOf(['--base-url', base, '--root-key', 'stranger.json']);
    expect(report.live).toMatchObject({ level: 'error', host: { state: 'altered' } });
  });

  it('that are mirrors: in sync, behind, altered, away, and with an expired checkpoint', async () => {
    rmSync(join(here.folder, 'dist'), { recursive: true });
    await good('build', '--updated-at', '2026-01-01T00:00:00Z');
    copy('behind');
    change();
    await good('build', '--updated-at', '2026-01-01T01:00:00Z');
    const [base, behind] = [await hosted('dist'), await hosted('behind')];
    const altered = await plainHost(join(here.folder, 'dist'), 'index.html', (path, bytes) =>
      /^\/(?:issuers\.json|lists\/)/.test(path)
        ? Buffer.from(bytes.toString().replace('alpha', 'alpho'))
        : bytes,
    );
    const away = `http://127.0.0.1:${await freePort()}`;
    configure(`base_url: ${base}\nmirrors: [${[base, behind, altered, away].join(', ')}]\n`);
    const { code, report } = await statusOf();
    expect(code).toBe(1);
    const found = report.mirrors.map(({ level, host }: { level: string; host: { state: string } }) => [
      level,
      host.state,
    ]);
    const failed = [
      ['error', 'altered'],
      ['error', 'unreachable'],
    ];
    expect(found).toEqual([['ok', 'in sync'], ['ok', 'behind'], ...failed]);
    const strict = await statusOf(['--max-behind', '3599']);
    expect(strict.report.mirrors[1]).toMatchObject({ level: 'error', host: { behind: 3600 } });
    expect(strict.report.next.at(-1).reason).toContain(`${behind}, ${altered}, ${away}`);
    // `mirror status` takes the same settings.
    const same = JSON.parse((await cli(['mirror', 'status', '--json'], here.folder)).stdout);
    expect(same.mirrors.slice(1)).toEqual(report.mirrors.map(({ host }: { host: unknown }) => host));
  });

  it('that serve another list of the same time are an error, although the root key has signed it', async () => {
    const time = ['--updated-at', '2026-01-01T00:00:00Z'];
    await good('build', '--out', 'one', ...time);
    change();
    await good('build', '--out', 'two', ...time);
    const [one, two] = [await hosted('one'), await hosted('two')];
    const { code, report } = await statusOf(['--out', 'two', '--base-url', one, '--mirror', two]);
    expect([code, report.live.comparedWithTree, report.live.level]).toEqual([1, 'other', 'error']);
    expect(report.mirrors[0]).toMatchObject({ level: 'error', host: { state: 'altered' } });
  });

  it('with an expired checkpoint are refused by verifiers, whichever list they serve', async () => {
    await publishWithCheckpoint();
    const base = await hosted('dist');
    configure(`${ONLINE}base_url: ${base}\nmirrors: [${base}]\n`);
    expect((await statusOf()).code).toBe(0);
    const { code, report } = await statusOf([], later(24 * 60 + 10));
    expect([code, report.live.host.state, report.mirrors[0].host.state]).toEqual([1, 'expired', 'expired']);
    const status = await cli(['mirror', 'status'], here.folder, later(24 * 60 + 10));
    expect([status.code, status.stdout]).toEqual([1, expect.stringMatching(/^expired .*expired at/)]);
  });

  it('that are mirrors cannot be compared if the registry is away', async () => {
    const base = await hosted('dist');
    const away = `http://127.0.0.1:${await freePort()}`;
    const { report } = await statusOf(['--base-url', away, '--mirror', base]);
    expect(report.mirrors[0]).toMatchObject({ level: 'note', host: { state: 'unknown' } });
    const { code, stderr } = await cli(['mirror', 'status'], here.folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining('set base_url and mirrors in registry.yaml')]);
  });
});
