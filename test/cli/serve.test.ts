import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { listen, serve } from '../support/serving.js';
import { cli, workspace, writeFiles } from '../support/workspace.js';

let base: string;
let folder: string;

beforeAll(async () => {
  folder = await workspace(['alpha', 'beta.example.com', 'a.exe', 'a.sig', 'a.js', 'a.json', 'a.php']);
  await cli(['build', '--key', 'key.pem'], folder);
  base = await serve(join(folder, 'dist'));
});

const get = (path: string) => fetch(`${base}${path}`, { redirect: 'manual' });

describe('passport-registry serve', () => {
  it.each([
    ['/issuers.json', 'application/json'],
    ['/issuers.sig', 'text/plain; charset=utf-8'],
    ['/keys/root.json', 'application/json'],
    ['/issuers/alpha', 'application/json'],
    ['/issuers/beta.example.com', 'application/json'],
    ['/issuers/a.exe', 'application/json'],
    ['/issuers/a.sig', 'application/json'],
    ['/issuers/a.js', 'application/json'],
    ['/issuers/a.json', 'application/json'],
    ['/issuers/a.php', 'application/json'],
    ['/SHA256SUMS', 'text/plain; charset=utf-8'],
    ['/schemas/issuer.schema.json', 'application/json'],
  ])('serves %s as %s, to any origin, with a lifetime', async (path, type) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(type);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('x-content-type-options')).toBe('nosniff');
    expect(response.headers.get('cache-control')).toMatch(/^public, max-age=\d+/);
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

  it('redirects nobody, not even from the root', async () => {
    expect((await get('/')).status).toBe(200);
  });

  it('is a live registry that verifies', async () => {
    writeFiles(folder, { 'root.json': (await cli(['keys', 'public', 'key.pem'], folder)).stdout });
    const { code, stdout } = await cli(['verify', base, '--trust-anchor', 'root.json'], folder);
    expect(stdout).not.toContain('FAILED');
    expect(stdout).not.toMatch(/skipped (?!.*: the tree has no |rotation: the root key was never replaced)/);
    expect(code).toBe(0);
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
