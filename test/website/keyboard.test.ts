import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInChromium } from '../support/browser.js';
import { openVerified, publishedRecords } from '../support/page-verdict.js';
import { plainHost } from '../support/serving.js';
import { withKeys } from '../support/settings.js';

let base: string;

beforeAll(async () => {
  const records = {
    alpha: { geographical_scope: '[NO]', domain_scope: '[banking]' },
    beta: { status: 'revoked', tier: 'founding' },
  };
  const folder = await publishedRecords(records, ...withKeys({ checkpoint: 'key.pem' }));
  base = await plainHost(join(folder, 'dist'), '404.html');
});

async function opened(fragment = '') {
  const { page, wrong } = await openVerified(`${base}/${fragment}`);
  await page.locator('.verification .facts').waitFor({ state: 'attached' });
  return { page, wrong };
}

/** What a screen reader says of the element that has the focus: its role and its name. */
async function focused(page: Page): Promise<string> {
  return (await page.locator(':focus').ariaSnapshot()).split('\n')[0] ?? '';
}

describeInChromium('the page by keyboard and in words, in Chromium', () => {
  it('lead from the top through everything to the first issuer, each with its role and its name', async () => {
    const { page, wrong } = await opened();
    const walked: string[] = [];
    while (walked.at(-1) !== '- link "alpha":' && walked.length < 40) {
      await page.keyboard.press('Tab');
      walked.push(await focused(page));
    }
    expect(walked).toEqual([
      '- link "Skip to the issuers":',
      '- link "Registry of agent passport issuers":',
      '- text: What is this?',
      ...['- link "Issuers":', '- link "Verify it yourself":'],
      '- heading "Verified in your browser" [level=2]',
      '- searchbox "Search"',
      ...['- combobox "Status":', '- combobox "Tier":', '- combobox "Place":', '- combobox "Domain":'],
      ...['- combobox "Passport type":', '- button "Clear"'],
      ...['- link "1 trusted":', '- link "1 revoked":'],
      '- link "alpha":',
    ]);
    await page.keyboard.press('Enter');
    await page.locator('main:focus').getByRole('heading', { name: 'alpha', exact: true }).waitFor();
    expect(wrong).toEqual([]);
  });

  it('skip to the issuers, and go on from there', async () => {
    const { page } = await opened();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('main:focus').waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toBe('- searchbox "Search"');
    await page.keyboard.type('beta');
    await expect.poll(() => page.getByRole('row').count()).toBe(2);
    await page.getByRole('link', { name: 'beta' }).waitFor();
    expect(await focused(page)).toBe('- searchbox "Search": beta');
    // The number of issuers is read out.
    expect(await page.getByRole('status').innerText()).toBe('1 of 2 issuers.');
  });

  it('open the badge, and close it', async () => {
    const { page } = await opened();
    await page.locator('summary.badge').focus();
    await page.keyboard.press('Enter');
    await page.getByRole('term').filter({ hasText: 'Root key' }).waitFor();
    await page.keyboard.press('Tab');
    expect(await focused(page)).toContain('What the verification shows, and what it cannot show');
    await page.keyboard.press('Shift+Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('term').filter({ hasText: 'Root key' }).waitFor({ state: 'hidden' });
  });

  it('say in which view the reader is', async () => {
    const { page } = await opened();
    const current = page.getByRole('navigation', { name: 'Views' }).locator('[aria-current="page"]');
    expect(await current.allTextContents()).toEqual(['Issuers']);
    await page.goto(`${base}/#issuer=alpha`);
    await page.locator('main:focus').getByRole('heading', { name: 'alpha', exact: true }).waitFor();
    expect(await current.count()).toBe(0);
  });

  it('describe the first screen', async () => {
    const { page } = await opened();
    expect(await page.getByRole('banner').ariaSnapshot()).toMatchInlineSnapshot(`
      "- banner:
        - heading "Registry of agent passport issuers" [level=1]:
          - link "Registry of agent passport issuers":
            - /url: ./
        - paragraph: A passport says who is behind an agent. These are the issuers of passports.
        - group: What is this?
        - navigation "Views":
          - link "Issuers":
            - /url: "#q="
          - link "Verify it yourself":
            - /url: "#verify""
    `);
    const rows = await page.getByRole('table', { name: 'Issuers' }).getByRole('row').all();
    const named = await Promise.all(rows.map(async (row) => (await row.ariaSnapshot()).split('\n')[0]));
    expect(named).toEqual([
      '- row "Issuer Status Tier Places Domains Since":',
      '- row "alpha alpha.internal trusted certified Norway banking 1 January 2026":',
      '- row "beta beta.internal revoked founding Was trusted from 1 January 2026":',
    ]);
    expect(await page.getByRole('columnheader').count()).toBe(6);
    expect(await page.getByRole('rowheader').count()).toBe(2);
    const landmarks = ['banner', 'navigation', 'main', 'search', 'contentinfo'] as const;
    expect(await Promise.all(landmarks.map((role) => page.getByRole(role).count()))).toEqual([1, 1, 1, 1, 1]);
    await page.getByRole('region', { name: 'Verification' }).waitFor();
    await page.getByRole('region', { name: 'Verify it yourself' }).waitFor();
    await page.getByRole('list', { name: 'Issuers by status' }).waitFor();
  });

  it('reach the record of an issuer', async () => {
    const { page } = await opened('#issuer=alpha');
    // The view is made anew when the changes are there.
    await page.getByText('No changes of status or tier since').waitFor();
    await page.locator('.fields a').last().focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.record[open]').getByText('"issuer_id": "alpha"').waitFor();
  });
});
