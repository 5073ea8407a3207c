// How much the page moves while it loads: the cumulative layout shift of the list of 6, 437 and 10,000 issuers, and of the link
// to one of them, in windows of 390 and 1,280 pixels, with a processor that is 4 times slower, 1.6 Mbit/s and a latency of
// 150 ms. Good is below 0.1; we want at most 0.05. Needs Chromium.
//
// node bench/layout-shift.mjs [numbers of issuers, separated by commas] [widths] [what moved: yes]

import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { issuers } from './corpus.mjs';

const numbers = (text) => text.split(',').map(Number);
const COUNTS = numbers(process.argv[2] ?? '6,437,10000');
const WIDTHS = numbers(process.argv[3] ?? '390,1280');
const isTelling = process.argv[4] !== undefined;
const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 };
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };
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

const program = fileURLToPath(new URL('../build/cli/main.js', import.meta.url));

/** Publishes a registry in which most issuers have names, and a revoked one has a reason. */
function publish(count) {
  const folder = mkdtempSync(join(tmpdir(), 'layout-shift-'));
  mkdirSync(join(folder, 'issuers'));
  const records = issuers(count);
  for (const [at, record] of records.entries()) {
    const name = at % 5 === 4 ? {} : { name: `Member ${at + 1} of the Association` };
    const reason = record.status === 'active' ? {} : { status_reason: 'Its keys were stolen' };
    const text = JSON.stringify({ ...record, ...name, ...reason });
    writeFileSync(join(folder, 'issuers', `${record.issuer_id}.yaml`), text);
  }
  const cli = (...args) => execFileSync(process.execPath, [program, ...args], { cwd: folder, stdio: 'pipe' });
  cli('keys', 'generate', '--no-passphrase', '--private', 'root.pem');
  writeFileSync(join(folder, 'registry.yaml'), 'checkpoint: { signer: { key: root.pem } }\n');
  cli('build', '--key', 'root.pem', '--allow-example-names');
  return { folder, id: records[count >> 1].issuer_id };
}

async function serve(folder) {
  const compressed = new Map();
  const server = createServer(({ url }, response) => {
    const path = decodeURIComponent(url.split('?')[0]).slice(1) || 'index.html';
    try {
      if (!compressed.has(path)) compressed.set(path, gzipSync(readFileSync(join(folder, 'dist', path))));
    } catch {
      return response.writeHead(404).end();
    }
    const type = TYPES[path.split('.').pop()] ?? 'application/json';
    response.writeHead(200, { 'Content-Type': type, 'Content-Encoding': 'gzip' }).end(compressed.get(path));
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox'],
});

/** Opens a page on a slow phone, and returns its shifts once nothing comes any more. */
async function shiftsOf(address, width) {
  const context = await browser.newContext({ viewport: { width, height: width < 800 ? 844 : 800 } });
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  await page.addInitScript(OBSERVE);
  let last = performance.now();
  page.on('response', () => {
    last = performance.now();
  });
  await page.goto(address, { waitUntil: 'commit' });
  await page.locator('.verification.good').waitFor({ timeout: 300_000 });
  while (performance.now() - last < QUIET_MS) await page.waitForTimeout(200);
  const shifts = await page.evaluate('shifts');
  await context.close();
  return shifts;
}

try {
  console.log('issuers  view    width  shift');
  for (const count of COUNTS) {
    const { folder, id } = publish(count);
    const server = await serve(folder);
    const base = `http://127.0.0.1:${server.address().port}/`;
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
    server.close().closeAllConnections();
    rmSync(folder, { recursive: true });
  }
} finally {
  await browser.close();
}
