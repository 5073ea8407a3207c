import { cpSync, existsSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { formatSignature, parseHead } from '@passport-registry/verifier/core';
import { folderSource, verifyTree } from 'passport-registry';
import { beforeAll, describe, expect, it } from 'vitest';
import { dying } from '../../support/dying-disk.js';
import fc from '../../support/fast-check.js';
import { logHead } from '../../support/log-files.js';
import { copyOf } from '../../support/made-once.js';
import { cosignatureBy, invalid, type NoteSigner, noteSigner } from '../../support/note-keys.js';
import { listen } from '../../support/serving.js';
import { rounds } from '../../support/soak.js';
import { cli, goodCli, keyPair, recordText, workspace, writeFiles } from '../../support/workspace.js';

const KILLS = rounds({ usual: 24, soak: 500 });
const LOSSES = rounds({ usual: 12, soak: 200 });

/** What an operator runs, and what is in the folder before. */
const COMMANDS = {
  build: { args: ['build'], prepare: () => change('alpha') },
  'first build': { args: ['build'], prepare: () => rmSync(join(folder, 'dist'), { recursive: true }) },
  attach: { args: ['attach', 'request', '--root-key', 'root.json'], prepare: () => undefined },
  checkpoint: { args: ['checkpoint', 'dist'], prepare: () => undefined },
  hold: { args: ['hold', 'alpha'], prepare: () => undefined },
  load: { args: ['load', 'newer', '--trust-anchor', 'root.json'], prepare: () => undefined },
} as const;
type Command = keyof typeof COMMANDS;

let made: string;
let folder: string;

const change = (id: string, fields = {}) =>
  writeFiles(folder, { [`issuers/${id}.yaml`]: recordText(id, { tier: 'founding', ...fields }) });

beforeAll(async () => {
  made = await workspace(['alpha', 'beta']);
  folder = made;
  for (const name of ['log', 'online']) await keyPair(made, name);
  const witness = await noteSigner('witness.example/w1', 'witness');
  const url = await witnessService(witness);
  writeFiles(made, {
    'root.json': (await goodCli(['keys', 'public', 'key.pem'], made)).stdout,
    'registry.yaml': JSON.stringify({
      signer: { key: 'key.pem' },
      checkpoint: { signer: { key: 'online.pem' } },
      log: {
        ...{ origin: 'registry.example/log', signer: { key: 'log.pem' }, quorum: 1 },
        witnesses: [{ key: witness.vkey, service: url }],
      },
    }),
  });
  await goodCli(['build', '--production'], made);
  cpSync(join(made, 'dist'), join(made, 'newer'), { recursive: true });
  change('beta');
  await goodCli(['build', '--production', '--out', 'newer'], made);
  await goodCli(['build', '--unsigned', 'request', '--root-key', 'root.json'], made);
  await goodCli(['sign', 'request', '--key', 'key.pem', '--yes'], made);
});

/** The size of the largest log that the witness has cosigned. It refuses a smaller one, and so every command that would add to it. */
let cosigned = 0;

function witnessService(witness: NoteSigner): Promise<string> {
  return listen(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    const { note, size } = parseHead(body.slice(body.indexOf('\n\n') + 2), invalid);
    if (size < cosigned || !body.startsWith(`old ${cosigned}\n`))
      return response.writeHead(409).end(`${cosigned}\n`);
    cosigned = size;
    return response.end(formatSignature(cosignatureBy(witness, note.text, Math.floor(Date.now() / 1000))));
  });
}

async function problems(): Promise<readonly string[]> {
  const { checks } = await verifyTree(folderSource(join(folder, 'dist')));
  return checks.flatMap(({ result, problems }) => (result === 'failed' ? problems : []));
}

/** The owner of the lock is dead, which its lock shows only after a while. */
function ageLock(): void {
  const lock = join(folder, '.dist.lock');
  if (existsSync(lock)) utimesSync(lock, 0, 0);
}

/** Runs a command whose process dies after so many changes of the disk. */
async function die(command: Command, after: number, losesPower = false) {
  folder = copyOf(made);
  const { args, prepare } = COMMANDS[command];
  prepare();
  cosigned = command === 'first build' ? 0 : 1;
  return dying({ after, losesPower }, () => cli(args, folder));
}

/** Runs a command whose process dies, and the same command again. */
async function dieAndRepeat(command: Command, after: number, losesPower: boolean): Promise<boolean> {
  const { isDead } = await die(command, after, losesPower);
  const { args } = COMMANDS[command];
  ageLock();
  const again = await cli(args, folder);
  const told = `${command}, dead after ${after} changes: ${again.stderr}`;
  expect(again.code, told).toBe(0);
  expect(await problems(), told).toEqual([]);
  // What the witness has seen is in the log. `load` replaces a publication by another one.
  if (command !== 'load') expect(logHead(join(folder, 'dist')).size, told).toBeGreaterThanOrEqual(cosigned);
  return isDead;
}

describe.each([
  [`killed ${KILLS} times`, KILLS, false],
  [`without power ${LOSSES} times`, LOSSES, true],
])('a machine that is %s', (_what, times, losesPower) => {
  it('has the old tree or the committed one when the same command has run again', async () => {
    const commands = Object.keys(COMMANDS) as Command[];
    const changes = await changesOf(commands);
    let deaths = 0;
    const moments = fc.sample(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), times);
    for (const [at, moment] of moments.entries()) {
      const command = commands[at % commands.length] as Command;
      const after = Math.floor(moment * (changes.get(command) ?? 0));
      if (await dieAndRepeat(command, after, losesPower)) deaths += 1;
    }
    // A few moments may come too late: not every run makes as many changes.
    expect(deaths).toBeGreaterThan(times * 0.8);
  });
});

/** How many changes of the disk each command makes. */
async function changesOf(commands: readonly Command[]): Promise<ReadonlyMap<Command, number>> {
  const changes = new Map<Command, number>();
  for (const command of commands)
    changes.set(command, (await die(command, Number.POSITIVE_INFINITY)).changes);
  return changes;
}
