import { UsageError } from '../../generator/errors.js';

/** Parses the number in the value of an option. @throws {@link UsageError} */
export function positiveNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new UsageError(`${option} takes a number from 1 to 99999`);
  return Number(text);
}
