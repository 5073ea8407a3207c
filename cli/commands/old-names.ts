import { type Command, Option } from 'commander';
import { UsageError } from '../../generator/errors.js';

/** The commands of earlier versions, and what does the same now. docs/upgrading.md has the same table. */
const OLD_NAMES: Readonly<Record<string, string>> = {
  validate: 'check',
  format: 'check --fix',
  commit: 'sign',
  cosign: 'checkpoint',
  ceremony: 'keys ceremony',
  rotate: 'keys rotate',
  release: 'hold --end',
  reinstate: 'suspend --end',
};

/** The options of earlier versions that are only settings of registry.yaml now, by their place there. docs/upgrading.md has the same table. */
const OLD_OPTIONS: Readonly<Record<string, string>> = {
  '--checkpoint-hours': 'checkpoint.hours',
  '--checkpoint-key': 'checkpoint.signer.key',
  '--checkpoint-passphrase-file': 'checkpoint.signer.passphrase_file',
  '--checkpoint-public-key': 'checkpoint.public_key',
  '--checkpoint-signer-command': 'checkpoint.signer.command',
  '--checkpoint-signer-input': 'checkpoint.signer.input',
  '--checkpoint-signer-timeout': 'checkpoint.signer.timeout',
  '--holders': 'holders',
  '--keep-lists': 'log.keep_lists',
  '--log-key': 'log.signer.key',
  '--log-origin': 'log.origin',
  '--log-passphrase-file': 'log.signer.passphrase_file',
  '--log-public-key': 'log.public_key',
  '--log-signer-command': 'log.signer.command',
  '--log-signer-input': 'log.signer.input',
  '--log-signer-timeout': 'log.signer.timeout',
  '--precompress': 'precompress',
  '--public-key': 'checkpoint.public_key',
  '--signer-command': 'signer.command, or checkpoint.signer.command',
  '--signer-input': 'signer.input, or checkpoint.signer.input',
  '--signer-timeout': 'signer.timeout, or checkpoint.signer.timeout',
};

/** Returns what answers an option of an earlier version. Undefined for any other error of Commander. */
export function answerToOldOption(text: string): string | undefined {
  const [, option = ''] = /unknown option '(--[a-z-]+)/.exec(text) ?? [];
  const place = OLD_OPTIONS[option];
  return place && `error: \`${option}\` is now ${place} in registry.yaml: see docs/upgrading.md\n`;
}

/** Lets the old name of a command answer with the new one. Scripts fail with it, and their logs say how to mend them. */
export function addOldNames(program: Command): void {
  for (const [old, now] of Object.entries(OLD_NAMES)) {
    program
      .command(old, { hidden: true })
      .description(`\`${old}\` is now \`${now}\``)
      .helpOption(false)
      .allowUnknownOption()
      .argument('[any...]')
      .action((words: readonly string[]) => {
        // With `check --fix` in place of `format --check`, a script in CI would change files.
        if (old === 'format' && words.includes('--check')) throw renamed('format --check', 'check');
        throw renamed(old, now);
      });
  }
}

/** An option of an earlier version, which answers with what does the same now. */
export function movedOption(flags: string, old: string, now: string): Option {
  return new Option(flags).hideHelp().argParser(() => {
    throw renamed(old, now);
  });
}

/** The error that answers an old name with the new one. */
function renamed(old: string, now: string): UsageError {
  return new UsageError(`\`${old}\` is now \`${now}\`: see docs/upgrading.md`);
}
