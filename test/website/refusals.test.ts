import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { flipped } from '../support/altered.js';
import { describeInChromium, open, openWithClock, verdict } from '../support/browser.js';
import { expectRefused, forged, published, statementChanged } from '../support/page-verdict.js';
import { plainHost, serve } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { cli, clockAhead, recordText, writeFiles } from '../support/workspace.js';

/** The two places of the list. */
const LISTS = /\/(?:issuers\.json|lists\/.*)$/;
const STATEMENTS = /statements\.json$/;

describeInChromium('what the page refuses', () => {
  let ed25519: string;

  beforeAll(async () => {
    ed25519 = await published('Ed25519', ...withKeys({ checkpoint: 'root.pem' }));
  });

  it.each<[string, RegExp, (bytes: Buffer) => Buffer | undefined, string, 'host'?]>([
    ['one flipped bit in the list', LISTS, flipped, 'ERR_PUBLICATION_MISMATCH'],
    ['no root key', /root\.json$/, () => undefined, 'ERR_SOURCE_STATUS', 'host'],
    ['no key where the root key belongs', /root\.json$/, () => Buffer.from('{}'), 'ERR_ROOT_KEY_INVALID'],
    ['an altered checkpoint', STATEMENTS, statementChanged('checkpoint', forged), 'ERR_CHECKPOINT_INVALID'],
    ['no statements', STATEMENTS, () => undefined, 'ERR_SOURCE_STATUS', 'host'],
  ])('shows nothing for %s', async (_name, path, change, code, cause) => {
    const host = await plainHost(join(ed25519, 'dist'), '404.html', (asked, bytes) =>
      path.test(asked) ? change(bytes) : bytes,
    );
    const { page, wrong } = await open(`${host}/#issuer=alpha`);
    await expectRefused(page, code, cause);
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

  it('refuses a list from the future, and says that a clock is wrong', async () => {
    const early = await published('Ed25519');
    writeFiles(early, { 'issuers/alpha.yaml': recordText('alpha', { status: 'revoked' }) });
    expect((await cli(['build', '--key', 'root.pem'], early, clockAhead(60))).code).toBe(0);
    const { page } = await open(await serve(join(early, 'dist')));
    await expectRefused(page, 'ERR_NOT_YET_VALID', 'clock');
    // Nothing is green or red.
    await page.getByText('This device says that it is').waitFor();
  });

  it('shows no list whose time has passed, by the clock of the device', async () => {
    const { page } = await openWithClock(await serve(join(ed25519, 'dist')), 40 * 24 * 60 * 60 * 1000);
    await expectRefused(page, 'ERR_CHECKPOINT_EXPIRED', 'expired');
    // It is the clock of the device, or the operator is late.
    await page.getByText('check whether it is right').waitFor();
  });

  it('says of a host that does not answer only that it does not answer', async () => {
    const { page } = await open(await serve(join(ed25519, 'dist')));
    await verdict(page);
    await page.route('**/*.json', (route) => route.abort());
    await page.reload();
    await expectRefused(page, 'ERR_SOURCE_UNREACHABLE', 'unreachable');
    await page.getByText('This says nothing about the registry.').waitFor();
  });
});
