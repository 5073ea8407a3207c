import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listen, serve } from '../../support/serving.js';
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
    expect(stderr).toContain(`${older} has another list than newer, which has `);
    expect(stderr).not.toContain('is valid');
  });

  it.each(['issuers', 'nowhere', 'key.pem'])('refuses %s, which is no tree', async (where) => {
    const { code, stderr } = await cli(['verify', newer, '--expect', where], folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining('is not the folder of a tree')]);
  });
});

describe('verify --wait', () => {
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
    const { code, stderr } = await cli(['verify', host, '--expect', 'newer', '--wait', '1'], folder);
    expect([code, stderr]).toEqual([0, expect.stringContaining('not valid yet; trying again')]);
  });

  it('ends when the time is over, with the exit code of the last attempt', async () => {
    const wrong = await cli(['verify', older, '--expect', 'newer', '--wait', '1'], folder);
    expect([wrong.code, wrong.stderr.match(/trying again/g)?.length]).toEqual([1, 1]);
    const nobody = await cli(['verify', 'http://127.0.0.1:1', '--wait', '1'], folder);
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
    expect((await cli(['verify', host], folder)).code).toBe(1);
    const { code, stderr } = await cli(['verify', host, '--any-content-type'], folder);
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining('skipped content types: any content type is accepted\n'),
    ]);
  });
});
