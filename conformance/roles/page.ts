import { importRootKey, type TrustAnchor } from '@passport-registry/verifier';
import { type Browser, chromium, type Page } from 'playwright-core';
import { indexPage } from '../../generator/tree/site/pages.js';
import { websiteFile, websiteScripts } from '../../generator/tree/site/website-files.js';

/** Chromium on this machine. */
export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell';

/** What the page is shown. */
interface ShownPage {
  readonly anchor: TrustAnchor;
  /** The URL of the registry, without a final slash. */
  readonly source: string;
  readonly now: number;
}

export const launch = (...args: readonly string[]): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox', ...args] });

/** The page of a registry in Chromium. One browser serves all cases. */
export class PageReader {
  readonly #open: () => Promise<Browser>;
  #browser: Promise<Browser> | undefined;

  constructor(open = () => launch()) {
    this.#open = open;
  }

  /** Opens the page of a registry. Returns the code with which it refuses the list, or undefined. */
  async read({ anchor, source, now }: ShownPage): Promise<string | undefined> {
    this.#browser ??= this.#open();
    const context = await (await this.#browser).newContext();
    try {
      const page = await context.newPage();
      await page.clock.setFixedTime(now);
      await page.addInitScript(WITHOUT_PAUSES);
      await serve(page, source, await filesFor(anchor));
      await page.goto(`${source}/`);
      await page.locator('.verification.good h2, .verification.bad h2').waitFor();
      if ((await page.locator('.verification.good').count()) > 0) return undefined;
      return await page.locator('.verification.bad [role=alert] code').first().innerText();
    } finally {
      await context.close();
    }
  }

  async close(): Promise<void> {
    await (await this.#browser)?.close();
  }
}

/** A page asks again after less than a second. Deadlines stay. */
const WITHOUT_PAUSES = `{
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, ms < 1000 ? 0 : ms, ...rest);
}`;

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
};

/** Adds the files of the page to those that the source has. */
async function serve(page: Page, source: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  await page.route(`${source}/**`, (route) => {
    const path = new URL(route.request().url()).href.slice(source.length + 1) || 'index.html';
    const bytes = files.get(path);
    if (bytes === undefined) return route.continue();
    return route.fulfill({
      body: Buffer.from(bytes),
      contentType: TYPES[/\w+$/.exec(path)?.[0] ?? ''] ?? 'text/plain',
    });
  });
}

/** The page as a build would have written it for what the trust anchor demands. */
async function filesFor(anchor: TrustAnchor): Promise<ReadonlyMap<string, Uint8Array>> {
  const page = indexPage({
    list: {
      updatedAt: '2026-11-21T08:00:00Z',
      list: new TextEncoder().encode('{"issuers":[]}'),
      records: new Map(),
    },
    rootKey: await importRootKey(anchor.root),
    ...{ log: anchor.log, development: false },
  });
  const assets = ['registry.css', 'icon.svg'].map((name) => [`assets/${name}`, websiteFile(name)] as const);
  const scripts = websiteScripts().map((name) => [`assets/${name}`, websiteFile(`assets/${name}`)] as const);
  return new Map([['index.html', new TextEncoder().encode(page)], ...assets, ...scripts]);
}
