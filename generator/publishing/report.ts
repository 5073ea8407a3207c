import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { Tree } from '../tree/tree.js';
import { buildNotes, type Outcome } from './build-notes.js';
import type { Written } from './write.js';

/** What a build did. */
export interface BuildReport {
  /** How many files were written. */
  readonly written: number;
  /** How many were as they should be. */
  readonly unchanged: number;
  /** How many did not belong, and are gone. */
  readonly removed: number;
  readonly out: string;
  readonly updatedAt: string;
  /** How many issuers the list has. */
  readonly issuers: number;
  /** The payload hash: SHA-256 of issuers.json, lower-case hexadecimal. */
  readonly sha256: string;
  /** RFC 7638 thumbprint of the root key. */
  readonly rootKey: string;
  /** Whether a development key signed the tree. */
  readonly development: boolean;
  /** Whether the list and its signature are those that were published before. */
  readonly kept: boolean;
  /** Size of the whole tree, in bytes. */
  readonly bytes: number;
  /** What is allowed in the records and still deserves a second look. */
  readonly warnings: readonly Diagnostic[];
  /** What the user may not expect, in whole sentences. */
  readonly notes: readonly string[];
}

/** The report of a publication that was written. */
export function reportOf(outcome: Outcome, written: Written, warnings: readonly Diagnostic[]): BuildReport {
  const { place, signed, tree } = outcome;
  const { list, sha256, rootKey, development, kept } = signed;
  return {
    ...{ out: place.named, updatedAt: list.updatedAt, kept, warnings },
    ...{ ...written, written: written.written.length },
    ...{ issuers: list.records.size, sha256, rootKey: rootKey.thumbprint, development },
    bytes: sizeOf(tree),
    notes: buildNotes(outcome),
  };
}

function sizeOf(tree: Tree): number {
  let size = 0;
  for (const bytes of tree.values()) size += bytes.length;
  return size;
}
