import type { Command, Option } from 'commander';
import type { Io } from '../terminal/io.js';

/** A command, as far as it is known before it is called. */
interface CommandEntry {
  /** The command in one line. */
  readonly summary: string;
  /** Two commands that work as they are, or with other names. */
  readonly examples: readonly [string, string];
  /** Whether it takes nothing from registry.yaml, so that an invalid file does not stop it. */
  readonly isWithoutSettings?: true;
  /** Loads the rest of its declaration, which adds arguments and options, and returns what it does. */
  readonly load: () => Promise<(command: Command, io: Io, run: Run) => Action | undefined>;
}

/** One run of the command line. */
export interface Run {
  readonly io: Io;
  /** The arguments, without the executable and the script. */
  readonly argv: readonly string[];
  /** What the command has returned. */
  exitCode: number;
}

/** What a command does with its arguments and options, as Commander passes them. Returns the exit code; nothing for 0. */
type Action = (...given: never[]) => Promise<number> | Promise<void>;

/** Commands by their names, in the order of the help. */
export type CommandEntries = Readonly<Record<string, CommandEntry>>;

/** Adds commands below another one. A command is loaded when it is called, because all of them take longer than most take to run. */
export function addCommands(parent: Command, run: Run, entries: CommandEntries): void {
  for (const [name, entry] of Object.entries(entries)) {
    const command = parent.command(name).summary(entry.summary).description(entry.summary);
    describe(command, entry);
    command.hook('preAction', async (own, called) => {
      if (own !== called) return;
      // Imported on demand: the help needs no settings.
      const { assertFilesNamed, useConfiguration } = await import('../options/settings.js');
      const { assertEffective } = await import('../options/effective.js');
      assertFilesNamed(called);
      assertEffective(called);
      if (entry.isWithoutSettings !== true) useConfiguration(called);
    });
  }
  const isThere = parent.commands.some((command) => command.name() === 'help');
  // A command with arguments may be about something of the name `help`.
  if (!isThere && parent.registeredArguments.length === 0) addHelpCommand(parent);
  parent.hook('preSubcommand', async (_parent, command) => {
    const declare = await entries[command.name()]?.load();
    const act = declare?.(command, run.io, run);
    if (act === undefined) return;
    command.action(async (...given) => {
      run.exitCode = (await act(...(given as never[]))) ?? 0;
    });
  });
}

/** Makes the help of a command fit one screen, with two examples. */
function describe(command: Command, { examples }: CommandEntry): void {
  command
    .showHelpAfterError(`(see ${fullName(command)} --help)`)
    .configureHelp({
      ...command.configureHelp(),
      visibleOptions: (each) => each.options.filter(({ hidden }) => !hidden),
      optionDescription: withDefault,
    })
    .addHelpText('after', `\nExamples:\n${examples.map((one) => `  passport-registry ${one}`).join('\n')}`);
}

/** Descriptions name the choices of an option themselves. */
function withDefault({ description, defaultValue, defaultValueDescription }: Option): string {
  const value = defaultValueDescription ?? defaultValue;
  return value === undefined ? description : `${description} (default: ${value})`;
}

/** The words that call a command, such as `passport-registry keys public`. */
function fullName(command: Command): string {
  return command.parent === null ? command.name() : `${fullName(command.parent)} ${command.name()}`;
}

/** Adds the command for those who expect `help build`. It shows what `build --help` shows. */
function addHelpCommand(parent: Command): void {
  parent
    .command('help', { hidden: true })
    .argument('[command...]')
    .allowUnknownOption()
    .action(async (words: readonly string[]) => {
      const name = words.find((word) => !word.startsWith('-'));
      const isKnown = parent.commands.some((command) => command.name() === name);
      if (name !== undefined && !isKnown) parent.help({ error: true });
      await parent.parseAsync([...words, '--help'], { from: 'user' });
    });
}
