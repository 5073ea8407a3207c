import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { isChecksummed } from '../tree/checksums.js';
import { roleOf } from '../tree/known-files.js';
import { PATHS } from '../tree/paths.js';
import type { Tree } from '../tree/tree.js';
import { buildNotes, lacksCheckpoint, type Outcome } from './build-notes.js';
import type { LogReport } from './log-publication.js';
import type { Written } from './write.js';

/** The report of a build. */
export interface BuildReport {
  /** The number of files that were written. */
  readonly written: number;
  /** The number of files that already had the right content. */
  readonly unchanged: number;
  /** The number of files that were removed, because they are not part of the tree. */
  readonly removed: number;
  readonly out: string;
  readonly updatedAt: string;
  /** The number of issuers in the list. */
  readonly issuers: number;
  /** The payload hash: SHA-256 of issuers.json, lower-case hexadecimal. */
  readonly sha256: string;
  /** RFC 7638 thumbprint of the root key. */
  readonly rootKey: string;
  /** Whether a development key signed the tree. */
  readonly development: boolean;
  /** Whether the published list and its signature were kept. */
  readonly kept: boolean;
  /** Size of the whole tree, in bytes. */
  readonly bytes: number;
  /** What the publication did with the log; undefined if the registry has none. */
  readonly log: LogReport | undefined;
  /**
   * Whether verifiers accept the publication as soon as the tree is served. False if they wait for `checkpoint`: because the list
   * is only in the log, because too few witnesses have cosigned, or because the promised checkpoint is missing.
   */
  readonly isFinished: boolean;
  /** Warnings about the records. */
  readonly warnings: readonly Diagnostic[];
  /** Notes about what the user may not expect, in whole sentences. */
  readonly notes: readonly string[];
}

/** Makes the report of a publication. */
export function reportOf(
  outcome: Outcome,
  written: Written,
  { warnings, log }: Pick<BuildReport, 'warnings' | 'log'>,
): BuildReport {
  const { output, served, signed, tree } = outcome;
  const { list, sha256, rootKey, development } = signed;
  // A pending list is kept, too, but it is new to those who read the tree.
  const kept = signed.kept && served?.list !== undefined && Buffer.compare(served.list, list.list) === 0;
  return {
    ...{ out: output.named, updatedAt: list.updatedAt, kept, warnings, log },
    ...{ written: written.written.length, unchanged: written.unchanged, removed: written.removed.length },
    ...{ issuers: list.records.size, sha256, rootKey: rootKey.thumbprint, development },
    bytes: sizeOf(tree),
    isFinished: !isOnlyLogged(log) && !lacksQuorum(log) && !lacksCheckpoint(outcome),
    notes: [...logNotes(log), ...removalNotes(written, output.named), ...buildNotes(outcome)],
  };
}

function sizeOf(tree: Tree): number {
  let size = 0;
  for (const bytes of tree.values()) size += bytes.length;
  return size;
}

const PAGES_REMOVED =
  'The pages of issuers were removed: there are more issuers than `issuers` of `page` in registry.yaml says, or that setting is gone.';

/** How many removed files to name. */
const MAX_REMOVED = 5;

/** Names removed files that no earlier publication can have made, which may be all that somebody has of them, and removed pages. */
function removalNotes({ removed }: Written, folder: string): string[] {
  const strangers = removed.filter((path) => isChecksummed(path) && roleOf(path) !== 'known');
  const notes = removed.includes(PATHS.pageSums) ? [PAGES_REMOVED] : [];
  if (strangers.length === 0) return notes;
  const named = strangers.slice(0, MAX_REMOVED).join(', ');
  const more = strangers.length > MAX_REMOVED ? `, and ${strangers.length - MAX_REMOVED} more` : '';
  return [...notes, `Removed from ${folder}, because no publication makes such a file: ${named}${more}.`];
}

/** Returns notes about a publication that is not complete, and about missing cosignatures. */
function logNotes(log: LogReport | undefined): string[] {
  if (isOnlyLogged(log)) {
    return [
      'The list is in the log, but the published files are still the old ones: `checkpoint` collects cosignatures and completes the publication.',
    ];
  }
  if (!lacksQuorum(log)) return [];
  return [
    'Too few witnesses have cosigned. Verifiers that require the quorum keep the list that they have, until it is too old for them: run `checkpoint` when the witnesses are back.',
  ];
}

const isOnlyLogged = (log: LogReport | undefined): boolean => log?.isComplete === false;

const lacksQuorum = (log: LogReport | undefined): boolean => log !== undefined && log.cosigned < log.quorum;
