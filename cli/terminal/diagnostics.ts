import { Option } from 'commander';
import { type Diagnostic, isError } from '../../generator/diagnostics/diagnostic.js';
import { forGitHub } from './for-github.js';
import { forSarif } from './for-sarif.js';
import { forTerminal } from './for-terminal.js';
import type { Io } from './io.js';
import { count, emit } from './output.js';

/** The formats of diagnostics: text for people goes to stderr, all other formats go to stdout. */
const FORMATS = ['text', 'json', 'github', 'sarif'] as const;

/** The options of commands that report diagnostics. */
export interface FormatOptions {
  format: (typeof FORMATS)[number];
  json?: true;
}

/** Returns the options for the format of diagnostics, for the help. @param more - other formats of the command */
export function formatOptions(...more: readonly string[]): Option[] {
  return [
    new Option('--format <name>', 'how to report: text, or as data on stdout')
      .choices([...FORMATS, ...more])
      .default('text'),
    new Option('--json', 'the same as --format json'),
  ];
}

/** Whether reports and errors are printed as JSON. */
export function wantsJson({ format, json }: { format: string; json?: true }): boolean {
  return json === true || format === 'json';
}

/** Counts diagnostics: `1 problem, 0 warnings`. */
export function tally(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(isError).length;
  return `${count(errors, 'problem')}, ${count(diagnostics.length - errors, 'warning')}`;
}

/**
 * Prints diagnostics in the requested format.
 *
 * @param found - the diagnostics, and other members for the JSON report
 */
export function report(
  io: Io,
  options: { format: string; json?: true },
  found: { readonly diagnostics: readonly Diagnostic[]; readonly [more: string]: unknown },
): void {
  const { format } = options;
  const { diagnostics } = found;
  if (wantsJson(options)) emit(io, found);
  if (format === 'github') io.stdout.write(forGitHub(diagnostics));
  else if (format === 'sarif') emit(io, forSarif(diagnostics));
  else sayDiagnostics(io, diagnostics);
}

/** Prints diagnostics for people, on stderr. */
export function sayDiagnostics({ stderr, env }: Io, diagnostics: readonly Diagnostic[]): void {
  const colour = stderr.isTTY === true && stderr.hasColors?.(env) === true;
  stderr.write(forTerminal(diagnostics, colour));
}
