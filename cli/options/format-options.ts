import { Option } from 'commander';
import { DependentOption } from './dependent-option.js';

/** The formats of diagnostics: text for people goes to stderr, all other formats go to stdout. */
const FORMATS = ['text', 'json', 'github', 'sarif'] as const;

/** The options of commands that report diagnostics. */
export interface FormatOptions {
  format: (typeof FORMATS)[number];
}

/** Returns the options for the format of diagnostics, for the help. @param more - other formats of the command */
export function formatOptions(...more: readonly string[]): Option[] {
  return [
    new Option('--format <name>', 'how to report: text, or as data on stdout')
      .choices([...FORMATS, ...more])
      .default('text'),
    new DependentOption('--json', 'the same as --format json')
      .implies({ format: 'json' })
      .excludes('--format'),
  ];
}
