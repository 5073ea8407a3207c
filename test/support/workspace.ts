import { spawn } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { afterEachFile } from './endings.js';
import { CLI, ROOT } from './paths.js';
import { withSettings } from './settings.js';
import { apart, setStatement, statementAt } from './statements.js';

const folders: string[] = [];

/** Creates an empty folder. It is deleted after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'passport-registry-'));
  folders.push(folder);
  return folder;
}

let state: string | undefined;

afterEachFile(() => {
  state = undefined;
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/**
 * The environment of this process, without the variables that affect a build, and with some additions. What signing
 * commands remember stands in a folder of the test file, and never in the home of whoever runs the tests.
 */
export function cleanEnvironment(additions: Record<string, string> = {}): NodeJS.ProcessEnv {
  const { CI: _ci, SOURCE_DATE_EPOCH: _epoch, NODE_OPTIONS: _options, ...rest } = process.env;
  state ??= temporaryFolder();
  return { ...rest, XDG_STATE_HOME: rest['XDG_STATE_HOME'] || state, ...additions };
}

/** The exit code and the output of a program. */
export interface Outcome {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** More than ten times the time that any program here takes. */
const MAX_RUN_MS = 120_000;

/** Runs a program to its end. Kills a program that hangs, so that the error shows its output. */
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
      reject(new Error(`${[program, ...args].join(' ')} hangs. Its output so far:\n${stdout}${stderr}`));
    }, MAX_RUN_MS);
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

/** Runs the command line in a separate process, for tests of process behaviour: exit, memory, signals. */
export function cliProcess(
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): Promise<Outcome> {
  if (CLOCK in environment) throw new Error('only `cli` can set the clock ahead');
  return withSettings(args, cwd, (all) => run(process.execPath, [CLI, ...all], cwd, environment));
}

/** Runs the command line in this process, or in a separate one if a variable such as NODE_OPTIONS is set. */
export function cli(
  args: readonly string[],
  cwd: string,
  environment: Record<string, string> = {},
): Promise<Outcome> {
  if (Object.keys(environment).some((name) => name.startsWith('NODE_')))
    return cliProcess(args, cwd, environment);
  return cliWith(args, cwd, { env: cleanEnvironment(environment), stdin: '' });
}

/** Waits for a command, which must succeed without a message of its own. */
export async function good(command: Promise<Outcome>): Promise<Outcome> {
  const outcome = await command;
  const { code, stdout, stderr } = outcome;
  if (code !== 0 || stderr.includes('passport-registry:')) throw new Error(`${code}: ${stdout}${stderr}`);
  return outcome;
}

/** Runs the command line, which must succeed without a message of its own. */
export const goodCli = (args: readonly string[], cwd: string): Promise<Outcome> => good(cli(args, cwd));

/** Runs the command line in this process, with exactly this environment and this input, which can be a terminal. */
export function cliWith(args: readonly string[], cwd: string, input: Input): Promise<Outcome> {
  const outcome = lastRun.then(() => withSettings(args, cwd, (all) => runHere(all, cwd, input)));
  lastRun = outcome.catch(() => undefined);
  return outcome;
}

/** Runs the command line in this process, on a terminal on which the operator gives one answer. */
export function cliAnswering(answer: string, args: readonly string[], cwd: string): Promise<Outcome> {
  const stdin = Object.assign(Readable.from([`${answer}\n`]), { isTTY: true });
  return cliWith(args, cwd, { env: cleanEnvironment(), stdin });
}

interface Input {
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: Buffer | string | Readable;
  /** Another version of the command line. */
  readonly program?: CommandLine;
}

/** A process has one current folder, so each run waits for the run before. */
let lastRun: Promise<unknown> = Promise.resolve();
// One run that hangs fails its own file, and no other.
afterEachFile(() => {
  lastRun = Promise.resolve();
});

async function runHere(args: readonly string[], cwd: string, input: Input): Promise<Outcome> {
  const { env, stdin } = input;
  const { main } = input.program ?? (await commandLine());
  const [stdout, stderr, before] = [new Collected(), new Collected(), process.cwd()];
  const { now } = Date;
  const ahead = Number(env[CLOCK] ?? 0) * 60_000;
  process.chdir(cwd);
  Date.now = () => now() + ahead;
  try {
    const code = await main(args, {
      stdout,
      stderr,
      stdin: stdin instanceof Readable ? stdin : Readable.from(stdin.length === 0 ? [] : [stdin]),
      env,
    });
    return { code, stdout: stdout.text(), stderr: stderr.text() };
  } finally {
    Date.now = now;
    process.chdir(before);
  }
}

/** The command line, as a function that returns the exit code. */
interface CommandLine {
  readonly main: (
    argv: readonly string[],
    io: { stdout: Writable; stderr: Writable; stdin: Readable; env: NodeJS.ProcessEnv },
  ) => Promise<number>;
}

/**
 * The command line, for a test that answers its questions. It is loaded on demand, because most tests need none, and as a
 * bundle, which loads in a sixth of the time.
 */
export const commandLine = (): Promise<CommandLine> => import(join(ROOT, 'build/cli/in-process.js'));

/** Collects everything that is written to it. */
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

/** The variable with which {@link cli} sets the clock ahead, in minutes. */
const CLOCK = 'TEST_CLOCK_AHEAD';

/** The environment in which {@link cli} sees a clock that is ahead by some minutes, or behind if negative. */
export const clockAhead = (minutes: number): Record<string, string> => ({ [CLOCK]: String(minutes) });

/** The YAML of a valid record, with some fields replaced or added. The value undefined removes a field. */
export function recordText(id: string, changes: Record<string, string | undefined> = {}): string {
  const fields: Record<string, string | undefined> = {
    issuer_id: id,
    tier: 'certified',
    status: 'active',
    jwks_uri: `https://${id}.internal/.well-known/jwks.json`,
    discovery_uri: `https://${id}.internal/.well-known/openid-configuration`,
    certified_since: '2026-01-01T00:00:00Z',
    ...changes,
  };
  return Object.entries(fields)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `${field}: ${value}\n`)
    .join('');
}

/** Writes files below a folder. A statement that was taken apart becomes a member of statements.json in its tree. */
export function writeFiles(folder: string, files: Record<string, string | Uint8Array>): void {
  for (const [path, content] of Object.entries(files)) {
    const statement = statementAt(path);
    if (statement !== undefined) {
      setStatement(join(folder, statement.tree), statement.name, content);
      continue;
    }
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** Creates a folder with valid records in `issuers/` and an Ed25519 key in `key.pem`. */
export async function workspace(ids: readonly string[] = ['alpha', 'beta']): Promise<string> {
  const folder = temporaryFolder();
  writeFiles(folder, Object.fromEntries(ids.map((id) => [`issuers/${id}.yaml`, recordText(id)])));
  await goodCli(['keys', 'generate', '--no-passphrase', '--private', 'key.pem'], folder);
  return folder;
}

/** Creates a folder with valid records, and keys that are not encrypted in `<name>.pem` and `<name>.json`: `key`, and others. */
export async function keyedWorkspace(ids: readonly string[], ...names: readonly string[]): Promise<string> {
  const folder = await workspace(ids);
  writeFiles(folder, { 'key.json': (await goodCli(['keys', 'public', 'key.pem'], folder)).stdout });
  for (const name of names) await keyPair(folder, name);
  return folder;
}

/** Makes the lock of a path as old as that of a process that is long dead, so that nobody waits for one that was killed. */
export function ageLock(path: string): void {
  const lock = join(dirname(path), `.${basename(path)}.lock`);
  if (existsSync(lock)) utimesSync(lock, 0, 0);
}

/** Creates a key that is not encrypted, in `<name>.pem` and `<name>.json` of a folder. */
export async function keyPair(folder: string, name: string, ...more: readonly string[]): Promise<void> {
  const files = ['--private', `${name}.pem`, '--public', `${name}.json`];
  await goodCli(['keys', 'generate', '--no-passphrase', ...files, ...more], folder);
}

/** Creates an Ed25519 key that a passphrase of any length encrypts, in PEM. */
export function encryptedKey(passphrase: string): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return String(privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase }));
}

/** Lists every path below a folder that is not a folder, with slashes, sorted. */
export function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
}

/** The files of a tree, by path. Its statements are taken apart. */
export const filesOf = (tree: string): Map<string, Buffer> =>
  apart(new Map(filesBelow(tree).map((path) => [path, readFileSync(join(tree, path))])));
