import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { newRegistry } from '../support/scaffold.js';
import { serverIn } from '../support/serving.js';
import { cli, recordText, writeFiles } from '../support/workspace.js';

let folder: string;
let base: string;

beforeAll(async () => {
  folder = await newRegistry();
  // Nothing reads it.
  writeFileSync(join(folder, '../root-key.pem'), 'no key');
  writeFiles(folder, { 'issuers/invented.yaml': recordText('invented') });
  base = await serverIn(folder, 'preview');
});

const list = async (url: string) =>
  ((await (await fetch(`${url}/issuers.json`)).json()) as { issuers: { issuer_id: string }[] }).issuers.map(
    ({ issuer_id }) => issuer_id,
  );

describe('passport-registry preview', () => {
  it('is what `npm start` runs in a new registry', () => {
    const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    expect(scripts.start).toBe('passport-registry preview');
  });

  it('shows the records with the mark of a development key, and the name of the registry', async () => {
    expect(await list(base)).toEqual(['invented']);
    const page = await (await fetch(base)).text();
    expect(page).toContain('<p class="development">');
    expect(page).toContain('Nordic Agents Registry');
    expect((await fetch(`${base}/UNFIT-FOR-PRODUCTION.txt`)).status).toBe(200);
  });

  it('uses neither the root key nor the published tree', async () => {
    const { kid } = (await (await fetch(`${base}/keys/root.json`)).json()) as { kid: string };
    expect(kid).not.toBe(JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8')).kid);
    expect(existsSync(join(folder, 'dist'))).toBe(false);
  });

  it('begins anew each time, so that a record can be removed or renamed', async () => {
    renameSync(join(folder, 'issuers/invented.yaml'), join(folder, 'issuers/real.yaml'));
    writeFiles(folder, { 'issuers/real.yaml': recordText('real') });
    expect(await list(await serverIn(folder, 'preview'))).toEqual(['real']);
  });

  it('shows nothing if a record is wrong', async () => {
    writeFiles(folder, { 'wrong/a.yaml': recordText('a', { tier: 'best' }) });
    expect((await cli(['preview', '--issuers', 'wrong'], folder)).code).toBe(1);
  });
});

describe('a preview', () => {
  it('is not committed', () => {
    execFileSync('git', ['init', '-q'], { cwd: folder });
    const { length } = execFileSync('git', ['check-ignore', '.passport-registry/preview/issuers.json'], {
      cwd: folder,
    });
    expect(length).toBeGreaterThan(0);
  });
});
