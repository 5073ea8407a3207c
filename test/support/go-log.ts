import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith, describeWithFolder } from './components.js';
import { madeOnce } from './made-once.js';
import { ROOT } from './paths.js';
import { run, temporaryFolder } from './workspace.js';

/** Where Debian's packages of Go libraries install their sources. */
const LIBRARIES = '/usr/share/gocode';
const SOURCES = join(ROOT, 'test/interop/log');

/** Defines a suite that needs Go and its library of logs: the Debian packages golang-go and golang-golang-x-mod-dev. */
export function describeWithGo(name: string, suite: () => void): void {
  describeWith(['go'], name, () =>
    describeWithFolder(join(LIBRARIES, 'src/golang.org/x/mod/sumdb'), 'with golang.org/x/mod', suite),
  );
}

/** What a run of the program has printed. */
interface GoResult {
  /** The parsed output. Undefined if the program has refused its input. */
  readonly output: unknown;
  /** Why the program has refused its input. */
  readonly problem: string;
}

/** The program that reads and writes logs. */
export type GoLog = (args: readonly string[], input?: string) => GoResult;

/** Compiles the program of test/interop/log once for a run, which takes about two seconds. */
export async function compileGoLog(): Promise<GoLog> {
  const program = join(await madeOnce('go-log', compile), 'log');
  return (args, input = '') => {
    const { status, stdout, stderr } = spawnSync(program, args, { input, maxBuffer: 2 ** 28 });
    if (status !== 0 && status !== 1) throw new Error(`${args[0]} ends with ${status}: ${stderr}`);
    return { output: status === 0 ? JSON.parse(stdout.toString()) : undefined, problem: stderr.toString() };
  };
}

async function compile(folder: string): Promise<void> {
  const files = readdirSync(SOURCES).filter((file) => file.endsWith('.go'));
  const { code, stderr } = await run('go', ['build', '-o', join(folder, 'log'), ...files], SOURCES, {
    GO111MODULE: 'off',
    GOPATH: LIBRARIES,
    GOFLAGS: '',
    CGO_ENABLED: '0',
    GOPROXY: 'off',
    GOCACHE: join(temporaryFolder(), 'cache'),
  });
  if (code !== 0) throw new Error(`go build: ${stderr}`);
}
