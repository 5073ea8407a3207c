import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInChromium, open } from '../support/browser.js';
import { openVerified, publishedRecords } from '../support/page-verdict.js';
import { plainHost, slowHost } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { cli, recordText, workspace, writeFiles } from '../support/workspace.js';

const NAMED: Readonly<Record<string, Record<string, string>>> = {
  'api.member-437.example': { name: 'St. Olav’s Hospital', certified_since: '2026-01-15T09:00:00Z' },
  'harbour.example': { name: 'Harbour Bank', certified_since: '2022-01-16T00:00:00Z' },
  'lantern.example': { name: 'Lantern Labs', tier: 'registered' },
  nameless: {},
  // With a letter of another script, and other punctuation.
  'playground.example': { name: 'Lаntern-Labs.', tier: 'sandbox' },
  postponed: { status: 'revoked', certified_since: '2999-01-01T00:00:00Z' },
  'soon.example': { certified_since: '2999-01-01T00:00:00Z' },
};
const REASON = 'Its keys were stolen.';

let dist: string;
let base: string;

beforeAll(async () => {
  const folder = await workspace([]);
  const write = (id: string, fields: Record<string, string>) =>
    writeFiles(folder, { [`issuers/${id}.yaml`]: recordText(id, { ...NAMED[id], ...fields }) });
  const publish = async (day: string) => {
    const key = ['--key', 'key.pem', ...withKeys({ checkpoint: 'key.pem' }), '--allow-example-names'];
    const { code, stderr } = await cli(['build', ...key, '--updated-at', `${day}T00:00:00Z`], folder);
    expect([code, stderr]).toEqual([0, expect.stringContaining('verified')]);
  };
  for (const id of Object.keys(NAMED)) write(id, {});
  await publish('2026-10-01');
  write('harbour.example', { status: 'suspended' });
  write('nameless', { status: 'suspended' });
  await publish('2026-10-02');
  write('harbour.example', { status: 'revoked', status_reason: REASON });
  write('nameless', { reinstated: '2026-11-22T00:00:00Z' });
  await publish('2026-11-23');
  await cli(['hold', 'lantern.example', '--online-key', 'key.pem'], folder);
  dist = join(folder, 'dist');
  base = await plainHost(dist, '404.html');
});

const opened = (fragment = '', host = base) => openVerified(`${host}/${fragment}`);

/** What stands in each row: what the issuer is called, and below its id, or the host of its keys. */
const lines = async (page: Page) =>
  (await page.locator('.issuers tbody th').allInnerTexts()).map((text) => text.split('\n'));
const sentence = (page: Page) => page.locator('.sentence').innerText();
const BY = 'Registry of agent passport issuers';

describeInChromium('names and reasons, in Chromium', () => {
  it('are in the list below the ids', async () => {
    const { page, wrong } = await opened();
    await expect
      .poll(() => lines(page))
      .toEqual([
        ['St. Olav’s Hospital', 'api.member-437.example'],
        ['Harbour Bank', 'harbour.example'],
        ['Lantern Labs', 'lantern.example – looks like playground.example (test only)'],
        ['nameless', 'nameless.internal'],
        ['Lаntern-Labs.', 'playground.example – looks like lantern.example (on hold)'],
        ['postponed', 'postponed.internal'],
        ['soon.example', expect.anything()],
      ]);
    await page
      .locator('.recent')
      .getByText(`harbour.example Harbour Bank: suspended → revoked: ${REASON}`)
      .waitFor();
    expect(wrong).toEqual([]);
  });

  it('are found by what a reader types or pastes of them', async () => {
    const { page } = await opened();
    for (const [text, expected] of [
      ['hospital', ['api.member-437.example']],
      ['OLAV’S', ['api.member-437.example']],
      ["olav's", ['api.member-437.example']],
      // The reason of its status.
      ['stolen', ['harbour.example']],
      // It is on hold.
      ['labs hold', ['lantern.example']],
      // Whoever looks like the name that is typed or pasted is there, too.
      ['Lantern Labs Ltd', ['lantern.example', 'playground.example']],
      ['Lаntern-Labs.', ['lantern.example', 'playground.example']],
    ] as const) {
      await page.goto(`${base}/#${new URLSearchParams({ q: text })}`);
      const ids = async () => (await lines(page)).map(([, id]) => id?.replace(/ .*/, ''));
      await expect.poll(async () => [text, await ids()]).toEqual([text, expected]);
    }
  });

  it('are offered for typing errors', async () => {
    const { page } = await opened();
    await expect.poll(() => lines(page)).toContainEqual(['Harbour Bank', 'harbour.example']);
    const offered = async () => (await page.locator('.near li').allTextContents())[0];
    for (const [text, expected] of [
      ['harbor bank', 'harbour.example Harbour Bank revoked'],
      ['hospitl', 'api.member-437.example St. Olav’s Hospital trusted'],
      ['harbur', 'harbour.example Harbour Bank revoked'],
      ['lantren', 'lantern.example Lantern Labs on hold – looks like playground.example (test only)'],
    ] as const) {
      await page.getByLabel('Search').fill(text);
      await expect.poll(async () => [text, await offered()]).toEqual([text, expected]);
    }
  });

  it('begin the page of an issuer: the name, the id, and what is so, by whom and since when', async () => {
    const { page, wrong } = await opened('#issuer=harbour.example');
    await page.getByRole('heading', { name: 'Harbour Bank', exact: true }).waitFor();
    expect(await page.locator('.id').innerText()).toBe('Id: harbour.example');
    // What the registry has written stands in quotation marks.
    expect(await page.locator('.sentence q').evaluate((one) => getComputedStyle(one).quotes)).toBe('auto');
    const told = `Harbour Bank was trusted by ${BY} from 16 January 2022, and was suspended on 2 October 2026 and revoked on 23 November 2026. Reason given: ${REASON}`;
    await expect.poll(() => sentence(page)).toBe(told);
    expect(await page.title()).toBe(`Harbour Bank (harbour.example): ${BY}`);
    expect(wrong).toEqual([]);
  });

  it('make a sentence on an issuer', async () => {
    const { page } = await opened('#issuer=api.member-437.example');
    for (const [id, told] of [
      ['api.member-437.example', `St. Olav’s Hospital has been trusted by ${BY} since 15 January 2026.`],
      ['lantern.example', `Lantern Labs was listed by ${BY} from 1 January 2026, and is on hold.`],
      [
        'nameless',
        `nameless has been trusted by ${BY} since 1 January 2026, with a suspension from 2 October 2026 to 23 November 2026.`,
      ],
      ['playground.example', `Lаntern-Labs. has been listed by ${BY} for tests only, since 1 January 2026.`],
      [
        'postponed',
        `postponed, to be trusted by ${BY} from 1 January 2999 on, is revoked. No reason is given.`,
      ],
      ['soon.example', `soon.example will be trusted by ${BY} from 1 January 2999 on.`],
    ]) {
      await page.goto(`${base}/#issuer=${id}`);
      await expect.poll(() => sentence(page)).toBe(told);
    }
  });

  it('that look alike are told of as such, with whom they may be taken for', async () => {
    const { page } = await opened('#issuer=lantern.example');
    const note = page.locator('article .alike');
    await note.waitFor();
    expect(await note.textContent()).toBe(
      'This name looks like that of others. Only the id tells them apart: playground.example test only',
    );
    await note.getByRole('link').click();
    await expect.poll(() => note.textContent()).toMatch(/lantern\.example on hold$/);
    // Ids are in lower case: what differs in nothing else is the one suggestion.
    await page.goto(`${base}/#issuer=Harbour.Example`);
    await expect
      .poll(() => page.locator('.near li').allTextContents())
      .toEqual(['harbour.example Harbour Bank revoked']);
    await page.goto(`${base}/#issuer=harbour.example`);
    await page.getByRole('heading', { name: 'Harbour Bank', exact: true }).waitFor();
    expect(await note.count()).toBe(0);
  });

  it('have one vocabulary for tier and status', async () => {
    const { page } = await opened();
    const checked = page.locator('.issuers .status:has(path[d^="M3 8.5"])');
    expect(await checked.allInnerTexts()).toEqual(['trusted', 'trusted']);
    expect(await page.locator('.issuers .status').allInnerTexts()).toEqual([
      ...['trusted', 'revoked', 'on hold', 'trusted', 'test only', 'revoked', 'not yet'],
    ]);
    // "Since" is said only of whoever is trusted or listed.
    expect(await page.locator('.issuers .date').allInnerTexts()).toEqual([
      ...['15 January 2026', 'Was trusted from\n16 January 2022', 'Was listed from\n1 January 2026'],
      ...['1 January 2026', '1 January 2026', 'Trusted from\n1 January 2999', 'Trusted from\n1 January 2999'],
    ]);
  });

  it('come after the issuer, and take nothing from what is shown', async () => {
    const { base: slow, release } = await slowHost(dist);
    const { page } = await open(`${slow}/#issuer=harbour.example`);
    await page.locator('.verification.proven').waitFor();
    expect(await page.locator('#title').textContent()).toBe('harbour.example');
    const told = `harbour.example was trusted by ${BY} from 16 January 2022, and is revoked.`;
    expect(await sentence(page)).toBe(told);
    release();
    await page.getByRole('heading', { name: 'Harbour Bank', exact: true }).waitFor();
  });

  it('are awaited by a search, which says so until they are there', async () => {
    const { page } = await opened();
    let send = () => {};
    const asked = new Promise<void>((resolve) => {
      send = resolve;
    });
    await page.route('**/about.json', async (route) => asked.then(() => route.continue()));
    await page.goto('about:blank');
    await page.goto(`${base}/#q=stolen`);
    await page.getByText('0 of 7 issuers. Names are still loading.').waitFor();
    expect(await page.locator('#view').innerText()).not.toContain('No matching issuers');
    send();
    await expect.poll(() => page.locator('.count').innerText()).toBe('1 of 7 issuers.');
  });

  it.each<[string, (bytes: Buffer) => Buffer | undefined]>([
    ['does not send them', () => undefined],
    ['sends others', () => Buffer.from('{"issuers":{"harbour.example":{"name":"Aurora Bank"}}}')],
  ])('are not known if the host %s', async (_what, change) => {
    const host = await plainHost(dist, '404.html', (path, bytes) =>
      path === '/about.json' ? change(bytes) : bytes,
    );
    const { page } = await opened('#issuer=harbour.example', host);
    await page.getByText('What people call it is not known.').waitFor();
    await expect
      .poll(() => sentence(page))
      .toMatch(/revoked on 23 November 2026\. The reason is not known\.$/);
    expect(await page.locator('main').innerText()).not.toContain('Aurora');
    await page.getByRole('link', { name: 'Issuers', exact: true }).click();
    await page.getByText('What people call these issuers is not known').waitFor();
    expect(await lines(page)).toContainEqual(['harbour.example', 'harbour.example.internal']);
  });

  it('are none where the registry gives none', async () => {
    const folder = await publishedRecords({ gone: { status: 'revoked' } });
    const { page } = await opened('#issuer=gone', await plainHost(join(folder, 'dist'), '404.html'));
    await expect.poll(() => sentence(page)).toMatch(/, and is revoked\. No reason is given\.$/);
    expect(await page.locator('main').innerText()).not.toContain('not known');
  });
});
