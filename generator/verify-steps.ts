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
import { decodeProtectedHeader } from 'jose';
import { ANY_AGE } from './assert-client-accepts.js';
import { CHECKSUMS_PATH, NOT_CHECKSUMMED, parseChecksums, sha256 } from './checksums.js';
import { holdsCompressed } from './compressed.js';
import { eachOf } from './each-of.js';
import { expiryOf } from './expiry.js';
import { HOST_FILES } from './host-files.js';
import { PATHS } from './paths.js';
import type { OnProgress } from './progress.js';
import { failIfAny, Problems, type SeenFiles } from './seen-files.js';

/** How many files are asked of a live host at a time. */
const CONCURRENCY = 16;

export async function checkRootKey(files: SeenFiles, pinned: RootKey | undefined): Promise<RootKey> {
  const bytes = await files.require(PATHS.rootKey);
  const published = await importRootKey(parsedKey(bytes));
  if (!sameBytes(bytes, canonicalBytes(published.jwk))) {
    throw new Problems([`${PATHS.rootKey} is not the key's canonical JWK with its thumbprint as kid`]);
  }
  if (pinned !== undefined && pinned.thumbprint !== published.thumbprint) {
    throw new Problems([
      `the tree publishes the key ${published.thumbprint}, pinned is ${pinned.thumbprint}`,
    ]);
  }
  return published;
}

function parsedKey(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Problems([`${PATHS.rootKey} is not JSON`]);
  }
}

export async function checkSignature(files: SeenFiles, rootKey: RootKey): Promise<Uint8Array> {
  const list = await files.require(PATHS.list);
  const signature = await files.require(PATHS.signature);
  await verifySignature(list, new TextDecoder().decode(signature), rootKey);
  return list;
}

/** @param canonical - whether the list that they are compared with is in canonical form */
export async function checkRecords(
  files: SeenFiles,
  { issuers }: IssuerRegistry,
  canonical: boolean,
  onProgress: OnProgress | undefined,
): Promise<void> {
  // What was parsed from canonical text is written as it was read.
  const spelt = (issuer: Issuer) =>
    canonical ? Buffer.from(JSON.stringify(issuer)) : canonicalBytes(issuer);
  let done = 0;
  const problems: string[] = [];
  await eachOf(issuers, CONCURRENCY, async (issuer) => {
    onProgress?.('comparing', done++, issuers.length);
    const path = PATHS.record(issuer.issuer_id);
    const bytes = await files.get(path);
    if (bytes === undefined) problems.push(`${path} is missing`);
    else if (!sameBytes(bytes, spelt(issuer))) problems.push(`${path} is not its entry in the list`);
  });
  const expected = new Set(issuers.map(({ issuer_id }) => PATHS.record(issuer_id)));
  for (const path of files.source.paths?.() ?? []) {
    const isRecord = path.startsWith('issuers/') && !HOST_FILES.includes(path);
    if (isRecord && !expected.has(path)) problems.push(`${path} has no entry in the list`);
  }
  failIfAny(problems.sort());
}

export async function checkChecksums(files: SeenFiles): Promise<void> {
  const sums = parseChecksums(new TextDecoder().decode(await files.require(CHECKSUMS_PATH)));
  if (sums === undefined) throw new Problems([`${CHECKSUMS_PATH} is not in the format of coreutils`]);
  const problems: string[] = [];
  const { live, withoutHostFiles = live } = files.source;
  const mayBeMissing = (path: string) => withoutHostFiles && HOST_FILES.includes(path);
  // A host hides them behind all sorts of answers.
  const reachable = [...sums].filter(([path]) => !(live && mayBeMissing(path)));
  await eachOf(reachable, CONCURRENCY, async ([path, hash]) => {
    const bytes = await files.get(path);
    if (bytes === undefined && mayBeMissing(path)) return;
    if (bytes === undefined) problems.push(`${path} is missing`);
    else if (sha256(bytes) !== hash) problems.push(`${path} has another hash than ${CHECKSUMS_PATH} says`);
  });
  problems.push(...(await wrongCopies(files)));
  const listed = (path: string) => sums.has(path) || NOT_CHECKSUMMED.includes(path);
  const present = files.source.paths?.() ?? [PATHS.list, PATHS.signature, PATHS.rootKey];
  problems.push(
    ...present.filter((path) => !listed(path)).map((path) => `${path} is not in ${CHECKSUMS_PATH}`),
  );
  failIfAny(problems.sort());
}

/** A host sends these in place of the list, to whoever accepts them. */
async function wrongCopies(files: SeenFiles): Promise<string[]> {
  const list = await files.get(PATHS.list);
  if (files.source.live || list === undefined) return [];
  const problems: string[] = [];
  for (const path of [PATHS.gzipped, PATHS.brotli]) {
    const bytes = await files.get(path);
    if (bytes !== undefined && !holdsCompressed(path, bytes, list)) {
      problems.push(`${path} is not the list, compressed`);
    }
  }
  return problems;
}

/** The texts of a checkpoint and of the delegation that it rests on; undefined when the root key signed it. */
export interface CheckpointTexts {
  readonly checkpoint: string;
  readonly delegation: string | undefined;
}

/** The checkpoint and what it rests on, as a client reads them; their age is another matter. */
export async function checkCheckpoint(files: SeenFiles, rootKey: RootKey): Promise<CheckpointTexts> {
  await openRegistry(files, { rootKey: rootKey.jwk, maxAge: ANY_AGE });
  const text = async (path: string) => new TextDecoder().decode(await files.require(path));
  const checkpoint = await text(PATHS.checkpoint);
  const byRoot = decodeProtectedHeader(checkpoint).kid === rootKey.thumbprint;
  return { checkpoint, delegation: byRoot ? undefined : await text(PATHS.delegation) };
}

/** Gives what soon expires. */
export function checkFreshness({ checkpoint, delegation }: CheckpointTexts, now: number): readonly string[] {
  const { expired, soon } = expiryOf(checkpoint, delegation, now);
  failIfAny(expired);
  return soon;
}

/** An id that no registry has: it is long, and made for this question. */
export const UNKNOWN_ID = 'no-such-issuer-0123456789abcdef';

export async function checkUnknownId({ source }: SeenFiles): Promise<void> {
  if ((await source.get(PATHS.record(UNKNOWN_ID))) !== undefined) {
    throw new Problems([`${PATHS.record(UNKNOWN_ID)} is served, expected 404`]);
  }
}

/** What a verifier's client makes of the host: here checkpoints and rotations count, too. */
export async function checkClient(base: string, rootKey: RootKey): Promise<void> {
  const client = createRegistryClient({ sources: [base], rootKey: rootKey.jwk, maxAge: ANY_AGE });
  try {
    await client.ready();
  } finally {
    client.close();
  }
}

function sameBytes(a: Uint8Array, b: Uint8Array): boolean {
  return Buffer.compare(a, b) === 0;
}
