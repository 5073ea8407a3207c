import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatLogProof, parseLogProof } from '@passport-registry/verifier/core';
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
import { cosignatureBy, invalid, noteSigner } from '../support/note-keys.js';
import { expectRefused, GOOD, statementChanged } from '../support/page-verdict.js';
import { plainHost } from '../support/serving.js';
import { withKeys } from '../support/settings.js';
import { ORIGIN } from '../support/test-log.js';
import { timeFromNow } from '../support/times.js';
import { goodCli, recordText, workspace, writeFiles } from '../support/workspace.js';

/** Publishes the records of a workspace in its log. */
const publish = (folder: string, ...args: string[]) =>
  goodCli(['build', ...withKeys({ origin: ORIGIN }), ...args], folder);

const change = (folder: string, id: string, fields: Record<string, string> = {}) =>
  writeFiles(folder, { [`issuers/${id}.yaml`]: recordText(id, fields) });

/** A registry with two publications in its log, by a development key. */
async function logged(): Promise<string> {
  const folder = await workspace(['alpha']);
  await publish(folder, '--updated-at', timeFromNow(-7200));
  change(folder, 'beta');
  await publish(folder);
  return folder;
}

/** Returns a proof to whose head a new witness has added its cosignature. */
function cosigned(proof: Uint8Array, witness: string): Buffer {
  const parsed = parseLogProof(Buffer.from(proof).toString(), invalid);
  const { note } = parsed.head;
  const added = cosignatureBy(noteSigner(witness, 'witness'), note.text, Math.floor(Date.now() / 1000));
  const head = { ...parsed.head, note: { ...note, signatures: [...note.signatures, added] } };
  return Buffer.from(formatLogProof({ ...parsed, head }));
}

/** What the page shows of the verification. */
const facts = async (page: Page) => (await verification(page)).innerText();
const entry = (number: number) =>
  `${ORIGIN}: the statement about this list is entry ${number}, the last one of a head`;

describeInChromium('the log in the page', () => {
  let folder: string;

  beforeAll(async () => {
    folder = await logged();
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
    const registry = await workspace(['alpha']);
    await goodCli(['build', '--key', 'key.pem', '--out', 'before'], registry);
    await publish(registry, '--key', 'key.pem', ...withKeys({ log: 'key.pem' }));
    const index = readFileSync(join(registry, 'dist/index.html'));
    const host = await plainHost(join(registry, 'before'), '404.html', (path, bytes) =>
      path === '/' ? index : bytes,
    );
    await expectRefused((await open(host)).page, 'ERR_NOT_LOGGED');
  });

  it('says what the proof does not show, and where to pin witnesses', async () => {
    const { page } = await openWith((proof) => cosigned(proof, 'witness.example'));
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

  it('refuses a list without its proof', async () => {
    const { page, wrong } = await openWith(() => undefined, '#issuer=alpha');
    await expectRefused(page, 'ERR_NOT_LOGGED');
    expect(wrong).toEqual([]);
  });
});

describeInChromium('the log in a page that stays open', () => {
  it('follows its growth, and says while a refresh fails', async () => {
    const folder = await logged();
    let isHidden = false;
    const host = await plainHost(join(folder, 'dist'), '404.html', (path, bytes) =>
      isHidden && path === '/statements.json' ? statementChanged('log_proof', () => undefined)(bytes) : bytes,
    );
    const { page } = await openWithClock(`${host}/#issuer=alpha`);
    expect(await verdict(page)).toBe(GOOD);
    isHidden = true;
    await shownLater(page, page.locator('.late .age').getByText('the last refresh failed'));
    isHidden = false;
    change(folder, 'alpha', { status: 'suspended' });
    await publish(folder);
    await shownLater(page, page.getByText('This issuer is suspended'));
    expect(await facts(page)).toContain(entry(3));
  });
});
