import { readFileSync } from 'node:fs';
import { Command, CommanderError } from 'commander';
import { useConfiguration } from './options/use-configuration.js';
import type { Invocation, Io } from './terminal/io.js';
import { sayLines } from './terminal/output.js';
import { run } from './terminal/run.js';

/** Exit code for wrong usage; commander itself would end with 1, which means something else here. */
const WRONG_USAGE = 2;

type AddCommand = (program: Command, io: Invocation) => void;

/** The commands, in the order of the help. Most need a part of the program only, so each is loaded when it is asked for. */
const COMMANDS: Readonly<Record<string, () => Promise<AddCommand>>> = {
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

/**
 * Runs the command line. Nothing is kept from one call to the next; `serve`, `sandbox` and what watches end by a signal to the
 * process.
 *
 * @param argv - the arguments, without the program and its script
 * @param io - the streams and the environment; default: those of this process
 * @returns the exit code
 */
export async function main(argv: readonly string[], io: Io = process): Promise<number> {
  const invocation: Invocation = {
    stdout: io.stdout,
    stderr: io.stderr,
    stdin: io.stdin,
    env: io.env,
    exitCode: 0,
  };
  const program = newProgram(io);
  // An argument may look like a command; then it is loaded in vain. Where none does, all are, for the help.
  const asked = argv.filter((argument) => Object.hasOwn(COMMANDS, argument));
  const loaded = Object.entries(COMMANDS).filter(([name]) => asked.length === 0 || asked.includes(name));
  const adders = await Promise.all(loaded.map(([_name, load]) => load()));
  for (const add of new Set(adders)) add(program, invocation);
  useConfiguration(program);
  try {
    await program.parseAsync(argv, { from: 'user' });
  } catch (error) {
    // It has printed its message already.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    await run(invocation, argv.includes('--json'), () => Promise.reject(error));
  }
  return invocation.exitCode;
}

function newProgram(io: Io): Command {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
  return new Command('passport-registry')
    .description('Publishes a signed registry of agent passport issuers as a static tree.')
    .version(version)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => sayLines(io, text),
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
    })
    .showHelpAfterError('(see passport-registry --help)')
    .exitOverride();
}
