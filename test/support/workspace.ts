import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterAll } from 'vitest';
import { main } from '../../build/cli/program.js';
import { CLI } from './paths.js';

const folders: string[] = [];

/** An empty folder that goes away after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'passport-registry-'));
  folders.push(folder);
  return folder;
}

afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The environment of this process without what a build reads from it, with some additions. */
export function cleanEnvironment(additions: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { CI: _ci, SOURCE_DATE_EPOCH: _epoch, NODE_OPTIONS: _options, ...rest } = process.env;
  return { ...rest, ...additions };
}

/** How a program ended. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Milliseconds. No program here takes a tenth of it. */
const LONGEST_RUN = 120_000;

/** Runs a program to its end. One that hangs is told from a test that is slow. */
export function run(
  program: string,
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env: cleanEnvironment(environment),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stdout = '';
    let stderr = '';
    const limit = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${[program, ...args].join(' ')} hangs, after:\n${stdout}${stderr}`));
    }, LONGEST_RUN);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      stderr += text;
    });
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(limit);
      resolve({ code, stdout, stderr });
    });
  });
}

/** Runs the command line in a process of its own: for tests of what a process does, such as its end, its memory, its signals. */
export function cliProcess(
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): Promise<Outcome> {
  return run(process.execPath, [CLI, ...args], cwd, environment);
}

/** Runs the command line in this process. Variables that Node.js itself reads, such as NODE_OPTIONS, need a process of their own. */
export function cli(
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): Promise<Outcome> {
  if (Object.keys(environment).some((name) => name.startsWith('NODE_')))
    return cliProcess(args, cwd, environment);
  const outcome = lastRun.then(() => runHere(args, cwd, environment));
  lastRun = outcome.catch(() => undefined);
  return outcome;
}

/** A process has one current folder, so runs wait for each other. */
let lastRun: Promise<unknown> = Promise.resolve();

async function runHere(
  args: readonly string[],
  cwd: string,
  environment: Record<string, string>,
): Promise<Outcome> {
  const [stdout, stderr, before] = [new Collected(), new Collected(), process.cwd()];
  const stdin = Readable.from([]);
  process.chdir(cwd);
  try {
    const code = await main(args, { stdout, stderr, stdin, env: cleanEnvironment(environment) });
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    process.chdir(before);
  }
}

/** Keeps all that is written to it. */
class Collected extends Writable {
  readonly #chunks: Buffer[] = [];

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#chunks.push(chunk);
    done();
  }

  text(): string {
    return Buffer.concat(this.#chunks).toString();
  }
}

/** What a program needs in its environment so that its clock is so many minutes ahead; negative is behind. */
export function clockAhead(folder: string, minutes: number): Record<string, string> {
  const file = join(folder, `clock${minutes}.mjs`);
  writeFileSync(file, `const { now } = Date;\nDate.now = () => now() + ${minutes * 60_000};\n`);
  return { NODE_OPTIONS: `--import ${file}` };
}

/** The text of a good record, with some lines replaced (or removed, by undefined) and others added. */
export function recordText(id: string, changes: Record<string, string | undefined> = {}): string {
  const fields: Record<string, string | undefined> = {
    issuer_id: id,
    tier: 'certified',
    status: 'active',
    jwks_uri: `https://${id}.alt/.well-known/jwks.json`,
    discovery_uri: `https://${id}.alt/.well-known/openid-configuration`,
    certified_since: '2026-01-01T00:00:00Z',
    ...changes,
  };
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `${field}: ${value}\n`)
    .join('');
}

/** Writes files below a folder. */
export function writeFiles(folder: string, files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** A folder with good records in `issuers/` and an Ed25519 key in `key.pem`. */
export async function workspace(ids: readonly string[] = ['alpha', 'beta']): Promise<string> {
  const folder = temporaryFolder();
  writeFiles(folder, Object.fromEntries(ids.map((id) => [`issuers/${id}.yaml`, recordText(id)])));
  const { code, stderr } = await cli(['keys', 'generate', '--out', 'key.pem'], folder);
  if (code !== 0) throw new Error(stderr);
  return folder;
}
