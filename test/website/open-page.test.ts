import { createHash } from 'node:crypto';
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { flipped } from '../support/altered.js';
import {
  describeInChromium,
  open,
  openWithClock,
  shownLater,
  verdict,
  verification,
} from '../support/browser.js';
import { expectRefused, forged, GOOD, published, statementChanged } from '../support/page-verdict.js';
import { plainHost, serve, slowHost } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { timeFromNow } from '../support/times.js';
import { cli, goodCli, recordText, workspace, writeFiles } from '../support/workspace.js';

let ed25519: string;

afterEach(() => void vi.useRealTimers());

beforeAll(async () => {
  ed25519 = await published('Ed25519', ...withKeys({ checkpoint: 'root.pem' }));
});

/** The option for a list of some hours ago. */
const listed = (hours: number) => ['--updated-at', timeFromNow(-3600 * hours)];

describeInChromium('a page before its list is there', () => {
  it('shows an issuer that is proven before the list is there, and then what the list says', async () => {
    const { base, release } = await slowHost(join(ed25519, 'dist'));
    const { page, wrong } = await open(`${base}/#issuer=alpha`);
    await page.getByRole('heading', { name: 'Issuer verified in your browser' }).waitFor();
    const box = await (await verification(page)).innerText();
    expect(box).toContain('The whole list is still loading.');
    const { kid } = JSON.parse(readFileSync(join(ed25519, 'dist/keys/root.json'), 'utf8'));
    const list = readFileSync(join(ed25519, 'dist/issuers.json'));
    expect(box).toContain(kid);
    expect(box).toContain(createHash('sha256').update(list).digest('hex'));
    expect(box).toContain('says that this list is the newest');
    const main = page.locator('main');
    expect(await main.innerText()).toContain('This registry trusts the issuer.');
    expect(await main.locator('.record pre').textContent()).toContain('"issuer_id": "alpha"');
    expect(await page.title()).toMatch(/^alpha: /);
    // The reader need not wait for the list to go on.
    await page.goto(`${base}/#issuer=gamma`);
    await page.getByRole('heading', { name: 'Absence verified in your browser' }).waitFor();
    expect(await main.innerText()).toContain('gamma is not in this registry.');
    await page.goto(`${base}/#`);
    await page.locator('.verification.checking').waitFor();
    expect(await main.innerText()).not.toMatch(/alpha|beta|gamma/);
    await page.goto(`${base}/#issuer=beta.example`);
    await main.getByText('This registry trusts the issuer.').waitFor();
    release();
    expect(await verdict(page)).toBe(GOOD);
    await expect
      .poll(() => main.locator('.record').textContent())
      .toContain('This is the record in the signed list.');
    expect(wrong).toEqual([]);
  });

  it.each([
    ['is refused if it goes on', false],
    ['is asked for the newer list', true],
  ])('after a look-up, a host that sends an older list %s', async (_what, isHonest) => {
    // Both checkpoints are of the same second: the lists alone have an order.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() });
    const folder = await published('Ed25519', ...listed(2), ...withKeys({ checkpoint: 'root.pem' }));
    const old = join(folder, 'old');
    cpSync(join(folder, 'dist'), old, { recursive: true });
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'revoked' }) });
    const checkpoint = withKeys({ checkpoint: 'root.pem' });
    await cli(['build', '--key', 'root.pem', ...listed(1), ...checkpoint], folder);
    vi.useRealTimers();
    const asked = new Map<string, number>();
    let isReleased = false;
    const { base, release } = await slowHost(join(folder, 'dist'), (path, bytes) => {
      const times = (asked.get(path) ?? 0) + 1;
      asked.set(path, times);
      if (!/\/(?:issuers|statements)\.json$/.test(path)) return bytes;
      // The list asks first, and the look-up second, when the reader follows the link. The page may ask for the list again
      // before the test goes on.
      const isLookup = times === 2 && !path.includes('/issuers.');
      const isOld = isHonest ? !isReleased && times === 1 : !isLookup;
      return isOld ? readFileSync(join(old, path)) : bytes;
    });
    const { page } = await open(base);
    await expect.poll(() => [...asked.keys()].some((path) => path.endsWith('/statements.json'))).toBe(true);
    await page.evaluate(() => location.assign('#issuer=alpha'));
    await page.locator('.verification.proven').waitFor();
    expect(await page.locator('.verdict').innerText()).toContain('This issuer is revoked');
    release();
    isReleased = true;
    if (!isHonest) return expectRefused(page, 'ERR_LIST_ROLLED_BACK');
    expect(await verdict(page)).toBe(GOOD);
    expect(await page.locator('.verdict').innerText()).toContain('This issuer is revoked');
  });

  it('shows no absence before any statement is there, not even of an id that no list can have', async () => {
    const statements = /(?:issuers|statements)\.json$/;
    const { base, release } = await slowHost(join(ed25519, 'dist'), undefined, statements);
    const { page, wrong } = await open(`${base}/#issuer=Not.An.Id`);
    await page.locator('.verification.checking').waitFor();
    await page.evaluate(() => new Promise((resolve) => requestIdleCallback(() => setTimeout(resolve, 0))));
    expect(await page.locator('.verification.proven').count()).toBe(0);
    release();
    expect(await verdict(page)).toBe(GOOD);
    expect(wrong).toEqual([]);
  });

  it('shows an issuer no longer if the list does not verify', async () => {
    const { base, release } = await slowHost(join(ed25519, 'dist'), (path, bytes) =>
      /\/(?:issuers\.json|lists\/.*)$/.test(path) ? flipped(bytes) : bytes,
    );
    const { page } = await open(`${base}/#issuer=alpha`);
    await page.locator('.verification.proven').waitFor();
    release();
    await expectRefused(page, 'ERR_PUBLICATION_MISMATCH');
  });

  it.each<[string, RegExp, (bytes: Buffer) => Buffer | undefined]>([
    ['no sums', /\/sums\//, () => undefined],
    ['an altered record', /\/issuers\/alpha$/, flipped],
    ['no record', /\/issuers\/alpha$/, () => undefined],
  ])('shows no issuer without a proof, but waits for the list: %s', async (_name, path, change) => {
    const asked: string[] = [];
    const { base, release } = await slowHost(join(ed25519, 'dist'), (file, bytes) => {
      if (path.test(file)) asked.push(file);
      return path.test(file) ? (change(bytes) as Buffer) : bytes;
    });
    const { page } = await open(`${base}/#issuer=alpha`);
    await expect.poll(() => asked.length).toBeGreaterThan(0);
    await page.waitForTimeout(500);
    expect(await page.locator('.verification.proven').count()).toBe(0);
    expect(await page.locator('main').innerText()).not.toContain('alpha');
    release();
    expect(await verdict(page)).toBe(GOOD);
    expect(await page.locator('main').innerText()).toContain('This registry trusts the issuer.');
  });
});

describeInChromium('a page that begins', () => {
  it('requests the statements once, and no signature of the list', async () => {
    const folder = await workspace(['alpha', 'beta.example']);
    await cli(['build', '--key', 'key.pem', ...withKeys({ checkpoint: 'key.pem' })], folder);
    const { page, wrong } = await openWithClock('about:blank');
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    await page.goto(await serve(join(folder, 'dist')));
    expect(await verdict(page)).toBe(GOOD);
    expect(requested.filter((path) => path === '/statements.json')).toHaveLength(1);
    expect(requested.filter((path) => path.endsWith('issuers.sig'))).toEqual([]);
    expect(wrong.filter((one) => one.startsWith('error'))).toEqual([]);
  });
});

describeInChromium('a page that stays open', () => {
  it('requests what changed while it is open, and not the list again', async () => {
    const ids = Array.from({ length: 200 }, (_one, index) => `issuer-${index}`);
    const folder = await workspace(ids);
    const build = () => cli(['build', '--key', 'key.pem'], folder);
    await build();
    const host = await serve(join(folder, 'dist'));
    const { page, wrong } = await openWithClock(`${host}/#issuer=issuer-7`);
    expect(await verdict(page)).toBe(GOOD);
    const requested: string[] = [];
    page.on('request', (request) => requested.push(new URL(request.url()).pathname));
    writeFiles(folder, { 'issuers/issuer-7.yaml': recordText('issuer-7', { status: 'suspended' }) });
    await build();
    await shownLater(page, page.getByText('This issuer is suspended'));
    expect(requested).toContain('/issuers/issuer-7');
    expect(requested.filter((path) => path.endsWith('issuers.json'))).toEqual([]);
    expect(wrong.filter((one) => one.startsWith('error'))).toEqual([]);
  });

  it('gets a revocation while it is open, and turns red when what it holds grows too old', async () => {
    const folder = await published('Ed25519');
    const host = await serve(join(folder, 'dist'));
    const { page, wrong } = await openWithClock(`${host}/#issuer=alpha`);
    expect(await verdict(page)).toBe(GOOD);
    expect(await page.locator('.verdict').innerText()).toContain('This registry trusts the issuer.');
    await verification(page);
    await page.getByText('What the verification shows').click();
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'revoked' }) });
    await cli(['build', '--key', 'root.pem'], folder);
    await shownLater(page, page.getByText('This issuer is revoked'));
    // What the reader has opened stays open.
    expect(await page.getByText('This page cannot show that the page itself is honest').isVisible()).toBe(
      true,
    );
    rmSync(join(folder, 'dist/statements.json'));
    await shownLater(page, page.locator('.late .age').getByText('the last refresh failed'));
    expect(await (await verification(page)).innerText()).toMatch(/the last refresh failed$/m);
    expect(await page.locator('.verdict').innerText()).toContain('This issuer is revoked');
    await page.clock.fastForward(31 * 24 * 60 * 60 * 1000);
    await page.locator('.verification.bad').waitFor();
    await expectRefused(page, 'ERR_SOURCE_STATUS', 'host');
    // It stays so, wherever the reader goes.
    await page.goto(`${host}/#tier=certified`);
    await expectRefused(page, 'ERR_SOURCE_STATUS', 'host');
    expect(wrong.filter((one) => one.startsWith('error'))).toEqual([]);
  });

  it('calls it a forgery, and not a lack of answers, if the host forges the checkpoint meanwhile', async () => {
    let isForged = false;
    const host = await plainHost(join(ed25519, 'dist'), '404.html', (path, bytes) =>
      isForged && path.endsWith('statements.json') ? statementChanged('checkpoint', forged)(bytes) : bytes,
    );
    const { page } = await openWithClock(host);
    expect(await verdict(page)).toBe(GOOD);
    isForged = true;
    await shownLater(page, page.locator('.late .age').getByText('the last refresh failed'));
    await page.clock.fastForward(31 * 24 * 60 * 60 * 1000);
    await page.locator('.verification.bad').waitFor();
    await expectRefused(page, 'ERR_CHECKPOINT_INVALID');
  });

  it.each<[string, (page: Page) => Promise<unknown>]>([
    // At once: while Playwright waits for a link that stands still, the page may notice the time by itself.
    ['follows a link', (page) => page.evaluate(`document.querySelector('.issuers th a').click()`)],
    ['types', (page) => page.getByLabel('Search').fill('a')],
    ['is there', (page) => page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)],
  ])('shows nothing more to a reader who comes back after weeks and %s', async (_what, act) => {
    const host = await serve(join(ed25519, 'dist'));
    const { page, wrong } = await openWithClock(host);
    expect(await verdict(page)).toBe(GOOD);
    // Changes that come after the sleep would turn the page red before the reader has done anything.
    await page.getByText('No changes of status or tier since').waitFor();
    // As after a sleep: the time has passed, and no timer has run.
    await page.clock.setSystemTime(Date.now() + 40 * 24 * 60 * 60 * 1000);
    await act(page);
    await page.locator('.verification.bad').waitFor();
    await expectRefused(page, 'ERR_REGISTRY_STALE', 'unreachable');
    expect(wrong.filter((one) => one.startsWith('error'))).toEqual([]);
  });

  it('says after a rotation that the root key is no longer the one of the page', async () => {
    const folder = await published('Ed25519', ...withKeys({ checkpoint: 'root.pem' }));
    const { page } = await openWithClock(await serve(join(folder, 'dist')));
    expect(await verdict(page)).toBe(GOOD);
    expect(await (await verification(page)).innerText()).toContain(', pinned by this page');
    const { stdout } = await cli(['keys', 'public', 'root.pem'], folder);
    writeFiles(folder, { 'root.json': stdout });
    await cli(['keys', 'generate', '--no-passphrase', '--private', 'next.pem'], folder);
    const args = ['keys', 'rotate', '--yes', '--key', 'root.pem', '--root-key', 'root.json'];
    await goodCli([...args, '--next-key', 'next.pem', ...withKeys({ checkpoint: 'next.pem' })], folder);
    await shownLater(
      page,
      page.getByText('to which the root key of this page has handed over. Reload the page.'),
    );
  });
});
