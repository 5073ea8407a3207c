import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compiledCheckout } from '../support/checkout.js';
import { describeWith } from '../support/components.js';
import { commandsBelow, sh, withoutInstall } from '../support/documents.js';
import { HOSTS } from '../support/hosts.js';
import { installedPath } from '../support/installed.js';
import { copyOf, madeOnce } from '../support/made-once.js';
import { EXAMPLE_RECORDS, ROOT } from '../support/paths.js';
import { rsyncd } from '../support/rsyncd.js';
import { serve } from '../support/serving.js';
import { cli, recordText, run, temporaryFolder, writeFiles } from '../support/workspace.js';

/** Creates a folder with the example records. */
function exampleRegistry(): string {
  const folder = temporaryFolder();
  cpSync(EXAMPLE_RECORDS, join(folder, 'issuers'), { recursive: true });
  return folder;
}

/** The commands that install the program. test/packages/ runs them with the packed packages. */
const INSTALL = 'npm init --yes\nnpm install ./passport-registry-1.0.0.tgz\n';

/** The options of commands that publish the example records. */
const SIGNED = '--key root-key.pem --allow-example-names';

/** Their settings. */
const SETTINGS = {
  checkpoint: { signer: { key: 'online-key.pem' } },
  log: { origin: 'registry.example/log', signer: { key: 'log-key.pem' } },
};

/**
 * Publishes the example records with a key, a checkpoint and a log. `here` replaces the URL and the thumbprint in commands.
 */
async function published() {
  const folder = copyOf(await madeOnce('published-as-documented', publish));
  chmodSync(folder, 0o755);
  const registry = await serve(join(folder, 'dist'));
  const { kid } = JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8'));
  const here = (commands: string) =>
    commands.replaceAll(/\bhttps:\/\/registry\.example\b/g, registry).replaceAll('THUMBPRINT', kid);
  return { folder, here };
}

async function publish(folder: string): Promise<void> {
  cpSync(EXAMPLE_RECORDS, join(folder, 'issuers'), { recursive: true });
  writeFiles(folder, { 'registry.yaml': JSON.stringify(SETTINGS) });
  await sh('npx passport-registry keys generate --no-passphrase --private root-key.pem > root.json', folder);
  const commands = [
    'keys generate --no-passphrase --private online-key.pem > online.json',
    'keys generate --no-passphrase --private log-key.pem > log.json',
    `build ${SIGNED}`,
  ];
  await sh(commands.map((command) => `npx passport-registry ${command}\n`).join(''), folder);
}

describe('the commands of the documents', () => {
  it('README.md: the first block, in a clone, and what it prints', async () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const [first = ''] = readme.split('\n## ');
    const [build = '', test] = commandsBelow('README.md', 'Passport issuer registry');
    expect(test).toBe('npm ci && npm test\n');
    // release-pack.test.ts compiles a checkout in which nothing is compiled.
    const clone = compiledCheckout();
    cpSync(EXAMPLE_RECORDS, join(clone, 'issuers'), { recursive: true });
    const { code, stderr } = await run('sh', ['-euc', build.replace('npm ci &&', '')], clone);
    expect(code, stderr).toBe(0);
    const [built = '', tested = ''] = [...first.matchAll(/```text\n([\s\S]*?)```/g)].map(
      ([, shown]) => shown,
    );
    // Masks sizes, times and hashes, which differ from run to run.
    const shape = (text: string) =>
      text.replaceAll(/[\w-]{43}\b|[0-9a-f]{64}|\d{4}-\S+Z|\d[\d,]* byte|\d+\.\d s/g, (value) =>
        value.replaceAll(/[\w,.:-]/g, '?').slice(0, 3),
      );
    expect(shape(stderr)).toBe(shape(built));
    expect(tested).toMatch(/^skipped: (?<file>test\/\S+\.test\.ts): \w+ is not installed \(\d+ tests\)\n$/);
  });

  it('README.md: the smallest registry', async () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const [, smallest = ''] = readme.split('\n## ');
    const [, record = ''] = /```yaml\n([\s\S]*?)```/.exec(smallest) ?? [];
    const [, code = ''] = /```js\n([\s\S]*?)```/.exec(smallest) ?? [];
    const [pin = ''] = commandsBelow('README.md', 'The smallest registry');
    const folder = temporaryFolder();
    writeFiles(folder, { 'issuers/acme.yaml': record });
    expect((await cli(['build'], folder)).code).toBe(0);
    const { kid } = JSON.parse(readFileSync(join(folder, 'dist/keys/root.json'), 'utf8'));
    const registry = await serve(join(folder, 'dist'));
    const here = pin.replace('https://registry.example', `${registry} --allow-development`);
    await sh(withoutInstall(here).replace('THUMBPRINT', kid), folder);
    // Inside the checkout, so that the import finds the package by name.
    const verifier = join(ROOT, 'test-results', 'readme');
    mkdirSync(verifier, { recursive: true });
    cpSync(join(folder, 'trust-anchor.json'), join(verifier, 'trust-anchor.json'));
    writeFiles(verifier, { 'decide.mjs': `${code}registry.close();\n` });
    const { stdout, code: exit } = await run(process.execPath, ['decide.mjs'], verifier);
    expect([stdout, exit]).toEqual(['true\n', 0]);
  });

  it('docs/verifiers.md: pin, verify, resolve', async () => {
    const { folder, here } = await published();
    const [install = '', pin = ''] = commandsBelow('docs/verifiers.md', 'Quick start');
    expect(withoutInstall(install)).toBe('');
    expect((await sh(here(pin), folder)).stderr).toContain('trust-anchor.json written');
    writeFiles(folder, { 'policy.json': '{"tiers":["founding"]}' });
    const [commands = ''] = commandsBelow('docs/verifiers.md', 'On the command line');
    expect((await sh(here(commands), folder)).stdout).toContain('aurora-bank is accepted');
  });

  it('docs/issuers.md: new, check, diff, and a check of hosts that do not exist', async () => {
    const { here } = await published();
    const folder = temporaryFolder();
    const blocks = commandsBelow('docs/issuers.md', 'Get listed in ten minutes').map(here);
    const [install, create = '', look = '', compare = '', check = ''] = blocks;
    expect(install?.replaceAll(/^ +/gm, '')).toBe(INSTALL);
    expect((await sh(create, folder)).stderr).toContain('issuers/nordic-post.yaml is a valid record');
    expect((await sh(look, folder)).stdout).toContain('1 file: 0 problems, 0 warnings, 0 reformatted\n');
    expect((await sh(compare, folder)).stdout).toContain('note: nordic-post is not taken');
    const asked = await run('sh', ['-euc', check], folder, await installedPath());
    expect([asked.code, asked.stdout.includes('host-unreachable')]).toEqual([1, true]);
  });

  it('docs/issuers.md: a minimal record', async () => {
    const folder = exampleRegistry();
    const text = readFileSync(join(ROOT, 'docs/issuers.md'), 'utf8');
    const [, record = ''] = /```yaml\n([\s\S]*?)```/.exec(text) ?? [];
    writeFiles(folder, { 'issuers/harbour-logistics.yaml': record });
    expect((await cli(['check'], folder)).code).toBe(0);
  });

  it('docs/issuers.md: the diagnostic is printed as shown', async () => {
    const folder = exampleRegistry();
    writeFiles(folder, { 'issuers/acme.yaml': recordText('acme', { tier: 'certifed' }) });
    const { stdout } = await cli(['check'], folder);
    const text = readFileSync(join(ROOT, 'docs/issuers.md'), 'utf8');
    const [, complaint = ''] = /```text\n([\s\S]*?)```/.exec(text) ?? [];
    expect(stdout).toBe(`${complaint}7 files: 1 problem, 0 warnings\n`);
  });
});

describeWith(['rsync', 'nginx'], 'a mirror', () => {
  it('docs/mirrors.md: copy in both ways, serve, compare', async () => {
    const { folder, here } = await published();
    const module = await rsyncd(join(folder, 'dist'));
    const blocks = (heading: string) =>
      commandsBelow('docs/mirrors.md', heading).map((commands) =>
        here(commands)
          .replaceAll('rsync://registry.example/registry', module)
          .replaceAll('node_modules/passport-registry/docs/', `${join(ROOT, 'docs')}/`)
          .replaceAll('/srv/registry', join(folder, 'srv')),
      );
    const commands = (heading: string) => blocks(heading).join('');
    const [install, ...copy] = blocks('Copy the registry');
    expect(install?.replaceAll(/^ +/gm, '')).toBe(INSTALL);
    expect((await sh(copy.join(''), folder)).stderr).toContain('mirror ok: switched to');
    expect((await sh(commands('Damage on your disk'), folder)).stdout).toContain('is valid');
    const before = readlinkSync(join(folder, 'srv/current'));
    await sh(commands('With rsync and coreutils alone'), folder);
    // The tree is the same, so the mirror does not switch and leaves no temporary files.
    expect(readlinkSync(join(folder, 'srv/current'))).toBe(before);
    expect(readdirSync(join(folder, 'srv'))).toEqual(['current', 'releases']);
    await sh(`npx passport-registry suspend aurora-bank --reason x ${SIGNED}`, folder);
    await sh(commands('With rsync and coreutils alone'), folder);
    expect(readlinkSync(join(folder, 'srv/current'))).not.toBe(before);
    const host = await HOSTS['nginx']?.start(join(folder, 'srv/current'));
    const look = commands('Serve the copy').replace('http://127.0.0.1:8080', host ?? '');
    expect((await sh(look, folder)).stdout).toContain('is valid');
    const status = commands('Are you in sync?').replaceAll('http://127.0.0.1:8080', host ?? '');
    expect((await sh(status, folder)).stdout).toMatch(/^primary .*\nin sync /m);
  });
});
