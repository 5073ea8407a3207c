import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Issuer } from '@passport-registry/verifier';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { beforeAll, expect, it } from 'vitest';
import { describeInChromium, open, verdict, visibleId } from '../support/browser.js';
import { emptyPage, indexPage } from '../support/index-page.js';
import { publishedRecords } from '../support/page-verdict.js';
import { issuer, publish, testKey } from '../support/publication.js';
import { plainHost } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { sha256 } from '../support/sha256.js';
import { rounds } from '../support/soak.js';
import { together } from '../support/statements.js';
import { unverifiedScript } from '../support/unverified-script.mjs';
import { cli, workspace } from '../support/workspace.js';

/** What would do something if it became markup, an attribute, a style, an address or a piece of script. */
const CORPUS = [
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<svg/onload=alert(1)>',
  '"><script>alert(1)</script>',
  "' onmouseover='alert(1)",
  '" autofocus onfocus="alert(1)',
  '</title><script>alert(1)</script>',
  '</code></pre><iframe srcdoc="<script>alert(1)</script>">',
  '<a href="javascript:alert(1)">x</a>',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  ' javascript:alert(1)',
  'java\tscript:alert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:alert(1)',
  'https://x.example/"><script>alert(1)</script>',
  '//evil.example/x.js',
  '{{development}}',
  '$' + '{alert(1)}',
  '<style>*{display:none}</style>',
  '<base href="https://evil.example/">',
  '<meta http-equiv=refresh content="0;url=https://evil.example/">',
  '<form action=https://evil.example><button>x</button></form>',
  '&lt;script&gt;alert(1)&lt;/script&gt;',
  '<!-- --!><script>alert(1)</script>',
  '<math><mtext></mtext><script>alert(1)</script></math>',
  '‮<script>alert(1)</script>',
  ']]><script>alert(1)</script>',
  '__proto__',
];

/** The texts with each of which a test loads a page anew: in a usual run some of every kind. */
const LOADED = CORPUS.filter((_text, index) => index % rounds({ usual: 7, soak: 1 }) === 0);

/** A record with the same text in every place for a text. */
const everywhere = (text: string) =>
  ({
    issuer_id: text,
    tier: text,
    status: text,
    jwks_uri: text,
    discovery_uri: text,
    policy_uri: text,
    certified_since: text,
    last_audit: text,
    geographical_scope: [text],
    domain_scope: [text],
    passport_types: [text],
    contact: text,
  }) as unknown as Issuer;

/** What a page must not have got from a record, whatever that says. It keeps the heights of its own rows. */
const MARKUP =
  'document.querySelectorAll("main script, main iframe, main img, main style, main base, main meta, main [onerror], ' +
  'main [onload], main [onfocus], main [onmouseover], main [srcdoc], main :not(tr)[style], form[action]").length';
const LINKS = 'Array.from(document.querySelectorAll("a[href]"), (link) => link.protocol)';

let dist: string;

beforeAll(async () => {
  const folder = await workspace(['alpha']);
  await cli(['build', '--key', 'key.pem'], folder);
  dist = join(folder, 'dist');
});

/** Serves a page, and other files in place of those of its tree. */
function hostOf(page: string, files: () => ReturnType<typeof publish>): Promise<string> {
  return plainHost(dist, '404.html', (path, bytes) => {
    if (path === '/') return Buffer.from(page);
    return together(files()).get(path.slice(1)) ?? bytes;
  });
}

describeInChromium('hostile texts', () => {
  it('become no markup in the page, not even were they verified', async () => {
    const issuers = CORPUS.map(everywhere);
    const list = Buffer.from(JSON.stringify({ issuers, updated_at: '2026-01-01T00:00:00Z' }));
    const script = Buffer.from(await unverifiedScript());
    const host = await plainHost(dist, '404.html', (path, bytes) => {
      if (path === '/issuers.json') return list;
      return path === '/assets/registry.js' ? script : bytes;
    });
    const { page, wrong } = await open(host);
    expect(await verdict(page)).toBe('Verified in your browser');
    let rows = 0;
    for (let at = 1; rows < CORPUS.length; at++) {
      await page.goto(`${host}/#page=${at}`);
      if (CORPUS.length > 25) await page.getByText(`Page ${at} of `).waitFor();
      rows += await page.locator('.issuers tbody tr').count();
      expect(await page.evaluate(MARKUP)).toBe(0);
    }
    expect(rows).toBe(CORPUS.length);
    for (const text of CORPUS) {
      await page.goto(`${host}/#${new URLSearchParams({ issuer: text })}`);
      await expect.poll(() => page.locator('#title').textContent()).toBe(visibleId(text));
      expect(await page.evaluate(MARKUP)).toBe(0);
      expect(new Set((await page.evaluate(LINKS)) as string[])).toEqual(
        new Set(text.startsWith('https:') ? ['http:', 'https:'] : ['http:']),
      );
    }
    expect(wrong).toEqual([]);
  });

  it('are refused where the root key has signed them', async () => {
    const key = await testKey();
    const page = emptyPage(key.rootKey);
    let files = publish(key, []);
    const host = await hostOf(page, () => files);
    const { page: tab, wrong } = await open(host);
    for (const text of LOADED) {
      files = publish(key, [everywhere(text)]);
      await tab.goto(host);
      expect([text, await verdict(tab)]).toEqual([text, 'Not verified: trust nothing here']);
      expect(await tab.getByRole('alert').innerText()).toMatch(/ERR_LIST_/);
      expect([text, wrong]).toEqual([text, []]);
    }
  });

  it('become no markup in the page without a script', async () => {
    const key = await testKey();
    const issuers = CORPUS.map(everywhere);
    const records = new Map(CORPUS.map((text) => [text, Buffer.of()]));
    const list = { list: Buffer.from(JSON.stringify({ issuers })), updatedAt: CORPUS[1] ?? '', records };
    const text = indexPage({ list, rootKey: key.rootKey, development: false });
    const host = await plainHost(dist, '404.html', (path, bytes) =>
      path === '/' ? Buffer.from(text) : bytes,
    );
    const { page, wrong } = await open(host, { javaScriptEnabled: false });
    expect(await page.locator('.issuers tbody tr').count()).toBe(CORPUS.length);
    expect(await page.locator('.issuers tbody th').allTextContents()).toEqual(CORPUS);
    for (const kind of ['script', 'iframe', 'img', 'style', 'base', 'form', 'svg', 'math']) {
      expect(await page.locator(`main ${kind}`).count()).toBe(0);
    }
    const attributes = ['onfocus', 'onmouseover', 'onerror', 'onload', 'autofocus', 'srcdoc', 'style'];
    expect(await page.locator(attributes.map((name) => `[${name}]`).join()).count()).toBe(0);
    expect(wrong).toEqual([]);
  });

  it('in an address do nothing', async () => {
    const host = await plainHost(dist, '404.html');
    const { page, wrong } = await open(host);
    await verdict(page);
    for (const text of CORPUS) {
      const parameter = encodeURIComponent(text);
      await page.goto(`${host}/#issuer=${parameter}`);
      await verdict(page);
      await expect.poll(() => page.locator('.verdict code').textContent()).toBe(visibleId(text));
      expect(await page.locator('#title').textContent()).toBe('Not in this registry');
      expect(await page.title()).toMatch(/^Not in this registry: /);
      expect([text, await page.evaluate(MARKUP)]).toEqual([text, 0]);
      const others = [`q=${parameter}`, `tier=${parameter}`, `geography=${parameter}&page=${parameter}`];
      for (const fragment of LOADED.includes(text) ? others : []) {
        await page.goto(`${host}/#${fragment}`);
        await page.locator('.count').waitFor();
        await expect.poll(() => page.locator('#title').textContent()).toBe('Issuers');
        expect([text, await page.evaluate(MARKUP)]).toEqual([text, 0]);
      }
      expect([text, wrong]).toEqual([text, []]);
    }
    for (const text of LOADED) {
      await page.goto(`${host}/issuers/${encodeURIComponent(text)}`);
      await page.locator('#not-found > *').waitFor();
      expect([text, await page.evaluate(MARKUP)]).toEqual([text, 0]);
      expect([text, wrong.filter((one) => !one.includes('MIME'))]).toEqual([text, []]);
    }
  });

  it('in names and reasons are text in a frame of its own, beside the whole id', async () => {
    const reason = `</q></p>"><img src=x onerror=alert(1)><script>alert(2)</script>`;
    const names = [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>{name}',
      'javascript:alert(1)',
      'a2 is trusted by everybody. It',
      // Look-alikes, another direction, and marks above each other.
      'Аlрhа Ваnk',
      'سجل جهات إصدار',
      `A${'\u0301\u0323'.repeat(40)}`.normalize('NFC'),
    ];
    const fields = { status: 'revoked', status_reason: JSON.stringify(reason) };
    const records = names.map((name, at) => [`a${at}`, { ...fields, name: JSON.stringify(name) }]);
    const checkpoint = withKeys({ checkpoint: 'key.pem' });
    const folder = await publishedRecords(Object.fromEntries(records), ...checkpoint);
    const host = await plainHost(join(folder, 'dist'), '404.html');
    const { page, wrong } = await open(host);
    await verdict(page);
    await expect.poll(() => page.locator('.issuers th bdi').allTextContents()).toEqual(names);
    expect(await page.locator('.issuers th .host').allTextContents()).toEqual(
      names.map((_name, at) => `a${at}`),
    );
    expect(await page.evaluate(MARKUP)).toBe(0);
    for (const [at, name] of names.entries()) {
      await page.goto(`${host}/#issuer=a${at}`);
      await expect.poll(() => page.locator('#title').textContent()).toBe(name);
      expect(await page.locator('.id').innerText()).toContain(`Id: a${at}`);
      expect(await page.locator('.sentence strong bdi').textContent()).toBe(name);
      expect(await page.locator('.sentence q.said bdi').textContent()).toBe(reason);
      expect(await page.evaluate(MARKUP)).toBe(0);
    }
    expect(wrong).toEqual([]);
  });

  it('in signed names that cannot be seen make all names unknown', async () => {
    const key = await testKey();
    const about = Buffer.from(canonicalBytes({ issuers: { alpha: { name: 'Al\u200bpha' } } }));
    const claims = { about_sha256: sha256(about) };
    const files = together(publish(key, [issuer('alpha')], { claims })).set('about.json', about);
    const page = Buffer.from(emptyPage(key.rootKey));
    const host = await plainHost(dist, '404.html', (path, bytes) =>
      path === '/' ? page : (files.get(path.slice(1)) ?? bytes),
    );
    const { page: tab, wrong } = await open(`${host}/#issuer=alpha`);
    expect(await verdict(tab)).toBe('Verified in your browser');
    await tab.getByText('What people call it is not known.').waitFor();
    expect(await tab.locator('#title').textContent()).toBe('alpha');
    expect(wrong).toEqual([]);
  });

  it('that a record may hold are shown as they are', async () => {
    const uri = "https://a.internal/;'onload=alert(1)()*!$&'@:,";
    const contact = `${"'`$|{alert(1)}`'".replaceAll(/[()]/g, '')}@a.internal`;
    const folder = await publishedRecords({
      a: {
        jwks_uri: JSON.stringify(uri),
        policy_uri: JSON.stringify(`http://a.internal/?q='${"'"}#!alert(1)`),
        contact: JSON.stringify(contact),
      },
    });
    const host = await plainHost(join(folder, 'dist'), '404.html');
    const { page, wrong } = await open(`${host}/#issuer=a`);
    await verdict(page);
    expect(await page.getByRole('link', { name: uri }).getAttribute('href')).toBe(uri);
    expect(await page.locator('article').innerText()).toContain(contact);
    expect(wrong).toEqual([]);
    expect(readFileSync(join(folder, 'dist/index.html'), 'utf8')).not.toContain(contact);
  });
});
