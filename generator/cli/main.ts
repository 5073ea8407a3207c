#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { addAttachCommand } from './attach.js';
import { addBuildCommand } from './build.js';
import { addCheckCommand } from './check.js';
import { addCheckpointCommand } from './checkpoint.js';
import { addDiffCommand } from './diff.js';
import { hushEd25519Warning } from './ed25519-warning.js';
import { addFormatCommand } from './format.js';
import { addKeysCommand } from './keys.js';
import { addLogCommand } from './log.js';
import { addMirrorCommand } from './mirror.js';
import { addNewCommand } from './new.js';
import { addResolveCommand } from './resolve.js';
import { run } from './run.js';
import { addSandboxCommand } from './sandbox.js';
import { addServeCommand } from './serve.js';
import { addSignCommand } from './sign.js';
import { addStatusCommands } from './status.js';
import { useConfiguration } from './use-configuration.js';
import { addValidateCommand } from './validate.js';
import { addVerifyCommand } from './verify.js';

hushEd25519Warning();

/** Exit code for wrong usage; commander itself would end with 1, which means something else here. */
const WRONG_USAGE = 2;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const program = new Command('passport-registry')
  .description('Publishes a signed registry of agent passport issuers as a static tree.')
  .version(version)
  .showHelpAfterError('(see passport-registry --help)')
  .exitOverride();

for (const add of [
  addBuildCommand,
  addNewCommand,
  addValidateCommand,
  addFormatCommand,
  addDiffCommand,
  addCheckCommand,
  addVerifyCommand,
  addResolveCommand,
  addServeCommand,
  addMirrorCommand,
  addKeysCommand,
  addCheckpointCommand,
  addSignCommand,
  addAttachCommand,
  addStatusCommands,
  addLogCommand,
  addSandboxCommand,
]) {
  add(program);
}
useConfiguration(program);

try {
  await program.parseAsync();
} catch (error) {
  // It has printed its message already.
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : WRONG_USAGE;
  else await run(process.argv.includes('--json'), () => Promise.reject(error));
}

// Left to end by itself, Node can wait for its own compiler for ever (nodejs/node#54918).
process.stdout.write('', () => process.stderr.write('', () => process.exit()));
