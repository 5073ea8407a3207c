import { execFileSync } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeJwt } from 'jose';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { parse } from 'yaml';
import { commandsBelow, operatorCommands, withoutTerminal } from '../../support/documents.js';
import { installedPath } from '../../support/installed.js';
import { init, SETTINGS } from '../../support/scaffold.js';
import { cli, type Outcome, run, temporaryFolder } from '../../support/workspace.js';

const TEMPLATE = 'cli/scaffold/template';

let top: string;
let folder: string;
let origin: string;

/** Runs commands of a document with the program under test, without npm and the network. */
async function sh(commands: string, cwd: string, environment: Record<string, string> = {}): Promise<Outcome> {
  const local = withoutTerminal(commands)
    .replaceAll(/^ *npm .*$/gm, '')
    .replaceAll('&& npm ci', '')
    // There is no terminal to ask.
    .replaceAll('sign request ', 'sign request --yes ')
    .replaceAll(/https:\/\/github\.com\/\S+\.git/g, `file://${origin}`);
  const author = ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Operator'],
    [`GIT_${role}_EMAIL`, 'operator@registry.internal'],
  ]);
  return run('sh', ['-euc', local], cwd, {
    ...(await installedPath()),
    ...Object.fromEntries(author),
    ...environment,
  });
}

/** Removes the comment signs before the lines of a YAML block below a heading of README.md, as a reader does. */
function uncomment(heading: string): void {
  const [, section = ''] = readFileSync(join(folder, 'README.md'), 'utf8').split(`\n## ${heading}\n`);
  const [, block = ''] = /```yaml\n([\s\S]*?) *```/.exec(section) ?? [];
  const lines = block.replaceAll(/^ {3}/gm, '');
  const file = join(folder, 'registry.yaml');
  const text = readFileSync(file, 'utf8');
  const blocks = lines.split(/^(?=\w)/m);
  expect(blocks.length).toBeGreaterThan(0);
  const done = blocks.reduce((all, one) => {
    const commented = one.replaceAll(/^(?=.)/gm, '# ');
    expect(all).toContain(commented);
    return all.replace(commented, one);
  }, text);
  writeFileSync(file, done);
}

/** Runs all commands below a heading of a document, each block in a shell of its own. */
async function runAll(document: string, heading: string, environment: Record<string, string> = {}) {
  for (const commands of commandsBelow(`${TEMPLATE}/${document}`, heading)) {
    const { code, stdout, stderr } = await sh(commands, folder, environment);
    expect(stderr).not.toContain('passport-registry:');
    expect(code, stdout + stderr).toBe(0);
  }
}

/** Suspends an issuer, and ends that: with the commands for an emergency, by hand as the README says. */
async function suspendAndEnd(environment: Record<string, string>): Promise<void> {
  const [byHand = ''] = commandsBelow(`${TEMPLATE}/README.md`, 'By hand');
  const [suspend = '', later = ''] = operatorCommands('An issuer is compromised');
  const [end = ''] = later.split('\n');
  for (const command of [suspend.trim(), end]) {
    const { code, stdout, stderr } = await sh(byHand.replace(/^npx .*$/m, command), folder, environment);
    expect(code, stdout + stderr).toBe(0);
  }
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: origin, encoding: 'utf8' }).trim();

describe('the documents of a new registry', () => {
  beforeAll(async () => {
    top = temporaryFolder();
    folder = join(top, 'registry');
    origin = join(top, 'origin.git');
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', origin]);
    expect((await init(['registry', ...SETTINGS, '--base-url', inject('emptyHost')], top)).code).toBe(0);
  });

  it('README.md: the first record, and the root key', async () => {
    await runAll('README.md', 'Start');
    const [generate = '', ...rest] = commandsBelow(`${TEMPLATE}/README.md`, 'Root key');
    expect((await sh(generate, folder)).code).toBe(0);
    const made = readFileSync(join(folder, 'root.json'), 'utf8');
    // A reader who begins again loses nothing.
    expect((await sh(generate, folder)).code).toBe(4);
    expect(readFileSync(join(folder, 'root.json'), 'utf8')).toBe(made);
    uncomment('Root key');
    for (const commands of rest) {
      const { code, stdout, stderr } = await sh(commands, folder);
      expect(code, stdout + stderr).toBe(0);
    }
    expect(parse(readFileSync(join(folder, 'registry.yaml'), 'utf8'))).toMatchObject({
      root_key: 'root.json',
      signer: { key: '../root-key.pem' },
    });
    expect((await cli(['verify', 'dist', '--trust-anchor', 'root.json'], folder)).code).toBe(0);
  });

  it('README.md: the first push, and a publication by hand', async () => {
    // The first list is there. By hand, the operator publishes a change.
    appendFileSync(
      join(folder, 'issuers/harbour-logistics.yaml'),
      'contact: desk@harbour-logistics.internal\n',
    );
    await runAll('README.md', 'Publish');
    await runAll('README.md', 'By hand');
    expect(git('ls-tree', '-r', '--name-only', 'main')).not.toMatch(/pem|dist|node_modules/);
    expect(git('rev-list', '--count', 'published')).toBe('3');
  });

  it('README.md: checkpoints by an online key, and an emergency in a registry that has one', async () => {
    uncomment('Checkpoints');
    await runAll('README.md', 'Checkpoints');
    const ONLINE_KEY = readFileSync(join(top, 'online.pem'), 'utf8');
    await runAll('README.md', 'By hand', { ONLINE_KEY });
    const { publication } = JSON.parse(git('show', 'published:tree/statements.json'));
    const own = JSON.parse(readFileSync(join(folder, 'online.json'), 'utf8'));
    expect(decodeJwt(publication)).toMatchObject({ online: { keys: [own], hold: true } });
    execFileSync('git', ['add', 'online.json'], { cwd: folder });
    await suspendAndEnd({ ONLINE_KEY });
    expect(git('show', 'published^:tree/issuers/harbour-logistics')).toContain('"status":"suspended"');
    expect(git('show', 'published:tree/issuers/harbour-logistics')).toContain('"status":"active"');
    expect(git('rev-list', '--count', 'published')).toBe('6');
    const { code } = await cli(['verify', 'dist', '--trust-anchor', 'root.json'], folder);
    expect(code).toBe(0);
  });

  it('README.md: a new root key, and nothing of it in git but the public key', async () => {
    const key = readFileSync(join(top, 'online.pem'), 'utf8');
    const before = JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8')).kid;
    await runAll('README.md', 'New root key', { ONLINE_KEY: key });
    const { kid } = JSON.parse(git('show', 'new-root-key:root.json'));
    expect(JSON.parse(git('show', 'published:tree/keys/root.json')).kid).toBe(kid);
    expect(kid).not.toBe(before);
    const committed = git('diff', '--name-only', 'main', 'new-root-key');
    // The first file is from the checkpoints.
    const files = ['online.json', 'registry.yaml', 'root.json'];
    expect(committed.split('\n')).toEqual(files);
    const { stdout } = await sh('git status --porcelain', folder);
    expect(committed + stdout).not.toMatch(/rotation|pem/);
    expect((await cli(['verify', 'dist', '--trust-anchor', 'root.json'], folder)).code).toBe(0);
  });

  it('README.md: a public log, and an emergency in a registry that has one', async () => {
    // The last step of a new root key.
    const file = join(folder, 'registry.yaml');
    writeFileSync(file, readFileSync(file, 'utf8').replace('../root-key.pem', '../next-key.pem'));
    uncomment('Public log');
    const ONLINE_KEY = readFileSync(join(top, 'online.pem'), 'utf8');
    await runAll('README.md', 'Public log');
    const LOG_KEY = readFileSync(join(top, 'log-key.pem'), 'utf8');
    await runAll('README.md', 'By hand', { ONLINE_KEY, LOG_KEY });
    await suspendAndEnd({ ONLINE_KEY, LOG_KEY });
    expect(git('show', 'published:tree/log/checkpoint')).toMatch(/^[a-z0-9.-]+\/log\n/);
    expect(git('show', 'published^:tree/issuers/harbour-logistics')).toContain('"status":"suspended"');
    expect((await cli(['verify', 'dist', '--trust-anchor', 'root.json'], folder)).code).toBe(0);
  });

  it('CONTRIBUTING.md: from a clone to a pull request', async () => {
    const blocks = commandsBelow(`${TEMPLATE}/CONTRIBUTING.md`, 'How to get listed');
    expect(blocks).toHaveLength(4);
    const author = temporaryFolder();
    const [clone = '', create = '', look = '', propose = ''] = blocks;
    expect((await sh(clone, author)).code).toBe(0);
    const fork = join(author, 'registry');
    expect((await sh(create, fork)).code).toBe(0);
    // The hosts of the examples do not exist.
    const asked = await sh(look, fork);
    expect([asked.code, asked.stdout]).toEqual([1, expect.stringContaining('host-unreachable')]);
    const proposed = await sh(propose, fork);
    expect(proposed.code, proposed.stdout + proposed.stderr).toBe(0);
    expect(git('diff', '--name-only', 'main', 'nordic-post')).toBe('issuers/nordic-post.yaml');
  });
});

describe('the documents of a new registry', () => {
  it('name only files that exist, in the registry or in the package', () => {
    for (const document of ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'issuers/README.md']) {
      const text = readFileSync(join(TEMPLATE, document), 'utf8');
      for (const [, path = ''] of text.matchAll(/`node_modules\/passport-registry\/([\w./-]+)`/g))
        expect(existsSync(path), path).toBe(true);
      for (const [, path = ''] of text.matchAll(/\]\((?!https?:)([^)]+)\)/g))
        expect(existsSync(join(TEMPLATE, document, '..', path)), path).toBe(true);
    }
  });
});
