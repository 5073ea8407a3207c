import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { describeInChromium, openWithClock, shownLater, verdict, verification } from '../support/browser.js';
import { openVerified } from '../support/page-verdict.js';
import { serve } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { claimsOf, readTreeFile } from '../support/statements.js';
import { goodCli, recordText, workspace, writeFiles } from '../support/workspace.js';

let folder: string;
let base: string;

beforeEach(async () => {
  folder = await workspace(['alpha', 'beta']);
  writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma', { status: 'revoked' }) });
  await good('build', '--key', 'key.pem', ...withKeys({ checkpoint: 'key.pem' }));
  base = await serve(join(folder, 'dist'));
});

const good = (...args: string[]) => goodCli(args, folder);

const opened = (fragment = '') => openVerified(`${base}/${fragment}`);

describeInChromium('an issuer on hold, in Chromium', () => {
  it('is shown as stopped in the list, in its own view and among the verified facts', async () => {
    await good('hold', 'alpha', 'gamma', '--online-key', 'key.pem');
    const { page, wrong } = await opened();
    const rows = await page.locator('.issuers tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split(/\s*\t\s*/).slice(0, 2))).toEqual([
      ['alpha\nalpha.internal', 'on hold'],
      ['beta\nbeta.internal', 'trusted'],
      ['gamma\ngamma.internal', 'revoked'],
    ]);
    expect(await (await verification(page)).innerText()).toContain(
      'alpha, gamma: verifiers that read checkpoints treat these issuers as suspended',
    );
    const totals = await page.locator('.totals li').allInnerTexts();
    expect(totals).toEqual(['1 trusted', '1 on hold', '1 revoked']);
    // A revoked issuer is no longer on hold.
    expect(await page.locator('.recent .changes li').allInnerTexts()).toEqual(['Now: alpha: on hold']);
    const ids = () => page.locator('.issuers tbody th a').allInnerTexts();
    for (const [search, expected] of [
      ['hold', ['alpha']],
      ['active', ['beta']],
    ] as const) {
      await page.getByLabel('Search').fill(search);
      await expect.poll(ids).toEqual(expected);
    }
    await page.getByLabel('Search').fill('');
    await page.getByLabel('Status', { exact: true }).selectOption('trusted');
    expect(await page.locator('.issuers tbody th a').allInnerTexts()).toEqual(['beta']);
    await page.getByLabel('Status', { exact: true }).selectOption('suspended');
    await page.getByText('No matching issuers.').waitFor();
    await page.getByLabel('Status', { exact: true }).selectOption('on hold');
    expect(await ids()).toEqual(['alpha']);
    await page.locator('.issuers').getByRole('link', { name: 'alpha' }).click();
    const text = page.locator('.verdict');
    expect(await text.innerText()).toMatch(/\nThis issuer is on hold, as of .*\. Verifiers reject/);
    expect(await text.getAttribute('class')).toBe('verdict suspended');
    expect(await page.locator('.fields').first().innerText()).toMatch(/on hold\s+\(active in the record\)/);
    expect(await page.locator('.record pre code').textContent()).toContain('"status": "active"');
    expect(wrong).toEqual([]);
  });

  it('is shown by a page that was open before', async () => {
    const { page } = await openWithClock(`${base}/#issuer=alpha`);
    expect(await verdict(page)).toBe('Verified in your browser');
    await page.getByText('No changes of status or tier since').waitFor();
    await good('hold', 'alpha', '--online-key', 'key.pem');
    const { iat = 0 } = claimsOf(readTreeFile(join(folder, 'dist/checkpoint.jwt')));
    await shownLater(page, page.getByText('This issuer is on hold, as of'));
    const time = page.locator('.verdict p:not(.sentence) time');
    expect(await time.getAttribute('datetime')).toBe(new Date(iat * 1000).toISOString());
    expect(await page.locator('.changes').innerText()).toContain('Now: on hold');
  });

  it('is shown as revoked if the list has revoked it', async () => {
    await good('hold', 'gamma', '--online-key', 'key.pem');
    const { page } = await opened('#issuer=gamma');
    expect(await page.locator('.verdict').innerText()).toContain('This issuer is revoked');
  });

  it('is shown as active again after its release', async () => {
    await good('hold', 'alpha', '--online-key', 'key.pem');
    await good('hold', '--end', 'alpha', '--false-alarm', '--online-key', 'key.pem');
    const { page } = await opened('#issuer=alpha');
    expect(await page.locator('.verdict').innerText()).toContain('This registry trusts the issuer');
    expect(await (await verification(page)).innerText()).not.toContain('On hold');
  });
});
