import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { Ceremony } from './ceremony.js';
import { copyOf, madeOnce } from './made-once.js';
import { cli, good, type Outcome, recordText, writeFiles } from './workspace.js';

/** Anna, Bo and Cy, each on a machine of his own. */
export let holders: Ceremony;
const NAMES = ['Anna', 'Bo', 'Cy'] as const;
const numberOf = (name: string) => NAMES.indexOf(name as 'Anna') + 1;

/** The registry of the operator, and the folder of the current request, which travels. */
export let registry: string;
export let request: string;

/** What happens in each stage of a signing, and which stage is before it. */
const STAGES = {
  asked: [undefined, () => newRequest()],
  committed: ['asked', () => each(commit, 'Anna', 'Bo')],
  signed: ['committed', () => each(sign, 'Anna', 'Bo')],
  published: ['signed', () => good(attach())],
  'signed by all': ['asked', () => each(commit, ...NAMES).then(() => each(sign, ...NAMES))],
} as const;

/** The holders with a registry whose request is at a stage. It is made once in a run, and copied. */
export async function holdersAt(stage: keyof typeof STAGES): Promise<void> {
  const [before, next] = STAGES[stage];
  use(
    await madeOnce(`holders-${stage}`, async (made) => {
      await (before === undefined ? start() : holdersAt(before));
      await next();
      cpSync(holders.home, made, { recursive: true });
    }),
  );
  use(copyOf(holders.home));
}

/** The holders with a registry that has no request yet. */
export async function start(): Promise<void> {
  use((await Ceremony.of('whole')).home);
  for (const name of ['root.json', 'holders.json']) {
    writeFiles(registry, { [name]: readFileSync(join(holders.shared, name)) });
  }
  records({ alpha: {} });
}

function use(home: string): void {
  holders = new Ceremony(NAMES, home);
  registry = join(home, 'registry');
  request = join(registry, 'request');
}

export const records = (all: Record<string, Record<string, string>>) => {
  rmSync(join(registry, 'issuers'), { recursive: true, force: true });
  for (const [id, changes] of Object.entries(all)) {
    writeFiles(registry, { [`issuers/${id}.yaml`]: recordText(id, changes) });
  }
};

export async function newRequest(...more: string[]): Promise<Outcome> {
  rmSync(request, { recursive: true, force: true });
  const outcome = await cli(['build', '--unsigned', 'request', '--root-key', 'root.json', ...more], registry);
  expect(outcome.stderr).toContain('ready to be signed');
  return outcome;
}

/** Commits: the first run of `sign`, which asks nothing. */
export const commit = (name: string, folder = request, ...more: string[]) =>
  holders.as(name, ['sign', folder, '--json', ...more]);
export const sign = (name: string, folder = request, ...more: string[]) =>
  holders.as(name, ['sign', folder, '--json', '--yes', ...more]);
export const attachWith = (...more: string[]) =>
  cli(['attach', 'request', '--root-key', 'root.json', '--json', ...more], registry);
export const attach = (...more: string[]) => attachWith('--holders', 'holders.json', ...more);

/** Runs a command of several holders. */
export async function each(command: (name: string) => Promise<Outcome>, ...names: string[]): Promise<void> {
  for (const name of names) await good(command(name));
}

/** A whole publication by some of the holders. */
export async function publish(...names: string[]): Promise<void> {
  await newRequest();
  await each(commit, ...names);
  await each(sign, ...names);
  await good(attach());
}

export const messageOf = (kind: 'commitments' | 'shares', name: string, folder = request) =>
  join(folder, `${kind}-${numberOf(name)}.jwt`);
