import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { delimiter, join } from 'node:path';
import { afterEachFile } from './endings.js';
import { CLI } from './paths.js';
import { cliWith, temporaryFolder, writeFiles } from './workspace.js';

let folder: Promise<string> | undefined;
let service: Server | undefined;

afterEachFile(() => {
  folder = undefined;
  service?.close();
});

/**
 * Returns a PATH in which `npx passport-registry` and `passport-registry` run the program under test, as in a folder
 * that has the package installed. Scripts run as they are, but their commands run in the process of the test, which
 * loads the program once. test/packages/ has the tests of real installations.
 *
 * @param path - the PATH for all other programs
 */
export async function installedPath(path = process.env['PATH'] ?? ''): Promise<Record<'PATH', string>> {
  folder ??= installed();
  return { PATH: `${await folder}${delimiter}${path}` };
}

/** These commands run until they are stopped, so they run as processes. */
const SERVICES = 'serve|sandbox|witness';

async function installed(): Promise<string> {
  const bin = temporaryFolder();
  const port = await commandService();
  // A script that asks this process. It starts as few programs as it can, because the documents have hundreds of commands:
  // this process reads the environment of the script by itself.
  const program = `#!/usr/bin/env bash
if test "\${0##*/}" = npx; then
  if test "$1" = --yes; then shift; fi
  if test "$1" = --package; then shift 2; fi
  test "$1" = passport-registry || { echo "npx would download $1" >&2; exit 1; }
  shift
fi
case "\${1-}" in ${SERVICES}) exec '${process.execPath}' '${CLI}' "$@" ;; esac
call='${bin}'/call-$$
if test -p /dev/stdin; then cat > "$call.stdin"; else : > "$call.stdin"; fi
exec 3<> /dev/tcp/127.0.0.1/${port}
printf '%s\\0' "$#" "$call" "$$" "$PWD" "$@" >&3
read -r code <&3
if test -s "$call.stdout"; then cat "$call.stdout"; fi
if test -s "$call.stderr"; then cat "$call.stderr" >&2; fi
exit "$code"
`;
  for (const name of ['passport-registry', 'npx']) {
    writeFiles(bin, { [name]: program });
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

/** Runs commands for the script above. Returns the port of the service. */
function commandService(): Promise<number> {
  const server = createServer((socket) => {
    let asked = '';
    socket.on('error', () => undefined);
    socket.setEncoding('utf8').on('data', (text: string) => {
      asked += text;
      const [count, call = '', pid, cwd, ...args] = asked.split('\0').slice(0, -1);
      if (cwd === undefined || args.length !== Number(count)) return;
      answer({ call, cwd, args, environment: `/proc/${pid}/environ` }).then(
        (code) => socket.end(`${code}\n`),
        (error: unknown) => {
          writeOutput(call, '', String(error));
          socket.end('70\n');
        },
      );
    });
  });
  service = server;
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port));
    server.unref();
  });
}

/** A call of the script. */
interface Call {
  /** The beginning of the names of its files: what belongs to a process and does not fit into an answer. */
  readonly call: string;
  readonly cwd: string;
  readonly args: readonly string[];
  /** The file with its environment. */
  readonly environment: string;
}

async function answer({ call, cwd, args, environment }: Call): Promise<number | null> {
  const lines = readFileSync(environment, 'utf8').split('\0').slice(0, -1);
  const env = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );
  const stdin = readFileSync(`${call}.stdin`);
  const { code, stdout, stderr } = await cliWith(args, cwd, { env, stdin });
  writeOutput(call, stdout, stderr);
  return code;
}

function writeOutput(call: string, stdout: string, stderr: string): void {
  writeFileSync(`${call}.stdout`, stdout);
  writeFileSync(`${call}.stderr`, stderr);
}
