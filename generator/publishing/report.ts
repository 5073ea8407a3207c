import type { PublicationStatement } from '@passport-registry/verifier/core';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { OutputFolder } from '../files/output-folder.js';
import { namesIn } from '../freshness/online-keys.js';
import type { SignedPublication } from '../list/list.js';
import { isChecksummed, roleOf } from '../tree/files.js';
import { passedLimits } from '../tree/host-limits.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import { inWords, parseChanges } from '../tree/site/changes.js';
import type { Tree } from '../tree/tree.js';
import type { ProvenStatements } from '../verification/check-tree.js';
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
   * Whether verifiers accept the publication as soon as the tree is served. False if they wait for `checkpoint`, because too few
   * witnesses have cosigned.
   */
  readonly isFinished: boolean;
  /** Warnings about the records. */
  readonly warnings: readonly Diagnostic[];
  /** Notes about what the user may not expect, in whole sentences. */
  readonly notes: readonly string[];
}

/** Makes the report of a publication. */
export function reportOf(outcome: Outcome, written: Written): BuildReport {
  const { output, served, signed, tree, warnings, log } = outcome;
  const { list, sha256, rootKey, development } = signed;
  // A pending list is kept, too, but it is new to those who read the tree.
  const kept = signed.kept && served?.list !== undefined && Buffer.compare(served.list, list.list) === 0;
  return {
    out: output.named,
    updatedAt: list.updatedAt,
    kept,
    warnings,
    log,
    written: written.written.length,
    unchanged: written.unchanged,
    removed: written.removed.length,
    issuers: list.records.size,
    sha256,
    rootKey: rootKey.thumbprint,
    development,
    bytes: [...tree.values()].reduce((size, { length }) => size + length, 0),
    isFinished: !lacksQuorum(log),
    notes: [
      ...logNotes(log),
      ...removalNotes(written, output.named),
      ...buildNotes(outcome),
      ...passedLimits(tree),
    ],
  };
}

const noteIf = (isNeeded: boolean | undefined, note: string): string[] => (isNeeded === true ? [note] : []);

/** How many removed files to name. */
const MAX_REMOVED = 5;

/** Names removed files that no earlier publication can have made, which may be all that somebody has of them, and other removals. */
function removalNotes({ removed }: Written, folder: string): string[] {
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
  'A witness has cosigned what this log lacks: the log is an old copy or forked, and that witness never cosigns it again. Publish nothing unless `status` says so.';

/** Returns notes about missing cosignatures. */
function logNotes(log: LogReport | undefined): string[] {
  if (log?.isForked === true) return [FORKED];
  return noteIf(
    lacksQuorum(log),
    'Too few witnesses have cosigned. Verifiers that require the quorum keep the list that they have, until it is too old for them: run `checkpoint` when the witnesses are back.',
  );
}

const lacksQuorum = (log: LogReport | undefined): boolean => log !== undefined && log.cosigned < log.quorum;

/** The results of the steps of a publication. */
interface Outcome extends Pick<BuildReport, 'warnings' | 'log'> {
  readonly output: OutputFolder;
  /** The paths of damaged files that were made again. */
  readonly repaired: readonly string[];
  /** The updated_at that the user requested. */
  readonly requested: string | undefined;
  /** What the registry's URL shows, as whole sentences. Undefined if there is nothing to say. */
  readonly answers: string | undefined;
  /** The tree that was in the folder before. */
  readonly served: PublishedTree | undefined;
  /** The same with its pending publication, which counts as published. */
  readonly published: PublishedTree | undefined;
  readonly signed: SignedPublication;
  /** The statements of the new tree. */
  readonly statements: ProvenStatements;
  readonly tree: Tree;
}

/** Returns notes about what the user may not expect, in whole sentences. */
function buildNotes(outcome: Outcome): string[] {
  const { output, repaired, requested, answers, published, signed, statements, tree } = outcome;
  const { updatedAt } = signed.list;
  const isFirst = published === undefined && !signed.development;
  const isUnused = signed.kept && requested !== undefined && requested !== updatedAt;
  return [
    ...noteIf(
      isUnused,
      `The records have not changed since ${updatedAt}, so the list keeps that time; ${requested} was not used.`,
    ),
    ...noteIf(
      isFirst,
      `${output.named} had no published list, so this is a first list: no rule for changes was checked.${answers === undefined ? '' : ` ${answers}`} If the registry has published before, restore its tree to ${output.named} first, and build again.`,
    ),
    ...noteIf(published !== undefined && answers !== undefined, answers ?? ''),
    ...newOnlineKeys(published?.statement, signed.statement),
    ...inheritedHolds(published, statements),
    ...(signed.kept ? [] : changeNotes(tree, updatedAt)),
    ...noteIf(
      repaired.length > 0,
      `These files were damaged or missing, and were made again: ${repaired.join(', ')}.`,
    ),
    ...noteIf(
      published?.signed === false,
      `The tree in ${output.named} was damaged, as after a killed build, and has been repaired.`,
    ),
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
    `From now on, the publication names ${names}, and no longer ${gone.join(' and ')}: if that is not meant, somebody else may have replaced the key, and registry.yaml is old.`,
  ];
}

/** After an online key has leaked, the holds of its checkpoints may be the thief's. */
function inheritedHolds(
  published: PublishedTree | undefined,
  { checkpoint, publication }: ProvenStatements,
): string[] {
  const before = published?.checkpoint;
  if (before === undefined || before.kid === published?.statement?.kid) return [];
  if (publication?.online?.keys.some(({ thumbprint }) => thumbprint === before.kid)) return [];
  const kept = before.hold.filter((id) => checkpoint?.hold.includes(id));
  if (kept.length === 0) return [];
  return [
    `The new checkpoint keeps what the checkpoint of ${before.kid} held, a key that the publication no longer names: ${kept.join(', ')}. If that key has leaked, find out who has held them, and end what was not yours: \`hold --end\` with the ids and --false-alarm.`,
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
