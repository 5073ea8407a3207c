#!/usr/bin/env node
import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { useConfiguration } from './options/use-configuration.js';
import { hushEd25519Warning } from './terminal/ed25519-warning.js';
import { sayLines } from './terminal/output.js';
import { run } from './terminal/run.js';

hushEd25519Warning();

/** Exit code for wrong usage; commander itself would end with 1, which means something else here. */
const WRONG_USAGE = 2;

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
const program = new Command('passport-registry')
  .description('Publishes a signed registry of agent passport issuers as a static tree.')
  .version(version)
  .configureOutput({ writeErr: sayLines })
  .showHelpAfterError('(see passport-registry --help)')
  .exitOverride();

/** The commands, in the order of the help. Most need a part of the program only, so each is loaded when it is asked for. */
const COMMANDS: Readonly<Record<string, () => Promise<(program: Command) => void>>> = {
  build: async () => (await import('./commands/build.js')).addBuildCommand,
  new: async () => (await import('./commands/new.js')).addNewCommand,
  validate: async () => (await import('./commands/validate.js')).addValidateCommand,
  format: async () => (await import('./commands/format.js')).addFormatCommand,
  diff: async () => (await import('./commands/diff.js')).addDiffCommand,
  check: async () => (await import('./commands/check.js')).addCheckCommand,
  verify: async () => (await import('./commands/verify.js')).addVerifyCommand,
  resolve: async () => (await import('./commands/resolve.js')).addResolveCommand,
  serve: async () => (await import('./commands/serve.js')).addServeCommand,
  mirror: async () => (await import('./commands/mirror.js')).addMirrorCommand,
  keys: async () => (await import('./commands/keys.js')).addKeysCommand,
  checkpoint: async () => (await import('./commands/checkpoint.js')).addCheckpointCommand,
  sign: async () => (await import('./commands/sign.js')).addSignCommand,
  attach: async () => (await import('./commands/attach.js')).addAttachCommand,
  suspend: async () => (await import('./commands/status.js')).addStatusCommands,
  revoke: async () => (await import('./commands/status.js')).addStatusCommands,
  reinstate: async () => (await import('./commands/status.js')).addStatusCommands,
  log: async () => (await import('./commands/log.js')).addLogCommand,
  sandbox: async () => (await import('./commands/sandbox.js')).addSandboxCommand,
};

/** An argument may look like a command; then it is loaded in vain. Where none does, all are, for the help. */
const asked = process.argv.slice(2).filter((argument) => Object.hasOwn(COMMANDS, argument));
const loaded = Object.entries(COMMANDS).filter(([name]) => asked.length === 0 || asked.includes(name));
const adders = await Promise.all(loaded.map(([_name, load]) => load()));
for (const add of new Set(adders)) add(program);
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
