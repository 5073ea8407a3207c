import type { Check } from './checks.js';

/** An invalid value inside a JSON document. */
export interface Fault {
  /** The location for people, such as `domains[1]`. */
  readonly path: string;
  /** The problem, as a predicate with the value, such as `is "Banking"` or `repeats "banking"`. */
  readonly problem: string;
}

/**
 * Finds the invalid value in a member that fails its check: an item of an array, or the whole member.
 *
 * @param isValid - the check of the member
 */
export function faultIn(path: string, value: unknown, isValid: Check): Fault & { readonly index?: number } {
  if (!Array.isArray(value)) return { path, problem: `is ${shown(value)}` };
  if (value.length === 0) return { path, problem: 'is empty' };
  const index = value.findIndex((item) => !isValid([item]));
  if (index !== -1) return { path: `${path}[${index}]`, problem: `is ${shown(value[index])}`, index };
  const repeated = value.findIndex((item, at) => value.indexOf(item) !== at);
  if (repeated === -1) return { path, problem: `has ${value.length} items` };
  return { path: `${path}[${repeated}]`, problem: `repeats ${shown(value[repeated])}` };
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
