import { GeneratorError, SharedKeyRejected } from '../../generator/errors.js';
import { sayDiagnostics } from './diagnostics.js';
import { emit, type Invocation, say, sayLines } from './io.js';

/** Exit code for unexpected errors: bugs of this program. */
const INTERNAL_ERROR = 70;

/**
 * Runs a command. Prints errors as text on stderr and, with `--json`, also as data on stdout, and sets the exit code,
 * as documented in docs/operators/status.md.
 *
 * @param work - runs the command; returns its exit code, or undefined for 0
 */
export async function run(
  io: Invocation,
  json: boolean,
  work: () => Promise<number | undefined>,
): Promise<void> {
  // The timers of requests do not keep Node.js running. Without this timer, the program would exit silently if a host
  // hangs up.
  const running = setInterval(() => undefined, 60_000);
  try {
    io.exitCode = (await work()) ?? 0;
  } catch (error) {
    const known = error instanceof GeneratorError;
    io.exitCode = known ? error.exitCode : INTERNAL_ERROR;
    if (json) emit(io, { ok: false, ...asData(error) });
    if (known) sayDiagnostics(io, error.diagnostics ?? []);
    if (known) say(io, `passport-registry: ${error.message}`);
    else sayLines(io, `passport-registry: internal error, please report it: ${described(error)}`);
  } finally {
    clearInterval(running);
  }
}

function asData(error: unknown): object {
  if (!(error instanceof GeneratorError))
    return { error: { code: 'ERR_INTERNAL', message: described(error) } };
  const { code, message, diagnostics } = error;
  const holder = error instanceof SharedKeyRejected ? error.holder : undefined;
  return { error: { code, message, ...(holder && { holder }) }, ...(diagnostics && { diagnostics }) };
}

function described(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
