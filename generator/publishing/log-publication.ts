import { UsageError } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import { readIfReadable } from '../files/read-file.js';
import { replacedFolders } from '../log/append.js';
import { type Cosigned, collectCosignatures } from '../log/collect.js';
import { type CosignChoice, type LogChoice, NO_WITNESSES } from '../log/log-choice.js';
import { damagedLog, entriesSince, LOG_FOLDER, PENDING_FOLDER, readLogHead } from '../log/log-files.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { hasTree, type PublishedTree } from '../tree/published-tree.js';
import type { Tree } from '../tree/tree.js';
import { type ExtendedLog, extendLog, type Publishing } from './extend-log.js';
import { type ProvableEntry, proveLogged } from './prove-logged.js';
import { addFiles, holds, removeFromTree, replaceStatements } from './write.js';

/** What a publication did with the log. */
export interface LogReport {
  /** The number of entries of the log. */
  readonly size: number;
  /** The number of witnesses that have cosigned the newest head, and the number that is demanded. */
  readonly cosigned: number;
  /** The number of witnesses that have cosigned now. The others have cosigned the same head before, or not at all. */
  readonly collected: number;
  readonly quorum: number;
  /** Why witnesses have not cosigned, in words. */
  readonly missing: readonly string[];
  /** Whether one of them has cosigned what the log lacks: it never cosigns what follows. */
  readonly isForked: boolean;
}

/**
 * Extends the log, writes its new entries and its head, collects the cosignatures of witnesses, and adds the proof to the tree
 * (rule log-write-order). Whoever can see the new head can also fetch the list that it names, although the published
 * list is still the old one. If witnesses are missing when the time is over, the publication goes on without them. A
 * first publication replaces nothing, so it never stops after the head.
 *
 * @param publishing - the verified tree, and the tree that is published so far
 * @returns undefined if the registry has no log
 * @throws the errors of {@link extendLog}; {@link IoFailed}
 */
export async function logPublication(
  publishing: Publishing,
  choice: LogChoice = NO_WITNESSES,
  output: OutputFolder,
) {
  const { out } = output;
  const { tree, signed } = publishing;
  const log = await extendLog(publishing, choice);
  if (log === undefined) return undefined;
  // The remains of a log whose head was never written, or of a development key.
  if (log.isNew) removeFromTree(out, LOG_FOLDER);
  const isFirst = !hasTree(out);
  const rootKey = tree.get(PATHS.rootKey) ?? new Uint8Array();
  const first: Tree = new Map(log.files.size > 0 && isFirst ? [[PATHS.rootKey, rootKey]] : []);
  const written = await addFiles(new Map([...first, ...log.files]), output);
  const collected = await collectCosignatures(log.head, choice, (path) => readIfReadable(out, path));
  const entry = { ...log, statement: signed.statement };
  const { files, report } = await proveCosigned(entry, collected, { folder: out, choice });
  return { log, tree: new Map([...tree, ...files]), written, report };
}

/**
 * Removes what only a pending publication needs, and partial tiles and bundles that full ones have replaced. Only after the
 * switch: before it, readers of the published head ask for them. Later, such readers get the full ones (C2SP tlog-tiles).
 */
export function removeReplacedFiles({ end }: ExtendedLog, { out }: OutputFolder): void {
  for (const folder of [PENDING_FOLDER, ...replacedFolders(end)]) removeFromTree(out, folder);
}

/** Makes the files that prove with new cosignatures that the log contains a publication, and says who has cosigned. */
async function proveCosigned(
  entry: ProvableEntry,
  { signatures, missing }: Cosigned,
  where: { readonly folder: string; readonly choice: CosignChoice },
) {
  const { files, cosigned } = await proveLogged(entry, signatures, where);
  const report: LogReport = {
    size: entry.head.size,
    cosigned,
    collected: signatures.length,
    quorum: where.choice.quorum,
    missing: missing.map(({ witness, problem }) => `${witness}: ${problem}`),
    isForked: missing.some(({ isOtherHistory }) => isOtherHistory === true),
  };
  return { files, report };
}

/**
 * Collects new cosignatures of the head of a published log, and writes the proof with them. Expects the folder to be locked.
 *
 * @throws {@link UsageError} if the tree has no log; {@link TreeRejected} | {@link IoFailed}
 */
export async function renewProof(
  published: PublishedTree | undefined,
  choice: CosignChoice,
  output: OutputFolder,
): Promise<LogReport> {
  const { out } = output;
  const entry = publishedEntry(published, out);
  const collected = await collectCosignatures(entry.head, choice, (path) => readIfReadable(out, path));
  const { files, report } = await proveCosigned(entry, collected, { folder: out, choice });
  const isChanged = [...files].some(([path, bytes]) => !holds(out, path, bytes));
  if (isChanged) await replaceStatements(files, output);
  return report;
}

/** Asserts that the files of a published log can prove its publication, before something is signed. @throws {@link TreeRejected} */
export async function assertProvable(
  published: PublishedTree,
  choice: CosignChoice,
  { out }: OutputFolder,
): Promise<void> {
  await proveLogged(publishedEntry(published, out), [], { folder: out, choice });
}

/** The head of a published log, and the entry of the published statement. */
function publishedEntry(published: PublishedTree | undefined, out: string): ProvableEntry {
  const read = (path: string) => readIfReadable(out, path);
  const head = readLogHead(read);
  const statement = published?.statement;
  if (head === undefined && statement?.log !== undefined) throw damagedLog('is missing');
  if (head === undefined || statement === undefined) {
    throw new UsageError(
      `${out} has no log: a log begins with a build for which registry.yaml has log.signer and log.origin`,
    );
  }
  const index = entriesSince(read, head.size, sha256(statement.text)).at(-1)?.index;
  if (index === undefined) throw damagedLog('has no entries');
  return { head, statement, index };
}
