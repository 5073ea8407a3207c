import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { git } from './git.js';
import { installedPath } from './installed.js';
import { copyOf, madeOnce } from './made-once.js';
import { TOOL } from './scaffold.js';
import { withKeys } from './settings.js';
import { type Job, type Outcomes, type Runner, readWorkflow, runJob, type Step } from './workflow.js';
import { cli, clockAhead, recordText, run, temporaryFolder, writeFiles } from './workspace.js';

/** The exit code of each step, by its name. */
export const codes = (outcomes: Outcomes): Record<string, number | null> =>
  Object.fromEntries(Object.entries(outcomes).map(([name, { code }]) => [name, code]));

/** Whether every step has ended well; all outcomes if not, for the message of a test. */
export const areGood = (outcomes: Outcomes): true | Outcomes =>
  Object.values(outcomes).every(({ code }) => code === 0) || outcomes;

/** The file of a valid record. */
export const record = (id: string): Record<string, string> => ({ [`issuers/${id}.yaml`]: recordText(id) });

/**
 * A registry that `init` made, on a simulated GitHub that runs its workflows step by step as they are written: actions use
 * git, and `gh` is a script that logs its arguments.
 */
export class SimulatedGithub {
  /** The folder of an operator: keys, the clone `registry`, and the repository `origin.git`. */
  readonly root: string;
  readonly keys: { ROOT_KEY: string; readonly ONLINE_KEY: string };
  /** The working directory of the last pull request that was checked. */
  checked = '';
  #ghFolder = '';
  #aheadMinutes = 0;

  /** A registry without a record. Its host has no file. It is made once in a run, and copied. */
  static async create(): Promise<SimulatedGithub> {
    return new SimulatedGithub(copyOf(await madeOnce('registry-on-github', makeRegistry)));
  }

  /** A registry with one record, `aurora`, that the operator has published by hand. It is made once in a run, and copied. */
  static async published(): Promise<SimulatedGithub> {
    const made = await madeOnce('published-on-github', async (home) => {
      const github = await SimulatedGithub.create();
      github.pushToMain(record('aurora'));
      await github.publishByHand();
      cpSync(github.root, home, { recursive: true, verbatimSymlinks: true });
    });
    return new SimulatedGithub(copyOf(made));
  }

  private constructor(root: string) {
    this.root = root;
    const read = (file: string) => readFileSync(join(root, file), 'utf8');
    this.keys = { ROOT_KEY: read('root.pem'), ONLINE_KEY: read('online.pem') };
  }

  get main(): string {
    return join(this.root, 'registry');
  }

  get origin(): string {
    return join(this.root, 'origin.git');
  }

  get environment(): Record<string, string> {
    const path = `${this.#ghFolder}:${process.env['PATH']}`;
    return { PATH: path, WAIT_SECONDS: '1', ...clockAhead(this.#aheadMinutes) };
  }

  /** Lets two seconds pass: statements are dated to the second. */
  wait(): void {
    this.#aheadMinutes += 2 / 60;
  }

  /** Runs a command of the operator, which must succeed. Returns its output. */
  async good(cwd: string, ...args: string[]): Promise<string> {
    const { code, stdout, stderr } = await cli(args, cwd, clockAhead(this.#aheadMinutes));
    if (code !== 0) throw new Error(stdout + stderr);
    return stdout.trim();
  }

  /** A working directory for a job. What `gh` is asked is beside it, in a file that ends in `.gh`. */
  runnerFolder(): string {
    const folder = temporaryFolder();
    this.#ghFolder = temporaryFolder();
    writeFiles(this.#ghFolder, {
      gh: `#!/bin/sh\nprintf '%s\\n' "$*" >> '${folder}.gh'\ncat comment.md 2>/dev/null || true\n`,
    });
    chmodSync(join(this.#ghFolder, 'gh'), 0o755);
    return folder;
  }

  /** Simulates actions/checkout. */
  checkout(folder: string, fallback = 'main') {
    return async (step: Step): Promise<void> => {
      if (!step.uses?.startsWith('actions/checkout@')) return;
      const { ref, path = '.' } = step.with ?? {};
      const branch = ref === undefined || String(ref).includes('${{') ? fallback : String(ref);
      git(folder, 'clone', '-q', '--template=', '--branch', branch, this.origin, String(path));
    };
  }

  job(name: string, job: string): Job {
    return readWorkflow(join(this.main, '.github/workflows'), name).jobs[job] ?? {};
  }

  /** Runs a job with the secrets of the registry. */
  run(job: Job, extra: Partial<Runner> = {}): Promise<Outcomes> {
    const folder = extra.folder ?? this.runnerFolder();
    return runJob(job, {
      folder,
      use: this.checkout(folder),
      environment: this.environment,
      ...extra,
      expressions: extra.expressions ?? this.secrets,
    });
  }

  get secrets(): Record<string, string> {
    return { 'secrets.ROOT_KEY': this.keys.ROOT_KEY, 'secrets.ONLINE_KEY': this.keys.ONLINE_KEY };
  }

  publish(extra: Partial<Runner> = {}): Promise<Outcomes> {
    return this.run(this.job('publish', 'build'), extra);
  }

  /** Publishes the first list, as an operator asks for by hand. */
  publishFirst(): Promise<Outcomes> {
    return this.publish({ expressions: { ...this.secrets, 'inputs.first': 'true' } });
  }

  /** Signs a checkpoint, without the root key. */
  checkpoint(): Promise<Outcomes> {
    return this.run(this.job('checkpoint', 'sign'), { expressions: this.#online });
  }

  /** Holds issuers, or ends that, as an operator asks for by hand. */
  emergency(action: string, ids: string): Promise<Outcomes> {
    const inputs = { 'inputs.action': action, 'inputs.issuer_ids': ids };
    return this.run(this.job('emergency', 'hold'), { expressions: { ...this.#online, ...inputs } });
  }

  /** Publishes the request on a branch. */
  attach(branch: string): Promise<Outcomes> {
    const expressions = { ...this.#online, 'inputs.branch': branch };
    return this.run(this.job('attach', 'attach'), { expressions });
  }

  get #online(): Record<string, string> {
    return { 'secrets.ONLINE_KEY': this.keys.ONLINE_KEY };
  }

  /** Runs the script of the branch in a clone, which must succeed. @param bin - a folder of programs that go first */
  async published(
    verb: 'new' | 'load' | 'save',
    message = '',
    clone = this.main,
    bin?: string,
  ): Promise<void> {
    const author = { GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@example.com' };
    const committer = { GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@example.com' };
    const clock = clockAhead(this.#aheadMinutes);
    const { PATH } = await installedPath();
    const path = { PATH: bin === undefined ? PATH : `${bin}:${PATH}` };
    const environment = { ...path, ...author, ...committer, ...clock };
    const { code, stderr } = await run('sh', ['.github/published.sh', verb, message], clone, environment);
    if (code !== 0) throw new Error(stderr);
  }

  /** Writes the branch `published` to a folder. Returns the folder with the tree. */
  publishedTree(): string {
    const folder = temporaryFolder();
    git(
      folder,
      `--git-dir=${this.origin}`,
      '--work-tree=.',
      'restore',
      '--source=published',
      '--worktree',
      '.',
    );
    return join(folder, 'tree');
  }

  /**
   * Creates a pull request: a branch with some changes, and a merge commit as GitHub creates it. Runs its checks, but not
   * those that ask the hosts of issuers.
   */
  async pullRequest(
    name: string,
    change: (folder: string) => unknown,
    attributes?: string,
  ): Promise<Outcomes> {
    const author = this.#clone();
    git(author, 'checkout', '-qb', name);
    await change(author);
    git(author, 'add', '-A');
    git(author, 'commit', '-qm', name);
    if (attributes !== undefined) {
      // A commit of its own: git would apply the attributes to every other file that it adds.
      writeFiles(author, { '.gitattributes': attributes });
      git(author, 'add', '.gitattributes');
      git(author, 'commit', '-qm', 'Attributes');
    }
    const parents = ['-p', 'origin/main', '-p', name];
    const merged = git(author, 'commit-tree', `${name}^{tree}`, ...parents, '-m', 'Merge');
    git(author, 'push', '-q', 'origin', `${merged}:refs/heads/merge-${name}`);
    const folder = this.runnerFolder();
    this.checked = folder;
    const { steps = [], ...job } = this.job('check', 'records');
    const offline = { ...job, steps: steps.filter((step) => !step.run?.includes('check --online')) };
    return this.run(offline, { folder, use: this.checkout(folder, `merge-${name}`), expressions: {} });
  }

  merge(name: string): void {
    git(this.origin, 'update-ref', 'refs/heads/main', `refs/heads/merge-${name}`);
  }

  /** Writes the comment on a pull request. Returns the folder and the outcomes. */
  async comment(name: string): Promise<{ readonly folder: string; readonly outcomes: Outcomes }> {
    const folder = this.runnerFolder();
    const steps = (this.job('comment', 'difference').steps ?? []).map(({ if: _always, ...step }) => step);
    const environment = { ...this.environment, GITHUB_OUTPUT: '/dev/null', HEAD_SHA: 'x' };
    const use = this.checkout(folder, `merge-${name}`);
    return { folder, outcomes: await this.run({ steps }, { folder, use, environment, expressions: {} }) };
  }

  /** Commits files to `main`, as a merge of an operator does: in one process, because most tests do this often. */
  pushToMain(files: Record<string, string>): void {
    const changes = Object.entries(files).map(
      ([path, text]) => `M 100644 inline ${path}\ndata ${Buffer.byteLength(text)}\n${text}\n`,
    );
    const commit =
      'commit refs/heads/main\ncommitter a <a@example.com> now\ndata 6\nChange\nfrom refs/heads/main^0\n';
    execFileSync('git', ['fast-import', '--quiet', '--date-format=now'], {
      cwd: this.origin,
      input: commit + changes.join(''),
    });
  }

  /** Publishes by hand, with an online key that may hold issuers. From then on, builds sign checkpoints. */
  async publishByHand(): Promise<void> {
    git(this.main, 'pull', '-q', 'origin', 'main');
    const isFirst = git(this.origin, 'branch', '--list', 'published') === '';
    await this.published(isFirst ? 'new' : 'load');
    const more = [...(isFirst ? ['--first'] : []), ...withKeys({ checkpoint: '../online.pem' })];
    await this.good(this.main, 'build', '--production', ...more);
    await this.published('save', 'Checkpoints');
    const settings = readFileSync(join(this.main, 'registry.yaml'), 'utf8');
    this.pushToMain({ 'registry.yaml': `${settings}checkpoint: { signer: { key: "env:ONLINE_KEY" } }\n` });
  }

  #clone(): string {
    const folder = join(temporaryFolder(), 'author');
    git(this.root, 'clone', '-q', '--template=', '--branch', 'main', this.origin, folder);
    return folder;
  }
}

async function makeRegistry(root: string): Promise<void> {
  const good = async (...args: string[]) => {
    const { code, stdout, stderr } = await cli(args, root);
    if (code !== 0) throw new Error(stderr);
    return stdout;
  };
  const settings = [
    '--name',
    'Nordic',
    '--contact',
    'o@registry.internal',
    '--base-url',
    inject('emptyHost'),
  ];
  await good('init', 'registry', ...TOOL, ...settings, '--key', 'root.pem', '--no-passphrase');
  writeFiles(root, {
    'online.json': await good('keys', 'generate', '--no-passphrase', '--private', 'online.pem'),
  });
  git(root, 'init', '-q', '--template=', '--bare', '-b', 'main', 'origin.git');
  git(join(root, 'origin.git'), 'config', 'receive.autogc', 'false');
  const main = join(root, 'registry');
  git(main, 'init', '-q', '--template=', '-b', 'main');
  git(main, 'add', '-A');
  git(main, 'commit', '-qm', 'Registry');
  git(main, 'remote', 'add', 'origin', '../origin.git');
  git(main, 'push', '-q', 'origin', 'main');
}
