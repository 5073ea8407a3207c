import { type IssuerRegistry, RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  type AboutIssuers,
  ANY_TIME,
  findMisnamed,
  forEachConcurrent,
  mayHaveLevels,
  type PublicationStatement,
  readAbout,
  readStatementsFile,
  type StatementsFile,
  sumsTree,
  verifyAbout,
  verifyPublicationStatement,
} from '@passport-registry/verifier/core';
import { IoFailed } from '../errors.js';
import { findAboutFaults } from '../list/about.js';
import { sha256 } from '../tree/checksums.js';
import { isHostFile } from '../tree/files.js';
import { PATHS } from '../tree/paths.js';
import { summedRecord } from '../tree/sums.js';
import { CONCURRENCY } from './ask-host.js';
import type { CheckedList } from './check-statements.js';
import { failIfAny, Problems, readOrReport, type SeenFiles } from './seen-files.js';

/**
 * Checks that the root key has signed the publication statement, and that it names the list of the tree
 * (rule statement-list). `checkFreshness` checks its times.
 */
export async function checkPublication(
  { publication }: StatementsFile,
  rootKey: RootKey,
  list: CheckedList,
): Promise<PublicationStatement> {
  const content = await verifyPublicationStatement(publication, rootKey, ANY_TIME);
  failIfAny(findMisnamed(content, factsOf(list)).map((problem) => `the publication statement ${problem}`));
  return content;
}

/** Returns what a statement must say of a list. */
export function factsOf({ list, registry: { updated_at: updatedAt, issuers } }: CheckedList) {
  return { sha256: sha256(list), size: list.length, updatedAt, issuers: issuers.length };
}

/**
 * Computes the tree of sums anew from the records, and compares it with the files of the tree and with the publication
 * statement (rule sums-whole). So a client that reads one record and a client that reads the list cannot see two
 * registries.
 */
export async function checkSums(
  files: SeenFiles,
  { issuers }: IssuerRegistry,
  { levels, sumsSha256 }: PublicationStatement,
): Promise<void> {
  const records = [];
  for (const { issuer_id } of issuers) {
    records.push(summedRecord(issuer_id, (await files.hash(PATHS.record(issuer_id))) ?? ''));
  }
  if (!mayHaveLevels(records, levels)) {
    throw new Problems([
      `the publication statement names ${levels} levels, but a tree of sums with ${records.length} records must not have ${levels}`,
    ]);
  }
  const expected = sumsTree(records, levels, sha256);
  const problems: string[] = [];
  if (expected.sha256 !== sumsSha256) {
    problems.push(
      `the publication statement names the tree of sums ${sumsSha256}, but that of the list is ${expected.sha256}`,
    );
  }
  await forEachConcurrent([...expected.files], CONCURRENCY, async ([path, bytes]) => {
    const found = await readOrReport(path, (path) => files.hash(path), problems);
    if (found !== undefined && found !== sha256(bytes)) problems.push(`${path} does not match the list`);
  });
  for (const path of files.paths() ?? []) {
    const isSums = path.startsWith('sums/') && !isHostFile(path);
    if (isSums && !expected.files.has(path)) problems.push(`${path} is not part of the tree of sums`);
  }
  failIfAny(problems.sort());
}

/**
 * Checks that `about.json` is the file that the publication statement names, and that it says what a build writes, and nothing else
 * (rule about-file).
 */
export async function checkAbout(
  files: SeenFiles,
  { issuers }: IssuerRegistry,
  { aboutSha256: named }: PublicationStatement,
): Promise<void> {
  if (named === undefined) {
    const isThere = (await files.get(PATHS.about)) !== undefined;
    if (isThere)
      throw new Problems([`${PATHS.about} is there, but the publication statement does not name it`]);
    throw new Problems(
      findAboutFaults(new Map(), issuers).map((fault) => `no ${PATHS.about}: the publication ${fault}`),
    );
  }
  const bytes = await files.require(PATHS.about);
  const hash = sha256(bytes);
  if (hash !== named) {
    throw new Problems([
      `the publication statement names the ${PATHS.about} ${named}, but the tree has ${hash}`,
    ]);
  }
  const about = readAbout(bytes, (message) => new Problems([`${PATHS.about} ${message}`]));
  failIfAny(findAboutFaults(about, issuers).map((fault) => `${PATHS.about} ${fault}`));
}

/**
 * Reads the names and reasons that are published with a verified list (rule about-file). They are for people, so no fault in
 * them is an error.
 *
 * @returns undefined if they are not known, because a file is missing, damaged, or of another publication
 */
export async function publishedAbout(
  files: SeenFiles,
  rootKey: RootKey,
  list: Uint8Array,
): Promise<AboutIssuers | undefined> {
  try {
    const { publication } = await readStatementsFile(files);
    const statement = await verifyPublicationStatement(publication, rootKey, ANY_TIME);
    if (statement.sha256 !== sha256(list)) return undefined;
    const about = statement.aboutSha256 === undefined ? undefined : await files.get(PATHS.about);
    return await verifyAbout(about, statement);
  } catch (error) {
    if (error instanceof RegistryError || error instanceof IoFailed) return undefined;
    throw error;
  }
}
