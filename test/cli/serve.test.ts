import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listen, serve } from '../support/serving.js';
import { cli, workspace, writeFiles } from '../support/workspace.js';

let base: string;
let folder: string;

beforeAll(async () => {
  folder = await workspace();
  await cli(['build', '--key', 'key.pem'], folder);
  base = await serve(join(folder, 'dist'));
});

const get = (path: string) => fetch(`${base}${path}`, { redirect: 'manual' });

describe('passport-registry serve', () => {
  // The headers of each kind of file: test/generator/verification/hosts.test.ts.
  it.each(['/issuers.sig', '/SHA256SUMS'])('serves %s as text in UTF-8', async (path) => {
    expect((await get(path)).headers.get('content-type')).toBe('text/plain; charset=utf-8');
  });

  it.each([
    '/issuers/nobody',
    '/issuers/no.body',
    '/issuers/',
    '/issuers',
    '/issuers/alpha/',
    '/issuers/..%2fkey.pem',
  ])('answers %s with a 404 page, and no redirect', async (path) => {
    const response = await get(path);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await response.text()).toContain('the signed list decides');
  });

  it('goes on after a file that it cannot open, such as one that has just been removed', async () => {
    const tree = join(folder, 'torn');
    writeFiles(tree, { 'issuers.json': '{}', '404.html/not-a-file': '' });
    const torn = await serve(tree);
    await expect(fetch(`${torn}/missing`).then((response) => response.text())).rejects.toThrow();
    expect((await fetch(`${torn}/issuers.json`)).status).toBe(200);
  });

  it('refuses a folder without a tree, and a port that is none', async () => {
    expect((await cli(['serve', 'issuers'], folder)).code).toBe(2);
    expect((await cli(['serve', '--port', 'http'], folder)).code).toBe(2);
    expect((await cli(['serve', '--port', '70000'], folder)).code).toBe(2);
  });

  it.each([['serve'], ['sandbox']])('ends where the port is in use, and says which: %s', async (command) => {
    const port = new URL(await listen((_request, response) => response.end())).port;
    const { code, stderr } = await cli([command, '--port', port], folder);
    expect(stderr).toContain(`port ${port} is in use`);
    expect(stderr).toContain('--port');
    expect(code).toBe(4);
  });
});
