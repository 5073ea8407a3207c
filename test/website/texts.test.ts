import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInChromium, open } from '../support/browser.js';
import { ORIGIN } from '../support/page-log.js';
import { ROOT } from '../support/paths.js';
import { plainHost } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { cli, recordText, workspace, writeFiles } from '../support/workspace.js';

const TEXTS = join(ROOT, 'website/src/texts.ts');

/** The script of the page with § for each letter of its words. */
async function foreignScript(): Promise<Buffer> {
  const groups = [...readFileSync(TEXTS, 'utf8').matchAll(/^export const (\w+) = [{(]/gm)];
  const contents = `
import * as english from ${JSON.stringify(TEXTS)};
const foreign = (words) => {
  if (typeof words === 'string') return words.replaceAll(/\\{\\w+\\}|\\p{L}/gu, (one) => (one.startsWith('{') ? one : '§'));
  if (typeof words === 'function') return (...values) => foreign(words(...values));
  return Object.fromEntries(Object.entries(words).map(([name, text]) => [name, foreign(text)]));
};
export const { LANGUAGE } = english;
${groups.map(([, name]) => `export const ${name} = foreign(english.${name});`).join('\n')}`;
  const { outputFiles } = await build({
    entryPoints: [join(ROOT, 'website/src/main.ts')],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2022',
    loader: { '.css': 'text' },
    plugins: [
      {
        name: 'foreign',
        setup({ onLoad, onResolve }) {
          onResolve({ filter: /\/texts\.js$/ }, () => ({ path: 'foreign', namespace: 'foreign' }));
          onLoad({ filter: /^/, namespace: 'foreign' }, () => ({ contents, resolveDir: ROOT }));
        },
      },
    ],
  });
  return Buffer.from(outputFiles[0]?.contents ?? '');
}

let base: string;
let broken: string;

beforeAll(async () => {
  const folder = await workspace([]);
  writeFiles(folder, {
    'issuers/alpha.yaml': recordText('alpha', {
      geographical_scope: '[NO]',
      last_audit: '2026-06-30T00:00:00Z',
      policy_uri: 'null',
    }),
    'issuers/beta.yaml': recordText('beta', { status: 'suspended', passport_types: '[ai-assistant]' }),
  });
  const { code } = await cli(['build', ...withKeys({ origin: ORIGIN })], folder);
  expect(code).toBe(0);
  const script = await foreignScript();
  const replaced: Readonly<Record<string, Buffer>> = { '/assets/registry.js': script };
  const host = (alter: (path: string, bytes: Buffer) => Buffer = (_path, bytes) => bytes) =>
    plainHost(join(folder, 'dist'), '404.html', (path, bytes) => replaced[path] ?? alter(path, bytes));
  base = await host();
  broken = await host((path, bytes) =>
    /\/(?:issuers\.json|lists\/.*)$/.test(path) ? bytes.subarray(1) : bytes,
  );
});

/** The texts of the page that contain letters, without the code, and without what the build wrote. */
async function lettersOf(page: Page): Promise<string[]> {
  const found = (await page.evaluate(`
    (() => {
      const texts = [];
      for (const part of document.querySelectorAll('#verification, #log, main')) {
        const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) if (!walker.currentNode.parentElement.closest('pre')) texts.push(walker.currentNode.data);
        for (const one of part.querySelectorAll('*'))
          for (const name of ['aria-label', 'placeholder', 'title', 'alt']) texts.push(one.getAttribute(name) ?? '');
      }
      return texts;
    })()`)) as string[];
  return [...new Set(found.filter((text) => /\p{L}/u.test(text)).map((text) => text.trim()))].sort();
}

/** What is data, or has the same name everywhere. */
const DATA = [
  /^(?:alpha|beta)(?:\.internal)?$|^https:\/\/(?:alpha|beta)\.internal\//,
  /^(?:founding|certified|registered|sandbox|ai-assistant)$/,
  /^(?:log|quorum|witnesses|changes\.json|issuers\/\w+)$/,
  /^registry\.example\/log$|^UTC$|^\(SHA-256\)$|^[0-9a-f]{64}$|^[\w-]{43}$/,
  /^Registry of agent passport issuers$/,
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.000)?Z$/,
  // Dates, ages and places.
  /^\d+ [A-Z][a-z]+ \d{4}(?:, \d\d:\d\d)?$|^Norway$/,
  /^\(?(?:now|in \d+ [a-z]+|\d+ [a-z]+ ago)\)?$/,
];

describeInChromium('the words of the page, in Chromium', () => {
  async function opened(address: string): Promise<Page> {
    const { page, wrong } = await open(address);
    await page.locator('.verification.good .facts, .verification.bad').first().waitFor({ state: 'attached' });
    expect(wrong.filter((one) => one.startsWith('error'))).toEqual([]);
    return page;
  }
  const left = async (page: Page) =>
    (await lettersOf(page)).filter((text) => !DATA.some((pattern) => pattern.test(text)));

  it.each<[string, string, (page: Page) => Promise<void>, string[]]>([
    ['the list', '', (page) => page.locator('.recent p').waitFor(), []],
    ['a search without a result', '#q=x', (page) => page.locator('.recent p').waitFor(), []],
    ['an issuer', '#issuer=alpha', (page) => page.locator('.issuer > .note').waitFor(), []],
    ['a suspended issuer', '#issuer=beta', (page) => page.locator('.issuer > .note').waitFor(), []],
    ['an unknown issuer', '#issuer=alphx', (page) => page.locator('.near').waitFor(), ['alphx']],
  ])('are all in one file: %s', async (_name, fragment, ready, expected) => {
    const page = await opened(`${base}/${fragment}`);
    await ready(page);
    expect(await left(page)).toEqual(expected);
  });

  it('are all in one file: a registry that is refused', async () => {
    const page = await opened(`${broken}/`);
    expect(await left(page)).toEqual([expect.stringMatching(/^: .*\.$/), 'ERR_PUBLICATION_MISMATCH']);
  });
});
