import { hashHex } from '../bytes/sha256-sync.js';
import { textOf } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import { isValidIssuerId } from '../generated/predicates.js';

/** A tree of sums, as a publication statement names it. */
export interface NamedSums {
  /** SHA-256 of `sums/root`, in lower-case hexadecimal. */
  readonly sumsSha256: string;
  readonly levels: number;
}

/** Which sums file of a tree of sums. */
interface SumsFilePrefix {
  /** The hexadecimal digits with which the hashes of all ids below the file begin; empty for the root. */
  readonly prefix: string;
  /** The number of levels of the tree. A file is a leaf if its prefix has this length. */
  readonly levels: number;
}

/** SHA-256 by path, in lower-case hexadecimal, sorted by path. */
export type Sums = ReadonlyMap<string, string>;

/** Returns one line of a sums file, in the format of coreutils. */
export function sumsLine(path: string, sha256: string): string {
  return `${sha256}  ${path}\n`;
}

/**
 * Parses a sums file (rule sums-form). The hash of the file must have been verified before.
 *
 * A leaf lists records, whose ids have hashes that begin with the prefix of the leaf. Any other file lists the sums
 * files one level below. The lines are sorted by path, and no path occurs twice. An empty file is valid only as the
 * root of an empty registry: an empty branch is left out.
 *
 * @throws `ERR_SUMS_INVALID`
 */
export function readSums(bytes: Uint8Array, { prefix, levels }: SumsFilePrefix): Sums {
  const path = sumsPath(prefix);
  const invalid = (problem: string) => new RegistryError('ERR_SUMS_INVALID', `${path} ${problem}`);
  const text = textOf(bytes, invalid);
  if (text === '' && prefix !== '') throw invalid('is empty');
  const lines = text.split('\n');
  if (lines.pop() !== '') throw invalid('does not end with a newline');
  const isExpected = prefix.length === levels ? isRecordOf : isChildOf;
  const sums = new Map<string, string>();
  let previous = '';
  for (const line of lines) {
    const match = /^([0-9a-f]{64}) {2}([a-z0-9._/-]+)$/.exec(line);
    if (match === null) throw invalid('has a malformed line');
    const [, sha256 = '', listed = ''] = match;
    if (!isExpected(listed, prefix)) throw invalid(`lists ${listed}, which does not belong there`);
    if (listed <= previous) throw invalid(`lists ${listed} out of order`);
    sums.set(listed, sha256);
    previous = listed;
  }
  return sums;
}

function isChildOf(path: string, prefix: string): boolean {
  const digit = path.at(-1) ?? '';
  return path === `sums/${prefix}${digit}` && /^[0-9a-f]$/.test(digit);
}

function isRecordOf(path: string, prefix: string): boolean {
  const id = recordIdOf(path);
  return path.startsWith('issuers/') && isValidIssuerId(id) && placeOf(id).startsWith(prefix);
}

/** Returns the place of a record: SHA-256 of its issuer_id, in lower-case hexadecimal (rule sums-place). */
export function placeOf(issuerId: string): string {
  return hashHex(issuerId);
}

/** The largest number of levels of a tree of sums (rule sums-levels). */
export const MAX_LEVELS = 8;

/** The path of a record in the published tree. */
export function recordPath(issuerId: string): string {
  return `issuers/${issuerId}`;
}

/** Returns the id of the issuer whose record has this path. */
export function recordIdOf(path: string): string {
  return path.slice('issuers/'.length);
}

/**
 * Returns the path of a sums file.
 *
 * @param prefix - the hexadecimal digits with which the hashes of all ids below the file begin; empty for the root
 */
export function sumsPath(prefix: string): string {
  return prefix === '' ? 'sums/root' : `sums/${prefix}`;
}

/** Returns the prefix of a sums file below the root. */
export function prefixOf(path: string): string {
  return path.slice('sums/'.length);
}

/**
 * Returns the prefixes of the sums files between the root and an id: the root first, the leaf last.
 *
 * @param place - of the record
 * @param levels - the number of levels of the tree of sums
 */
export function prefixesTo(place: string, levels: number): readonly string[] {
  return Array.from({ length: levels + 1 }, (_one, length) => place.slice(0, length));
}
