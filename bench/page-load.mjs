// What a reader waits for on a slow machine and network: Chromium with a processor that is 4 times slower, 1.6 Mbit/s and
// a latency of 150 ms. Compares the first issuer of the list with one issuer that its link names. Then types a search, and
// reports for how long one task blocked the page. Needs Chromium.
//
// node bench/page-load.mjs [number of issuers]

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { compare } from './compare.mjs';
import { issuers } from './corpus.mjs';

const COUNT = Number(process.argv[2] ?? 10_000);
const PAIRS = Number(process.argv[3] ?? 3);
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 };
const TYPES = {
  json: 'application/json',
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
};

const folder = mkdtempSync(join(tmpdir(), 'page-load-'));
mkdirSync(join(folder, 'issuers'));
for (const record of issuers(COUNT)) {
  writeFileSync(join(folder, 'issuers', `${record.issuer_id}.yaml`), JSON.stringify(record));
}
const program = fileURLToPath(new URL('../build/cli/main.js', import.meta.url));
const cli = (...args) => execFileSync(process.execPath, [program, ...args], { cwd: folder, stdio: 'pipe' });
cli('keys', 'generate', '--no-passphrase', '--private', 'root.pem');
writeFileSync(join(folder, 'registry.yaml'), 'checkpoint: { signer: { key: root.pem } }\n');
cli('build', '--key', 'root.pem', '--allow-example-names');

const compressed = new Map();
const server = createServer(({ url }, response) => {
  const path = decodeURIComponent(url.split('?')[0]).slice(1) || 'index.html';
  let body;
  try {
    body = readFileSync(join(folder, 'dist', path));
  } catch {
    return response.writeHead(404).end();
  }
  const key = createHash('sha256').update(body).digest('hex');
  if (!compressed.has(key)) compressed.set(key, gzipSync(body));
  const type = TYPES[path.split('.').pop()] ?? 'application/json';
  response.writeHead(200, { 'Content-Type': type, 'Content-Encoding': 'gzip' }).end(compressed.get(key));
});
await new Promise((done) => server.listen(0, '127.0.0.1', done));
const base = `http://127.0.0.1:${server.address().port}/`;

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox'],
});

async function slowPage() {
  const context = await browser.newContext();
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  return page;
}

const seconds = { list: [], issuer: [] };
const opened = (name, hash, selector) => async () => {
  const page = await slowPage();
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

  const page = await slowPage();
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
  server.close().closeAllConnections();
  rmSync(folder, { recursive: true });
}
