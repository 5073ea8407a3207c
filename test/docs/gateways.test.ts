import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeWith } from '../support/components.js';
import { commandsBelow, sh } from '../support/documents.js';
import { startGate } from '../support/gate.js';
import { startNginx } from '../support/hosts.js';
import { ROOT } from '../support/paths.js';
import { freePort, sandboxIn, serve } from '../support/serving.js';
import { run, temporaryFolder, writeFiles } from '../support/workspace.js';

const DOCUMENT = readFileSync(join(ROOT, 'docs/gateways.md'), 'utf8');

/** The code blocks of a language below a heading. */
function blocksBelow(heading: string, language: string): string[] {
  const [, below = ''] = DOCUMENT.split(`\n## ${heading}\n`);
  const [section = ''] = below.split('\n## ');
  return [...section.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(
    ([, code = '']) => code,
  );
}

const START = 'A static site behind nginx, in ten minutes';

describe('docs/gateways.md', () => {
  it('has at most 3,000 words', () => {
    expect(DOCUMENT.split(/\s+/).length).toBeLessThanOrEqual(3000);
  });
});

describeWith(['nginx'], 'the first ten minutes', () => {
  it('protect a static site with nginx', async () => {
    const folder = temporaryFolder();
    const [make = '', pin = '', start] = commandsBelow('docs/gateways.md', START);
    expect(start).toBe('npx passport-registry serve gate --config gate.yaml\n');
    await sh(
      make.replace('npm init --yes\nnpm install passport-registry @passport-registry/verifier\n', ''),
      folder,
    );
    const registry = await serve(join(folder, 'dist'));
    const issuer = await sandboxIn(folder);
    await sh(pin.replace('http://127.0.0.1:8080', registry), folder);
    const [settings = ''] = blocksBelow(START, 'yaml');
    const door = await startGate(
      { folder, settings: parse(settings.replace('http://127.0.0.1:8787', issuer)) },
      { listen: '127.0.0.1:0' },
    );
    const port = await freePort();
    const site = join(folder, 'site');
    mkdirSync(site);
    chmodSync(folder, 0o755);
    writeFiles(site, { 'index.html': 'the page' });
    const [nginx = ''] = blocksBelow(START, 'nginx');
    const address = await startNginx(
      nginx
        .replace('127.0.0.1:8090', `127.0.0.1:${port}`)
        .replace('/srv/site', site)
        .replace('http://127.0.0.1:8181', door.address),
      port,
    );
    const [agent = ''] = blocksBelow(START, 'js');
    const here = agent.replace('http://127.0.0.1:8787', issuer).replace('http://127.0.0.1:8090', address);
    // Inside the checkout, so that the imports find the package by name.
    const checkout = join(ROOT, 'test-results/gateways');
    writeFiles(checkout, { 'agent.mjs': here });
    const { stdout } = await run(process.execPath, ['agent.mjs'], checkout);
    expect(stdout).toBe('401 passport-missing 200\n');
  });
});
