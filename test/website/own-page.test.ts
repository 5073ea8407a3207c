import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { withKeys } from '../support/settings.js';
import { cli, recordText, workspace, writeFiles } from '../support/workspace.js';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 48 24">';
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAYAAAD0In+KAAAADUlEQVR4nGNgYPj/HwADAgH/Wk0vZQAAAABJRU5ErkJggg==',
  'base64',
);

let folder: string;

/** Builds with some settings. */
async function built(settings: Record<string, unknown>, files: Record<string, string | Uint8Array> = {}) {
  writeFiles(folder, { 'registry.yaml': JSON.stringify(settings), ...files });
  return cli(['build', '--key', 'key.pem', ...withKeys({ checkpoint: 'key.pem' })], folder);
}

const read = (path: string) => readFileSync(join(folder, 'dist', path), 'utf8');

beforeAll(async () => {
  folder = await workspace(['alpha']);
  writeFiles(folder, {
    'issuers/beta.yaml': recordText('beta', {
      tier: 'registered',
      geographical_scope: '[NO]',
      // One of the longest days in words.
      certified_since: '2025-09-30T00:00:00Z',
    }),
  });
});

describe('a page with a logo of its own', () => {
  it.each<[string, string | Uint8Array, string]>([
    ['a script', `${SVG}\n<script>alert(1)</script></svg>`, 'the element script in line 2'],
    ['a handler', `${SVG}<g onload="alert(1)"/></svg>`, 'the attribute onload'],
    ['a foreign image', `${SVG}<image href="https://evil.example/x"/></svg>`, 'the element image'],
    ['a foreign reference', `${SVG}<use href="//evil.example/x#a"/></svg>`, 'the attribute href'],
    ['a foreign fill', `${SVG}<path fill="url( https://evil.example/x#a)"/></svg>`, 'the attribute fill'],
    ['a foreign style', `${SVG}<path style="fill: \\75rl(//evil.example)"/></svg>`, 'the attribute style'],
    ['HTML inside', `${SVG}<foreignObject/></svg>`, 'the element foreignObject'],
    ['an entity', `<!DOCTYPE svg [<!ENTITY x "y">]>${SVG}</svg>`, 'something other than elements'],
    ['an animation', `${SVG}<set attributeName="href" to="javascript:alert(1)"/></svg>`, 'the element set'],
    ['no size', '<svg xmlns="http://www.w3.org/2000/svg"></svg>', 'a viewBox'],
    ['another form', 'GIF89a', 'neither a PNG nor an SVG image'],
  ])('refuses a logo with %s', async (_name, logo, problem) => {
    const { code, stderr } = await built({ logo: 'logo.svg' }, { 'logo.svg': logo });
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
  });

  it('shows an SVG or a PNG image beside the name', async () => {
    const svg = `<?xml version="1.0"?>\n<!-- ours -->\n${SVG}<defs><linearGradient id="a"><stop offset="0" style="stop-color:#fff"/></linearGradient></defs><path fill="url(#a)" d="M0 0"/><use href='#b'/></svg>`;
    for (const [name, bytes, image] of [
      ['logo.svg', svg, 'src="assets/logo.svg" alt="" width="80" height="40"'],
      ['logo.png', PNG, 'src="assets/logo.png" alt="" width="80" height="40"'],
    ] as const) {
      const { code, stderr } = await built({ logo: name }, { [name]: bytes });
      expect(code, stderr).toBe(0);
      expect(read('index.html')).toContain(image);
      expect(readFileSync(join(folder, 'dist/assets', name)).equals(Buffer.from(bytes))).toBe(true);
      expect((await cli(['verify', 'dist', '--trust-anchor', 'dist/keys/root.json'], folder)).code).toBe(0);
    }
  });
});
