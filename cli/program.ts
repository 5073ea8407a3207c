import { Command, CommanderError } from 'commander';
import { packageFile } from '../generator/files/package-file.js';
import { containsKey } from '../generator/signing/key-file.js';
import { addAttachCommand } from './commands/attach.js';
import { addBranchCommand } from './commands/branch.js';
import { addBuildCommand } from './commands/build.js';
import { addCheckCommand } from './commands/check.js';
import { addCheckpointCommand, addHoldCommand } from './commands/checkpoint.js';
import { addDiffCommand } from './commands/diff.js';
import { addRevokeCommand, addSuspendCommand } from './commands/emergency.js';
import { configureHelp, describeCommands } from './commands/help.js';
import { addHistoryCommand } from './commands/history.js';
import { addInitCommand } from './commands/init.js';
import { addKeysCommand } from './commands/keys.js';
import { addMirrorCommand } from './commands/mirror.js';
import { addMonitorCommand } from './commands/monitor.js';
import { addNewCommand } from './commands/new.js';
import { addOldNames, answerToOldOption, OLD_NAMES } from './commands/old-names.js';
import { addPinCommand } from './commands/pin.js';
import { addPreviewCommand } from './commands/preview.js';
import { addResolveCommand } from './commands/resolve.js';
import { addSandboxCommand } from './commands/sandbox.js';
import { addServeCommand } from './commands/serve.js';
import { addSignCommand } from './commands/sign.js';
import { addStatusCommand } from './commands/status.js';
import { addVerifyCommand } from './commands/verify.js';
import { addWitnessCommand } from './commands/witness.js';
import { withThumbprints } from './options/thumbprint-arguments.js';
import { useConfiguration } from './options/use-configuration.js';
import type { Invocation, Io } from './terminal/io.js';
import { sayLines } from './terminal/output.js';
import { run } from './terminal/run.js';

/** Exit code for wrong usage. Commander uses 1, which has another meaning here. */
const WRONG_USAGE = 2;

/** Replaces an error of Commander, which would quote the argument. */
const KEY_AS_ARGUMENT = 'error: an argument contains a private key: pass the path of its file, or env:NAME\n';

type AddCommand = (program: Command, io: Invocation) => void;

/** The commands in groups, by their names, in the order of the help. */
const GROUPS: Readonly<Record<string, Readonly<Record<string, AddCommand>>>> = {
  'Start:': { init: addInitCommand, preview: addPreviewCommand, status: addStatusCommand },
  'Records:': {
    new: addNewCommand,
    check: addCheckCommand,
    diff: addDiffCommand,
    history: addHistoryCommand,
  },
  'Publish:': {
    build: addBuildCommand,
    sign: addSignCommand,
    attach: addAttachCommand,
    checkpoint: addCheckpointCommand,
    branch: addBranchCommand,
    serve: addServeCommand,
  },
  'Issuers:': { hold: addHoldCommand, suspend: addSuspendCommand, revoke: addRevokeCommand },
  'Keys:': { keys: addKeysCommand },
  'Trust:': { pin: addPinCommand, verify: addVerifyCommand, resolve: addResolveCommand },
  'For others:': {
    mirror: addMirrorCommand,
    witness: addWitnessCommand,
    monitor: addMonitorCommand,
    sandbox: addSandboxCommand,
  },
};

/**
 * Runs the command line. Calls share no state. `serve`, `sandbox` and commands with `--watch` run until the process
 * gets a signal.
 *
 * @param argv - the arguments, without the executable and the script
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
    startedAt: io === process ? 0 : performance.now(),
  };
  const program = newProgram(io);
  configureHelp(program, argv.includes('--all'));
  addCommands(program, invocation, argv[0]);
  describeCommands(program);
  addOldNames(program, invocation);
  pointToHelp(program, program.name());
  useConfiguration(program, Object.keys(OLD_NAMES));
  try {
    await program.parseAsync(withThumbprints(argv), { from: 'user' });
  } catch (error) {
    // Commander has already printed the message.
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE;
    await run(invocation, argv.includes('--json'), () => Promise.reject(error));
  }
  return invocation.exitCode;
}

/** Adds the named command alone, because the options of all take longer than most commands; or all if none is named. */
function addCommands(program: Command, io: Invocation, named = ''): void {
  const isNamed = Object.values(GROUPS).some((commands) => Object.hasOwn(commands, named));
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading);
    for (const [name, add] of Object.entries(commands)) if (!isNamed || name === named) add(program, io);
  }
}

function newProgram(io: Io): Command {
  const { version } = JSON.parse(packageFile('package.json').toString());
  return new Command('passport-registry')
    .description('Publishes a signed registry of agent passport issuers as a static tree.')
    .version(version)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => sayLines(io, text),
      outputError: (text, write) =>
        write(containsKey(text) ? KEY_AS_ARGUMENT : (answerToOldOption(text) ?? text)),
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
    })
    .exitOverride();
}

/** Lets errors about the arguments of a command point to the help of that command. */
function pointToHelp(command: Command, name: string): void {
  command.showHelpAfterError(`(see ${name} --help)`);
  for (const each of command.commands) pointToHelp(each, `${name} ${each.name()}`);
}
