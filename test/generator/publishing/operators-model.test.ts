import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { IssuerRegistry } from '@passport-registry/verifier';
import { formatSignature, parseHead, readStatement, statementHash } from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { problemsIn } from '../../support/log-files.js';
import { cosignatureBy, invalid, type NoteSigner, noteSigner } from '../../support/note-keys.js';
import { contentTypeOf, listen } from '../../support/serving.js';
import { rounds } from '../../support/soak.js';
import { statementIn } from '../../support/statements.js';
import { cli, goodCli, keyPair, recordText, workspace, writeFiles } from '../../support/workspace.js';

/*
 * Two operators, a workflow and a cron job publish one registry through one branch, to a host whose cache lags, while a witness comes
 * and goes and a mirror follows. Each does what the documents say: loads, works, pushes unless somebody was faster, uploads.
 */

const STEPS = rounds({ usual: 60, soak: 5000 });
const IDS = ['alpha', 'beta', 'gamma'];

/** Who publishes. The workflow has the records that were merged; a laptop has those of its last pull. */
const PEOPLE = ['ann', 'bob', 'workflow', 'cron'] as const;
type Person = (typeof PEOPLE)[number];

let world: string;
/** How often somebody has pushed to the branch, and the push from which each person started. */
let pushes: number;
const base = new Map<Person, number>();
/** The push that the host shows. Its cache lags. */
let shown: number;
let isWitnessAway: boolean;
let cosigned: number;

/** Who is on hold at the branch, and whether somebody has ended that hold since. */
const holds = new Map<string, { isEnded: boolean }>();
/** Who is suspended at the branch, and since when. A suspension may have been signed long before: it waited for a witness. */
const suspensions = new Map<string, string>();
/** When somebody has last ended a suspension, whether or not the branch showed it. */
const ends = new Map<string, string>();

const at = (...parts: string[]) => join(world, ...parts);
const branch = (number: number) => at('branch', String(number));

beforeAll(async () => {
  world = await workspace(IDS);
  const witness = noteSigner('witness.example/w1', 'witness');
  const service = await witnessService(witness);
  const host = await laggingHost();
  for (const name of ['log', 'online']) await keyPair(world, name);
  const keys = {
    signer: { key: '../key.pem' },
    checkpoint: { signer: { key: '../online.pem' }, public_key: '../online.json' },
  };
  const log = { origin: 'registry.example/log', signer: { key: '../log.pem' }, quorum: 1 };
  writeFiles(world, {
    'root.json': (await goodCli(['keys', 'public', 'key.pem'], world)).stdout,
    'online.json': (await goodCli(['keys', 'public', 'online.pem'], world)).stdout,
  });
  const settings = {
    base_url: host,
    root_key: '../root.json',
    ...keys,
    log: { ...log, witnesses: [{ key: witness.vkey, service }] },
  };
  for (const person of PEOPLE) {
    cpSync(at('issuers'), at(person, 'issuers'), { recursive: true });
    writeFiles(at(person), { 'registry.yaml': JSON.stringify(settings) });
  }
  [pushes, shown, isWitnessAway, cosigned] = [0, 0, false, 0];
  await goodCli(['build', '--production', '--first', '--offline'], at('ann'));
  expect(push('ann')).toBe(true);
});

/** A witness that cosigns each log that continues what it has seen, by size. */
function witnessService(witness: NoteSigner): Promise<string> {
  return listen(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    if (isWitnessAway) return response.writeHead(404).end();
    const { note, size } = parseHead(body.slice(body.indexOf('\n\n') + 2), invalid);
    if (size < cosigned || !body.startsWith(`old ${cosigned}\n`))
      return response.writeHead(409).end(`${cosigned}\n`);
    cosigned = size;
    return response.end(formatSignature(cosignatureBy(witness, note.text, Math.floor(Date.now() / 1000))));
  });
}

/** The host serves the tree of a push, which need not be the newest. */
function laggingHost(): Promise<string> {
  return listen((request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '');
    const file = join(branch(shown), 'tree', path);
    if (!existsSync(file) || !statSync(file).isFile()) return response.writeHead(404).end();
    return response.writeHead(200, { 'Content-Type': contentTypeOf(path) }).end(readFileSync(file));
  });
}

/** Saves a tree and its stage on the branch, unless somebody was faster. */
function push(person: Person): boolean {
  if ((base.get(person) ?? 0) !== pushes || !existsSync(at(person, 'dist'))) return false;
  const next = branch(pushes + 1);
  mkdirSync(next, { recursive: true });
  cpSync(at(person, 'dist'), join(next, 'tree'), { recursive: true });
  if (existsSync(at(person, '.dist.stage')))
    cpSync(at(person, '.dist.stage'), join(next, 'stage'), { recursive: true });
  if (pushes > 0) assertContinues(join(branch(pushes), 'tree'), join(next, 'tree'));
  pushes += 1;
  base.set(person, pushes);
  for (let old = 1; old < pushes - 6; old++) rmSync(branch(old), { recursive: true, force: true });
  rememberStops(join(next, 'tree'));
  return true;
}

/** No history forks: a publication names the one that it follows. */
function assertContinues(before: string, after: string): void {
  const [old, next] = [before, after].map((tree) => statementIn(tree, 'publication')) as [string, string];
  const { claims } = readStatement(next, 'registry-publication+jwt', invalid);
  const known = [statementHash(next), ...((claims['previous'] as string[] | undefined) ?? [])];
  expect(known).toContain(statementHash(old));
}

function stopsIn(tree: string) {
  const { issuers }: IssuerRegistry = JSON.parse(readFileSync(join(tree, 'issuers.json'), 'utf8'));
  const { claims } = readStatement(statementIn(tree, 'checkpoint'), 'registry-checkpoint+jwt', invalid);
  const suspended = issuers.filter(({ status }) => status === 'suspended').map(({ issuer_id }) => issuer_id);
  return { held: new Set((claims['hold'] as string[] | undefined) ?? []), suspended };
}

/** Asserts that what the branch stopped is stopped still, unless somebody has ended it. */
function rememberStops(tree: string): void {
  const { held, suspended } = stopsIn(tree);
  for (const [id, { isEnded }] of holds) {
    if (held.has(id)) continue;
    expect(isEnded, `the hold of ${id} is lost`).toBe(true);
    holds.delete(id);
  }
  for (const id of held) if (!holds.has(id)) holds.set(id, { isEnded: false });
  for (const [id, since] of suspensions) {
    if (suspended.includes(id)) continue;
    expect((ends.get(id) ?? '') > since, `the suspension of ${id} is lost`).toBe(true);
    suspensions.delete(id);
  }
  for (const id of suspended) suspensions.set(id, sinceIn(tree, id));
}

/** Returns since when an issuer is suspended. */
function sinceIn(tree: string, id: string): string {
  return JSON.parse(readFileSync(join(tree, 'about.json'), 'utf8')).issuers[id].status_since;
}

/** Brings the tree of a person to that of the branch, and the stage, as `published.sh load` does. */
async function load(person: Person): Promise<void> {
  const from = branch(pushes);
  const { code, stderr } = await cli(['load', join(from, 'tree')], at(person));
  expect([0, 1], stderr).toContain(code);
  rmSync(at(person, '.dist.stage'), { recursive: true, force: true });
  if (existsSync(join(from, 'stage')))
    cpSync(join(from, 'stage'), at(person, '.dist.stage'), { recursive: true });
  base.set(person, pushes);
}

/** Runs a command. What it refuses, it says with a code of its own, and the tree stays whole. */
async function run(person: Person, ...args: string[]): Promise<boolean> {
  const { code, stderr } = await cli(args, at(person));
  expect([0, 1, 2, 6], `${person}: ${args.join(' ')}: ${stderr}`).toContain(code);
  return code === 0 || code === 6;
}

const merge = (person: Person) => cpSync(at(person, 'issuers'), at('issuers'), { recursive: true });
const pull = (person: Person) => cpSync(at('issuers'), at(person, 'issuers'), { recursive: true });

/** The records of a person say which suspensions somebody has ended, even if the build fails. */
function rememberEnds(person: Person): void {
  for (const id of IDS) {
    const record = readFileSync(at(person, `issuers/${id}.yaml`), 'utf8');
    const [, reinstated = ''] = /^reinstated: (.+)$/m.exec(record) ?? [];
    if (reinstated > (ends.get(id) ?? '')) ends.set(id, reinstated);
  }
}

/** Publishes a list. No witness is asked before the branch has what was signed. */
async function publish(person: Person, ...args: string[]): Promise<void> {
  await run(person, ...args, '--production', '--cosign-wait', '0');
  rememberEnds(person);
  if (!push(person)) return;
  await run(person, 'checkpoint', 'dist');
  push(person);
}

type Act = (person: Person, id: string) => Promise<void> | void;

const ACTS: Readonly<Record<string, Act>> = {
  'loads, builds and publishes': async (person) => {
    await load(person);
    await publish(person, 'build');
  },
  'builds without loading': (person) => publish(person, 'build'),
  'renews the checkpoint': async (person) => {
    await load(person);
    await run(person, 'checkpoint', 'dist');
    push(person);
  },
  holds: async (person, id) => {
    await run(person, 'hold', id);
    push(person);
  },
  'loads and holds': async (person, id) => {
    await load(person);
    await run(person, 'hold', id);
    push(person);
  },
  'ends a hold': async (person, id) => {
    const isDone = await run(person, 'hold', '--end', id, '--false-alarm');
    // The end counts for what was on hold at the branch by then.
    if (isDone && holds.has(id)) holds.set(id, { isEnded: true });
    push(person);
  },
  suspends: async (person, id) => {
    await publish(person, 'suspend', id, '--reason', 'r');
  },
  'ends a suspension': async (person, id) => {
    await publish(person, 'suspend', id, '--end', '--reason', 'r');
  },
  'edits a record': (person, id) => {
    writeFiles(at(person), { [`issuers/${id}.yaml`]: recordText(id, { tier: 'founding' }) });
  },
  'merges the records': merge,
  'pulls the records': pull,
  loads: (person) => load(person),
};

describe(`a registry of two operators, a workflow, a cron job, a mirror and a witness in ${STEPS} steps`, () => {
  it('loses no suspension and no hold, and has one history', async () => {
    const step = fc.record({
      person: fc.constantFrom(...PEOPLE),
      act: fc.constantFrom(...Object.keys(ACTS)),
      id: fc.constantFrom(...IDS),
      weather: fc.integer({ min: 0, max: 9 }),
    });
    let published = 0;
    for (const { person, act, id, weather } of fc.sample(step, STEPS)) {
      if (weather === 0) isWitnessAway = !isWitnessAway;
      if (weather > 3) shown = pushes;
      const before = pushes;
      await ACTS[act]?.(person, id);
      if (pushes > before) published += 1;
      if (weather === 9) await follow();
    }
    expect(published).toBeGreaterThan(STEPS / 10);
    shown = pushes;
    expect(await problemsIn(join(branch(pushes), 'tree'))).toEqual([]);
  });
});

/** A mirror takes what the host shows, or refuses what is older than what it has. */
async function follow(): Promise<void> {
  const { code, stderr } = await cli(
    [
      'mirror',
      JSON.parse(readFileSync(at('ann', 'registry.yaml'), 'utf8')).base_url,
      'mirror',
      '--trust-anchor',
      'root.json',
    ],
    world,
  );
  expect([0, 1], stderr).toContain(code);
}
