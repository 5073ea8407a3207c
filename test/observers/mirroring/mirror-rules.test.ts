import { createHash, createPrivateKey } from 'node:crypto';
import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt, SignJWT } from 'jose';
import { folderSource, verifyTree } from 'passport-registry';
import { beforeEach, describe, expect, it } from 'vitest';
import { ANY_AGE, future, mirrorFolderPerTest } from '../../support/mirror-folder.js';
import { listen, serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { cli, clockAhead, recordText, writeFiles } from '../../support/workspace.js';

const here = mirrorFolderPerTest();
const { publish, mirror, served } = here;

describe('a mirror keeps the rules of a verifier', () => {
  let source: string;

  beforeEach(async () => {
    source = await serve(here.tree);
  });

  const key = (name: string) => createPrivateKey(readFileSync(join(here.folder, `${name}.pem`)));
  const sign = (name: string, kid: string, typ: string, claims: object) =>
    new SignJWT({ ...claims }).setProtectedHeader({ alg: 'EdDSA', kid, typ }).sign(key(name));
  const DAY = 24 * 60 * 60;
  const seconds = (fromNow: number) => Math.floor(Date.now() / 1000) + fromNow;

  async function keyPair(name: string): Promise<string> {
    const { stdout } = await cli(
      ['keys', 'generate', '--no-passphrase', '--private', `${name}.pem`],
      here.folder,
    );
    writeFiles(here.folder, { [`${name}.json`]: stdout });
    return JSON.parse(stdout).kid;
  }

  /** A delegation of some time ago to the online key. */
  async function delegation(iat: number): Promise<string> {
    const keys = [JSON.parse(readFileSync(join(here.folder, 'online.json'), 'utf8'))];
    const jwt = await sign('key', here.rootKey.thumbprint, 'registry-delegation+jwt', {
      iat,
      exp: seconds(90 * DAY),
      keys,
    });
    writeFiles(here.folder, { 'delegation.jwt': jwt });
    return jwt;
  }

  const refused = async (reason: string) => {
    const { code, stderr } = await mirror(source);
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
  };

  it('and refuses a source from which the checkpoint was taken away', async () => {
    await publish('2026-11-02T00:00:00Z', ...withKeys({ checkpoint: 'key.pem' }));
    expect((await mirror(source)).code).toBe(0);
    rmSync(here.tree, { recursive: true });
    await publish('2026-11-03T00:00:00Z');
    await refused('ERR_CHECKPOINT_MISSING');
    expect(served()).toBe('2026-11-02T00:00:00Z');
  });

  it('and refuses a first tree without the checkpoint that the trust anchor requires', async () => {
    const root = JSON.parse(readFileSync(join(here.folder, 'root.json'), 'utf8'));
    writeFiles(here.folder, { 'anchor.json': JSON.stringify({ root, checkpoint: 'required' }) });
    const anchored = () => mirror(source, '--root-key', 'anchor.json');
    const { code, stderr } = await anchored();
    expect([code, stderr]).toEqual([1, expect.stringContaining('ERR_CHECKPOINT_MISSING')]);
    expect(existsSync(join(here.folder, 'mirror/current'))).toBe(false);
    await publish('2026-11-02T00:00:00Z', ...withKeys({ checkpoint: 'key.pem' }));
    expect((await anchored()).code).toBe(0);
    expect(served()).toBe('2026-11-02T00:00:00Z');
  });

  it('and refuses an older checkpoint, even of the same list, and an older delegation', async () => {
    const online = await keyPair('online');
    await delegation(seconds(-20 * DAY));
    const both = ['--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' })];
    await publish('2026-11-02T00:00:00Z', ...both);
    cpSync(here.tree, join(here.folder, 'old'), { recursive: true });
    await delegation(seconds(-10 * DAY));
    await publish('2026-11-03T00:00:00Z', ...both);
    expect((await mirror(source)).code).toBe(0);

    const file = join(here.folder, 'dist/checkpoint.jwt');
    const claims = decodeJwt(readFileSync(file, 'utf8'));
    const older = { ...claims, iat: Number(claims.iat) - 60 };
    writeFiles(here.folder, {
      'dist/checkpoint.jwt': await sign('online', online, 'registry-checkpoint+jwt', older),
    });
    await refused('ERR_CHECKPOINT_ROLLED_BACK');

    // Whoever has an online key of before goes on with the delegation of before.
    rmSync(here.tree, { recursive: true });
    cpSync(join(here.folder, 'old'), here.tree, { recursive: true });
    await publish('2026-11-04T00:00:00Z', ...withKeys({ checkpoint: 'online.pem' }));
    await refused('ERR_DELEGATION_ROLLED_BACK');
    expect(served()).toBe('2026-11-03T00:00:00Z');
  });

  it('and refuses an older delegation after checkpoints that the root key has signed', async () => {
    await keyPair('online');
    const both = ['--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' })];
    await delegation(seconds(-10 * DAY));
    await publish('2026-11-03T00:00:00Z', ...both);
    expect((await mirror(source)).code).toBe(0);
    for (const day of ['04', '05']) {
      await publish(`2026-11-${day}T00:00:00Z`, ...withKeys({ checkpoint: 'key.pem' }));
      expect((await mirror(source)).code).toBe(0);
    }

    // A build would compare the older delegation with this one.
    rmSync(join(here.tree, 'keys/delegation.jwt'));
    await delegation(seconds(-20 * DAY));
    await publish('2026-11-06T00:00:00Z', ...both);
    await refused('ERR_DELEGATION_ROLLED_BACK');
    expect(served()).toBe('2026-11-05T00:00:00Z');
  });

  it('and refuses a list ahead of the clock', async () => {
    const renew = ['build', '--key', 'key.pem', '--renew', '--updated-at', future(60)];
    expect((await cli(renew, here.folder, clockAhead(60))).code).toBe(0);
    await refused('ERR_NOT_YET_VALID');
  });

  it('and raises no alarm after a rotation, where a client accepts', async () => {
    await keyPair('next');
    const { stdout } = await cli(['keys', 'step', '--key', 'key.pem', '--next', 'next.json'], here.folder);
    writeFiles(here.folder, { rotation: stdout });
    const base = await serve(here.tree);
    const args = [
      'build',
      '--key',
      'next.pem',
      '--root-key',
      'next.json',
      '--rotation',
      'rotation',
      '--renew',
    ];
    expect((await cli(args, here.folder)).code).toBe(0);
    expect((await mirror(base)).code).toBe(0);
    const copy = await serve(join(here.folder, 'mirror/current'));
    const status = await cli(['mirror', 'status', base, copy, '--root-key', 'root.json'], here.folder);
    expect([status.code, status.stdout]).toEqual([0, expect.stringMatching(/^primary .*\nin sync /)]);
    for (const where of [base, copy, 'dist', 'mirror/current']) {
      const verified = await cli(['verify', where, '--root-key', 'root.json'], here.folder);
      expect([where, verified.code, verified.stdout]).toEqual([
        where,
        0,
        expect.stringContaining('was rotated to'),
      ]);
      const asked = await cli(['diff', where, where, '--root-key', 'root.json'], here.folder);
      expect([where, asked.code]).toEqual([where, 0]);
    }
    writeFiles(here.folder, { 'policy.json': '{"tiers":["certified"]}' });
    const resolved = ['resolve', 'alpha', '--policy', 'policy.json', '--root-key', 'root.json'];
    for (const where of [base, 'dist'])
      expect([where, (await cli([...resolved, where], here.folder)).code]).toEqual([where, 0]);
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
      'checkpoint.jwt',
    ];
    for (const path of paths) {
      const good = readFileSync(join(here.folder, 'mirror/current', path));
      writeFiles(here.folder, { [`mirror/current/${path}`]: Buffer.from(good).fill(0, 0, 1) });
      const { code, stderr } = await mirror(source);
      expect([path, code, stderr]).toEqual([path, 0, expect.stringContaining('mirror ok: repaired:')]);
      expect(stderr).toContain(`WARNING: ${path} was damaged on this disk and has been repaired`);
      expect(readFileSync(join(here.folder, 'mirror/current', path)).equals(good)).toBe(true);
      expect((await mirror(source)).stderr).toContain('mirror ok: unchanged:');
    }
  });

  it('takes the next tree over a file that rotted', async () => {
    await mirror(source);
    writeFiles(here.folder, { 'mirror/current/issuers/alpha': 'rotten' });
    writeFiles(here.folder, { 'issuers/gamma.yaml': recordText('gamma', { status: 'suspended' }) });
    await publish('2026-11-02T00:00:00Z');
    expect((await mirror(source)).stderr).toContain('mirror ok: switched to');
    expect(
      (await verifyTree(folderSource(join(here.folder, 'mirror/current')), here.rootKey, ANY_AGE)).ok,
    ).toBe(true);
  });

  it('stops at the first wrong hash, and writes nothing that is wrong', async () => {
    await mirror(source);
    writeFiles(here.folder, { 'issuers/alpha.yaml': recordText('alpha', { tier: 'founding' }) });
    await publish('2026-11-02T00:00:00Z');
    let sent = 0;
    const wrong = Buffer.alloc(60_000, 'x');
    const base = await listen((request, response) => {
      const path = (request.url ?? '').slice(1).replace(/\?.*/, '');
      const isSums = path.startsWith('sums/');
      if (isSums) sent += 1;
      const file = join(here.tree, path);
      response
        .writeHead(existsSync(file) ? 200 : 404)
        .end(isSums ? wrong : existsSync(file) ? readFileSync(file) : '');
    });
    const { code, stderr } = await mirror(base);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('sums/root does not match its hash in publication.jwt. If the next'),
    ]);
    // Three tries, in each of which the file is asked for three times.
    expect(sent).toBe(3 * 3);
    expect(served()).toBe('2026-11-01T00:00:00Z');
  });

  it.each([
    ['keys/rotation.json', 256 * 1024],
    ['issuers.sig', 256],
    ['checkpoint.jwt', 16 * 1024],
    ['index.html', 16 * 1024 * 1024],
  ])('gives up on %s beyond its limit, however much it is', async (path, limit) => {
    const large = Buffer.alloc(limit + 1, '[');
    writeFiles(here.folder, { [`dist/${path}`]: large });
    // As a liar would, who has the checksums right.
    const sums = readFileSync(join(here.tree, 'SHA256SUMS'), 'utf8')
      .split('\n')
      .filter((line) => line !== '' && !line.endsWith(`  ${path}`));
    if (path !== 'checkpoint.jwt') sums.push(`${createHash('sha256').update(large).digest('hex')}  ${path}`);
    writeFiles(here.folder, { 'dist/SHA256SUMS': `${sums.join('\n')}\n` });
    const base = await listen((request, response) => {
      const file = join(here.tree, (request.url ?? '').slice(1));
      response.writeHead(existsSync(file) ? 200 : 404).end(existsSync(file) ? readFileSync(file) : '');
    });
    const { code, stderr } = await mirror(base);
    expect(stderr).toContain(`larger than ${limit} bytes`);
    expect(code).toBe(4);
    expect(existsSync(join(here.folder, 'mirror/current'))).toBe(false);
  });
});
