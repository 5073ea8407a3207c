import { GeneratorError } from '../../errors.js';
import { sayDiagnostics } from './diagnostics.js';
import type { Invocation } from './io.js';
import { emit, say, sayLines } from './output.js';

/** Exit code for what no command expects: a mistake of this program. */
const INTERNAL_ERROR = 70;

/**
 * Runs a command and ends it as docs/operators.md says: errors in words on stderr, or as data on stdout with
 * `--json`, and an exit code that tells what happened.
 *
 * @param work - the command; gives its exit code, or nothing for 0
 */
export async function run(
  io: Invocation,
  json: boolean,
  work: () => Promise<number | undefined>,
): Promise<void> {
  // Deadlines of requests do not keep Node.js running: without this, a host that hangs up ends the program without a word.
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
  return { error: { code, message }, ...(diagnostics && { diagnostics }) };
}

function described(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
