import { type Command, Option } from 'commander';
import { UsageError } from '../../generator/errors.js';

/** Another option of the same command, and what to do if the two do not fit. */
interface Condition {
  /** Its flag, such as `--share`. */
  readonly other: string;
  readonly remedy: string;
}

/** An option that has an effect only beside another one, or only without it. {@link assertEffective} is the judge. */
export class DependentOption extends Option {
  readonly needed: Condition[] = [];
  readonly excluded: Condition[] = [];

  /** Declares that the option has no effect without another one. A command without the other one has no such condition. */
  needs(other: string, remedy = `pass ${other}, too, or leave it out`): this {
    this.needed.push({ other, remedy });
    return this;
  }

  /** Declares that the option cannot be given beside others. A command without the others has no such condition. */
  excludes(others: string | readonly string[], remedy = 'leave out one of the two'): this {
    this.excluded.push(...[others].flat().map((other) => ({ other, remedy })));
    return this;
  }
}

/**
 * Asserts that each option on the command line has an effect: its user would believe that it was obeyed.
 *
 * @throws {@link UsageError}
 */
export function assertEffective(command: Command): void {
  for (const option of command.options) {
    if (!(option instanceof DependentOption) || !isGiven(command, option)) continue;
    const { long, needed, excluded } = option;
    const isOther = ({ other }: Condition, given: boolean) =>
      command.options.some((each) => each.long === other && isGiven(command, each) === given);
    const missing = needed.find((condition) => isOther(condition, false));
    if (missing !== undefined)
      throw new UsageError(`${long} has no effect without ${missing.other}: ${missing.remedy}`);
    const rival = excluded.find((condition) => isOther(condition, true));
    if (rival !== undefined)
      throw new UsageError(`${long} and ${rival.other} exclude each other: ${rival.remedy}`);
  }
}

/** Whether an option is on the command line. `--hold` and `--no-hold` have one value. */
function isGiven(command: Command, option: Option): boolean {
  const name = option.attributeName();
  return (
    command.getOptionValueSource(name) === 'cli' && option.negate === (command.getOptionValue(name) === false)
  );
}
