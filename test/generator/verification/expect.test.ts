import { createHash } from 'node:crypto';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listen, serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { removeTreeFile } from '../../support/statements.js';
import { cli, recordText, workspace, writeFiles } from '../../support/workspace.js';

let folder: string;
let older: string;
let newer: string;

beforeAll(async () => {
  folder = await workspace(['alpha']);
  await cli(['build', '--key', 'key.pem', '--out', 'older'], folder);
  writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
  await cli(['build', '--key', 'key.pem', '--out', 'newer'], folder);
  [older, newer] = [await serve(join(folder, 'older')), await serve(join(folder, 'newer'))];
});

describe('verify --expect', () => {
  it('accepts the list of the folder', async () => {
    const { code, stdout } = await cli(['verify', newer, '--expect', 'newer', '--json'], folder);
    const report = JSON.parse(stdout);
    expect([code, report.ok, report.expected]).toEqual([0, true, report.sha256]);
  });

  it('refuses another valid list', async () => {
    const { code, stderr, stdout } = await cli(['verify', older, '--expect', 'newer', '--json'], folder);
    expect([code, JSON.parse(stdout).ok]).toEqual([1, false]);
    expect(stderr).toContain(`${older} has another list`);
    expect(stderr).not.toContain('is valid');
  });

  it.each(['issuers', 'nowhere', 'key.pem'])('refuses %s, which is no tree', async (where) => {
    const { code, stderr } = await cli(['verify', newer, '--expect', where], folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not the folder of a tree')]);
  });
});

describe('verify --expect of a tree with a checkpoint', () => {
  let earlier: string;
  const good = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(args, folder);
    expect(code, stderr).toBe(0);
    return stdout;
  };
  const copyOf = (name: string, change: (tree: string) => void, original = 'checked') => {
    cpSync(join(folder, original), join(folder, name), { recursive: true });
    change(join(folder, name));
    return serve(join(folder, name));
  };
  const expectAt = async (host: string, expected = 'checked') => {
    const { code, stdout } = await cli(
      ['verify', host, '--expect', expected, '--trust-anchor', 'root.json'],
      folder,
    );
    return { code, stdout };
  };

  beforeAll(async () => {
    writeFiles(folder, {
      'root.json': await good('keys', 'public', 'key.pem'),
      'online.json': await good('keys', 'generate', '--no-passphrase', '--private', 'online.pem'),
    });
    const keys = ['--key', 'key.pem', ...withKeys({ checkpoint: 'online.pem' })];
    await good('build', ...keys, '--out', 'checked');
    cpSync(join(folder, 'checked'), join(folder, 'earlier'), { recursive: true });
    earlier = await serve(join(folder, 'earlier'));
    await new Promise((resolve) => setTimeout(resolve, 1100));
    await good('checkpoint', 'checked', '--online-key', 'online.pem');
  });

  it('accepts the same checkpoint and a newer one, and refuses an older one', async () => {
    const host = await serve(join(folder, 'checked'));
    expect((await expectAt(host)).code).toBe(0);
    expect((await expectAt(host, 'earlier')).code).toBe(0);
    const { code, stdout } = await expectAt(earlier);
    expect([code, stdout]).toEqual([1, expect.stringContaining('has an older checkpoint than checked')]);
  });

  it('refuses a host that withholds the checkpoint', async () => {
    const host = await copyOf('withheld', (tree) => removeTreeFile(join(tree, 'checkpoint.jwt')));
    const { code, stdout } = await expectAt(host);
    expect([code, stdout]).toEqual([1, expect.stringContaining('no checkpoint')]);
    expect(stdout).not.toContain('is valid');
  });

  it('refuses other documents with an adjusted SHA256SUMS', async () => {
    const adjust = (tree: string) => {
      const path = 'schemas/issuer.schema.json';
      const page = `${readFileSync(join(tree, path), 'utf8')} `;
      const sums = readFileSync(join(tree, 'SHA256SUMS'), 'utf8');
      const hash = createHash('sha256').update(page).digest('hex');
      const adjusted = sums.replace(/^[0-9a-f]{64}(?= .schemas\/issuer\.schema\.json$)/m, hash);
      writeFiles(tree, { [path]: page });
      expect(adjusted).not.toBe(sums);
      writeFiles(tree, { SHA256SUMS: adjusted });
    };
    const host = await copyOf('adjusted', adjust, 'newer');
    const { code, stdout } = await expectAt(host, 'newer');
    expect([code, stdout]).toEqual([1, expect.stringContaining('a tree with another SHA256SUMS')]);
  });
});

describe('verify --expect of a tree of sums', () => {
  it('refuses a host whose record is another, although its SHA256SUMS is the same', async () => {
    cpSync(join(folder, 'newer'), join(folder, 'record'), { recursive: true });
    writeFiles(folder, { 'record/issuers/beta': '{}' });
    const host = await serve(join(folder, 'record'));
    const { code, stdout } = await cli(['verify', host, '--expect', 'newer'], folder);
    expect([code, stdout]).toEqual([1, expect.stringContaining('issuers/beta is not its entry')]);
  });
});

describe('verify --wait', () => {
  it('ends although the host sends one byte after the other', async () => {
    const host = await listen((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const drip = setInterval(() => response.write(' '), 500);
      response.on('close', () => clearInterval(drip));
    });
    const start = performance.now();
    const { code, stdout } = await cli(['verify', host, '--wait', '1'], folder);
    expect([code, stdout]).toEqual([4, expect.stringContaining('cannot be reached')]);
    // One attempt has 10 s; without an end, two requests have 30 s each.
    expect(performance.now() - start).toBeLessThan(40_000);
  });

  it('tries again until the registry serves the list', async () => {
    let requests = 0;
    // The first attempt sees the older tree, as from a cache.
    const host = await listen(async (request, response) => {
      if (request.url === '/keys/root.json') requests++;
      const answer = await fetch(`${requests > 1 ? newer : older}${request.url}`, { redirect: 'manual' });
      response.writeHead(answer.status, {
        'Content-Type': answer.headers.get('content-type') ?? 'text/plain',
      });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    const { code, stderr } = await cli(['verify', host, '--expect', 'newer', '--wait', '5'], folder);
    expect([code, stderr]).toEqual([0, expect.stringContaining('not valid yet; trying again')]);
  });

  it('ends when the time is over, with the exit code of the last attempt', async () => {
    const wrong = await cli(['verify', older, '--expect', 'newer', '--wait', '5'], folder);
    expect([wrong.code, wrong.stderr.match(/trying again/g)?.length]).toEqual([1, 1]);
    const nobody = await cli(['verify', 'http://127.0.0.1:1', '--wait', '5'], folder);
    expect([nobody.code, nobody.stderr.match(/trying again/g)?.length]).toEqual([4, 1]);
  });

  it('does not wait for a registry that is valid', async () => {
    const { code, stderr } = await cli(['verify', newer, '--wait', '99999'], folder);
    expect([code, stderr.includes('trying again')]).toEqual([0, false]);
  });

  it.each(['0', '-1', 'x', '100000'])('refuses %s seconds', async (seconds) => {
    expect((await cli(['verify', newer, `--wait=${seconds}`], folder)).code).toBe(2);
  });
});

describe('verify --any-content-type', () => {
  it('accepts a host that cannot set content types, and says that it did not check them', async () => {
    const host = await listen(async (request, response) => {
      const answer = await fetch(`${newer}${request.url}`, { redirect: 'manual' });
      response.writeHead(answer.status, { 'Content-Type': 'application/octet-stream' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    });
    const refused = await cli(['verify', host], folder);
    expect([refused.code, refused.stdout]).toEqual([1, expect.stringContaining('--any-content-type')]);
    const { code, stdout } = await cli(['verify', host, '--any-content-type'], folder);
    expect([code, stdout]).toEqual([0, expect.stringContaining('skipped content types: ')]);
  });
});
