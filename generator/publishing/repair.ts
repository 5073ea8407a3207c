import { importRootKey, RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  type AnyEntry,
  bundlePath,
  canonicalBytes,
  entryBytes,
  hashesOf,
  type IndexedEntry,
  isSameBytes,
  LogTree,
  parseAnyEntry,
  parseBundle,
  readLogged,
  readRotation,
  type SignedHead,
  TILE_WIDTH,
  tilePath,
  tileWidth,
} from '@passport-registry/verifier/core';
import { ignoring, TreeRejected } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import { readIfReadable } from '../files/read-file.js';
import { appendEntries, replacedFolders } from '../log/append.js';
import { EMPTY_LOG, LOG_FOLDER, readLogHead, rootOf } from '../log/log-files.js';
import { parseChecksums, sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { isSigned, rootKeyOf } from '../tree/published-tree.js';
import { type ArchiveFault, findArchiveFaults } from '../verification/log-archive.js';
import { SeenFiles } from '../verification/seen-files.js';
import { folderSource, type TreeSource } from '../verification/tree-source.js';
import { addFiles, removeFromTree } from './write.js';

/**
 * Repairs a tree whose files a disk or a loss of power has damaged: the root key, without which nothing else can be judged, and a
 * log. Entries, statements and tiles follow from each other and from the signed head, so most files can be made again. A
 * build reads only the end of the log, so damage in the middle of it would stay.
 *
 * @param rootKey - the key that signs, which may be the one that is lost
 * @throws {@link TreeRejected} if a file of the log cannot be made again. The tree is left unchanged
 */
export async function repairTree(output: OutputFolder, rootKey: RootKey): Promise<Repair> {
  const repair = await findRepair(output.out, rootKey);
  if (repair.lost !== undefined) throw new TreeRejected(repair.lost);
  // A folder may be in its place.
  if (repair.files.has(PATHS.rootKey)) removeFromTree(output.out, PATHS.rootKey);
  if (repair.files.size > 0) await addFiles(repair.files, output);
  return repair;
}

/** What can be made again of a tree. */
interface Repair {
  /** The files to write. */
  readonly files: ReadonlyMap<string, Buffer>;
  /** What cannot be made again, and what to do. Undefined if nothing is lost. */
  readonly lost: string | undefined;
  /** Whether files of the log belong to no entry. */
  readonly hasStrays: boolean;
}

/**
 * Finds the damaged files of a tree that can be made again, and writes nothing.
 *
 * @param rootKey - a key that may be the one of the tree
 * @throws {@link TreeRejected} if the head of the log is damaged
 */
export async function findRepair(out: string, rootKey: RootKey | undefined): Promise<Repair> {
  const read = (path: string) => readIfReadable(out, path);
  const sums = parseChecksums(read(PATHS.checksums)?.toString('utf8') ?? '') ?? new Map<string, string>();
  const files = new Map(await repairedRootKey(sums, rootKey, read));
  const log = await readWholeLog(read);
  if (log === undefined) return { files, lost: undefined, hasStrays: false };
  const { entries } = log;
  const statements = repairedStatements(entries, read);
  for (const [path, bytes] of [...repairedTiles(log, read), ...statements.files]) files.set(path, bytes);
  const whole: Read = (path: string) => files.get(path) ?? read(path);
  for (const [path, bytes] of [
    ...repairedCopies(entries, sums, whole),
    ...(await repairedList(sums, whole)),
  ]) {
    files.set(path, bytes);
  }
  const faults = await faultsOf(log, out, files);
  const lost = statements.lost ?? lostIn(faults, log.replaced);
  return { files, lost, hasStrays: faults.some(({ isStray }) => isStray) };
}

/** Reads a file of the tree; undefined if there is no such file. */
type Read = (path: string) => Buffer | undefined;

type Entries = readonly IndexedEntry[];

/** A log whose entries belong to its head. */
interface WholeLog {
  readonly entries: Entries;
  /** The tiles and bundles that follow from the entries, by path. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  /** The folders of partial tiles and bundles that full ones have replaced. The next publication removes them. */
  readonly replaced: readonly string[];
}

/** Reads a log from its bundles, or else from its statements. Undefined if neither belong to the head. */
async function readWholeLog(read: Read): Promise<WholeLog | undefined> {
  const head = readLogHead(read);
  if (head === undefined) return undefined;
  const bundled = entriesInBundles(read, head.size);
  const log = await wholeLog(head, bundled);
  if (log !== undefined) return log;
  const stated = await entriesInStatements(read, head.size);
  // If neither is whole, the next step of the build tells what is wrong.
  return (
    (await wholeLog(
      head,
      bundled.map((entry, index) => entry ?? stated[index]),
    )) ??
    (await wholeLog(
      head,
      stated.map((entry, index) => entry ?? bundled[index]),
    ))
  );
}

/** Returns the log of some entries. Undefined if they do not lead to the head. */
async function wholeLog(
  { size, root }: SignedHead,
  found: readonly (AnyEntry | undefined)[],
): Promise<WholeLog | undefined> {
  const entries = found.flatMap((entry, index) => (entry === undefined ? [] : [{ index, entry }]));
  const { end, files } = appendEntries(
    EMPTY_LOG,
    entries.map(({ entry }) => entryBytes(entry)),
  );
  if (end.size !== size || !isSameBytes(await rootOf(end), root)) return undefined;
  return { entries, files, replaced: replacedFolders(end).map((folder) => `${folder}/`) };
}

const unreadable = (message: string) => new TreeRejected(message);

function entriesInBundles(read: Read, size: number): (AnyEntry | undefined)[] {
  const entries: (AnyEntry | undefined)[] = Array.from({ length: size });
  for (let index = 0; index * TILE_WIDTH < size; index++) {
    const width = tileWidth(0, index, size);
    const bytes =
      read(LOG_FOLDER + bundlePath({ index, width })) ??
      read(LOG_FOLDER + bundlePath({ index, width: TILE_WIDTH }));
    try {
      for (const [at, entry] of parseBundle(bytes ?? new Uint8Array(), unreadable).entries()) {
        if (at < width) entries[index * TILE_WIDTH + at] = parseAnyEntry(entry, unreadable);
      }
    } catch (error) {
      if (!(error instanceof TreeRejected)) throw error;
    }
  }
  return entries;
}

async function entriesInStatements(read: Read, size: number): Promise<(AnyEntry | undefined)[]> {
  const entries: (AnyEntry | undefined)[] = [];
  for (let index = 0; index < size; index++) {
    const bytes = read(PATHS.loggedStatement(index));
    const steps = entries.filter((entry) => entry?.type === 'rotation').length;
    try {
      entries.push(bytes && (await readLogged(bytes, steps, unreadable)).entry);
    } catch (error) {
      if (!(error instanceof TreeRejected)) throw error;
      entries.push(undefined);
    }
  }
  return entries;
}

type Repaired = [path: string, bytes: Buffer];

const isReplaced = (path: string, replaced: WholeLog['replaced']) =>
  replaced.some((folder) => path.startsWith(folder));

/** The hashes in SHA256SUMS, by path. Empty if the file is damaged. */
type Sums = ReadonlyMap<string, string>;

/**
 * Makes a missing or damaged root key again: it is the given one, or one to which the rotation leads. The hash in SHA256SUMS tells
 * which, so neither a host nor a rotation that somebody else has made decides.
 */
async function repairedRootKey(sums: Sums, known: RootKey | undefined, read: Read): Promise<Repaired[]> {
  if ((await rootKeyOf(read(PATHS.rootKey))) !== undefined) return [];
  const rotation = async () => readRotation(read(PATHS.rotation) ?? '[]');
  const steps = (await rotation().catch(ignoring(RegistryError))) ?? [];
  const next = steps.map(({ claims }) => importRootKey(claims.next_root).catch(ignoring(RegistryError)));
  const keys = [known, ...(await Promise.all(next))].flatMap((key) => key ?? []);
  const files = keys.map(({ jwk }) => Buffer.from(canonicalBytes(jwk)));
  const bytes = files.find((one) => sha256(one) === sums.get(PATHS.rootKey));
  return bytes === undefined ? [] : [[PATHS.rootKey, bytes]];
}

/** Makes the tiles and bundles that are damaged or missing, but for those that a full one has replaced. */
function repairedTiles({ files, replaced }: WholeLog, read: Read): Repaired[] {
  return [...files].flatMap(([path, bytes]): Repaired[] => {
    const isWhole = isReplaced(path, replaced) || read(path)?.equals(bytes) === true;
    return isWhole ? [] : [[path, Buffer.from(bytes)]];
  });
}

/** Finds the statements that are damaged or missing in other places of the tree. */
function repairedStatements(entries: Entries, read: Read) {
  const others = new Map<string, Buffer>();
  const add = (bytes: Buffer | undefined) => bytes && others.set(sha256(bytes), bytes);
  for (const path of [PATHS.publication, PATHS.delegation]) add(read(path));
  for (const step of stepsIn(read)) add(Buffer.from(step));
  const files: Repaired[] = [];
  let lost: string | undefined;
  for (const { index, entry } of entries) {
    const path = PATHS.loggedStatement(index);
    if (hashAt(read, path) === entry.sha256) continue;
    const found = others.get(entry.sha256);
    if (found !== undefined) files.push([path, found]);
    else lost ??= `${path} is damaged or missing: ${RESTORE}`;
  }
  return { files, lost };
}

const RESTORE = 'restore it from a mirror, from a backup or from git';

function stepsIn(read: Read): readonly string[] {
  try {
    return JSON.parse(read(PATHS.rotation)?.toString() ?? '[]');
  } catch {
    return [];
  }
}

function hashAt(read: Read, path: string): string | undefined {
  const bytes = read(path);
  return bytes && sha256(bytes);
}

/**
 * Finds statements outside of the log that are missing or cut short: the publication and the delegation. SHA256SUMS names their
 * hashes, and the log has them.
 */
function repairedCopies(entries: Entries, sums: Sums, read: Read): Repaired[] {
  return [...sums].flatMap(([path, hash]): Repaired[] => {
    if (path !== PATHS.delegation && path !== PATHS.publication) return [];
    const indexed = entries.find(({ entry }) => entry.sha256 === hash);
    const whole = indexed && read(PATHS.loggedStatement(indexed.index));
    return whole !== undefined && isCutShort(read(path), whole) ? [[path, whole]] : [];
  });
}

/** Whether a file is missing, empty or ends too early, as after a loss of power. Files that somebody has edited do not. */
function isCutShort(found: Buffer = Buffer.alloc(0), whole: Buffer): boolean {
  return found.length < whole.length && found.equals(whole.subarray(0, found.length));
}

/** Restores the list that SHA256SUMS names, if the published list is missing or cut short, and its signature is there. */
async function repairedList(sums: Sums, read: Read): Promise<Repaired[]> {
  const hash = sums.get(PATHS.list);
  const list = hash === undefined ? undefined : read(PATHS.namedList(hash));
  const rootKey = await rootKeyOf(read(PATHS.rootKey));
  if (list === undefined || rootKey === undefined || !isCutShort(read(PATHS.list), list)) return [];
  const isGood = await isSigned(list, read(PATHS.signature)?.toString('utf8'), rootKey);
  return isGood ? [[PATHS.list, list]] : [];
}

/** Returns what cannot be made again, and what to do. What a later step of the build removes is not lost. */
function lostIn(faults: readonly ArchiveFault[], replaced: readonly string[]): string | undefined {
  const isRemoved = ({ path, isStray }: ArchiveFault) =>
    isStray ? OF_PUBLICATIONS.test(path) : isReplaced(path, replaced);
  const fault = faults.find((one) => !isRemoved(one));
  if (fault === undefined) return undefined;
  const remedy = fault.isStray ? 'remove it' : RESTORE;
  return `${fault.problem}: ${remedy}`;
}

/** What a publication writes below `log/`. */
const OF_PUBLICATIONS = /^log\/(?:pending|statements|tile)\//;

/**
 * Finds what is wrong with the files of a log, but for the tiles, which follow from its entries: `repairedTiles` has compared
 * them.
 *
 * @param repaired - what is about to be written
 */
function faultsOf(
  { entries, files: tiles, replaced }: WholeLog,
  out: string,
  repaired: ReadonlyMap<string, Uint8Array> = new Map(),
): Promise<readonly ArchiveFault[]> {
  const folder = folderSource(out);
  const source: TreeSource = {
    ...folder,
    get: async (path) => {
      const bytes = repaired.get(path);
      return bytes === undefined ? folder.get(path) : { bytes };
    },
  };
  const tree = new LogTree(leavesIn(tiles, entries.length));
  const isVerified = (path: string) => tiles.has(path) && !isReplaced(path, replaced);
  return findArchiveFaults(new SeenFiles(source), { entries, tree, isVerified });
}

/** Returns the hashes of the entries of a log, which its tiles have. */
function leavesIn(tiles: WholeLog['files'], size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(size / TILE_WIDTH) }, (_one, index) => {
    const address = { level: 0, index, width: tileWidth(0, index, size) };
    return hashesOf(tiles.get(LOG_FOLDER + tilePath(address)) as Uint8Array);
  }).flat();
}

/**
 * Removes what belongs to no entry of a log: the remains of a publication that was killed before its head was written. Auditors
 * would refuse the tree for them.
 */
export async function removeStrays({ out }: OutputFolder): Promise<void> {
  const log = await readWholeLog((path) => readIfReadable(out, path));
  if (log === undefined) return;
  for (const { path, isStray } of await faultsOf(log, out)) {
    if (isStray && OF_PUBLICATIONS.test(path)) removeFromTree(out, path);
  }
}
