import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Issuer } from '@passport-registry/verifier';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { describeInChromium, open, verdict, verification, visibleId } from '../support/browser.js';
import { ROOT } from '../support/paths.js';
import { plainHost, slowHost } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { unverifiedScript } from '../support/unverified-script.mjs';
import { cli, recordText, run, workspace, writeFiles } from '../support/workspace.js';

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
  const folder = await workspace([]);
  writeFiles(folder, {
    'issuers/aurora.yaml': recordText('aurora', AURORA),
    'issuers/bare.yaml': recordText('bare', { tier: 'sandbox', last_audit: 'null' }),
    'issuers/listed.yaml': recordText('listed', { tier: 'registered', certified_since: daysAgo(50) }),
    'issuers/gone.yaml': recordText('gone', { status: 'revoked' }),
    'issuers/held.yaml': recordText('held', { tier: 'registered' }),
    'issuers/early.yaml': recordText('early', { certified_since: '2999-01-01T00:00:00Z' }),
    'issuers/paused.yaml': recordText('paused', { status: 'suspended' }),
  });
  const key = ['--key', 'key.pem'];
  for (const args of [
    ['build', ...key, ...withKeys({ checkpoint: 'key.pem' })],
    ['hold', 'held', '--online-key', 'key.pem'],
  ]) {
    const { code, stderr } = await cli(args, folder);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
  }
  dist = join(folder, 'dist');
  base = await plainHost(dist, '404.html');
});

async function opened(id: string, options: Parameters<typeof open>[1] = {}) {
  const { page, wrong } = await open(`${base}/#issuer=${id}`, options);
  expect(await verdict(page)).toBe(GOOD);
  await page.getByRole('heading', { name: id, exact: true }).waitFor();
  await page.locator('article.issuer').waitFor();
  return { page, wrong };
}

const policyField = (page: Page) => page.getByLabel('A trust policy: change it to see what a verifier');

/** What the page says that a verifier decides: the verdict, and the codes of the reasons. */
async function decision(page: Page): Promise<string[]> {
  const shown = page.locator('.decision');
  return [
    ...(await shown.locator('p').allTextContents()),
    ...(await shown.locator('code').allTextContents()),
  ];
}

const ACCEPTED = 'A verifier with this policy accepts the issuer.';
const REJECTED = 'A verifier with this policy rejects the issuer.';

describeInChromium('the page of an issuer, in Chromium', () => {
  it('answers in the order of the questions: trust and why, what for, keys, changes, use', async () => {
    const { page, wrong } = await opened('aurora');
    const parts = `Array.from(document.querySelector('article.issuer').children, (part) =>
      part.matches('h3') ? part.textContent : part.className)`;
    await page.locator('.issuer > .note').waitFor();
    expect(await page.evaluate(parts)).toEqual([
      ...['id', 'back', 'verdict active', 'fields'],
      ...['What its passports are for', 'fields'],
      ...['Where its keys are', 'fields'],
      ...['Changes', 'note'],
      ...['Use this issuer', 'use', 'record'],
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
    await page.goto(`${base}/#issuer=bare`);
    await policyField(page).fill('{ "tiers": ["sandbox"] }');
    await expect.poll(() => decision(page)).toEqual([ACCEPTED, 'policy-met']);
    expect(await page.locator('.decision .accepted').count()).toBe(0);
    // The policy does not ask since when an issuer is trusted.
    await page.goto(`${base}/#issuer=early`);
    const already = ' already, although it is trusted only from 1 January 2999 on.';
    await expect.poll(() => decision(page)).toEqual([ACCEPTED.replace('.', already), 'policy-met']);
    expect(await page.locator('.decision .accepted').count()).toBe(0);
  });

  it('decides live under the policy of the reader, with every reason', async () => {
    const { page } = await opened('aurora');
    await expect.poll(() => decision(page)).toEqual([ACCEPTED, 'policy-met']);
    const tiers = ['founding'];
    const named = [{ issuer_id: 'aurora', reason: 'r' }];
    const cases: [object, string, ...string[]][] = [
      [{ tiers: ['certified'] }, REJECTED, 'tier-not-accepted'],
      [{ tiers }, ACCEPTED, 'policy-met'],
      [{ tiers, domains: ['health'] }, REJECTED, 'domain-not-covered'],
      [{ tiers, geography: ['NO-03'] }, ACCEPTED, 'policy-met'],
      [{ tiers, geography: ['US'] }, REJECTED, 'geography-not-covered'],
      [{ tiers, passport_types: ['human-proxy'] }, REJECTED, 'passport-type-not-covered'],
      [{ tiers, min_certified_days: 36500 }, REJECTED, 'certified-too-recently'],
      [{ tiers, max_audit_days: 1 }, REJECTED, 'audit-too-old'],
      [{ tiers, deny: named }, REJECTED, 'denied'],
      [{ tiers: [], allow: named }, ACCEPTED, 'allowed'],
      [
        { tiers: [], domains: ['health'], geography: ['US'], max_audit_days: 1 },
        ...([REJECTED, 'tier-not-accepted', 'domain-not-covered', 'geography-not-covered'] as const),
        'audit-too-old',
      ],
    ];
    for (const [policy, ...expected] of cases) {
      await policyField(page).fill(JSON.stringify(policy));
      await expect.poll(async () => [policy, ...(await decision(page))]).toEqual([policy, ...expected]);
    }
  });

  it('says what is wrong with a policy, and decides nothing by it', async () => {
    const { page, wrong } = await opened('aurora');
    for (const [policy, message] of [
      ['{ "tiers": ["founding"]', /^This is not JSON: .+\.$/],
      ['', /^This is not JSON: .+\.$/],
      ['<img src=x onerror=alert(1)>', /^This is not JSON: .*<img.*\.$/],
      ['null', /^This is not a trust policy: a trust policy must be a JSON object\.$/],
      ['[]', /^This is not a trust policy: /],
      ['{}', /^This is not a trust policy: a trust policy must have the member tiers\.$/],
      [
        '{ "tiers": [], "domain": [] }',
        /^This is not a trust policy: "domain" is not a member of a trust policy/,
      ],
      ['{ "tiers": ["gold"] }', /^This is not a trust policy: tiers.*gold.*; the tiers are founding, /],
      ['{ "<b>{schema}</b>": 1 }', /^This is not a trust policy: "<b>{schema}<\/b>" is not a member/],
      ['{ "__proto__": 1 }', /^This is not a trust policy: "__proto__" is not a member/],
    ] as const) {
      await policyField(page).fill(policy);
      await expect.poll(() => page.locator('.decision').textContent()).toMatch(message);
      expect(await page.locator('.decision').locator('.accepted, .rejected, img, b').count()).toBe(0);
    }
    await policyField(page).fill('{ "tiers": ["founding"] }');
    await expect.poll(() => decision(page)).toEqual([ACCEPTED, 'policy-met']);
    expect(wrong).toEqual([]);
  });

  it('shows what a policy says of an issuer as text', async () => {
    const { page, wrong } = await opened('aurora');
    const reason = '<img src=x onerror=alert(1)>';
    const deny = [{ issuer_id: 'aurora', reason }];
    await policyField(page).fill(JSON.stringify({ tiers: ['founding'], deny }));
    await expect.poll(() => page.locator('.decision li').allTextContents()).toEqual([`denied: ${reason}`]);
    expect(wrong).toEqual([]);
  });

  it.each([
    ['aurora', ACCEPTED, 'policy-met'],
    ['bare', REJECTED, 'tier-not-accepted'],
    ['gone', REJECTED, 'status-revoked'],
    ['held', REJECTED, 'issuer-held', 'tier-not-accepted'],
    ['paused', REJECTED, 'status-suspended'],
  ])('decides the same of %s before the list is there, and after', async (id, ...expected) => {
    const { base: slow, release } = await slowHost(dist);
    const { page, wrong } = await open(`${slow}/#issuer=${id}`);
    await page.locator('.verification.proven').waitFor();
    await expect.poll(() => decision(page)).toEqual(expected);
    const mine = '{ "tiers": [], "max_audit_days": 1 }';
    await policyField(page).fill(mine);
    const status = expected.slice(1).filter((code) => /^(?:status|issuer)-/.test(code));
    const audit = id === 'aurora' ? 'audit-too-old' : 'audit-missing';
    const refused = [REJECTED, ...status, 'tier-not-accepted', audit];
    await expect.poll(() => decision(page)).toEqual(refused);
    release();
    expect(await verdict(page)).toBe(GOOD);
    await page.getByText('This is the record in the signed list.').waitFor({ state: 'attached' });
    // The reader has not finished.
    expect(await policyField(page).inputValue()).toBe(mine);
    await expect
      .poll(() => policyField(page).evaluate((field) => field === document.activeElement))
      .toBe(true);
    await expect.poll(() => decision(page)).toEqual(refused);
    expect(wrong).toEqual([]);
  });

  it('begins with the policy of the next issuer there', async () => {
    const { page } = await opened('aurora');
    await policyField(page).fill('{ "tiers": ["certified"] }');
    await page.goto(`${base}/#issuer=held`);
    await page.getByRole('heading', { name: 'held', exact: true }).waitFor();
    expect(JSON.parse(await policyField(page).inputValue())).toEqual({
      tiers: ['founding', 'certified'],
    });
  });
});

/** The code of the page for the issuer that it shows. */
const codeOf = async (page: Page) => (await page.locator('.use pre code').textContent()) ?? '';

/** Where a script finds the verifier by its name, because it is inside the checkout. */
const SCRIPTS = join(ROOT, 'test-results', 'page-code');

function writeCode(name: string, code: string): void {
  writeFiles(SCRIPTS, { [`${name}.mjs`]: code });
}

/** Runs the code as a reader would, in a project that has the verifier installed. */
async function runCode(name: string, code: string) {
  writeCode(name, code);
  // Node.js 20.19 warns that Ed25519 in WebCrypto is experimental.
  return run(process.execPath, ['--disable-warning=ExperimentalWarning', `${name}.mjs`], SCRIPTS);
}

describeInChromium('the code for an issuer, in Chromium', () => {
  it('runs as it stands there', async () => {
    const { page } = await opened('aurora');
    const { kid } = JSON.parse(readFileSync(join(dist, 'keys/root.json'), 'utf8'));
    const cases = [
      ['aurora', 'accepted: true', 'policy-met'],
      ['listed', 'accepted: false', 'tier-not-accepted'],
    ] as const;
    for (const [id] of cases) {
      await page.goto(`${base}/#issuer=${id}`);
      await page.getByRole('heading', { name: id, exact: true }).waitFor();
      await expect.poll(() => codeOf(page)).toContain(`decide("${id}"`);
      const code = await codeOf(page);
      expect(code).toContain(`// compare the thumbprint first: ${kid}\n`);
      writeCode(id, code);
    }
    // Each as a module of its own, in one process.
    const all = cases.map(([id]) => `console.log('of ${id}'); await import('./${id}.mjs');`);
    const { code: exit, stdout, stderr } = await runCode('all', all.join('\n'));
    expect([exit, stderr]).toEqual([0, '']);
    for (const [id, ...expected] of cases) {
      const said = stdout.split(`of ${id}\n`)[1]?.split(/^of /m)[0];
      for (const words of [...expected, `issuer_id: '${id}'`]) expect(said).toContain(words);
    }
  });

  it.each([
    ['bare', 'There is no code to copy: this issuer is for tests only.'],
    ...['paused', 'gone', 'held'].map((id) => [
      id,
      'There is no code to copy: verifiers reject this issuer.',
    ]),
  ])('is not there for %s, which nobody should use', async (id, words) => {
    const { page } = await opened(id);
    await page.getByRole('heading', { name: 'What a verifier decides' }).waitFor();
    expect(await page.locator('.use > p').allTextContents()).toEqual([words]);
    expect(await page.locator('.use pre').count()).toBe(0);
    // The decision stays, with its reasons.
    await page.locator('.decision code').first().waitFor();
  });

  it('runs on a mirror whose path is hostile', async () => {
    const served = join(dist, '../served');
    const path = `it's "here"\`$\{alert(1)}\`\\);*/x`;
    cpSync(dist, join(served, path), { recursive: true });
    const host = await plainHost(served, `${path}/404.html`);
    const { page, wrong } = await open(`${host}/${encodeURI(path)}/#issuer=aurora`);
    expect(await verdict(page)).toBe(GOOD);
    await page.locator('.use').waitFor();
    const { code, stdout, stderr } = await runCode('hostile-path', await codeOf(page));
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toContain('accepted: true');
    expect(wrong).toEqual([]);
  });

  it('keeps hostile values of a record inside its strings', async () => {
    const texts = [
      '"); globalThis.breached = true; ("',
      "'); globalThis.breached = true; ('",
      `\`$\{(globalThis.breached = true)}\``,
      '\\"); globalThis.breached = true; //',
      'a\n"); globalThis.breached = true; //',
      'a\u2028"); globalThis.breached = true; //',
      '*/ globalThis.breached = true; /*',
      '</code></pre><script>breach(1)</script>',
    ];
    const issuers = texts.map((text) => ({
      ...{ issuer_id: text, tier: text, status: 'active', jwks_uri: text, discovery_uri: text },
      ...{ certified_since: text, geographical_scope: [text], domain_scope: [text], passport_types: [text] },
    })) as unknown as Issuer[];
    const list = Buffer.from(JSON.stringify({ issuers, updated_at: '2026-01-01T00:00:00Z' }));
    // No verifier accepts such values, so the page of the test does not verify.
    const script = Buffer.from(await unverifiedScript());
    const replaced: Readonly<Record<string, Buffer>> = {
      '/issuers.json': list,
      '/assets/registry.js': script,
    };
    const { page, wrong } = await open(
      await plainHost(dist, '404.html', (path, bytes) => replaced[path] ?? bytes),
    );
    await verdict(page);
    for (const text of texts) {
      await page.evaluate(`location.hash = ${JSON.stringify(String(new URLSearchParams({ issuer: text })))}`);
      await expect.poll(() => page.locator('#title').textContent()).toBe(visibleId(text));
      const [imports, ...rest] = (await codeOf(page)).split(';\n');
      expect(imports).toBe("import { createRegistryClient } from '@passport-registry/verifier'");
      const called: unknown[] = [];
      const client = {
        ready: () => undefined,
        decide: (...args: unknown[]) => called.push(args),
        close() {},
      };
      const world = { createRegistryClient: () => client, console: { log: () => undefined } };
      const AsyncFunction = (async () => undefined).constructor as FunctionConstructor;
      await new AsyncFunction(...Object.keys(world), rest.join(';\n'))(...Object.values(world));
      // The policy that a reader begins with takes nothing from the record.
      expect(called).toEqual([[text, { tiers: ['founding', 'certified'] }]]);
      expect(globalThis).not.toHaveProperty('breached');
    }
    expect(wrong).toEqual([]);
  });

  it('is copied by its button', async () => {
    const { page } = await opened('aurora', { permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await codeOf(page));
  });

  it('is selected where the browser has no clipboard for the page', async () => {
    const { page, wrong } = await opened('aurora');
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`);
    await page.getByRole('button', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Press Ctrl+C to copy' }).waitFor();
    expect(await page.evaluate('getSelection().toString()')).toBe(await codeOf(page));
    expect(wrong).toEqual([]);
  });
});

describeInChromium('a part of the page that the host does not send', () => {
  it('is missed in words, with a way to load the page again, and the list is still there', async () => {
    const index = readFileSync(join(dist, 'index.html'), 'utf8');
    let isGone = true;
    const host = await plainHost(dist, '404.html', (path, bytes) =>
      isGone && /\/parts\/[^/]+\.js$/.test(path) && !index.includes(path.slice(1)) ? undefined : bytes,
    );
    const { page, wrong } = await open(`${host}/#issuer=aurora`);
    expect(await verdict(page)).toBe(GOOD);
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
