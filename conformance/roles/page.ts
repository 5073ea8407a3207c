import { importRootKey } from '@passport-registry/verifier';
import { type Browser, chromium, type Page } from 'playwright-core';
import { indexPage } from '../../generator/tree/site/pages.js';
import { websiteFile, websiteScripts } from '../../generator/tree/site/website-files.js';
import type { Case } from '../cases/case.js';
import type { Files } from '../cases/files.js';
import { golden } from '../cases/goldens.js';
import { ORIGIN } from '../cases/log.js';
import { accepted, refused, type Verdict } from './verdict.js';
import { answerOf, filesOf, type Source, sourceUrl } from './world.js';

/** Chromium on this machine. */
const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium-headless-shell';

/** The page of a registry in Chromium. One browser serves all cases. */
export class PageReader {
  readonly #browser: Promise<Browser>;

  constructor() {
    this.#browser = chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  }

  /** Opens the page of the first source of the first step. Returns what its badge says. */
  async see(one: Case): Promise<Verdict> {
    const [{ now, sources }] = one.steps;
    const [shown] = sources;
    const files = await withPage(one, filesOf(shown));
    const context = await (await this.#browser).newContext();
    try {
      const page = await context.newPage();
      await page.clock.setFixedTime(now);
      await page.addInitScript(WITHOUT_PAUSES);
      await serve(page, { files, answers: shown.answers ?? {} });
      await page.goto(`${sourceUrl(0)}/`);
      const badge = page.locator('.verification.good h2, .verification.bad h2');
      await badge.waitFor();
      const code = page.locator('.verification.bad [role=alert] code').first();
      if ((await page.locator('.verification.good').count()) === 0)
        return refused(await code.innerText(), null);
      return accepted(await page.locator('.issuers tbody tr').count());
    } finally {
      await context.close();
    }
  }

  async close(): Promise<void> {
    await (await this.#browser).close();
  }
}

/** A page asks again after less than a second. Deadlines stay. */
const WITHOUT_PAUSES = `{
  const { setTimeout } = globalThis;
  globalThis.setTimeout = (work, ms, ...rest) => setTimeout(work, ms < 1000 ? 0 : ms, ...rest);
}`;

async function serve(page: Page, source: Source): Promise<void> {
  await page.route('**/*', async (route) => {
    const url = route.request().url();
    const { pathname } = new URL(url);
    const asked = pathname === '/' ? new URL('/index.html', url).href : url;
    const { status, headers, body } = await answerOf(source, asked).catch(() => Response.error());
    if (status === 0) return route.abort();
    const type = TYPES[/\.(\w+)$/.exec(asked)?.[1] ?? ''];
    const bytes = body === null ? new ArrayBuffer(0) : await new Response(body).arrayBuffer();
    const sent = { ...Object.fromEntries(headers), ...(type && { 'content-type': type }) };
    return route.fulfill({ status, headers: sent, body: Buffer.from(bytes) });
  });
}

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html',
  js: 'text/javascript',
  css: 'text/css',
  svg: 'image/svg+xml',
};

/** Adds the page as the build of the golden tree would have written it. */
async function withPage({ anchor, steps }: Case, files: Files): Promise<Files> {
  const good = golden(steps[0].sources[0].base).files;
  const required = (['publication', 'checkpoint'] as const).filter((name) => good.has(`${name}.jwt`));
  const page = indexPage({
    list: { updatedAt: '2026-11-21T08:00:00Z', list: new Uint8Array(), records: new Map() },
    rootKey: await importRootKey(anchor.root),
    ...{ required, log: good.has('log/checkpoint') ? ORIGIN : undefined, development: false },
  });
  const assets = ['registry.css', 'icon.svg'].map((name) => [`assets/${name}`, websiteFile(name)] as const);
  const scripts = websiteScripts().map((name) => [`assets/${name}`, websiteFile(`assets/${name}`)] as const);
  return new Map([...files, ['index.html', new TextEncoder().encode(page)], ...assets, ...scripts]);
}
