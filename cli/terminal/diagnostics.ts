import { type Diagnostic, isError } from '../../generator/diagnostics/diagnostic.js';
import { forGitHub } from './for-github.js';
import { forSarif } from './for-sarif.js';
import { forTerminal } from './for-terminal.js';
import type { Io } from './io.js';
import { count, emit } from './output.js';

/** Counts diagnostics: `1 problem, 0 warnings`. */
export function tally(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(isError).length;
  return `${count(errors, 'problem')}, ${count(diagnostics.length - errors, 'warning')}`;
}

/**
 * Prints diagnostics in a format of `--format`.
 *
 * @param found - the diagnostics, and other members for the JSON report
 */
export function report(
  io: Io,
  format: string,
  found: { readonly diagnostics: readonly Diagnostic[]; readonly [more: string]: unknown },
): void {
  const { diagnostics } = found;
  if (format === 'json') emit(io, found);
  if (format === 'github') io.stdout.write(forGitHub(diagnostics));
  else if (format === 'sarif') emit(io, forSarif(diagnostics));
  else sayDiagnostics(io, diagnostics);
}

/** Prints diagnostics for people, on stderr. */
export function sayDiagnostics({ stderr, env }: Io, diagnostics: readonly Diagnostic[]): void {
  const colour = stderr.isTTY === true && stderr.hasColors?.(env) === true;
  stderr.write(forTerminal(diagnostics, colour));
}
