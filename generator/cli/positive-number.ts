import { UsageError } from '../errors.js';

/** A number that an option was given, if it was. @throws {@link UsageError} */
export function optionalNumber(option: string, text: string | undefined): number | undefined {
  return text === undefined ? undefined : positiveNumber(option, text);
}

/** A number that an option was given. @throws {@link UsageError} */
export function positiveNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new UsageError(`${option} takes a number from 1 to 99999`);
  return Number(text);
}
