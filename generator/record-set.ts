import { existsSync, lstatSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Issuer,
  type IssuerRegistry,
  RegistryError,
  type RootKey,
  verifyList,
} from '@passport-registry/verifier';
import { idOf } from './check-files.js';
import { collectRecordFiles, type RecordFile, recordFile, sortedOut } from './collect.js';
import { conform } from './conform.js';
import type { Diagnostic } from './diagnostic.js';
import { byId } from './difference.js';
import { TreeRejected } from './errors.js';
import { type ChangedPath, changedPaths, filesOf, type Revisions } from './git.js';
import { checkIds, type NamedRecord } from './ids.js';
import { parseRecordFile } from './parse.js';
import { PATHS } from './paths.js';
import { rootKeyOf } from './published.js';
import { hasRecordName } from './record-name.js';
import { folderSource, httpSource, signedPair, type TreeSource } from './tree-source.js';

/** The records of one side of a comparison, by issuer_id. Between two commits only those that differ. */
export interface RecordSet {
  readonly issuers: ReadonlyMap<string, Issuer>;
  /** The files that they stand in; none for a published list. */
  readonly files: ReadonlyMap<string, RecordFile>;
  /** What is wrong with the files. A file with an error has no part in `issuers`. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The records of a folder. @throws {@link UsageError} | {@link IoFailed} */
export async function recordsInFolder(folder: string): Promise<RecordSet> {
  const { files, diagnostics } = collectRecordFiles([folder]);
  return checked(files, diagnostics);
}

/**
 * The records of a published list, which must be rightly signed.
 *
 * @param pinned - the root key; without it the tree's own, which shows no more than that the tree is consistent
 * @throws {@link TreeRejected}
 */
export async function recordsPublished(where: string, pinned: RootKey | undefined): Promise<RecordSet> {
  const source = existsSync(where) ? folderSource(where) : httpSource(where);
  const { issuers } = await signedRegistry(source, pinned);
  return { issuers: byId(issuers), files: new Map(), diagnostics: [] };
}

async function signedRegistry(source: TreeSource, pinned: RootKey | undefined): Promise<IssuerRegistry> {
  const rootKey = pinned ?? (await rootKeyOf((await source.get(PATHS.rootKey))?.bytes));
  const pair = await signedPair(source);
  if (rootKey === undefined || pair === undefined) {
    throw new TreeRejected(
      `${source.name} publishes no list to compare with: there is no key, or no signed list`,
    );
  }
  try {
    return (await verifyList({ ...pair, rootKey })).registry;
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new TreeRejected(`${source.name} publishes no list to compare with: ${cause.message}`, { cause });
  }
}

/** The records of two versions, as far as they differ. @throws {@link UsageError} */
export function recordsOfRevisions(
  revisions: Revisions,
  folder: string,
): { before: RecordSet; after: RecordSet } {
  const changed = changedPaths(revisions, folder).filter(({ path }) => hasRecordName(path));
  const onSide = (commit: string | undefined, side: 'before' | 'after') => {
    const paths = changed.filter((one) => one[side]).map(({ path }: ChangedPath) => path);
    const contents =
      commit === undefined
        ? paths.map((path) => bytesIn(join(folder, path)))
        : filesOf(commit, paths, folder);
    const { files, diagnostics } = sortedOut(
      paths.map((path, index) => recordFile(join(folder, path), contents[index] ?? new Uint8Array())),
    );
    return checked(files, diagnostics);
  };
  return { before: onSide(revisions.before, 'before'), after: onSide(revisions.after, 'after') };
}

/** A link is what git makes of it: the text of where it leads, which is no record. */
function bytesIn(file: string): Uint8Array {
  return lstatSync(file).isSymbolicLink() ? Buffer.from(readlinkSync(file)) : readFileSync(file);
}

function checked(files: readonly RecordFile[], collecting: readonly Diagnostic[]): RecordSet {
  const issuers = new Map<string, Issuer>();
  const byStem = new Map<string, RecordFile>();
  const found: Diagnostic[] = [];
  const named: NamedRecord[] = [];
  for (const record of files) {
    const parsed = parseRecordFile(record);
    const conformed = conform(parsed);
    const id = idOf(parsed.value);
    found.push(...conformed.diagnostics);
    if (id !== undefined) {
      const { file, stem, locate } = parsed;
      named.push({ file, stem, id, range: () => locate(['issuer_id']) });
    }
    byStem.set(record.stem, record);
    if (conformed.record !== undefined) issuers.set(record.stem, conformed.record);
  }
  return { issuers, files: byStem, diagnostics: [...collecting, ...found, ...checkIds(named)] };
}
