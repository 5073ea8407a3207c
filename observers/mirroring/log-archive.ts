import {
  forEachConcurrent,
  type IndexedPublication,
  isPublication,
  KeptProofs,
  type PublicationEntry,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { CONCURRENCY, isServed } from '../../generator/verification/ask-host.js';
import type { HeldLog } from './held-release.js';
import type { DownloadedLog } from './log-download.js';
import { LARGE_CONCURRENCY, type NewRelease } from './new-release.js';

/**
 * Adds what is kept of the publications in the log: their lists, and their first and last proofs. Files of the release being
 * served are linked. Called once the list of the tree is in the folder, so that it is not downloaded again.
 *
 * @param statement - the publication statement of the tree
 */
export async function downloadArchive(
  release: NewRelease,
  { log, statement }: { readonly log: DownloadedLog; readonly statement: string },
  held: HeldLog | undefined,
): Promise<void> {
  const publications = log.entries.filter(isPublication);
  const hash = sha256(statement);
  const published = publications.findIndex(({ entry }) => entry.sha256 === hash);
  const pending = publications.slice(published + 1).at(-1);
  if (pending !== undefined) await addPendingList(release, pending.entry);
  await addLists(release, publications, held);
  await addProofs(release, publications.slice(0, published + 1), { log, held });
}

/** Adds the list of a publication that is only in the log yet, and its signature. */
async function addPendingList(release: NewRelease, { list }: PublicationEntry): Promise<void> {
  await release.addAll([{ path: PATHS.snapshot(list, PATHS.list), hash: list, statedIn: 'the log' }]);
  const signature = PATHS.snapshot(list, PATHS.signature);
  if (!release.includes(signature)) await release.fetchUnlisted(signature);
}

async function addLists(
  release: NewRelease,
  publications: readonly IndexedPublication[],
  held: HeldLog | undefined,
): Promise<void> {
  const known = held?.entries.length ?? 0;
  const lists = (from: number, to: number) =>
    new Set(publications.filter(({ index }) => index >= from && index < to).map(({ entry }) => entry.list));
  // They never change, but a disk can damage them.
  const damaged = [...lists(0, known)].filter((list) => !release.addHeld(PATHS.loggedList(list), list));
  const fresh = [...damaged, ...lists(known, Number.POSITIVE_INFINITY)].filter(
    (list) => !release.includes(PATHS.loggedList(list)),
  );
  await forEachConcurrent(fresh, LARGE_CONCURRENCY, (list) => addList(release, list));
}

/** Adds the kept list of a new publication, if the source has kept it. */
async function addList(release: NewRelease, hash: string): Promise<void> {
  const path = PATHS.loggedList(hash);
  if (release.hasContent(hash)) {
    if (await isServed(release.sourceName, path)) await release.addAll([{ path, hash, statedIn: 'the log' }]);
    return;
  }
  const bytes = await release.fetch(path);
  if (bytes === undefined) return;
  if (sha256(bytes) !== hash) throw new TreeRejected(`${path} does not have the hash in its path`);
  release.addVerified(path, bytes);
}

/** @param publications - those whose proofs are kept, with the newest one last */
async function addProofs(
  release: NewRelease,
  publications: readonly IndexedPublication[],
  { log, held }: { readonly log: DownloadedLog; readonly held: HeldLog | undefined },
): Promise<void> {
  const newest = publications.at(-1);
  const isSameProof = newest !== undefined && release.isHeldAsIs(PATHS.logProof);
  // The first proof of a publication can be replaced as long as it is the newest one.
  const settled = isSameProof ? newest.index + 1 : (held?.published ?? 0);
  const proofs = new KeptProofs(log.tree);
  await forEachConcurrent(publications, CONCURRENCY, async (indexed) => {
    const { index } = indexed;
    const proven = { ...indexed, read: async () => release.read(PATHS.loggedStatement(index)) };
    const faultOf = (proof: Uint8Array) => proofs.faultOf(proof, proven);
    for (const path of [PATHS.firstProof(index), ...(indexed === newest ? [] : [PATHS.lastProof(index)])]) {
      await addProof(release, path, { isSettled: index < settled, faultOf });
    }
  });
}

/** A kept proof of a publication. */
interface KeptProof {
  /** Whether the proof cannot be replaced any more, so that the one of the release being served is good, unless it is damaged. */
  readonly isSettled: boolean;
  readonly faultOf: (proof: Uint8Array) => Promise<string | undefined>;
}

/** Adds a kept proof, if the source has it. A publication that was never completed has none. */
async function addProof(release: NewRelease, path: string, { isSettled, faultOf }: KeptProof): Promise<void> {
  if (isSettled) {
    if (release.held?.contains(path) !== true) return;
    const held = release.held.read(path);
    if (held !== undefined && (await faultOf(held)) === undefined) return release.addVerified(path, held);
  }
  const bytes = await release.fetch(path);
  if (bytes === undefined) return;
  const fault = await faultOf(bytes);
  if (fault !== undefined) throw new TreeRejected(`${path} ${fault}`);
  release.addVerified(path, bytes);
}
