import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../support/components.js';
import { serve } from '../support/serving.js';
import { type Outcomes, type Runner, runJob, type Step, workflow } from '../support/workflow.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../support/workspace.js';

/**
 * Runs the workflows, step by step as they are written, on an operator's repository with the branches `main` and
 * `published`. GitHub is simulated: actions use git, and `gh` is a script that logs its arguments.
 */
describeWith(
  ['git', 'bash', 'jq', 'tar', 'sha256sum'],
  'the workflows, from a new record to a verified registry',
  () => {
    let root: string;
    let origin: string;
    let keys: { ROOT_KEY: string; ONLINE_KEY: string };

    const git = (folder: string, ...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], {
        cwd: folder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }).trim();

    /** Simulates actions/checkout. */
    const checkout = (folder: string, fallback: string) => async (step: Step) => {
      if (!step.uses?.startsWith('actions/checkout@')) return;
      const { ref, path = '.' } = step.with ?? {};
      const branch = ref === undefined || String(ref).includes('${{') ? fallback : String(ref);
      git(folder, 'clone', '-q', '--branch', branch, `file://${origin}`, String(path));
    };

    function runnerFolder(): string {
      const folder = temporaryFolder();
      const gh = join(temporaryFolder(), 'gh');
      writeFiles(gh, {
        gh: `#!/bin/sh\nprintf '%s\\n' "$*" >> '${folder}.gh'\ncat comment.md 2>/dev/null || true\n`,
      });
      chmodSync(join(gh, 'gh'), 0o755);
      ghFolder = gh;
      return folder;
    }
    let ghFolder = '';
    const environment = () => ({ PATH: `${ghFolder}:${process.env['PATH']}`, PAUSE: '0' });
    const codes = (outcomes: Outcomes) =>
      Object.fromEntries(Object.entries(outcomes).map(([name, { code }]) => [name, code]));

    async function publish(extra: Partial<Runner> = {}): Promise<Outcomes> {
      const folder = runnerFolder();
      const job = workflow('publish').jobs['build'];
      return runJob(job ?? {}, {
        folder,
        use: checkout(folder, 'main'),
        expressions: { 'secrets.ROOT_KEY': keys.ROOT_KEY, 'secrets.ONLINE_KEY': keys.ONLINE_KEY },
        environment: environment(),
        ...extra,
      });
    }

    /** Clones the branch `published`. Returns the folder with the tree. */
    function publishedTree(): string {
      const folder = join(temporaryFolder(), 'tree');
      git(root, 'clone', '-q', '--branch', 'published', `file://${origin}`, folder);
      execFileSync('rm', ['-rf', join(folder, '.git')]);
      return folder;
    }

    /** Creates a pull request: a branch with some changes, and a merge commit as GitHub creates it. Runs its checks. */
    async function pullRequest(name: string, change: (folder: string) => unknown): Promise<Outcomes> {
      const author = join(temporaryFolder(), 'author');
      git(root, 'clone', '-q', '--branch', 'main', `file://${origin}`, author);
      git(author, 'checkout', '-qb', name);
      await change(author);
      git(author, 'add', '-A');
      git(author, 'commit', '-qm', name);
      git(author, 'checkout', '-q', 'main');
      git(author, 'merge', '-q', '--no-ff', '-m', 'Merge', name);
      git(author, 'push', '-q', 'origin', `HEAD:refs/heads/merge-${name}`);
      const folder = runnerFolder();
      const job = workflow('validate').jobs['records'];
      const offline = {
        ...job,
        steps: (job?.steps ?? []).filter((step) => !step.run?.includes('main.js check')),
      };
      return runJob(offline, { folder, use: checkout(folder, `merge-${name}`), environment: environment() });
    }

    const merge = (name: string) => git(origin, 'update-ref', 'refs/heads/main', `refs/heads/merge-${name}`);

    beforeAll(async () => {
      root = temporaryFolder();
      origin = join(root, 'origin.git');
      git(root, 'init', '-q', '--bare', '-b', 'main', origin);
      for (const name of ['root', 'online']) {
        writeFiles(root, {
          [`${name}.json`]: (await cli(['keys', 'generate', '--out', `${name}.pem`], root)).stdout,
        });
      }
      const read = (file: string) => readFileSync(join(root, file), 'utf8');
      keys = { ROOT_KEY: read('root.pem'), ONLINE_KEY: read('online.pem') };
      const main = join(root, 'main');
      mkdirSync(main);
      writeFiles(main, {
        'issuers/aurora.yaml': recordText('aurora'),
        'root.json': read('root.json'),
        'registry.yaml':
          'root_key: root.json\nsigner: { key: "env:ROOT_KEY" }\ncheckpoint: { signer: { key: "env:ONLINE_KEY" } }\n',
        '.gitignore': 'dist\npublished\nnode_modules\nbuild\nlive.json\n',
      });
      // The operator runs the first build by hand, with the delegation.
      writeFiles(root, {
        'delegation.jwt': (
          await cli(['keys', 'delegate', '--key', 'root.pem', '--online', 'online.json'], root)
        ).stdout,
      });
      const first = await cli(
        ['build', '--production', '--delegation', join(root, 'delegation.jwt')],
        main,
        keys,
      );
      expect(first.stderr).not.toContain('passport-registry:');
      git(main, 'init', '-q', '-b', 'main');
      git(main, 'add', '-A');
      git(main, 'commit', '-qm', 'Registry');
      git(main, 'push', '-q', origin, 'HEAD:main');
      const tree = join(main, 'dist');
      git(tree, 'init', '-q', '-b', 'published');
      git(tree, 'add', '-A', '-f');
      git(tree, 'commit', '-qm', 'First tree');
      git(tree, 'push', '-q', origin, 'HEAD:published');
    });

    it('accept a valid record: new, validate, format, diff', async () => {
      const outcomes = await pullRequest('harbour', (folder) =>
        cli(['new', 'harbour', '--issuer-url', 'https://harbour.alt'], folder),
      );
      expect(codes(outcomes)).toEqual({
        'Use the records of the pull request, and all other files of the base': 0,
        'Validate every record': 0,
        'Check the format': 0,
        'Check the change against the rules for changes': 0,
      });
      merge('harbour');
    });

    it('build, sign, commit and verify the merged records', async () => {
      const outcomes = await publish();
      expect(Object.values(codes(outcomes))).toEqual([0, 0, 0, 0]);
      const tree = publishedTree();
      expect(existsSync(join(tree, 'issuers/harbour'))).toBe(true);
      expect(existsSync(join(tree, '.htaccess'))).toBe(true);
      const { code } = await cli(['verify', tree, '--root-key', 'root.json'], root);
      expect(code).toBe(0);
      for (const { stdout, stderr } of Object.values(outcomes)) {
        for (const key of Object.values(keys)) expect(stdout + stderr).not.toContain(key.split('\n')[1]);
      }
    });

    it('sign a checkpoint later, and change no other file', async () => {
      const folder = runnerFolder();
      const before = git(origin, 'rev-parse', 'published');
      await new Promise((resolve) => setTimeout(resolve, 1100));
      const outcomes = await runJob(workflow('checkpoint').jobs['sign'] ?? {}, {
        folder,
        use: checkout(folder, 'main'),
        expressions: { 'secrets.ONLINE_KEY': keys.ONLINE_KEY },
        environment: environment(),
      });
      expect(Object.values(codes(outcomes))).toEqual([0, 0, 0]);
      expect(git(origin, 'diff', '--name-only', before, 'published')).toBe('checkpoint.jwt');
    });

    it('verify the live registry, and open an issue if its list is not the published one', async () => {
      const registry = await serve(publishedTree());
      const verify = async (folder: string) => {
        const play = checkout(folder, 'main');
        const use = async (step: Step) => {
          await play(step);
          if (existsSync(join(folder, 'registry.yaml')) && !existsSync(join(folder, 'published')))
            writeFiles(folder, { 'registry.yaml': `base_url: ${registry}\nroot_key: root.json\n` });
        };
        return runJob(workflow('deploy').jobs['verify'] ?? {}, { folder, use, environment: environment() });
      };
      expect(codes(await verify(runnerFolder()))).toEqual({ 'Verify the live registry': 0 });
      // A new publication that the host never receives.
      const author = join(temporaryFolder(), 'author');
      git(root, 'clone', '-q', '--branch', 'main', `file://${origin}`, author);
      writeFiles(author, { 'issuers/later.yaml': recordText('later') });
      git(author, 'add', '-A');
      git(author, 'commit', '-qm', 'Later');
      git(author, 'push', '-q', 'origin', 'HEAD:main');
      await publish();
      const folder = runnerFolder();
      expect(codes(await verify(folder))).toEqual({ 'Verify the live registry': 1, 'Open an issue': 0 });
      expect(readFileSync(`${folder}.gh`, 'utf8')).toContain('issue create --repo owner/registry');
    });

    it('publish nothing without the root key, or with another key', async () => {
      const before = git(origin, 'rev-parse', 'published');
      const author = join(temporaryFolder(), 'author');
      git(root, 'clone', '-q', '--branch', 'main', `file://${origin}`, author);
      writeFiles(author, { 'issuers/last.yaml': recordText('last') });
      git(author, 'add', '-A');
      git(author, 'commit', '-qm', 'Last');
      git(author, 'push', '-q', 'origin', 'HEAD:main');
      const online = { 'secrets.ONLINE_KEY': keys.ONLINE_KEY };
      for (const expressions of [online, { ...online, 'secrets.ROOT_KEY': keys.ONLINE_KEY }]) {
        const { 'Build, sign and verify': build, ...rest } = await publish({ expressions });
        expect(build?.code).toBeGreaterThan(1);
        expect(rest['Commit the tree']).toBeUndefined();
      }
      expect(git(origin, 'rev-parse', 'published')).toBe(before);
    });

    it('reject an invalid change, with annotations at its lines', async () => {
      const outcomes = await pullRequest('bad', (folder) =>
        writeFiles(folder, {
          'issuers/bad.yaml': recordText('bad', { tier: 'certifed' }),
          'issuers/aurora.yaml': recordText('aurora', { certified_since: '2020-01-01T00:00:00Z' }),
        }),
      );
      expect(outcomes['Validate every record']?.stdout).toMatch(
        /^::error file=issuers\/bad\.yaml,line=2,.*title=unknown-value/m,
      );
      expect(outcomes['Check the change against the rules for changes']?.stdout).toContain(
        'title=certified-since-changed',
      );
    });

    it('run no code and use no configuration from a pull request', async () => {
      const outcomes = await pullRequest('hostile', (folder) =>
        writeFiles(folder, {
          'issuers/aurora.yaml': recordText('aurora', { certified_since: '2020-01-01T00:00:00Z' }),
          'registry.yaml': `transitions:
  overrides:
    - { issuer_id: aurora, rule: certified-since-changed, reason: because I say so }
`,
          'build/cli/main.js': 'process.exit(0)',
          '.npmrc': 'script-shell=/bin/true\n',
          'evil.js': 'process.exit(0)',
          '.gitignore': '',
        }),
      );
      const { code, stdout } = outcomes['Check the change against the rules for changes'] ?? {};
      expect(code).toBe(1);
      expect(stdout).toContain('::error file=issuers/aurora.yaml');
    });

    it('write the comment from the records alone', async () => {
      const folder = runnerFolder();
      const { steps = [] } = workflow('comment').jobs['difference'] ?? {};
      const bare = steps.map(({ if: _condition, ...step }) => step);
      const outcomes = await runJob(
        { steps: bare },
        {
          folder,
          use: checkout(folder, 'merge-bad'),
          environment: { ...environment(), GITHUB_OUTPUT: '/dev/null', HEAD_SHA: 'x' },
        },
      );
      expect(Object.values(codes(outcomes)).every((code) => code === 0)).toBe(true);
      const comment = readFileSync(join(folder, 'comment.md'), 'utf8');
      expect(comment).toContain('| <code>aurora</code> | certified_since |');
    });
  },
);
