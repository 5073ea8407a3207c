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
    writeFiles(folder, { 'registry.yaml': 'precompress: true\n' });
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
    expect(begun).toEqual({ changes: [], feed: expect.stringMatching(/^urn:uuid:/), since: T(1) });
    set(folder, 'alpha', { status: 'suspended', tier: 'registered' });
    set(folder, 'gamma', {});
    await build(folder, T(2));
    set(folder, 'alpha', { tier: 'registered' });
    set(folder, 'beta', { contact: 'a@b.internal' });
    await build(folder, T(3));
    const change = (day: number, issuer_id: string, field: string, from: string | null, to: string) => ({
      ...{ updated_at: T(day), issuer_id, field, from, to },
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

  it('and its feed are left alone by a build that changes neither status nor tier', async () => {
    const folder = await workspace(['alpha']);
    await build(folder, T(1));
    set(folder, 'alpha', { status: 'suspended' });
    await build(folder, '2026-01-01T12:00:00Z');
    set(folder, 'alpha', { status: 'suspended', contact: 'a@b.internal' });
    // The record, its sums, the list, its signature and statement, the page that has the list in it, and the checksums.
    expect(await build(folder, T(2))).toMatchObject({ written: 7, removed: 0 });
  });

  it.each<[string, (text: string) => string]>([
    ['damaged', (text) => text.slice(1)],
    ['of another form', (text) => text.replace('"status"', '"contact"')],
    ['holding more than a change', (text) => text.replace('"field"', '"a":1,"field"')],
    ['holding markup', (text) => text.replace('"alpha"', '"<script>"')],
  ])('begins anew when it is %s', async (_name, alter) => {
    const folder = await workspace(['alpha']);
    await build(folder, T(1));
    set(folder, 'alpha', { status: 'suspended' });
    await build(folder, T(2));
    const [before, name] = [changes(folder).changes, changes(folder).feed];
    writeFileSync(join(folder, 'dist/changes.json'), alter(read(folder, 'changes.json')));
    set(folder, 'alpha', {});
    await build(folder, T(3));
    expect(changes(folder).changes).toHaveLength(1);
    expect(changes(folder).changes[0]).toMatchObject({ updated_at: T(3), to: 'active' });
    expect(before).toHaveLength(1);
    expect(changes(folder).feed).toBe(name);
  });

  it('takes nothing from a list that is not rightly signed', async () => {
    const folder = await workspace(['alpha']);
    await build(folder, T(1));
    const list = join(folder, 'dist/issuers.json');
    writeFileSync(list, readFileSync(list, 'utf8').replace('"active"', '"suspended"'));
    const options = ['build', '--key', 'key.pem', '--updated-at', T(2)];
    expect((await cli(options, folder)).code).toBe(1);
    expect(changes(folder)).toMatchObject({ changes: [], since: T(1) });
  });

  it('forgets what a killed build wrote down and did not publish', async () => {
    const folder = await workspace(['alpha']);
    await build(folder, T(1));
    set(folder, 'alpha', { status: 'suspended' });
    await build(folder, T(3), '--out', 'killed');
    const half = changes(folder);
    half.changes.unshift({
      updated_at: T(2),
      issuer_id: 'alpha',
      field: 'status',
      from: 'active',
      to: 'revoked',
    });
    writeFileSync(join(folder, 'dist/changes.json'), JSON.stringify(half));
    await build(folder, T(3));
    expect(changes(folder).changes.map(({ to }: { to: string }) => to)).toEqual(['suspended']);
  });

  it('knows nothing of what a development key has signed', async () => {
    const folder = await workspace(['alpha']);
    await cli(['build', '--updated-at', T(1)], folder);
    set(folder, 'alpha', { status: 'suspended' });
    await build(folder, T(2));
    expect(changes(folder)).toMatchObject({ changes: [], since: T(2) });
  });
});

describe('changes.atom', () => {
  it('says the same as a feed', async () => {
    const folder = await workspace(['alpha']);
    await build(folder, T(1));
    expect(read(folder, 'changes.atom')).toContain(`<updated>${T(1)}</updated>`);
    set(folder, 'alpha', { status: 'suspended' });
    await build(folder, T(2));
    const feed = read(folder, 'changes.atom');
    // The name of a feed follows from the key that began it.
    expect(feed.replace(changes(folder).feed, 'urn:uuid:of-the-feed')).toMatchInlineSnapshot(`
      "<?xml version="1.0" encoding="utf-8"?>
      <feed xmlns="http://www.w3.org/2005/Atom" xml:lang="en">
        <id>urn:uuid:of-the-feed</id>
        <title>Registry of agent passport issuers: status and tier</title>
        <updated>2026-01-02T00:00:00Z</updated>
        <author><name>The operator of the registry</name></author>
        <link rel="self" type="application/atom+xml" href="changes.atom"/>
        <link rel="alternate" type="text/html" href="./"/>
        <entry>
          <id>urn:uuid:8fa1ac6a-7a23-8d52-82b7-d4774ee46abe</id>
          <title>alpha: status active → suspended</title>
          <updated>2026-01-02T00:00:00Z</updated>
          <link rel="alternate" type="text/html" href="./#issuer=alpha"/>
          <content type="text">alpha: status active → suspended. In the list of 2026-01-02T00:00:00Z; verify it before you act on this.</content>
        </entry>
      </feed>
      "
    `);
    expect(read(folder, 'index.html')).toContain(
      '<link rel="alternate" type="application/atom+xml" title="Changes of status and tier" href="changes.atom">',
    );
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
    // The record, its sums in two files, the list, its signature and statement, and the checksums.
    expect(await build(folder, T(2))).toMatchObject({ written: 7 });
  });

  it('pins the root key, says what the registry must have, and says when a development key signed', async () => {
    const folder = await workspace(['alpha']);
    await build(folder, T(1));
    const { kid } = JSON.parse(read(folder, 'keys/root.json'));
    expect(read(folder, 'index.html')).toContain(`<meta name="registry-root-key" content="${kid}">`);
    expect(read(folder, 'index.html')).toContain('<meta name="registry-requires" content="publication">');
    expect(read(folder, 'index.html')).not.toContain('development key');
    await cli(['build', '--out', 'other'], folder);
    expect(readFileSync(join(folder, 'other/index.html'), 'utf8')).toContain('Signed by a development key.');
  });
});
