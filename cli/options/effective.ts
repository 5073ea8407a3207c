import type { Command } from 'commander';
import { UsageError } from '../../generator/errors.js';

/** Some options, other options, and what to do if the two do not fit. It is for the commands that have both. */
type Rule = readonly [options: string, others: string, remedy?: string | undefined];

/** Options that have no effect without another one. */
const NEEDS: readonly Rule[] = [
  ['--all --false-alarm', '--end'],
  ['--again', '--share'],
  ['--next-root-key', '--unsigned'],
  ['--domains', '--tiers'],
  ['--witness-state', '--witness-name'],
  ['--changed --allow-private --timeout', '--online'],
  ['--witness', '--quorum', 'say how many of the witnesses must have cosigned'],
  ['--quorum', '--witness', 'name the witnesses'],
  ['--witness-signer-input', '--witness-signer-command'],
];

/** Options that exclude each other. */
const EXCLUDES: readonly Rule[] = [
  ['--key', '--unsigned', 'give --key where the request is signed'],
  ['--passphrase-file', '--unsigned', 'give --passphrase-file where the request is signed'],
  ['--next-key --next-passphrase-file', '--unsigned', 'name the public key with --next-root-key'],
  [
    '--checkpoint-by-root',
    '--unsigned',
    'a request has the checkpoint unless the publication has online keys',
  ],
  ['--no-passphrase', '--passphrase-file'],
  ['--share', '--key'],
  ['--policy', '--tiers'],
  ['--origin', '--witness-name'],
  ['--json', '--markdown'],
  ['--trust-on-first-use', '--thumbprint'],
  [
    '--any-content-type',
    '--conformance',
    'leave out --any-content-type, because --conformance checks content types',
  ],
];

/** Options that exclude each other in one command only: in other commands, one of them means something else. */
const EXCLUDES_IN: Readonly<Record<string, readonly Rule[]>> = {
  check: [
    ['--fix', '--online --watch'],
    ['--online', '--watch --production --allow-example-names'],
    ['--json', '--watch'],
  ],
};

/**
 * Asserts that each option on the command line has an effect: its user would believe that it was obeyed.
 *
 * @throws {@link UsageError}
 */
export function assertEffective(command: Command): void {
  for (const [option, other, remedy = `pass ${other}, too, or leave it out`] of pairs(NEEDS)) {
    if (isGiven(command, option) && isGiven(command, other) === false)
      throw new UsageError(`${option} has no effect without ${other}: ${remedy}`);
  }
  const excludes = [...EXCLUDES, ...(EXCLUDES_IN[command.name()] ?? [])];
  for (const [option, other, remedy = 'leave out one of the two'] of pairs(excludes)) {
    if (isGiven(command, option) && isGiven(command, other))
      throw new UsageError(`${option} and ${other} exclude each other: ${remedy}`);
  }
}

function pairs(rules: readonly Rule[]): Rule[] {
  return rules.flatMap(([options, others, remedy]) =>
    options.split(' ').flatMap((option) => others.split(' ').map((other): Rule => [option, other, remedy])),
  );
}

/** Whether an option is on the command line. `--hold` and `--no-hold` have one value. Undefined if the command has no such option. */
function isGiven(command: Command, flag: string): boolean | undefined {
  const option = command.options.find(({ long }) => long === flag);
  if (option === undefined) return undefined;
  const name = option.attributeName();
  return (
    command.getOptionValueSource(name) === 'cli' && option.negate === (command.getOptionValue(name) === false)
  );
}
