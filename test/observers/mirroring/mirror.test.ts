import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { describeWithMounts } from '../../support/components.js';
import { type ErrorCode, expectCommandError } from '../../support/expect-command-error.js';
import { type MirrorFolder, mirrorFolder } from '../../support/mirror-folder.js';
import { CLI } from '../../support/paths.js';
import { keyIn } from '../../support/publication.js';
import { freePort, mistypedHost, plainHost, serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { resealed } from '../../support/signed-tree.js';
import { readTreeFile, removeTreeFile } from '../../support/statements.js';
import { timeFromNow } from '../../support/times.js';
import { until } from '../../support/until.js';
import {
  cli,
  clockAhead,
  filesOf,
  goodCli,
  keyPair,
  recordText,
  run,
  writeFiles,
} from '../../support/workspace.js';

let here: MirrorFolder;
let publish: MirrorFolder['publish'];
let mirror: MirrorFolder['mirror'];
let served: MirrorFolder['served'];
/** Mirrors a source, which must succeed. Returns what the mirror reports. */
const reported = async (source: string) => {
  const { code, stdout, stderr } = await mirror(source, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
};
beforeEach(async () => {
  here = await mirrorFolder();
  ({ publish, mirror, served } = here);
});

/** The URL of the published tree. */
let source: string;

describe('passport-registry mirror', () => {
  beforeEach(async () => {
    source = await serve(here.tree);
  });

  it('serves files that other programs can check, and that a web server of another user can read', async () => {
    const previous = process.umask(0o077);
    const { stderr } = await mirror(source);
    process.umask(previous);
    expect(stderr).toContain('mirror ok: switched to the list of 2026-11-01T00:00:00Z, 3 issuers');
    execFileSync('sh', ['-c', 'sha256sum --quiet --strict -c SHA256SUMS sums/*'], {
      cwd: join(here.folder, 'mirror/current'),
    });
    for (const path of ['', 'issuers', 'issuers/alpha', 'issuers.json', '.htaccess']) {
      const stats = statSync(join(here.folder, 'mirror/current', path));
      expect([path, (stats.mode & 0o777).toString(8)]).toEqual([path, stats.isDirectory() ? '755' : '644']);
    }
  });

  it('keeps three releases, and serves the last', async () => {
    for (const day of [2, 3, 4, 5, 6]) {
      await publish(`2026-11-0${day}T00:00:00Z`);
      expect((await mirror(source)).code).toBe(0);
    }
    expect(readdirSync(join(here.folder, 'mirror/releases'))).toHaveLength(3);
    expect(served()).toBe('2026-11-06T00:00:00Z');
    expect(readlinkSync(join(here.folder, 'mirror/current'))).toMatch(
      /^releases\/20261106T000000Z-[0-9a-f]{16}$/,
    );
  });

  it('takes a new checkpoint of the same list', async () => {
    await publish('2026-11-02T00:00:00Z', ...withKeys({ checkpoint: 'key.pem' }));
    await mirror(source);
    const before = readTreeFile(join(here.folder, 'mirror/current/checkpoint.jwt')).toString();
    expect((await cli(['checkpoint', '--online-key', 'key.pem'], here.folder, clockAhead(1))).code).toBe(0);
    expect(await reported(source)).toMatchObject({ switched: true });
    expect(readTreeFile(join(here.folder, 'mirror/current/checkpoint.jwt')).toString()).not.toBe(before);
  });

  it('takes files of others that the checkpoint proves, besides those that its host hides', async () => {
    const others = {
      'news.json': '{}',
      'vercel.json': '{"redirects":[]}',
      'issuers/.htaccess': 'SetHandler other\n',
    };
    writeFiles(here.tree, others);
    const signer = await keyIn(join(here.folder, 'key.pem'));
    writeFiles(here.tree, Object.fromEntries(await resealed(filesOf(here.tree), signer)));
    const host = await plainHost(here.tree, '404.html', (path, bytes) =>
      path === '/issuers/.htaccess' ? undefined : bytes,
    );
    const { switched, notes } = await reported(host);
    expect([switched, notes]).toEqual([
      true,
      [expect.objectContaining({ code: 'file-unknown', path: 'news.json' })],
    ]);
    const taken = Object.entries(others).map(([path, text]) => {
      const file = join(here.folder, 'mirror/current', path);
      return existsSync(file) && readFileSync(file, 'utf8') === text;
    });
    expect(taken).toEqual([true, true, false]);
  });

  /** Hands over the root key to another one. */
  async function rotate(): Promise<void> {
    await keyPair(here.folder, 'next');
    await goodCli(['keys', 'rotate', '--yes', '--key', 'key.pem', '--next-key', 'next.pem'], here.folder);
  }

  it('raises no alarm after a rotation, nor does any command that reads', async () => {
    await rotate();
    expect((await mirror(source)).code).toBe(0);
    const copy = await serve(join(here.folder, 'mirror/current'));
    const status = await cli(['mirror', 'status', source, copy, '--trust-anchor', 'root.json'], here.folder);
    expect([status.code, status.stdout]).toEqual([0, expect.stringMatching(/^primary .*\nin sync /)]);
    for (const where of [source, copy, 'dist', 'mirror/current']) {
      const verified = await cli(['verify', where, '--trust-anchor', 'root.json'], here.folder);
      expect([where, verified.code, verified.stdout]).toEqual([
        where,
        0,
        expect.stringContaining('was rotated to'),
      ]);
      const asked = await cli(['diff', where, where, '--trust-anchor', 'root.json'], here.folder);
      expect([where, asked.code]).toEqual([where, 0]);
    }
    writeFiles(here.folder, { 'policy.json': '{"tiers":["certified"]}' });
    const resolved = ['resolve', 'alpha', '--policy', 'policy.json', '--trust-anchor', 'root.json'];
    for (const where of [source, 'dist'])
      expect([where, (await cli([...resolved, where], here.folder)).code]).toEqual([where, 0]);
  });

  it('follows a rotation from the key that it has pinned', async () => {
    await mirror(source);
    await rotate();
    expect(await reported(source)).toMatchObject({ switched: true });

    // Somebody has the key that was left, and no longer the rotation.
    rmSync(here.tree, { recursive: true });
    await publish(timeFromNow(60));
    const left = await mirror(source, '--json');
    expectCommandError(left, 'ERR_TREE_REJECTED', 'ERR_PUBLICATION_INVALID');
    // Whoever has pinned another key means it.
    await cli(['keys', 'generate', '--no-passphrase', '--private', 'fresh.pem'], here.folder);
    writeFiles(here.folder, {
      'root.json': (await cli(['keys', 'public', 'fresh.pem'], here.folder)).stdout,
    });
    rmSync(here.tree, { recursive: true });
    await cli(['build', '--key', 'fresh.pem', '--updated-at', timeFromNow(120)], here.folder);
    expect(await reported(source)).toMatchObject({ switched: true });
  });

  it('heals a file that rotted on its own disk, and does not blame the source', async () => {
    await publish('2026-11-02T00:00:00Z', ...withKeys({ checkpoint: 'key.pem' }));
    await mirror(source);
    const paths = [
      'issuers/alpha',
      'issuers.json',
      'keys/root.json',
      'index.html',
      'SHA256SUMS',
      'statements.json',
    ];
    for (const path of paths) {
      const good = readFileSync(join(here.folder, 'mirror/current', path));
      writeFiles(here.folder, { [`mirror/current/${path}`]: Buffer.from(good).fill(0, 0, 1) });
      const { stdout, stderr } = await mirror(source, '--json');
      const { switched, repaired } = JSON.parse(stdout);
      expect([path, switched, repaired]).toEqual([path, false, true]);
      expect(stderr).toContain('damaged on this disk');
      expect(readFileSync(join(here.folder, 'mirror/current', path)).equals(good)).toBe(true);
      expect(await reported(source)).toMatchObject({ switched: false, repaired: false });
    }
  });

  it.each<[string, string[], ErrorCode, string]>([
    ['without a pinned key', ['mirror', 'http://127.0.0.1:1', 'mirror'], 'ERR_USAGE', '--trust-anchor'],
    [
      'of a source that is no URL',
      ['mirror', 'rsync://registry.alt/registry', 'mirror', '--trust-anchor', 'root.json'],
      'ERR_USAGE',
      'rsync://registry.alt/registry',
    ],
    [
      'of a host that is not there',
      ['mirror', 'http://127.0.0.1:1', 'mirror', '--trust-anchor', 'root.json'],
      'ERR_IO_FAILED',
      'http://127.0.0.1:1',
    ],
    [
      'into the tree that a host serves',
      ['mirror', 'http://127.0.0.1:1', 'dist', '--trust-anchor', 'root.json'],
      'ERR_USAGE',
      'dist contains',
    ],
    [
      'into a plain folder',
      ['mirror', 'http://127.0.0.1:1', 'plain', '--trust-anchor', 'root.json'],
      'ERR_USAGE',
      'plain/current',
    ],
    [
      'into a folder that cannot be made',
      ['mirror', 'http://127.0.0.1:1', 'root.json/mirror', '--trust-anchor', 'root.json'],
      'ERR_IO_FAILED',
      'root.json/mirror',
    ],
  ])('ends with an error %s', async (_name, args, code, fact) => {
    mkdirSync(join(here.folder, 'plain/current'), { recursive: true });
    expectCommandError(await cli([...args, '--json'], here.folder), code, fact);
    expect(existsSync(join(here.folder, 'mirror/current'))).toBe(false);
  });

  it('with --every goes on by itself, also after a failure, and ends when told to', async () => {
    await mirror(source);
    const { child, reports, said } = here.watching(source);
    await until(() => said().includes('unchanged'), said);
    const statements = readFileSync(join(here.folder, 'dist/statements.json'));
    removeTreeFile(join(here.folder, 'dist/checkpoint.jwt'));
    await until(() => said().includes('was not accepted'), said);
    writeFiles(here.folder, { 'dist/statements.json': statements });
    await publish('2026-11-02T00:00:00Z');
    await until(() => served() === '2026-11-02T00:00:00Z', said);
    const ended = new Promise((resolve) => child.once('close', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    const [first, ...others] = reports()
      .split(/^(?=\{)/m)
      .map((report) => JSON.parse(report));
    expect([first.ok, others.at(-1).updatedAt]).toEqual([true, '2026-11-02T00:00:00Z']);
    expect(others.find(({ ok }) => !ok).error).toMatchObject({ code: 'ERR_TREE_REJECTED' });
  });
});

describe('a mirror whose files may not grow', () => {
  it('says so, and serves the old tree', async () => {
    const registry = await serve(here.tree);
    await mirror(registry);
    for (let index = 0; index < 100; index++)
      writeFiles(here.folder, { [`issuers/n${index}.yaml`]: recordText(`n${index}`) });
    await publish('2026-11-02T00:00:00Z');
    const mirrored = `"${process.execPath}" "${CLI}" mirror ${registry} mirror --trust-anchor root.json`;
    // In blocks of 512 bytes: the list is larger.
    const { code, stderr } = await run('sh', ['-c', `trap '' XFSZ; ulimit -f 20; ${mirrored}`], here.folder);
    expect(stderr).toMatch(/cannot be written: EFBIG/);
    expect(code).toBe(4);
    expect(served()).toBe('2026-11-01T00:00:00Z');
    expect((await mirror(registry)).code).toBe(0);
  });
});

describeWithMounts('a mirror that cannot write', () => {
  beforeEach(async () => {
    source = await serve(here.tree);
  });

  it('says so on a full disk, and serves the old tree', async () => {
    // A file system of its own, of 2 MB, which is seen by this shell alone.
    const big = 'x'.repeat(60_000);
    writeFiles(
      here.folder,
      Object.fromEntries(
        Array.from({ length: 40 }, (_one, index) => [
          `issuers/n${index}.yaml`,
          `# ${big}\n${recordText(`n${index}`, { policy_uri: `https://n.internal/${'x'.repeat(2000)}` })}`,
        ]),
      ),
    );
    mkdirSync(join(here.folder, 'small'));
    const mirrored = `"${process.execPath}" "${CLI}" mirror ${source} small/mirror --trust-anchor root.json`;
    const script = `mount -t tmpfs -o size=400k none small && ${mirrored}; first=$?
"${process.execPath}" "${CLI}" build --key key.pem >/dev/null 2>&1
${mirrored}; second=$?
"${process.execPath}" "${CLI}" verify small/mirror/current --trust-anchor root.json >/dev/null 2>&1; echo "$first $second $?"
grep -o '"updated_at":"[^"]*"' small/mirror/current/issuers.json`;
    const { stdout, stderr } = await runShell(script);
    expect(stderr).toMatch(/No space left|ENOSPC/);
    expect(stdout).toBe('0 4 0\n"updated_at":"2026-11-01T00:00:00Z"\n');
  });

  /** A shell whose mounts nobody else sees. */
  const runShell = (script: string) => run('unshare', ['--mount', 'sh', '-c', script], here.folder);
});

describe('passport-registry mirror status', () => {
  it('tells who is in sync, behind, ahead, altered or away', async () => {
    const at = async (name: string, time: string) => {
      await publish(time);
      cpSync(here.tree, join(here.folder, name), { recursive: true });
      return serve(join(here.folder, name));
    };
    const behind = await at('behind', '2026-11-02T00:00:00Z');
    const primary = await at('primary', '2026-11-02T00:30:00Z');
    const sync = await serve(join(here.folder, 'primary'));
    const ahead = await at('ahead', '2026-11-02T00:45:00Z');
    cpSync(join(here.folder, 'primary'), join(here.folder, 'altered'), { recursive: true });
    const list = readFileSync(join(here.folder, 'altered/issuers.json'), 'utf8');
    writeFiles(here.folder, { 'altered/issuers.json': list.replace('active', 'paused') });
    const altered = await serve(join(here.folder, 'altered'));
    const away = `http://127.0.0.1:${await freePort()}`;
    // The lists have fixed times in the past.
    const status = (...args: string[]) =>
      cli(['mirror', 'status', '--trust-anchor', 'root.json', ...args], here.folder);
    const all = await status(primary, sync, behind, ahead, altered, away, '--json');
    expect(all.code).toBe(1);
    const { mirrors } = JSON.parse(all.stdout);
    expect(mirrors.map(({ state, behind }: Record<string, unknown>) => [state, behind])).toEqual([
      ['primary', undefined],
      ['in sync', 0],
      ['behind', 1800],
      ['ahead', -900],
      ['altered', undefined],
      ['unreachable', undefined],
    ]);
    expect(all.stderr).toMatch(/^behind by 1800 s +http/m);
    expect((await status(primary, sync, behind)).code).toBe(0);
    expect((await status(primary, behind, '--max-behind', '60')).code).toBe(1);
  });

  describe('calls a mirror', () => {
    let trees: string;
    const state = async (...names: string[]) => {
      const urls = await Promise.all(names.map((name) => serve(join(trees, name))));
      const args = ['mirror', 'status', '--trust-anchor', 'root.json', ...urls, '--json'];
      const { code, stdout } = await cli(args, trees);
      const { state: it, behind, problem } = JSON.parse(stdout).mirrors[1];
      return [code, it, ...(behind ? [behind] : []), problem ?? null];
    };

    /** What is wrong with copies of the tree. */
    const DAMAGE: Readonly<Record<string, (copy: string) => void>> = {
      'without statements': (copy) => rmSync(join(copy, 'statements.json')),
      'with a damaged record': (copy) => writeFiles(copy, { 'issuers/gamma': '{}' }),
    };

    /** A tree, the same with a later checkpoint, and damaged copies. */
    beforeAll(async () => {
      const { folder, tree } = await mirrorFolder();
      trees = folder;
      const copy = (name: string) => cpSync(tree, join(folder, name), { recursive: true });
      copy('whole');
      for (const [name, damage] of Object.entries(DAMAGE)) {
        copy(name);
        damage(join(folder, name));
      }
      const renew = ['checkpoint', '--online-key', 'key.pem'];
      expect((await cli(renew, folder, clockAhead(1))).code).toBe(0);
      copy('renewed');
    });

    const altered = (problem: string) => [1, 'altered', expect.stringContaining(problem)];

    it.each<[string, string, unknown[]]>([
      ['whole', 'renewed', [0, 'in sync', null]],
      ['renewed', 'whole', [0, 'in sync', null]],
      ['whole', 'without statements', altered('statements.json')],
      ['without statements', 'whole', [1, 'unknown', null]],
      ['whole', 'with a damaged record', altered('issuers/gamma is not its entry in the list')],
    ])('of the tree %s with the tree %s what it is', async (primary, mirror, expected) => {
      expect(await state(primary, mirror)).toEqual(expected);
    });

    it('in sync that serves the right bytes with another content type, which verifiers ignore', async () => {
      const urls = [
        await serve(join(trees, 'whole')),
        await mistypedHost(join(trees, 'whole'), 'issuers.json'),
      ];
      const { code, stdout } = await cli(['mirror', 'status', '--trust-anchor', 'root.json', ...urls], trees);
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^in sync /m)]);
    });
  });
});
