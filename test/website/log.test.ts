import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import {
  describeInChromium,
  open,
  openWithClock,
  shownLater,
  verdict,
  verification,
} from '../support/browser.js';
import { onlyLogged } from '../support/only-logged.js';
import { cosigned, madeUpEntry, ORIGIN, replaceLog } from '../support/page-log.js';
import { expectRefused, statementChanged } from '../support/page-verdict.js';
import { plainHost } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { statementIn } from '../support/statements.js';
import { cli, goodCli, recordText, workspace, writeFiles } from '../support/workspace.js';

const GOOD = 'Verified in your browser';
const now = () => Math.floor(Date.now() / 1000);

/** Publishes the records of a workspace in its log. */
const publish = (folder: string, ...args: string[]) =>
  goodCli(['build', ...withKeys({ origin: ORIGIN }), ...args], folder);

const change = (folder: string, id: string, fields: Record<string, string> = {}) =>
  writeFiles(folder, { [`issuers/${id}.yaml`]: recordText(id, fields) });

/** A registry with two publications in its log, by a development key, and the proof of the first one. */
async function logged(): Promise<{ readonly folder: string; readonly first: string }> {
  const folder = await workspace(['alpha']);
  await publish(folder, '--updated-at', new Date(Date.now() - 7_200_000).toISOString().replace(/\.\d+/, ''));
  const first = statementIn(join(folder, 'dist'), 'log_proof');
  change(folder, 'beta');
  await publish(folder);
  return { folder, first };
}

/** A registry with one publication in its log, by the keys `key.pem` and `log.pem`. */
async function loggedByKeys(): Promise<{ readonly folder: string; readonly keys: string[] }> {
  const folder = await workspace(['alpha']);
  await cli(['keys', 'generate', '--no-passphrase', '--private', 'log.pem'], folder);
  const keys = ['--key', 'key.pem', ...withKeys({ log: 'log.pem' })];
  await publish(folder, ...keys);
  return { folder, keys };
}

/** What the page shows of the verification. */
const facts = async (page: Page) => (await verification(page)).innerText();
const entry = (number: number) =>
  `${ORIGIN}: the statement about this list is entry ${number}, the last one of a head`;

describeInChromium('the log in the page', () => {
  let folder: string;
  let first: string;

  beforeAll(async () => {
    ({ folder, first } = await logged());
  });

  /** Opens the page of a host that sends another proof. */
  async function openWith(alter: (proof: Buffer) => Buffer | undefined, fragment = '') {
    const host = await plainHost(join(folder, 'dist'), '404.html', (asked, bytes) =>
      asked === '/statements.json' ? statementChanged('log_proof', alter)(bytes) : bytes,
    );
    return open(`${host}/${fragment}`);
  }

  it('is shown with the place of the list', async () => {
    const { page, wrong } = await open(`${await plainHost(join(folder, 'dist'), '404.html')}/#issuer=alpha`);
    expect(await verdict(page)).toBe(GOOD);
    expect(await facts(page)).toContain(entry(2));
    expect(wrong).toEqual([]);
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
    await expectRefused((await open(host)).page, 'ERR_NOT_LOGGED');
  });

  it('is not shown if the registry has none', async () => {
    const without = await workspace(['alpha']);
    await cli(['build', '--key', 'key.pem'], without);
    const { page } = await open(await plainHost(join(without, 'dist'), '404.html'));
    expect(await verdict(page)).toBe(GOOD);
    expect(await facts(page)).not.toContain('the last one of a head');
  });

  it('says what the proof does not show, and where to pin witnesses', async () => {
    const { page } = await openWith((proof) => cosigned(proof, [['witness.example', now()]]));
    expect(await verdict(page)).toBe(GOOD);
    const panel = await verification(page);
    // Nothing has verified a cosignature, so none is shown.
    expect(await panel.innerText()).not.toContain('witness.example');
    await panel.getByText('What the log shows, and what this page cannot check').click();
    const limits = await panel.innerText();
    expect(limits).toContain('This does not show that everybody sees the same log');
    expect(limits).toContain('This page pins no witnesses, so it checks no cosignatures.');
    const link = panel.getByRole('link', { name: 'trust anchor' });
    const schema = await page.request.get(await link.evaluate((one: HTMLAnchorElement) => one.href));
    expect((await schema.json()).properties).toHaveProperty('witnesses');
  });

  const damaged: [string, (bytes: Buffer) => Buffer | undefined][] = [
    ['missing', () => undefined],
    ['that of another publication', () => Buffer.from(first)],
    [
      'of a log with a hostile name',
      (bytes) => replaced(bytes, '\n\nregistry.example/log', `\n\n\u202E<b>${'x'.repeat(9000)}`),
    ],
  ];

  it.each(damaged)('refuses a list whose proof is %s', async (_name, alter) => {
    const { page, wrong } = await openWith(alter, '#issuer=alpha');
    await expectRefused(page, 'ERR_NOT_LOGGED');
    expect(wrong).toEqual([]);
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
    expect(await facts(page)).toContain(entry(1));
    expect(await page.locator('main').innerText()).toContain('This registry trusts the issuer.');
    expect(wrong).toEqual([]);
  });
});

describeInChromium('the log in a page that stays open', () => {
  async function opened(address: string): Promise<Page> {
    const { page } = await openWithClock(address);
    expect(await verdict(page)).toBe(GOOD);
    return page;
  }
  const minute = (page: Page) => page.clock.runFor(61_000);
  const failed = (page: Page) =>
    shownLater(page, page.locator('.late .age').getByText('the last refresh failed'));

  it('follows its growth, and says while a refresh fails', async () => {
    const { folder } = await logged();
    let isHidden = false;
    const host = await plainHost(join(folder, 'dist'), '404.html', (path, bytes) =>
      isHidden && path === '/statements.json' ? statementChanged('log_proof', () => undefined)(bytes) : bytes,
    );
    const page = await opened(`${host}/#issuer=alpha`);
    isHidden = true;
    await minute(page);
    await failed(page);
    isHidden = false;
    change(folder, 'alpha', { status: 'suspended' });
    await publish(folder);
    await minute(page);
    await shownLater(page, page.getByText('This issuer is suspended'));
    expect(await facts(page)).toContain(entry(3));
  });

  it('refuses a log that does not continue the one that was verified before', async () => {
    const { folder, keys } = await loggedByKeys();
    change(folder, 'beta');
    await publish(folder, ...keys);
    const page = await opened(await plainHost(join(folder, 'dist'), '404.html'));
    cpSync(join(folder, 'dist'), join(folder, 'good'), { recursive: true });
    await replaceLog(folder, { before: [1, 2, 3].map((at) => madeUpEntry(at, 'a'.repeat(64))) });
    await minute(page);
    await failed(page);
    cpSync(join(folder, 'good'), join(folder, 'dist'), { recursive: true });
    await minute(page);
    await shownLater(page, page.locator('.verification.good:not(.late)'));
  });
});

function replaced(bytes: Buffer, from: string, to: string): Buffer {
  expect(bytes.toString()).toContain(from);
  return Buffer.from(bytes.toString().replace(from, to));
}
