import type { PublicationStatement } from '../statements/publication-statement.js';
import { statementHash } from '../statements/statement.js';

/** The entry of a publication statement (rule log-entries). */
export interface PublicationEntry {
  /** SHA-256 of the list, in lower-case hexadecimal. */
  readonly list: string;
  readonly sequence: number;
  /** The {@link statementHash} of the statement. */
  readonly sha256: string;
  readonly type: 'publication';
  readonly updated_at: string;
}

/** The entry of a rotation step. */
export interface RotationEntry {
  /** The thumbprint of the next root key. */
  readonly next: string;
  readonly sha256: string;
  /** The position in the chain, from 1. */
  readonly step: number;
  readonly type: 'rotation';
}

/** What a log contains: statements of the root key. */
export type LogEntry = PublicationEntry | RotationEntry;

/** An entry of a type that a later version has added. A reader of the whole log skips and reports it. */
export interface UnknownEntry {
  readonly sha256: string;
  /** The whole entry, which this version cannot make from its statement. */
  readonly text: string;
  readonly type: 'unknown';
  /** The type in the entry. */
  readonly named: string;
}

/** An entry of any type. */
export type AnyEntry = LogEntry | UnknownEntry;

/** Returns the entry of a publication statement. */
export function publicationEntry({
  sha256: list,
  sequence,
  updatedAt,
  hash,
}: Pick<PublicationStatement, 'sha256' | 'sequence' | 'updatedAt' | 'hash'>): PublicationEntry {
  return { list, sequence, sha256: hash, type: 'publication', updated_at: updatedAt };
}

/** Returns the entry of a rotation step. @param step - the position in the chain, from 1 */
export function rotationEntry(jwt: string, next: string, step: number): RotationEntry {
  return { next, sha256: statementHash(jwt), step, type: 'rotation' };
}

/** Returns the bytes of an entry. Its members are in the order of RFC 8785, and all strings are ASCII. */
export function entryBytes(entry: AnyEntry): Uint8Array {
  return new TextEncoder().encode(entry.type === 'unknown' ? entry.text : JSON.stringify(entry));
}
