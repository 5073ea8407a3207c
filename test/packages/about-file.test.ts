import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeWith } from '../support/components.js';
import { copyOf, madeOnce } from '../support/made-once.js';
import { serve } from '../support/serving.js';
import { versionBefore, versionNow } from '../support/versions.js';
import { recordText, temporaryFolder, workspace, writeFiles } from '../support/workspace.js';

const [before, now] = [await versionBefore(), versionNow()];

const BUILD = ['build', '--key', 'key.pem', '--production'];
const PINNED = ['--root-key', 'root.json'];

/** A registry in which one issuer has a name, and another a reason. */
let folder: string;
const path = (name: string) => join(folder, name);

beforeEach(async () => {
  const made = await madeOnce('about-file-versions', async (home) => {
    folder = await workspace(['alpha', 'beta']);
    const reason = { status: 'suspended', status_reason: 'its key has leaked' };
    writeFiles(folder, {
      'registry.yaml': 'checkpoint: { signer: { key: key.pem } }\n',
      'issuers/alpha.yaml': recordText('alpha', { name: 'Alpha Bank' }),
      'issuers/beta.yaml': recordText('beta', reason),
      'root.json': (await now.cli(['keys', 'public', 'key.pem'], folder)).stdout,
    });
    await now.cli(BUILD, folder);
    writeFiles(home, { from: folder });
  });
  folder = copyOf(readFileSync(join(made, 'from'), 'utf8'));
});

describe('a registry with names and reasons, and the version before', () => {
  it('its clients and look-ups read it like any other', async () => {
    const root = JSON.parse(readFileSync(path('root.json'), 'utf8'));
    const url = await serve(path('dist'));
    const options = { url, trustAnchor: { root }, state: join(temporaryFolder(), 'state') };
    const read = await before.client(options);
    expect(read).toEqual({ alpha: 'accepted', beta: 'status-suspended' });
    expect(await now.client(options)).toEqual(read);
    const state = join(temporaryFolder(), 'state');
    for (const version of [before, now, before])
      expect(await version.lookup({ ...options, state }, ['alpha', 'beta'])).toEqual(read);
  });

  it('its auditor passes the file, which SHA256SUMS lists, and its mirror copies it', async () => {
    await before.cli(['verify', 'dist', ...PINNED], folder);
    const url = await serve(path('dist'));
    for (const [version, copy] of [
      [before, 'older'],
      [now, 'newer'],
    ] as const) {
      await version.cli(['mirror', url, copy, ...PINNED], folder);
      const mirrored = readFileSync(path(`${copy}/current/about.json`));
      expect(mirrored.equals(readFileSync(path('dist/about.json')))).toBe(true);
      await now.cli(['verify', `${copy}/current`, ...PINNED], folder);
    }
  });

  it('its build refuses such records, and removes the file once they are as before', async () => {
    await expect(before.cli(BUILD, folder)).rejects.toThrow('"name" is not a field of an issuer');
    writeFiles(folder, {
      'issuers/alpha.yaml': recordText('alpha'),
      'issuers/beta.yaml': recordText('beta', { status: 'suspended' }),
    });
    await before.cli(BUILD, folder);
    expect(existsSync(path('dist/about.json'))).toBe(false);
  });

  it('its build leaves a claim without the file if only names are taken away, and the next one here repairs it', async () => {
    writeFiles(folder, {
      'issuers/alpha.yaml': recordText('alpha'),
      'issuers/beta.yaml': recordText('beta', { status: 'suspended' }),
    });
    await before.cli(BUILD, folder);
    await expect(now.cli(['verify', 'dist', ...PINNED], folder)).rejects.toThrow('about.json is missing');
    await now.cli(BUILD, folder);
    await now.cli(['verify', 'dist', ...PINNED], folder);
  });

  it('its signer refuses to sign the claim, which it does not know', async () => {
    writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma') });
    await now.cli(['build', '--unsigned', 'request', ...PINNED], folder);
    const sign = ['sign', 'request', '--key', 'key.pem', '--yes', '--memory', 'memory'];
    await expect(before.cli(sign, folder)).rejects.toThrow('about_sha256');
  });
});

describeWith(['rsync'], 'a registry with names, and a mirror of the version before with rsync', () => {
  it('copies the file', async () => {
    await before.cli(['mirror', path('dist'), 'copy', ...PINNED], folder);
    expect(existsSync(path('copy/current/about.json'))).toBe(true);
  });
});
