import type { PublicationStatement } from '@passport-registry/verifier/core';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { namesIn } from '../freshness/online-keys.js';
import type { SignedPublication } from '../list/list.js';
import { isChecksummed, roleOf } from '../tree/files.js';
import { passedLimits } from '../tree/host-limits.js';
import { PATHS } from '../tree/paths.js';
import { hasList, type PublishedTree } from '../tree/published-tree.js';
import { inWords, parseChanges } from '../tree/site/changes.js';
import type { Tree } from '../tree/tree.js';
import type { ProvenStatements } from '../verification/check-tree.js';
import type { TreeChange } from './changes.js';
import type { CommittedTree } from './committed.js';
import type { LogReport } from './prove-logged.js';

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
   * Whether the publication is in the tree. False if it waits beside it, because too few witnesses have cosigned, or because an issuer
   * was held meanwhile.
   */
  readonly isFinished: boolean;
  /** Warnings about the records. */
  readonly warnings: readonly Diagnostic[];
  /** Notes about what the user may not expect, in whole sentences. */
  readonly notes: readonly string[];
}

/** Makes the report of a publication. */
export function reportOf(outcome: Outcome): BuildReport {
  const { tree, signed, files, change, log, waits } = outcome;
  const { list, sha256, rootKey, development } = signed;
  const { named } = tree.output;
  // A list that waits is kept, too, but it is new to those who read the tree.
  const kept = signed.kept && hasList(tree.published, list);
  const written = waits ? 0 : change.files.size;
  return {
    out: named,
    updatedAt: list.updatedAt,
    kept,
    warnings: outcome.warnings,
    log,
    written,
    unchanged: files.size - change.files.size,
    removed: waits ? 0 : change.removed.length,
    issuers: list.records.size,
    sha256,
    rootKey: rootKey.thumbprint,
    development,
    bytes: [...files.values()].reduce((size, { length }) => size + length, 0),
    isFinished: !waits,
    notes: [
      ...logNotes(outcome),
      ...removalNotes(change, named),
      ...buildNotes(outcome),
      ...passedLimits(files),
    ],
  };
}

/** Adds to a report what its command knows: whole sentences, and warnings that name the files of records. */
export function withNotes(
  report: BuildReport,
  notes: readonly string[],
  warnings: readonly Diagnostic[] = report.warnings,
): BuildReport {
  return { ...report, warnings, notes: [...notes, ...report.notes] };
}

const noteIf = (isNeeded: boolean | undefined, note: string): string[] => (isNeeded === true ? [note] : []);

/** How many removed files to name. */
const MAX_REMOVED = 5;

/** Names removed files that no earlier publication can have made, which may be all that somebody has of them, and other removals. */
function removalNotes({ removed }: TreeChange, folder: string): string[] {
  const strangers = removed.filter((path) => isChecksummed(path) && roleOf(path) !== 'known');
  const named = strangers.slice(0, MAX_REMOVED).join(', ');
  const more = strangers.length > MAX_REMOVED ? `, and ${strangers.length - MAX_REMOVED} more` : '';
  return [
    ...noteIf(
      strangers.length > 0,
      `Removed from ${folder}, because no publication makes such a file: ${named}${more}.`,
    ),
  ];
}

const FORKED =
  'A witness has cosigned what this log lacks, so the log is an old copy, or forked: load the published tree with `load`.';

/** Returns notes about missing cosignatures. */
function logNotes({ log, waits, held, tree }: Outcome): string[] {
  if (log?.isForked === true) return [FORKED];
  if (held.length > 0)
    return [
      `The registry's URL has held ${held.join(', ')} while the witnesses were asked, so ${tree.output.named} is as before, and the publication waits beside it: run \`checkpoint\`, which publishes it with that hold.`,
    ];
  return noteIf(
    waits,
    `Too few witnesses have cosigned, so ${tree.output.named} is as before, and the publication waits beside it: run \`checkpoint\` when the witnesses are back.`,
  );
}

/** The results of the steps of a publication. */
interface Outcome {
  /** The tree that the publication follows. */
  readonly tree: CommittedTree;
  readonly signed: SignedPublication;
  /** The statements of the new tree. */
  readonly statements: ProvenStatements;
  /** The files of the new tree. */
  readonly files: Tree;
  readonly change: TreeChange;
  /** What the witnesses did; undefined if nothing new is in a log. */
  readonly log: LogReport | undefined;
  /** Whether the publication waits for witnesses, or for a new checkpoint. */
  readonly waits: boolean;
  /** Whom the registry's URL has held while the witnesses were asked. */
  readonly held: readonly string[];
  readonly warnings: readonly Diagnostic[];
}

/** Returns notes about what the user may not expect, in whole sentences. */
function buildNotes({ tree: { output, newest }, signed, statements, files }: Outcome): string[] {
  const isFirst = newest === undefined && !signed.development;
  return [
    ...noteIf(
      isFirst,
      `${output.named} had no published list, so this is a first list: no rule for changes was checked.`,
    ),
    ...newOnlineKeys(newest?.statement, signed.statement),
    ...inheritedHolds(newest, statements),
    ...(signed.kept ? [] : changeNotes(files, signed.list.updatedAt)),
  ];
}

/** An older registry.yaml names a key that was replaced, perhaps because it has leaked. */
function newOnlineKeys(before: PublicationStatement | undefined, { online }: PublicationStatement): string[] {
  const known = before?.online === undefined ? [] : namesIn(before.online);
  const keys = online === undefined ? [] : namesIn(online);
  const gone = known.filter((key) => !keys.includes(key));
  if (gone.length === 0) return [];
  const names = keys.length === 0 ? 'no online key' : keys.join(' and ');
  return [
    `The publication names ${names}, and no longer ${gone.join(' and ')}: if that is not meant, registry.yaml is old.`,
  ];
}

/** After an online key has leaked, the holds of its checkpoints may be the thief's. */
function inheritedHolds(
  published: PublishedTree | undefined,
  { checkpoint, publication }: ProvenStatements,
): string[] {
  const before = published?.checkpoint;
  if (before === undefined || before.kid === published?.statement.kid) return [];
  if (publication?.online?.keys.some(({ thumbprint }) => thumbprint === before.kid)) return [];
  const kept = before.hold.filter((id) => checkpoint?.hold.includes(id));
  if (kept.length === 0) return [];
  return [
    `The new checkpoint keeps the holds of ${before.kid}, a key that the publication no longer names: ${kept.join(', ')}. End those that were not yours: \`hold --end\` with the ids and --false-alarm.`,
  ];
}

/** How many changes to name. */
const MAX_NOTED = 20;

/** Names the changes of status and tier that the new list makes to issuers of the list before. */
function changeNotes(tree: Tree, updatedAt: string): string[] {
  const history = tree.get(PATHS.changes);
  const made = ((history && parseChanges(history))?.changes ?? []).filter(
    ({ updated_at, from }) => updated_at === updatedAt && from !== null,
  );
  const named = made.slice(0, MAX_NOTED).map((change) => {
    const { field, from, to } = change;
    const isLifted = field === 'status' && from === 'suspended' && to === 'active';
    return `${inWords(change)}.${isLifted ? ' This lifts a suspension.' : ''}`;
  });
  return made.length > MAX_NOTED ? [...named, `And ${made.length - MAX_NOTED} more changes.`] : named;
}
