import { createPrivateKey } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt, SignJWT } from 'jose';
import { folderSource, verifyTree } from 'passport-registry';
import { beforeEach, describe, expect, it } from 'vitest';
import { mirrorFolderPerTest } from '../../support/mirror-folder.js';
import { listen, serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { resealed } from '../../support/signed-tree.js';
import { setStatement, statementIn, together } from '../../support/statements.js';
import { cli, filesOf, keyPair, recordText, writeFiles } from '../../support/workspace.js';

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

  const kidOf = (name: string): string =>
    JSON.parse(readFileSync(join(here.folder, `${name}.json`), 'utf8')).kid;

  const refused = async (reason: string) => {
    const { code, stderr } = await mirror(source);
    expect([code, stderr]).toEqual([1, expect.stringContaining(reason)]);
  };

  it('and refuses an older checkpoint of the same publication', async () => {
    expect((await mirror(source)).code).toBe(0);
    const claims = decodeJwt(statementIn(here.tree, 'checkpoint'));
    const older = { ...claims, iat: Number(claims.iat) - 60 };
    const jwt = await sign('key', here.rootKey.thumbprint, 'registry-checkpoint+jwt', older);
    setStatement(here.tree, 'checkpoint', jwt);
    await refused('ERR_CHECKPOINT_ROLLED_BACK');
  });

  it('and refuses what an online key signs after another one has replaced it', async () => {
    for (const name of ['online', 'next-online']) await keyPair(here.folder, name);
    const online = kidOf('online');
    await publish('2026-11-02T00:00:00Z', ...withKeys({ checkpoint: 'online.pem' }));
    const before = statementIn(here.tree, 'publication');
    const { publication } = decodeJwt(statementIn(here.tree, 'checkpoint'));
    await publish('2026-11-03T00:00:00Z', ...withKeys({ checkpoint: 'next-online.pem' }));
    expect((await mirror(source)).code).toBe(0);

    const claims = decodeJwt(statementIn(here.tree, 'checkpoint'));
    const later = { ...claims, iat: Number(claims.iat) + 60 };
    setStatement(here.tree, 'checkpoint', await sign('online', online, 'registry-checkpoint+jwt', later));
    await refused('ERR_CHECKPOINT_INVALID');
    // The publication that names it is older.
    const replayed = await sign('online', online, 'registry-checkpoint+jwt', { ...later, publication });
    setStatement(here.tree, 'checkpoint', replayed);
    setStatement(here.tree, 'publication', before);
    await refused('ERR_PUBLICATION_ROLLED_BACK');
    expect(served()).toBe('2026-11-03T00:00:00Z');
  });

  it('and raises no alarm after a rotation, where a client accepts', async () => {
    await keyPair(here.folder, 'next');
    const base = await serve(here.tree);
    const args = ['keys', 'rotate', '--yes', '--key', 'key.pem', '--next-key', 'next.pem'];
    expect((await cli(args, here.folder)).code).toBe(0);
    expect((await mirror(base)).code).toBe(0);
    const copy = await serve(join(here.folder, 'mirror/current'));
    const status = await cli(['mirror', 'status', base, copy, '--trust-anchor', 'root.json'], here.folder);
    expect([status.code, status.stdout]).toEqual([0, expect.stringMatching(/^primary .*\nin sync /)]);
    for (const where of [base, copy, 'dist', 'mirror/current']) {
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
      'statements.json',
    ];
    for (const path of paths) {
      const good = readFileSync(join(here.folder, 'mirror/current', path));
      writeFiles(here.folder, { [`mirror/current/${path}`]: Buffer.from(good).fill(0, 0, 1) });
      const { code, stderr } = await mirror(source);
      expect([path, code, stderr]).toEqual([path, 0, expect.stringContaining('mirror ok: repaired:')]);
      expect(stderr).toContain('WARNING: the release being served was damaged on this disk');
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
    expect((await verifyTree(folderSource(join(here.folder, 'mirror/current')), here.rootKey)).ok).toBe(true);
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
      expect.stringContaining('sums/root does not match its hash in statements.json'),
    ]);
    // Three tries, in each of which the file is asked for three times.
    expect(sent).toBe(3 * 3);
    expect(served()).toBe('2026-11-01T00:00:00Z');
  });

  it.each([
    ['statements.json', 1024 * 1024],
    ['issuers.sig', 256],
    ['index.html', 16 * 1024 * 1024],
  ])('gives up on %s beyond its limit, however much it is', async (path, limit) => {
    const large = Buffer.alloc(limit + 1, '[');
    // The checkpoint proves it, as that of a liar who has the key would.
    const signer = { rootKey: here.rootKey, key: key('key') };
    const files = together(await resealed(filesOf(here.tree).set(path, large), signer));
    const base = await listen((request, response) => {
      const body = path === (request.url ?? '').slice(1) ? large : files.get((request.url ?? '').slice(1));
      response.writeHead(body === undefined ? 404 : 200).end(body);
    });
    const { code, stderr } = await mirror(base);
    expect(stderr).toContain(`larger than ${limit} bytes`);
    expect(code).toBe(4);
    expect(existsSync(join(here.folder, 'mirror/current'))).toBe(false);
  });
});
