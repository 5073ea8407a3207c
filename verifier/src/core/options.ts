import { type Check, isObject } from './bytes/checks.js';
import { shown } from './bytes/fault.js';
import { OptionsInvalid } from './errors.js';

/** The check of one member of an options object. */
export interface OptionCheck {
  readonly check: Check;
  /** The expected value, in words that follow "must be", such as `a number of seconds, 0 or more`. */
  readonly expected: string;
  /** Whether the member is required. Default: false. */
  readonly required?: boolean;
}

/** The checks of an options type. The compiler reports a member without a check. */
export type OptionChecks<T> = { readonly [Member in keyof Required<T>]: OptionCheck };

/**
 * Asserts that every member of an options object passes its check. An unknown member is an error, because otherwise a
 * misspelled option would be ignored silently. A member whose value is undefined counts as absent.
 *
 * @param caller - the name of the function that takes the options. Error messages begin with this name
 * @throws {@link OptionsInvalid}
 */
export function assertOptions<T extends object>(
  options: unknown,
  checks: OptionChecks<T>,
  caller: string,
): asserts options is T {
  if (!isObject(options)) throw new OptionsInvalid(caller, undefined, 'the options must be an object');
  const table: Readonly<Record<string, OptionCheck>> = checks;
  for (const member of Object.keys(options)) {
    if (!Object.hasOwn(table, member)) {
      const options = Object.keys(table).join(', ');
      throw new OptionsInvalid(caller, member, `is not an option; the options are ${options}`);
    }
  }
  for (const [member, { check, expected, required = false }] of Object.entries(table)) {
    const value = options[member];
    const good = value === undefined ? !required : check(value);
    if (!good) throw new OptionsInvalid(caller, member, `must be ${expected}, but is ${describe(value)}`);
  }
}

/** Shows a value, but no content of a string: an option could contain a secret. */
const describe = (value: unknown) => (typeof value === 'string' ? 'a string' : shown(value));

/** A duration in seconds: 0 or more, also `Infinity`. */
export const SECONDS: OptionCheck = {
  check: (value) => typeof value === 'number' && value >= 0,
  expected: 'a number of seconds, 0 or more',
};

/** An interval in seconds: more than 0, and finite. */
export const INTERVAL: OptionCheck = {
  check: (value) => Number.isFinite(value) && Number(value) > 0,
  expected: 'a finite number of seconds, more than 0',
};

/** The maximum delay of a timer, about 24 days. A longer delay overflows, and the timer fires at once. */
export const MAX_TIMER_MS = 2_147_483_647;

/** A time limit in seconds that a timer supports. */
export const TIMEOUT: OptionCheck = {
  check: (value) => typeof value === 'number' && value > 0 && value * 1000 <= MAX_TIMER_MS,
  expected: 'a number of seconds, more than 0 and at most 2147483',
};

/** Returns a time of an option in milliseconds: whole ones, because timers take no others. */
export function milliseconds(seconds: number | undefined, defaultMs: number): number {
  return seconds === undefined ? defaultMs : Math.ceil(seconds * 1000);
}

/** A size in bytes. */
export const BYTES: OptionCheck = {
  check: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  expected: 'a whole number of bytes, 1 or more',
};

/** True or false. */
export const BOOLEAN: OptionCheck = {
  check: (value) => typeof value === 'boolean',
  expected: 'true or false',
};

/** A function. */
export const FUNCTION: OptionCheck = {
  check: (value) => typeof value === 'function',
  expected: 'a function',
};

/** One public JWK, or several. `checkRootKeys` checks the content. */
export const PUBLIC_KEYS: OptionCheck = {
  check: (value) => isObject(value) || (Array.isArray(value) && value.every(isObject)),
  expected: 'a JWK as a JSON object, or an array of them',
};

/** An object. The function that uses the object checks its content. */
export const OBJECT: OptionCheck = { check: isObject, expected: 'an object' };

/** Returns a check for an object with the given methods. */
export function objectWith(...methods: readonly string[]): OptionCheck {
  return {
    check: (value) => isObject(value) && methods.every((method) => typeof value[method] === 'function'),
    expected: `an object with the functions ${methods.join(', ')}`,
  };
}

/** Returns the same check for a required option. */
export function required(check: OptionCheck): OptionCheck {
  return { ...check, required: true };
}
