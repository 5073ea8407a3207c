import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { open, verdict, type WatchedPage } from './browser.js';
import { apart, STATEMENT_PATHS, type StatementName, together } from './statements.js';
import { cli, goodCli, recordText, workspace, writeFiles } from './workspace.js';

export const GOOD = 'Verified in your browser';
export const BAD = 'Not verified: trust nothing here';

/** Why the page shows nothing, and its heading. */
const REFUSALS = {
  forged: BAD,
  expired: 'Out of date: verifiers refuse this list',
  unreachable: 'Not verified: no answer',
  clock: 'Not verified: a clock is wrong',
  host: 'Not verified: this host has a fault',
} as const;

/** A workspace whose key is of a kind, with its tree in dist/. */
export async function published(algorithm: 'Ed25519' | 'P-256', ...args: string[]): Promise<string> {
  const folder = await workspace(['alpha', 'beta.example']);
  await cli(['keys', 'generate', '--no-passphrase', '--alg', algorithm, '--private', 'root.pem'], folder);
  const { code, stderr } = await cli(['build', '--key', 'root.pem', ...args], folder);
  expect(stderr).toContain('verified');
  expect(code).toBe(0);
  return folder;
}

/** A workspace with these records only, by their ids, and with its tree in dist/, signed by `key.pem`. */
export async function publishedRecords(
  records: Readonly<Record<string, Parameters<typeof recordText>[1]>>,
  ...args: string[]
): Promise<string> {
  const folder = await workspace([]);
  const files = Object.entries(records).map(([id, fields]) => [`issuers/${id}.yaml`, recordText(id, fields)]);
  writeFiles(folder, Object.fromEntries(files));
  await goodCli(['build', '--key', 'key.pem', ...args], folder);
  return folder;
}

/** Opens a page, which verifies its list. */
export async function openVerified(address: string): Promise<WatchedPage> {
  const watched = await open(address);
  expect(await verdict(watched.page)).toBe(GOOD);
  return watched;
}

export async function expectRefused(
  page: Page,
  code: string,
  cause: keyof typeof REFUSALS = 'forged',
): Promise<void> {
  expect(await verdict(page)).toBe(REFUSALS[cause]);
  expect(await page.locator('.verification').getAttribute('class')).toContain(`bad ${cause}`);
  expect(await page.getByRole('alert').innerText()).toContain(code);
  // The list that the page contained without a script is removed, too.
  expect(await page.locator('main').innerText()).not.toMatch(/alpha|beta/);
  expect(await page.locator('.issuers, .recent, .fields').count()).toBe(0);
  expect(await page.title()).toMatch(/^Not verified: /);
}

/** Returns a change of one statement in `statements.json`. `undefined` removes it. */
export const statementChanged =
  (name: StatementName, change: (bytes: Buffer) => Buffer | undefined) =>
  (bytes: Buffer): Buffer => {
    const path = STATEMENT_PATHS[name];
    const files = apart(new Map([['statements.json', bytes]]));
    const changed = change(files.get(path) as Buffer);
    if (changed === undefined) files.delete(path);
    else files.set(path, changed);
    return together(files).get('statements.json') as Buffer;
  };

/** Flips one bit of the payload of a JWT, which still has the form of one. */
export const forged = (jwt: Buffer): Buffer => {
  const [header, payload = '', signature] = jwt.toString().split('.');
  const bytes = Buffer.from(payload, 'base64url');
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  return Buffer.from([header, bytes.toString('base64url'), signature].join('.'));
};
