import {
  createRegistryClient,
  type Issuer,
  type IssuerRegistry,
  importRootKey,
  type RootKey,
  verifySignature,
} from '@passport-registry/verifier';
import {
  canonicalBytes,
  decodeUtf8,
  forEachConcurrent,
  parseStrictJson,
  sumsPath,
} from '@passport-registry/verifier/core';
import { patientFetch } from '@passport-registry/verifier/http';
import type { OnProgress } from '../progress.js';
import { parseChecksums } from '../tree/checksums.js';
import { isChecksummed, isHostFile, isUnlisted, roleOf } from '../tree/files.js';
import { PATHS } from '../tree/paths.js';
import { verifyAnyAge } from './accept.js';
import { CONCURRENCY } from './ask-host.js';
import { type PinnedTrust, trustAnchorOf } from './pinned-trust.js';
import { failIfAny, Problems, readOrReport, type SeenFiles } from './seen-files.js';

/** Reads the root key that the tree publishes. */
export async function checkRootKey(files: SeenFiles): Promise<RootKey> {
  const bytes = await files.require(PATHS.rootKey);
  const published = await importRootKey(parseKey(bytes));
  if (Buffer.compare(bytes, canonicalBytes(published.jwk)) !== 0) {
    throw new Problems([`${PATHS.rootKey} is not the key's canonical JWK with its thumbprint as kid`]);
  }
  return published;
}

function parseKey(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    throw new Problems([`${PATHS.rootKey} is not JSON: ${(error as Error).message}`]);
  }
}

/** Reads a file as UTF-8. A byte order mark stays in the text, so that the parser rejects the file. */
async function readUtf8(files: SeenFiles, path: string): Promise<string> {
  const bytes = await files.require(path);
  try {
    return decodeUtf8(bytes);
  } catch {
    throw new Problems([`${path} is not UTF-8`]);
  }
}

export async function checkSignature(files: SeenFiles, rootKey: RootKey): Promise<Uint8Array> {
  const list = await files.require(PATHS.list);
  await verifySignature(list, await readUtf8(files, PATHS.signature), rootKey);
  return list;
}

/** Checks that each record of a list has its file. @param list - and whether it is in canonical form */
export async function checkRecordFiles(
  files: SeenFiles,
  { issuers, canonical }: IssuerRegistry & { readonly canonical: boolean },
  onProgress: OnProgress | undefined,
): Promise<void> {
  // JSON.stringify restores the bytes of records that were parsed from canonical JSON.
  const encode = (issuer: Issuer) =>
    canonical ? Buffer.from(JSON.stringify(issuer)) : canonicalBytes(issuer);
  let done = 0;
  const problems: string[] = [];
  await forEachConcurrent(issuers, CONCURRENCY, async (issuer) => {
    onProgress?.('comparing', done++, issuers.length);
    const path = PATHS.record(issuer.issuer_id);
    const bytes = await readOrReport(path, (path) => files.read(path), problems);
    if (bytes !== undefined && Buffer.compare(bytes, encode(issuer)) !== 0)
      problems.push(`${path} is not its entry in the list`);
  });
  const expected = new Set(issuers.map(({ issuer_id }) => PATHS.record(issuer_id)));
  for (const path of files.paths() ?? []) {
    const isRecord = path.startsWith('issuers/') && !isHostFile(path);
    if (isRecord && !expected.has(path)) problems.push(`${path} has no entry in the list`);
  }
  failIfAny(problems.sort());
}

/** Reads the hashes in SHA256SUMS, by path. */
async function readChecksums(files: SeenFiles): Promise<ReadonlyMap<string, string>> {
  const sums = parseChecksums(await readUtf8(files, PATHS.checksums));
  if (sums === undefined) throw new Problems([`${PATHS.checksums} is not in the format of coreutils`]);
  return sums;
}

/** The files of every tree that must be in SHA256SUMS. A live host has no listing of its files. */
const ALWAYS_THERE: readonly string[] = [PATHS.list, PATHS.signature, PATHS.rootKey];
/** Those of a tree with a publication statement, too. */
const STATED_FILES: readonly string[] = [PATHS.publication, sumsPath('')];

/**
 * Compares every file with its hash in SHA256SUMS. A file that this version does not know, or that is not listed, is refused,
 * unless a later version may have added it (rule later-versions).
 *
 * @param isStated - whether the tree has a publication statement. Its tree of sums lists the records, and SHA256SUMS
 *   does not. Without the statement, SHA256SUMS lists everything
 * @returns the hashes by path
 */
export async function checkChecksums(
  files: SeenFiles,
  isStated: boolean,
): Promise<ReadonlyMap<string, string>> {
  const sums = await readChecksums(files);
  const problems: string[] = [];
  const { live, withoutHostFiles = live } = files.source;
  // A mirror leaves out what a later version has added if nothing proves SHA256SUMS.
  const mayBeMissing = (path: string) => withoutHostFiles && (isHostFile(path) || roleOf(path) === 'added');
  // Hosts hide their configuration files behind all kinds of responses.
  const reachable = [...sums].filter(([path]) => !(live && isHostFile(path)));
  await forEachConcurrent(reachable, CONCURRENCY, async ([path, expected]) => {
    const found: string[] = [];
    const hash = await readOrReport(path, (path) => files.hash(path), found);
    if (hash !== undefined && hash !== expected) {
      found.push(`${path} does not match its hash in ${PATHS.checksums}`);
    }
    if (hash !== undefined || !mayBeMissing(path)) problems.push(...found);
  });
  const isElsewhere = (path: string) => (isStated ? !isChecksummed(path) : isUnlisted(path));
  const listed = (path: string) => sums.has(path) || isElsewhere(path);
  for (const path of sums.keys()) {
    if (isElsewhere(path)) problems.push(`${PATHS.checksums} lists ${path}, which it must not list`);
    else if (roleOf(path) === 'refused')
      problems.push(`${PATHS.checksums} lists ${path}, which no version of a registry has`);
  }
  for (const path of files.paths() ?? [...ALWAYS_THERE, ...(isStated ? STATED_FILES : [])]) {
    if (listed(path) || (roleOf(path) === 'added' && files.isRegular(path))) continue;
    problems.push(`${path} is not in ${PATHS.checksums}`);
  }
  failIfAny(problems.sort());
  return sums;
}

/**
 * Returns all known paths of a tree: those that the source lists, and those in SHA256SUMS.
 *
 * @param verified - the hashes in SHA256SUMS, if they have been verified
 */
export async function pathsOf(
  files: SeenFiles,
  verified: ReadonlyMap<string, string> | undefined,
): Promise<readonly string[]> {
  const sums = verified ?? (await readChecksums(files).catch(() => new Map<string, string>()));
  return [...new Set([...(files.paths() ?? []), ...sums.keys()])];
}

/** The maximum age for a client that accepts lists of any age: the client takes no infinite one. */
const HUNDRED_YEARS_SECONDS = 100 * 365 * 24 * 60 * 60;

/** An id that no registry has. */
export const UNKNOWN_ID = 'no-such-issuer-0123456789abcdef';

export async function checkUnknownId({ source }: SeenFiles): Promise<void> {
  if ((await source.get(PATHS.record(UNKNOWN_ID))) !== undefined) {
    throw new Problems([`${PATHS.record(UNKNOWN_ID)} is served, expected 404`]);
  }
}

/** Reads the tree with the client of the verifier library: the code that verifiers run has the last word. */
export async function checkClient(files: SeenFiles, trusted: PinnedTrust, now?: number): Promise<void> {
  if (!files.source.live) {
    await verifyAnyAge(files, trusted, now);
    return;
  }
  const trust = { trustAnchor: trustAnchorOf(trusted), maxAge: HUNDRED_YEARS_SECONDS };
  // A longer time limit than the default, because the connection of the auditor may be slow.
  const options = { sources: [files.source.name], timeout: 60, fetch: patientFetch(), ...trust };
  const client = createRegistryClient(options);
  try {
    await client.ready();
  } finally {
    client.close();
  }
}
