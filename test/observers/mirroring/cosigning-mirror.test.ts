import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Cosignature,
  formatNote,
  type NoteKey,
  newestCosignatures,
  parseHead,
  parseNoteKey,
  type SignedHead,
} from '@passport-registry/verifier/core';
import { folderSource, verifyTree } from 'passport-registry';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import { logHead, problemsIn } from '../../support/log-files.js';
import { type LoggedFolder, loggedFolder, ORIGIN } from '../../support/logged-folder.js';
import { lengthenLog } from '../../support/long-log.js';
import { WAYS } from '../../support/mirror-folder.js';
import { CLI } from '../../support/paths.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { rounds } from '../../support/soak.js';
import { until } from '../../support/until.js';
import {
  cleanEnvironment,
  cli,
  clockAhead,
  filesOf,
  type Outcome,
  writeFiles,
} from '../../support/workspace.js';

const NAME = 'mirror.example';
const HASH = createHash('sha256').update(ORIGIN).digest('hex');
const COSIGNED = `witness/${HASH}/checkpoint`;
const WITNESS = ['--witness-key', 'witness.pem', '--witness-state', 'state'];
const KILLS = rounds({ usual: 2, soak: 200 });
const invalid = (message: string) => new Error(message);

let here: LoggedFolder;
let vkey: string;
let witness: NoteKey;

beforeEach(async () => {
  here = await loggedFolder();
  await newWitness();
});

async function newWitness(): Promise<void> {
  await here.good('keys', 'generate', '--no-passphrase', '--private', 'witness.pem');
  vkey = (await here.good('keys', 'public', 'witness.pem', '--witness', NAME, '--state', 'state')).trim();
  witness = parseNoteKey(vkey, 'witness', invalid);
}

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});

const mirror = (source = here.tree, ...args: string[]) => here.mirror(source, ...WITNESS, ...args);

async function mirrored(source = here.tree, ...args: string[]): Promise<string> {
  const { code, stderr } = await mirror(source, ...args);
  expect([code, stderr]).toEqual([0, expect.stringContaining('mirror ok')]);
  return stderr;
}

const readHead = (file: string): SignedHead => parseHead(readFileSync(file, 'utf8'), invalid);
const served = () => readHead(join(here.current, COSIGNED));
const remembered = () => readHead(join(here.folder, `state/${HASH}.checkpoint`));

/** The valid cosignatures of the witness on the head that the mirror serves. */
const cosignatures = (head = served()): Promise<Cosignature[]> =>
  newestCosignatures(head.note, {
    ...{ witnesses: [witness], quorum: 1, since: 0, until: Number.POSITIVE_INFINITY },
  });

/** Starts a mirror that cosigns, as a separate process. */
function start(source: string, ...args: string[]): ChildProcess {
  const options = ['mirror', source, 'mirror', '--root-key', 'key.json', ...WITNESS, ...args];
  const child = spawn(process.execPath, [CLI, ...options], {
    ...{ cwd: here.folder, env: cleanEnvironment(), stdio: 'ignore' },
  });
  children.push(child);
  return child;
}

describeWith(['rsync'], 'a mirror with the key of a witness', () => {
  it.each(Object.entries(WAYS))('cosigns the log of %s, and serves its cosignature', async (_name, way) => {
    const source = await way(here.tree);
    const { code, stdout, stderr } = await mirror(source, '--json');
    expect(code, stderr).toBe(0);
    expect(stderr).toMatch(new RegExp(`cosigned .* 1 entry as ${NAME}$`, 'm'));
    expect(Object.keys(JSON.parse(stdout)).sort()).toEqual([
      ...[
        'bytes',
        'fetched',
        'issuers',
        'log',
        'notes',
        'ok',
        'repaired',
        'sha256',
        'switched',
        'testimony',
        'updatedAt',
      ],
      'warnings',
    ]);
    expect(JSON.parse(stdout)).toMatchObject({
      log: { origin: ORIGIN, size: 1, isPending: false },
      testimony: { witness: NAME, origin: ORIGIN, size: 1 },
    });
    const head = served();
    expect(head.note.text).toBe(logHead(here.tree).note.text);
    expect(head.note.signatures.map(({ name }) => name)).toEqual([ORIGIN, NAME]);
    expect(await cosignatures()).toHaveLength(1);
    expect(await problemsIn(here.current)).toEqual([]);
    expect(formatNote(remembered().note)).toBe(formatNote(head.note));
    await here.publish();
    expect(await mirrored(source)).toContain('with 2 entries');
    expect(served().size).toBe(2);
    expect(await cosignatures()).toHaveLength(1);
    // It is no part of the tree that the mirror takes over.
    const others = filesOf(here.current);
    others.delete(COSIGNED);
    expect(others).toEqual(filesOf(here.tree));
  });
});

describe('a mirror with the key of a witness', () => {
  it('cosigns an unchanged head anew with every run, and takes that for no damage of its disk', async () => {
    await mirrored();
    const [before] = await cosignatures();
    const release = filesOf(here.current).get('SHA256SUMS');
    const again = ['mirror', here.tree, 'mirror', '--root-key', 'key.json', ...WITNESS];
    const { code, stderr: said } = await cli(again, here.folder, clockAhead(1));
    expect(code).toBe(0);
    expect(said).toContain('unchanged');
    expect(said).not.toContain('damaged');
    const [after] = await cosignatures();
    expect(after?.time).toBeGreaterThan(before?.time ?? 0);
    expect(filesOf(here.current).get('SHA256SUMS')).toEqual(release);
  });

  it('gives a publication the cosignature that it waits for, before it is published', async () => {
    const registry = await serve(here.tree);
    await mirrored(registry);
    const own = await serve(here.current);
    const settings = {
      log: { origin: ORIGIN, quorum: 1, wait: 60, witnesses: [{ key: vkey, mirror: own }] },
    };
    writeFiles(here.folder, { 'registry.yaml': JSON.stringify(settings) });
    start(registry, '--watch', '1');
    await here.publish();
    const proof = readFileSync(join(here.tree, 'log/publication.tlog-proof'), 'utf8');
    const head = parseHead(proof.slice(proof.indexOf('\n\n') + 2), invalid);
    expect(head.size).toBe(2);
    expect(await cosignatures(head)).toHaveLength(1);
    // Whoever demands this witness accepts the mirror, too, once it has taken the rest.
    await until(
      () => logHead(here.current).note.signatures.length > 1,
      () => 'the served head has no cosignature',
    );
    const anchor = { root: here.keys.root.rootKey.jwk, log: ORIGIN, witnesses: [vkey], quorum: 1 };
    writeFiles(here.folder, {
      'anchor.json': JSON.stringify(anchor),
      'policy.json': '{"tiers":["certified"]}',
    });
    const resolved = ['resolve', 'alpha', '--root-key', 'anchor.json', '--policy', 'policy.json'];
    for (const source of [registry, own]) {
      const { code, stderr } = await cli([...resolved, source], here.folder);
      expect([source, code, stderr]).toEqual([source, 0, expect.any(String)]);
    }
  });

  it('cosigns a publication that is only in the log, also if the published list is too old by now', async () => {
    await mirrored();
    const later = clockAhead(3 * 24 * 60);
    const build = ['build', '--key', 'key.pem', ...withKeys({ log: 'log.pem' }), '--renew', '--cosign-later'];
    expect((await cli(build, here.folder, later)).code).toBe(0);
    const args = ['mirror', here.tree, 'mirror', '--root-key', 'key.json', ...WITNESS, '--max-age', '1'];
    const refused = await cli(args, here.folder, later);
    expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('ERR_LIST_EXPIRED')]);
    expect([served().size, logHead(here.current).size]).toEqual([2, 1]);
    expect(await problemsIn(here.current)).toEqual([]);
    const without = ['mirror', here.tree, 'other', '--root-key', 'key.json', '--max-age', '1'];
    expect((await cli(without, here.folder, later)).code).toBe(1);
  });

  it('cosigns a new log for a trust anchor with a quorum, but serves it only once it has the quorum', async () => {
    const anchor = { root: here.keys.root.rootKey.jwk, log: ORIGIN, witnesses: [vkey], quorum: 1 };
    writeFiles(here.folder, { 'anchor.json': JSON.stringify(anchor) });
    const strict = (source: string, ...args: string[]) =>
      cli(['mirror', source, 'mirror', '--root-key', 'anchor.json', ...args], here.folder);
    for (const args of [WITNESS, []]) {
      const { code, stderr } = await strict(here.tree, ...args);
      expect([code, stderr]).toEqual([1, expect.stringContaining('ERR_TOO_FEW_COSIGNATURES')]);
      expect(stderr).toContain(' without --witness and --quorum');
      expect(existsSync(here.current)).toBe(false);
    }
    expect(remembered().size).toBe(1);
    await mirrored();
    const own = await serve(here.current);
    const log = { origin: ORIGIN, quorum: 1, wait: 60, witnesses: [{ key: vkey, mirror: own }] };
    writeFiles(here.folder, { 'registry.yaml': JSON.stringify({ log }) });
    await here.good('checkpoint');
    // A publication that waits for this mirror.
    for (const step of [() => here.publish('--cosign-later'), () => here.good('checkpoint')]) {
      expect((await strict(here.tree, ...WITNESS)).stderr).toContain('switched to');
      await step();
    }
    expect((await strict(here.tree, ...WITNESS)).stderr).toContain('switched to');
    // The same publication, without the cosignatures.
    const good = filesOf(here.current);
    const bare = join(here.folder, 'bare');
    cpSync(here.tree, bare, { recursive: true });
    for (const path of ['log/checkpoint', 'log/publication.tlog-proof']) {
      const lines = readFileSync(join(bare, path), 'utf8').split('\n');
      writeFiles(bare, { [path]: lines.filter((line) => !line.startsWith(`\u2014 ${NAME} `)).join('\n') });
    }
    for (const source of [bare, await serve(bare)]) {
      for (const args of [WITNESS, []]) {
        const { code, stderr } = await strict(source, ...args);
        expect([code, stderr]).toEqual([1, expect.stringContaining('ERR_TOO_FEW_COSIGNATURES')]);
        expect(stderr).not.toContain('begin with');
        const now = filesOf(here.current);
        for (const path of ['log/checkpoint', 'log/publication.tlog-proof'])
          expect(now.get(path)).toEqual(good.get(path));
      }
    }
    expect(served().size).toBe(2);
  });

  it('never cosigns a second history: not a smaller one, another one, or one for a new folder', async () => {
    await here.publish();
    await mirrored();
    await here.publish();
    const good = join(here.folder, 'good');
    cpSync(here.tree, good, { recursive: true });
    const before = readFileSync(join(here.current, COSIGNED));
    for (const size of [1, 2, 3]) {
      await lengthenLog(here.tree, here.keys, size);
      for (const folder of ['mirror', `new-${size}`]) {
        const { code, stderr } = await cli(
          ['mirror', here.tree, folder, '--root-key', 'key.json', ...WITNESS],
          here.folder,
        );
        expect([size, folder, code, stderr]).toEqual([size, folder, 1, expect.stringMatching(/log/)]);
        expect(existsSync(join(here.folder, folder, 'current'))).toBe(folder === 'mirror');
      }
      expect(remembered().size).toBe(2);
      expect(readFileSync(join(here.current, COSIGNED))).toEqual(before);
    }
    rmSync(here.tree, { recursive: true });
    renameSync(good, here.tree);
    await mirrored();
    expect([served().size, remembered().size]).toEqual([3, 3]);
  });

  it('cosigns no head whose statements are not signed, and none whose list cannot be fetched', async () => {
    await mirrored();
    await here.publish('--cosign-later');
    const good = filesOf(here.tree);
    const statement = good.get('log/statements/1.jwt') as Buffer;
    const list = JSON.parse(
      Buffer.from(statement.toString().split('.')[1] ?? '', 'base64url').toString(),
    ).sha256;
    const changes: Record<string, Buffer>[] = [
      { 'log/statements/1.jwt': Buffer.from(`${statement.subarray(0, -4)}AAAA`) },
      { [`snapshots/${list}/issuers.json`]: Buffer.from('{}') },
      { [`snapshots/${list}/issuers.sig`]: good.get('issuers.sig') as Buffer },
    ];
    for (const source of [here.tree, await serve(here.tree)]) {
      for (const change of changes) {
        writeFiles(here.tree, change);
        expect((await mirror(source)).code).toBe(1);
        expect([served().size, remembered().size]).toEqual([1, 1]);
        writeFiles(here.tree, Object.fromEntries(good));
      }
    }
    await mirrored();
    expect(served().size).toBe(2);
  });

  it('keeps its cosignature when it takes another release without the key', async () => {
    await mirrored();
    const before = readFileSync(join(here.current, COSIGNED));
    await here.publish();
    expect((await here.mirror(here.tree)).stderr).toContain('switched to');
    expect(readFileSync(join(here.current, COSIGNED))).toEqual(before);
    expect(await problemsIn(here.current)).toEqual([]);
  });

  it('says so if there is no log to cosign', async () => {
    await here.good('build', '--key', 'key.pem', '--out', 'plain');
    expect(await mirrored(join(here.folder, 'plain'))).toContain('WARNING: the registry has no log');
    expect(existsSync(join(here.current, 'witness'))).toBe(false);
  });

  it.each<[string, () => Promise<Outcome>, number, string]>([
    [
      'without its state',
      () => here.mirror(here.tree, '--witness-key', 'witness.pem'),
      2,
      'a witness needs its state',
    ],
    [
      'without its key',
      () => here.mirror(here.tree, '--witness-state', 'state'),
      2,
      'a witness needs its key',
    ],
    [
      'with another key than that of its state',
      () => here.mirror(here.tree, '--witness-key', 'key.pem', '--witness-state', 'state'),
      3,
      'but the state in state belongs to',
    ],
    [
      'with a damaged state',
      async () => {
        await mirrored();
        writeFiles(here.folder, { [`state/${HASH}.checkpoint`]: 'damaged' });
        return mirror();
      },
      4,
      'the state of this witness is damaged',
    ],
  ])('does not run %s', async (_what, run, exit, message) => {
    const { code, stderr } = await run();
    expect([code, stderr]).toEqual([exit, expect.stringContaining(message)]);
  });

  it(`killed at ${KILLS} moments, has never served a head that it does not remember`, async () => {
    const source = await serve(here.tree);
    const started = performance.now();
    await new Promise((resolve) => start(source).once('close', resolve));
    const duration = performance.now() - started;
    for (let kill = 0; kill < KILLS; kill++) {
      await here.publish(...(kill % 2 === 0 ? ['--cosign-later'] : []));
      const child = start(source);
      const ended = new Promise((resolve) => child.once('close', resolve));
      const moment = duration * (0.4 + Math.random() * 0.8);
      await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, moment))]);
      child.kill('SIGKILL');
      await ended;
      const head = served();
      expect(remembered().size).toBeGreaterThanOrEqual(head.size);
      expect(await cosignatures(head)).toHaveLength(1);
      const report = await verifyTree(folderSource(here.current), here.keys.root.rootKey);
      expect(report.checks.flatMap(({ result, problems }) => (result === 'failed' ? problems : []))).toEqual(
        [],
      );
      if (kill % 2 === 0) await here.good('checkpoint');
    }
    await mirrored(source);
    expect([served().size, remembered().size]).toEqual([KILLS + 1, KILLS + 1]);
    const others = filesOf(here.current);
    others.delete(COSIGNED);
    expect(others).toEqual(filesOf(here.tree));
  });
});
