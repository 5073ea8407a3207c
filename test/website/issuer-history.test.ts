import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInChromium, open, timeInWords, verdict, verification } from '../support/browser.js';
import { logEntries } from '../support/log-files.js';
import { madeUpEntry, ORIGIN, replaceLog } from '../support/page-log.js';
import { plainHost } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { sha256 } from '../support/signed-tree.js';
import { cli, recordText, workspace, writeFiles } from '../support/workspace.js';

const NEWEST = Date.now() - 60_000;
/** The `updated_at` of a publication, an hour after the one before. */
const timeOf = (publication: number, of: number) =>
  new Date(NEWEST - (of - publication) * 3_600_000).toISOString().replace(/\.\d+/, '');

/** Publishes once for each step, in a log. A step is the files that it changes, or options of the build. */
async function publishEach(
  folder: string,
  steps: readonly (Readonly<Record<string, string>> | readonly string[])[],
): Promise<void> {
  for (const [index, step] of steps.entries()) {
    if (!isOptions(step)) writeFiles(folder, step);
    const time = ['--updated-at', timeOf(index + 1, steps.length)];
    const args = ['build', ...withKeys({ origin: ORIGIN }), ...time, ...(isOptions(step) ? step : [])];
    const { code, stderr } = await cli(args, folder);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
  }
}

function isOptions(step: object): step is readonly string[] {
  return Array.isArray(step);
}

const record = (id: string, fields: Record<string, string> = {}) => ({
  [`issuers/${id}.yaml`]: recordText(id, fields),
});

/** Opens the view of an issuer and waits for the button that reads its history. */
async function openIssuer(host: string, id: string) {
  const { page, wrong } = await open(`${host}/#issuer=${id}`);
  await verdict(page);
  await page.getByRole('button', { name: 'Read the history' }).waitFor();
  return { page, wrong };
}

const button = (page: Page, name: string) => page.getByRole('button', { name });
const COMPLETE = 'The beginning of the log is reached.';

/** Reads the history until a text is there. Returns its lines, without spaces around them. */
async function stepsUntil(page: Page, text: string | RegExp): Promise<string[]> {
  await page.getByText(text).waitFor();
  const items = await page.locator('.steps > li').evaluateAll((all) =>
    all.map((item) => {
      const proof = item.querySelector<HTMLElement>('.proof');
      if (proof !== null) proof.hidden = true;
      return (item as HTMLElement).innerText;
    }),
  );
  return items.map((item) => item.replaceAll(/\s+/g, ' ').trim());
}

async function wholeHistory(page: Page): Promise<string[]> {
  await button(page, 'Read the history').click();
  return stepsUntil(page, COMPLETE);
}

describeInChromium('the history of an issuer from the log', () => {
  const COUNT = 6;
  const at = (publication: number) =>
    `${timeInWords(timeOf(publication, COUNT))}, publication ${publication}`;
  let folder: string;
  let entries: { readonly list: string }[];

  beforeAll(async () => {
    folder = await workspace(['alpha', 'delta']);
    const suspended = { status: 'suspended', contact: 'desk@alpha.internal', tier: 'registered' };
    await publishEach(folder, [
      {},
      record('alpha', suspended),
      record('beta'),
      // The same records with a new time.
      ['--renew'],
      record('alpha', { ...suspended, status: 'active', domain_scope: '[banking, health]' }),
      record('beta', { policy_uri: 'https://beta.internal/policy' }),
    ]);
    entries = (await logEntries(join(folder, 'dist'))) as { list: string }[];
    expect(entries).toHaveLength(COUNT);
  });

  const host = (alter?: (path: string, bytes: Buffer) => Buffer | undefined) =>
    plainHost(join(folder, 'dist'), '404.html', alter);
  const listPath = (publication: number) => `/log/lists/${entries[publication - 1]?.list}.json`;

  it('has each change of each member, with its publication, and reads nothing before it is asked to', async () => {
    const asked: string[] = [];
    const base = await host((path, bytes) => {
      asked.push(path);
      return bytes;
    });
    const { page, wrong } = await openIssuer(base, 'alpha');
    const fromLog = () => asked.filter((path) => /log\/(?:tile|lists)/.test(path));
    expect(fromLog()).toEqual([]);
    expect(await wholeHistory(page)).toEqual([
      `${at(5)}: Domains: not declared → ["banking","health"] Status: suspended → active`,
      `${at(2)}: Contact: not declared → desk@alpha.internal Status: active → suspended Tier: certified → registered`,
      `${at(1)}: the first list in the log has the issuer`,
    ]);
    // The newest list is the verified one.
    expect(fromLog()).toEqual([
      `/log/tile/entries/000.p/${COUNT}`,
      ...[5, 4, 3, 2, 1].map((publication) => listPath(publication)),
    ]);
    expect(await button(page, 'Read').count()).toBe(0);
    expect(wrong).toEqual([]);
  });

  it('has a bar of the life of an issuer, whose marks lead to the changes and their proofs', async () => {
    const { page, wrong } = await openIssuer(await host(), 'alpha');
    expect(await page.locator('.life').count()).toBe(0);
    await wholeHistory(page);
    const periods = page.locator('.life rect');
    const looks = await periods.evaluateAll((all) => all.map((one) => one.getAttribute('class')));
    // Newest first. What was before the first list in the log is not known.
    expect(looks).toEqual(['status active', 'status suspended', 'status active', 'none']);
    expect(await page.locator('.life .state').innerText()).toMatch(/^1 January 2026\s*now$/);
    const address = page.url();
    for (const publication of [5, 2]) {
      const step = page.locator(`#step-${publication - 1}-changed`);
      await page.locator(`.life a[href="#step-${publication - 1}-changed"] circle`).dispatchEvent('click');
      expect(await step.evaluate((one) => one === document.activeElement)).toBe(true);
      const links = step.locator('.proof a');
      const proofs = await links.evaluateAll((all) => all.map((one) => one.getAttribute('href')));
      expect(proofs).toEqual([`log/statements/${publication - 1}.jwt`, listPath(publication).slice(1)]);
      for (const path of proofs) expect((await fetch(new URL(path ?? '', address))).status).toBe(200);
    }
    expect(page.url()).toBe(address);
    expect(wrong).toEqual([]);
  });

  it('has when an issuer was added, and agrees with the verified list', async () => {
    const { page } = await openIssuer(await host(), 'beta');
    expect(await wholeHistory(page)).toEqual([
      `${at(6)}: Policy: not declared → https://beta.internal/policy`,
      `${at(3)}: added to the list`,
      `${at(1)}: the first list in the log does not have the issuer`,
    ]);
    expect(await page.locator('article').innerText()).toContain('https://beta.internal/policy');
  });

  it('of an issuer without changes says so', async () => {
    const { page } = await openIssuer(await host(), 'delta');
    expect(await wholeHistory(page)).toEqual([`${at(1)}: the first list in the log has the issuer`]);
  });

  it('has an issuer that is not in the list, and never was', async () => {
    const { page } = await openIssuer(await host(), 'gamma');
    expect(await page.locator('.verdict').innerText()).toContain('gamma is not in this registry');
    expect(await wholeHistory(page)).toEqual([
      `${at(1)}: the first list in the log does not have the issuer`,
    ]);
  });

  it.each<[string, (bytes: Buffer) => Buffer | undefined, string]>([
    ['missing', () => undefined, 'this host does not send its list, so'],
    [
      'altered',
      (bytes) => Buffer.from(`${bytes} `),
      'this host does not send a list with the hash in the entry, so',
    ],
    [
      'too large',
      () => Buffer.alloc(9 * 1024 * 1024),
      'this host sends a file that is too large to be read here, so',
    ],
  ])('says which list is %s, and when a change may have been', async (_name, alter, reason) => {
    const { page } = await openIssuer(
      await host((path, bytes) => (path === listPath(2) ? alter(bytes) : bytes)),
      'alpha',
    );
    await button(page, 'Read the history').click();
    await page.locator('.steps').getByText(reason).or(page.getByText('Read back to')).first().waitFor();
    // A large list is tried anew, with nothing else to read.
    for (let tries = 0; tries < 3 && (await button(page, 'Read older lists').count()) > 0; tries++) {
      await button(page, 'Read older lists').click();
      await page.getByText('Reading…').waitFor({ state: 'detached' });
    }
    expect(await stepsUntil(page, COMPLETE)).toEqual([
      `${at(5)}: Domains: not declared → ["banking","health"] Status: suspended → active`,
      `${at(2)}: ${reason} what it changed is unknown`,
      `${at(3)} or before, but after publication 1 of ${timeInWords(timeOf(1, COUNT))}: ` +
        'Contact: not declared → desk@alpha.internal Status: active → suspended Tier: certified → registered',
      `${at(1)}: the first list in the log has the issuer`,
    ]);
  });

  it('says that it does not know the beginning if the oldest list is missing', async () => {
    const { page } = await openIssuer(
      await host((path, bytes) => (path === listPath(1) ? undefined : bytes)),
      'beta',
    );
    expect((await wholeHistory(page)).slice(2)).toEqual([
      `${at(1)}: this host does not send its list, so what it changed is unknown`,
      `${at(2)}: the oldest list that can be read does not have the issuer`,
    ]);
  });

  it('takes the page of a host in place of a list for another file', async () => {
    const list = entries[1]?.list ?? '';
    const base = await host();
    const { page } = await openIssuer(base, 'alpha');
    await page.route(`**/${list}.json`, (route) =>
      route.fulfill({ status: 200, contentType: 'text/html', body: '<h1>Not found</h1>' }),
    );
    expect((await wholeHistory(page))[1]).toContain(
      'this host does not send a list with the hash in the entry',
    );
  });

  const damage: [string, (bytes: Buffer) => Buffer | undefined, string][] = [
    ['missing', () => undefined, 'is missing'],
    [
      'altered',
      (bytes) => Buffer.from(bytes.toString('latin1').replace('"sequence":2', '"sequence":3'), 'latin1'),
      'does not belong to its head',
    ],
    ['cut off', (bytes) => bytes.subarray(0, -1), 'ends within an entry'],
    ['one entry short', (bytes) => bytes.subarray(0, bytes.lastIndexOf('{') - 2), 'is too short'],
  ];

  it.each(damage)(
    'is not read from entries that are %s, but can be tried again',
    async (_name, alter, message) => {
      let isDamaged = true;
      const base = await host((path, bytes) =>
        path.startsWith('/log/tile/entries/') && isDamaged ? alter(bytes) : bytes,
      );
      const { page } = await openIssuer(base, 'alpha');
      await button(page, 'Read the history').click();
      await button(page, 'Try again').waitFor();
      const said = await page.locator('article').innerText();
      expect(said).toContain(`ERR_LOG_INCONSISTENT: the log has a bundle of entries that ${message}.`);
      expect(await page.locator('.steps > li').count()).toBe(0);
      isDamaged = false;
      await button(page, 'Try again').click();
      expect(await stepsUntil(page, COMPLETE)).toHaveLength(3);
    },
  );

  it('goes on where a list could not be loaded', async () => {
    const { page } = await openIssuer(await host(), 'alpha');
    const list = `**${listPath(2)}`;
    await page.route(list, (route) => route.fulfill({ status: 503 }));
    await button(page, 'Read the history').click();
    await button(page, 'Try again').waitFor();
    expect(await page.locator('article').innerText()).toContain('ERR_SOURCE_STATUS');
    expect(await page.locator('.steps > li').count()).toBe(1);
    await page.unroute(list);
    await button(page, 'Try again').click();
    expect(await stepsUntil(page, COMPLETE)).toHaveLength(3);
  });

  it('can be read with the keyboard, and stays when the reader comes back', async () => {
    const { page } = await openIssuer(await host(), 'alpha');
    await button(page, 'Read the history').focus();
    await page.keyboard.press('Enter');
    const steps = await stepsUntil(page, COMPLETE);
    expect(await page.evaluate('document.activeElement.textContent')).toBe(COMPLETE);
    await page.getByRole('link', { name: '← All issuers' }).click();
    await page.locator('.issuers').waitFor();
    await page.goBack();
    expect(await stepsUntil(page, COMPLETE)).toEqual(steps);
    await page.goto(`${page.url().replace(/#.*/, '')}#issuer=delta`);
    await button(page, 'Read the history').waitFor();
    expect(await page.locator('.steps > li').count()).toBe(0);
  });
});

describeInChromium('the history of an issuer from a long log', () => {
  /** A registry with `log.pem`, so that its log can be replaced. */
  async function registry(): Promise<string> {
    const folder = await workspace(['alpha']);
    await cli(['keys', 'generate', '--no-passphrase', '--private', 'log.pem'], folder);
    const keys = ['--key', 'key.pem', ...withKeys({ log: 'log.pem', origin: ORIGIN })];
    expect((await cli(['build', ...keys], folder)).code).toBe(0);
    return folder;
  }
  const listOf = (folder: string) => sha256(readFileSync(join(folder, 'dist/issuers.json')));
  const range = (count: number) => Array.from({ length: count }, (_one, index) => index + 1);

  it('is read in parts of 20 lists', async () => {
    const folder = await registry();
    const lists = range(45).map((at) => JSON.stringify({ issuers: [{ issuer_id: 'alpha', at }] }));
    const entries = lists.map((list, index) => madeUpEntry(index + 1, sha256(Buffer.from(list))));
    writeFiles(
      join(folder, 'dist/log/lists'),
      Object.fromEntries(lists.map((list) => [`${sha256(Buffer.from(list))}.json`, list])),
    );
    await replaceLog(folder, { before: entries });
    const { page } = await openIssuer(await plainHost(join(folder, 'dist'), '404.html'), 'alpha');
    await button(page, 'Read the history').click();
    expect(await stepsUntil(page, 'Read back to publication 26 of')).toHaveLength(20);
    await button(page, 'Read older lists').click();
    expect(await stepsUntil(page, 'Read back to publication 6 of')).toHaveLength(40);
    await button(page, 'Read older lists').click();
    const steps = await stepsUntil(page, COMPLETE);
    expect(steps).toHaveLength(46);
    expect(steps.slice(-2)).toEqual([
      '1 Jan 2026, 00:00 UTC, publication 2: at: 1 → 2',
      '1 Jan 2026, 00:00 UTC, publication 1: the first list in the log has the issuer',
    ]);
  });

  it('reads as many lists at a time as fit in 8 MiB', async () => {
    const folder = await registry();
    const lists = range(4).map((at) =>
      JSON.stringify({ issuers: [{ issuer_id: 'alpha', at }], '': ' '.repeat(3_000_000) }),
    );
    const entries = lists.map((list, index) => madeUpEntry(index + 1, sha256(Buffer.from(list))));
    writeFiles(
      join(folder, 'dist/log/lists'),
      Object.fromEntries(lists.map((list) => [`${sha256(Buffer.from(list))}.json`, list])),
    );
    await replaceLog(folder, { before: entries });
    const { page } = await openIssuer(await plainHost(join(folder, 'dist'), '404.html'), 'alpha');
    await button(page, 'Read the history').click();
    expect(await stepsUntil(page, 'Read back to publication 3 of')).toHaveLength(2);
    await button(page, 'Read older lists').click();
    expect(await stepsUntil(page, COMPLETE)).toHaveLength(5);
  });

  it('reads the bundles of a log with more than 256 entries, and entries after the list', async () => {
    const folder = await registry();
    const same = listOf(folder);
    const before = range(600).map((sequence) => madeUpEntry(sequence, same));
    await replaceLog(folder, { before, after: [madeUpEntry(602, 'a'.repeat(64))] });
    const asked: string[] = [];
    let altered = '';
    const host = await plainHost(join(folder, 'dist'), '404.html', (path, bytes) => {
      asked.push(path);
      if (path !== altered) return bytes;
      return Buffer.from(bytes.toString('latin1').replace('"sequence":7,', '"sequence":8,'), 'latin1');
    });
    const { page } = await openIssuer(host, 'alpha');
    await (await verification(page)).getByText('602 entries').waitFor();
    expect(await wholeHistory(page)).toEqual([
      '1 Jan 2026, 00:00 UTC, publication 1: the first list in the log has the issuer',
    ]);
    expect(asked.filter((path) => path.startsWith('/log/tile/entries/'))).toEqual([
      '/log/tile/entries/002.p/90',
      '/log/tile/entries/001',
      '/log/tile/entries/000',
    ]);
    altered = '/log/tile/entries/000';
    const other = await openIssuer(host, 'alpha');
    await button(other.page, 'Read the history').click();
    await other.page.getByText('ERR_LOG_INCONSISTENT').waitFor();
    expect(await other.page.locator('.steps > li').count()).toBe(0);
  });

  it('says that the holder of the key of the log can have made up the past', async () => {
    const folder = await registry();
    // A list that the root key never signed, before the log began.
    const list = JSON.stringify({ issuers: [{ issuer_id: 'alpha', status: 'revoked' }] });
    const hash = sha256(Buffer.from(list));
    writeFiles(join(folder, 'dist/log/lists'), { [`${hash}.json`]: list });
    await replaceLog(folder, { before: [madeUpEntry(1, hash)] });
    const { page } = await openIssuer(await plainHost(join(folder, 'dist'), '404.html'), 'alpha');
    const steps = await wholeHistory(page);
    expect(steps[0]).toContain('Status: revoked → active');
    const said = await page.locator('article').innerText();
    expect(said).toContain('It does not check that the root key signed the older lists');
    expect(said).toContain(
      'can add entries with any list and any time. A list that was not logged is missing.',
    );
  });

  it('shows texts of any list as texts', async () => {
    const folder = await registry();
    const texts = ['<img src=x onerror=alert(1)>', '<script>alert(1)</script>', '\u202Egpj.exe', '__proto__'];
    const lists = [
      ...texts.map(
        (text) =>
          `{"issuers":[7,null,{"issuer_id":"alpha",${JSON.stringify(text)}:${JSON.stringify(text)},"contact":[{"a":null}]}]}`,
      ),
      '{"issuers":{"issuer_id":"alpha"}}',
      '[]',
      'null',
      `{"issuers":${'['.repeat(600)}${']'.repeat(600)}}`,
      '<script>alert(1)</script>',
    ];
    const entries = lists.map((list, index) => madeUpEntry(index + 1, sha256(Buffer.from(list))));
    writeFiles(
      join(folder, 'dist/log/lists'),
      Object.fromEntries(lists.map((list) => [`${sha256(Buffer.from(list))}.json`, list])),
    );
    await replaceLog(folder, { before: entries });
    const { page, wrong } = await openIssuer(await plainHost(join(folder, 'dist'), '404.html'), 'alpha');
    const steps = await wholeHistory(page);
    expect(
      steps.slice(0, 5).every((step) => step.includes('does not send a list with the hash in the entry')),
    ).toBe(true);
    for (const text of texts) expect(steps.join('\n')).toContain(`${text}: ${text} → not declared`);
    expect(steps[5]).toContain('Contact: [{"a":null}] → not declared');
    expect(await page.locator('.steps script, .steps img, .steps [onerror]').count()).toBe(0);
    expect(wrong).toEqual([]);
  });
});
