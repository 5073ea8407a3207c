// The page of 10,000 issuers on a slow phone: Chromium with a processor that is 4 times slower, 1.6 Mbit/s and a latency of
// 150 ms. How long a reader waits for the answer to a link to one issuer, and how many bytes the page has. Needs Chromium.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { CLI, count, isQuick, node, report, start } from './compare.mjs';
import { BUILD, issuers, makeWorkspace } from './corpus.mjs';

const executablePath = '/usr/bin/chromium-headless-shell';
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 };
const size = isQuick ? 10 : 10_000;

if (!existsSync(executablePath)) console.error('page: chromium-headless-shell is not installed');
else await measure();

async function measure() {
  const folder = makeWorkspace(issuers(size));
  node(folder, ...BUILD);
  const url = await start(folder, process.execPath, CLI, 'serve', '--port', '0');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    await waits(browser, url);
    const dist = join(folder, 'dist');
    const index = readFileSync(join(dist, 'index.html'), 'utf8');
    const linked = [...index.matchAll(/(?:src|href)="(assets\/[^"]+)"/g)].map(([, name]) => name);
    const first = ['index.html', ...linked];
    const parts = readdirSync(join(dist, 'assets/parts')).map((name) => `assets/parts/${name}`);
    const kilobytes = (names) =>
      [...new Set(names)].reduce(
        (sum, name) => sum + gzipSync(readFileSync(join(dist, name))).length / 1000,
        0,
      );
    report('kilobytes of the page, gzip, first load', [kilobytes(first)]);
    report('kilobytes of the page, gzip, all parts', [kilobytes([...first, ...parts])]);
  } finally {
    await browser.close();
  }
}

/** Reports how long some readers wait, each with an empty cache. */
async function waits(browser, url) {
  const seconds = [];
  for (let reader = 0; reader < (isQuick ? 1 : 7); reader++) {
    const context = await browser.newContext();
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', NETWORK);
    await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
    const started = performance.now();
    await page.goto(`${url}/#issuer=${issuers(size)[size >> 1].issuer_id}`, { waitUntil: 'commit' });
    await page.locator('.verdict').or(page.locator('.verification.bad')).first().waitFor();
    seconds.push((performance.now() - started) / 1000);
    await context.close();
  }
  report(`seconds to an answer to one id, ${count(size)} issuers, slow phone`, seconds);
}
