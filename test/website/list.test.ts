import { cpSync, mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { describeInChromium, open, verdict } from '../support/browser.js';
import { openVerified, publishedRecords } from '../support/page-verdict.js';
import { plainHost, serve } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { cli } from '../support/workspace.js';

let folder: string;
let base: string;

const NORDIC = { tier: 'founding', geographical_scope: '[NO, SE]', domain_scope: '[banking, payments]' };
const HEALTH = { status: 'suspended', geographical_scope: '[US-CA]', domain_scope: '[health]' };

beforeAll(async () => {
  const many = Array.from({ length: 230 }, (_one, index) => [
    `issuer-${String(index).padStart(3, '0')}`,
    {
      tier: 'registered',
      certified_since: `2025-${String((index % 12) + 1).padStart(2, '0')}-01T00:00:00Z`,
      domain_scope: '[research]',
      passport_types: index % 2 === 0 ? '[ai-assistant]' : '[human-proxy]',
    },
  ]);
  const records = {
    ...Object.fromEntries(many),
    'nordic-bank': { ...NORDIC, contact: 'desk@nordic.internal' },
    'cedar.health': { ...HEALTH, policy_uri: 'null' },
    lantern: { status: 'revoked' },
  };
  folder = await publishedRecords(records, ...withKeys({ checkpoint: 'key.pem' }));
  base = await serve(join(folder, 'dist'));
});

const rows = '.issuers tbody tr';

describeInChromium('the list in Chromium', () => {
  async function opened(fragment = '') {
    const { page, wrong } = await openVerified(`${base}/${fragment}`);
    const ids = () => page.locator(`${rows} th a`).allTextContents();
    const count = () => page.locator('.count').textContent();
    return { page, wrong, ids, count };
  }

  it('shows a page of it, and how many there are of each kind', async () => {
    const { page, wrong, ids, count } = await opened();
    expect(await count()).toBe('233 issuers.');
    expect(await ids()).toHaveLength(25);
    expect((await ids()).slice(0, 2)).toEqual(['cedar.health', 'issuer-000']);
    expect(await page.locator('.totals li').allInnerTexts()).toEqual([
      ...['1 trusted', '230 listed', '1 suspended', '1 revoked'],
    ]);
    await page.getByRole('link', { name: 'Next →' }).click();
    await page.getByText('Page 2 of 10').waitFor();
    expect(new URL(page.url()).hash).toBe('#page=2');
    await page.goBack();
    await expect.poll(ids).toContain('cedar.health');
    expect(wrong).toEqual([]);
  });

  it('filters by each filter, which is in the address', async () => {
    const { page, ids, count } = await opened();
    const filters = [
      ['Tier', 'founding', '#tier=founding', 'nordic-bank'],
      ['Status', 'suspended', '#status=suspended', 'cedar.health'],
      ['Place', 'US-CA', '#geography=US-CA', 'cedar.health'],
      ['Domain', 'payments', '#domain=payments', 'nordic-bank'],
    ] as const;
    for (const [label, value, fragment, expected] of filters) {
      await page.getByLabel(label, { exact: true }).selectOption(value);
      expect([label, await ids()]).toEqual([label, [expected]]);
      expect(await count()).toBe('1 of 233 issuers.');
      expect(await page.locator('.totals li').allInnerTexts()).toEqual([expect.stringMatching(/^1 /)]);
      expect(new URL(page.url()).hash).toBe(fragment);
      await page.getByRole('button', { name: 'Clear' }).click();
      expect(await count()).toBe('233 issuers.');
      expect(await page.getByLabel(label, { exact: true }).inputValue()).toBe('');
    }
    // Whoever gets the address sees the same.
    const other = await opened('#tier=founding');
    for (const [label, value, fragment, expected] of filters) {
      await other.page.goto(`${base}/${fragment}`);
      await expect.poll(() => other.page.getByLabel(label, { exact: true }).inputValue()).toBe(value);
      await expect.poll(() => other.ids()).toEqual([expected]);
    }
  });

  it('filters by passport type and other things at once', async () => {
    const { page, count } = await opened('#type=human-proxy&domain=research&q=issuer-01');
    // The names of issuers may come a little later.
    await expect.poll(count).toBe('5 of 233 issuers.');
    await page.getByLabel('Status', { exact: true }).selectOption('revoked');
    expect(await page.locator('#view').innerText()).toContain('No matching issuers.');
    await page.getByRole('link', { name: 'Show all' }).click();
    await expect.poll(count).toBe('233 issuers.');
  });

  it('searches in all that is said, as one types, and leaves the reader where they are', async () => {
    const { page, ids } = await opened();
    const search = page.getByLabel('Search');
    await search.pressSequentially('DESK@nordic');
    expect(await ids()).toEqual(['nordic-bank']);
    expect(await search.evaluate((input) => input === document.activeElement)).toBe(true);
    expect(new URL(page.url()).hash).toBe('#q=DESK%40nordic');
    await search.fill('banking nordic');
    expect(await ids()).toEqual(['nordic-bank']);
    await search.fill('no such thing');
    expect(await ids()).toEqual([]);
    // Each letter was no step of its own.
    await page.goBack();
    expect(page.url()).toBe('about:blank');
  });

  it('is gone as soon as the reader goes to an issuer, also while the host does not answer', async () => {
    const { page } = await opened();
    const first = await page.locator('link[rel="modulepreload"]').getAttribute('href');
    await page.route('**/assets/parts/*', (route) =>
      route.request().url().endsWith(String(first)) ? route.continue() : undefined,
    );
    await page.reload();
    await verdict(page);
    await page.getByRole('link', { name: 'cedar.health' }).click();
    await page.getByRole('heading', { name: 'cedar.health' }).waitFor();
    expect(await page.locator('.issuers').count()).toBe(0);
  });

  it('is where it was for a reader who comes back from an issuer', async () => {
    const { page } = await opened();
    const link = page.getByRole('link', { name: 'issuer-020' });
    await link.scrollIntoViewIfNeeded();
    const before = await page.evaluate('scrollY');
    expect(before).toBeGreaterThan(0);
    await link.click();
    await page.getByRole('heading', { name: 'issuer-020', exact: true }).waitFor();
    expect(await page.evaluate('scrollY')).toBe(0);
    await page.goBack();
    await expect.poll(() => page.evaluate('scrollY')).toBe(before);
    expect(await link.evaluate((one) => one === document.activeElement)).toBe(true);
  });

  it('has its filters open where there is room, with nothing to fold them', async () => {
    const { page } = await opened();
    const summary = page.locator('.filters summary');
    const status = page.getByLabel('Status', { exact: true });
    expect([await summary.isVisible(), await status.isVisible()]).toEqual([false, true]);
    await page.setViewportSize({ width: 390, height: 800 });
    await expect.poll(() => summary.isVisible()).toBe(true);
    expect(await status.isVisible()).toBe(false);
    await page.setViewportSize({ width: 1280, height: 800 });
    await expect.poll(() => status.isVisible()).toBe(true);
  });

  it('has a page for each issuer, which can be linked to', async () => {
    const { page, wrong } = await opened('#issuer=cedar.health');
    expect(await page.locator('#title').textContent()).toBe('cedar.health');
    expect(await page.title()).toBe('cedar.health: Registry of agent passport issuers');
    const shown = await page.locator('#view').innerText();
    expect(shown).toContain('This issuer is suspended. A verifier that has this list rejects the issuer');
    const fields = await page.locator('.fields > div').allInnerTexts();
    expect(fields.map((field) => field.replaceAll(/\s+/g, ' ').replace(/\(.* ago\)/, '(ago)'))).toEqual([
      'Status suspended',
      'Tier certified',
      'Was trusted from 1 January 2026 (ago)',
      'Last audit not declared',
      'Places US-CA (United States)',
      'Domains health',
      'Passport types not declared: a policy that asks for one rejects the issuer',
      'Keys (JWKS) https://cedar.health.internal/.well-known/jwks.json',
      'Metadata https://cedar.health.internal/.well-known/openid-configuration',
      'Policy none',
      'Contact not declared',
    ]);
    const json = JSON.parse((await page.locator('.record pre').textContent()) ?? '');
    expect(json).toMatchObject({ issuer_id: 'cedar.health', policy_uri: null });
    await page.getByText('Record as JSON').click();
    const link = page.getByRole('link', { name: 'issuers/cedar.health' });
    expect(await link.evaluate((anchor: HTMLAnchorElement) => anchor.href)).toBe(
      `${base}/issuers/cedar.health`,
    );
    await page.getByRole('link', { name: 'health', exact: true }).click();
    await expect.poll(() => page.locator(`${rows} th a`).allTextContents()).toEqual(['cedar.health']);
    expect(wrong).toEqual([]);
  });

  it('works below a sub-path of any host', async () => {
    const served = join(folder, 'served');
    mkdirSync(join(served, 'mirrors'), { recursive: true });
    // Another registry at the root of the same host must not get in the way.
    cpSync(join(folder, 'dist'), served, { recursive: true });
    await cli(['build', '--key', 'key.pem', '--out', 'copy'], folder);
    renameSync(join(folder, 'copy'), join(served, "mirrors/o'hara"));
    const host = await plainHost(served, "mirrors/o'hara/404.html");
    const { wrong } = await openVerified(`${host}/mirrors/o'hara/#issuer=lantern`);
    expect(wrong).toEqual([]);
    const lost = await open(`${host}/mirrors/o'hara/issuers/lantem`);
    await lost.page.getByRole('link', { name: 'lantern' }).click();
    expect(await verdict(lost.page)).toBe('Verified in your browser');
    expect(new URL(lost.page.url()).pathname).toBe("/mirrors/o'hara/");
  });
});
