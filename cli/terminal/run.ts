import { SharedKeyRejected } from '../../custody/shared-key/shared-key-rejected.js';
import { GeneratorError, IoFailed } from '../../generator/errors.js';
import { sayDiagnostics } from './diagnostics.js';
import { emit, type Io, say, sayLines } from './io.js';

/** Exit code for unexpected errors: bugs of this program. */
const INTERNAL_ERROR = 70;

/**
 * Does work. Prints its error as text on stderr and, if wanted, also as JSON on stdout, as docs/operators/status.md says.
 *
 * @param work - returns the exit code; nothing for 0
 * @returns the exit code
 */
export async function run(
  io: Io,
  json: boolean,
  work: () => Promise<number> | Promise<void>,
): Promise<number> {
  // The timers of requests do not keep Node.js running. Without this timer, the program would exit silently if a host
  // hangs up.
  const running = setInterval(() => undefined, 60_000);
  try {
    assertFolder();
    return (await work()) ?? 0;
  } catch (error) {
    if (json) emit(io, { ok: false, ...asData(error) });
    if (!(error instanceof GeneratorError)) {
      sayLines(io, `passport-registry: internal error, please report it: ${stackOf(error)}`);
      return INTERNAL_ERROR;
    }
    sayDiagnostics(io, error.diagnostics ?? []);
    say(io, `passport-registry: ${error.message}`);
    if (error.see !== undefined) say(io, `See ${error.see}`);
    return error.exitCode;
  } finally {
    clearInterval(running);
  }
}

/** Asserts that the folder exists in which the program was called, so that no relative path has another meaning. */
function assertFolder(): void {
  try {
    process.cwd();
  } catch (cause) {
    const message = 'the working folder was removed or replaced: enter it again, with `cd "$PWD"`';
    throw new IoFailed(message, { cause });
  }
}

/** The error as the report of `--json` has it. Members that are undefined are left out. */
function asData(error: unknown): object {
  if (!(error instanceof GeneratorError)) return { error: { code: 'ERR_INTERNAL', message: stackOf(error) } };
  const { code, message, see, diagnostics } = error;
  const holder = error instanceof SharedKeyRejected ? error.holder : undefined;
  return { error: { code, message, holder, see }, diagnostics };
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
