import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type BrowserServer, chromium } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { findChromium, hasChromium } from './chromium.js';

declare module 'vitest' {
  interface ProvidedContext {
    /** The URL that answers with the address of the one Chromium of this run. Undefined if there is no Chromium. */
    readonly browserService: string | undefined;
  }
}

/** A process that imitates a graphics card takes a tenth of the processor time of all pages. */
const DRAWS_WITHOUT_GPU = ['--disable-gpu', '--in-process-gpu', '--disable-software-rasterizer'];

/**
 * A frame of its own for each document takes a sixth of the time of a page load. The others are what Playwright, whose list
 * this replaces, disables for pages over HTTP.
 */
const WITHOUT = ['RenderDocument', 'PaintHolding', 'HttpsUpgrades', 'HttpsFirstBalancedModeAutoEnable'];

/** A page lives for a second or two: threads that collect its garbage beside it take a tenth of the time. */
const COLLECTS_ALONE = '--js-flags=--single-threaded-gc';

/** Starts one Chromium for all files, when the first of them asks for it. Tests have separate contexts in it. */
export default async function browserService(project: TestProject): Promise<() => Promise<void>> {
  let browser: Promise<BrowserServer> | undefined;
  const service = createServer((_request, response) => {
    browser ??= start(join(project.getProvidedContext().runFolder, 'chromium'));
    browser.then(
      (started) => response.end(started.wsEndpoint()),
      (cause: Error) => response.writeHead(500).end(cause.message),
    );
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const { port } = service.address() as AddressInfo;
  project.provide('browserService', hasChromium ? `http://127.0.0.1:${port}` : undefined);
  return async () => {
    service.close().closeAllConnections();
    await (await browser?.catch(() => undefined))?.close();
  };
}

async function start(folder: string): Promise<BrowserServer> {
  return chromium.launchServer({
    ...(await findChromium(folder)),
    args: [
      ...['--no-sandbox', '--process-per-site', `--disable-features=${WITHOUT.join()}`],
      ...DRAWS_WITHOUT_GPU,
      COLLECTS_ALONE,
    ],
  });
}
