import {
  canonicalBytes,
  createRegistryClient,
  type Issuer,
  type IssuerRegistry,
  importRootKey,
  openRegistry,
  type RootKey,
  verifySignature,
} from '@passport-registry/verifier';
import { decodeUtf8, parseStrictJson } from '@passport-registry/verifier/internal';
import { IoFailed } from '../errors.js';
import { forEachConcurrent } from '../for-each-concurrent.js';
import type { OnProgress } from '../progress.js';
import { CHECKSUMS_PATH, NOT_CHECKSUMMED, parseChecksums } from '../tree/checksums.js';
import { holdsCompressed } from '../tree/compressed.js';
import { HOST_FILES } from '../tree/host-configuration.js';
import { PATHS } from '../tree/paths.js';
import { ANY_AGE_SECONDS } from './assert-client-accepts.js';
import { isUnreachable } from './network-failure.js';
import { failIfAny, Problems, type SeenFiles } from './seen-files.js';

/** How many files are asked of a live host at a time. */
const CONCURRENCY = 16;

/** The root key that the tree publishes. */
export async function checkRootKey(files: SeenFiles): Promise<RootKey> {
  const bytes = await files.require(PATHS.rootKey);
  const published = await importRootKey(parsedKey(bytes));
  if (!sameBytes(bytes, canonicalBytes(published.jwk))) {
    throw new Problems([`${PATHS.rootKey} is not the key's canonical JWK with its thumbprint as kid`]);
  }
  return published;
}

function parsedKey(bytes: Uint8Array): unknown {
  try {
    return parseStrictJson(bytes);
  } catch (error) {
    throw new Problems([`${PATHS.rootKey} is not JSON: ${(error as Error).message}`]);
  }
}

/** The text of a file; what is not UTF-8 is a problem, and a byte order mark stays in the text, for its reader to refuse. */
async function textOf(files: SeenFiles, path: string): Promise<string> {
  const bytes = await files.require(path);
  try {
    return decodeUtf8(bytes);
  } catch {
    throw new Problems([`${path} is not UTF-8`]);
  }
}

export async function checkSignature(files: SeenFiles, rootKey: RootKey): Promise<Uint8Array> {
  const list = await files.require(PATHS.list);
  await verifySignature(list, await textOf(files, PATHS.signature), rootKey);
  return list;
}

/** What is read of a file; a file that cannot be read is a problem as any other, unless the host is gone. */
async function readable<T>(
  path: string,
  read: (path: string) => Promise<T | undefined>,
  problems: string[],
): Promise<T | undefined> {
  try {
    const found = await read(path);
    if (found === undefined) problems.push(`${path} is missing`);
    return found;
  } catch (error) {
    if (!(error instanceof IoFailed) || isUnreachable(error)) throw error;
    problems.push(error.message);
    return undefined;
  }
}

/** The list that records are compared with. */
interface ListOfRecords extends IssuerRegistry {
  /** Whether the list is in canonical form. */
  readonly canonical: boolean;
}

export async function checkRecords(
  files: SeenFiles,
  { issuers, canonical }: ListOfRecords,
  onProgress: OnProgress | undefined,
): Promise<void> {
  // What was parsed from canonical text is written as it was read.
  const spelt = (issuer: Issuer) =>
    canonical ? Buffer.from(JSON.stringify(issuer)) : canonicalBytes(issuer);
  let done = 0;
  const problems: string[] = [];
  await forEachConcurrent(issuers, CONCURRENCY, async (issuer) => {
    onProgress?.('comparing', done++, issuers.length);
    const path = PATHS.record(issuer.issuer_id);
    const bytes = await readable(path, (path) => files.read(path), problems);
    if (bytes !== undefined && !sameBytes(bytes, spelt(issuer)))
      problems.push(`${path} is not its entry in the list`);
  });
  const expected = new Set(issuers.map(({ issuer_id }) => PATHS.record(issuer_id)));
  for (const path of files.source.paths?.() ?? []) {
    const isRecord = path.startsWith('issuers/') && !HOST_FILES.includes(path);
    if (isRecord && !expected.has(path)) problems.push(`${path} has no entry in the list`);
  }
  failIfAny(problems.sort());
}

/** The hashes of SHA256SUMS by path. */
export async function readChecksums(files: SeenFiles): Promise<ReadonlyMap<string, string>> {
  const sums = parseChecksums(await textOf(files, CHECKSUMS_PATH));
  if (sums === undefined) throw new Problems([`${CHECKSUMS_PATH} is not in the format of coreutils`]);
  return sums;
}

/** @returns the hashes by path */
export async function checkChecksums(files: SeenFiles): Promise<ReadonlyMap<string, string>> {
  const sums = await readChecksums(files);
  const problems: string[] = [];
  const { live, withoutHostFiles = live } = files.source;
  const mayBeMissing = (path: string) => withoutHostFiles && HOST_FILES.includes(path);
  // A host hides them behind all sorts of answers.
  const reachable = [...sums].filter(([path]) => !(live && mayBeMissing(path)));
  await forEachConcurrent(reachable, CONCURRENCY, async ([path, expected]) => {
    const found: string[] = [];
    const hash = await readable(path, (path) => files.hash(path), found);
    if (hash !== undefined && hash !== expected) {
      found.push(`${path} does not match its hash in ${CHECKSUMS_PATH}`);
    }
    if (hash !== undefined || !mayBeMissing(path)) problems.push(...found);
  });
  problems.push(...(await wrongCopies(files)));
  const listed = (path: string) => sums.has(path) || NOT_CHECKSUMMED.includes(path);
  const present = files.source.paths?.() ?? [PATHS.list, PATHS.signature, PATHS.rootKey];
  problems.push(
    ...present.filter((path) => !listed(path)).map((path) => `${path} is not in ${CHECKSUMS_PATH}`),
  );
  failIfAny(problems.sort());
  return sums;
}

/**
 * All paths of a tree that can be known: those that the source lists, and those of SHA256SUMS.
 *
 * @param good - the hashes of SHA256SUMS, where they have been found to be good
 */
export async function pathsOf(
  files: SeenFiles,
  good: ReadonlyMap<string, string> | undefined,
): Promise<readonly string[]> {
  const sums = good ?? (await readChecksums(files).catch(() => new Map<string, string>()));
  return [...new Set([...(files.source.paths?.() ?? []), ...sums.keys()])];
}

/** A host sends these in place of the list, to whoever accepts them. */
async function wrongCopies(files: SeenFiles): Promise<string[]> {
  const list = await files.get(PATHS.list);
  if (files.source.live || list === undefined) return [];
  const problems: string[] = [];
  for (const path of [PATHS.gzipped, PATHS.brotli]) {
    const bytes = await files.read(path);
    if (bytes !== undefined && !holdsCompressed(path, bytes, list)) {
      problems.push(`${path} is not the list, compressed`);
    }
  }
  return problems;
}

/** An id that no registry has: it is long, and made for this question. */
export const UNKNOWN_ID = 'no-such-issuer-0123456789abcdef';

export async function checkUnknownId({ source }: SeenFiles): Promise<void> {
  if ((await source.get(PATHS.record(UNKNOWN_ID))) !== undefined) {
    throw new Problems([`${PATHS.record(UNKNOWN_ID)} is served, expected 404`]);
  }
}

/** What a verifier's client makes of the tree: the last word, by the very functions that verifiers run. */
export async function checkClient(files: SeenFiles, rootKey: RootKey): Promise<void> {
  const trust = { rootKey: rootKey.jwk, maxAge: ANY_AGE_SECONDS };
  if (!files.source.live) {
    await openRegistry(files, trust);
    return;
  }
  // Whether the host is fast enough for the default deadline depends on where the auditor is.
  const client = createRegistryClient({ sources: [files.source.name], timeout: 60, ...trust });
  try {
    await client.ready();
  } finally {
    client.close();
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
