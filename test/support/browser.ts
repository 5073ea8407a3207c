import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core';
import { beforeAll, expect, inject } from 'vitest';
import { describeUnless } from './components.js';
import { afterEachFile, afterEachTest } from './endings.js';

let browser: Promise<Browser> | undefined;
/** The contexts of this file, by their options, and the pages in them that no test uses now. */
const contexts = new Map<string, { readonly context: Promise<BrowserContext>; readonly idle: Page[] }>();
/** The context whose pages have a clock of their own. */
const CLOCK = 'clock';
/** Ends the use of a page by the test. */
const endings: (() => Promise<unknown>)[] = [];

// A page that is left open goes on checking its registry.
afterEachTest(async () => {
  await Promise.all(endings.splice(0).map((end) => end()));
});

afterEachFile(async () => {
  const connection = browser;
  browser = undefined;
  contexts.clear();
  await (await connection)?.close();
});

/** The URL of the one Chromium of this run. Only in a suite that says that it needs Chromium, it is known. */
let service: string | undefined;

/** Defines a suite that needs Chromium. If there is none for this machine, the suite is skipped. */
export function describeInChromium(name: string, suite: () => void): void {
  const provided = inject('browserService');
  describeUnless(provided === undefined, 'Chromium is not installed', name, () => {
    beforeAll(() => {
      service = provided;
      return () => {
        service = undefined;
      };
    });
    suite();
  });
}

/** Connects to the one Chromium of this run of the tests, which starts when the first file asks for it. */
export async function connect(): Promise<Browser> {
  if (service === undefined) throw new Error('no Chromium: define the suite with describeInChromium');
  const answer = await fetch(service);
  if (!answer.ok) throw new Error(await answer.text());
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

/** The requests of a page to which no host has answered yet. */
const unanswered = new WeakMap<Page, Set<Request>>();

/** Where a page records what goes wrong: in the list of the test that uses it. */
const records = new WeakMap<Page, string[]>();

/** Creates a page that reports violations of its policy. */
async function newPage(context: BrowserContext): Promise<Page> {
  const page = await context.newPage();
  await page.exposeFunction('breach', (text: string) => records.get(page)?.push(text));
  await page.addInitScript(
    `addEventListener('securitypolicyviolation', (event) => breach('policy: ' + event.violatedDirective + ' ' + event.blockedURI))`,
  );
  return page;
}

/**
 * Opens a URL in an empty page. Its clock is that of the machine: see {@link openWithClock}. After the test, the page is
 * emptied for the next one, because a new page takes Chromium more time than most tests.
 */
export async function open(address: string, options: BrowserContextOptions = {}): Promise<WatchedPage> {
  return watched(await emptyPage(JSON.stringify(options), options), address);
}

/** Returns a page of a context that no test uses now. */
async function emptyPage(key: string, options: BrowserContextOptions): Promise<Page> {
  const { context, idle } = contexts.get(key) ?? { context: newContext(options), idle: [] };
  contexts.set(key, { context, idle });
  const page = idle.pop() ?? (await newPage(await context));
  const viewport = page.viewportSize();
  endings.push(async () => {
    for (const event of EVENTS) page.removeAllListeners(event);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await page.goto('about:blank');
    const isResized = page.viewportSize()?.width !== viewport?.width;
    if (viewport !== null && isResized) await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme: null, media: null });
    idle.push(page);
  });
  return page;
}

/**
 * Opens a URL in an empty page with a clock of its own, `page.clock`, so that minutes pass in no time.
 *
 * @param aheadMs - how far the clock is ahead of that of the machine
 */
export async function openWithClock(address: string, aheadMs = 0): Promise<WatchedPage> {
  // A clock is that of all pages of a context, and stays installed.
  const isInstalled = contexts.has(CLOCK);
  const page = await emptyPage(CLOCK, {});
  const time = Date.now() + aheadMs;
  await (isInstalled ? page.clock.setSystemTime(time) : page.clock.install({ time }));
  return watched(page, address);
}

/** What a test hears of its page. */
const EVENTS = ['pageerror', 'dialog', 'console', 'request', 'requestfinished', 'requestfailed'];

/** Goes to a URL, and records what goes wrong from then on. */
async function watched(page: Page, address: string): Promise<WatchedPage> {
  const wrong: string[] = [];
  records.set(page, wrong);
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
  const waiting = new Set<Request>();
  unanswered.set(page, waiting);
  page.on('requestfinished', (request) => waiting.delete(request));
  page.on('requestfailed', (request) => waiting.delete(request));
  page.on('request', (request) => {
    waiting.add(request);
    if (new URL(request.url()).origin !== origin) wrong.push(`request to ${request.url()}`);
  });
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

/** A page begins its next refresh later than this after the one before. */
const BEFORE_REFRESH_MS = 45_000;

/**
 * Lets the clock of a page go on until the page shows something, as after its next refresh. The clock stands still while a
 * host has not answered, so that no deadline passes only because the machine is busy.
 */
export async function shownLater(page: Page, what: Locator): Promise<void> {
  const isAnswered = () => unanswered.get(page)?.size === 0;
  await expect.poll(isAnswered, { timeout: 120_000 }).toBe(true);
  await page.clock.runFor(BEFORE_REFRESH_MS);
  await expect
    .poll(
      async () => {
        if (isAnswered()) await page.clock.runFor(1000);
        return what.first().isVisible();
      },
      { interval: 20, timeout: 120_000 },
    )
    .toBe(true);
}
