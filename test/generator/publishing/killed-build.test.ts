import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey, type RootKey, verifyList } from '@passport-registry/verifier';
import { folderSource, verifyTree } from 'passport-registry';
import { beforeAll, describe, expect, it } from 'vitest';
import { CLI } from '../../support/paths.js';
import { claimsOf, sha256 } from '../../support/signed-tree.js';
import { rounds } from '../../support/soak.js';
import { readTreeFile } from '../../support/statements.js';
import {
  cleanEnvironment,
  cli,
  cliProcess,
  filesOf,
  recordText,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

const KILLS = rounds({ usual: 4, soak: 300 });
const ISSUERS = rounds({ usual: 100, soak: 400 });
const OLD = '2026-01-01T00:00:00Z';
const NEW = '2026-01-02T00:00:00Z';
const NEWEST = '2026-01-03T00:00:00Z';

let folder: string;
let rootKey: RootKey;
let duration: number;

const ids = Array.from({ length: ISSUERS }, (_one, index) => `issuer-${String(index).padStart(3, '0')}`);
/** Every record differs between the two, one is gone, one is new. */
const records = (tier: string, extra: string) =>
  Object.fromEntries([...ids, extra].map((id) => [`${tier}/${id}.yaml`, recordText(id, { tier })]));
const buildArgs = (tier: string, time: string, out: string) => [
  'build',
  ...['--issuers', tier, '--out', out, '--key', 'key.pem', '--updated-at', time],
  ...['--override', 'only-old:record-removed', '--override', 'only-new:record-removed'],
];

beforeAll(async () => {
  folder = await workspace();
  writeFiles(folder, {
    ...records('certified', 'only-old'),
    ...records('founding', 'only-new'),
    ...records('registered', 'only-old'),
  });
  await cli(buildArgs('certified', OLD, 'old'), folder);
  // What a tree says of its changes follows from the tree before it.
  cpSync(join(folder, 'old'), join(folder, 'new'), { recursive: true });
  const started = performance.now();
  await cliProcess(buildArgs('founding', NEW, 'new'), folder);
  duration = performance.now() - started;
  rootKey = await importRootKey(JSON.parse(readFileSync(join(folder, 'old/keys/root.json'), 'utf8')));
});

/** When a build is killed: at any time, from the first staged file on, or from the first rename on. */
const MOMENTS = ['any', 'staging', 'switching'] as const;

/** Builds the new tree over the old one, and kills that. */
async function killedBuild(out: string, moment: (typeof MOMENTS)[number]): Promise<void> {
  const first = join(folder, out, 'issuers', ids[0] ?? '');
  const before = statSync(first).ino;
  const child = spawn(process.execPath, [CLI, ...buildArgs('founding', NEW, out)], {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const reached = {
    any: () => true,
    staging: () => existsSync(join(folder, `.${out}.staging`, '0')),
    switching: () => statSync(first).ino !== before,
  };
  while (child.exitCode === null && !reached[moment]()) await pause(1);
  // Staging 400 issuers takes some tens of milliseconds, the renames fewer; a timer would be too coarse for them.
  if (moment === 'any') await pause(Math.random() * duration * 1.1);
  else busyFor((Math.random() * (moment === 'staging' ? 60 : 10) * ISSUERS) / 400);
  child.kill('SIGKILL');
  await ended;
}

function busyFor(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const listOf = (tree: string) => readFileSync(join(folder, tree, 'issuers.json'));

/** Whether the tree is, file by file, the old or the new one. */
function isWhole(out: string): boolean {
  const [tree, old, made] = [out, 'old', 'new'].map((name) => contentOf(name));
  return tree === old || tree === made;
}

/**
 * All paths of a tree, with the hash of each file; but for the checkpoint, which names the time when it was signed, and older lists,
 * which may be there or not.
 */
function contentOf(tree: string): string {
  const files = filesOf(join(folder, tree));
  const newest = `lists/${sha256(files.get('issuers.json') as Buffer)}.json`;
  return [...files]
    .filter(([path]) => path !== 'checkpoint.jwt' && (path === newest || !path.startsWith('lists/')))
    .map(([path, bytes]) => `${path} ${sha256(bytes)}`)
    .sort()
    .join('\n');
}

const statementOf = (tree: string) => claimsOf(readTreeFile(join(folder, tree, 'publication.jwt')));

/** Publishes other records over a torn tree, and asserts that no sequence stands for two statements. */
async function assertSequenceIsNew(torn: string): Promise<void> {
  cpSync(join(folder, torn), join(folder, 'other'), { recursive: true });
  const seen = statementOf(torn);
  const { code, stderr } = await cli(buildArgs('registered', NEWEST, 'other'), folder);
  expect([code, stderr]).toEqual([0, expect.stringContaining('verified')]);
  const made = claimsOf(readTreeFile(join(folder, 'other/publication.jwt')));
  expect(Number(made['sequence'])).toBeGreaterThan(1);
  expect(Number(made['sequence'])).toBeGreaterThan(Number(seen['sequence']));
  rmSync(join(folder, 'other'), { recursive: true });
}

describe(`a build that is killed at ${KILLS} moments`, () => {
  it('never leaves a tree that is taken for good while it is not, and the next build mends it', async () => {
    const outcomes = { old: 0, new: 0, torn: 0 };
    for (let kill = 0; kill < KILLS; kill++) {
      const out = `out-${kill}`;
      cpSync(join(folder, 'old'), join(folder, out), { recursive: true });
      await killedBuild(out, MOMENTS[kill % MOMENTS.length] ?? 'any');

      // As somebody who verifies the whole tree, such as a mirror.
      const report = await verifyTree(folderSource(join(folder, out)), rootKey);
      expect(report.ok).toBe(isWhole(out));

      // As a verifier, which has only the list and its signature.
      const list = listOf(out);
      const signature = readFileSync(join(folder, out, 'issuers.sig'), 'utf8');
      const accepted = await verifyList({ list, signature, rootKey }).catch(() => undefined);
      if (accepted !== undefined) {
        expect([OLD, NEW]).toContain(accepted.registry.updated_at);
        expect(list.equals(listOf(accepted.registry.updated_at === OLD ? 'old' : 'new'))).toBe(true);
      }
      if (report.ok) outcomes[report.updatedAt === OLD ? 'old' : 'new'] += 1;
      else outcomes.torn += 1;

      await assertSequenceIsNew(out);
      const { code, stderr } = await cli(buildArgs('founding', NEW, out), folder);
      expect(stderr).toContain('verified');
      expect(code).toBe(0);
      expect(isWhole(out)).toBe(true);
      expect(listOf(out).equals(listOf('new'))).toBe(true);
      expect(existsSync(join(folder, `.${out}.staging`))).toBe(false);
      rmSync(join(folder, out), { recursive: true });
    }
    console.info(`killed ${KILLS} builds: ${JSON.stringify(outcomes)}`);
    // Kills that all came too late would show nothing.
    expect(outcomes.torn + outcomes.old).toBeGreaterThan(0);
  });
});
