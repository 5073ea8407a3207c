import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { describeWith } from '../support/components.js';
import { copyOf, madeOnce } from '../support/made-once.js';
import { serve } from '../support/serving.js';
import { versionBefore, versionNow } from '../support/versions.js';
import { cliAnswering, temporaryFolder, workspace, writeFiles } from '../support/workspace.js';

const [before, now] = [await versionBefore(), versionNow()];

const BUILD = ['build', '--key', 'key.pem', '--production'];
const PINNED = ['--root-key', 'root.json'];
const SETTINGS = 'checkpoint: { signer: { key: key.pem } }\n';

/** A registry with a page for each issuer. */
let folder: string;

beforeEach(async () => {
  const made = await madeOnce('issuer-pages-versions', async (home) => {
    folder = await workspace(['alpha', 'beta']);
    writeFiles(folder, {
      'registry.yaml': `${SETTINGS}base_url: https://registry.internal\npage: { issuers: 10, language: nb }\n`,
      'root.json': (await now.cli(['keys', 'public', 'key.pem'], folder)).stdout,
    });
    expect((await cliAnswering('new', BUILD, folder)).code).toBe(0);
    // The version before refuses a setting that it does not know.
    writeFiles(folder, { 'registry.yaml': SETTINGS });
    writeFiles(home, { from: folder });
  });
  folder = copyOf(readFileSync(join(made, 'from'), 'utf8'));
});

describe('a registry with pages of issuers, and the version before', () => {
  it('its clients and its mirror over HTTP read it like any other, without the pages', async () => {
    const root = JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8'));
    const url = await serve(join(folder, 'dist'));
    await before.cli(['mirror', url, 'copy', ...PINNED], folder);
    expect(existsSync(join(folder, 'copy/current/i'))).toBe(false);
    await now.cli(['verify', 'copy/current', ...PINNED], folder);
    const options = { url, trustAnchor: { root }, state: join(temporaryFolder(), 'state') };
    expect(await before.client(options)).toEqual({ alpha: 'accepted', beta: 'accepted' });
  });

  it('its auditor refuses the pages by name, so that auditors upgrade first', async () => {
    await expect(before.cli(['verify', 'dist', ...PINNED], folder)).rejects.toThrow('i/alpha.html');
    await now.cli(['verify', 'dist', ...PINNED], folder);
  });

  it('its build removes them', async () => {
    await before.cli(BUILD, folder);
    expect(existsSync(join(folder, 'dist/i'))).toBe(false);
    await before.cli(['verify', 'dist', ...PINNED], folder);
  });
});

describeWith(['rsync'], 'a registry with pages of issuers, and mirrors with rsync', () => {
  it('is refused by that of the version before, and copied with its pages by this one', async () => {
    const source = join(folder, 'dist');
    await expect(before.cli(['mirror', source, 'older', ...PINNED], folder)).rejects.toThrow('i/alpha.html');
    await now.cli(['mirror', source, 'newer', ...PINNED], folder);
    expect(existsSync(join(folder, 'newer/current/i/alpha.html'))).toBe(true);
  });
});
