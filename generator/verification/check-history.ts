import { LISTS_FOLDER } from '@passport-registry/verifier/core';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { changesBytes, parseChanges } from '../tree/site/changes.js';
import { failIfAny, readOrReport, type SeenFiles } from './seen-files.js';

/** Checks of the data about earlier lists: the lists that are named by their hash, and the changes. */

/**
 * Checks that the newest list is among those that are named by their hash, and that each of them has the hash in its name
 * (rule lists).
 *
 * @param newest - the hash of the newest list. Undefined if it is not known
 */
export async function checkLists(files: SeenFiles, newest: string | undefined): Promise<void> {
  const found = (files.paths() ?? []).filter((path) => path.startsWith(LISTS_FOLDER));
  const paths = new Set([...found, ...(newest === undefined ? [] : [PATHS.namedList(newest)])]);
  const problems: string[] = [];
  for (const path of paths) {
    const [, name] = /^lists\/([0-9a-f]{64})\.json$/.exec(path) ?? [];
    if (name === undefined) problems.push(`${path} is not a list that is named by its hash`);
    if (name === undefined) continue;
    const hash = await readOrReport(path, (path) => files.hash(path), problems);
    if (hash !== undefined && hash !== name) problems.push(`${path} does not have the hash in its name`);
  }
  failIfAny(problems.sort());
}

/** Checks the form of the changes. */
export async function checkChanges(files: SeenFiles): Promise<void> {
  const data = await files.require(PATHS.changes);
  const changes = parseChanges(data);
  if (changes === undefined) failIfAny([`${PATHS.changes} is not in the form that a build writes`]);
  else if (sha256(changesBytes(changes)) !== sha256(data))
    failIfAny([`${PATHS.changes} is not in canonical form`]);
}
