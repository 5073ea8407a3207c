import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describeInChromium, open, verdict } from '../support/browser.js';
import { copyOf } from '../support/made-once.js';
import { serve } from '../support/serving.js';
import { cli, cliAnswering, filesOf, recordText, workspace, writeFiles } from '../support/workspace.js';

const PAGE = 'i/harbour.example.html';
const SETTINGS =
  'name: Nordic "Agents" <Registry>\nbase_url: https://registry.nordic.internal/eu\npage: { issuers: 3 }\n';
/** What a name and a reason may contain, and what must not become markup. */
const REASON = '"><script>alert(1)</script> {{name}} {reason}';

let made: string;

const build = async (folder: string, ...args: string[]) => {
  const { code, stderr, stdout } = await cliAnswering(
    'new',
    ['build', '--key', 'key.pem', '--json', '--allow-example-names', ...args],
    folder,
  );
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as { written: number; removed: number; notes: string[] };
};

beforeAll(async () => {
  made = await workspace([]);
  writeFiles(made, {
    'registry.yaml': SETTINGS,
    'issuers/harbour.example.yaml': recordText('harbour.example', {
      ...{ name: 'Harbour & Sons', status: 'revoked', certified_since: '2022-01-16T00:00:00Z' },
      ...{ status_reason: `'${REASON}'`, geographical_scope: '[NO, SE]', domain_scope: '[]' },
    }),
    'issuers/soon.yaml': recordText('soon', { certified_since: '2999-01-01T00:00:00Z' }),
    'issuers/plain.yaml': recordText('plain', { tier: 'registered' }),
  });
  await build(made);
});

const read = (folder: string, path: string) => readFileSync(join(folder, 'dist', path), 'utf8');
const verify = async (folder: string) => {
  const { stdout } = await cli(['verify', 'dist', '--json'], folder);
  const { checks } = JSON.parse(stdout) as { checks: { name: string; result: string; problems: string[] }[] };
  return checks.find(({ name }) => name === 'pages');
};

describe('the pages of issuers', () => {
  it('say what the list says, to programs that show links, with nothing of a record as markup', () => {
    const page = read(made, PAGE);
    const head = page.slice(0, page.indexOf('</head>'));
    expect(head).toContain(
      '<title>Harbour &#38; Sons: revoked – Nordic &#34;Agents&#34; &#60;Registry&#62;</title>',
    );
    expect(head).toContain('<meta property="og:title" content="Harbour &#38; Sons (harbour.example)">');
    expect(head).toContain(
      'content="Harbour &#38; Sons (harbour.example): revoked. Was trusted from 16 January 2022. Not verified, and without holds. Reason: “&#34;&#62;&#60;script&#62;alert(1)&#60;/script&#62; {{name}} {reason}”"',
    );
    expect(head).toContain(`<link rel="canonical" href="https://registry.nordic.internal/eu/${PAGE}">`);
    expect(page.match(/<script/g)).toHaveLength(1);
    const soon = read(made, 'i/soon.html');
    expect(soon).toContain('<title>soon: not yet');
    expect(soon).toContain('accept it already, and so do the commands below.');
    expect(page).not.toContain('accept it already');
    // The tier of the issuer itself would accept any issuer, and the thumbprint of the page trusts its host.
    for (const one of [soon, read(made, 'i/plain.html')]) {
      expect(one).toContain(' --thumbprint THUMBPRINT\n');
      expect(one).toContain(' --tier founding,certified --root-key');
    }
    const list = read(made, 'index.html');
    expect(
      list
        .match(/<td>(?:<span class="host">[\w ]+<\/span> )?<time [^>]+>[\w ]+/g)
        ?.map((one) => one.replaceAll(/<[^>]+>/g, '')),
    ).toEqual([...['Was trusted from 16 January 2022', '1 January 2026', 'Trusted from 1 January 2999']]);
    expect(read(made, 'i/plain.html')).toContain('plain: listed. Listed since');
  });

  it('are in a sums file of their own, and in a sitemap', () => {
    const paths = [...filesOf(join(made, 'dist')).keys()].filter((path) => /^i\/|^sitemap/.test(path));
    const listed = [...read(made, 'pages.txt').matchAll(/ {2}(.+)/g)].map(([, path]) => path);
    expect(listed).toEqual(paths.sort());
    const sums = read(made, 'SHA256SUMS');
    expect(sums.match(/ {2}(?:i\/|pages|sitemap).*/g)).toEqual(['  pages.txt']);
    const urls = [...read(made, 'sitemap.xml').matchAll(/<loc>(.*?)<\/loc>/g)].map(([, url]) => url);
    expect(urls).toEqual(
      ['', PAGE, 'i/plain.html', 'i/soon.html'].map((path) => `https://registry.nordic.internal/eu/${path}`),
    );
  });

  it('are not written again, but for that of an issuer that has changed', async () => {
    const folder = copyOf(made);
    writeFiles(folder, {
      'issuers/plain.yaml': recordText('plain', { tier: 'registered', status: 'suspended' }),
    });
    // The page and its sums; the record and its sums; list, signature, statement; the two files of changes, index.html, SHA256SUMS.
    expect(await build(folder)).toMatchObject({ written: 11, removed: 0 });
    expect(read(folder, 'i/plain.html')).toContain('plain: suspended');
  });

  it('warn of a name that looks like that of another, as the plain list does', async () => {
    const folder = copyOf(made);
    writeFiles(folder, {
      'issuers/plain.yaml': recordText('plain', { tier: 'registered', name: 'Harbоur & Sons Ltd' }),
      'issuers/tried.yaml': recordText('tried', { name: 'HARBOUR SONS' }),
      'registry.yaml': SETTINGS.replace('3', '4'),
    });
    await build(folder);
    const warning = (other: string) => `Its name looks like that of ${other}. Only the id tells them apart.`;
    for (const [id, other] of [
      // In the order of their standings, the trusted one first.
      ['plain', 'tried (trusted), harbour.example (revoked)'],
      ['harbour.example', 'tried (trusted), plain (listed)'],
      ['tried', 'plain (listed), harbour.example (revoked)'],
    ] as const) {
      const page = read(folder, `i/${id}.html`);
      expect(page.split(warning(other))).toHaveLength(3);
      expect(page).toMatch(/og:description" content="[^"]+ Its name looks like/);
      expect(read(folder, 'index.html')).toContain(warning(other));
    }
    expect(read(made, 'i/plain.html') + read(made, 'index.html')).not.toContain('looks like');
  });

  it('are for as many issuers as registry.yaml says, and a build without them removes them', async () => {
    const folder = copyOf(made);
    writeFiles(folder, { 'registry.yaml': SETTINGS.replace('3', '2') });
    // The three pages, the sums, the sitemap, and the configuration for Apache.
    const { removed, notes } = await build(folder);
    expect([removed, notes.join()]).toEqual([
      6,
      expect.stringContaining('The pages of issuers were removed'),
    ]);
    expect(await verify(folder)).toMatchObject({ result: 'skipped' });
  });

  it.each<[string, (dist: string) => unknown, string[]]>([
    [
      'all missing, as on a mirror',
      (dist) => ['i', 'sitemap.xml'].map((path) => rmSync(join(dist, path), { recursive: true })),
      [],
    ],
    ['one of them missing', (dist) => rmSync(join(dist, PAGE)), [`${PAGE} is missing`]],
    [
      'altered',
      (dist) => writeFileSync(join(dist, PAGE), ''),
      [`${PAGE} does not match its hash in pages.txt`],
    ],
    [
      'more than the list',
      (dist) => writeFileSync(join(dist, 'i/other.html'), ''),
      ['i/other.html is not in pages.txt'],
    ],
    ['without their sums', (dist) => rmSync(join(dist, 'pages.txt')), ['pages.txt is missing']],
    [
      'those of other issuers',
      (dist) => writeFileSync(join(dist, 'pages.txt'), read(made, 'pages.txt').replace('i/soon', 'i/later')),
      [
        'i/later.html is missing',
        'i/later.html is not the page of an issuer',
        'i/soon.html is not in pages.txt',
        'pages.txt does not list i/soon.html',
      ],
    ],
  ])('are compared with the list by an auditor: %s', async (_name, alter, problems) => {
    const folder = copyOf(made);
    alter(join(folder, 'dist'));
    const found = await verify(folder);
    expect(found).toMatchObject({ result: problems.length === 0 ? 'passed' : 'failed', problems });
  });

  it('are checked on a live host, and left out by a mirror over HTTP', async () => {
    const dist = join(made, 'dist');
    const { code, stderr } = await cli(
      ['mirror', await serve(dist), 'copy', '--root-key', 'dist/keys/root.json'],
      made,
    );
    expect(code, stderr).toBe(0);
    const copied = [...filesOf(join(made, 'copy/current')).keys()];
    expect(copied.filter((path) => /^(?:i\/|pages|sitemap)/.test(path))).toEqual(['pages.txt']);
    // Some hosts redirect a page to its name without .html.
    const short = join(copyOf(made), 'dist');
    const configuration = {
      ...JSON.parse(readFileSync(join(short, 'serve.json'), 'utf8')),
      cleanUrls: ['/i/**'],
    };
    writeFileSync(join(short, 'serve.json'), JSON.stringify(configuration));
    for (const tree of [dist, short]) {
      const live = await cli(['verify', await serve(tree), '--json'], made);
      const { checks } = JSON.parse(live.stdout) as { checks: { name: string; result: string }[] };
      expect(checks.filter(({ result }) => result === 'failed')).toEqual([]);
      expect(checks.find(({ name }) => name === 'pages')?.result).toBe('passed');
    }
  });
});

describeInChromium('the page of an issuer, in Chromium', () => {
  it('says that it is not verified, and what the list says, without a script', async () => {
    const { page } = await open(`${await serve(join(made, 'dist'))}/${PAGE}`, { javaScriptEnabled: false });
    expect(await page.locator('#verification').innerText()).toContain('nothing has been verified here');
    const view = await page.locator('main').innerText();
    for (const text of [
      'Harbour & Sons',
      'harbour.example',
      'revoked',
      REASON,
      '16 January 2022',
      'Norway, Sweden',
      'not verified',
      'passport-registry resolve harbour.example \\\n --tier founding,certified --root-key trust-anchor.json',
    ])
      expect(view).toContain(text);
  });

  it('shows the verified view once the script has run, and leads to the list', async () => {
    const base = await serve(join(made, 'dist'));
    const { page, wrong } = await open(`${base}/${PAGE}`);
    expect(await verdict(page)).toBe('Verified in your browser');
    await page.locator('.sentence').getByText('was trusted by').waitFor();
    expect(await page.locator('q.said').innerText()).toBe(REASON);
    expect(await page.title()).toBe('Harbour & Sons (harbour.example): Nordic "Agents" <Registry>');
    expect(page.url()).toBe(`${base}/${PAGE}`);
    await page.locator('.back a').click();
    await page.locator('.issuers tbody tr').first().waitFor();
    expect(page.url()).toBe(`${base}/#`);
    await page.locator('.issuers a').first().click();
    await page.getByRole('link', { name: 'Link to share' }).click();
    expect(page.url()).toBe(`${base}/${PAGE}`);
    expect(wrong).toEqual([]);
  });
});
