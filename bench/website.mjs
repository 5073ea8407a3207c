// The time from navigation to a list of 10,000 issuers that responds to a search. Compared with the same page without
// verification. Each measurement uses a new window with an empty cache. Needs Chromium.

import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
import { indexPage } from '../build/generator/tree/site/pages.js';
import { compare } from './compare.mjs';
import { issuers, signedList } from './corpus.mjs';
import { unverifiedScript } from './unverified-script.mjs';

const PAIRS = 15;

const all = issuers(10_000);
const { rootKey, bytes, signature } = await signedList(all);
const built = new URL('../build/website/', import.meta.url);
const asset = (name) => readFileSync(new URL(name, built));
const list = {
  list: bytes,
  updatedAt: '2026-11-21T08:00:00Z',
  records: new Map(all.map((one) => [one.issuer_id, one])),
};
const files = {
  '/': ['text/html', indexPage({ list, rootKey, development: false })],
  '/issuers.json': ['application/json', bytes],
  '/issuers.sig': ['text/plain', signature],
  '/keys/root.json': ['application/json', JSON.stringify(rootKey.jwk)],
  '/assets/registry.css': ['text/css', asset('registry.css')],
  '/assets/icon.svg': ['image/svg+xml', asset('icon.svg')],
};

/** Returns the scripts of the page as it is published, by path. */
function publishedScripts() {
  const all = readdirSync(new URL('assets/', built), { recursive: true, encoding: 'utf8' });
  const names = all.filter((name) => name.endsWith('.js'));
  return Object.fromEntries(names.map((name) => [`/assets/${name}`, asset(`assets/${name}`)]));
}

async function host(scripts) {
  const server = createServer(({ url }, response) => {
    const [type, body] = url in scripts ? ['text/javascript', scripts[url]] : (files[url] ?? []);
    response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': type ?? 'text/plain' }).end(body);
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    address: `http://127.0.0.1:${server.address().port}/`,
    close: () => server.close().closeAllConnections(),
  };
}

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium-headless-shell',
  args: ['--no-sandbox'],
});
const hosts = [
  await host(publishedScripts()),
  await host({ '/assets/registry.js': await unverifiedScript() }),
];
// Windows are opened before the measurement, because opening a window takes as long as loading the page.
const windows = await Promise.all(Array.from({ length: 2 * (PAIRS + 1) }, () => browser.newContext()));
const pages = await Promise.all(windows.map((window) => window.newPage()));
const [verified, unverified] = hosts.map(({ address }) => async () => {
  const page = pages.pop();
  await page.goto(address);
  await page.locator('.issuers tbody tr').first().waitFor();
  // The page is ready when a search finds an issuer.
  await page.getByLabel('Search', { exact: true }).fill('issuer-009999');
  await page.getByText('1 of 10,000 issuers.').waitFor();
  await page.close();
});
try {
  const name = 'from a click to a list of 10,000 that answers, to one that is not verified';
  await compare(name, verified, unverified, PAIRS);
} finally {
  await browser.close();
  for (const { close } of hosts) close();
}
