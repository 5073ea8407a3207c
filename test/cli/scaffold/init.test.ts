import { execFileSync, spawn } from 'node:child_process';
import fs, {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { parseRegistrySettings } from '../../../build/cli/options/settings.js';
import { namedTool } from '../../../build/cli/scaffold/pinned-tool.js';
import { registryYaml } from '../../../build/cli/scaffold/registry-settings.js';
import { templateFiles } from '../../../build/cli/scaffold/template.js';
import { withFs } from '../../support/patched-fs.js';
import { CLI, ROOT } from '../../support/paths.js';
import { init, newRegistry, SETTINGS, TOOL } from '../../support/scaffold.js';
import { TEMPLATE } from '../../support/workflow.js';
import {
  cleanEnvironment,
  cli,
  cliAnswering,
  cliProcess,
  cliWith,
  type commandLine,
  recordText,
  temporaryFolder,
  writeFiles,
} from '../../support/workspace.js';

let folder: string;

beforeEach(() => {
  folder = temporaryFolder();
});

/** Asserts that the command line accepts a configuration. The new registry has no records. */
async function expectValid(folder: string, file: string): Promise<void> {
  writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha') });
  expect(await cli(['check', '--config', file, 'issuers'], folder)).toMatchObject({ code: 0 });
}

const read = (folder: string, file: string) => readFileSync(join(folder, file), 'utf8');
const filesIn = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

const FILES = [
  '.gitattributes',
  '.github/CODEOWNERS',
  '.github/ISSUE_TEMPLATE/config.yml',
  '.github/ISSUE_TEMPLATE/listing.yml',
  '.github/PULL_REQUEST_TEMPLATE.md',
  '.github/dependabot.yml',
  '.github/published.sh',
  '.github/workflows/attach.yml',
  '.github/workflows/audit.yml',
  '.github/workflows/check.yml',
  '.github/workflows/checkpoint.yml',
  '.github/workflows/comment.yml',
  '.github/workflows/deploy.yml',
  '.github/workflows/emergency.yml',
  '.github/workflows/publish.yml',
  '.gitignore',
  '.npmrc',
  'CONTRIBUTING.md',
  'README.md',
  'SECURITY.md',
  'issuers/README.md',
  'package.json',
  'registry.yaml',
];

describe('passport-registry init', () => {
  it('makes exactly these files, and says what to do next', async () => {
    const { code, stderr } = await init(['registry', ...SETTINGS], folder);
    expect([code, filesIn(join(folder, 'registry'))]).toEqual([0, FILES]);
    expect(readdirSync(folder)).toEqual(['registry']);
    expect(stderr).toContain(`registry: ${FILES.length} files written\n`);
    expect(stderr).toMatch(/\n {2}cd registry && npm install\n.*passport-registry new.*\n {2}npm start\n/);
    expect(statSync(join(folder, 'registry')).mode & 0o777).toBe(0o777 & ~process.umask());
  });

  it('copies the files without placeholders byte by byte, and leaves no placeholder in the others', async () => {
    const folder = await newRegistry();
    for (const file of FILES) {
      const template = join(TEMPLATE, file.replace(/^\.(gitattributes|gitignore|npmrc)$/, '$1'));
      if (!/\.(md|json|yaml)$/.test(file)) expect(read(folder, file)).toBe(readFileSync(template, 'utf8'));
      expect(read(folder, file)).not.toMatch(/(?<!\$)\{\{/);
    }
  });

  it('pins the program in package.json, whose scripts are commands of the program', async () => {
    const { dependencies, scripts } = JSON.parse(read(await newRegistry(), 'package.json'));
    expect(dependencies).toEqual({ 'passport-registry': '1.0.0' });
    const { stdout } = await cli(['--help'], temporaryFolder());
    for (const [, command] of Object.values<string>(scripts)
      .join(' && ')
      .matchAll(/passport-registry (\w+)/g))
      expect(stdout).toMatch(new RegExp(`^ {2}${command}\\b`, 'm'));
  });

  it('makes settings and comments that are exactly the schema’s', async () => {
    await init(['registry', ...SETTINGS], folder);
    const text = read(folder, 'registry/registry.yaml');
    expect(parse(text)).toEqual({
      name: 'Nordic Agents Registry',
      contact: 'operator@registry.internal',
      base_url: 'https://registry.internal',
    });
    // The examples in the comments are valid, too.
    writeFiles(folder, { 'all.yaml': text.replaceAll(/^# (?=\w+:( |$)| {2})/gm, '') });
    await expectValid(folder, 'all.yaml');
    const all = parse(read(folder, 'all.yaml'));
    expect(Object.keys(all)).toEqual(expect.arrayContaining(['root_key', 'signer', 'checkpoint']));
    expect(all.log).toMatchObject({
      // The log is named by the host of the registry.
      origin: 'registry.internal/log',
      quorum: 1,
      witnesses: [{ service: 'https://witness.example' }],
    });
  });

  it.each([
    ['http://registry.internal', ['is not https']],
    ['https://registry.example', ['registry.example is a name that is reserved for examples']],
    ['http://registry.test/x', ['reserved for examples', 'is not https']],
    ['https://registry.internal', []],
    ['http://127.0.0.1:8080', []],
    ['http://localhost:8080', []],
    ['http://[::1]:8080', []],
  ])('warns of the base URL %s: %j', async (url, words) => {
    const { code, stderr } = await init([...SETTINGS.slice(0, 4), '--base-url', url], temporaryFolder());
    expect([code, stderr.match(/^WARNING: /gm) ?? []]).toEqual([0, words.map(() => 'WARNING: ')]);
    for (const each of words) expect(stderr).toContain(each);
  });

  it('takes the current folder, and keeps the files in it', async () => {
    writeFiles(folder, { LICENSE: 'mine', '.github/funding': 'mine' });
    const { code, stderr } = await init(SETTINGS, folder);
    expect([code, filesIn(folder)]).toEqual([0, [...FILES, 'LICENSE', '.github/funding'].sort()]);
    expect(stderr).toContain('\n  npm install\n');
    expect(read(folder, 'LICENSE')).toBe('mine');
  });

  it('makes parent folders, and uses no registry.yaml of the current folder: its root key is no file to write', async () => {
    writeFiles(folder, { 'registry.yaml': 'root_key: root.json\nbase_url: https://other.internal\n' });
    const missing = await init(['x', ...SETTINGS.slice(0, 4)], folder);
    expect([missing.code, missing.stderr]).toEqual([2, expect.stringContaining('--base-url')]);
    const { code, stderr } = await init(['a/b/c d', ...SETTINGS], folder);
    expect([code, stderr]).toEqual([0, expect.stringContaining("cd 'a/b/c d' && npm install")]);
    expect(filesIn(folder)).toEqual([...FILES.map((file) => `a/b/c d/${file}`), 'registry.yaml'].sort());
  });
});

describe('the values that init inserts', () => {
  const VALUES = { contact: 'operator@registry.internal', base_url: 'https://registry.internal' };

  it.each([
    `quotes " and ' and \`code\``,
    `{{tool}} \${{ secrets.ROOT_KEY }} \${HOME} $(id)`,
    '# - > * [x](y) <b>bold</b> <!-- & &amp; _a_ ~~b~~ |c| $d$ :fox:',
    'key: value, [a, b], {c: d}, !tag, &anchor, *alias, %d, @e, ? f',
    'null',
    '1.0',
    '- 2026-01-01',
    '~ 1',
    'ends with a colon:',
    ' spaces around ',
    'back\\slash \\n \\u0000',
    'x'.repeat(100),
    '🦊 Füchse 狐',
  ])('keep the name %j as it is', (name) => {
    const settings = parseRegistrySettings('registry.yaml', registryYaml({ ...VALUES, name }));
    expect(settings.name).toBe(name);
    const files = templateFiles({ ...VALUES, name, tool: '1.0.0' });
    const [, heading = ''] = /^# (.*)$/m.exec(String(files.get('README.md'))) ?? [];
    expect(heading.replaceAll('&#32;', ' ').replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')).toBe(name);
    // Without the escapes, no character is left that is markup inside of a line.
    expect(heading.replaceAll('&#32;', '').replaceAll(/\\./g, '')).not.toMatch(/[\\`*_[\]<>&#|~$:]/);
    expect(() => JSON.parse(String(files.get('package.json')))).not.toThrow();
  });

  it('keep a URL, which stands in registry.yaml alone', async () => {
    const url = 'https://registry.internal/a>b<c)"{{name}}';
    expect((await init(['r', ...SETTINGS, '--base-url', url], folder)).code).toBe(0);
    await expectValid(folder, 'r/registry.yaml');
    expect(parse(read(folder, 'r/registry.yaml')).base_url).toBe(url);
    const others = filesIn(join(folder, 'r')).filter((file) => file !== 'registry.yaml');
    for (const file of others) expect(read(folder, join('r', file))).not.toContain('registry.internal/');
  });

  it.each([
    ['--name', ''],
    ['--name', 'x'.repeat(101)],
    ['--name', 'two\nlines'],
    ['--name', 'a bell \u0007'],
    ['--name', 'abc \u202ecba'],
    ['--contact', 'nobody'],
    ['--base-url', 'ftp://registry.internal'],
    ['--base-url', 'https://registry.internal/?query'],
  ])('are refused as in registry.yaml: %s %j', async (option, value) => {
    const { code, stderr } = await init(['r', ...SETTINGS, option, value], folder);
    expect([code, readdirSync(folder)]).toEqual([2, []]);
    const setting = option.slice(2).replace('-', '_');
    writeFiles(folder, { 'registry.yaml': `${setting}: ${JSON.stringify(value)}\n` });
    const words = (await cli(['check'], folder)).stderr;
    const messages = (text: string) => text.match(/(?<=error ).*|^ {4}.*/gm);
    expect(messages(words)?.length).toBeGreaterThan(0);
    expect(messages(stderr)).toEqual(messages(words));
  });

  it('are asked for on a terminal only, and all that are missing are named', async () => {
    const { code, stderr } = await init(['--name', 'x'], temporaryFolder());
    expect([code, stderr]).toEqual([2, expect.stringContaining(' --contact, --base-url: ')]);
  });
});

describe('a folder that is not empty', () => {
  it('is refused if a file or folder of the registry is there: nothing is replaced, or written behind a link', async () => {
    const outside = temporaryFolder();
    symlinkSync(outside, join(folder, 'issuers'));
    symlinkSync(join(outside, 'nothing'), join(folder, 'SECURITY.md'));
    writeFiles(folder, { 'README.md': 'mine', '.github': 'a file' });
    const { code, stderr } = await init(SETTINGS, folder);
    expect(code).toBe(2);
    expect(stderr).toContain(' .github, issuers, README.md, SECURITY.md ');
    expect([readdirSync(outside), readdirSync(folder).length]).toEqual([[], 4]);
    expect(read(folder, 'README.md')).toBe('mine');
  });

  it('is refused if it is a file, or a link to nothing', async () => {
    writeFiles(folder, { file: '' });
    symlinkSync('nothing', join(folder, 'link'));
    const file = await init(['file', ...SETTINGS], folder);
    expect([file.code, file.stderr]).toEqual([2, expect.stringContaining('not a folder')]);
    expect((await init(['link', ...SETTINGS], folder)).code).toBeGreaterThan(1);
    expect(readdirSync(folder).sort()).toEqual(['file', 'link']);
  });

  it('may be a link to a folder', async () => {
    mkdirSync(join(folder, 'real'));
    symlinkSync('real', join(folder, 'link'));
    expect((await init(['link', ...SETTINGS], folder)).code).toBe(0);
    expect(filesIn(join(folder, 'real'))).toEqual(FILES);
  });
});

describe('an init that ends early', () => {
  /** Runs `init` in a process that is killed before it places the file with this number. */
  function initKilledAt(number: number, args: readonly string[]) {
    const hook = join(temporaryFolder(), 'hook.mjs');
    writeFileSync(
      hook,
      `import fs from 'node:fs';
       import { syncBuiltinESMExports } from 'node:module';
       let count = 0;
       for (const name of ['linkSync', 'renameSync', 'copyFileSync']) {
         const real = fs[name];
         fs[name] = (...args) => {
           if (++count >= ${number}) process.kill(process.pid, 'SIGKILL');
           return real(...args);
         };
       }
       syncBuiltinESMExports();\n`,
    );
    return cliProcess(['init', ...TOOL, ...args], folder, { NODE_OPTIONS: `--import ${hook}` });
  }

  it('leaves no part of a new folder', async () => {
    const { code } = await initKilledAt(1, ['registry', ...SETTINGS]);
    expect([code, existsSync(join(folder, 'registry'))]).toEqual([null, false]);
  });

  it.each([1, 18])('leaves nothing in an existing folder if file %i cannot be written', async (number) => {
    writeFiles(folder, { mine: 'mine' });
    mkdirSync(join(folder, 'here'));
    const args = [...SETTINGS, '--key', '../root-key.pem', '--no-passphrase'];
    const { linkSync } = fs;
    let placed = 0;
    const full: typeof linkSync = (...paths) => {
      placed += 1;
      if (placed >= number) throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });
      linkSync(...paths);
    };
    const copyFileSync = () => full('', '');
    const others = { linkSync: full, copyFileSync };
    const outcome = await withFs(others, () => init(args, join(folder, 'here')));
    expect([outcome.code, outcome.stderr]).toEqual([4, expect.stringContaining('no space left')]);
    expect(filesIn(folder)).toEqual(['mine']);
    expect(readdirSync(join(folder, 'here'))).toEqual([]);
  });

  it('can run again in the same folder after it was killed', async () => {
    const { code } = await initKilledAt(7, SETTINGS);
    expect([code, existsSync(join(folder, '.github'))]).toEqual([null, true]);
    expect((await init(SETTINGS, folder)).code).toBe(0);
    expect(filesIn(folder).filter((file) => !file.startsWith('.passport-registry-init.'))).toEqual(FILES);
  });
});

describe('init --key', () => {
  it('makes a key that only its owner can read, and that the registry signs with', async () => {
    const folder = await newRegistry();
    const key = join(folder, '../root-key.pem');
    expect(statSync(key).mode & 0o777).toBe(0o600);
    expect(read(folder, 'root.json')).toBe((await cli(['keys', 'public', key], folder)).stdout);
    expect(parse(read(folder, 'registry.yaml'))).toMatchObject({
      root_key: 'root.json',
      signer: { key: '../root-key.pem' },
    });
    writeFiles(folder, { 'issuers/aurora.yaml': recordText('aurora') });
    // Its host is not there yet.
    expect((await cli(['build', '--production', '--first'], folder)).code).toBe(0);
    expect((await cli(['verify', 'dist'], folder)).code).toBe(0);
    for (const file of FILES) expect(read(folder, file)).not.toContain('PRIVATE');
  });

  it.each([
    ['registry/root-key.pem', 'registry'],
    ['registry/issuers/../root-key.pem', 'registry'],
    ['link/root-key.pem', 'registry'],
    ['registry', 'registry'],
    ['registry/root-key.pem', 'link'],
  ])('refuses %s, which is in the folder %s', async (key, named) => {
    mkdirSync(join(folder, 'registry/issuers'), { recursive: true });
    symlinkSync('registry', join(folder, 'link'));
    const { code, stderr } = await init([named, ...SETTINGS, '--key', key], folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining(`--key ${key} is in ${named}`)]);
    expect(filesIn(folder)).toEqual(['link']);
  });

  it('never replaces a key or follows a link, and then writes nothing', async () => {
    writeFiles(folder, { 'a.pem': 'mine' });
    symlinkSync('nothing', join(folder, 'b.pem'));
    for (const key of ['a.pem', 'b.pem', 'no/such/folder/c.pem']) {
      const args = ['registry', ...SETTINGS, '--key', key, '--no-passphrase'];
      const { code } = await init(args, folder);
      expect(code).toBeGreaterThan(1);
    }
    expect(readdirSync(folder).sort()).toEqual(['a.pem', 'b.pem']);
    expect(read(folder, 'a.pem')).toBe('mine');
  });

  it('refuses a short passphrase before it asks anything', async () => {
    writeFiles(folder, { words: 'thief\n' });
    const key = ['--key', 'key.pem', '--passphrase-file', 'words'];
    const { code, stderr } = await cliAnswering('Nordic', ['init', 'registry', ...TOOL, ...key], folder);
    expect([code, stderr]).toEqual([3, expect.stringMatching(/^passport-registry: .*passphrase.*\n$/)]);
    expect(filesIn(folder)).toEqual(['words']);
  });

  it('makes no key if the folder is refused, or a value', async () => {
    writeFiles(folder, { 'registry/root.json': '' });
    const key = ['--key', 'key.pem', '--no-passphrase'];
    const refused = await init(['registry', ...SETTINGS, ...key], folder);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining(' root.json ')]);
    expect((await init(['x', ...SETTINGS, '--name', '', ...key], folder)).code).toBe(2);
    expect([filesIn(folder), read(folder, 'registry/root.json')]).toEqual([['registry/root.json'], '']);
  });
});

describe('init inside of a git working tree', () => {
  it('says that workflows run only at the top, and keeps the root key out of git', async () => {
    execFileSync('git', ['init', '-q'], { cwd: folder });
    const { code, stderr } = await init(
      ['registry', ...SETTINGS, '--key', 'key.txt', '--no-passphrase'],
      folder,
    );
    expect(code).toBe(0);
    expect(stderr).toContain(`git repository ${realpathSync(folder)}`);
    expect(read(folder, '.gitignore')).toBe('/key.txt\n');
    const top = temporaryFolder();
    execFileSync('git', ['init', '-q'], { cwd: top });
    expect((await init(SETTINGS, top)).stderr).not.toContain('note: this folder');
  });

  it('ignores keys and outputs, and nothing else', async () => {
    const folder = await newRegistry();
    writeFiles(folder, {
      'issuers/aurora.yaml': recordText('aurora'),
      'new-key.pem': '',
      'node_modules/x/y': '',
    });
    await cli(['build'], folder);
    execFileSync('git', ['init', '-q'], { cwd: folder });
    execFileSync('git', ['add', '-A'], { cwd: folder });
    const added = execFileSync('git', ['ls-files'], { cwd: folder, encoding: 'utf8' }).trim().split('\n');
    expect(added.sort()).toEqual([...FILES, 'issuers/aurora.yaml', 'root.json'].sort());
  });
});

describe('init on a terminal', () => {
  /** Runs `init` on a terminal. Types the text at once when the first question is shown. Returns what was shown. */
  const typed = (folder: string, input: string) =>
    new Promise<string>((resolve, reject) => {
      const command = `"${process.execPath}" "${CLI}" init my-registry ${TOOL.join(' ')}`;
      const child = spawn('script', ['-qec', command, '/dev/null'], {
        cwd: folder,
        env: cleanEnvironment({ HOME: folder, GIT_CONFIG_GLOBAL: join(folder, '.gitconfig') }),
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      let shown = '';
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        if (shown === '') child.stdin.write(input);
        shown += text;
      });
      child.once('error', reject).once('close', () => resolve(shown));
    });

  it('asks for what is missing, shows defaults, and asks again after an invalid answer', async () => {
    writeFiles(folder, { '.gitconfig': '[user]\n\temail = operator@git.internal\n' });
    const shown = await typed(folder, '\n\nftp://x\nhttps://registry.internal\n');
    expect(shown).toContain('Name of the registry [my-registry]: ');
    expect(shown).toContain('E-mail address of the operator [operator@git.internal]: ');
    expect(shown).toContain('URL where the registry will be published [http://127.0.0.1:8080]: ');
    expect(shown).toContain('base_url is "ftp://x"');
    expect(parse(read(folder, 'my-registry/registry.yaml'))).toEqual({
      name: 'my-registry',
      contact: 'operator@git.internal',
      base_url: 'https://registry.internal',
    });
  });

  // Ctrl+C: test/custody/offline-signing/offline.
  it('writes nothing after Ctrl+D', async () => {
    const shown = await typed(folder, 'x\n\u0004');
    expect(shown).toContain('no answer was given');
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('the program that init pins', () => {
  const PROGRAM = 'build/cli/in-process.js';
  const TARBALL = Buffer.from('a tarball');
  let top: string;
  let program: Awaited<ReturnType<typeof commandLine>>;

  /** Copies the program into `node_modules`, as npm does. */
  beforeAll(async () => {
    top = temporaryFolder();
    const module = join(top, 'node_modules/passport-registry');
    const { files: _files, ...manifest } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    for (const path of [PROGRAM, 'schemas', 'cli/scaffold/template'])
      cpSync(join(ROOT, path), join(module, path), { recursive: true });
    writeFiles(module, { 'package.json': JSON.stringify({ ...manifest, version: '1.2.3' }) });
    writeFiles(top, { 'a #1 tool.tgz': TARBALL });
    program = await import(join(module, PROGRAM));
  });

  /** Runs `init` of the program, as if npm had installed it in this way. */
  async function initInstalled(entry: object | undefined, spec?: string) {
    for (const path of ['registry', 'node_modules/.package-lock.json'])
      rmSync(join(top, path), { recursive: true, force: true });
    writeFiles(top, {
      'package.json': JSON.stringify({ dependencies: { 'passport-registry': spec ?? '1.2.3' } }),
    });
    if (entry !== undefined) {
      const packages = { 'node_modules/passport-registry': { version: '1.2.3', ...entry } };
      writeFiles(top, { 'node_modules/.package-lock.json': JSON.stringify({ packages }) });
    }
    const input = { env: cleanEnvironment(), stdin: '', program };
    const outcome = await cliWith(['init', 'registry', ...SETTINGS], top, input);
    const folder = join(top, 'registry');
    const pinned = existsSync(folder) ? JSON.parse(read(folder, 'package.json')).dependencies : {};
    return { ...outcome, folder, pinned: pinned['passport-registry'] };
  }
  const URL_OF_TARBALL = 'https://host.internal/any.tgz';
  const HASH = 'sha512-+PXSUQf8E0BPQMYDg+4WFb3zB2YXEYkcTXaiv1lz+Cg=';
  const COMMIT = '0123456789abcdef0123456789abcdef01234567';

  it.each([
    [{ resolved: 'https://host.internal/passport-registry-1.2.3.tgz', integrity: HASH }, '^1.2.0', '1.2.3'],
    [{ integrity: HASH }, '^1.2.0', '1.2.3'],
    [{ resolved: URL_OF_TARBALL, integrity: HASH }, URL_OF_TARBALL, URL_OF_TARBALL],
  ])(
    'is the exact version, or the URL, if that came from a package registry: %j',
    async (entry, spec, expected) => {
      const { pinned, stderr } = await initInstalled(entry, spec);
      expect([pinned, stderr.includes('note:')]).toEqual([expected, false]);
    },
  );

  it('is the commit, if it came from git, which npm builds with scripts', async () => {
    const resolved = `git+ssh://git@host.internal/owner/registry.git#${COMMIT}`;
    const { pinned, folder, stderr } = await initInstalled(
      { resolved },
      'git+ssh://host.internal/x.git#main',
    );
    expect(pinned).toBe(resolved);
    expect(stderr).toContain('note: npm builds');
    for (const name of readdirSync(join(folder, '.github/workflows')))
      expect(read(folder, `.github/workflows/${name}`)).not.toContain('--ignore-scripts');
  });

  it('is a copy of the tarball, if it came from a file', async () => {
    const { createHash } = await import('node:crypto');
    const integrity = `sha512-${createHash('sha512').update(TARBALL).digest('base64')}`;
    const { pinned, folder } = await initInstalled({ resolved: 'file:a %231 tool.tgz', integrity });
    expect(pinned).toBe('file:vendor/passport-registry-1.2.3.tgz');
    expect(readFileSync(join(folder, 'vendor/passport-registry-1.2.3.tgz')).equals(TARBALL)).toBe(true);
  });

  it.each([
    ['is gone', { resolved: 'file:gone.tgz' }, 'not a file any more'],
    ['has changed', { resolved: 'file:a %231 tool.tgz', integrity: HASH }, 'is not the tarball'],
  ])('is refused if the tarball %s', async (_why, entry, words) => {
    const { code, stderr, folder } = await initInstalled(entry);
    expect([code, existsSync(folder)]).toEqual([2, false]);
    expect(stderr).toContain(words);
  });

  it('is the version, with a note, if npm has no record of the installation', async () => {
    const { pinned, stderr } = await initInstalled(undefined);
    expect([pinned, stderr.includes('note: npm has no record')]).toEqual(['1.2.3', true]);
  });

  const GIT = `tool.git#${COMMIT}`;

  it.each([
    ['1.2.4-rc.1', '1.2.4-rc.1'],
    [`github:owner/registry#${COMMIT}`, `github:owner/registry#${COMMIT}`],
    // It names a user, and no secret.
    [`git+ssh://git@a.internal/${GIT}`, `git+ssh://git@a.internal/${GIT}`],
    ['https://host.internal/x.tgz', 'https://host.internal/x.tgz'],
  ])('is %s', (spec, pinned) => {
    expect(namedTool(spec)).toMatchObject({ spec: pinned });
  });

  it('is the tarball at a path, which is copied', () => {
    writeFiles(folder, { 'a #1 tool.tgz': TARBALL });
    const path = 'vendor/a--1-tool.tgz';
    const vendored = { path, bytes: TARBALL };
    expect(namedTool(join(folder, 'a #1 tool.tgz'))).toMatchObject({ spec: `file:${path}`, vendored });
  });

  const usageError = (fact: string) =>
    expect.objectContaining({ code: 'ERR_USAGE', message: expect.stringContaining(fact) });

  it.each([
    ...['^1.2.3', 'latest', '*', '', 'github:owner/registry#main', './no.tgz', 'http://host.internal/x.tgz'],
    '../..',
  ])('is not %j, which pins nothing', (spec) => {
    expect(() => namedTool(spec)).toThrow(usageError(`--tool ${spec} `));
  });

  it.each([
    'https://someone:hunter2@a.internal/tool.tgz',
    'https://hunter2@a.internal/tool.tgz',
    'HTTPS://hunter2@a.internal/tool.zip',
    `git+https://hunter2@a.internal/${GIT}`,
    `git+ssh://git:hunter2@a.internal/${GIT}`,
    'git+https://hunter2@a.internal/tool.git#main',
  ])('is no address with credentials: %s', (spec) => {
    expect(() => namedTool(spec)).toThrow(usageError('credentials'));
    expect(() => namedTool(spec)).not.toThrow(/hunter2/);
  });

  it('is named by --tool, which is refused where it pins nothing', async () => {
    const { code, stderr } = await init(['x', ...SETTINGS, '--tool', 'latest'], folder);
    expect([code, stderr, readdirSync(folder)]).toEqual([2, expect.stringContaining('--tool latest '), []]);
  });

  it('is no address with credentials from which npm has installed the program', async () => {
    const resolved = `git+https://someone:hunter2@a.internal/tool.git#${COMMIT}`;
    const { code, stdout, stderr, folder } = await initInstalled({ resolved });
    expect([code, existsSync(folder), (stdout + stderr).includes('hunter2')]).toEqual([2, false, false]);
    expect(stderr).toContain('credentials');
  });

  it('is asked for in a checkout, which nothing can pin', async () => {
    const { code, stderr } = await cli(['init', 'x', ...SETTINGS], folder);
    expect([code, stderr, readdirSync(folder)]).toEqual([2, expect.stringContaining('--tool'), []]);
  });
});
