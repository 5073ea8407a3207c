import fs, { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRegistry } from '@passport-registry/verifier';
import { folderSource } from 'passport-registry';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { recoverStage } from '../../../build/generator/publishing/journal.js';
import { cosigningService } from '../../support/cosigning-service.js';
import { dying } from '../../support/dying-disk.js';
import { expectCommandError } from '../../support/expect-command-error.js';
import { logHead, problemsIn } from '../../support/log-files.js';
import { copyOf } from '../../support/made-once.js';
import { type NoteSigner, noteSigner } from '../../support/note-keys.js';
import { operatorIn } from '../../support/operator.js';
import { withFs } from '../../support/patched-fs.js';
import { rounds } from '../../support/soak.js';
import { claimsOf, readTreeFile } from '../../support/statements.js';
import {
  ageLock,
  cli,
  filesBelow,
  filesOf,
  goodCli,
  keyedWorkspace,
  writeFiles,
} from '../../support/workspace.js';

const SETTINGS = {
  checkpoint: { signer: { key: 'online.pem' } },
  log: { origin: 'registry.example/log', signer: { key: 'log.pem' } },
};
const BUILD = ['build', '--key', 'key.pem'];
const CHECKPOINT = ['checkpoint'];
const ATTACH = ['attach', 'request', '--root-key', 'key.json'];

/** A folder with keys and records, and one in which they are published. */
let empty: string;
let published: string;
let folder: string;
const { dist, good, claims, record } = operatorIn(() => folder);

let witness: NoteSigner;
/** Whether the answers of the witness are lost. */
let isAway: boolean;
/** The heads that the witness was asked to cosign. */
let seen: string[];

beforeAll(async () => {
  witness = noteSigner('witness.example', 'witness');
  empty = await keyedWorkspace(['alpha', 'beta'], 'log', 'online');
  writeFiles(empty, { 'registry.yaml': JSON.stringify(SETTINGS) });
  published = copyOf(empty);
  await goodCli(BUILD, published);
});

let service: string;
beforeEach(async () => {
  isAway = false;
  seen = [];
  service = await cosigningService(witness, () => (isAway ? undefined : Math.floor(Date.now() / 1000)), seen);
});

/** Begins with a copy of a folder, and a witness. */
function begin(made: string): void {
  folder = copyOf(made);
  const witnesses = [{ key: witness.vkey, service }];
  const log = { ...SETTINGS.log, quorum: 1, witnesses };
  writeFiles(folder, { 'registry.yaml': JSON.stringify({ ...SETTINGS, log }) });
  seen.splice(0);
}

const stage = (path = '') => join(folder, '.dist.stage', path);
/** The folder of the tree, as a command has it that writes. */
const output = () => ({ out: dist(), named: dist(), stage: stage(), assertHeld: () => undefined });
const suspend = (id: string) => record(id, { status: 'suspended' });
/** The status of each issuer in the list of the tree. */
const statuses = () =>
  JSON.parse(readFileSync(dist('issuers.json'), 'utf8')).issuers.map((one: { status: string }) => one.status);

/** Commits a publication that waits, because the witness is away. */
async function commitOne(): Promise<void> {
  isAway = true;
  suspend('alpha');
  expect((await cli(BUILD, folder)).code).toBe(6);
  isAway = false;
}

/** Whatever the witness has seen, the log has it: of each size, there is one head. */
async function assertWhole(): Promise<void> {
  const { note, size } = logHead(dist());
  const heads = new Map([...seen, note.text].map((text) => [text, Number(text.split('\n')[1])]));
  expect(new Set(heads.values()).size).toBe(heads.size);
  expect(Math.max(...heads.values())).toBe(size);
  expect(await problemsIn(dist())).toEqual([]);
  expect(filesBelow(folder).filter((path) => /^\.dist\.(?!replaced)/.test(path))).toEqual([]);
}

/** A client loads the tree, as it is on a host at this moment. */
async function assertLoads(): Promise<void> {
  const source = folderSource(dist());
  const rootKey = JSON.parse(readFileSync(join(folder, 'key.json'), 'utf8'));
  const registry = await openRegistry(
    { get: async (path) => (await source.get(path))?.bytes },
    { rootKey, maxAge: 86_400 },
  );
  expect(registry.list()).toHaveLength(2);
}

interface Scenario {
  readonly prepare: () => Promise<unknown>;
  readonly command: readonly string[];
  /** What follows the death. Default: the same command. */
  readonly next?: readonly string[];
  readonly statuses: readonly string[];
  readonly sequence: number;
  readonly hold?: readonly string[];
}

const SCENARIOS: Record<string, Scenario> = {
  'a first publication': {
    prepare: async () => begin(empty),
    command: BUILD,
    statuses: ['active', 'active'],
    sequence: 1,
  },
  'a publication': {
    prepare: async () => {
      begin(published);
      suspend('alpha');
    },
    command: BUILD,
    statuses: ['suspended', 'active'],
    sequence: 2,
  },
  'a publication, and a hold': {
    prepare: async () => {
      begin(published);
      suspend('alpha');
    },
    command: BUILD,
    next: ['hold', 'beta'],
    statuses: ['suspended', 'active'],
    sequence: 2,
    hold: ['beta'],
  },
  'a publication over one that waits': {
    prepare: async () => {
      begin(published);
      await commitOne();
      suspend('beta');
    },
    command: BUILD,
    statuses: ['suspended', 'suspended'],
    sequence: 3,
  },
  'a publication that was signed elsewhere': {
    prepare: async () => {
      begin(published);
      suspend('alpha');
      await good('build', '--unsigned', 'request', '--root-key', 'key.json');
      await good('sign', 'request', '--key', 'key.pem', '--yes', '--memory', 'memory');
    },
    command: ATTACH,
    statuses: ['suspended', 'active'],
    sequence: 2,
  },
  'a checkpoint that completes a publication': {
    prepare: async () => {
      begin(published);
      await commitOne();
      await good('hold', 'beta');
    },
    command: CHECKPOINT,
    statuses: ['suspended', 'active'],
    sequence: 2,
    hold: ['beta'],
  },
  'a checkpoint that completes a publication, and another hold': {
    prepare: async () => {
      begin(published);
      await commitOne();
      await good('hold', 'beta');
    },
    command: CHECKPOINT,
    next: ['hold', 'alpha'],
    statuses: ['suspended', 'active'],
    sequence: 2,
    hold: ['alpha', 'beta'],
  },
  'a checkpoint': {
    prepare: async () => begin(published),
    command: CHECKPOINT,
    statuses: ['active', 'active'],
    sequence: 1,
  },
  'a load': {
    prepare: async () => {
      begin(published);
      cpSync(dist(), join(folder, 'newer'), { recursive: true });
      suspend('alpha');
      await good(...BUILD, '--out', 'newer');
    },
    command: ['load', 'newer', '--trust-anchor', 'key.json'],
    statuses: ['suspended', 'active'],
    sequence: 2,
  },
  'a hold': {
    prepare: async () => begin(published),
    command: ['hold', 'beta'],
    statuses: ['active', 'active'],
    sequence: 1,
    hold: ['beta'],
  },
};

/** In a usual run, a process dies at every twentieth call that changes the disk; in the soak, twice at each. */
const EVERY = rounds({ usual: 20, soak: 0.5 });

describe('a process that dies, every other time with a loss of power, at any call that changes the disk', () => {
  it.each(Object.entries(SCENARIOS))(
    'in %s leaves the old tree or a committed one',
    async (_name, scenario) => {
      const { prepare, command, next = command, hold = [] } = scenario;
      await prepare();
      const [prepared, seenBefore] = [copyOf(folder), [...seen]];
      let deaths = 0;
      const first = Number(process.env['PROPERTY_SEED'] ?? 0) % Math.max(EVERY, 1);
      for (let round = 0; ; round++) {
        const nth = Math.floor(first + round * EVERY);
        folder = copyOf(prepared);
        seen.splice(0, seen.length, ...seenBefore);
        const hadTree = existsSync(dist());
        const { isDead } = await dying({ after: nth, losesPower: round % 2 === 0 }, () =>
          cli(command, folder),
        );
        if (!isDead) break;
        deaths++;
        ageLock(dist());
        // `load` moves the tree away before it moves the new one to its place.
        if (hadTree && existsSync(dist())) await assertLoads();
        const { code, stderr } = await cli(next, folder);
        expect(code, `${nth}: ${stderr}`).toBe(0);
        // A hold does not build: before the commit, nothing of the publication has happened.
        if (next[0] === 'hold' && command === BUILD) await good(...BUILD);
        if (next[0] === 'hold') await good(...CHECKPOINT);
        expect([
          nth,
          statuses(),
          claims('publication')['sequence'],
          claims('checkpoint')['hold'] ?? [],
        ]).toEqual([nth, scenario.statuses, scenario.sequence, hold]);
        await assertWhole();
        rmSync(folder, { recursive: true });
      }
      expect(deaths).toBeGreaterThan(0);
    },
  );
});

describe('a committed stage', () => {
  beforeEach(async () => {
    begin(published);
    await commitOne();
  });

  /** Asserts that no command goes on over a stage, because of some fact, and that tree and stage stay as they are. */
  function assertUnread(fact: string): void {
    const before = [filesOf(dist()), filesOf(stage())];
    const recovering = () => recoverStage(output());
    expect(recovering).toThrow(expect.objectContaining({ code: 'ERR_TREE_REJECTED' }));
    expect(recovering).toThrow(fact);
    expect([filesOf(dist()), filesOf(stage())]).toEqual(before);
  }

  it('that is damaged is refused by whatever signs, which leaves it and the tree as they are', async () => {
    rmSync(stage(stagedRecord()));
    const before = filesBelow(folder);
    const tree = filesOf(dist());
    for (const args of [BUILD, CHECKPOINT, ['hold', 'alpha']])
      expectCommandError(await cli([...args, '--json'], folder), 'ERR_TREE_REJECTED', '`load`');
    expect(filesOf(dist())).toEqual(tree);
    expect(filesBelow(folder)).toEqual(before);
  });

  it.each([
    ['empty', ''],
    ['altered', 'x'],
    ['missing', undefined],
  ])('is not read if a file is %s', (_what, content) => {
    const file = stage(stagedRecord());
    rmSync(file);
    if (content !== undefined) writeFileSync(file, content);
    assertUnread('has no whole issuers/alpha');
  });

  it('is not read if its manifest has another form, or paths that lead out of the tree', () => {
    const manifest = JSON.parse(readFileSync(stage('manifest.json'), 'utf8'));
    const texts = ['', '{"files":[]}'];
    for (const path of ['../key.pem', 'issuers/../../key.pem', '/key.pem', 'issuers//x', '..', '.', '']) {
      const files = { ...manifest.files, [path]: '0'.repeat(64) };
      texts.push(JSON.stringify({ ...manifest, files }));
      texts.push(JSON.stringify({ ...manifest, removed: [...manifest.removed, path] }));
    }
    for (const text of texts) {
      writeFileSync(stage('manifest.json'), text);
      assertUnread('manifest.json is damaged');
    }
  });

  it('of another tree is refused: a copy of it, which has gone on', async () => {
    cpSync(stage(), join(folder, 'kept'), { recursive: true });
    await good(...CHECKPOINT);
    suspend('beta');
    await good(...BUILD);
    renameSync(join(folder, 'kept'), stage());
    assertUnread('belongs to another tree');
    rmSync(stage(), { recursive: true });
    await good(...CHECKPOINT);
  });

  it('goes with the tree where both are copied', async () => {
    mkdirSync(join(folder, 'copy'));
    for (const name of ['dist', '.dist.stage'])
      cpSync(join(folder, name), join(folder, 'copy', name), { recursive: true });
    await good('checkpoint', 'copy/dist');
    expect(claimsOf(readTreeFile(join(folder, 'copy/dist/publication.jwt')))).toMatchObject({ sequence: 2 });
    expect(existsSync(stage())).toBe(true);
  });

  it('stays if the next one cannot be written: the disk is full', async () => {
    const before = filesBelow(folder).filter((path) => path.startsWith('.dist.stage'));
    suspend('beta');
    const { writeFileSync: write } = fs;
    const full = ((file: fs.PathOrFileDescriptor, ...rest: [string]) => {
      if (typeof file === 'number') throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      write(file, ...rest);
    }) as typeof fs.writeFileSync;
    const outcome = await withFs({ writeFileSync: full }, () => cli([...BUILD, '--json'], folder));
    expectCommandError(outcome, 'ERR_IO_FAILED', 'ENOSPC');
    expect(filesBelow(folder)).toEqual(expect.arrayContaining(before));
    await good(...CHECKPOINT);
    expect(statuses()).toEqual(['suspended', 'active']);
    await assertWhole();
  });

  /** The name of the staged file of the record that changes. */
  const stagedRecord = () =>
    filesBelow(stage()).find(
      (name) =>
        name !== 'manifest.json' && readFileSync(stage(name), 'utf8').startsWith('{"certified_since":'),
    ) ?? '';
});

it.each<[string, () => void]>([
  [
    'files of a stage',
    () => writeFiles(folder, { '.dist.stage/x': 'x', '.dist.stage/manifest.json.new': '{}' }),
  ],
  ['a file in its place', () => writeFiles(folder, { '.dist.stage': 'x' })],
  ['an empty folder', () => mkdirSync(stage())],
])('what was never committed is dropped: %s', (_what, leave) => {
  begin(published);
  leave();
  expect(recoverStage(output())).toBeUndefined();
  expect(existsSync(stage())).toBe(false);
});

describe('a file that another program has open', () => {
  const { renameSync: rename } = fs;
  /** Lets the first renames of the list fail. */
  function busyFor(times: number): Partial<typeof fs> {
    let left = times;
    return {
      renameSync: (from, to) => {
        if (String(to) === dist('issuers.json') && left-- > 0)
          throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
        rename(from, to);
      },
    };
  }

  beforeEach(() => {
    begin(published);
    suspend('alpha');
  });

  it('is replaced when it is closed', async () => {
    expect((await withFs(busyFor(3), () => cli(BUILD, folder))).code).toBe(0);
    await assertWhole();
  });

  it('leaves a stage if it stays open, which the next command applies', async () => {
    const busy = busyFor(Number.POSITIVE_INFINITY);
    const outcome = await withFs(busy, () => cli([...BUILD, '--json'], folder));
    expectCommandError(outcome, 'ERR_IO_FAILED', 'EBUSY');
    await assertLoads();
    await good(...CHECKPOINT);
    expect(statuses()).toEqual(['suspended', 'active']);
    await assertWhole();
  });
});

describe('a folder into which no file can be renamed is refused before anything is signed', () => {
  const { accessSync, statSync } = fs;

  beforeEach(() => {
    begin(published);
    suspend('alpha');
  });

  it('a volume of its own', async () => {
    const before = filesOf(dist());
    const other = ((path: string, options?: object) => {
      const stats = statSync(path, options);
      return path === dist().replace(/\/$/, '') ? Object.assign(Object.create(stats), { dev: -1 }) : stats;
    }) as typeof fs.statSync;
    const outcome = await withFs({ statSync: other }, () => cli([...BUILD, '--json'], folder));
    expectCommandError(outcome, 'ERR_USAGE', 'another file system');
    expect(filesOf(dist())).toEqual(before);
  });

  it('a parent that is read-only', async () => {
    const before = filesOf(dist());
    const readOnly: typeof accessSync = (path, mode) => {
      if (String(path) === folder) throw Object.assign(new Error('EROFS'), { code: 'EROFS' });
      accessSync(path, mode);
    };
    const outcome = await withFs({ accessSync: readOnly }, () => cli([...BUILD, '--json'], folder));
    expectCommandError(outcome, 'ERR_IO_FAILED', 'EROFS');
    expect([filesOf(dist()), existsSync(stage())]).toEqual([before, false]);
  });
});
