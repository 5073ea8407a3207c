// How much the page moves while it loads: the cumulative layout shift of the list of 6, 437 and 10,000 issuers, and of the link
// to one of them, in windows of 390 and 1,280 pixels, with a processor that is 4 times slower, 1.6 Mbit/s and a latency of
// 150 ms. Good is below 0.1; we want at most 0.05. Needs Chromium.
//
// node bench/layout-shift.mjs [numbers of issuers, separated by commas] [widths] [what moved: yes]

import { issuers } from './corpus.mjs';
import { servePage, slowPage, startBrowser } from './slow-page.mjs';

const numbers = (text) => text.split(',').map(Number);
const COUNTS = numbers(process.argv[2] ?? '6,437,10000');
const WIDTHS = numbers(process.argv[3] ?? '390,1280');
const isTelling = process.argv[4] !== undefined;
/** How long nothing may come any more before the page counts as loaded. */
const QUIET_MS = 3000;

/** Records each shift without a reader's input, and what moved. */
const OBSERVE = `
  window.shifts = [];
  const nameOf = (node) => node?.nodeType === 1 ? node.tagName + '#' + node.id + '.' + node.className : String(node?.nodeName);
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, startTime, sources } of list.getEntries()) {
      if (hadRecentInput) continue;
      shifts.push({ value, at: Math.round(startTime), what: Array.from(sources, ({ node, previousRect, currentRect }) =>
        nameOf(node) + ' ' + Math.round(previousRect.y) + '>' + Math.round(currentRect.y)) });
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

/** Records of which most have names, and those that are not active a reason. */
const namedIssuers = (count) =>
  issuers(count).map((record, at) => ({
    ...record,
    ...(at % 5 !== 4 && { name: `Member ${at + 1} of the Association` }),
    ...(record.status !== 'active' && { status_reason: 'Its keys were stolen' }),
  }));

const browser = await startBrowser();

/** Opens a page on a slow phone, and returns its shifts once nothing comes any more. */
async function shiftsOf(address, width) {
  const page = await slowPage(browser, { viewport: { width, height: width < 800 ? 844 : 800 } });
  await page.addInitScript(OBSERVE);
  let last = performance.now();
  page.on('response', () => {
    last = performance.now();
  });
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator('.verification.good').waitFor({ timeout: 300_000 });
  while (performance.now() - last < QUIET_MS) await page.waitForTimeout(200);
  const shifts = await page.evaluate('shifts');
  await page.context().close();
  return shifts;
}

try {
  console.log('issuers  view    width  shift');
  for (const count of COUNTS) {
    const records = namedIssuers(count);
    const id = records[count >> 1].issuer_id;
    const { base, close } = await servePage(records);
    for (const [view, hash] of [
      ['list', ''],
      ['issuer', `#${new URLSearchParams({ issuer: id })}`],
    ]) {
      for (const width of WIDTHS) {
        const shifts = await shiftsOf(base + hash, width);
        const total = shifts.reduce((sum, { value }) => sum + value, 0);
        console.log(
          String(count).padStart(7),
          ` ${view.padEnd(6)}`,
          String(width).padStart(6),
          ` ${total.toFixed(3)}`,
        );
        if (isTelling)
          for (const { value, at, what } of shifts)
            console.log('        ', at, value.toFixed(4), what.join('; '));
      }
    }
    close();
  }
} finally {
  await browser.close();
}
