import { UsageError } from '../../generator/errors.js';

const UNITS_MS: Readonly<Record<string, number>> = {
  m: 60_000,
  h: 60 * 60_000,
  d: 24 * 60 * 60_000,
};

/** Parses a duration such as `36h` in the value of an option. @returns milliseconds @throws {@link UsageError} */
export function duration(option: string, text: string): number {
  const [, number, unit = ''] = /^([1-9]\d{0,4})([mhd])$/.exec(text) ?? [];
  const milliseconds = UNITS_MS[unit];
  if (milliseconds !== undefined) return Number(number) * milliseconds;
  throw new UsageError(`${option} takes a number of minutes, hours or days, such as 90m, 36h or 2d`);
}
