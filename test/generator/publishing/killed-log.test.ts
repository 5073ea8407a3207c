import { spawn } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { entryBytes, isSameBytes, type LogHead, parseHead } from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { logEntries, logHead, problemsIn } from '../../support/log-files.js';
import { naiveLeaf, naiveRoot } from '../../support/merkle.js';
import { CLI } from '../../support/paths.js';
import { rounds } from '../../support/soak.js';
import { cleanEnvironment, cli, recordText, workspace, writeFiles } from '../../support/workspace.js';

const KILLS = rounds({ usual: 4, soak: 300 });
const BUILD = ['build', '--key', 'key.pem'];

let folder: string;
let duration: number;

beforeAll(async () => {
  folder = await workspace(Array.from({ length: 30 }, (_one, index) => `issuer-${index}`));
  await cli(['keys', 'generate', '--no-passphrase', '--private', 'log.pem'], folder);
  const log = { origin: 'registry.example/log', signer: { key: 'log.pem' } };
  writeFiles(folder, { 'registry.yaml': JSON.stringify({ log }) });
  await cli([...BUILD, '--out', 'old'], folder);
  const started = performance.now();
  await killed('measured', Number.POSITIVE_INFINITY);
  duration = performance.now() - started;
});

/** Builds a change in a copy of the tree, and kills the build. Returns every head that could be seen meanwhile. */
async function killed(out: string, milliseconds: number): Promise<readonly LogHead[]> {
  cpSync(join(folder, 'old'), join(folder, out), { recursive: true });
  writeFiles(folder, { [`records-${out}/new.yaml`]: recordText('new') });
  cpSync(join(folder, 'issuers'), join(folder, `records-${out}`), { recursive: true });
  return running([...BUILD, '--issuers', `records-${out}`, '--out', out], out, milliseconds);
}

async function running(
  args: readonly string[],
  out: string,
  milliseconds: number,
): Promise<readonly LogHead[]> {
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: folder,
    env: cleanEnvironment(),
    stdio: 'ignore',
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const seen: LogHead[] = [];
  const file = join(folder, out, 'log/checkpoint');
  const started = performance.now();
  while (child.exitCode === null && performance.now() - started < milliseconds) {
    if (existsSync(file)) seen.push(parseHead(readFileSync(file, 'utf8'), (message) => new Error(message)));
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  child.kill('SIGKILL');
  await ended;
  seen.push(logHead(join(folder, out)));
  return seen;
}

describe('a build with a log that is killed', () => {
  it.each(Array.from({ length: KILLS }, (_one, round) => round))(
    'never forks the log, whatever runs next (%i)',
    async (round) => {
      const out = `out${round}`;
      const seen = [...(await killed(out, Math.random() * duration * 1.1))];
      // The same command, cosign, or another change, after a second interruption.
      const next = [
        [...BUILD, '--issuers', `records-${out}`, '--out', out],
        ['checkpoint', out],
        [...BUILD, '--out', out],
      ][round % 3] as string[];
      seen.push(...(await running(next, out, Math.random() * duration * 1.1)));
      const { code, stderr } = await cli([...BUILD, '--issuers', `records-${out}`, '--out', out], folder);
      expect([code, stderr]).toEqual([0, expect.anything()]);
      const tree = join(folder, out);
      expect(await problemsIn(tree)).toEqual([]);
      const leaves = (await logEntries(tree)).map((entry) => naiveLeaf(entryBytes(entry)));
      for (const { size, root } of [...seen, logHead(tree)]) {
        expect(isSameBytes(naiveRoot(leaves.slice(0, size)), root)).toBe(true);
      }
      const sequences = (await logEntries(tree)).flatMap((entry) =>
        'sequence' in entry ? entry.sequence : [],
      );
      expect(sequences).toEqual(sequences.map((_one, index) => index + 1));
    },
  );
});
