import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeInChromium, open, openWithClock, verdict } from '../support/browser.js';
import { emptyHost } from '../support/index-page.js';
import { statementChanged } from '../support/page-verdict.js';
import { ROOT } from '../support/paths.js';
import { plainHost, serve } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { rounds } from '../support/soak.js';
import { ORIGIN } from '../support/test-log.js';
import { cli, clockAhead, recordText, workspace, writeFiles } from '../support/workspace.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SCREENSHOTS = join(ROOT, 'test-results/screenshots');
const WIDTHS = [320, 390, 1280, 2560];
/** For the list: both sides of the width from which it has all its columns, and the width of a sheet of paper. */
const EDGES = [718, 831, 832, 1000];
/** The cells of tables whose text covers the next cell. */
const CUT = `Array.from(document.querySelectorAll('td, th'), (cell) => cell.scrollWidth > cell.clientWidth ? cell.innerText : '').filter(Boolean)`;
/** Whether the page is wider than its window. */
const OVERFLOW = 'document.documentElement.scrollWidth > document.documentElement.clientWidth';
/** The colours and widths in which axe looks at each state, and in which each state is kept as a picture. */
const isSoak = rounds({ usual: 0, soak: 1 }) === 1;
const ALL = (['light', 'dark'] as const).flatMap((scheme) => WIDTHS.map((width) => [scheme, width] as const));
const EXAMINED = isSoak
  ? ALL
  : ([
      ['dark', 320],
      ['light', 1280],
    ] as const);
const PICTURES = isSoak ? ALL : ([['light', 1280]] as const);

let folder: string;

beforeAll(async () => {
  folder = await workspace([]);
  const examples = ['aurora-bank', 'cedar-health', 'harbour-logistics', 'lantern-labs'];
  for (const name of [...examples, 'passports.meridian.example', 'playground']) {
    const text = readFileSync(join(ROOT, 'issuers', `${name}.yaml`), 'utf8');
    const active = text.replace(/^status: suspended\nstatus_reason: .*$/m, 'status: active');
    writeFiles(folder, { [`issuers/${name}.yaml`]: active });
  }
  const many = Array.from({ length: 120 }, (_one, index) => `zz-${index}.example`);
  writeFiles(
    folder,
    Object.fromEntries(many.map((id) => [`issuers/${id}.yaml`, recordText(id, { tier: 'registered' })])),
  );
  const before = new Date(Date.now() - 7_200_000).toISOString().replace(/\.\d+/, '');
  const build = (...args: string[]) => cli(['build', ...args], folder);
  const key = ['--key', 'key.pem', '--allow-example-names'];
  await build(...key, '--updated-at', before);
  writeFiles(folder, { 'issuers/cedar-health.yaml': readFileSync(join(ROOT, 'issuers/cedar-health.yaml')) });
  await build(...key, ...withKeys({ checkpoint: 'key.pem' }));
  await build('--out', 'development');
  await build(...withKeys({ origin: ORIGIN }), '--out', 'logged', '--updated-at', before);
  writeFiles(folder, {
    'issuers/cedar-health.yaml': recordText('cedar-health', { contact: 'desk@cedar.internal' }),
  });
  await build(...withKeys({ origin: ORIGIN }), '--out', 'logged');
  writeFiles(folder, { 'issuers/cedar-health.yaml': readFileSync(join(ROOT, 'issuers/cedar-health.yaml')) });
  // The longest values, without a place to break them.
  writeFiles(folder, {
    'named.yaml': `
name: ${'N'.repeat(100)}
description: ${'d'.repeat(500)}
contact: ${'c'.repeat(64)}@${'h'.repeat(60)}.example
homepage: https://www.registry.example/${'p'.repeat(2000)}
`,
    'right-to-left.yaml': 'name: سجل جهات إصدار جوازات الوكلاء\ndescription: سجل الجهات الموثوقة (EU).\n',
  });
  for (const name of ['named', 'right-to-left'])
    await build(...key, '--config', `${name}.yaml`, '--out', name);
});

/** A host of a registry with so many issuers. */
async function hostOf(count: number): Promise<string> {
  const ids = Array.from({ length: count }, (_one, index) => `issuer-${index}`);
  const registry = await workspace(ids);
  await cli(['build', '--key', 'key.pem', ...withKeys({ checkpoint: 'key.pem' })], registry);
  return serve(join(registry, 'dist'));
}

/** Opens a page whose host answers no more since ten minutes ago. */
async function openLate(address: string) {
  const { page, wrong } = await openWithClock(address);
  await verdict(page);
  expect(wrong).toEqual([]);
  await page.route('**', (route) => route.abort());
  await page.clock.runFor(600_000);
  await page.locator('.verification.late').waitFor();
  // The requests that fail are no fault of the page.
  return { page, wrong: [] };
}

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

/** What axe finds against WCAG 2.2 at levels A and AA, and against good practice. */
async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate(`'axe' in globalThis`))) await page.evaluate(AXE);
  const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
  const options = { runOnly: { type: 'tag', values: tags }, resultTypes: ['violations'] };
  const found = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )) as Violation[];
  return found.map(({ id, nodes }) => `${id}: ${nodes[0]?.html} ${nodes[0]?.failureSummary}`);
}

describeInChromium('the page for everybody', () => {
  let good: string;
  let bad: string;
  let expired: string;
  let development: string;
  let logged: string;
  let unlogged: string;
  let named: string;
  let rightToLeft: string;
  let empty: string;
  let one: string;
  let many: string;

  beforeAll(async () => {
    good = await serve(join(folder, 'dist'));
    bad = await plainHost(join(folder, 'dist'), '404.html', (path, bytes) =>
      /\/(?:issuers\.json|lists\/.*)$/.test(path) ? bytes.subarray(1) : bytes,
    );
    const key = ['--key', 'key.pem', '--allow-example-names', ...withKeys({ checkpoint: 'key.pem' })];
    await cli(['build', ...key, '--out', 'expired'], folder, clockAhead(-2 * 24 * 60));
    expired = await serve(join(folder, 'expired'));
    development = await serve(join(folder, 'development'));
    logged = await serve(join(folder, 'logged'));
    unlogged = await plainHost(join(folder, 'logged'), '404.html', (path, bytes) =>
      path === '/statements.json' ? statementChanged('log_proof', () => undefined)(bytes) : bytes,
    );
    named = await serve(join(folder, 'named'));
    rightToLeft = await serve(join(folder, 'right-to-left'));
    [one, many] = (await Promise.all([1, rounds({ usual: 1100, soak: 10_000 })].map(hostOf))) as [
      string,
      string,
    ];
    empty = await emptyHost(join(folder, 'dist'));
    mkdirSync(SCREENSHOTS, { recursive: true });
  });

  const states: [string, () => string][] = [
    ['list', () => `${good}/`],
    ['empty', () => `${empty}/`],
    ['one', () => `${one}/`],
    ['many', () => `${many}/`],
    ['late', () => `${good}/`],
    ['filtered', () => `${good}/#q=no-such-thing`],
    ['issuer', () => `${good}/#issuer=cedar-health`],
    ['unknown-issuer', () => `${good}/#issuer=cedar-helth`],
    ['not-found', () => `${good}/issuers/cedar-helth`],
    ['not-verified', () => `${bad}/`],
    ['expired', () => `${expired}/`],
    ['development', () => `${development}/`],
    ['logged', () => `${logged}/#issuer=cedar-health`],
    ['not-logged', () => `${unlogged}/#issuer=cedar-health`],
    ['named', () => `${named}/`],
    ['right-to-left', () => `${rightToLeft}/`],
  ];

  it.each(states)(
    'has no barrier in the state %s, at any width, and breaks no policy of its own',
    async (name, address) => {
      // In a usual run, axe looks at the states in one of two ways, in turn.
      const turn = states.findIndex(([one]) => one === name) % 2;
      const examined = EXAMINED.filter((_one, at) => isSoak || at === turn);
      const { page, wrong } = await (name === 'late' ? openLate(address()) : open(address()));
      if (name === 'not-found') await page.locator('#not-found a').first().waitFor();
      else await verdict(page);
      if (name === 'list' || name === 'issuer') await page.locator('.changes').waitFor();
      const show = async (colorScheme: 'light' | 'dark', width: number) => {
        await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
        await page.setViewportSize({ width, height: 900 });
      };
      await page.evaluate(
        `globalThis.folded = document.querySelectorAll('details:not([open])'); for (const one of folded) one.open = true`,
      );
      await page.emulateMedia({ colorScheme: 'light' });
      const edges = isSoak || (await page.locator('.issuers').count()) > 0 ? EDGES : [];
      for (const width of [...WIDTHS, ...edges]) {
        await page.setViewportSize({ width, height: 900 });
        expect([width, await page.evaluate(`[${OVERFLOW}, ...${CUT}]`)]).toEqual([width, [false]]);
      }
      // It asks nobody else, either. Axe adds a style, which the policy refuses.
      expect(wrong.filter((one) => !one.includes('MIME'))).toEqual([]);
      for (const [scheme, width] of examined) {
        await show(scheme, width);
        expect([scheme, width, await violations(page)]).toEqual([scheme, width, []]);
      }
      await page.evaluate(`for (const one of folded) one.open = false`);
      for (const [scheme, width] of PICTURES) {
        await show(scheme, width);
        const picture = await page.screenshot({ fullPage: /issuer|logged/.test(name) });
        writeFileSync(join(SCREENSHOTS, `${name}-${width}-${scheme}.png`), picture);
      }
    },
  );

  it('has a policy without unsafe words, under which a script that gets in cannot run', async () => {
    const { page, wrong } = await open(`${good}/`);
    await verdict(page);
    const policy = await page.locator('meta[http-equiv]').getAttribute('content');
    expect(policy).toMatch(/^default-src 'none'; script-src 'self';/);
    expect(policy).not.toMatch(/unsafe|\*|data:|https?:/);
    const inject = `(() => { try { document.body.innerHTML = '<img src=x onerror=alert(1)>'; return 'let'; } catch { return 'refused'; } })()`;
    expect(await page.evaluate(inject)).toBe('refused');
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: 'https://evil.example/' }))`,
    );
    await page.evaluate(`fetch('https://evil.example/').catch(() => undefined)`);
    expect(wrong.filter((one) => one.startsWith('policy: ')).length).toBeGreaterThan(1);
    expect(wrong.filter((one) => one.startsWith('dialog'))).toEqual([]);
  });
});

describe('the weight of the page', () => {
  it('is at most 45 kB compressed until the issuers are there, and 60 kB with all parts', async () => {
    const small = await workspace(['alpha']);
    await cli(['build'], small);
    const dist = (path: string) => readFileSync(join(small, 'dist', path));
    const weigh = (paths: readonly string[]) =>
      paths.map((path) => gzipSync(dist(path), { level: 6 }).length).reduce((a, b) => a + b, 0);
    const page = dist('index.html').toString();
    const preloads = [...page.matchAll(/modulepreload" href="([^"]+)"/g)].map(([, path = '']) => path);
    expect(preloads).toHaveLength(1);
    // What the script imports before it runs is preloaded, and nothing else.
    const imported = [
      ...dist('assets/registry.js')
        .toString()
        .matchAll(/from\s*"\.\/([^"]+)"/g),
    ].map(([, name]) => `assets/${name}`);
    expect([...new Set(imported)]).toEqual(preloads);
    // The files of the registry are not counted. They are as large as the registry, as is its list in index.html.
    const first = [
      'index.html',
      ...[...page.matchAll(/(?:href|src)="(assets\/[^"]+)"/g)].map(([, path = '']) => path),
    ];
    expect(first.sort()).toEqual(
      [...['assets/icon.svg', 'assets/registry.css', 'assets/registry.js', 'index.html'], ...preloads].sort(),
    );
    expect(weigh(first)).toBeLessThanOrEqual(45_000);
    const parts = readdirSync(join(small, 'dist/assets/parts')).map((name) => `assets/parts/${name}`);
    expect(weigh([...new Set([...first, ...parts])])).toBeLessThanOrEqual(60_000);
  });
});
