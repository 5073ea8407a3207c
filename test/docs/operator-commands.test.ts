import { cpSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { describeWith } from '../support/components.js';
import { commandsBelow, operatorCommands, ownRegistry, sh, withoutTerminal } from '../support/documents.js';
import { installedPath } from '../support/installed.js';
import { copyOf, madeOnce } from '../support/made-once.js';
import { obey, registryAfter, START } from '../support/operator-registry.js';
import { ROOT } from '../support/paths.js';
import { serve } from '../support/serving.js';
import { claimsOf, readTreeFile } from '../support/statements.js';
import { cli, recordText, run, temporaryFolder, writeFiles } from '../support/workspace.js';

/** The setting of the online key. */
const ONLINE = 'checkpoint: { signer: { key: online.pem }, public_key: online.json }\n';

/** The headings that set up freshness. */
const FRESH = ['The key', 'Freshness: hourly, without the root key'];

/** The operator's records in a folder whose registry.yaml names the online key only, published with freshness. */
async function freshWithOnlineKey(): Promise<string> {
  const made = await madeOnce('fresh-with-online-key', async (parent) => {
    const own = await registryAfter();
    cpSync(join(own, 'issuers'), join(parent, 'registry/issuers'), { recursive: true });
    await obey(FRESH, join(parent, 'registry'));
  });
  return join(copyOf(made), 'registry');
}

describe('the commands of the pages for operators', () => {
  it('operators/start.md: from records to root key, checkpoints and log, in one path', async () => {
    const folder = await ownRegistry();
    await obey([START], folder);
    const { stdout } = await cli(['status', '--offline', '--json'], folder);
    const { parts } = JSON.parse(stdout);
    const facts = (part: string) => parts.find((one: { part: string }) => one.part === part);
    expect([facts('list').issuers, facts('log').size, facts('checkpoint').hold]).toEqual([2, 1, []]);
    expect(facts('checkpoint').level).toBe('ok');
    const { online } = claimsOf(readTreeFile(join(folder, 'dist/publication.jwt')));
    expect(online).toMatchObject({ hold: true });
  });

  it('docs/operators/: key, build, verify what is served', async () => {
    const folder = await registryAfter('The key', 'Build');
    const [verifyLive = ''] = operatorCommands('Publish');
    const registry = await serve(join(folder, 'dist'));
    const { stdout } = await sh(verifyLive.replace('http://127.0.0.1:8080', registry), folder);
    expect(stdout).toContain('is valid');
  });
});

/** A request with a checkpoint alone, and a rotation, signed in the same way as the list. */
const SIGN_WITH_OPENSSL = `
sign() { openssl pkeyutl -sign -rawin -inkey $1.pem -in $2 -out $3; }
npx passport-registry build --unsigned tool-checkpoint --root-key root.json
test ! -e tool-checkpoint/publication.signing-input
sign root-key tool-checkpoint/checkpoint.signing-input tool-checkpoint/checkpoint.sig
npx passport-registry attach tool-checkpoint --root-key root.json
npx passport-registry keys generate --no-passphrase --private tool-next.pem > tool-next.json
npx passport-registry keys rotate --unsigned tool-step --root-key root.json --next-root-key tool-next.json
sign root-key tool-step/outgoing/rotation.signing-input tool-step/outgoing/rotation.sig
sign tool-next tool-step/issuers.json tool-step/issuers.sig
sign tool-next tool-step/publication.signing-input tool-step/publication.sig
sign tool-next tool-step/checkpoint.signing-input tool-step/checkpoint.sig
npx passport-registry attach tool-step --root-key root.json
`;

/** Commands that sign a request with the signer of registry.yaml. */
const SIGN_WITH_SETTINGS = `
npx passport-registry build --unsigned token-request
npx passport-registry sign token-request --yes
npx passport-registry attach token-request
`;

/** Changes a record, so that the next request has a list. */
function changeRecord(folder: string): void {
  const record = join(folder, 'issuers/aurora-bank.yaml');
  writeFiles(folder, {
    'issuers/aurora-bank.yaml': `${readFileSync(record, 'utf8')}domain_scope: [banking]\n`,
  });
}

/** The settings that a page for operators shows below a heading. */
function settingsBelow(page: string, heading: string): string {
  const [, below = ''] = readFileSync(join(ROOT, page), 'utf8').split(`# ${heading}\n`);
  const [, settings = ''] = /```yaml\n([\s\S]*?)```/.exec(below) ?? [];
  return settings;
}

describeWith(['openssl'], 'signing in two steps', () => {
  it('docs/operators/offline.md: request, sign, attach', async () => {
    const folder = await registryAfter('The key');
    await obey(['Offline signing'], folder);
    changeRecord(folder);
    await obey(['Offline with openssl or an HSM alone'], folder);
    await sh(SIGN_WITH_OPENSSL, folder);
    expect(readFileSync(join(folder, 'request/CHANGES.txt'), 'utf8')).toContain('FIRST LIST');
    const { stdout } = await sh('npx passport-registry verify dist --trust-anchor root.json', folder);
    expect(stdout).toContain('is valid');
    expect(claimsOf(readTreeFile(join(folder, 'dist/publication.jwt')))).toMatchObject({ sequence: 3 });
  });
});

describe('a review', () => {
  it('docs/operators/publish.md: diff and check', async () => {
    const folder = await registryAfter('The key', 'Build');
    const git = 'git -c user.name=Operator -c user.email=operator@example.com';
    await sh(
      `git init -q -b main && git add issuers && ${git} commit -qm Records && git checkout -qb change`,
      folder,
    );
    await sh('npx passport-registry suspend aurora-bank --reason x --out other', folder);
    await sh(`git add issuers && ${git} commit -qm Change`, folder);
    const [diff = '', check = ''] = operatorCommands('Review');
    const { stdout } = await sh(diff, folder);
    expect(stdout.match(/~ aurora-bank: status "active" -> "suspended"/g)).toHaveLength(2);
    expect(stdout).toContain('| <code>aurora-bank</code> | **status** |');
    const asked = await run('sh', ['-uc', check], folder, await installedPath());
    expect(asked.stdout).toContain('1 issuer: 0 passed, 1 failed');
    expect(JSON.parse(readFileSync(join(folder, 'audit.json'), 'utf8')).issuers).toHaveLength(2);
  });
});

describe('registry.yaml', () => {
  it('docs/operators/settings.md: the example is a valid configuration with every setting', async () => {
    const folder = temporaryFolder();
    const text = readFileSync(join(ROOT, 'docs/operators/settings.md'), 'utf8');
    const [, example = ''] = /```yaml\n(name[\s\S]*?)```/.exec(text) ?? [];
    writeFiles(folder, { 'registry.yaml': example, 'issuers/alpha.yaml': recordText('alpha') });
    expect(await cli(['check'], folder)).toMatchObject({ code: 0 });
    const { properties } = JSON.parse(readFileSync(join(ROOT, 'schemas/registry.schema.json'), 'utf8'));
    expect(Object.keys(parse(example))).toEqual(Object.keys(properties));
  });
});

describe('the README of a new registry, without a branch', () => {
  it.each([
    ['without git', ''],
    [
      'with git, without a remote',
      'git init -q && git add -A && git -c user.name=a -c user.email=a@b.c commit -qm R',
    ],
  ])('loses no tree, %s', async (_name, prepare) => {
    const folder = await registryAfter('The key', 'Build');
    const names = 'root_key: root.json\nsigner: { key: root-key.pem }\n';
    writeFiles(folder, { 'registry.yaml': readFileSync(join(folder, 'registry.yaml'), 'utf8') + names });
    await sh(`${prepare}\ntrue`, folder);
    const list = () => JSON.parse(readFileSync(join(folder, 'dist/issuers.json'), 'utf8'));
    const statusOf = (id: string) =>
      list().issuers.find((one: { issuer_id: string }) => one.issuer_id === id).status;
    const blocks = (heading: string) => commandsBelow('cli/scaffold/template/README.md', heading);
    const [byHand = ''] = blocks('By hand');
    /** As pasted into a terminal: after a command that fails, the next one runs. */
    const paste = async (commands = '') => {
      await run('sh', ['-uc', withoutTerminal(commands)], folder, await installedPath());
      await sh('npx passport-registry verify dist', folder);
    };
    const [suspend = '', later = ''] = operatorCommands('An issuer is compromised');
    await paste(byHand.replace(/^npx .*$/m, suspend.trim()));
    expect(statusOf('harbour-logistics')).toBe('suspended');
    await paste(byHand.replace(/^npx .*$/m, later.split('\n')[0] ?? ''));
    expect(statusOf('harbour-logistics')).toBe('active');
    const [rotate] = blocks('New root key');
    await paste(rotate);
    expect(list().issuers).toHaveLength(2);
    const [served, next, old] = ['dist/keys/root.json', 'root.json', '../old-root.json'].map(
      (file) => JSON.parse(readFileSync(join(folder, file), 'utf8')).kid,
    );
    expect(old).not.toBe(next);
    expect(served).toBe(next);
  });
});

describe('a new root key with GitHub', () => {
  it('as the README of a new registry says, without checkpoints: load, rotate, save, merge', async () => {
    const folder = await registryAfter();
    const author = ['AUTHOR', 'COMMITTER'].map(
      (role) => `export GIT_${role}_NAME=a GIT_${role}_EMAIL=a@registry.internal\n`,
    );
    const prepared = [
      'npx passport-registry keys generate --no-passphrase --private ../root-key.pem > root.json',
      "printf 'root_key: root.json\\nsigner: { key: ../root-key.pem }\\n' >> registry.yaml",
      'git init -q --bare -b main ../origin.git',
      'git init -q -b main && git remote add origin ../origin.git',
      "git add -A && git commit -qm 'Registry' && git push -qu origin main",
      'npx passport-registry build --production --first && sh .github/published.sh new && sh .github/published.sh save',
    ];
    await sh([...author, prepared.join('\n')].join(''), folder);
    for (const commands of commandsBelow('cli/scaffold/template/README.md', 'New root key')) {
      await sh([...author, commands].join(''), folder);
    }
    const shown =
      'git fetch -q && git show origin/new-root-key:root.json && git show origin/published:tree/keys/root.json';
    const { stdout } = await sh(shown, folder);
    const [, first, second] = /"kid":\s*"([\w-]+)"[\s\S]*"kid":\s*"([\w-]+)"/.exec(stdout) ?? [];
    expect([first, stdout]).toEqual([second, expect.stringContaining(String(first))]);
  });
});

describe('freshness and rotation', () => {
  it.each([
    ['A new root key', 'root.json'],
    ['By signing request', 'root.json'],
  ])('docs/operators/keys.md: checkpoint, %s', async (rotation, rootKey) => {
    const folder = await freshWithOnlineKey();
    const names = 'root_key: root.json\nsigner: { key: root-key.pem }\n';
    writeFiles(folder, { 'registry.yaml': `${names}${ONLINE}` });
    await obey([rotation], folder);
    const registry = await serve(join(folder, 'dist'));
    const { stdout } = await sh(`npx passport-registry verify ${registry} --trust-anchor ${rootKey}`, folder);
    expect(stdout).toContain('is valid');
  });

  it('docs/operators/keys.md: the next root keys, committed ahead', async () => {
    const folder = await freshWithOnlineKey();
    const [keys = '', rotate = ''] = operatorCommands('The next root keys, committed ahead');
    await sh(keys, folder);
    const [first, second, third] = [1, 2, 3].map(
      (number) => JSON.parse(readFileSync(join(folder, `next-${number}.json`), 'utf8')).kid,
    );
    const root = JSON.parse(readFileSync(join(folder, 'root.json'), 'utf8'));
    writeFiles(folder, {
      'registry.yaml': `next_roots: ["${first}", "${second}"]\n${ONLINE}`,
      'trust-anchor.json': JSON.stringify({ root, next_roots: [first, second] }),
    });
    const wrong = rotate.replace('../next-1.pem', '../next-3.pem').replace(/--commit \S+ \S+/, '');
    const refused = await run('sh', ['-euc', wrong], folder, await installedPath());
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining(`not to ${third}`)]);
    expect((await sh(rotate, folder)).stderr).toContain(`then   ${second} or ${third}\n`);
    await sh('npx passport-registry verify dist --trust-anchor trust-anchor.json', folder);
  });

  it('docs/operators/status.md: how is the registry doing?', async () => {
    const folder = await registryAfter(...FRESH);
    const registry = await serve(join(folder, 'dist'));
    const settings = `${ONLINE}root_key: root.json\nsigner: { key: 'env:ROOT_KEY' }\nbase_url: ${registry}\nmirrors: [${registry}]\n`;
    writeFiles(folder, { 'registry.yaml': settings });
    const [status = ''] = operatorCommands('How is the registry doing?');
    const [monitor = ''] = operatorCommands('Run it regularly');
    const said = await sh(status, folder);
    // The output has the lines that the document shows.
    const text = readFileSync(join(ROOT, 'docs/operators/status.md'), 'utf8');
    const [, shown = ''] = /```text\n(warning online keys[\s\S]*?)\n```/.exec(text) ?? [];
    const names = (lines: string) =>
      lines
        .trim()
        .split('\n')
        .map((line) => line.slice(8, 19))
        .sort();
    expect(names(said.stdout)).toEqual(names(shown));
    const { stdout } = await sh(monitor, folder);
    const { ok } = JSON.parse(readFileSync(join(folder, 'status.json'), 'utf8'));
    expect([stdout, ok]).toEqual(['', true]);
  });
});

describeWith(['softhsm2-util', 'pkcs11-tool', 'openssl'], 'the commands of docs/operators/offline.md', () => {
  it('sign with a PKCS#11 token', async () => {
    const folder = await registryAfter();
    mkdirSync(join(folder, 'tokens'));
    writeFiles(folder, { 'softhsm2.conf': `directories.tokendir = ${join(folder, 'tokens')}\n` });
    const environment = `export SOFTHSM2_CONF='${join(folder, 'softhsm2.conf')}' MODULE=/usr/lib/softhsm/libsofthsm2.so PIN=1234\n`;
    await sh(
      `${environment}softhsm2-util --init-token --free --label registry --so-pin 5678 --pin 1234`,
      folder,
    );
    const [create = '', build = ''] = operatorCommands('With a PKCS#11 token');
    const settings = settingsBelow('docs/operators/offline.md', 'With a PKCS#11 token');
    const own = readFileSync(join(folder, 'registry.yaml'), 'utf8');
    await sh(environment + create, folder);
    writeFiles(folder, { 'registry.yaml': `${own}\n${settings}` });
    for (const commands of [build, SIGN_WITH_SETTINGS]) await sh(environment + commands, folder);
    const { code } = await cli(['verify', 'dist', '--trust-anchor', 'root.json'], folder);
    expect(code).toBe(0);
  });
});
