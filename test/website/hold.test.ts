import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { open, verdict, verification } from '../support/browser.js';
import { describeWith } from '../support/components.js';
import { serve } from '../support/serving.js';
import { cli, recordText, workspace, writeFiles } from '../support/workspace.js';

let folder: string;
let base: string;

beforeEach(async () => {
  folder = await workspace(['alpha', 'beta']);
  writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma', { status: 'revoked' }) });
  await good('build', '--key', 'key.pem', '--checkpoint-key', 'key.pem');
  base = await serve(join(folder, 'dist'));
});

async function good(...args: string[]): Promise<void> {
  const { code, stderr } = await cli(args, folder);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
}

async function opened(fragment = '') {
  const { page, wrong } = await open(`${base}/${fragment}`);
  expect(await verdict(page)).toBe('Verified in your browser');
  return { page, wrong };
}

describeWith(['chromium'], 'an issuer on hold, in Chromium', () => {
  it('is shown as stopped in the list, in its own view and among the verified facts', async () => {
    await good('hold', 'alpha', 'gamma', '--key', 'key.pem');
    const { page, wrong } = await opened();
    const rows = await page.locator('.issuers tbody tr').allInnerTexts();
    expect(rows.map((row) => row.split(/\s*\t\s*/).slice(0, 2))).toEqual([
      ['alpha\nalpha.alt', 'on hold'],
      ['beta\nbeta.alt', 'active'],
      ['gamma\ngamma.alt', 'revoked'],
    ]);
    expect(await (await verification(page)).innerText()).toContain(
      'alpha, gamma: verifiers treat these issuers as suspended',
    );
    const totals = await page.locator('.totals li').allInnerTexts();
    expect(totals).toEqual(['1 active', '1 suspended', '1 revoked', '3 certified']);
    await page.getByLabel('Status', { exact: true }).selectOption('active');
    expect(await page.locator('.issuers tbody th a').allInnerTexts()).toEqual(['beta']);
    await page.getByLabel('Status', { exact: true }).selectOption('suspended');
    await page.getByRole('link', { name: 'alpha' }).click();
    const text = page.locator('.verdict');
    expect(await text.innerText()).toMatch(
      /^This issuer is on hold, as of the checkpoint of .*\. It is treated as suspended: every verifier rejects/,
    );
    expect(await text.getAttribute('class')).toBe('verdict suspended');
    expect(await page.locator('.fields').first().innerText()).toMatch(/on hold\s+\(active in the record\)/);
    expect(await page.locator('.record pre code').textContent()).toContain('"status": "active"');
    expect(wrong).toEqual([]);
  });

  it('is shown as revoked if the list has revoked it', async () => {
    await good('hold', 'gamma', '--key', 'key.pem');
    const { page } = await opened('#issuer=gamma');
    expect(await page.locator('.verdict').innerText()).toContain('This issuer is revoked');
  });

  it('is shown as active again after its release', async () => {
    await good('hold', 'alpha', '--key', 'key.pem');
    await good('release', 'alpha', '--false-alarm', '--key', 'key.pem');
    const { page } = await opened('#issuer=alpha');
    expect(await page.locator('.verdict').innerText()).toContain('This issuer is recognised');
    expect(await (await verification(page)).innerText()).not.toContain('On hold');
  });
});
