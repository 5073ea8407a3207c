import { type Command, Option } from 'commander';
import { type Diagnostic, isError } from '../../diagnostics/diagnostic.js';
import { forGitHub } from '../../diagnostics/printers/github.js';
import { forSarif } from '../../diagnostics/printers/sarif.js';
import { forTerminal } from '../../diagnostics/printers/terminal.js';
import { count, emit } from './output.js';

/** How diagnostics are printed: text for people on stderr, all else as data on stdout. */
const FORMATS = ['text', 'json', 'github', 'sarif'] as const;

/** The options of commands that find problems in records. */
export interface FormatOptions {
  format: (typeof FORMATS)[number];
  json?: true;
}

/** Adds them. */
export function addFormatOptions(command: Command, more: readonly string[] = []): Command {
  return command
    .addOption(
      new Option('--format <name>', 'how to report: text, or as data on stdout')
        .choices([...FORMATS, ...more])
        .default('text'),
    )
    .option('--json', 'the same as --format json');
}

/** Whether a report as JSON was asked for, be it of an error. */
export function wantsJson({ format, json }: { format: string; json?: true }): boolean {
  return json === true || format === 'json';
}

/** `1 problem, 0 warnings`. */
export function tally(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(isError).length;
  return `${count(errors, 'problem')}, ${count(diagnostics.length - errors, 'warning')}`;
}

/** Prints diagnostics in the format that was asked for. @param asJson - what `json` gives instead of them alone */
export function report(
  options: { format: string; json?: true },
  diagnostics: readonly Diagnostic[],
  asJson: object,
): void {
  const { format } = options;
  if (wantsJson(options)) emit(asJson);
  if (format === 'github') process.stdout.write(forGitHub(diagnostics));
  else if (format === 'sarif') emit(forSarif(diagnostics));
  else sayDiagnostics(diagnostics);
}

/** Diagnostics as people read them, on stderr. */
export function sayDiagnostics(diagnostics: readonly Diagnostic[]): void {
  const colour = process.stderr.isTTY === true && process.stderr.hasColors();
  process.stderr.write(forTerminal(diagnostics, colour));
}
