import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { commandsIn } from './command-line.mjs';

const NETWORK = { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 200_000 };
const TYPES = { html: 'text/html', js: 'text/javascript', css: 'text/css', svg: 'image/svg+xml' };

/** Publishes a registry with these records, and serves it on this machine, compressed. */
export async function servePage(records) {
  const folder = mkdtempSync(join(tmpdir(), 'slow-page-'));
  mkdirSync(join(folder, 'issuers'));
  for (const record of records)
    writeFileSync(join(folder, 'issuers', `${record.issuer_id}.yaml`), JSON.stringify(record));
  const passportRegistry = commandsIn(folder);
  passportRegistry('keys', 'generate', '--no-passphrase', '--private', 'root.pem');
  writeFileSync(join(folder, 'registry.yaml'), 'checkpoint: { signer: { key: root.pem } }\n');
  passportRegistry('build', '--key', 'root.pem', '--allow-example-names');
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
  return {
    base: `http://127.0.0.1:${server.address().port}/`,
    close: () => {
      server.close().closeAllConnections();
      rmSync(folder, { recursive: true });
    },
  };
}

export const startBrowser = () =>
  chromium.launch({ executablePath: '/usr/bin/chromium-headless-shell', args: ['--no-sandbox'] });

/** Opens an empty page with a processor that is 4 times slower, 1.6 Mbit/s and a latency of 150 ms. */
export async function slowPage(browser, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', NETWORK);
  await session.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  return page;
}
