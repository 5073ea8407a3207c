import { type Check, isObject } from './checks.js';

/** The form of a JSON object whose members are all known. */
interface ObjectForm {
  /** The name of the object in messages, such as `the trust policy` or `deny[0]`. */
  readonly name: string;
  /** What precedes the members in paths, such as `deny[0].`. Default: nothing. */
  readonly prefix?: string;
  readonly required: readonly string[];
  /** Checks a member. Returns undefined if there is no such member. */
  readonly isMember: (member: string, value: unknown) => boolean | undefined;
  /** Finds the invalid value inside an object that is invalid. */
  readonly faultInside?: (path: string, value: unknown) => string | undefined;
}

/** Says what is wrong with a value that must be an object of a form, with its path. Undefined if nothing is wrong. */
export function faultInObject(value: unknown, form: ObjectForm): string | undefined {
  const { name, prefix = '', required, isMember, faultInside } = form;
  if (!isObject(value)) return `${name} is ${shown(value)}`;
  for (const [member, content] of Object.entries(value)) {
    const conforms = isMember(member, content);
    if (conforms === undefined) return `${name} has the unknown member ${shown(member)}`;
    if (conforms) continue;
    const isValid: Check = (other) => isMember(member, other) === true;
    const { path, problem, invalid } = faultIn(`${prefix}${member}`, content, isValid);
    return faultInside?.(path, invalid) ?? `${path} ${problem}`;
  }
  const missing = required.find((member) => !Object.hasOwn(value, member));
  return missing === undefined ? undefined : `${name} has no ${missing}`;
}

/** An invalid value inside a JSON document. */
interface Fault {
  /** The location for people, such as `domains[1]`. */
  readonly path: string;
  /** The problem, as a predicate with the value, such as `is "Banking"` or `repeats "banking"`. */
  readonly problem: string;
  readonly invalid: unknown;
}

/** Finds the invalid value in a member that fails its check: an item of an array, or the whole member. */
function faultIn(path: string, value: unknown, isValid: Check): Fault {
  if (!Array.isArray(value)) return { path, problem: `is ${shown(value)}`, invalid: value };
  const wrong = value.findIndex((item) => !isValid([item]));
  const repeated = value.findIndex((item, at) => value.indexOf(item) !== at);
  const index = wrong === -1 ? repeated : wrong;
  if (value.length === 0 || index === -1)
    return { path, problem: `has ${value.length} items`, invalid: value };
  const invalid: unknown = value[index];
  const verb = wrong === -1 ? 'repeats' : 'is';
  return { path: `${path}[${index}]`, problem: `${verb} ${shown(invalid)}`, invalid };
}

/** Maximum length of a value in a message, in characters. */
const MAX_SHOWN_LENGTH = 80;

/** Shows a value in a message, in printable ASCII. Shows no content of objects and arrays. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing';
  if (Array.isArray(value)) return 'an array';
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
  const cut = value.length > MAX_SHOWN_LENGTH ? `${value.slice(0, MAX_SHOWN_LENGTH)}...` : value;
  return JSON.stringify(cut).replaceAll(/[^ -~]/g, '?');
}
