import type { Command } from 'commander';
import { addExceptionOptions, type ExceptionOptions } from './rule-options.js';

/** The options of commands that show a signing request before they sign it. */
export interface RequestOptions extends ExceptionOptions {
  previousRootKey?: string;
  insteadOf?: string;
  memory?: string | undefined;
  yes?: true;
}

/** Adds the options of commands that show a signing request before they sign it. */
export function addRequestOptions(command: Command): Command {
  command
    .option(
      '--previous-root-key <file>',
      'public JWK of the previous root key, for the first request after a rotation',
    )
    .option(
      '--instead-of <hash>',
      'what was signed last and never published: payload hash of a list, or thumbprint of a next root key',
    )
    .option('--memory <dir>', 'folder that records what was signed (default: one for this user)')
    .option('--yes', 'sign without asking');
  return addExceptionOptions(command);
}
