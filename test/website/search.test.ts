import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInChromium, open, verdict } from '../support/browser.js';
import { emptyHost } from '../support/index-page.js';
import { openVerified, publishedRecords } from '../support/page-verdict.js';
import { plainHost } from '../support/serving.js';
import { cli, workspace } from '../support/workspace.js';

/** More than the page without a script has in it. */
const ISSUERS = 1300;
const TIERS = ['founding', 'certified', 'registered', 'sandbox'] as const;
const STATUSES = ['active', 'suspended', 'revoked'] as const;

/** An issuer of the many. */
const numbered = (index: number) => ({
  id: `issuer-${String(index).padStart(4, '0')}`,
  tier: TIERS[(index * 7) % 4] ?? 'founding',
  status: STATUSES[index % 5] ?? 'active',
  certified_since: `2025-${String(((index * 5) % 12) + 1).padStart(2, '0')}-01T00:00:00Z`,
});
const MANY = Array.from({ length: ISSUERS }, (_one, index) => numbered(index));

const NAMED: Readonly<Record<string, Record<string, string>>> = {
  'aland-bank': { geographical_scope: '[AX]' },
  'balkan-bank': { geographical_scope: '[BA]', passport_types: '[human-proxy]' },
  'fjord-bank': { geographical_scope: '[NO, SE]', jwks_uri: 'https://keys.norsk.internal/jwks.json' },
  'golden-gate': { geographical_scope: '[US-CA]', contact: 'desk@golden.internal' },
  'ivory-bank': { geographical_scope: '[CI]', domain_scope: '[banking]' },
  'malmo-pay': { geographical_scope: '[SE-M]', contact: 'hej@malmo.internal' },
  'planet-labs': { geographical_scope: '[global]' },
};

let folder: string;
let base: string;

beforeAll(async () => {
  const many = MANY.map(({ id, ...fields }) => [id, fields]);
  folder = await publishedRecords({ ...Object.fromEntries(many), ...NAMED });
  base = await plainHost(join(folder, 'dist'), '404.html');
});

const ids = (page: Page) => page.locator('.issuers tbody th a').allTextContents();
const count = (page: Page) => page.locator('.count').textContent();

const opened = async (fragment = '') => (await openVerified(`${base}/${fragment}`)).page;

/** Makes each search stop and go on later as often as it can, as it does on a slow machine. */
const SLOW = 'performance.now = ((timeMs) => () => (timeMs += 1000))(0)';
const FAST = 'performance.now = () => 0';
const type = (text: string) => `
  document.querySelector('#search').value = ${JSON.stringify(text)};
  document.querySelector('#search').dispatchEvent(new Event('input', { bubbles: true }));`;

describeInChromium('the search among thousands of issuers, in Chromium', () => {
  it('finds by names, hosts, ids and places written out, as one types', async () => {
    const page = await opened();
    const search = page.getByLabel('Search');
    // Letter by letter. Each search begins anew, so the others are typed at once.
    await search.pressSequentially('norge');
    await expect.poll(() => ids(page)).toEqual(['fjord-bank', 'planet-labs']);
    for (const [text, expected] of [
      ['norwa', ['fjord-bank']],
      // An issuer for the whole world is for each country, too, as it is for a trust policy.
      ['norway', ['fjord-bank', 'planet-labs']],
      ['Norway', ['fjord-bank', 'planet-labs']],
      ['NORWAY fjord', ['fjord-bank']],
      ['sweden', ['fjord-bank', 'malmo-pay', 'planet-labs']],
      ['united states', ['golden-gate', 'planet-labs']],
      ['us-ca', ['golden-gate']],
      ['usa', ['golden-gate', 'planet-labs']],
      // A code is no part of other words, such as of `trusted` or `bank`.
      ['US', ['golden-gate', 'planet-labs']],
      ['ba', ['balkan-bank', 'planet-labs']],
      ['no labs', ['planet-labs']],
      ['ivory coast', ['ivory-bank', 'planet-labs']],
      // What people call their own country.
      ['norge', ['fjord-bank', 'planet-labs']],
      ['sverige', ['fjord-bank', 'malmo-pay', 'planet-labs']],
      ['worldwide', ['planet-labs']],
      ['Åland', ['aland-bank', 'planet-labs']],
      ['Åland Islands', ['aland-bank', 'planet-labs']],
      ['aland', ['aland-bank', 'planet-labs']],
      ['malmö', ['malmo-pay']],
      ['MALMÖ hej@', ['malmo-pay']],
      ["cote d'ivoire", ['ivory-bank', 'planet-labs']],
      ['Côte d’Ivoire banking', ['ivory-bank']],
      ['bosnia and herzegovina', ['balkan-bank', 'planet-labs']],
      ['Bosnia & Herzegovina', ['balkan-bank', 'planet-labs']],
      ['keys.norsk', ['fjord-bank']],
      ['issuer-0042', ['issuer-0042']],
      ['issuer-0042.internal', ['issuer-0042']],
      ['desk@golden', ['golden-gate']],
      ['human-proxy', ['balkan-bank']],
      ['norway human-proxy', []],
    ] as const) {
      await search.fill('');
      await search.fill(text);
      await expect.poll(async () => [text, await ids(page)]).toEqual([text, expected]);
      expect(await count(page)).toBe(`${expected.length} of 1,307 issuers.`);
    }
  });

  it('shows what the reader typed last, also while they type faster than a search runs', async () => {
    const page = await opened();
    await page.evaluate(SLOW);
    const search = page.getByLabel('Search');
    await search.pressSequentially('issuer-1299');
    await expect.poll(() => ids(page)).toEqual(['issuer-1299']);
    for (let letters = 2; letters > 0; letters--) await search.press('Backspace');
    await search.pressSequentially('0');
    await expect.poll(() => ids(page)).toEqual(MANY.slice(1200, 1210).map(({ id }) => id));
    expect(await search.inputValue()).toBe('issuer-120');
    expect(new URL(page.url()).hash).toBe('#q=issuer-120');
  });

  it('never shows the result of an older query after that of a newer one', async () => {
    const page = await opened();
    // The first search loads the names of countries. Until they are there, the count says so.
    await page.evaluate(type('sweden'));
    await expect.poll(() => ids(page)).toEqual(['fjord-bank', 'malmo-pay', 'planet-labs']);
    await page.evaluate(`
      globalThis.counts = [];
      new MutationObserver(([{ target }]) => counts.push(target.textContent))
        .observe(document.querySelector('.count'), { childList: true });`);
    await page.evaluate(`${SLOW}; ${type('issuer-1')}; ${FAST}; ${type('issuer-129')}`);
    await expect.poll(() => count(page)).toBe('10 of 1,307 issuers.');
    // As long as the first search, and begun later.
    await page.evaluate(`${SLOW}; ${type('norway')}`);
    await expect.poll(() => ids(page)).toEqual(['fjord-bank', 'planet-labs']);
    expect(await page.evaluate('counts')).toEqual(['10 of 1,307 issuers.', '2 of 1,307 issuers.']);
  });

  it('keeps the query from page to page, and begins a new one on its first page', async () => {
    const page = await opened('#q=issuer-12');
    const hash = () => new URL(page.url()).hash;
    await page.getByText('Page 1 of 4').waitFor();
    await page.getByRole('link', { name: 'Next →' }).click();
    await page.getByText('Page 2 of 4').waitFor();
    expect((await ids(page))[0]).toBe('issuer-1225');
    expect(hash()).toBe('#q=issuer-12&page=2');
    await page.getByLabel('Search').fill('issuer-1');
    await expect.poll(() => count(page)).toBe('300 of 1,307 issuers.');
    expect(hash()).toBe('#q=issuer-1');
  });

  it('names the places in the filter in words, in their order', async () => {
    const page = await opened();
    expect(await page.getByLabel('Place', { exact: true }).locator('option').allTextContents()).toEqual([
      ...['Any place', 'Åland Islands', 'Bosnia & Herzegovina', 'Côte d’Ivoire', 'Norway'],
      ...['SE-M (Sweden)', 'Sweden', 'US-CA (United States)', 'Worldwide'],
    ]);
    await page.getByLabel('Place', { exact: true }).selectOption({ label: 'Norway' });
    // An issuer for the whole world is for Norway, too, as it is for a trust policy.
    await expect.poll(() => ids(page)).toEqual(['fjord-bank', 'planet-labs']);
    expect(new URL(page.url()).hash).toBe('#geography=NO');
    await page.getByLabel('Search').fill('malmo');
    await expect.poll(() => count(page)).toBe('0 of 1,307 issuers.');
    expect(await page.locator('#view').innerText()).toContain('No matching issuers.');
    // The whole list is no answer to what it does not know.
    await page.goto(`${base}/#status=bogus&place=NO`);
    await page.getByText('does not know what the link asks for: status=bogus, place=NO.').waitFor();
    await page.goto(`${base}/#status=active`);
    await expect.poll(() => page.getByText('does not know').count()).toBe(0);
    expect(await count(page)).toBe('787 of 1,307 issuers.');
  });

  it('shows the issuers with similar ids if it finds none', async () => {
    const page = await opened();
    await page.getByLabel('Search').fill('fjord-bnak ');
    await page.getByText('No matching issuers.').waitFor();
    await page.getByText('Similar ids and names in the registry').waitFor();
    await page.locator('.near').getByRole('link', { name: 'fjord-bank' }).click();
    await page.getByText('This registry trusts the issuer.').waitFor();
    await page.goto(`${base}/#q=fjord-bank`);
    await page.locator('.issuers th a').click();
    await page.getByText('← All issuers').click();
    expect(new URL(page.url()).hash).toBe('#q=fjord-bank');
    await expect.poll(() => ids(page)).toEqual(['fjord-bank']);
    expect(await page.locator('.near').count()).toBe(0);
  });
});

describeInChromium('the search of a small registry, in Chromium', () => {
  it('with one issuer finds it, and has no pages', async () => {
    const small = await workspace(['alpha']);
    await cli(['build', '--key', 'key.pem'], small);
    const { page, wrong } = await open(await plainHost(join(small, 'dist'), '404.html'));
    await verdict(page);
    await expect.poll(async () => [await count(page), await ids(page)]).toEqual(['1 issuer.', ['alpha']]);
    expect(await page.getByRole('navigation', { name: 'Pages' }).count()).toBe(0);
    await page.getByLabel('Search').fill('beta');
    await expect.poll(() => count(page)).toBe('0 of 1 issuer.');
    await page.getByRole('link', { name: 'Show all' }).click();
    await expect.poll(() => ids(page)).toEqual(['alpha']);
    expect(wrong).toEqual([]);
  });

  it('without an issuer says so, whatever the reader searches', async () => {
    const { page, wrong } = await open(await emptyHost(join(folder, 'dist')));
    expect(await verdict(page)).toBe('Verified in your browser');
    await expect.poll(() => count(page)).toBe('0 issuers.');
    await page.getByText('The registry has no issuers.').waitFor();
    await page.getByLabel('Search').fill('beta');
    await expect.poll(() => new URL(page.url()).hash).toBe('#q=beta');
    expect(await page.locator('#view').innerText()).toContain('The registry has no issuers.');
    expect(await page.locator('.issuers, .totals li').count()).toBe(0);
    expect(wrong).toEqual([]);
  });
});
