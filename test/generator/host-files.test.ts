import { spawn } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '../support/components.js';
import { answering, freePort } from '../support/serving.js';
import { cli, workspace, writeFiles } from '../support/workspace.js';

/** Ids that end in what hosts take for a type, a handler, a language or an encoding. */
const IDS = ['alpha', 'beta.example.com', 'a.exe', 'a.fr', 'a.js', 'a.php', 'a.sig', 'a.tgz', 'a.var', 'a.z'];

let folder: string;

beforeAll(async () => {
  folder = await workspace(IDS);
  await cli(['build', '--key', 'key.pem'], folder);
  writeFiles(folder, { 'root.json': (await cli(['keys', 'public', 'key.pem'], folder)).stdout });
});

describe('_headers, for Cloudflare Pages and Netlify', () => {
  it('names no header twice for one path, where rules add up', () => {
    const rules = readFileSync(join(folder, 'dist/_headers'), 'utf8')
      .trim()
      .split('\n\n')
      .map((rule) => rule.split('\n'))
      .map(([path = '', ...headers]) => ({
        path,
        names: headers.map((header) => header.trim().split(': ')[0]),
      }));
    const paths = [
      '/issuers.json',
      '/issuers.sig',
      '/issuers/a.exe',
      '/keys/root.json',
      '/schemas/x',
      '/SHA256SUMS',
    ];
    for (const path of paths) {
      const names = rules
        .filter(
          (rule) =>
            rule.path === path || (rule.path.endsWith('*') && path.startsWith(rule.path.slice(0, -1))),
        )
        .flatMap(({ names }) => names);
      expect(names.sort()).toEqual([
        'Access-Control-Allow-Origin',
        'Cache-Control',
        'Content-Type',
        'X-Content-Type-Options',
      ]);
    }
  });
});

describeWith(['apache2'], '.htaccess, for Apache', () => {
  let base: string;
  let stop: () => void;

  beforeAll(async () => {
    const port = await freePort();
    const modules = ['mpm_event', 'authz_core', 'mime', 'headers', 'dir', 'autoindex', 'negotiation'];
    writeFiles(folder, {
      'apache.conf': `ServerRoot "${folder}"
ServerName localhost
PidFile "${folder}/apache.pid"
Listen 127.0.0.1:${port}
ErrorLog "${folder}/apache.log"
${modules.map((name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`).join('\n')}
TypesConfig /etc/mime.types
AddEncoding x-compress .Z
AddEncoding x-gzip .gz .tgz
AddLanguage fr .fr
AddHandler type-map var
DocumentRoot "${folder}/dist"
<Directory "${folder}/dist">
  AllowOverride All
  Require all granted
</Directory>
`,
    });
    // Its workers run as another user.
    chmodSync(folder, 0o755);
    const server = spawn('apache2', ['-f', join(folder, 'apache.conf'), '-DFOREGROUND'], { stdio: 'ignore' });
    stop = () => server.kill();
    base = await answering(`http://127.0.0.1:${port}`);
  });

  afterAll(() => stop());

  it('makes it serve a registry that verifies', async () => {
    const { code, stderr } = await cli(['verify', base, '--root-key', 'root.json'], folder);
    expect(stderr).not.toMatch(/FAILED|skipped (?!checkpoint|freshness)/);
    expect(code).toBe(0);
  });

  it.each([
    ...IDS.map((id) => `/issuers/${id}`),
    '/issuers.json',
    '/issuers.sig',
    '/keys/root.json',
    '/SHA256SUMS',
  ])('gives %s the headers of the registry', async (path) => {
    const { status, headers } = await fetch(`${base}${path}`, { redirect: 'manual' });
    expect(status).toBe(200);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('cache-control')).toBe('public, max-age=60, must-revalidate');
    expect(headers.get('content-encoding')).toBeNull();
    expect(headers.get('content-language')).toBeNull();
  });

  it('lets schemas live longer, lists no folder, and redirects nobody', async () => {
    const schema = await fetch(`${base}/schemas/issuer.schema.json`);
    expect(schema.headers.get('cache-control')).toBe('public, max-age=3600');
    for (const path of ['/issuers', '/issuers/', '/schemas/', '/']) {
      expect((await fetch(`${base}${path}`, { redirect: 'manual' })).status).toBeGreaterThanOrEqual(403);
    }
    const unknown = await fetch(`${base}/issuers/nobody.example`, { redirect: 'manual' });
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain('not recognised');
  });
});
