import { OptionsInvalid } from '../errors.js';
import { type Check, isObject } from './checks.js';

/** The check of one member of an options object. */
export interface OptionCheck {
  readonly check: Check;
  /** What is expected, in words that follow "must be": `a number of seconds, 0 or more`. */
  readonly expected: string;
  /** Whether the member is required. Default: false. */
  readonly required?: boolean;
}

/** A check for each member of an options type, so that the compiler notices one that is missing. */
export type OptionChecks<T> = { readonly [Member in keyof Required<T>]: OptionCheck };

/**
 * Asserts that an options object has the members of a table, that each passes its check, and that there are no others:
 * otherwise a misspelt option would be ignored silently. A member that is undefined counts as absent.
 *
 * @param caller - the function that takes the options; error messages begin with it
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
      throw new OptionsInvalid(caller, member, `there is no such option${suggestion(member, table)}`);
    }
  }
  for (const [member, { check, expected, required = false }] of Object.entries(table)) {
    const value = options[member];
    const good = value === undefined ? !required : check(value);
    if (!good) throw new OptionsInvalid(caller, member, `must be ${expected}, but is ${described(value)}`);
  }
}

/** The option that the caller may have meant: equal except for case, or one name is a prefix of the other. */
function suggestion(member: string, table: object): string {
  const lower = member.toLowerCase();
  const meant = Object.keys(table).find((option) => {
    const other = option.toLowerCase();
    return lower !== '' && (other.startsWith(lower) || lower.startsWith(other));
  });
  return meant === undefined
    ? `; the options are ${Object.keys(table).join(', ')}`
    : `; did you mean ${meant}?`;
}

/** Describes a value without showing it: an option could contain a secret. */
function described(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === '') return 'an empty string';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'an array' : `a value of type ${typeof value}`;
}

/** A time in seconds, 0 or more; `Infinity` is allowed. */
export const SECONDS: OptionCheck = {
  check: (value) => typeof value === 'number' && value >= 0,
  expected: 'a number of seconds, 0 or more',
};

/** An interval in seconds, above 0 and finite. */
export const INTERVAL: OptionCheck = {
  check: (value) => Number.isFinite(value) && Number(value) > 0,
  expected: 'a finite number of seconds, more than 0',
};

/** A size in bytes. */
export const BYTES: OptionCheck = {
  check: (value) => Number.isSafeInteger(value) && Number(value) > 0,
  expected: 'a whole number of bytes, 1 or more',
};

export const BOOLEAN: OptionCheck = {
  check: (value) => typeof value === 'boolean',
  expected: 'true or false',
};

export const FUNCTION: OptionCheck = {
  check: (value) => typeof value === 'function',
  expected: 'a function',
};

/** A public key as a JWK, or several. `importRootKeys` checks their content. */
export const PUBLIC_KEYS: OptionCheck = {
  check: (value) => isObject(value) || (Array.isArray(value) && value.every(isObject)),
  expected: 'a JWK as a JSON object, or an array of them',
  required: true,
};

/** An object with some methods. */
export function objectWith(...methods: readonly string[]): OptionCheck {
  return {
    check: (value) => isObject(value) && methods.every((method) => typeof value[method] === 'function'),
    expected: `an object with the functions ${methods.join(', ')}`,
  };
}

/** The same check for a required option. */
export function required(check: OptionCheck): OptionCheck {
  return { ...check, required: true };
}
