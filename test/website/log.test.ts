import { copyFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInChromium, open, openWithClock, verdict, verification } from '../support/browser.js';
import { onlyLogged } from '../support/only-logged.js';
import { cosigned, madeUpEntry, ORIGIN, PROOF, replaceLog } from '../support/page-log.js';
import { listen, plainHost } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { readTreeFile } from '../support/statements.js';
import { cli, recordText, workspace, writeFiles } from '../support/workspace.js';

const GOOD = 'Verified in your browser';
const HOUR = 3600;
const now = () => Math.floor(Date.now() / 1000);

/** Publishes the records of a workspace in its log. */
async function publish(folder: string, ...args: string[]): Promise<void> {
  const { code, stderr } = await cli(['build', ...withKeys({ origin: ORIGIN }), ...args], folder);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
}

const change = (folder: string, id: string, fields: Record<string, string> = {}) =>
  writeFiles(folder, { [`issuers/${id}.yaml`]: recordText(id, fields) });

/** A registry with two publications in its log, by a development key, and the proof of the first one in `first.tlog-proof`. */
async function logged(): Promise<string> {
  const folder = await workspace(['alpha']);
  await publish(folder, '--updated-at', new Date(Date.now() - 7_200_000).toISOString().replace(/\.\d+/, ''));
  copyFileSync(join(folder, 'dist', PROOF), join(folder, 'first.tlog-proof'));
  change(folder, 'beta');
  await publish(folder);
  return folder;
}

/** A registry with one publication in its log, by the keys `key.pem` and `log.pem`. */
async function loggedByKeys(): Promise<{ readonly folder: string; readonly keys: string[] }> {
  const folder = await workspace(['alpha']);
  await cli(['keys', 'generate', '--no-passphrase', '--private', 'log.pem'], folder);
  const keys = ['--key', 'key.pem', ...withKeys({ log: 'log.pem' })];
  await publish(folder, ...keys);
  return { folder, keys };
}

/** What the page says of the log: among the verified facts, or as a warning. */
const panel = (page: Page) => page.locator('#logged:not(:empty), #log:not([hidden])');

async function shown(page: Page, state: 'good' | 'bad'): Promise<string> {
  if (state === 'good') await verification(page);
  await page.locator(state === 'good' ? '#logged .facts' : '#log [role="alert"]').waitFor();
  return panel(page).innerText();
}

describeInChromium('the log in the page', () => {
  let folder: string;
  const firstProof = () => readTreeFile(join(folder, 'first.tlog-proof'));
  const read = (path: string) => readFileSync(join(folder, 'dist', path));

  beforeAll(async () => {
    folder = await logged();
  });

  /** Opens the page of a host that sends other bytes for a file. */
  async function openWith(path: string, alter: (bytes: Buffer) => Buffer | undefined, fragment = '') {
    const host = await plainHost(join(folder, 'dist'), '404.html', (asked, bytes) =>
      asked === `/${path}` ? alter(bytes) : bytes,
    );
    return open(`${host}/${fragment}`);
  }

  it('is shown with its size and the place of the list', async () => {
    const { page, wrong } = await open(`${await plainHost(join(folder, 'dist'), '404.html')}/#issuer=alpha`);
    expect(await verdict(page)).toBe(GOOD);
    const text = await shown(page, 'good');
    expect(text).toContain('In the registry’s log');
    expect(text).toMatch(/Log\s+registry\.example\/log: a head with 2 entries, signed by the key of the log/);
    expect(text).toMatch(/This list\s+publication 2, proven to be entry 2 of this head$/m);
    expect(wrong).toEqual([]);
  });

  it('leaves the badge without colour until it is proven', async () => {
    const tree = await plainHost(join(folder, 'dist'), '404.html');
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const host = await listen(async (request, response) => {
      if (request.url?.startsWith(`/${PROOF}`)) await held;
      const { status, headers, body } = await fetch(tree + request.url);
      response.writeHead(status, { 'Content-Type': headers.get('content-type') ?? '' });
      response.end(body && Buffer.from(await new Response(body).arrayBuffer()));
    });
    const { page } = await open(host);
    expect(await verdict(page)).toBe(GOOD);
    await page.locator('.verification.pending').waitFor();
    answer();
    await page.locator('.verification.good:not(.pending)').waitFor();
    await shown(page, 'good');
  });

  it('is missed in a publication from before it began', async () => {
    const { folder: later, keys } = await loggedByKeys();
    const before = await workspace(['alpha']);
    writeFiles(before, { 'key.pem': readFileSync(join(later, 'key.pem')) });
    await cli(['build', ...keys.slice(0, 2)], before);
    const index = readFileSync(join(later, 'dist/index.html'));
    const host = await plainHost(join(before, 'dist'), '404.html', (path, bytes) =>
      path === '/' ? index : bytes,
    );
    const { page } = await open(host);
    expect(await verdict(page)).toBe(GOOD);
    expect(await shown(page, 'bad')).toContain('does not prove that the list on this page is in the log');
    await page.locator('.verification.late').waitFor();
  });

  it('is not shown if the registry has none', async () => {
    const without = await workspace(['alpha']);
    await cli(['build', '--key', 'key.pem'], without);
    const asked: string[] = [];
    const host = await plainHost(join(without, 'dist'), '404.html', (path, bytes) => {
      asked.push(path);
      return bytes;
    });
    const { page } = await open(`${host}/#issuer=alpha`);
    expect(await verdict(page)).toBe(GOOD);
    // The page reads the statement once more than the client, to see whether it names a log.
    await expect.poll(() => asked.filter((path) => path === '/publication.jwt').length).toBeGreaterThan(1);
    await page.waitForLoadState('networkidle');
    expect(await panel(page).isHidden()).toBe(true);
  });

  it('says what the proof does not show, and where to pin witnesses', async () => {
    const { page } = await openWith(PROOF, (bytes) => cosigned(bytes, [['witness.example', now()]]));
    const text = await shown(page, 'good');
    // Nothing has verified a cosignature, so none is shown.
    expect(text).not.toContain('witness.example');
    await panel(page).locator('summary').click();
    const limits = await panel(page).locator('details').innerText();
    expect(limits).toContain('This does not show that everybody sees the same log');
    expect(limits).toContain('This page pins no witnesses, so it checks no cosignatures.');
    const link = panel(page).getByRole('link', { name: 'trust anchor' });
    const schema = await page.request.get(await link.evaluate((one: HTMLAnchorElement) => one.href));
    expect((await schema.json()).properties).toHaveProperty('witnesses');
  });

  const damaged: [string, (bytes: Buffer) => Buffer | undefined, string, string?][] = [
    ['missing', () => undefined, 'is missing'],
    ['empty', () => Buffer.alloc(0), 'does not begin with'],
    ['cut off', (bytes) => bytes.subarray(0, bytes.length - 20), 'the proof that the list is logged'],
    ['that of another publication', firstProof, 'does not prove'],
    ['for another entry', (bytes) => replaced(bytes, 'index 1', 'index 0'), 'does not prove'],
    ['of a head that was altered', (bytes) => replaced(bytes, '\n2\n', '\n3\n'), 'not valid'],
    ['of a head that nobody signed', unsigned, 'is not signed by the key of the log'],
    [
      'of a log with a hostile name',
      (bytes) => replaced(bytes, '\n\nregistry.example/log', `\n\n\u202E<b>${'x'.repeat(9000)}`),
      'but the log is registry.example/log',
    ],
    ['too large', (bytes) => Buffer.concat([bytes, Buffer.alloc(70_000)]), 'larger', 'ERR_SOURCE_TOO_LARGE'],
  ];

  it.each(damaged)('warns if the proof is %s', async (_name, alter, message, code = 'ERR_NOT_LOGGED') => {
    const { page, wrong } = await openWith(PROOF, alter, '#issuer=alpha');
    expect(await verdict(page)).toBe(GOOD);
    expect(await shown(page, 'bad')).toContain('Not proven to be in the registry’s log');
    const alert = await panel(page).getByRole('alert').innerText();
    expect(alert).toContain(code);
    expect(alert).toContain(message);
    // The list itself is verified.
    expect(await page.locator('main').innerText()).toContain('This registry trusts the issuer.');
    expect(wrong.filter((one) => !one.startsWith('Failed to load'))).toEqual([]);
  });

  it.each([
    ['of another name', 'other.example/log', 'has the origin "other.example/log", but the log is'],
    ['of the same name under another key', ORIGIN, 'is not signed by the key of the log'],
  ])('warns if the head in the proof is that of another log, %s', async (_name, origin, message) => {
    const other = await workspace(['alpha']);
    const { code } = await cli(['build', ...withKeys({ origin })], other);
    expect(code).toBe(0);
    const { page } = await openWith(PROOF, () => readFileSync(join(other, 'dist', PROOF)));
    expect(await verdict(page)).toBe(GOOD);
    expect(await shown(page, 'bad')).toContain(message);
  });

  it('warns if the host hides from the second request what it has sent to the first', async () => {
    const dist = join(folder, 'dist');
    const tree = await plainHost(dist, '404.html');
    for (const [answer, code] of [
      [{ status: 404, body: '' }, 'ERR_PUBLICATION_MISSING'],
      [{ status: 500, body: '' }, 'ERR_SOURCE_STATUS'],
      [{ status: 200, body: read('log/statements/0.jwt') }, 'ERR_PUBLICATION_MISMATCH'],
      [{ status: 200, body: 'none' }, 'ERR_PUBLICATION_INVALID'],
    ] as const) {
      let hasSent = false;
      const host = await listen(async (request, response) => {
        const { status, headers, body } = await fetch(tree + request.url);
        // The client requests the statement once, and the panel of the log requests it again.
        const isStatement = request.url?.startsWith('/publication.jwt') === true;
        const isHidden = hasSent && isStatement;
        hasSent ||= isStatement;
        const type = isHidden ? 'application/jwt' : (headers.get('content-type') ?? '');
        response.writeHead(isHidden ? answer.status : status, { 'Content-Type': type });
        response.end(isHidden ? answer.body : body && Buffer.from(await new Response(body).arrayBuffer()));
      });
      const { page } = await open(host);
      expect(await verdict(page)).toBe(GOOD);
      expect(await shown(page, 'bad')).toContain(code);
    }
  });

  it('is verified although a cache holds an old proof', async () => {
    const tree = await plainHost(join(folder, 'dist'), '404.html');
    const host = await listen(async (request, response) => {
      const { status, headers, body } = await fetch(tree + request.url);
      response.writeHead(status, { 'Content-Type': headers.get('content-type') ?? '' });
      const isOld = request.url === `/${PROOF}`;
      response.end(isOld ? firstProof() : body && Buffer.from(await new Response(body).arrayBuffer()));
    });
    const { page } = await open(host);
    expect(await shown(page, 'good')).toContain('publication 2, proven to be entry 2 of this head');
  });
});

describeInChromium('the log with a publication that is not published', () => {
  it('is shown as before, without the list that is to come', async () => {
    const { folder, keys } = await loggedByKeys();
    change(folder, 'alpha', { status: 'suspended' });
    await onlyLogged(join(folder, 'dist'), () => publish(folder, ...keys));
    expect(existsSync(join(folder, 'dist/log/statements/1.jwt'))).toBe(true);
    const { page, wrong } = await open(`${await plainHost(join(folder, 'dist'), '404.html')}/#issuer=alpha`);
    expect(await verdict(page)).toBe(GOOD);
    const text = await shown(page, 'good');
    expect(text).toContain('a head with 1 entry,');
    expect(text).toMatch(/publication 1, proven to be entry 1 of this head$/m);
    expect(await page.locator('main').innerText()).toContain('This registry trusts the issuer.');
    expect(wrong).toEqual([]);
  });

  it.each([
    [1, 'the 1 entry after it'],
    [3, 'the 3 entries after it'],
  ])('says that entries after the list are not read if the head has %i', async (count, words) => {
    const { folder } = await loggedByKeys();
    const after = Array.from({ length: count }, (_one, at) => madeUpEntry(at + 2, 'a'.repeat(64)));
    await replaceLog(folder, { before: [], after });
    const { page } = await open(await plainHost(join(folder, 'dist'), '404.html'));
    const text = await shown(page, 'good');
    expect(text).toContain(`a head with ${count + 1} entries,`);
    expect(text).toContain(
      `publication 1, proven to be entry 1 of this head. This page has not read ${words}: there may be a newer list`,
    );
  });
});

describeInChromium('the log in a page that stays open', () => {
  async function opened(address: string): Promise<Page> {
    const { page } = await openWithClock(address);
    expect(await verdict(page)).toBe(GOOD);
    return page;
  }
  const minute = (page: Page) => page.clock.runFor(61_000);

  it('follows its growth, warns, and withdraws the warning', async () => {
    const folder = await logged();
    let alter = (bytes: Buffer): Buffer | undefined => bytes;
    let asked = 0;
    const host = await plainHost(join(folder, 'dist'), '404.html', (path, bytes) => {
      if (path !== `/${PROOF}`) return bytes;
      asked++;
      return alter(bytes);
    });
    const page = await opened(`${host}/#issuer=alpha`);
    await shown(page, 'good');
    await panel(page).locator('summary').click();
    await minute(page);
    await expect.poll(() => asked).toBeGreaterThan(1);
    await page.waitForLoadState('networkidle');
    expect(await panel(page).locator('details').getAttribute('open')).not.toBeNull();
    alter = () => undefined;
    await minute(page);
    expect(await shown(page, 'bad')).toContain('ERR_NOT_LOGGED');
    alter = (bytes) => bytes;
    change(folder, 'alpha', { status: 'suspended' });
    await publish(folder);
    await minute(page);
    await page.getByText('This issuer is suspended').waitFor();
    expect(await shown(page, 'good')).toContain('publication 3, proven to be entry 3 of this head');
  });

  it('warns if the log does not continue the one that was verified before', async () => {
    const { folder, keys } = await loggedByKeys();
    change(folder, 'beta');
    await publish(folder, ...keys);
    const page = await opened(await plainHost(join(folder, 'dist'), '404.html'));
    await shown(page, 'good');
    for (const [before, message] of [
      [[madeUpEntry(1, 'a'.repeat(64))], 'does not contain the log with 2 entries'],
      [[], 'with 1 entries, does not contain the log with 2 entries'],
      [[1, 2, 3].map((at) => madeUpEntry(at, 'a'.repeat(64))), 'does not contain the log with 2 entries'],
    ] as const) {
      await replaceLog(folder, { before });
      await minute(page);
      await panel(page).getByText(message).waitFor();
      const warning = await shown(page, 'bad');
      expect(warning).toContain('ERR_LOG_INCONSISTENT');
      // The proof of this log is valid. What is wrong is that the page has seen another log.
      expect(warning).toContain('Not proven to be the same log');
      expect(warning).not.toContain('the list on this page is in the log');
    }
  });

  it('leaves the panel as it is while the host cannot be reached', async () => {
    const folder = await logged();
    let isDown = false;
    const tree = await plainHost(join(folder, 'dist'), '404.html');
    const host = await listen(async (request, response) => {
      const { status, headers, body } = await fetch(tree + request.url);
      response.writeHead(isDown ? 503 : status, { 'Content-Type': headers.get('content-type') ?? '' });
      response.end(body && Buffer.from(await new Response(body).arrayBuffer()));
    });
    const page = await opened(host);
    await shown(page, 'good');
    isDown = true;
    await minute(page);
    await page.locator('.late .age').getByText('the last refresh failed').waitFor();
    expect(await shown(page, 'good')).toContain('publication 2');
  });

  it('disappears with the list', async () => {
    const folder = await logged();
    const page = await opened(`${await plainHost(join(folder, 'dist'), '404.html')}/#issuer=alpha`);
    await shown(page, 'good');
    // As after a sleep: the time has passed, and no timer has run.
    await page.clock.setSystemTime(Date.now() + 40 * 24 * HOUR * 1000);
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await page.locator('.verification.bad').waitFor();
    expect(await page.getByRole('alert').innerText()).toContain('ERR_REGISTRY_STALE');
    expect(await panel(page).isHidden()).toBe(true);
  });
});

function replaced(bytes: Buffer, from: string, to: string): Buffer {
  expect(bytes.toString()).toContain(from);
  return Buffer.from(bytes.toString().replace(from, to));
}

/** Removes the signature of the log. The proof then ends with a cosignature. */
function unsigned(bytes: Buffer): Buffer {
  const text = cosigned(bytes, [['witness.example', now()]]).toString();
  return Buffer.from(text.replace(/\n\u2014 registry\.example\/log .*(?=\n)/u, ''));
}
