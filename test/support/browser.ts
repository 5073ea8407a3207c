import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core';
import { afterAll, afterEach, inject } from 'vitest';

let browser: Promise<Browser> | undefined;
/** The contexts of this file, by their options. */
const contexts = new Map<string, Promise<BrowserContext>>();
const pages: Page[] = [];
const clocks: BrowserContext[] = [];

// A page that is left open goes on checking its registry.
afterEach(async () => {
  const left = [...pages.splice(0), ...clocks.splice(0)];
  await Promise.all(left.map((one) => one.close()));
});

afterAll(async () => {
  await (await browser)?.close();
});

/** Connects to the one Chromium of this run of the tests, which starts when the first file asks for it. */
async function connect(): Promise<Browser> {
  const answer = await fetch(inject('browserService'));
  return chromium.connect(await answer.text());
}

/** A page in Chromium, with a record of its errors. */
export interface WatchedPage {
  readonly page: Page;
  /** Violations of the content security policy, script errors, dialogs, and requests to other origins. */
  readonly wrong: string[];
}

/** Creates a context, as of a new user. */
async function newContext(options: BrowserContextOptions): Promise<BrowserContext> {
  browser ??= connect();
  return (await browser).newContext({ reducedMotion: 'reduce', ...options });
}

/**
 * Creates a context in which one page stays open. With it, Chromium keeps the process of the pages, and need not start one
 * for each page, which takes more time than the test of a page.
 */
async function contextWithProcess(options: BrowserContextOptions): Promise<BrowserContext> {
  const context = await newContext(options);
  const page = await context.newPage();
  await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
  await page.goto('http://127.0.0.1/');
  return context;
}

/** Opens a URL in a new page, which closes after the test. Its clock is that of the machine: see {@link openWithClock}. */
export async function open(address: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  const key = JSON.stringify(options);
  const context = contexts.get(key) ?? contextWithProcess(options);
  contexts.set(key, context);
  const page = await (await context).newPage();
  pages.push(page);
  return watched(page, address);
}

/**
 * Opens a URL in a new window with a clock of its own, `page.clock`, so that minutes pass in no time.
 *
 * @param aheadMs - how far the clock is ahead of that of the machine
 */
export async function openWithClock(address: string, aheadMs = 0): Promise<WatchedPage> {
  // A clock is that of all pages of a context.
  const context = await newContext({});
  clocks.push(context);
  const page = await context.newPage();
  await page.clock.install(aheadMs === 0 ? {} : { time: Date.now() + aheadMs });
  return watched(page, address);
}

/** Goes to a URL, and records what goes wrong from then on. */
async function watched(page: Page, address: string): Promise<WatchedPage> {
  const wrong: string[] = [];
  page.on('pageerror', ({ message }) => wrong.push(`error: ${message}`));
  page.on('dialog', (dialog) => {
    wrong.push(`dialog: ${dialog.message()}`);
    dialog.dismiss().catch(() => undefined);
  });
  page.on('console', (message) => {
    // Chromium logs an error for each file that a host does not have, such as the checkpoint.
    if (message.type() === 'error' && !message.text().includes('404')) wrong.push(message.text());
  });
  const { origin } = new URL(address);
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== origin) wrong.push(`request to ${request.url()}`);
  });
  await page.exposeFunction('breach', (text: string) => wrong.push(text));
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => breach('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`,
  );
  await page.goto(address);
  return { page, wrong };
}

/** Opens what the page says of its verification, and returns it. */
export async function verification(page: Page): Promise<Locator> {
  const details = page.locator('.verification > details');
  await details.locator('.facts').first().waitFor({ state: 'attached' });
  if ((await details.getAttribute('open')) === null) await details.locator('summary.badge').click();
  return details.locator('.panel');
}

/** Waits until the page has verified the registry, or failed. Returns the heading that says so. */
export async function verdict(page: Page): Promise<string> {
  const heading = page.locator('.verification.good h2, .verification.bad h2');
  await heading.waitFor();
  return (await heading.textContent()) ?? '';
}

/** How the page shows an id from a link: characters without a shape of their own as their code points. */
export function visibleId(id: string): string {
  return id.replaceAll(/\p{C}/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}

const words = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** How the page shows a time to readers, such as `1 Jan 2026, 00:00 UTC`. */
export function timeInWords(time: string): string {
  return `${words.format(new Date(time))} UTC`;
}
