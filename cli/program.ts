import { Command, CommanderError } from 'commander';
import { packageFile } from '../generator/files/package-file.js';
import { containsKey } from '../generator/signing/key-text.js';
import { addCommands, type Run } from './commands/add-commands.js';
import { COMMANDS } from './commands/all-commands.js';
import { emit, type Io, sayLines } from './terminal/io.js';
import { run } from './terminal/run.js';

/** Exit code for wrong usage. Commander uses 1, which has another meaning here. */
const WRONG_USAGE = 2;

/** What is said in place of a message that would quote a private key. */
const KEY_AS_ARGUMENT = 'error: an argument contains a private key: pass the path of its file, or env:NAME';

/** How to see the options of a command. */
const HELP_OF_COMMANDS = '\nOptions of a command: passport-registry COMMAND --help';

/**
 * Runs the command line. Calls share no state. `serve`, `sandbox` and commands with `--watch` or `--every` run until the process
 * gets a signal.
 *
 * @param argv - the arguments, without the executable and the script
 * @param io - the streams and the environment; default: those of this process
 * @returns the exit code
 */
export async function main(argv: readonly string[], io: Io = process): Promise<number> {
  const called: Run = { io, argv, exitCode: 0 };
  const program = newProgram(io);
  for (const [heading, entries] of Object.entries(COMMANDS))
    addCommands(program.commandsGroup(heading), called, entries);
  const json = argv.includes('--json');
  return run(io, json, async () => {
    try {
      await program.parseAsync(withThumbprints(argv), { from: 'user' });
      return called.exitCode;
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error;
      if (error.exitCode === 0) return 0;
      // Commander has already printed the message for people.
      if (json) emit(io, { ok: false, error: { code: 'ERR_USAGE', message: withoutKey(error.message) } });
      return WRONG_USAGE;
    }
  });
}

function newProgram(io: Io): Command {
  const { version } = JSON.parse(packageFile('package.json').toString());
  return new Command('passport-registry')
    .description('Publishes a signed registry of agent passport issuers as a static tree.')
    .version(version)
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => sayLines(io, text),
      outputError: (text, write) => write(`${withoutKey(text.trimEnd())}\n`),
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
    })
    .configureHelp({ subcommandTerm: (each) => each.name() })
    .addHelpText('after', HELP_OF_COMMANDS)
    .showHelpAfterError('(see passport-registry --help)')
    .option('--config <file>', 'configuration file (default: registry.yaml, if it exists)')
    .exitOverride();
}

/** Returns what Commander says of wrong usage. It quotes the argument, unless that contains a private key. */
function withoutKey(message: string): string {
  return containsKey(message) ? KEY_AS_ARGUMENT : message;
}

/** A thumbprint of RFC 7638 that begins with a hyphen. No option has a name of this length. */
const LIKE_AN_OPTION = /^-[\w-]{42}$/;

/**
 * Repeats the option before a thumbprint that is not its first value. One thumbprint in 64 begins with a hyphen, and
 * Commander would take it for another option.
 */
function withThumbprints(argv: readonly string[]): string[] {
  let option: string | undefined;
  return argv.flatMap((argument, index) => {
    if (LIKE_AN_OPTION.test(argument)) {
      return option === undefined || argv[index - 1] === option ? [argument] : [option, argument];
    }
    if (argument.startsWith('--')) option = argument === '--' ? undefined : argument.split('=')[0];
    return [argument];
  });
}
