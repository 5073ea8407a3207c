import { cpSync, existsSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { git as gitIn } from '../../support/git.js';
import { copyOf } from '../../support/made-once.js';
import { noteSigner } from '../../support/note-keys.js';
import { plainHost } from '../../support/serving.js';
import { readTreeFile } from '../../support/statements.js';
import { cli, clockAhead, recordText, run, workspace, writeFiles } from '../../support/workspace.js';

const NOBODY = 'http://127.0.0.1:1';
const ONLINE = 'checkpoint: { signer: { key: online.pem }, public_key: online.json }';

let made: string;
let folder: string;
let url: string;

async function json(args: readonly string[], minutes = 0) {
  const { code, stdout, stderr } = await cli([...args, '--json'], folder, clockAhead(minutes));
  return { stderr, ...JSON.parse(stdout), code };
}

async function good(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(args, folder);
  expect(code, stderr).toBe(0);
  return stdout;
}

const refused = { code: 1, error: { code: 'ERR_ALREADY_PUBLISHED' } };
const replace = (target: string, source: string) => {
  rmSync(join(folder, target), { recursive: true, force: true });
  cpSync(join(folder, source), join(folder, target), { recursive: true });
};
const configure = (base = url, checkpoint = ONLINE) =>
  writeFiles(folder, {
    'registry.yaml': `root_key: root.json\nsigner: { key: root.pem }\n${base === '' ? '' : `base_url: ${base}\n`}${checkpoint}\n`,
  });
/** Does something while the host is down. */
async function offline<T>(action: () => Promise<T>): Promise<T> {
  configure(NOBODY);
  const done = await action();
  configure();
  return done;
}

/** Configures a log with a witness that is away. */
async function witnessed(...more: readonly string[]): Promise<void> {
  writeFiles(folder, {
    'log.json': await good('keys', 'generate', '--no-passphrase', '--private', 'log.pem'),
  });
  const witness = `{ key: ${noteSigner('a.internal', 'witness').vkey}, service: '${NOBODY}' }`;
  const log = [
    'origin: registry.internal/log',
    'signer: { key: log.pem }',
    'wait: 1',
    `witnesses: [${witness}]`,
    ...more,
  ];
  configure(url, `${ONLINE}\nlog: { ${log.join(', ')} }`);
}

beforeAll(async () => {
  folder = await workspace(['alpha', 'beta']);
  for (const name of ['root', 'online', 'online-2']) {
    const key = await good('keys', 'generate', '--no-passphrase', '--private', `${name}.pem`);
    writeFiles(folder, { [`${name}.json`]: key });
  }
  // A first list of a registry whose host may be away would be refused.
  configure('');
  await good('build', '--production');
  replace('before', 'dist');
  await good('hold', 'alpha');
  configure(NOBODY);
  replace('held', 'dist');
  made = folder;
});

beforeEach(async () => {
  folder = copyOf(made);
  replace('host', 'held');
  url = await plainHost(join(folder, 'host'), 'index.html');
  configure();
});

describe('a host that holds an issuer', () => {
  it('lets no checkpoint and no build over an older copy release it', async () => {
    replace('dist', 'before');
    for (const command of [
      ['checkpoint', 'dist'],
      ['build', '--production'],
      ['hold', 'beta'],
    ]) {
      const { error, ...outcome } = await json(command);
      expect({ ...outcome, error }).toMatchObject(refused);
      expect(error.message).toMatch(/`npx passport-registry mirror .* && mv dist \S+ && cp -rL .* dist`/);
    }
    expect(readTreeFile(join(folder, 'dist/checkpoint.jwt'))).toEqual(
      readTreeFile(join(folder, 'before/checkpoint.jwt')),
    );
  });

  it('is not released by a tree that is published before the host has answered', async () => {
    replace('dist', 'before');
    for (const [command, words] of [
      [['hold', 'beta'], /Run `status` now, and publish dist only if it says so: /],
      [
        ['suspend', 'beta', '--reason', 'x', '--production'],
        /^Commit \S+, run `status`, and publish dist if/m,
      ],
    ] as const) {
      const { code, stderr } = await offline(() => cli(command, folder, clockAhead(1)));
      expect([code, stderr]).toEqual([0, expect.stringMatching(words)]);
      expect(stderr).not.toMatch(/Publish dist now|, and publish dist\.$/m);
    }
  });

  it('is named by `status` if a checkpoint that was signed without the host would release it', async () => {
    replace('dist', 'before');
    const signed = await offline(() => json(['checkpoint', 'dist'], 1));
    expect([signed.code, signed.warnings]).toEqual([
      0,
      [expect.stringMatching(/was not compared.*run `status` before you publish/)],
    ]);
    const { code, live, next } = await json(['status'], 2);
    expect([code, live.level, live.message]).toEqual([
      ...[1, 'error'],
      expect.stringContaining('it holds alpha, and dist does not'),
    ]);
    expect(live.message).not.toContain('publish it');
    expect(next[0].command).toBe('npx passport-registry hold alpha');
    expect(await json(['checkpoint', 'dist'], 2)).toMatchObject(refused);
    expect(await json(['hold', 'alpha'], 2)).toMatchObject({ code: 0, warnings: [] });
    replace('host', 'dist');
    expect((await json(['status'], 2)).code).toBe(0);
  });

  it('is followed by a tree in which that hold was ended, so that others can be stopped before it is published', async () => {
    replace('dist', 'held');
    expect(await json(['hold', '--end', 'alpha', '--false-alarm'], 1)).toMatchObject({ code: 0 });
    const { live, next } = await json(['status'], 2);
    expect([live.comparedWithTree, live.parts.holds.onlyHost]).toEqual(['older', []]);
    expect(next[0].command).toContain(`verify ${url} --expect dist`);
    expect(await json(['checkpoint'], 2)).toMatchObject({ code: 0 });
    expect(await json(['hold', 'beta'], 3)).toMatchObject({ code: 0, hold: ['beta'] });
    expect(await json(['suspend', 'beta', '--reason', 'x', '--production'], 4)).toMatchObject({ code: 0 });
    // An end over a checkpoint that was never published.
    expect(await json(['hold', '--end', 'beta'], 5)).toMatchObject({ code: 0 });
    expect(await json(['checkpoint'], 6)).toMatchObject({ code: 0 });
    // Held again, and then an older copy: nobody has ended that hold.
    expect(await json(['hold', 'alpha'], 7)).toMatchObject({ code: 0 });
    replace('dist', 'before');
    await offline(() => json(['checkpoint'], 8));
    expect(await json(['checkpoint'], 9)).toMatchObject(refused);
  });

  it('is not released by a tree of another folder, in which nobody has ended the hold', async () => {
    replace('dist', 'held');
    expect(await json(['hold', '--end', 'alpha', '--false-alarm'], 1)).toMatchObject({ code: 0 });
    rmSync(join(folder, '.passport-registry'), { recursive: true });
    const other = await json(['hold', 'beta'], 2);
    expect(other).toMatchObject(refused);
    expect(other.error.message).toContain('run `hold alpha beta`');
    expect(other.error.message).toContain('publish dist as it is, with `branch save dist`');
    expect(await json(['hold', 'alpha', 'beta'], 2)).toMatchObject({ code: 0 });
  });

  it('that was held again elsewhere is not released by an end of before', async () => {
    replace('dist', 'held');
    expect(await json(['hold', '--end', 'alpha', '--false-alarm'], 1)).toMatchObject({ code: 0 });
    await offline(() => json(['checkpoint', 'host'], 2));
    await offline(() => json(['checkpoint'], 3));
    expect(await json(['checkpoint'], 4)).toMatchObject(refused);
  });
});

describe('a host with something newer', () => {
  it('is loaded by commands that repeat `--config`, wherever they are proposed', async () => {
    replace('host', 'before');
    await offline(() => json(['checkpoint', 'host'], 1));
    renameSync(join(folder, 'registry.yaml'), join(folder, 'other.yaml'));
    const other = async (...args: string[]) => json(['--config', 'other.yaml', ...args], 2);
    const proposed = (text: string) => text.match(/npx passport-registry [^&`]+/g) ?? [];
    const isOther = (command: string) => command.startsWith('npx passport-registry --config other.yaml ');
    const { next } = await other('status');
    const { error } = await other('hold', 'beta');
    for (const text of [next[0].command, error.message])
      expect([text, proposed(text).map(isOther)]).toEqual([text, [true, true]]);
    replace('host', 'dist');
    const { reason } = (await other('status')).next[0];
    expect([reason, proposed(reason).map(isOther)]).toEqual([reason, [true]]);
  });

  it('is not loaded without a word about the holds that it lacks', async () => {
    replace('host', 'before');
    await offline(() => json(['checkpoint', 'host'], 1));
    const { code, live, hold, next } = await json(['status'], 2);
    expect([code, live.level, hold.level]).toEqual([1, 'error', 'error']);
    expect(live.message).toContain('dist holds alpha, and it does not');
    expect(hold.message).not.toContain('treated as suspended');
    // One command, because the loaded tree shows no trace of the hold.
    expect(next[0].command).toMatch(/cp -rL .* dist && npx passport-registry hold alpha$/);
    expect(next[0].reason).toContain('leave out whom one of you has released');
    // The refusal is what comes first in a hurry.
    const { error } = await json(['hold', 'beta'], 2);
    for (const words of [error.message, next[0].reason])
      expect(words).toContain('online key has leaked: do not load');
  });

  it('has not seen a revocation, which its tree then undoes', async () => {
    const record = readFileSync(join(folder, 'issuers/beta.yaml'), 'utf8');
    const revoked = await json(['revoke', 'beta', '--reason', 'leak', '--production'], 1);
    expect(revoked.code).toBe(0);
    writeFiles(folder, { 'issuers/beta.yaml': record });
    const { next } = await json(['status'], 2);
    expect(next[0].reason).toMatch(
      /To undo a revocation that .* does not have, run `.* mirror .* && mv dist \S+ && /,
    );
  });

  it('lets a revocation be repeated over its list', async () => {
    const record = readFileSync(join(folder, 'issuers/beta.yaml'), 'utf8');
    const revoke = ['revoke', 'beta', '--reason', 'leak', '--production'];
    const first = await json(revoke, 1);
    replace('host', 'dist');
    writeFiles(folder, { 'issuers/beta.yaml': record });
    const again = await json(revoke, 2);
    expect([first.code, again.code]).toEqual([0, 0]);
  });

  it('lets nobody stop an issuer over an older list', async () => {
    writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma') });
    await offline(() => json(['build', '--production', '--out', 'host'], 1));
    const list = readFileSync(join(folder, 'dist/issuers.json'), 'utf8');
    expect(await json(['hold', 'beta'], 2)).toMatchObject(refused);
    expect(await json(['suspend', 'beta', '--reason', 'x', '--production'], 2)).toMatchObject(refused);
    expect(readFileSync(join(folder, 'dist/issuers.json'), 'utf8')).toBe(list);
  });
});

it('a host with a root key that nobody here knows is followed by no command, with the words of `status`', async () => {
  const next = ['--next-key', 'thief.pem', '--next-no-passphrase'];
  const folders = ['--out', 'host', '--folder', 'thief'];
  await offline(() => good('keys', 'rotate', '--yes', ...next, ...folders));
  const { live, next: steps } = await json(['status'], 2);
  const publish = ['--reason', 'x', '--production'];
  for (const command of [
    ['hold', 'beta'],
    ['hold', '--end', 'alpha', '--false-alarm'],
    ['checkpoint', 'dist'],
    ['build', '--production'],
    ['suspend', 'beta', ...publish],
    ['revoke', 'beta', ...publish],
  ]) {
    const { error, ...outcome } = await json(command, 2);
    expect({ ...outcome, error }).toMatchObject(refused);
    expect(error.message).toBe(`${live.message}. Nothing was signed: ${steps[0].reason}`);
    expect(error.message).toMatch(/a thief has.* keep the folder as it is/);
  }
  // Over a rotation of our own, which is the answer to a thief, `status` publishes.
  replace('kept', 'dist');
  await offline(() => good('keys', 'rotate', '--yes', '--next-key', 'own.pem', '--next-no-passphrase'));
  for (const isPinned of [false, true]) {
    if (isPinned) replace('root.json', 'dist/keys/root.json');
    const [first] = (await json(['status'], 3)).next;
    expect(first.reason).toMatch(/ask whether one of you .*If not, a thief has, .*copy dist to the host/);
    expect(first.command).toContain(`verify ${url} --expect dist`);
  }
  replace('dist', 'kept');
  // Whoever has pinned the key knows it.
  replace('root.json', 'host/keys/root.json');
  expect((await json(['hold', 'beta'], 2)).error.message).toContain('load the published tree first');
});

describe('an issuer that is on hold here', () => {
  const theirs = ['--issuers', 'issuers-2', '--out', 'host', '--production'];

  it('is not called unstopped if the root key is away', async () => {
    rmSync(join(folder, 'root.pem'));
    const { code, stderr } = await cli(['suspend', 'alpha', '--reason', 'x', '--production'], folder);
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining(
        'On hold by the checkpoint in dist, which stops them when it is published: alpha.',
      ),
    ]);
    expect(stderr).not.toContain('Not stopped yet');
    expect((await cli(['suspend', 'beta', '--reason', 'x', '--production'], folder)).stderr).toContain(
      'Not stopped yet: beta.',
    );
  });

  it('needs its hold no more once it is suspended, which the command says', async () => {
    const { stderr } = await cli(['suspend', 'alpha', '--reason', 'x', '--production'], folder);
    expect(stderr).toContain('end that with `hold --end alpha`');
  });

  it('is published before anything is built', async () => {
    replace('host', 'before');
    const contact = `${readFileSync(join(folder, 'issuers/beta.yaml'), 'utf8')}contact: operator@beta.internal\n`;
    writeFiles(folder, { 'issuers/beta.yaml': contact });
    const { hold, changes, next } = await json(['status'], 1);
    expect([hold.level, changes.level]).toEqual(['error', 'note']);
    expect(next[0].command).toContain(`verify ${url} --expect dist`);
    replace('host', 'held');
    expect((await json(['status'], 1)).next.map(({ command }: { command?: string }) => command)).toContain(
      'npx passport-registry build --production',
    );
  });

  it('is stopped if the list of the host suspends it', async () => {
    replace('issuers-2', 'issuers');
    replace('host', 'before');
    await offline(() => json(['suspend', 'alpha', '--reason', 'x', ...theirs], 1));
    const { live, hold, next } = await json(['status'], 2);
    expect([live.comparedWithTree, live.parts.holds.onlyTree]).toEqual(['newer', []]);
    expect(hold.message).not.toContain('nobody stops');
    expect(next[0].command).not.toContain('hold alpha');
    expect(next[0].reason).not.toContain('leaked');
  });
});

describe('an issuer that nobody stops yet', () => {
  const suspend = () =>
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta', { status: 'suspended' }) });

  it('is an error of `status` until its suspension is built and on the host', async () => {
    suspend();
    const { code, changes, next } = await json(['status'], 2);
    expect([code, changes.level, changes.changes[0].issuer_id]).toEqual([1, 'error', 'beta']);
    // Before the decision about alpha, which a hold stops.
    expect(next[0].command).toBe('npx passport-registry build --production');
    await json(['build', '--production'], 2);
    const { live, ...built } = await json(['status'], 3);
    expect([built.code, built.changes.level, live.level]).toEqual([
      1,
      expect.not.stringMatching('error'),
      'error',
    ]);
    expect(live.message).toContain('nobody stops beta there yet');
    replace('host', 'dist');
    expect((await json(['status'], 3)).code).toBe(0);
  });

  it('is an error of `status` and of `mirror status` while a mirror lacks the hold of the registry', async () => {
    const mirror = await plainHost(join(folder, 'before'), 'index.html');
    const asked = ['mirror', 'status', url, mirror, '--root-key', 'root.json'];
    const found = await json(asked, 1);
    expect([found.code, found.mirrors[1]]).toMatchObject([1, { state: 'in sync', notHeld: ['alpha'] }]);
    const { code, mirrors } = await json(['status', '--mirror', mirror], 1);
    expect([code, mirrors[0].level, mirrors[0].message]).toEqual([
      ...[1, 'error'],
      expect.stringContaining('does not hold alpha'),
    ]);
    replace('before', 'held');
    expect((await json(asked, 1)).code).toBe(0);
  });
});

describe('after the online key has leaked', () => {
  /** The thief has released alpha and holds beta. */
  beforeEach(async () => {
    await offline(async () => {
      await json(['hold', '--end', 'alpha', '--false-alarm', '--out', 'host'], 1);
      await json(['hold', 'beta', '--out', 'host'], 2);
    });
  });

  const build = () => json(['build', '--production'], 3);

  it('the document replaces it, and the checkpoint of the thief counts no more', async () => {
    const before = await json(['status'], 3);
    expect(before.code).toBe(1);
    expect(before.live.message).toContain(
      'it holds beta, and dist does not; dist holds alpha, and it does not',
    );
    expect(before.next[0].reason).toContain('online key has leaked');
    // Half of it: the error says what else to change.
    configure(url, ONLINE.replace('online.pem', 'online-2.pem'));
    const half = await build();
    expect([half.code, half.error.message]).toEqual([
      3,
      expect.stringMatching(/^checkpoint\.public_key in registry\.yaml names another key/),
    ]);
    expect(half.error.message).not.toContain('--checkpoint-by-root');
    configure();
    const document = readFileSync(new URL('../../../docs/operators/emergency.md', import.meta.url), 'utf8');
    const sed = /^ *(sed -i.*)$/m.exec(document)?.[1] ?? '';
    expect((await run('sh', ['-euc', sed], folder)).code).toBe(0);
    // Nothing is loaded over the hold that the new key cannot sign yet.
    const between = await json(['status'], 3);
    expect(between.next[0].command).toBe('npx passport-registry build --production');
    expect(readdirSync(folder).filter((name) => name.startsWith('registry.yaml'))).toEqual(['registry.yaml']);
    expect(await build()).toMatchObject({ code: 0 });
    const { live, hold, next } = await json(['status'], 4);
    expect([live.comparedWithTree, hold.issuers]).toEqual(['older', ['alpha']]);
    expect(live.message).toMatch(/its checkpoint, which holds beta, does not count/);
    expect(next.map(({ command }: { command?: string }) => command).join()).not.toContain('mirror');
  });

  it('its holds are named by the build that takes them over, and by `status`', async () => {
    replace('dist', 'host');
    configure(url, ONLINE.replaceAll('online.', 'online-2.'));
    const { code, notes } = await build();
    // As printed, it ends none: some may be ours.
    const said = /keeps what the checkpoint of .*: beta\..*`hold --end` with the ids/;
    expect([code, notes.join()]).toEqual([0, expect.stringMatching(said)]);
    const { hold } = await json(['status'], 4);
    expect(hold.message).toContain('if that was not you, end it');
  });
});

describe('a damaged tree', () => {
  it('is replaced together with the hold that the host lacks', async () => {
    replace('host', 'before');
    rmSync(join(folder, 'dist/issuers.json'));
    const { next } = await json(['status'], 1);
    expect(next[0].command).toMatch(/ && mv dist \S+ && cp -rL .* dist && npx passport-registry hold alpha$/);
    expect(next[0].reason).toContain('hold again what only dist holds: alpha');
    replace('host', 'held');
    expect((await json(['status'], 1)).next[0].command).not.toContain('hold alpha');
  });

  it('whose log lost its head gets no checkpoint, and gets the head back', async () => {
    await witnessed();
    await good('build', '--production');
    replace('host', 'dist');
    await good('hold', 'beta');
    const before = readTreeFile(join(folder, 'dist/checkpoint.jwt'));
    rmSync(join(folder, 'dist/log/checkpoint'));
    for (const command of [
      ['hold', '--end', 'beta', '--false-alarm'],
      ['checkpoint', 'dist'],
    ]) {
      const { code, error } = await json(command, 1);
      expect([code, error.message]).toEqual([1, expect.stringMatching(/^the log is missing: restore /)]);
    }
    expect(readTreeFile(join(folder, 'dist/checkpoint.jwt'))).toEqual(before);
    // The newest proof has the head, too: nothing is loaded over a log that a witness may have cosigned.
    const [{ command }] = (await json(['status'], 1)).next;
    expect((await run('sh', ['-euc', command], folder)).code).toBe(0);
    const { hold, log } = await json(['status'], 1);
    expect([hold.issuers, log.level]).toEqual([['alpha', 'beta'], 'ok']);
    expect(await json(['checkpoint'], 1)).toMatchObject({ code: 0 });
  });
});

describe('a list that lacks its quorum', () => {
  it('is not to be published, also not for a hold, which has another way to the host', async () => {
    await witnessed('quorum: 1');
    const { code } = await json(['suspend', 'beta', '--reason', 'x', '--production'], 1);
    expect(code).toBe(6);
    const proposed = async () => (await json(['status'], 2)).next;
    const before = await proposed();
    const held = await cli(['hold', 'beta'], folder, clockAhead(2));
    expect([held.code, held.stderr]).toEqual([
      6,
      expect.stringContaining('publish dist only if it says so: verifiers stop'),
    ]);
    expect(held.stderr).not.toContain('Publish dist now');
    const after = await proposed();
    for (const next of [before, after]) {
      expect(next[1]).toEqual({
        command: 'npx passport-registry checkpoint dist',
        reason: expect.stringContaining('Do not publish dist before'),
      });
      expect(JSON.stringify(next)).not.toContain('--expect');
      expect(next[0].command).toMatch(/^rm -rf cosigned && .* cosigned && .* hold beta --out cosigned$/);
    }
    for (const part of after[0].command.split(' && ')) {
      const [, words] = /^npx passport-registry (.*)$/.exec(part) ?? [];
      if (words === undefined) expect((await run('sh', ['-euc', part], folder)).code).toBe(0);
      else expect(await json(words.split(' '), 3)).toMatchObject({ code: 0 });
    }
    // The witnesses may be back before that is copied.
    expect((await proposed())[0]).toEqual({
      command: 'npx passport-registry checkpoint dist',
      reason: expect.stringContaining('If it does not end with 0, copy cosigned to the host'),
    });
    replace('host', 'cosigned');
    const { next, live } = await json(['status'], 4);
    expect([live.host.checkpoint.hold, next[0].command]).toEqual([
      ['alpha', 'beta'],
      'npx passport-registry checkpoint dist',
    ]);
    expect(JSON.stringify(next)).not.toContain('cosigned &&');
  });
});

describe('without dist', () => {
  beforeEach(() => rmSync(join(folder, 'dist'), { recursive: true }));

  it('`hold` and `status` say to load what the host serves', async () => {
    const { code, error } = await json(['hold', 'alpha']);
    expect([code, error.message]).toEqual([1, expect.stringContaining('load the published tree first')]);
    const { next, ...status } = await json(['status']);
    expect([status.code, status.live.level]).toEqual([1, 'error']);
    expect(next[0].command).toContain(`mirror ${url} `);
    expect(next[0].reason).not.toContain('never published');
  });

  it('a copy of the published tree shows that it was published, if the host is down', async () => {
    cpSync(join(folder, 'held'), join(folder, '.passport-registry/mirror/current'), { recursive: true });
    configure(NOBODY);
    const copied = await json(['build', '--production']);
    expect([copied.error?.code, existsSync(join(folder, 'dist'))]).toEqual(['ERR_ALREADY_PUBLISHED', false]);
    // The branch of a repository that never had one cannot be loaded.
    gitIn(folder, 'init', '-q');
    gitIn(folder, 'remote', 'add', 'origin', 'https://git.registry.internal/registry');
    const load = 'cp -rL .passport-registry/mirror/current dist';
    const { code, next } = await json(['status']);
    expect([code, next[0].command]).toEqual([1, load]);
    expect(next[0].reason).toContain('if it is the newest publication');
    // `mirror` refuses a host that serves an earlier tree.
    await json(['checkpoint', '.passport-registry/mirror/current'], 1);
    configure();
    const earlier = await json(['status'], 2);
    expect([earlier.next[0].command, earlier.next[0].reason]).toEqual([
      load,
      expect.stringContaining(`newer than what ${url} serves`),
    ]);
    await offline(() => json(['checkpoint', 'host'], 3));
    expect((await json(['status'], 4)).next[0].command).toContain(`mirror ${url} `);
  });
});

it('a signing command that fails is named, with the way out', async () => {
  configure(url, 'checkpoint: { signer: { command: "exit 127" }, public_key: online.json }');
  const suspend = ['suspend', 'beta', '--reason', 'x', '--production'];
  const { code, stderr } = await cli(suspend, folder);
  expect([code, stderr]).toEqual([3, expect.stringContaining('the online key (checkpoint.signer')]);
  expect(stderr).toContain('--checkpoint-by-root');
  expect(stderr).not.toMatch(/active -> suspended|`hold beta/);
  expect(await json([...suspend, '--checkpoint-by-root'])).toMatchObject({ code: 0 });
});

describe('a suspension', () => {
  it('is published first, and then committed', async () => {
    gitIn(folder, 'init', '-q');
    gitIn(folder, 'add', 'issuers', 'registry.yaml', 'root.json', 'online.json');
    gitIn(folder, 'commit', '-qm', 'Registry');
    await good('suspend', 'beta', '--reason', 'x', '--production');
    const { next } = await json(['status']);
    const commands: string[] = next.map(({ command }: { command?: string }) => command);
    expect(commands[0]).toContain(`verify ${url} --expect dist`);
    expect(commands.findIndex((command) => command.startsWith('git add issuers'))).toBe(1);
  });
});
