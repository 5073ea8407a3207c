import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { filesBelow } from '../../../build/files/walk.js';
import { describeWith } from '../../support/components.js';
import { emptyHost, serve } from '../../support/serving.js';
import {
  type Job,
  type Outcomes,
  type Runner,
  readWorkflow,
  runJob,
  type Step,
} from '../../support/workflow.js';
import { cli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

/**
 * Runs the workflows of a registry that `init` made, step by step as they are written. GitHub is simulated: actions use
 * git, and `gh` is a script that logs its arguments.
 */
describeWith(
  ['git', 'bash'],
  'the workflows of a new registry, from its first record to a verified registry',
  () => {
    let root: string;
    let main: string;
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
    /** The working directory in which the last pull request was checked. */
    let checked = '';
    const environment = () => ({ PATH: `${ghFolder}:${process.env['PATH']}`, WAIT_SECONDS: '1' });
    const jobOf = (name: string, job: string): Job =>
      readWorkflow(join(main, '.github/workflows'), name).jobs[job] ?? {};
    const codes = (outcomes: Outcomes) =>
      Object.fromEntries(Object.entries(outcomes).map(([name, { code }]) => [name, code]));

    async function publish(extra: Partial<Runner> = {}): Promise<Outcomes> {
      const folder = runnerFolder();
      const job = jobOf('publish', 'build');
      return runJob(job, {
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
    async function pullRequest(
      name: string,
      change: (folder: string) => unknown,
      attributes?: string,
    ): Promise<Outcomes> {
      const author = join(temporaryFolder(), 'author');
      git(root, 'clone', '-q', '--branch', 'main', `file://${origin}`, author);
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
      const folder = runnerFolder();
      checked = folder;
      const job = jobOf('validate', 'records');
      const offline = {
        ...job,
        steps: (job.steps ?? []).filter((step) => !step.run?.includes('registry check')),
      };
      return runJob(offline, { folder, use: checkout(folder, `merge-${name}`), environment: environment() });
    }

    const merge = (name: string) => git(origin, 'update-ref', 'refs/heads/main', `refs/heads/merge-${name}`);

    /** Pushes files to `main`, as a merge of an operator does. */
    function pushToMain(files: Record<string, string>): void {
      const author = join(temporaryFolder(), 'author');
      git(root, 'clone', '-q', '--branch', 'main', `file://${origin}`, author);
      writeFiles(author, files);
      git(author, 'add', '-A');
      git(author, 'commit', '-qm', 'Change');
      git(author, 'push', '-q', 'origin', 'HEAD:main');
    }

    beforeAll(async () => {
      root = temporaryFolder();
      origin = join(root, 'origin.git');
      git(root, 'init', '-q', '--bare', '-b', 'main', origin);
      main = join(root, 'registry');
      const nothing = await emptyHost();
      const settings = ['--name', 'Nordic', '--contact', 'o@registry.alt', '--base-url', nothing];
      const made = await cli(['init', 'registry', ...settings, '--root-key', 'root.pem'], root);
      expect(made.code, made.stderr).toBe(0);
      writeFiles(root, {
        'online.json': (await cli(['keys', 'generate', '--out', 'online.pem'], root)).stdout,
      });
      const read = (file: string) => readFileSync(join(root, file), 'utf8');
      keys = { ROOT_KEY: read('root.pem'), ONLINE_KEY: read('online.pem') };
      writeFiles(root, {
        'delegation.jwt': (
          await cli(['keys', 'delegate', '--key', 'root.pem', '--online', 'online.json', '--hold'], root)
        ).stdout,
      });
      git(main, 'init', '-q', '-b', 'main');
      git(main, 'add', '-A');
      git(main, 'commit', '-qm', 'Registry');
      git(main, 'remote', 'add', 'origin', `file://${origin}`);
      git(main, 'push', '-q', 'origin', 'main');
    });

    it('publish nothing while there is no record, and say what to do', async () => {
      const { 'Build, sign and verify': build, ...rest } = await publish();
      expect([build?.code, rest['Save the tree']]).toEqual([1, undefined]);
      expect(build?.stderr).toContain('passport-registry new');
      expect(git(origin, 'branch', '--list', 'published')).toBe('');
    });

    it('accept the first record of the registry', async () => {
      const outcomes = await pullRequest('aurora', (folder) =>
        writeFiles(folder, { 'issuers/aurora.yaml': recordText('aurora') }),
      );
      expect(new Set(Object.values(codes(outcomes)))).toEqual(new Set([0]));
      merge('aurora');
    });

    it('make the branch with the first publication', async () => {
      const outcomes = await publish();
      expect(Object.values(codes(outcomes))).toEqual([0, 0, 0, 0]);
      expect(outcomes['Load the published tree']?.stderr).toContain('there is no branch published of origin');
      expect(git(origin, 'rev-list', '--count', 'published')).toBe('1');
      const { code } = await cli(['verify', publishedTree(), '--root-key', 'registry/root.json'], root);
      expect(code).toBe(0);
    });

    it('go on from a tree that the operator saved by hand, with a delegation and a checkpoint', async () => {
      git(main, 'pull', '-q', 'origin', 'main');
      const commands = [
        ['branch', 'load', 'dist'],
        ['build', '--production', '--delegation', '../delegation.jwt', '--checkpoint-key', '../online.pem'],
        ['branch', 'save', 'dist', '--message', 'Checkpoints'],
      ];
      for (const command of commands) {
        const { code, stderr } = await cli(command, main);
        expect(code, stderr).toBe(0);
      }
      expect(git(origin, 'log', '--format=%s', 'published')).toMatch(/^Checkpoints\nRecords of /);
      const registryYaml = readFileSync(join(main, 'registry.yaml'), 'utf8');
      pushToMain({ 'registry.yaml': `${registryYaml}checkpoint: { signer: { key: "env:ONLINE_KEY" } }\n` });
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
      expect(git(origin, 'rev-list', '--count', 'published')).toBe('3');
      const tree = publishedTree();
      expect(existsSync(join(tree, 'issuers/harbour'))).toBe(true);
      expect(existsSync(join(tree, '.htaccess'))).toBe(true);
      const { code } = await cli(['verify', tree, '--root-key', 'registry/root.json'], root);
      expect(code).toBe(0);
      for (const { stdout, stderr } of Object.values(outcomes)) {
        for (const key of Object.values(keys)) expect(stdout + stderr).not.toContain(key.split('\n')[1]);
      }
    });

    it('sign a checkpoint later, and change no other file', async () => {
      const folder = runnerFolder();
      const before = git(origin, 'rev-parse', 'published');
      await new Promise((resolve) => setTimeout(resolve, 1100));
      const outcomes = await runJob(jobOf('checkpoint', 'sign'), {
        folder,
        use: checkout(folder, 'main'),
        expressions: { 'secrets.ONLINE_KEY': keys.ONLINE_KEY },
        environment: environment(),
      });
      expect(Object.values(codes(outcomes))).toEqual([0, 0, 0]);
      expect(git(origin, 'diff', '--name-only', before, 'published')).toBe('checkpoint.jwt');
    });

    it('hold an issuer by hand, keep the hold with every checkpoint, and release the issuer', async () => {
      const sign = async (action = '', issuerId = '') => {
        const folder = runnerFolder();
        const outcomes = await runJob(jobOf('checkpoint', 'sign'), {
          folder,
          use: checkout(folder, 'main'),
          expressions: {
            ...{ 'secrets.ONLINE_KEY': keys.ONLINE_KEY },
            ...{ 'inputs.action': action, 'inputs.issuer_id': issuerId },
          },
          environment: environment(),
        });
        const [, claims = ''] = git(origin, 'show', 'published:checkpoint.jwt').split('.');
        const { hold } = JSON.parse(Buffer.from(claims, 'base64url').toString());
        return { code: outcomes['Sign the checkpoint']?.code, saved: outcomes['Save the tree']?.code, hold };
      };
      const held = { code: 0, saved: 0, hold: ['harbour'] };
      expect(await sign('hold', 'harbour')).toEqual(held);
      await new Promise((resolve) => setTimeout(resolve, 1100));
      expect(await sign()).toEqual(held);
      // What was typed is an id, and neither an option nor a command.
      for (const typed of ['--all', '$(exit 4)', 'harbour other', '']) {
        const refused = await sign('release', typed);
        expect([refused.code === 0, refused.saved, refused.hold]).toEqual([false, undefined, ['harbour']]);
      }
      // Only the hold stops this issuer.
      expect((await sign('release', 'harbour')).hold).toEqual(['harbour']);
      expect(await sign('false-alarm', 'harbour')).toEqual({ code: 0, saved: 0, hold: undefined });
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
        return runJob(jobOf('deploy', 'verify'), { folder, use, environment: environment() });
      };
      const live = await verify(runnerFolder());
      expect(codes(live), live['Verify the live registry']?.stderr).toEqual({
        'Verify the live registry': 0,
      });
      // A new publication that the host never receives.
      pushToMain({ 'issuers/later.yaml': recordText('later') });
      await publish();
      const folder = runnerFolder();
      expect(codes(await verify(folder))).toEqual({ 'Verify the live registry': 1, 'Open an issue': 0 });
      expect(readFileSync(`${folder}.gh`, 'utf8')).toContain('issue create --repo owner/registry');
    });

    it('publish nothing without the root key, or with another key', async () => {
      const before = git(origin, 'rev-parse', 'published');
      pushToMain({ 'issuers/last.yaml': recordText('last') });
      const online = { 'secrets.ONLINE_KEY': keys.ONLINE_KEY };
      for (const expressions of [online, { ...online, 'secrets.ROOT_KEY': keys.ONLINE_KEY }]) {
        const { 'Build, sign and verify': build, ...rest } = await publish({ expressions });
        expect(build?.code).toBeGreaterThan(1);
        expect(rest['Save the tree']).toBeUndefined();
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
          'node_modules/.bin/passport-registry': '#!/bin/sh\n',
          'node_modules/passport-registry/build/cli/main.js': 'process.exit(0)',
          'package.json': '{"dependencies":{"passport-registry":"file:evil"}}',
          '.npmrc': 'script-shell=/bin/true\n',
          'evil.js': 'process.exit(0)',
          '.gitignore': '',
        }),
      );
      const { code, stdout } = outcomes['Check the change against the rules for changes'] ?? {};
      expect(code).toBe(1);
      expect(stdout).toContain('::error file=issuers/aurora.yaml');
      // What `npm ci` and `npx` would use.
      for (const file of ['package.json', 'registry.yaml', '.gitignore'])
        expect(readFileSync(join(checked, file), 'utf8')).not.toMatch(/evil|because|^$/);
      for (const file of ['node_modules', '.npmrc', 'evil.js'])
        expect(existsSync(join(checked, file))).toBe(false);
    });

    /** The files of a folder without git's own, by their paths. */
    const filesIn = (folder: string) =>
      Object.fromEntries(
        filesBelow(folder)
          .filter((path) => !path.startsWith('.git/') && !path.startsWith('node_modules/'))
          .map((path) => [path, readFileSync(join(folder, path), 'latin1')]),
      );

    it.each([
      ['ends of lines', '* text eol=crlf\n'],
      ['the encoding of one file', 'registry.yaml working-tree-encoding=UTF-16\n'],
      ['the encoding of records', '*.yaml working-tree-encoding=CN//TRANSLIT\n'],
    ])('let no attribute of a pull request change a file of the base: %s', async (name, attributes) => {
      const branch = `attributes-${name.replaceAll(' ', '-')}`;
      const records = { 'issuers/evil.yaml': recordText('evil') };
      const outcomes = await pullRequest(branch, (folder) => writeFiles(folder, records), attributes);
      const base = join(temporaryFolder(), 'base');
      git(root, 'clone', '-q', '--branch', 'main', `file://${origin}`, base);
      expect(filesIn(checked)).toEqual({ ...filesIn(base), ...records });
      // A merge would keep the attributes, so that a build would sign other records than the reviewed ones.
      const { code, stdout } = outcomes['Check the change against the rules for changes'] ?? {};
      expect(code).toBe(1);
      expect(stdout).toMatch(/^::error file=\.gitattributes,.*title=file-name/m);
      const commented = runnerFolder();
      const steps = (jobOf('comment', 'difference').steps ?? []).map(({ if: _condition, ...step }) => step);
      await runJob(
        { steps },
        {
          folder: commented,
          use: checkout(commented, `merge-${branch}`),
          environment: { ...environment(), GITHUB_OUTPUT: '/dev/null', HEAD_SHA: 'x' },
        },
      );
      const { 'comment.md': comment, ...files } = filesIn(commented);
      expect(files).toEqual(filesIn(checked));
      expect(comment).toContain('.gitattributes');
    });

    it('publish nothing wrong while the operator rotates the root key, and then with the next key', async () => {
      const outgoing = readFileSync(join(main, 'root.json'), 'utf8');
      git(main, 'checkout', '-q', '.');
      git(main, 'pull', '-q', 'origin', 'main');
      rmSync(join(main, 'dist'), { recursive: true });
      const commands = [
        ['branch', 'load', 'dist'],
        ['rotate', '--next-key', '../next.pem', '--yes', '--checkpoint-key', '../online.pem'],
        ['branch', 'save', 'dist', '--message', 'New root key'],
      ];
      for (const command of commands) {
        const { code, stderr } = await cli(command, main);
        expect(code, stderr).toBe(0);
      }
      const saved = git(origin, 'rev-parse', 'published');
      const expectStopped = async (words: string) => {
        const { 'Build, sign and verify': build, ...rest } = await publish();
        expect([build?.code, build?.stderr, rest['Save the tree']]).toEqual([
          ...[3, expect.stringContaining(words), undefined],
        ]);
        expect(git(origin, 'rev-parse', 'published')).toBe(saved);
      };
      pushToMain({ 'issuers/between.yaml': recordText('between') });
      await expectStopped('but the key is');
      keys.ROOT_KEY = readFileSync(join(root, 'next.pem'), 'utf8');
      await expectStopped('root.json is');
      // Checkpoints go on.
      const folder = runnerFolder();
      const signed = await runJob(jobOf('checkpoint', 'sign'), {
        folder,
        use: checkout(folder, 'main'),
        expressions: { 'secrets.ONLINE_KEY': keys.ONLINE_KEY },
        environment: environment(),
      });
      expect(Object.values(codes(signed))).toEqual([0, 0, 0]);
      pushToMain({ 'root.json': readFileSync(join(main, 'rotation/next.json'), 'utf8') });
      expect(Object.values(codes(await publish()))).toEqual([0, 0, 0, 0]);
      const tree = publishedTree();
      expect(existsSync(join(tree, 'issuers/between'))).toBe(true);
      writeFiles(root, { 'outgoing.json': outgoing });
      for (const key of ['outgoing.json', 'registry/rotation/next.json']) {
        const { code, stderr } = await cli(['verify', tree, '--root-key', key], root);
        expect(code, stderr).toBe(0);
      }
    });

    /** Runs the job that collects cosignatures. */
    async function cosign(): Promise<Outcomes> {
      const folder = runnerFolder();
      return runJob(jobOf('publish', 'cosign'), {
        folder,
        use: checkout(folder, 'main'),
        expressions: { 'secrets.ONLINE_KEY': keys.ONLINE_KEY },
        environment: environment(),
      });
    }

    /** Publishes with the key of the log. @param witnesses - the value of the variable WITNESSES */
    const publishLogged = (witnesses: 'on' | '') =>
      publish({
        expressions: {
          'secrets.ROOT_KEY': keys.ROOT_KEY,
          'secrets.ONLINE_KEY': keys.ONLINE_KEY,
          'secrets.LOG_KEY': readFileSync(join(root, 'log.pem'), 'utf8'),
          [`${JOB_IF} && '--cosign-later' || '--cosign-wait 60'`]:
            witnesses === 'on' ? '--cosign-later' : '--cosign-wait 60',
        },
      });
    const JOB_IF = "vars.WITNESSES == 'on'";
    const LOG = { origin: 'registry.example/log', signer: { key: 'env:LOG_KEY' } };
    /** Changes the section `log` of registry.yaml, together with records. */
    function pushLog(log: object, records: Record<string, string>): void {
      git(main, 'pull', '-q', 'origin', 'main');
      const settings = readFileSync(join(main, 'registry.yaml'), 'utf8').replace(/^log: .*\n/m, '');
      pushToMain({ 'registry.yaml': `${settings}log: ${JSON.stringify({ ...LOG, ...log })}\n`, ...records });
    }
    const record = (id: string) => ({ [`issuers/${id}.yaml`]: recordText(id) });

    it('begin a log as soon as there is a key, also without witnesses', async () => {
      await cli(['keys', 'generate', '--out', 'log.pem'], root);
      pushLog({}, record('logged'));
      const outcomes = await publishLogged('');
      expect(Object.values(codes(outcomes)), outcomes['Build, sign and verify']?.stderr).toEqual([
        0, 0, 0, 0,
      ]);
      const tree = publishedTree();
      expect(existsSync(join(tree, 'issuers/logged'))).toBe(true);
      expect(existsSync(join(tree, 'log/publication.tlog-proof'))).toBe(true);
    });

    it('publish in two phases with witnesses: the log, and after the cosignatures the list', async () => {
      const { jobs } = readWorkflow(join(main, '.github/workflows'), 'publish');
      expect([jobs['cosign']?.if, jobs['cosign']?.needs, jobs['deploy-cosigned']?.needs]).toEqual([
        ...[JOB_IF, 'deploy', 'cosign'],
      ]);
      // The host to which `deploy` copies, and a mirror that testifies.
      const live = join(root, 'live');
      const deploy = () => {
        rmSync(live, { recursive: true, force: true });
        cpSync(publishedTree(), live, { recursive: true });
      };
      deploy();
      const registry = await serve(live);
      const good = async (...args: string[]) => {
        const { code, stdout, stderr } = await cli(args, root);
        expect(code, stderr).toBe(0);
        return stdout.trim();
      };
      await good('keys', 'generate', '--out', 'witness.pem');
      const key = await good(
        'keys',
        'witness',
        'witness.pem',
        '--name',
        'mirror.example',
        '--state',
        'state',
      );
      const testify = () =>
        good(
          ...['mirror', registry, 'mirror', '--root-key', 'registry/root.json'],
          ...['--witness-key', 'witness.pem', '--witness-state', 'state'],
        );
      git(main, 'pull', '-q', 'origin', 'main');
      await testify();
      const witnesses = [{ key, mirror: await serve(join(root, 'mirror/current')) }];
      pushLog({ quorum: 1, witnesses }, record('witnessed'));
      const first = await publishLogged('on');
      expect(Object.values(codes(first)), first['Build, sign and verify']?.stderr).toEqual([0, 0, 0, 0]);
      const pending = publishedTree();
      expect(existsSync(join(pending, 'issuers/witnessed'))).toBe(false);
      expect(existsSync(join(pending, 'log/statements/2.jwt'))).toBe(true);
      deploy();
      await testify();
      const second = await cosign();
      expect(Object.values(codes(second)), second['Collect cosignatures']?.stderr).toEqual([0, 0, 0]);
      deploy();
      expect(existsSync(join(live, 'issuers/witnessed'))).toBe(true);
      const pin = ['--witness', key, '--quorum', '1', '--out', 'anchor.json'];
      const thumbprint = JSON.parse(readFileSync(join(main, 'root.json'), 'utf8')).kid;
      await good('pin', registry, '--thumbprint', thumbprint, ...pin);
      await good('verify', registry, '--root-key', 'anchor.json');
      // The mirror has not seen the next head. The list is published all the same, as an emergency needs.
      pushLog({ quorum: 1, wait: 1, witnesses }, record('unwitnessed'));
      expect(Object.values(codes(await publishLogged('on')))).toEqual([0, 0, 0, 0]);
      const third = await cosign();
      expect(Object.values(codes(third))).toEqual([0, 0, 0]);
      expect(third['Collect cosignatures']?.stderr).toContain('mirror.example');
      expect(existsSync(join(publishedTree(), 'issuers/unwitnessed'))).toBe(true);
    });

    it('write the comment from the records alone', async () => {
      const folder = runnerFolder();
      const { steps = [] } = jobOf('comment', 'difference');
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
