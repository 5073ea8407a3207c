import { UsageError } from '../../generator/errors.js';

/** Parses the number in the value of an option. @throws {@link UsageError} */
export function positiveNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new UsageError(`${option} takes a number from 1 to 99999`);
  return Number(text);
}

/** Parses the whole number of 0 or more in the value of an option. @throws {@link UsageError} */
export function wholeNumber(option: string, text: string): number {
  if (/^(?:0|[1-9][0-9]{0,6})$/.test(text)) return Number(text);
  throw new UsageError(`${option} takes a whole number of 0 or more, not ${JSON.stringify(text)}`);
}
