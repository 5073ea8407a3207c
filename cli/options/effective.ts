import type { Command } from 'commander';
import { UsageError } from '../../generator/errors.js';

/** Two groups of options, and what to do if one of each group does not fit the other. */
interface Rule {
  readonly options: readonly string[];
  readonly others: readonly string[];
  readonly remedy?: string;
}

/** Options that have no effect without another one. */
const NEEDS: readonly Rule[] = [
  { options: ['--all', '--false-alarm'], others: ['--end'] },
  { options: ['--again'], others: ['--share'] },
  { options: ['--next-root-key'], others: ['--unsigned'] },
  { options: ['--domains'], others: ['--tiers'] },
  { options: ['--witness-state'], others: ['--witness-name'] },
  { options: ['--changed', '--allow-private', '--timeout'], others: ['--online'] },
  {
    options: ['--witness'],
    others: ['--quorum'],
    remedy: 'say how many of the witnesses must have cosigned',
  },
  { options: ['--quorum'], others: ['--witness'], remedy: 'name the witnesses' },
  { options: ['--witness-signer-input'], others: ['--witness-signer-command'] },
];

/** Options that exclude each other. */
const EXCLUDES: readonly Rule[] = [
  {
    options: ['--key', '--passphrase-file'],
    others: ['--unsigned'],
    remedy: 'give the key where the request is signed',
  },
  {
    options: ['--next-key', '--next-passphrase-file'],
    others: ['--unsigned'],
    remedy: 'name the public key with --next-root-key',
  },
  {
    options: ['--checkpoint-by-root'],
    others: ['--unsigned'],
    remedy: 'a request has the checkpoint unless the publication has online keys',
  },
  { options: ['--no-passphrase'], others: ['--passphrase-file'] },
  { options: ['--share'], others: ['--key'] },
  { options: ['--policy'], others: ['--tiers'] },
  { options: ['--origin'], others: ['--witness-name'] },
  { options: ['--json'], others: ['--markdown', '--watch'] },
  { options: ['--trust-on-first-use'], others: ['--thumbprint'] },
  {
    options: ['--any-content-type'],
    others: ['--conformance'],
    remedy: 'leave out --any-content-type, because --conformance checks content types',
  },
  { options: ['--fix'], others: ['--online', '--watch'] },
  { options: ['--online'], others: ['--watch', '--production', '--allow-example-names'] },
];

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
  for (const [option, other, remedy = 'leave out one of the two'] of pairs(EXCLUDES)) {
    if (isGiven(command, option) && isGiven(command, other))
      throw new UsageError(`${option} and ${other} exclude each other: ${remedy}`);
  }
}

/** Returns each option of a rule with each of its others. */
function pairs(
  rules: readonly Rule[],
): (readonly [option: string, other: string, remedy: string | undefined])[] {
  return rules.flatMap(({ options, others, remedy }) =>
    options.flatMap((option) => others.map((other) => [option, other, remedy] as const)),
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
