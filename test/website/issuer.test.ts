import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { describeInChromium, open, verdict, verification } from '../support/browser.js';
import { openVerified, publishedRecords } from '../support/page-verdict.js';
import { plainHost } from '../support/serving.js';
import { withKeys } from '../support/settings.js';

const GOOD = 'Verified in your browser';
const AURORA = {
  tier: 'founding',
  geographical_scope: '[NO, SE]',
  domain_scope: '[banking, payments]',
  passport_types: '[ai-assistant]',
  certified_since: '2026-01-15T09:00:00Z',
  last_audit: '2026-06-30T00:00:00Z',
};

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

let dist: string;
let base: string;

beforeAll(async () => {
  const records = {
    aurora: AURORA,
    bare: { tier: 'sandbox', last_audit: 'null' },
    listed: { tier: 'registered', certified_since: daysAgo(50) },
    gone: { status: 'revoked' },
    early: { certified_since: '2999-01-01T00:00:00Z' },
    paused: { status: 'suspended' },
  };
  const folder = await publishedRecords(records, ...withKeys({ checkpoint: 'key.pem' }));
  dist = join(folder, 'dist');
  base = await plainHost(dist, '404.html');
});

async function opened(id: string) {
  const { page, wrong } = await openVerified(`${base}/#issuer=${id}`);
  await page.getByRole('heading', { name: id, exact: true }).waitFor();
  await page.locator('article.issuer').waitFor();
  return { page, wrong };
}

describeInChromium('the page of an issuer, in Chromium', () => {
  it('answers in the order of the questions: trust and why, what for, keys, changes', async () => {
    const { page, wrong } = await opened('aurora');
    const parts = `Array.from(document.querySelector('article.issuer').children, (part) =>
      part.matches('h3') ? part.textContent : part.className)`;
    await page.locator('.issuer > .note').waitFor();
    expect(await page.evaluate(parts)).toEqual([
      ...['id', 'back', 'verdict active', 'fields'],
      ...['What its passports are for', 'fields'],
      ...['Where its keys are', 'fields'],
      ...['Changes', 'note', 'record'],
    ]);
    const labels = await page.locator('article .fields dt').allTextContents();
    expect(labels.slice(0, 3)).toEqual(['Status', 'Trusted since', 'Last audit']);
    expect(wrong).toEqual([]);
  });

  it('says its tier, and since when it is trusted, in words, with the exact times', async () => {
    const { page } = await opened('aurora');
    expect(await page.locator('.verdict .tier').textContent()).toBe(
      'founding: A founding member of the registry, which the operator has examined.',
    );
    const times = page.locator('article .fields').first().locator('time');
    expect(await times.allTextContents()).toEqual(['15 January 2026', '30 June 2026']);
    const exact = [AURORA.certified_since, AURORA.last_audit];
    for (const [index, time] of exact.entries()) {
      expect(await times.nth(index).getAttribute('datetime')).toBe(time);
      expect(await times.nth(index).getAttribute('title')).toBe(time);
    }
    await page.goto(`${base}/#issuer=bare`);
    await page.getByText('sandbox: For tests only: accept its passports only in a test.').waitFor();
    const fields = await page.locator('article .fields').first().innerText();
    expect(fields).toMatch(/Last audit\s+none$/);
  });

  it('is green only for an issuer that the operator has examined', async () => {
    const { page } = await opened('aurora');
    for (const [id, look, words] of [
      ['aurora', 'verdict active', 'This registry trusts the issuer. Your own policy decides'],
      [
        'listed',
        'verdict ',
        'This registry lists the issuer, but has not examined it. Your own policy decides',
      ],
      ['bare', 'verdict suspended', 'This issuer is for tests only.'],
      ['paused', 'verdict suspended', 'This issuer is suspended. A verifier that has this list rejects'],
      ['gone', 'verdict revoked', 'This issuer is revoked for good.'],
      ['early', 'verdict suspended', 'accept it already.'],
    ] as const) {
      await page.goto(`${base}/#issuer=${id}`);
      await page.getByRole('heading', { name: id, exact: true }).waitFor();
      const verdict = page.locator('.verdict');
      expect([await verdict.getAttribute('class'), await verdict.innerText()]).toEqual([
        look,
        expect.stringContaining(words),
      ]);
      // The meaning of a tier would recommend an issuer that is stopped.
      const isStopped = id === 'paused' || id === 'gone';
      expect(await verdict.locator('.tier').count()).toBe(isStopped ? 0 : 1);
    }
  });

  it('is green in no row for an issuer that is for tests, or that is not trusted yet', async () => {
    const { page } = await open(base);
    expect(await verdict(page)).toBe(GOOD);
    const look = async (id: string) => {
      const row = page.locator('tbody tr', { has: page.getByRole('link', { name: id, exact: true }) });
      return [await row.locator('.status').getAttribute('class'), await row.locator('.date').innerText()];
    };
    expect(await look('aurora')).toEqual(['status active', '15 January 2026']);
    expect((await look('bare'))[0]).toBe('status ');
    expect(await look('early')).toEqual(['status ', 'Trusted from\n1 January 2999']);
    for (const [id, label] of [
      ['aurora', 'Trusted since'],
      ['early', 'Trusted from'],
      ['gone', 'Was trusted from'],
      ['listed', 'Listed since'],
      ['bare', 'Listed since'],
    ] as const) {
      await page.goto(`${base}/#issuer=${id}`);
      await page.getByRole('heading', { name: id, exact: true }).waitFor();
      expect(await page.locator('article .fields dt').allTextContents()).toContain(label);
      // Not "last month", which is a month of the calendar.
      if (id === 'listed') await page.locator('.fields').getByText('(50 days ago)').waitFor();
    }
  });
});

describeInChromium('a part of the page that the host does not send', () => {
  it('is missed in words, with a way to load the page again, and the list is still there', async () => {
    const index = readFileSync(join(dist, 'index.html'), 'utf8');
    let isGone = true;
    const host = await plainHost(dist, '404.html', (path, bytes) =>
      isGone && /\/parts\/[^/]+\.js$/.test(path) && !index.includes(path.slice(1)) ? undefined : bytes,
    );
    const { page, wrong } = await openVerified(`${host}/#issuer=aurora`);
    const missed = 'This part could not be loaded. The host may have a newer page. Reload';
    expect(await page.getByRole('alert').textContent()).toBe(missed);
    expect(await page.locator('.issuer').count()).toBe(0);
    const badge = page.locator('.verification > details');
    await badge.locator('summary').click();
    await expect.poll(() => badge.locator('.panel').innerText()).toBe(missed);
    await page.getByRole('link', { name: 'Issuers', exact: true }).click();
    await page.getByLabel('Search').fill('norway');
    await expect.poll(() => page.locator('main').innerText()).toContain(missed);
    expect(await page.locator('.issuers').count()).toBe(0);
    await page.getByRole('button', { name: 'Clear' }).click();
    await page.locator('.issuers tbody th a').getByText('aurora').click();
    await expect.poll(() => page.locator('main').innerText()).toContain(missed);
    expect(wrong.filter((one) => !one.includes('MIME'))).toEqual([]);
    isGone = false;
    await page.locator('main').getByRole('button', { name: 'Reload' }).click();
    await page.getByText('This registry trusts the issuer.').waitFor();
    expect(await (await verification(page)).innerText()).toContain('Root key');
  });
});
