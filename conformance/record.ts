import { fork } from 'node:child_process';
import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { sha256Hex, utf8 } from './cases/encoding.js';
import { type Case, cases, ROLES } from './cases/index.js';
import { recordCase } from './record-case.js';
import { PageReader } from './roles/page.js';
import { enterWorld } from './roles/world.js';

/** `node build/conformance/record.js`: records what the programs of this checkout say of all cases. */
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: 'test-results/conformance/recording.jsonl' },
    only: { type: 'string', default: '' },
    /** Which roles to ask, without the page. */
    roles: { type: 'string', default: ROLES.join(',') },
    /** How many cases to show to the page in Chromium. */
    pages: { type: 'string', default: '0' },
    /** Of the process for a share of the cases: its number, and how many there are. */
    share: { type: 'string' },
  },
});

/** Lines to send at once: a message for each would take longer than some cases. */
const BATCH = 500;

async function recordShare(share: string): Promise<void> {
  const [own = 0, count = 1] = share.split('/').map(Number);
  enterWorld();
  // If the process that collects is gone, nobody needs the rest.
  process.once('disconnect', () => process.exit());
  const lines: string[] = [];
  const send = () => new Promise((sent) => process.send?.(lines.splice(0), sent));
  let number = 0;
  for await (const one of cases({ only: values.only })) {
    if (number++ % count !== own) continue;
    for (const verdict of await recordCase(one, values.roles.split(','))) lines.push(JSON.stringify(verdict));
    if (lines.length > BATCH) await send();
  }
  await send();
  process.disconnect();
}

function startShare(share: string, receive: (lines: string[]) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = fork(fileURLToPath(import.meta.url), [
      '--share',
      share,
      '--only',
      values.only,
      '--roles',
      values.roles,
    ]);
    child.on('message', (lines: string[]) => receive(lines));
    child.on('exit', (code) =>
      code === 0 ? resolve() : reject(new Error(`share ${share} ended with ${code}`)),
    );
  });
}

/** Records what the page says of some cases, chosen by nothing but their ids. */
async function recordPages(receive: (lines: string[]) => void): Promise<void> {
  const chosen: Case[] = [];
  const place = ({ id }: Case) => sha256Hex(utf8(id));
  for await (const one of cases({ only: values.only })) {
    // What the page pins says nothing of commitments or witnesses.
    if (one.steps.length === 1 && one.roles.includes('client') && !ANCHORED.test(one.id)) chosen.push(one);
  }
  chosen.sort((one, next) => (place(one) < place(next) ? -1 : 1));
  const page = new PageReader();
  for (const one of chosen.slice(0, Number(values.pages))) {
    receive([JSON.stringify({ id: one.id, role: 'page', step: 0, ...(await page.see(one)) })]);
  }
  await page.close();
}

const ANCHORED = /^(anchor|rotation|clock)|rotated-thrice|log|witnessed|pending|never/;

async function recordAll(): Promise<void> {
  const started = performance.now();
  const lines: string[] = [];
  const partial = `${values.out}.partial`;
  mkdirSync(dirname(partial), { recursive: true });
  rmSync(partial, { force: true });
  const receive = (more: string[]) => {
    lines.push(...more);
    // A recording takes minutes. If it is ended, what it has found so far is not lost.
    if (more.length > 0) appendFileSync(partial, `${more.join('\n')}\n`);
    process.stderr.write(`\r${lines.length} verdicts`);
  };
  const count = values.roles === '' ? 0 : availableParallelism();
  await Promise.all(Array.from({ length: count }, (_one, own) => startShare(`${own}/${count}`, receive)));
  if (values.pages !== '0') await recordPages(receive);
  writeFileSync(values.out, `${lines.sort().join('\n')}\n`);
  rmSync(partial, { force: true });
  const seconds = Math.round((performance.now() - started) / 1000);
  process.stderr.write(`\r${lines.length} verdicts in ${seconds} s: ${values.out}\n`);
}

await (values.share === undefined ? recordAll() : recordShare(values.share));
