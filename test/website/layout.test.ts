import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInChromium, open, verdict } from '../support/browser.js';
import { publishedRecords } from '../support/page-verdict.js';
import { plainHost } from '../support/serving.js';
import { withKeys } from '../support/settings.js';

/** Files that come late, in this order, as on a slow network. What is shown before each must not move. */
const LATE = [
  /\/assets\/registry\.js$/,
  /\/issuers\.json$/,
  /\/assets\/parts\//,
  /\/changes\.json$/,
  /\/about\.json$/,
];
const PAUSE_MS = 150;
const MAX_SHIFT = 0.05;

/** Sums the shifts without a reader's input from the beginning. */
const OBSERVE = `
  globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) globalThis.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });`;

let dist: string;

beforeAll(async () => {
  const members = Array.from({ length: 40 }, (_one, at) => [
    `issuer-${at}.member.example`,
    // On a phone, a name of two lines moves what is below by a line.
    at % 3 === 0 ? {} : { name: `Member ${at}` },
  ]);
  const options = [...withKeys({ checkpoint: 'key.pem' }), '--allow-example-names'];
  const folder = await publishedRecords(Object.fromEntries(members), ...options);
  dist = join(folder, 'dist');
});

/** Where a reader sees the parts of the page. One call finds and measures them: the page may replace them between two. */
const placesOf = (page: Page) =>
  page.evaluate(() =>
    [...document.querySelectorAll('.verification, .controls, .issuers tr, .id, .verdict')].map((one) =>
      Math.round(one.getBoundingClientRect().top + scrollY),
    ),
  );

describeInChromium('the layout of the page while it loads', () => {
  it.each([
    ['the list', '', 390],
    ['the list', '', 1280],
    ['an issuer', '#issuer=issuer-10.member.example', 390],
    ['an issuer', '#issuer=issuer-10.member.example', 1280],
  ])('%s%s does not move at %i pixels, whatever comes late', async (_view, fragment, width) => {
    const host = await plainHost(dist, '404.html');
    const { page, wrong } = await open('about:blank');
    await page.setViewportSize({ width, height: 800 });
    await page.route('**', async (route) => {
      const late = LATE.findIndex((path) => path.test(new URL(route.request().url()).pathname));
      if (late !== -1) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * (late + 1)));
      await route.continue();
    });
    await page.addInitScript(OBSERVE);
    await page.goto(`${host}/${fragment}`);
    expect(await verdict(page)).toBe('Verified in your browser');
    await page.locator('.issuers, .verdict').waitFor();
    const before = await placesOf(page);
    await page.getByText('Member 10', { exact: true }).first().waitFor();
    await page.locator('.recent p, .issuer .note').first().waitFor();
    expect(await placesOf(page)).toEqual(before);
    expect(await page.evaluate('shift')).toBeLessThanOrEqual(MAX_SHIFT);
    expect(wrong.filter((one) => !one.startsWith('request to'))).toEqual([]);
  });

  it('without a script fits a phone, with dates in words', async () => {
    const host = await plainHost(dist, '404.html');
    const { page } = await open(host, { javaScriptEnabled: false });
    await page.setViewportSize({ width: 390, height: 800 });
    const table = await page.locator('.issuers').boundingBox();
    expect((table?.x ?? 0) + (table?.width ?? 999)).toBeLessThanOrEqual(390);
    expect(
      await page
        .locator('.issuers th, .issuers td')
        .evaluateAll((all) => all.filter((cell) => cell.scrollWidth > cell.clientWidth + 1).length),
    ).toBe(0);
    const row = page.locator('.issuers tbody tr', { hasText: 'Member 10' });
    expect((await row.innerText()).split(/\s*[\t\n]\s*/)).toEqual([
      ...['Member 10', 'issuer-10.member.example', 'trusted', '1 January 2026'],
    ]);
    expect(await row.locator('time').getAttribute('datetime')).toBe('2026-01-01T00:00:00Z');
  });
});
