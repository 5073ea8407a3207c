import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { JWTPayload } from 'jose';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInChromium, open, openWithClock, timeInWords, verdict } from '../support/browser.js';
import { PROOF } from '../support/page-log.js';
import { freePort, plainHost } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { claimsOf, jwt, seconds, signerKey } from '../support/signed-tree.js';
import { noteSigner, ORIGIN, withCosignatures } from '../support/test-log.js';
import { cli, clockAhead, workspace, writeFiles } from '../support/workspace.js';

const GOOD = 'Verified in your browser';
const TYPE = 'registry-operations+jwt';
const HOUR = 60 * 60;
const NO_REPORT = 'Unknown: this host sends no report of the registry on its mirrors.';
/** The root key signs a statement that names the log, if there is one. */
const NO_LOG = 'The registry publishes no log.';

let folder: string;

/** When the lists were published. A list without a checkpoint is accepted for some weeks only. */
const [EARLY, LATE, LATER] = [5, 3, 2].map((hours) =>
  new Date(Date.now() - hours * HOUR * 1000).toISOString().replace(/\.\d+/, ''),
) as [string, string, string];

async function good(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(args, folder);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
  return stdout;
}

/** The trees: without a checkpoint, with one by the root key, and with one by an online key, and a log. */
beforeAll(async () => {
  folder = await workspace(['alpha', 'beta']);
  for (const name of ['root', 'online', 'stranger', 'log']) {
    writeFiles(folder, {
      [`${name}.json`]: await good('keys', 'generate', '--no-passphrase', '--private', `${name}.pem`),
    });
  }
  const { rootKey } = await signerKey(folder, 'online');
  const claims = { iat: seconds(-48 * HOUR), exp: seconds(30 * 24 * HOUR), keys: [rootKey.jwk], hold: true };
  const delegation = await jwt(await signerKey(folder, 'root'), 'registry-delegation+jwt', claims);
  const build = (out: string, ...more: string[]) =>
    good('build', '--key', 'root.pem', '--out', out, '--updated-at', EARLY, ...more);
  const online = ['--delegation', 'delegation.jwt', ...withKeys({ checkpoint: 'online.pem' })];
  await build('bare');
  await build('rooted', ...withKeys({ checkpoint: 'root.pem' }));
  writeFiles(folder, { 'delegation.jwt': delegation });
  await build('online', ...online);
  await build('logged', ...online, ...withKeys({ origin: ORIGIN, log: 'log.pem' }));
});

const tree = (name: string, ...steps: string[]) => join(folder, name, ...steps);

/** A copy of a tree, as a mirror has it. */
function copyOf(name: string, copy: string): string {
  cpSync(tree(name), tree(copy), { recursive: true });
  return tree(copy);
}

/** A statement of operations that anybody may have signed. */
async function statement(signer: string, claims: JWTPayload): Promise<Buffer> {
  const all = { iat: seconds(), exp: seconds(HOUR), mirrors: [], witnesses: [], ...claims };
  return Buffer.from(await jwt(await signerKey(folder, signer), TYPE, all));
}

/** A host of a tree on which some files are others, or missing. */
const hostWith = (name: string, files: Readonly<Record<string, Buffer | undefined>> = {}) => {
  // A host sends only files that it has.
  const copy = copyOf(name, `${name}-${++hosts}`);
  for (const [path, bytes] of Object.entries(files)) {
    if (bytes === undefined) rmSync(join(copy, path));
    else writeFiles(copy, { [path]: bytes });
  }
  return plainHost(copy, '404.html');
};
let hosts = 0;

async function opened(base: string, options: Parameters<typeof open>[1] = {}) {
  const { page, wrong } = await open(`${base}/#view=operations`, options);
  expect(await verdict(page)).toBe(GOOD);
  await page.locator('.operations').waitFor();
  return { page, wrong };
}

/** The text of a section, by its heading. */
const section = (page: Page, title: string) =>
  page
    .locator('.operations section')
    .filter({ has: page.getByRole('heading', { name: title, exact: true }) });

/** The cells of the rows of a table. */
async function rowsOf(page: Page, title: string): Promise<string[][]> {
  const rows = await section(page, title).locator('tbody tr').all();
  return Promise.all(rows.map((row) => row.locator('th, td').allInnerTexts()));
}

describeInChromium('the operations, in Chromium', () => {
  it('of a registry without a checkpoint, a log and mirrors say so', async () => {
    const { page, wrong } = await opened(await hostWith('bare'));
    expect(await page.title()).toBe('Operations: Registry of agent passport issuers');
    expect(await section(page, 'List').innerText()).toMatch(
      /Issuers\s+2\s+Updated\s+\d+ \w+ \d{4}, \d\d:\d\d UTC \(5 hours ago\)\s+On hold\s+unknown, because no checkpoint says so$/,
    );
    expect(await section(page, 'Checkpoint').innerText()).toContain(
      'unknown: this host sends none, so it could hide a newer list',
    );
    await section(page, 'Log').getByText(NO_LOG).waitFor();
    const events = await rowsOf(page, 'Next deadlines');
    expect(events.map(([, what]) => what)).toEqual([
      'Verifiers refuse the list as too old, unless a newer one or a newer checkpoint is signed',
    ]);
    expect(await section(page, 'Mirrors').innerText()).toContain(NO_REPORT);
    expect(await section(page, 'Witnesses').innerText()).toContain(NO_LOG);
    expect(wrong).toEqual([]);
  });

  it('say that the registry names no witnesses only where it says so itself', async () => {
    const { page } = await opened(
      await hostWith('online', { 'operations.jwt': await statement('online', {}) }),
    );
    expect(await section(page, 'Witnesses').innerText()).toContain('The registry names no witnesses.');
  });

  it('name the root key, if it signed the checkpoint', async () => {
    const { page } = await opened(await hostWith('rooted'));
    expect(await section(page, 'Checkpoint').innerText()).toMatch(/Signed by\s+the root key$/);
    const [[when = '', what] = []] = await rowsOf(page, 'Next deadlines');
    expect(when).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d UTC \(in \d+ hours\)$/);
    expect(what).toBe('The checkpoint expires, unless a newer one is signed');
  });

  it('name the online key, and what ends next, first things first', async () => {
    const { page } = await opened(await hostWith('online'));
    expect(await section(page, 'Checkpoint').innerText()).toMatch(
      /Signed by\s+an online key \(the only one\)$/,
    );
    const events = await rowsOf(page, 'Next deadlines');
    expect(events.map(([, what]) => what)).toEqual([
      'The checkpoint expires, unless a newer one is signed',
      'The delegation to the online keys expires, unless the root key signs a new one',
    ]);
    const { exp = 0 } = claimsOf(readFileSync(tree('online/checkpoint.jwt')));
    const first = section(page, 'Next deadlines').locator('time').first();
    expect(await first.getAttribute('datetime')).toBe(new Date(exp * 1000).toISOString());
  });

  it.each<[string, (older: Buffer) => Buffer | undefined]>([
    ['an older one', (older) => older],
    ['none', () => undefined],
  ])('name no delegation but that of the checkpoint, if the host sends %s', async (_what, sent) => {
    const older = readFileSync(tree('online/keys/delegation.jwt'));
    const { rootKey } = await signerKey(folder, 'online');
    const claims = { iat: seconds(-HOUR), exp: seconds(9 * 24 * HOUR), keys: [rootKey.jwk], hold: true };
    const delegation = await jwt(await signerKey(folder, 'root'), 'registry-delegation+jwt', claims);
    writeFiles(folder, { 'newer.jwt': delegation });
    copyOf('online', 'delegated');
    await good(
      ...['build', '--key', 'root.pem', '--out', 'delegated'],
      ...['--delegation', 'newer.jwt', ...withKeys({ checkpoint: 'online.pem' })],
    );
    let isOpen = false;
    const host = await plainHost(tree('delegated'), '404.html', (path, bytes) =>
      isOpen && path === '/keys/delegation.jwt' ? sent(older) : bytes,
    );
    const { page } = await open(host);
    expect(await verdict(page)).toBe(GOOD);
    isOpen = true;
    await page.getByRole('link', { name: 'Operations' }).click();
    await page.locator('.operations').waitFor();
    expect(await section(page, 'Checkpoint').innerText()).toContain(
      'an online key; this host does not send the delegation to it',
    );
    const events = await rowsOf(page, 'Next deadlines');
    expect(events.map(([, what]) => what)).toEqual([
      'The checkpoint expires, unless a newer one is signed',
      'The delegation to the online keys expires, unless the root key signs a new one',
    ]);
    expect(events[1]?.[0]).toBe('unknown: this host does not send the delegation');
  });

  it('name the issuers on hold, and lead to them', async () => {
    const held = copyOf('online', 'held');
    await good('hold', 'beta', '--online-key', 'online.pem', '--out', 'held');
    const { page, wrong } = await opened(await plainHost(held, '404.html'));
    await section(page, 'List').getByRole('link', { name: 'beta' }).click();
    await page.getByText('This issuer is on hold').waitFor();
    expect(wrong).toEqual([]);
  });

  it('are up to date while the page is open', async () => {
    const copy = copyOf('online', 'renewed');
    const signed = (page: Page) => section(page, 'Checkpoint').locator('time').getAttribute('datetime');
    const claimed = () => {
      const { iat = 0 } = claimsOf(readFileSync(join(copy, 'checkpoint.jwt')));
      return new Date(iat * 1000).toISOString();
    };
    const host = await plainHost(copy, '404.html');
    const { page } = await openWithClock(`${host}/#view=operations`);
    await page.locator('.operations').waitFor();
    const before = claimed();
    expect(await signed(page)).toBe(before);
    const args = ['checkpoint', 'renewed', '--online-key', 'online.pem'];
    expect((await cli(args, folder, clockAhead(1))).code).toBe(0);
    expect(claimed()).not.toBe(before);
    await page.clock.runFor(61_000);
    await expect.poll(() => signed(page)).toBe(claimed());
  });

  it('show each mirror with what the registry found on it', async () => {
    const mirror = (name: string, alter?: Parameters<typeof plainHost>[2]) =>
      plainHost(copyOf('online', name), '404.html', alter);
    const rebuild = (out: string, updatedAt: string) =>
      good(
        ...['build', '--key', 'root.pem', '--renew', '--out', out, '--updated-at', updatedAt],
        ...withKeys({ checkpoint: 'online.pem' }),
      );
    const late = await mirror('late');
    await rebuild('online', LATE);
    const [same, expired] = [await mirror('same'), await mirror('expired')];
    const old = { ...claimsOf(readFileSync(tree('expired/checkpoint.jwt'))), iat: seconds(-3 * HOUR) };
    const statement = await jwt(await signerKey(folder, 'root'), 'registry-checkpoint+jwt', {
      ...old,
      exp: seconds(-HOUR),
    });
    writeFiles(folder, { 'expired/checkpoint.jwt': statement });
    const altered = await mirror('altered', (path, bytes) =>
      path.endsWith('/issuers.json') ? Buffer.from(bytes.toString().replace('active', 'revoked')) : bytes,
    );
    const ahead = await mirror('ahead');
    await rebuild('ahead', LATER);
    const gone = `http://127.0.0.1:${await freePort()}`;
    const urls = [same, late, ahead, expired, altered, gone];
    copyOf('online', 'mirrored');
    await good('checkpoint', 'mirrored', '--online-key', 'online.pem', '--mirror', ...urls);
    const { page, wrong } = await opened(await plainHost(tree('mirrored'), '404.html'));
    expect(await rowsOf(page, 'Mirrors')).toEqual([
      [same, 'in sync', '', timeInWords(LATE)],
      [late, 'behind', '2 hours', timeInWords(EARLY)],
      [ahead, 'ahead', '', timeInWords(LATER)],
      [expired, 'expired: verifiers refuse it', '', timeInWords(LATE)],
      [altered, 'altered: verifiers refuse it', '', ''],
      [gone, 'unreachable', '', ''],
    ]);
    expect(await section(page, 'Mirrors').locator('.note').innerText()).toMatch(
      /^What the registry found on its mirrors at \d+ \w+ \d{4}, \d\d:\d\d UTC \((?:now|\d+ minutes? ago)\)\. The key of the checkpoint signed it\.$/,
    );
    // The page asks no mirror.
    expect(wrong).toEqual([]);
  });

  it('show which witnesses cosigned the head of the log, and when, by their keys', async () => {
    const [honest, slow, forged, stale, absent, stranger] = [
      ...['honest.example', 'slow.example', 'forged.example', 'stale.example', 'absent.example', 'x.example'],
    ].map((name) => noteSigner(name, 'witness')) as [Witness, Witness, Witness, Witness, Witness, Witness];
    const proof = readFileSync(tree('logged', PROOF), 'utf8');
    const times = { honest: seconds(-2 * HOUR) * 1000, slow: seconds(-50 * HOUR) * 1000 };
    // Under the name and the id of another key, of another text, and of a witness that the registry does not name.
    const others = [
      [{ ...forged, sign: stranger.sign }, Date.now()],
      [{ ...stale, sign: (text: string) => stale.sign(`${text}x`) }, Date.now()],
      [stranger, Date.now()],
    ] as const;
    const all = [
      [honest, times.honest],
      [honest, times.honest - 1000],
      [slow, times.slow],
      ...others,
    ] as const;
    const cosigned = withCosignatures(proof, all);
    const named = [honest, slow, forged, stale, absent];
    const witnesses = named.map(({ vkey }) => vkey);
    const { page, wrong } = await opened(
      await hostWith('logged', {
        [PROOF]: Buffer.from(cosigned),
        'operations.jwt': await statement('online', { witnesses, quorum: 2 }),
      }),
    );
    await expect.poll(() => rowsOf(page, 'Witnesses')).toHaveLength(5);
    const rows = await rowsOf(page, 'Witnesses');
    expect(rows.map(([name]) => name)).toEqual(named.map(({ key }) => key.name));
    expect(rows.map(([, cosignature]) => cosignature?.replace(/^.* UTC /, 'UTC '))).toEqual([
      ...['UTC (2 hours ago)', 'UTC (2 days ago)'],
      ...Array<string>(3).fill('this host sends no valid cosignature'),
    ]);
    const exact = section(page, 'Witnesses').locator('tbody time');
    expect(await exact.first().getAttribute('datetime')).toBe(new Date(times.honest).toISOString());
    expect(await section(page, 'Witnesses').innerText()).toContain('The registry demands 2 of 5 witnesses.');
    expect(await section(page, 'Log').innerText()).toMatch(
      /Log\s+registry\.example\/log\s+Head\s+\d+ entr(y|ies)\s+This list\s+publication 1, proven to be entry \d+$/,
    );
    expect(wrong).toEqual([]);
  });

  it('show no cosignature of a log that is not proven', async () => {
    const witness = noteSigner('honest.example', 'witness');
    const operations = await statement('online', { witnesses: [witness.vkey], quorum: 1 });
    const { page } = await opened(
      await hostWith('logged', { [PROOF]: undefined, 'operations.jwt': operations }),
    );
    await page.locator('#log').getByRole('alert').waitFor();
    for (const title of ['Log', 'Witnesses']) {
      expect(await section(page, title).innerText()).toContain('unknown: this page has no proof of a log.');
    }
    expect(await page.locator('.operations').innerText()).not.toContain('honest.example');
  });

  const MIRRORS = { mirrors: [{ url: 'https://mirror.example', state: 'in sync', behind: 0 }] };

  const unbelievable: [string, () => Promise<Buffer>][] = [
    ['altered', async () => alteredClaims(await statement('online', MIRRORS))],
    ['of a foreign key', () => statement('stranger', MIRRORS)],
    ['of the log key', () => statement('log', MIRRORS)],
    [
      'from the future',
      () => statement('online', { ...MIRRORS, iat: seconds(HOUR), exp: seconds(2 * HOUR) }),
    ],
    ['older than its delegation', () => statement('online', { ...MIRRORS, iat: seconds(-72 * HOUR) })],
    ['too large', async () => Buffer.concat([await statement('online', MIRRORS), Buffer.alloc(20_000)])],
    ['not a JWT', async () => Buffer.from('<b>in sync</b>')],
    ['of another type', async () => readFileSync(tree('online/checkpoint.jwt'))],
    [
      'of a mirror that is a script',
      () => statement('online', { mirrors: [{ url: 'javascript:alert(1)', state: 'in sync' }] }),
    ],
    [
      'of an unknown state',
      () => statement('online', { mirrors: [{ ...MIRRORS.mirrors[0], state: '<b>' }] }),
    ],
    [
      'of a witness whose key is wrong',
      () => statement('online', { ...MIRRORS, witnesses: ['w+00000000+Bx'] }),
    ],
  ];

  it('believe no report that is not signed, or not by the key of the checkpoint, or of another form', async () => {
    let report: Buffer | undefined;
    let asked = 0;
    const host = await plainHost(tree('online'), '404.html', (path, bytes) => {
      if (path !== '/operations.jwt') return bytes;
      asked++;
      return report;
    });
    writeFiles(tree('online'), { 'operations.jwt': await statement('online', MIRRORS) });
    report = readFileSync(tree('online/operations.jwt'));
    const { page, wrong } = await opened(host);
    await section(page, 'Mirrors').getByText('mirror.example').waitFor();
    for (const [name, make] of unbelievable) {
      await page.goto(`${host}/#`);
      await page.locator('.issuers').waitFor();
      report = await make();
      asked = 0;
      await page.goto(`${host}/#view=operations`);
      await page.locator('.operations').waitFor();
      expect([name, asked]).toEqual([name, 1]);
      expect([name, await section(page, 'Mirrors').innerText()]).toEqual([
        name,
        expect.stringMatching(
          /^Mirrors\s+Unknown: this host sends (?:no report of the registry|a report of the registry that is not valid: ERR_)/,
        ),
      ]);
      expect([name, await section(page, 'Witnesses').innerText()]).toEqual([
        name,
        expect.stringContaining(NO_LOG),
      ]);
      expect(await page.locator('.operations').innerText()).not.toMatch(/mirror\.example|in sync/);
    }
    expect(wrong).toEqual([]);
    rmSync(tree('online/operations.jwt'));
  });

  it('show a report that an online key has signed before the root key signed a checkpoint', async () => {
    const copy = copyOf('online', 'by-root');
    writeFiles(copy, { 'operations.jwt': await statement('online', MIRRORS) });
    await good('build', '--key', 'root.pem', '--out', 'by-root', ...withKeys({ checkpoint: 'root.pem' }));
    const { page } = await opened(await plainHost(copy, '404.html'));
    expect(await section(page, 'Checkpoint').innerText()).toMatch(/Signed by\s+the root key$/);
    expect(await rowsOf(page, 'Mirrors')).toEqual([['https://mirror.example', 'in sync', '', '']]);
  });

  it('show a report that has expired, with its age', async () => {
    const old = { ...MIRRORS, iat: seconds(-5 * HOUR), exp: seconds(-HOUR) };
    const { page } = await opened(
      await hostWith('online', { 'operations.jwt': await statement('online', old) }),
    );
    expect(await rowsOf(page, 'Mirrors')).toEqual([['https://mirror.example', 'in sync', '', '']]);
    expect(await section(page, 'Mirrors').locator('.note').innerText()).toContain('UTC (5 hours ago).');
  });

  it('show hostile names and URLs as text, on a telephone, too', async () => {
    const urls = [
      "https://mirror.example/'onmouseover='breach(1)",
      'http://[not-an-address]:99999/',
      `https://${'m'.repeat(60)}.example/${'p'.repeat(1500)}`,
    ];
    const names = ['<img/src=x/onerror=breach(1)>', '"><script>breach(1)</script>', 'w'.repeat(400)];
    const { page, wrong } = await opened(
      await hostWith('logged', {
        'operations.jwt': await statement('online', {
          mirrors: urls.map((url) => ({ url, state: 'unreachable' })),
          witnesses: names.map((name) => noteSigner(name, 'witness').vkey),
        }),
      }),
      { viewport: { width: 320, height: 700 } },
    );
    expect((await rowsOf(page, 'Mirrors')).map(([url]) => url)).toEqual(urls);
    await expect.poll(() => rowsOf(page, 'Witnesses')).toHaveLength(3);
    const shown = (await rowsOf(page, 'Witnesses')).map(([name]) => name);
    expect(shown).toEqual([names[0], names[1], `${'w'.repeat(100)}…`]);
    expect(await page.locator('.operations').locator('img, script, [onmouseover]').count()).toBe(0);
    expect(await section(page, 'Mirrors').getByRole('link').count()).toBe(2);
    const overflow = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0);
    expect(wrong).toEqual([]);
  });
});

type Witness = ReturnType<typeof noteSigner>;

/** Changes the state of the mirrors, under the signature of the statement that said otherwise. */
function alteredClaims(statement: Buffer): Buffer {
  const [header, , signature] = statement.toString().split('.');
  const claims = JSON.stringify(claimsOf(statement)).replace('"behind":0', '"behind":1');
  return Buffer.from([header, Buffer.from(claims).toString('base64url'), signature].join('.'));
}
