import { isCount, isObject, isSha256 } from '../bytes/checks.js';
import { isSameBytes } from '../bytes/encodings.js';
import { parseStrictJson } from '../bytes/strict-json.js';
import { decodeUtf8, type Invalid } from '../bytes/utf8.js';
import { isValidBytes32, isValidUtcSecond } from '../generated/predicates.js';
import { LIMITS, MAX_ROTATION_STEPS } from '../limits.js';
import { canonicalBytes } from '../list/canonical.js';
import { LOGGED_TYPES } from '../statements/statement-types.js';
import { type AnyEntry, entryBytes, type LogEntry } from './log-entry.js';

/**
 * Parses an entry. The bytes must be what {@link entryBytes} returns. An entry of an unknown type must be in canonical form,
 * too, and name its statement (rule other-entries).
 *
 * @param invalid - creates the error to throw
 */
export function parseAnyEntry(bytes: Uint8Array, invalid: Invalid): AnyEntry {
  const entry = readEntry(bytes);
  if (entry === undefined) throw invalid('is not an entry of a registry');
  if (!isSameBytes(bytes, canonicalForm(entry))) throw invalid('is not in canonical form');
  return entry;
}

function canonicalForm(entry: AnyEntry): Uint8Array {
  if (entry.type !== 'unknown') return entryBytes(entry);
  try {
    return canonicalBytes(JSON.parse(entry.text));
  } catch {
    // Such as a lone surrogate, which no canonical form has.
    return new Uint8Array();
  }
}

/** The form of a type. Such a name can be shown as it is. */
const TYPE = /^[a-z][a-z0-9-]{0,63}$/;

const KNOWN_TYPES = Object.keys(LOGGED_TYPES satisfies Record<LogEntry['type'], unknown>);

const isStep = (value: unknown): value is number =>
  isCount(value) && value >= 1 && value <= MAX_ROTATION_STEPS;

function readEntry(bytes: Uint8Array): AnyEntry | undefined {
  // Known types are shorter by their form.
  if (bytes.length > LIMITS.logEntry) return undefined;
  let value: unknown;
  try {
    value = parseStrictJson(bytes);
  } catch {
    return undefined;
  }
  if (!isObject(value) || !isSha256(value['sha256'])) return undefined;
  const { list, sequence, sha256, type, updated_at, next, step } = value;
  if (type === 'publication' && isSha256(list) && isCount(sequence) && isValidUtcSecond(updated_at)) {
    return { list, sequence, sha256, type, updated_at };
  }
  if (type === 'rotation' && isValidBytes32(next) && isStep(step)) {
    return { next, sha256, step, type };
  }
  if (typeof type !== 'string' || !TYPE.test(type) || KNOWN_TYPES.includes(type)) return undefined;
  return { sha256, text: decodeUtf8(bytes), type: 'unknown', named: type };
}

/**
 * Joins entries to a bundle (C2SP tlog-tiles): each entry after its length as two bytes.
 *
 * @throws RangeError if two bytes cannot express the length of an entry
 */
export function formatBundle(entries: readonly Uint8Array[]): Uint8Array {
  const bundle = new Uint8Array(entries.reduce((sum, { length }) => sum + 2 + length, 0));
  let at = 0;
  for (const entry of entries) {
    if (entry.length > 0xffff)
      throw new RangeError(`an entry of ${entry.length} bytes does not fit into a bundle`);
    new DataView(bundle.buffer).setUint16(at, entry.length);
    bundle.set(entry, at + 2);
    at += 2 + entry.length;
  }
  return bundle;
}

/** Splits a bundle into its entries. @param invalid - creates the error to throw */
export function parseBundle(bundle: Uint8Array, invalid: Invalid): Uint8Array[] {
  const view = new DataView(bundle.buffer, bundle.byteOffset, bundle.byteLength);
  const entries: Uint8Array[] = [];
  for (let at = 0; at < bundle.length; ) {
    const end = at + 2 + (at + 2 <= bundle.length ? view.getUint16(at) : bundle.length);
    if (end > bundle.length) throw invalid('ends within an entry');
    entries.push(bundle.subarray(at + 2, end));
    at = end;
  }
  return entries;
}
