import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { cli, workspace } from '../../support/workspace.js';

let folder: string;

beforeAll(async () => {
  folder = await workspace();
  await cli(['build', '--key', 'key.pem'], folder);
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
      '/changes.json',
      '/assets/registry.js',
      '/SHA256SUMS',
      '/statements.json',
      '/sums/root',
      '/sums/3fa',
      '/log/checkpoint',
      '/log/statements/12.jwt',
      `/lists/${'0'.repeat(64)}.json`,
      '/log/tile/0/x001/234.p/5',
      '/log/tile/entries/000',
    ];
    for (const path of paths) {
      const names = rules
        .filter((rule) =>
          new RegExp(`^${rule.path.replace('*', '.*').replace(':hash', '[^/]+')}$`).test(path),
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

describe('every configuration in the tree', () => {
  it('knows the sums, and nothing immutable but named lists and the log', () => {
    for (const name of ['serve.json', 'vercel.json', '_headers']) {
      const text = readFileSync(join(folder, 'dist', name), 'utf8');
      expect([name, text.includes('sums/')]).toEqual([name, true]);
      // The rules name a path before its headers.
      const rules = name === '_headers' ? text.split('\n\n') : text.split('"source"');
      const immutable = rules.filter((rule) => rule.includes('immutable'));
      expect([name, immutable.length]).toEqual([name, 3]);
      for (const rule of immutable) expect(rule).toMatch(/(?:lists|log\/(?:tile|statements))\//);
    }
    expect(readFileSync(join(folder, 'dist/sums/.htaccess'), 'utf8')).toBe(
      'ForceType "text/plain; charset=utf-8"\n',
    );
  });
});
