import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import { git } from '../../support/git.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { codes, record, SimulatedGithub } from '../../support/simulated-github.js';
import { readWorkflow } from '../../support/workflow.js';
import { writeFiles } from '../../support/workspace.js';

const JOB_IF = "vars.WITNESSES == 'on'";
const LOG = { origin: 'registry.example/log', signer: { key: 'env:LOG_KEY' } };

describeWith(['git', 'bash'], 'the workflows of a registry that is published already', () => {
  let github: SimulatedGithub;
  let root: string;
  let main: string;
  let origin: string;

  beforeAll(async () => {
    github = await SimulatedGithub.create();
    ({ root, main, origin } = github);
    github.pushToMain(record('aurora'));
    await github.publishByHand();
  });

  it('publish nothing wrong while the operator rotates the root key, and then with the next key', async () => {
    const outgoing = readFileSync(join(main, 'root.json'), 'utf8');
    git(main, 'checkout', '-q', '.');
    git(main, 'pull', '-q', 'origin', 'main');
    rmSync(join(main, 'dist'), { recursive: true });
    await github.good(main, 'branch', 'load', 'dist');
    const rotation = [
      '--next-key',
      '../next.pem',
      '--next-no-passphrase',
      '--yes',
      ...withKeys({ checkpoint: '../online.pem' }),
    ];
    await github.good(main, 'keys', 'rotate', ...rotation);
    await github.good(main, 'branch', 'save', 'dist', '--message', 'New root key');
    const saved = git(origin, 'rev-parse', 'published');
    const expectStopped = async (words: string) => {
      const { 'Build, sign and verify': build, ...rest } = await github.publish();
      expect([build?.code, build?.stderr, rest['Save the tree']]).toEqual([
        ...[1, expect.stringContaining(words), undefined],
      ]);
      expect(git(origin, 'rev-parse', 'published')).toBe(saved);
    };
    github.pushToMain(record('between'));
    await expectStopped('was replaced by the rotation in dist');
    github.keys.ROOT_KEY = readFileSync(join(root, 'next.pem'), 'utf8');
    await expectStopped('root.json is');
    // Checkpoints go on.
    expect(Object.values(codes(await github.checkpoint()))).toEqual([0, 0, 0]);
    github.pushToMain({ 'root.json': readFileSync(join(main, 'rotation/next.json'), 'utf8') });
    expect(Object.values(codes(await github.publish()))).toEqual([0, 0, 0, 0]);
    const tree = github.publishedTree();
    expect(existsSync(join(tree, 'issuers/between'))).toBe(true);
    writeFiles(root, { 'outgoing.json': outgoing });
    for (const key of ['outgoing.json', 'registry/rotation/next.json'])
      await github.good(root, 'verify', tree, '--root-key', key);
  });

  /** Collects cosignatures. */
  const cosign = () =>
    github.run(github.job('publish', 'cosign'), {
      expressions: { 'secrets.ONLINE_KEY': github.keys.ONLINE_KEY },
    });

  /** Publishes with the key of the log. @param witnesses - the value of the variable WITNESSES */
  const publishLogged = (witnesses: 'on' | '') =>
    github.publish({
      expressions: {
        ...github.secrets,
        'secrets.LOG_KEY': readFileSync(join(root, 'log.pem'), 'utf8'),
        [`${JOB_IF} && '--cosign-later' || '--cosign-wait 60'`]:
          witnesses === 'on' ? '--cosign-later' : '--cosign-wait 60',
      },
    });

  /** Changes the section `log` of registry.yaml, together with records. */
  function pushLog(log: object, records: Record<string, string>): void {
    git(main, 'pull', '-q', 'origin', 'main');
    const settings = readFileSync(join(main, 'registry.yaml'), 'utf8').replace(/^log: .*\n/m, '');
    const section = `log: ${JSON.stringify({ ...LOG, ...log })}\n`;
    github.pushToMain({ 'registry.yaml': settings + section, ...records });
  }

  it('begin a log as soon as there is a key, also without witnesses', async () => {
    await github.good(root, 'keys', 'generate', '--no-passphrase', '--private', 'log.pem');
    pushLog({}, record('logged'));
    const outcomes = await publishLogged('');
    expect(Object.values(codes(outcomes)), outcomes['Build, sign and verify']?.stderr).toEqual([0, 0, 0, 0]);
    const tree = github.publishedTree();
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
      cpSync(github.publishedTree(), live, { recursive: true });
    };
    deploy();
    const registry = await serve(live);
    const good = (...args: string[]) => github.good(root, ...args);
    await good('keys', 'generate', '--no-passphrase', '--private', 'witness.pem');
    const name = ['--witness', 'mirror.example', '--state', 'state'];
    const key = await good('keys', 'public', 'witness.pem', ...name);
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
    const pending = github.publishedTree();
    expect(existsSync(join(pending, 'issuers/witnessed'))).toBe(false);
    expect(existsSync(join(pending, 'log/statements/2.jwt'))).toBe(true);
    deploy();
    await testify();
    const second = await cosign();
    expect(Object.values(codes(second)), second['Collect cosignatures']?.stderr).toEqual([0, 0, 0]);
    deploy();
    expect(existsSync(join(live, 'issuers/witnessed'))).toBe(true);
    const pin = ['--witness', key, '--quorum', '1', '--trust-anchor', 'anchor.json'];
    const thumbprint = JSON.parse(readFileSync(join(main, 'root.json'), 'utf8')).kid;
    await good('pin', registry, '--thumbprint', thumbprint, ...pin);
    await good('verify', registry, '--root-key', 'anchor.json');
    // The mirror has not seen the next head. The list is published all the same, as an emergency needs.
    pushLog({ quorum: 1, wait: 1, witnesses }, record('unwitnessed'));
    expect(Object.values(codes(await publishLogged('on')))).toEqual([0, 0, 0, 0]);
    const third = await cosign();
    expect(Object.values(codes(third))).toEqual([0, 0, 0]);
    expect(third['Collect cosignatures']?.stderr).toContain('mirror.example');
    expect(existsSync(join(github.publishedTree(), 'issuers/unwitnessed'))).toBe(true);
  });
});
