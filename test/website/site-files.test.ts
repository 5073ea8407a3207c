import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withKeys } from '../support/settings.js';
import { cli, recordText, workspace, writeFiles } from '../support/workspace.js';

const read = (folder: string, path: string) => readFileSync(join(folder, 'dist', path), 'utf8');
const changes = (folder: string) => JSON.parse(read(folder, 'changes.json'));
const set = (folder: string, id: string, fields: Record<string, string>) =>
  writeFiles(folder, { [`issuers/${id}.yaml`]: recordText(id, fields) });

async function build(folder: string, time: string, ...args: string[]) {
  const options = ['build', '--key', 'key.pem', '--updated-at', time, '--json', ...args];
  const { code, stdout, stderr } = await cli(options, folder);
  expect(stderr).toContain('verified');
  expect(code).toBe(0);
  return JSON.parse(stdout);
}
const T = (day: number) => `2026-01-0${day}T00:00:00Z`;

describe('a published tree', () => {
  it('names no package that a reader could run or install', async () => {
    const folder = await workspace(['alpha']);
    await build(folder, T(1), ...withKeys({ checkpoint: 'key.pem' }));
    const files = readdirSync(join(folder, 'dist'), { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    );
    expect(files.length).toBeGreaterThan(15);
    for (const { parentPath, name } of files) {
      const text = readFileSync(join(parentPath, name), 'utf8');
      const found =
        /\b(?:npx|bunx|npm (?:exec|x|i|install|init)|yarn (?:add|dlx)|pnpm|deno run|pip install)\b.*/;
      expect(found.exec(text)?.[0], name).toBeUndefined();
    }
  });
});

describe('changes.json', () => {
  it('begins with the first publication, and has each change of status and tier, newest first', async () => {
    const folder = await workspace(['alpha', 'beta']);
    await build(folder, T(1));
    const begun = changes(folder);
    expect(begun).toEqual({ changes: [], since: T(1) });
    set(folder, 'alpha', { status: 'suspended', tier: 'registered' });
    set(folder, 'gamma', {});
    await build(folder, T(2));
    set(folder, 'alpha', { tier: 'registered', reinstated: '2026-01-02T12:00:00Z' });
    set(folder, 'beta', { contact: 'a@b.internal' });
    await build(folder, T(3));
    const change = (day: number, issuer_id: string, field: string, from: string | null, to: string) => ({
      updated_at: T(day),
      issuer_id,
      field,
      from,
      to,
    });
    expect(changes(folder)).toEqual({
      ...begun,
      changes: [
        change(3, 'alpha', 'status', 'suspended', 'active'),
        change(2, 'alpha', 'status', 'active', 'suspended'),
        change(2, 'alpha', 'tier', 'certified', 'registered'),
        change(2, 'gamma', 'status', null, 'active'),
      ],
    });
  });

  it('is left alone by a build that changes neither status nor tier', async () => {
    const folder = await workspace(['alpha']);
    await build(folder, T(1));
    set(folder, 'alpha', { status: 'suspended' });
    await build(folder, '2026-01-01T12:00:00Z');
    set(folder, 'alpha', { status: 'suspended', contact: 'a@b.internal' });
    // The record, its sums, the list in both places, its signature, the statements, the page that has the list in it, and the
    // checksums.
    expect(await build(folder, T(2))).toMatchObject({ written: 8, removed: 0 });
  });

  it.each<[string, (text: string) => string]>([
    ['damaged', (text) => text.slice(1)],
    ['of another form', (text) => text.replace('"changes"', '"change"')],
    ['holding more than a change', (text) => text.replace('"since"', '"a":1,"since"')],
  ])('stops a build when it is %s, because the tree is damaged', async (_name, alter) => {
    const folder = await workspace(['alpha']);
    await build(folder, T(1));
    writeFileSync(join(folder, 'dist/changes.json'), alter(read(folder, 'changes.json')));
    const { code, stderr } = await cli(['build', '--key', 'key.pem', '--updated-at', T(2)], folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining('`load`')]);
  });

  it('knows nothing of what a development key has signed', async () => {
    const folder = await workspace(['alpha']);
    await cli(['build', '--updated-at', T(1)], folder);
    set(folder, 'alpha', { status: 'suspended' });
    await build(folder, T(2));
    expect(changes(folder)).toMatchObject({ changes: [], since: T(2) });
  });
});

describe('the page without a script', () => {
  it('holds the list up to 1,000 issuers, with its time', async () => {
    const folder = await workspace(Array.from({ length: 1000 }, (_one, index) => `issuer-${index}`));
    await build(folder, T(1));
    const page = read(folder, 'index.html');
    expect(page.match(/<tr><th scope="row">/g)).toHaveLength(1000);
    expect(page).toContain(`1000 issuers, as of <time datetime="${T(1)}">`);
    expect(page).toContain(
      '<a href="issuers/issuer-7">issuer-7</a></th><td>trusted</td><td class="wide">certified</td>',
    );
  });

  it('beyond that leads to it, and does not change with it', async () => {
    const folder = await workspace(Array.from({ length: 1001 }, (_one, index) => `issuer-${index}`));
    await build(folder, T(1));
    const page = read(folder, 'index.html');
    expect(page).not.toContain('issuer-7');
    expect(page).toContain('<a href="issuers.json">issuers.json</a>');
    set(folder, 'issuer-7', { contact: 'a@b.internal' });
    // The record, its sums in two files, the list in both places, its signature, the statements, and the checksums.
    expect(await build(folder, T(2))).toMatchObject({ written: 8 });
  });

  it('pins the root key, and says when a development key signed', async () => {
    const folder = await workspace(['alpha']);
    await build(folder, T(1));
    const { kid } = JSON.parse(read(folder, 'keys/root.json'));
    expect(read(folder, 'index.html')).toContain(`<meta name="registry-root-key" content="${kid}">`);
    expect(read(folder, 'index.html')).not.toContain('development key');
    await cli(['build', '--out', 'other'], folder);
    expect(readFileSync(join(folder, 'other/index.html'), 'utf8')).toContain('Signed by a development key.');
  });
});

describe('the list for readers without a script', () => {
  it('says what each issuer is, since when, and whose name looks like that of another', async () => {
    const folder = await workspace([]);
    writeFiles(folder, {
      'issuers/harbour.yaml': recordText('harbour', {
        name: 'Harbour & Sons',
        status: 'revoked',
        certified_since: '2022-01-16T00:00:00Z',
      }),
      'issuers/plain.yaml': recordText('plain', { tier: 'registered', name: 'Harbоur & Sons Ltd' }),
      'issuers/soon.yaml': recordText('soon', { certified_since: '2999-01-01T00:00:00Z' }),
      'issuers/tried.yaml': recordText('tried', { name: 'HARBOUR SONS' }),
    });
    const { code, stderr } = await cli(['build', '--key', 'key.pem'], folder);
    expect(code, stderr).toBe(0);
    const rows = read(folder, 'index.html').matchAll(/<tr><th scope="row">.*/g);
    const texts = [...rows].map(([row]) => row.replaceAll(/<[^>]+>/g, '|').replaceAll(/\|+/g, '|'));
    const alike = (others: string) => `Its name looks like that of ${others}. Only the id tells them apart.`;
    expect(texts).toEqual([
      // In the order of their standings, the trusted one first.
      `|Harbour &#38; Sons| |harbour| |${alike('tried (trusted), plain (listed)')}|revoked|certified|Was trusted from| |16 January 2022|`,
      `|Harbоur &#38; Sons Ltd| |plain| |${alike('tried (trusted), harbour (revoked)')}|listed|registered|1 January 2026|`,
      '|soon|not yet|certified|Trusted from| |1 January 2999|',
      `|HARBOUR SONS| |tried| |${alike('plain (listed), harbour (revoked)')}|trusted|certified|1 January 2026|`,
    ]);
    expect(read(folder, 'index.html')).toContain('<th scope="row"><a href="issuers/soon">soon</a></th>');
  });
});
