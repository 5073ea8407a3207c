import { createHash } from 'node:crypto';
import { join, relative } from 'node:path';
import { type Diagnostic, diagnostic, type Finding, WHOLE_FILE } from '../diagnostics/diagnostic.js';
import { MAX_RECORD_BYTES } from '../diagnostics/rules.js';
import { type Repository, type Revisions, readObjects, treeEntries } from '../files/git.js';
import { attributesAbove } from '../files/git-attributes.js';
import {
  findRecordFiles,
  type RecordFile,
  readRecordFile,
  recordFile,
  shownPath,
  stemOf,
  tooLarge,
} from '../records/collect.js';
import { isCandidate, isVisible, RECORD_NAME, unsafePath } from '../records/record-name.js';

/** A file of one version. */
interface Version {
  /** Relative to the folder of the records. */
  readonly path: string;
  /** The git object id of the content; undefined for a rejected file. */
  readonly id: string | undefined;
  /** Why the file is rejected. */
  readonly refusal?: Diagnostic;
  /** The content, if it has been read. */
  readonly bytes?: Uint8Array;
}

/**
 * Reads the record files that differ between two versions of a folder. If the revisions have no `after`, the second
 * version is the folder on disk. A file that cannot be read as a record is a diagnostic.
 */
export function changedFiles(revisions: Revisions, folder: string, repository: Repository) {
  const before = versionsIn(revisions.before, folder, repository);
  const { after: commit } = revisions;
  const after =
    commit === undefined ? readFolderVersions(folder, before) : versionsIn(commit, folder, repository);
  const names = changedNames(before, after);
  const select = (versions: readonly Version[]) => {
    const selected = versions.filter(({ path }) => names.has(nameOf(path)));
    return readContents(selected, folder, repository);
  };
  const attributes = commit === undefined ? [] : changedAttributes(revisions.before, commit, repository);
  return { before: select(before), after: [...select(after), ...attributes] };
}

/**
 * Reports changed attributes in the folders above the records. Between commits, the bytes of git's objects are compared,
 * but a build reads files that a checkout has written.
 */
function changedAttributes(before: string, after: string, repository: Repository): Diagnostic[] {
  const [earlier, later] = [attributesAbove(before, repository), attributesAbove(after, repository)];
  const paths = [...new Set([...earlier.keys(), ...later.keys()])];
  return paths
    .filter((path) => earlier.get(path) !== later.get(path))
    .map((path) =>
      diagnostic(shownPath(relative('.', join(repository.top, path))), WHOLE_FILE, {
        rule: 'file-name',
        message: `${path} changes, so a checkout can write other records than those compared here`,
        expected: 'the earlier attributes',
        remedy: 'leave the file as it was; an operator can change it separately, with no change of records',
      }),
    );
}

/** Two files with the same name are the same issuer or duplicates, so if one of them has changed, both are compared. */
function changedNames(before: readonly Version[], after: readonly Version[]): Set<string> {
  const known = new Map(before.map(({ path, id }) => [path, id]));
  const names = new Set<string>();
  for (const { path, id } of after) {
    // A rejected file has no id and always counts as changed: the target of a link can change without the link.
    if (id === undefined || known.get(path) !== id) names.add(nameOf(path));
    known.delete(path);
  }
  for (const path of known.keys()) names.add(nameOf(path));
  return names;
}

function nameOf(path: string): string {
  return stemOf(path).toLowerCase();
}

function versionsIn(commit: string, folder: string, repository: Repository): Version[] {
  return treeEntries(commit, repository)
    .filter(({ path, kind }) => isListed(path, kind !== 'file'))
    .map(({ path, kind, id }) => {
      const finding = refusalOf(path, kind);
      if (finding === undefined) return { path, id };
      return { path, id: undefined, refusal: diagnosticAt(folder, path, finding) };
    });
}

/** A link or a submodule may be a folder, so its name need not be that of a record. */
function isListed(path: string, mayBeFolder: boolean): boolean {
  return path.split('/').every(isVisible) && (mayBeFolder || isCandidate(path));
}

function refusalOf(path: string, kind: 'file' | 'link' | 'submodule'): Finding | undefined {
  const unsafe = unsafePath(path);
  if (unsafe !== undefined) return unsafe;
  if (kind === 'submodule') return { rule: 'file-kind', message: 'this is a submodule' };
  if (kind === 'link') {
    return { rule: 'file-kind', message: 'this is a symbolic link, which a comparison does not follow' };
  }
  if (RECORD_NAME.test(path)) return undefined;
  return { rule: 'file-name', message: `${path} does not end in .yaml or .yml` };
}

/** Reads each file in the folder once, and computes the id that git would give the content. */
function readFolderVersions(folder: string, before: readonly Version[]): Version[] {
  const algorithm = before.some(({ id }) => id?.length === SHA256_LENGTH) ? 'sha256' : 'sha1';
  const start = join(folder, 'x').length - 1;
  return findRecordFiles([folder]).map((found) => {
    const path = shownPath(found.file.slice(start));
    const finding = found.root === undefined ? undefined : refusalOf(path, 'link');
    if (finding !== undefined) return { path, id: undefined, refusal: diagnosticAt(folder, path, finding) };
    const bytes = readRecordFile(found);
    if (!(bytes instanceof Uint8Array)) return { path, id: undefined, refusal: bytes };
    const id = createHash(algorithm).update(`blob ${bytes.length}\0`).update(bytes).digest('hex');
    return { path, id, bytes };
  });
}

const SHA256_LENGTH = 64;

function readContents(
  versions: readonly Version[],
  folder: string,
  repository: Repository,
): (RecordFile | Diagnostic)[] {
  const missingIds = versions.flatMap(({ id, bytes }) =>
    id === undefined || bytes !== undefined ? [] : [id],
  );
  const objects = readObjects(missingIds, MAX_RECORD_BYTES, repository);
  return versions.map(({ path, id = '', refusal, bytes }) => {
    if (refusal !== undefined) return refusal;
    const content = bytes ?? objects.get(id) ?? 0;
    if (typeof content === 'number') return diagnosticAt(folder, path, tooLarge(content));
    return recordFile(join(folder, path), content);
  });
}

function diagnosticAt(folder: string, path: string, finding: Finding): Diagnostic {
  return diagnostic(shownPath(join(folder, path)), WHOLE_FILE, finding);
}
