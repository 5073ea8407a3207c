import { cpSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { git as gitIn } from '../../support/git.js';
import { installedPath } from '../../support/installed.js';
import { noteSigner } from '../../support/note-keys.js';
import { init, SETTINGS } from '../../support/scaffold.js';
import { freePort, plainHost, serverIn } from '../../support/serving.js';
import { cli, filesOf, run, temporaryFolder, writeFiles } from '../../support/workspace.js';

const NOBODY = 'http://127.0.0.1:1';

let top: string;
let folder: string;
let url: string;

const git = (...args: string[]) => gitIn(folder, ...args);
const IDENTITY = {
  ...{ GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'a' },
  ...{ GIT_CONFIG_KEY_1: 'user.email', GIT_CONFIG_VALUE_1: 'a@registry.internal' },
};

async function good(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(args, folder);
  expect(code, stderr).toBe(0);
  return stdout;
}

/** The one command to run next, as JSON and as shown to people. */
async function next(...args: string[]): Promise<string | undefined> {
  const asked = await cli(['status', '--json', ...args], folder);
  const [first] = JSON.parse(asked.stdout).next;
  const { stdout } = await cli(['status', ...args], folder);
  const commands = [...stdout.matchAll(/^ {2}(\S.*)$/gm)].map(([, command]) => command);
  expect(commands).toEqual(first?.command === undefined ? [] : [first.command]);
  return first?.command;
}

/** What the host serves from now on. */
function deploy(name = 'host'): void {
  cpSync(join(folder, 'dist'), join(top, name), { recursive: true });
}

/** Runs a command as it is printed. */
async function obey(command: string): Promise<void> {
  const environment = { ...(await installedPath()), GIT_CONFIG_COUNT: '2', ...IDENTITY };
  const { code, stderr } = await run('sh', ['-euc', command], folder, environment);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
}

const edit = (file: string, change: (text: string) => string) =>
  writeFiles(folder, { [file]: change(readFileSync(join(folder, file), 'utf8')) });

const program = (...words: string[]) => ['npx passport-registry', ...words].join(' ');

/** Each test goes on from the registry of the test before, which `init` made. */
describe('the one command that `status` proposes for a registry that', () => {
  beforeAll(async () => {
    top = temporaryFolder();
    for (const name of ['host', 'mirror']) writeFiles(top, { [`${name}/none.html`]: '' });
    url = await plainHost(join(top, 'host'), 'none.html');
    const key = ['--key', 'root.pem', '--no-passphrase'];
    expect((await init(['registry', ...SETTINGS, '--base-url', url, ...key], top)).code).toBe(0);
    folder = join(top, 'registry');
    git('init', '-q');
  });

  it('is fresh', async () => {
    expect(await next()).toBe(undefined);
    expect((await cli(['status'], folder)).stdout).toContain('Next: create the first record: run `npx ');
    for (const id of ['acme', 'beta']) await good('new', id, '--issuer-url', `https://id.${id}.internal`);
    expect(await next()).toBe(program('build', '--production'));
    // The host is not there yet: nothing shows that it is.
    expect(await next('--base-url', NOBODY)).toBe(program('build', '--production'));
    expect((await cli(['status', '--base-url', NOBODY], folder)).code).toBe(0);
    git('add', '-A');
    git('commit', '-qm', 'Registry');
  });

  it('has a first list that nobody serves', async () => {
    await good('build', '--production');
    // There is no branch without a remote repository: the operator copies the tree, and the command verifies that.
    expect(await next()).toBe(program('verify', url, '--expect', 'dist'));
    renameSync(join(folder, 'issuers/beta.yaml'), join(top, 'beta.yaml'));
    expect(await next()).toBe(program('diff', 'dist', 'issuers'));
    const { stdout } = await cli(['status', '--json'], folder);
    expect(JSON.parse(stdout).next[0].reason).toContain(
      'start again after `mkdir -p .passport-registry && mkdir .passport-registry/replaced-1 && mv dist .passport-registry/replaced-1/dist`',
    );
    renameSync(join(top, 'beta.yaml'), join(folder, 'issuers/beta.yaml'));
    deploy();
    await obey(program('verify', url, '--expect', 'dist'));
  });

  it('has a host that is away, or shows a preview', async () => {
    const away = `http://127.0.0.1:${await freePort()}`;
    const serves = program('serve', 'dist', '--port', new URL(away).port);
    writeFiles(folder, {
      'issuers/beta.yaml': `${readFileSync(join(folder, 'issuers/beta.yaml'), 'utf8')}\n`,
    });
    const { stdout } = await cli(['status', '--json', '--base-url', away], folder);
    expect(JSON.parse(stdout).changes).toMatchObject({ level: 'warning', uncommitted: 1 });
    const said = async (base: string) => (await cli(['status', '--base-url', base], folder)).stdout;
    // A first publication: the host may not be there yet.
    expect(await next('--base-url', away)).toBe(serves);
    // `serve` does not answer there, and nothing says that the last one is on this machine.
    const host = 'http://registry.invalid';
    for (const other of [`${away}/registry`, away.replace('http:', 'https:'), host])
      expect(await next('--base-url', other)).toBe(program('verify', other, '--expect', 'dist'));
    expect(await said(host)).toContain(`If somebody has published already, wait until ${host} answers`);
    expect(await said(host)).not.toContain('FAILED');
    // A copy of what somebody has published: nobody knows what the host serves by now.
    await good('mirror', url, '.passport-registry/mirror');
    expect(await next('--base-url', host)).toBe(undefined);
    expect(await said(host)).toContain(`Next: wait until ${host} answers, and run \`status\` again: `);
    expect(await said(away)).toMatch(
      new RegExp(`Next: wait until ${away} .*it is on this machine: run \`${serves}\``),
    );
    rmSync(join(folder, '.passport-registry/mirror'), { recursive: true });
    git('checkout', '-q', 'issuers');
    const preview = await serverIn(folder, 'preview');
    const status = await cli(['status', '--json', '--base-url', preview], folder);
    const { live } = JSON.parse(status.stdout);
    expect(live).toMatchObject({ level: 'error', host: { claimed: { development: true } } });
    expect(live.message).toContain('preview');
    expect(await said(preview)).toContain(
      `Next: stop the preview at ${preview}, and let this machine serve `,
    );
    expect(await next('--base-url', preview)).toBe(program('serve', 'dist', '--port', new URL(preview).port));
  });

  it('is clean', async () => {
    const { code } = await cli(['status', '--fail-on', 'warning'], folder);
    expect([code, await next()]).toEqual([0, undefined]);
  });

  it('has an unpublished change', async () => {
    edit('issuers/beta.yaml', (text) => `${text}contact: operator@beta.internal\n`);
    git('commit', '-qam', 'Contact');
    expect(await next()).toBe(program('build', '--production'));
    await obey(program('build', '--production'));
    expect(await next()).toBe(program('verify', url, '--expect', 'dist'));
    git('init', '-q', '--bare', join(top, 'origin.git'));
    git('remote', 'add', 'origin', join(top, 'origin.git'));
    // The host has a list that came from no branch, so no command needs one.
    expect(await next()).toBe(program('verify', url, '--expect', 'dist'));
    const kept = join(top, 'kept');
    renameSync(join(folder, 'dist'), kept);
    expect(await next()).toContain(`mirror ${url} `);
    renameSync(kept, join(folder, 'dist'));
    await obey(program('branch', 'save', 'dist'));
    expect(await next()).toBe(program('branch', 'save', 'dist'));
    deploy();
    expect(await next()).toBe(undefined);
  });

  it('has an uncommitted record', async () => {
    await good('suspend', 'acme', '--reason', 'x');
    deploy();
    const command = await next();
    expect(command).toMatch(/^git add issuers && git commit -m "[\w ]+" && git push origin HEAD$/);
    await obey(String(command));
    expect(await next()).toBe(undefined);
  });

  it('has a commit that was not pushed', async () => {
    edit('issuers/acme.yaml', (text) => `${text}# Asked on Monday\n`);
    git('commit', '-qam', 'Comment');
    // Without a branch that this one is pushed to, nothing is known.
    expect(await next()).toBe(undefined);
    const branch = git('branch', '--show-current').trim();
    git('branch', '-q', `--set-upstream-to=origin/${branch}`);
    expect(await next()).toBe('git push');
    const { code, stdout } = await cli(['status', '--fail-on', 'warning'], folder);
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^note +changes .*, but not pushed: 1 commit$/m),
    ]);
    await obey('git push');
    expect(await next()).toBe(undefined);
    git('branch', '--unset-upstream');
  });

  it('has an illegal change', async () => {
    rmSync(join(folder, 'issuers/acme.yaml'));
    expect(await next()).toBe(program('diff', 'dist', 'issuers'));
    const { stdout } = await cli(['status', '--json'], folder);
    expect(JSON.parse(stdout).next[0].reason).not.toContain('start again');
    git('checkout', '-q', 'issuers');
    expect(await next()).toBe(undefined);
  });

  it('has a hold', async () => {
    const made = await good('keys', 'generate', '--no-passphrase', '--private', '../online.pem');
    writeFiles(folder, { 'online.json': made });
    edit('registry.yaml', (text) => `${text}checkpoint: { signer: { key: ../online.pem } }\n`);
    await good('build', '--production');
    await good('hold', 'beta');
    deploy();
    expect(await next()).toBe(program('suspend', 'beta', '--reason', '"<REASON>"', '--production'));
    await good('hold', '--end', '--false-alarm', 'beta');
    deploy();
    expect(await next()).toMatch(/^git add registry\.yaml && git commit /);
    git('add', 'registry.yaml');
    git('commit', '-qm', 'Settings');
    expect(await next()).toBe(undefined);
  });

  it('is rotated', async () => {
    const thumbprint = () => JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8')).kid;
    const before = thumbprint();
    writeFiles(folder, { 'README.md': `Pin ${before}.` });
    git('commit', '-qam', 'Root key');
    expect(await next()).toBe(undefined);
    await good('keys', 'rotate', '--next-key', '../next.pem', '--next-no-passphrase', '--yes');
    deploy();
    const command = program('keys', 'public', 'dist/keys/root.json', '>', 'root.json');
    expect(await next()).toBe(command);
    await obey(command);
    edit('registry.yaml', (text) => text.replace('../root.pem', '../next.pem'));
    expect(await next()).toBe(undefined);
    expect((await cli(['status'], folder)).stdout).toMatch(
      new RegExp(`\nNext: write the thumbprint of the current root key, ${thumbprint()}, into README.md, `),
    );
    edit('README.md', (text) => text.replace(before, thumbprint()));
    expect(await next()).toMatch(/^git add registry\.yaml root\.json && git commit /);
    await obey(String(await next()));
    expect(await next()).toBe('rm -r rotation');
    await obey('rm -r rotation');
    expect(await next()).toBe(undefined);
  });

  it('lacks cosignatures', async () => {
    await good('keys', 'generate', '--no-passphrase', '--private', '../log.pem');
    const { vkey } = noteSigner('a.internal', 'witness');
    const log = ['origin: registry.internal/log', 'signer: { key: ../log.pem }', 'quorum: 1', 'wait: 1'];
    const witness = `witnesses: [{ key: ${vkey}, service: '${NOBODY}' }]`;
    edit('registry.yaml', (text) => `${text}log: { ${[...log, witness].join(', ')} }\n`);
    expect((await cli(['build', '--production', '--cosign-wait', '0'], folder)).code).toBe(6);
    expect(await next()).toBe(program('checkpoint', 'dist'));
    deploy();
    expect(await next()).toBe(program('checkpoint', 'dist'));
    edit('registry.yaml', (text) => text.replace('quorum: 1, ', ''));
    git('commit', '-qam', 'Log');
    expect(await next()).toBe(undefined);
  });

  it('has lost dist, while the host or only a mirror serves a list', async () => {
    await obey(program('branch', 'save', 'dist'));
    deploy('mirror');
    const mirror = await plainHost(join(top, 'mirror'), 'none.html');
    rmSync(join(folder, 'dist'), { recursive: true });
    const load = program('branch', 'load', 'dist');
    expect(await next('--base-url', NOBODY, '--mirror', mirror)).toBe(load);
    expect(await next()).toBe(load);
    await obey(load);
    expect(await next()).toBe(undefined);
    // Without a branch, the copy comes from a host.
    git('remote', 'remove', 'origin');
    // Nothing names the older lists of a registry that had no log yet.
    const files = () => [...filesOf(join(folder, 'dist'))].filter(([path]) => !path.startsWith('lists/'));
    const saved = files();
    rmSync(join(folder, 'dist'), { recursive: true });
    const copy = (from: string) =>
      `${program('mirror', from, '.passport-registry/mirror')} && cp -rL .passport-registry/mirror/current dist`;
    expect(await next('--base-url', NOBODY, '--mirror', mirror)).toBe(copy(mirror));
    expect(await next()).toBe(copy(url));
    await obey(copy(url));
    expect(files()).toEqual(saved);
    expect(await next()).toBe(undefined);
  });

  it('is a new clone, whether the host is up or not', async () => {
    git('remote', 'add', 'origin', join(top, 'origin.git'));
    git('add', '-A');
    git('commit', '-q', '--allow-empty', '-m', 'Settings');
    git('push', '-q', 'origin', 'HEAD');
    mkdirSync(join(top, 'clones'));
    const clone = join(top, 'clones/registry');
    git('clone', '-q', join(top, 'origin.git'), clone);
    folder = clone;
    const load = program('branch', 'load', 'dist');
    expect(await next()).toBe(load);
    expect(await next('--base-url', NOBODY)).toBe(load);
    await obey(load);
    expect((await cli(['status'], folder)).code).toBe(0);
  });
});
