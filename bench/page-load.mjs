// What a reader waits for on a slow machine and network: Chromium with a processor that is 4 times slower, 1.6 Mbit/s and
// a latency of 150 ms. Compares the first issuer of the list with one issuer that its link names. Then types a search, and
// reports for how long one task blocked the page. Needs Chromium.
//
// node bench/page-load.mjs [number of issuers]

import { compare } from './compare.mjs';
import { issuers } from './corpus.mjs';
import { servePage, slowPage, startBrowser } from './slow-page.mjs';

const COUNT = Number(process.argv[2] ?? 10_000);
const PAIRS = Number(process.argv[3] ?? 3);

const { base, close } = await servePage(issuers(COUNT));
const browser = await startBrowser();
const seconds = { list: [], issuer: [] };
const opened = (name, hash, selector) => async () => {
  const page = await slowPage(browser);
  const before = performance.now();
  await page.goto(base + hash, { waitUntil: 'commit' });
  await page.locator(selector).or(page.locator('.verification.bad')).first().waitFor({ timeout: 300_000 });
  seconds[name].push((performance.now() - before) / 1000);
  await page.context().close();
};
const id = issuers(COUNT)[COUNT >> 1].issuer_id;
try {
  await compare(
    `first issuer of a list of ${COUNT}, to one issuer by its link`,
    opened('list', '', '.issuers tbody tr'),
    opened('issuer', `#${new URLSearchParams({ issuer: id })}`, '.verdict'),
    PAIRS,
  );
  for (const [name, found] of Object.entries(seconds))
    console.log(name, found.map((one) => one.toFixed(2)).join(' '), 's');

  const page = await slowPage(browser);
  await page.goto(base);
  await page.locator('.issuers tbody tr').first().waitFor({ timeout: 300_000 });
  await page.waitForTimeout(3000);
  await page.evaluate(`
    window.longest = 0;
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
    }).observe({ type: 'longtask' });
  `);
  await page.getByLabel('Search', { exact: true }).pressSequentially('norway example', { delay: 80 });
  await page.waitForTimeout(3000);
  const longest = await page.evaluate('longest');
  console.log(`typing: the longest task took ${longest === 0 ? 'less than 50' : Math.round(longest)} ms`);
} finally {
  await browser.close();
  close();
}
