import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import {
  describeInChromium,
  open,
  openWithClock,
  timeInWords,
  verdict,
  verification,
} from '../support/browser.js';
import { BAD, expectRefused, GOOD, published } from '../support/page-verdict.js';
import { listen, plainHost, serve } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { cli, clockAhead, recordText, temporaryFolder, workspace, writeFiles } from '../support/workspace.js';

describeInChromium('verification in the page', () => {
  let ed25519: string;

  beforeAll(async () => {
    ed25519 = await published('Ed25519', ...withKeys({ checkpoint: 'root.pem' }));
  });

  it.each(['Ed25519', 'P-256'] as const)('accepts a registry with a root key of %s', async (algorithm) => {
    const folder = await published(algorithm, ...withKeys({ checkpoint: 'root.pem' }));
    const { page, wrong } = await open(await serve(join(folder, 'dist')));
    expect(await verdict(page)).toBe(GOOD);
    const facts = await (await verification(page)).innerText();
    const read = (path: string) => readFileSync(join(folder, 'dist', path));
    expect(facts).toContain(JSON.parse(read('keys/root.json').toString()).kid);
    expect(facts).toContain(
      execFileSync('sha256sum', { input: read('issuers.json') })
        .toString()
        .slice(0, 64),
    );
    expect(facts).toContain(timeInWords(JSON.parse(read('issuers.json').toString()).updated_at));
    expect(facts).toMatch(/says that this list is the newest; signed at .* valid until /);
    expect(wrong).toEqual([]);
  });

  it('says in the badge when the list was proven to be the newest', async () => {
    const folder = await published('Ed25519', ...withKeys({ checkpoint: 'root.pem' }));
    const { page } = await openWithClock(await serve(join(folder, 'dist')), 3 * 60 * 60 * 1000);
    expect(await verdict(page)).toBe(GOOD);
    expect(await page.locator('.badge .age').textContent()).toBe('proven newest 3 hours ago');
  });

  it('shows no issuer after the end of its checkpoint', async () => {
    const folder = await workspace(['alpha']);
    await cli(['build', '--key', 'key.pem'], folder, clockAhead(-40 * 24 * 60));
    const { page, wrong } = await open(`${await serve(join(folder, 'dist'))}/#issuer=alpha`);
    await expectRefused(page, 'ERR_CHECKPOINT_EXPIRED', 'expired');
    expect(wrong).toEqual([]);
  });

  it('shows no list and no word of scripts under a link to one issuer before the script runs', async () => {
    const { page } = await open(await serve(join(ed25519, 'dist')));
    await verdict(page);
    await page.route('**/registry.js', (route) => route.abort());
    await page.goto('about:blank');
    await page.goto(`${await serve(join(ed25519, 'dist'))}/#issuer=alpha`);
    await page.getByRole('heading', { name: 'Not verified yet' }).waitFor();
    expect(await page.locator('#verification').innerText()).not.toContain('script');
    expect(await page.locator('main').innerText()).not.toMatch(/alpha|beta/);
  });

  it('shows nothing before it has come to a verdict', async () => {
    let answer: (() => void) | undefined;
    const base = await serve(join(ed25519, 'dist'));
    const host = await listen(async (request, response) => {
      if (request.url?.endsWith('statements.json')) await new Promise<void>((resolve) => (answer = resolve));
      const { status, headers, body } = await fetch(base + request.url);
      response.writeHead(status, { 'Content-Type': headers.get('content-type') ?? '' });
      response.end(body && Buffer.from(await new Response(body).arrayBuffer()));
    });
    const { page } = await open(host);
    await page.locator('.verification.checking').waitFor();
    await expect.poll(() => answer).toBeDefined();
    expect(await page.locator('main').innerText()).not.toMatch(/alpha|beta/);
    answer?.();
    expect(await verdict(page)).toBe(GOOD);
    expect(await page.locator('main').innerText()).toContain('alpha');
  });

  it('leads to the words on verifying it yourself by a link from elsewhere', async () => {
    const { page } = await open(`${await serve(join(ed25519, 'dist'))}/#verify`);
    await verdict(page);
    expect(await page.locator('#verify').evaluate((one) => one.getBoundingClientRect().top)).toBeLessThan(
      600,
    );
  });

  it('shows a change of many issuers as one, which opens into them', async () => {
    const many = ['alpha', 'beta.example', 'gamma', 'delta', 'epsilon'];
    const folder = await workspace(many);
    const build = () => cli(['build', '--key', 'key.pem', ...withKeys({ checkpoint: 'key.pem' })], folder);
    await build();
    for (const [at, id] of many.entries())
      writeFiles(folder, {
        [`issuers/${id}.yaml`]: recordText(id, { status: at === 0 ? 'revoked' : 'suspended' }),
      });
    await build();
    const { page } = await open(`${await serve(join(folder, 'dist'))}`);
    await page.locator('.changes li').first().waitFor();
    const entries = await page.locator('.changes > li').allInnerTexts();
    expect(entries.map((entry) => entry.replace(/^.*UTC: /, ''))).toEqual([
      'alpha: trusted → revoked',
      '4 issuers: trusted → suspended',
    ]);
    await page.locator('.changes summary').click();
    await page.locator('.changes details').getByRole('link', { name: 'gamma' }).click();
    await page.getByText('This issuer is suspended').waitFor();
  });

  it('shows changes of status where a checkpoint vouches for them, and not where they were altered', async () => {
    const folder = await published('Ed25519');
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
    await cli(['build', '--key', 'root.pem', ...withKeys({ checkpoint: 'root.pem' })], folder);
    const { page } = await open(`${await serve(join(folder, 'dist'))}`);
    await page.locator('.changes li').waitFor();
    expect(await page.locator('.changes').innerText()).toMatch(/alpha: trusted → suspended$/);
    await page.locator('.changes a').click();
    await page.locator('article').getByText('UTC: trusted → suspended').waitFor();
    const changes = Buffer.from(
      readFileSync(join(folder, 'dist/changes.json'), 'utf8').replace('"active"', '"revoked"'),
    );
    const sums = readFileSync(join(folder, 'dist/SHA256SUMS'), 'utf8');
    const resealed = sums.replace(
      /.*(?= {2}changes\.json\n)/,
      createHash('sha256').update(changes).digest('hex'),
    );
    const lies = [
      { '/changes.json': changes },
      { '/changes.json': changes, '/SHA256SUMS': Buffer.from(resealed) },
    ];
    for (const lie of lies as Record<string, Buffer>[]) {
      const host = await plainHost(join(folder, 'dist'), '404.html', (path, bytes) => lie[path] ?? bytes);
      const other = await open(host);
      expect(await verdict(other.page)).toBe(GOOD);
      await other.page.waitForLoadState('networkidle');
      expect(await other.page.locator('.changes').count()).toBe(0);
      expect(await other.page.locator('.recent').innerText()).toContain(
        'no changes of status and tier that can be verified',
      );
    }
  });
});

describeInChromium('the page for what is not there', () => {
  it('has the nearest ids of the verified list, and the way to it', async () => {
    const folder = await published('Ed25519');
    const host = await serve(join(folder, 'dist'));
    const { page, wrong } = await open(`${host}/issuers/beta.exampel`);
    await page.getByRole('link', { name: 'beta.example' }).waitFor();
    expect(await page.locator('.near').textContent()).toBe('beta.example trusted');
    // A missing file proves nothing of an issuer.
    expect(await page.locator('main').innerText()).toContain('the signed list decides');
    const list = page.getByRole('link', { name: 'All issuers' });
    expect(await list.evaluate((link: HTMLAnchorElement) => link.href)).toBe(`${host}/`);
    await page.getByRole('link', { name: 'beta.example' }).click();
    expect(await verdict(page)).toBe(GOOD);
    await page.getByRole('heading', { name: 'beta.example' }).waitFor();
    await page.goto(`${host}/elsewhere/beta.example`);
    await page.getByText('This registry has the issuer beta.example.').waitFor();
    expect(wrong.filter((one) => !one.includes('MIME'))).toEqual([]);
  });

  it('suggests nothing from a list that does not verify', async () => {
    const folder = await published('Ed25519');
    const tree = join(temporaryFolder(), 'dist');
    cpSync(join(folder, 'dist'), tree, { recursive: true });
    const list = readFileSync(join(tree, 'issuers.json'), 'utf8');
    for (const path of ['issuers.json', ...readdirSync(join(tree, 'lists')).map((name) => `lists/${name}`)])
      writeFileSync(join(tree, path), list.replace('"alpha"', '"alphb"'));
    const { page } = await open(`${await serve(tree)}/issuers/alphc`);
    expect(await verdict(page)).toBe(BAD);
    expect(await page.locator('#not-found').innerText()).toBe('');
  });
});
