import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { open, openWithClock, verdict, verification } from '../support/browser.js';
import { describeWith } from '../support/components.js';
import { listen, plainHost, serve, slowHost } from '../support/serving.js';
import {
  cli,
  clockAhead,
  recordText,
  run,
  temporaryFolder,
  workspace,
  writeFiles,
} from '../support/workspace.js';

const GOOD = 'Verified in your browser';
const BAD = 'Not verified: trust nothing here';

/** A workspace whose key is of a kind, with its tree in dist/. */
async function published(algorithm: 'Ed25519' | 'P-256', ...args: string[]): Promise<string> {
  const folder = await workspace(['alpha', 'beta.example']);
  await cli(['keys', 'generate', '--alg', algorithm, '--out', 'root.pem'], folder);
  const { code, stderr } = await cli(['build', '--key', 'root.pem', ...args], folder);
  expect(stderr).toContain('verified');
  expect(code).toBe(0);
  return folder;
}

async function expectRefused(page: Page, code: string): Promise<void> {
  expect(await verdict(page)).toBe(BAD);
  expect(await page.getByRole('alert').innerText()).toContain(code);
  // The list that the page contained without a script is removed, too.
  expect(await page.locator('main').innerText()).not.toMatch(/alpha|beta/);
  expect(await page.locator('.issuers, .recent, .fields').count()).toBe(0);
  expect(await page.title()).toMatch(/^Not verified: /);
}

describeWith(['chromium'], 'verification in the page', () => {
  let ed25519: string;

  beforeAll(async () => {
    ed25519 = await published('Ed25519', '--checkpoint-key', 'root.pem');
  });

  it.each(['Ed25519', 'P-256'] as const)('accepts a registry with a root key of %s', async (algorithm) => {
    const folder = await published(algorithm, '--checkpoint-key', 'root.pem');
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
    expect(facts).toContain(JSON.parse(read('issuers.json').toString()).updated_at);
    expect(facts).toMatch(/names this list or an earlier one; signed at .* valid until /);
    expect(wrong).toEqual([]);
  });

  it('says in the badge as of when the list is proven to be the newest', async () => {
    const folder = await published('Ed25519', '--checkpoint-key', 'root.pem');
    const { page } = await openWithClock(await serve(join(folder, 'dist')), 3 * 60 * 60 * 1000);
    expect(await verdict(page)).toBe(GOOD);
    expect(await page.locator('.badge .age').textContent()).toBe('as of 3 hours ago');
  });

  it('says where there is no checkpoint what that means', async () => {
    const folder = await published('Ed25519');
    const { page } = await open(await serve(join(folder, 'dist')));
    expect(await verdict(page)).toBe(GOOD);
    // Amber, because the host can have kept the checkpoint back.
    expect(await page.locator('.verification.late .age').innerText()).toMatch(
      /list of .*, perhaps not the newest$/,
    );
    expect(await (await verification(page)).innerText()).toContain(
      'none, so this host could hide a newer list',
    );
    expect(await page.locator('.recent').innerText()).toContain(
      'no changes of status and tier that a checkpoint covers',
    );
  });

  const flipped = (bytes: Buffer) => {
    const copy = Buffer.from(bytes);
    const middle = copy.length >> 1;
    copy[middle] = (copy[middle] ?? 0) ^ 1;
    return copy;
  };

  it.each<[string, RegExp, (bytes: Buffer) => Buffer | undefined, string]>([
    ['one flipped bit in the list', /issuers\.json$/, flipped, 'ERR_SIGNATURE_INVALID'],
    ['one flipped bit in the signature', /issuers\.sig$/, flipped, 'ERR_SIGNATURE_'],
    ['half a list', /issuers\.json$/, (bytes) => bytes.subarray(0, 300), 'ERR_SIGNATURE_INVALID'],
    ['no list', /issuers\.json$/, () => undefined, 'ERR_SOURCE_STATUS'],
    ['not a signature', /issuers\.sig$/, () => undefined, 'ERR_SOURCE_STATUS'],
    ['no root key', /root\.json$/, () => undefined, 'ERR_PAGE'],
    ['no key where the root key belongs', /root\.json$/, () => Buffer.from('{}'), 'ERR_ROOT_KEY_INVALID'],
    ['an altered checkpoint', /checkpoint\.jwt$/, flipped, 'ERR_CHECKPOINT_INVALID'],
    ['no checkpoint', /checkpoint\.jwt$/, () => undefined, 'ERR_CHECKPOINT_MISSING'],
    ['no publication statement', /publication\.jwt$/, () => undefined, 'ERR_PUBLICATION_MISSING'],
    ['neither', /(checkpoint|publication)\.jwt$/, () => undefined, 'ERR_CHECKPOINT_MISSING'],
  ])('shows nothing for %s', async (_name, path, change, code) => {
    const host = await plainHost(join(ed25519, 'dist'), '404.html', (asked, bytes) =>
      path.test(asked) ? change(bytes) : bytes,
    );
    const { page, wrong } = await open(`${host}/#issuer=alpha`);
    await expectRefused(page, code);
    expect(wrong.filter((one) => one.startsWith('policy') || one.startsWith('error'))).toEqual([]);
  });

  it('refuses another root key than the one that it was made for, be everything else in order', async () => {
    const other = await published('Ed25519');
    const page = readFileSync(join(ed25519, 'dist/index.html'));
    const host = await plainHost(join(other, 'dist'), '404.html', (path, bytes) =>
      path === '/' ? page : bytes,
    );
    await expectRefused((await open(host)).page, 'ERR_ROOT_KEY_NOT_PINNED');
  });

  it('refuses an older list from before the registry had checkpoints', async () => {
    const folder = await published('Ed25519');
    cpSync(join(folder, 'dist'), join(folder, 'before'), { recursive: true });
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'revoked' }) });
    await cli(['build', '--key', 'root.pem', '--checkpoint-key', 'root.pem'], folder);
    const page = readFileSync(join(folder, 'dist/index.html'));
    const host = await plainHost(join(folder, 'before'), '404.html', (path, bytes) =>
      path === '/' ? page : bytes,
    );
    await expectRefused((await open(`${host}/#issuer=alpha`)).page, 'ERR_CHECKPOINT_MISSING');
  });

  it('refuses a list that is too old, and one from the future', async () => {
    const old = await published('Ed25519', '--updated-at', '2026-01-01T00:00:00Z');
    await expectRefused((await open(await serve(join(old, 'dist')))).page, 'ERR_LIST_EXPIRED');
    const early = await published('Ed25519');
    const options = ['build', '--key', 'root.pem', '--renew'];
    expect((await cli(options, early, clockAhead(60))).code).toBe(0);
    await expectRefused((await open(await serve(join(early, 'dist')))).page, 'ERR_NOT_YET_VALID');
  });

  it('shows nothing before it has come to a verdict', async () => {
    let answer: (() => void) | undefined;
    const base = await serve(join(ed25519, 'dist'));
    const host = await listen(async (request, response) => {
      if (request.url?.endsWith('issuers.sig')) await new Promise<void>((resolve) => (answer = resolve));
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
    expect(box).toMatch(/names this list or an earlier one/);
    const main = page.locator('main');
    expect(await main.innerText()).toContain('This issuer is recognised.');
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
    await main.getByText('This issuer is recognised.').waitFor();
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
    const folder = await published('Ed25519', '--checkpoint-key', 'root.pem');
    const old = join(folder, 'old');
    cpSync(join(folder, 'dist'), old, { recursive: true });
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'revoked' }) });
    await cli(['build', '--key', 'root.pem', '--checkpoint-key', 'root.pem'], folder);
    const asked = new Map<string, number>();
    let isReleased = false;
    const { base, release } = await slowHost(join(folder, 'dist'), (path, bytes) => {
      const times = (asked.get(path) ?? 0) + 1;
      asked.set(path, times);
      if (!/\/(?:issuers\.json|issuers\.sig|publication\.jwt|checkpoint\.jwt)$/.test(path)) return bytes;
      // The list asks first, and the look-up second.
      const isOld = isReleased ? !isHonest : times === 1;
      return isOld ? readFileSync(join(old, path)) : bytes;
    });
    const { page } = await open(`${base}/#issuer=alpha`);
    await page.locator('.verification.proven').waitFor();
    expect(await page.locator('.verdict').innerText()).toContain('This issuer is revoked');
    release();
    isReleased = true;
    if (!isHonest) return expectRefused(page, 'ERR_LIST_ROLLED_BACK');
    expect(await verdict(page)).toBe(GOOD);
    expect(await page.locator('.verdict').innerText()).toContain('This issuer is revoked');
  });

  it('shows an issuer no longer if the list does not verify', async () => {
    const { base, release } = await slowHost(join(ed25519, 'dist'), (path, bytes) =>
      path.endsWith('issuers.json') ? flipped(bytes) : bytes,
    );
    const { page } = await open(`${base}/#issuer=alpha`);
    await page.locator('.verification.proven').waitFor();
    release();
    await expectRefused(page, 'ERR_SIGNATURE_INVALID');
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
    expect(await page.locator('main').innerText()).toContain('This issuer is recognised.');
  });

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
    await page.clock.runFor(61_000);
    // The hashes of the held list are computed with timers.
    await expect
      .poll(async () => {
        await page.clock.runFor(1000);
        return page.locator('.verdict').innerText();
      })
      .toContain('This issuer is suspended');
    expect(requested).toContain('/issuers/issuer-7');
    expect(requested.filter((path) => path.endsWith('issuers.json'))).toEqual([]);
    expect(wrong.filter((one) => one.startsWith('error'))).toEqual([]);
  });

  it('gets a revocation while it is open, and turns red when what it holds grows too old', async () => {
    const folder = await published('Ed25519');
    const host = await serve(join(folder, 'dist'));
    const { page, wrong } = await openWithClock(`${host}/#issuer=alpha`);
    expect(await verdict(page)).toBe(GOOD);
    expect(await page.locator('.verdict').innerText()).toContain('This issuer is recognised.');
    await verification(page);
    await page.getByText('What this shows').click();
    await page.getByLabel('The thumbprint that you got in another way').fill('something');
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'revoked' }) });
    await cli(['build', '--key', 'root.pem'], folder);
    await page.clock.runFor(61_000);
    await page.getByText('This issuer is revoked').waitFor();
    // What the reader has written stays.
    expect(await page.getByLabel('The thumbprint that you got in another way').inputValue()).toBe(
      'something',
    );
    rmSync(join(folder, 'dist/publication.jwt'));
    await page.clock.runFor(61_000);
    await page.locator('.late .age').getByText('the last refresh failed').waitFor();
    expect(await (await verification(page)).innerText()).toMatch(/the last refresh failed$/m);
    expect(await page.locator('.verdict').innerText()).toContain('This issuer is revoked');
    await page.clock.fastForward(31 * 24 * 60 * 60 * 1000);
    await page.locator('.verification.bad').waitFor();
    await expectRefused(page, 'ERR_REGISTRY_STALE');
    // It stays so, wherever the reader goes.
    await page.goto(`${host}/#tier=certified`);
    await expectRefused(page, 'ERR_REGISTRY_STALE');
    expect(wrong.filter((one) => one.startsWith('error'))).toEqual([]);
  });

  it.each<[string, (page: Page) => Promise<unknown>]>([
    ['follows a link', (page) => page.locator('.issuers th a').first().click()],
    ['types', (page) => page.getByLabel('Search').fill('a')],
    ['is there', (page) => page.evaluate(`dispatchEvent(new Event('visibilitychange'))`)],
    ['prints', (page) => page.evaluate(`dispatchEvent(new Event('beforeprint'))`)],
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
    await expectRefused(page, 'ERR_REGISTRY_STALE');
    expect(wrong.filter((one) => one.startsWith('error'))).toEqual([]);
  });

  it('leads to the commands by a link from elsewhere', async () => {
    const { page } = await open(`${await serve(join(ed25519, 'dist'))}/#verify`);
    await verdict(page);
    await page.locator('.commands').waitFor();
    expect(await page.locator('#verify').evaluate((one) => one.getBoundingClientRect().top)).toBeLessThan(
      600,
    );
  });

  it('says after a rotation that the root key is no longer the one of the page', async () => {
    const folder = await published('Ed25519', '--checkpoint-key', 'root.pem');
    const { page } = await openWithClock(await serve(join(folder, 'dist')));
    expect(await verdict(page)).toBe(GOOD);
    expect(await (await verification(page)).innerText()).toContain(', pinned by this page');
    const { stdout } = await cli(['keys', 'public', 'root.pem'], folder);
    writeFiles(folder, { 'root.json': stdout });
    await cli(['keys', 'generate', '--out', 'next.pem'], folder);
    const args = [
      'rotate',
      '--yes',
      '--key',
      'root.pem',
      '--root-key',
      'root.json',
      '--next-key',
      'next.pem',
    ];
    const { code, stderr } = await cli([...args, '--checkpoint-key', 'next.pem'], folder);
    expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
    await page.clock.runFor(61_000);
    await page.getByText('to which the root key of this page has handed over. Reload the page.').waitFor();
  });

  it('compares the root key with one that the reader got elsewhere', async () => {
    const { page } = await open(await serve(join(ed25519, 'dist')));
    await verdict(page);
    await verification(page);
    await page.getByText('What this shows, and what it cannot show').click();
    const { kid } = JSON.parse(readFileSync(join(ed25519, 'dist/keys/root.json'), 'utf8'));
    const input = page.getByLabel('The thumbprint that you got in another way');
    await input.fill(` ${kid}\n`);
    expect(await page.locator('.comparison').textContent()).toBe('The same key.');
    // Not before the reader has typed the whole thumbprint.
    await input.fill(kid.slice(0, -1));
    expect(await page.locator('.comparison').textContent()).toBe('');
    await input.fill(kid.replace(/.$/, '_'));
    expect(await page.locator('.comparison').textContent()).toContain('NOT the same key');
  });

  it('shows changes of status where a checkpoint vouches for them, and not where they were altered', async () => {
    const folder = await published('Ed25519');
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
    await cli(['build', '--key', 'root.pem', '--checkpoint-key', 'root.pem'], folder);
    const { page } = await open(`${await serve(join(folder, 'dist'))}`);
    await page.locator('.changes li').waitFor();
    expect(await page.locator('.changes').innerText()).toMatch(/alpha: status active → suspended$/);
    await page.locator('.changes a').click();
    await page.locator('article').getByText('status active → suspended').waitFor();
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
        'no changes of status and tier that a checkpoint covers',
      );
    }
  });
});

describeWith(['chromium'], 'the page for what is not there', () => {
  it('has the nearest ids of the verified list, and the way to it', async () => {
    const folder = await published('Ed25519');
    const host = await serve(join(folder, 'dist'));
    const { page, wrong } = await open(`${host}/issuers/beta.exampel`);
    await page.getByRole('link', { name: 'beta.example' }).waitFor();
    expect(await page.locator('main').innerText()).toContain('is not recognised');
    const list = page.getByRole('link', { name: 'All issuers' });
    expect(await list.evaluate((link: HTMLAnchorElement) => link.href)).toBe(`${host}/`);
    await page.getByRole('link', { name: 'beta.example' }).click();
    expect(await verdict(page)).toBe(GOOD);
    await page.getByRole('heading', { name: 'beta.example' }).waitFor();
    expect(wrong.filter((one) => !one.includes('MIME'))).toEqual([]);
  });

  it('suggests nothing from a list that does not verify', async () => {
    const folder = await published('Ed25519');
    const tree = join(temporaryFolder(), 'dist');
    cpSync(join(folder, 'dist'), tree, { recursive: true });
    const list = readFileSync(join(tree, 'issuers.json'), 'utf8');
    writeFileSync(join(tree, 'issuers.json'), list.replace('"alpha"', '"alphb"'));
    const { page } = await open(`${await serve(tree)}/issuers/alphc`);
    expect(await verdict(page)).toBe(BAD);
    expect(await page.locator('#not-found').innerText()).toBe('');
  });
});

describeWith(['openssl', 'curl', 'basenc'], 'the commands of the page', () => {
  it.each([
    ['Ed25519', 'Signature Verified Successfully'],
    ['P-256', 'Verified OK'],
  ] as const)('verify a registry with a root key of %s as they stand there', async (algorithm, success) => {
    const folder = await published(algorithm);
    const host = await serve(join(folder, 'dist'));
    const page = readFileSync(join(folder, 'dist/index.html'), 'utf8');
    const shown = [...page.matchAll(/<code class="commands">([\s\S]*?)<\/code>/g)].map(([, text = '']) =>
      text
        .replaceAll(/&#(\d+);/g, (_reference, code) => String.fromCharCode(Number(code)))
        .replace('https://registry.example', host),
    );
    expect(shown).toHaveLength(1);
    const [commands = ''] = shown;
    const verdict = async (text: string) => {
      // They leave the files of the reader alone.
      const place = temporaryFolder();
      writeFiles(place, { 'root.pem': 'a private key' });
      const { stdout, stderr } = await run('sh', ['-c', text], place);
      expect(readdirSync(place)).toEqual(['root.pem']);
      expect(readFileSync(join(place, 'root.pem'), 'utf8')).toBe('a private key');
      const stopped = stdout.includes('NOT VERIFIED: STOP');
      expect((stdout + stderr).includes(success)).toBe(!stopped);
      expect(/^"updated_at":"20\S+Z"\}$/m.test(stdout)).toBe(!stopped);
      return !stopped;
    };
    expect(await verdict(commands)).toBe(true);
    expect(await verdict(commands.replace(/PINNED=\S+/, 'PINNED=somethingelse'))).toBe(false);
    const signature = readFileSync(join(folder, 'dist/issuers.sig'), 'utf8');
    writeFileSync(join(folder, 'dist/issuers.sig'), `${signature.slice(0, 40)} ${signature.slice(40)}`);
    expect(await verdict(commands)).toBe(false);
  });
});
