import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type RootKey, verifySignature } from '@passport-registry/verifier';
import { decodeUtf8 } from '@passport-registry/verifier/core';
import { readIfReadable } from '../files/read-file.js';
import type { SignedPublication } from '../list/list.js';
import { updatedAtOf } from '../list/updated-at.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import type { Tree } from '../tree/tree.js';
import { readUnverified } from './previous-checkpoint.js';

/** The number of older lists whose snapshots are kept (rule snapshots). */
const SNAPSHOTS_BEFORE = 2;

/** A list that was published before, with its signature. */
interface Snapshot {
  readonly hash: string;
  readonly list: Uint8Array;
  readonly signature: Uint8Array;
  /** Undefined if the snapshot has none. */
  readonly statement: Uint8Array | undefined;
  readonly updatedAt: string;
}

/**
 * The snapshots of the tree: the current list, the lists before, and the list that the checkpoint names.
 *
 * @param published - the published snapshots, newest first
 */
export function snapshotFiles(
  { list, sha256: current, signature, statement }: SignedPublication,
  published: readonly Snapshot[],
  checkpoint: Uint8Array | undefined,
): Tree {
  const files = new Map<string, Uint8Array>();
  files.set(PATHS.snapshot(current, PATHS.list), list.list);
  files.set(PATHS.snapshot(current, PATHS.signature), Buffer.from(signature));
  files.set(PATHS.snapshot(current, PATHS.publication), Buffer.from(statement.text));
  const named = checkpoint && readUnverified(checkpoint, 'registry-checkpoint+jwt')?.claims.sha256;
  const older = published.filter(({ hash }) => hash !== current);
  const kept = older.filter(({ hash }, index) => index < SNAPSHOTS_BEFORE || hash === named);
  for (const { hash, list: old, signature: its, statement: said } of kept) {
    files.set(PATHS.snapshot(hash, PATHS.list), old);
    files.set(PATHS.snapshot(hash, PATHS.signature), its);
    if (said !== undefined) files.set(PATHS.snapshot(hash, PATHS.publication), said);
  }
  return files;
}

/**
 * Reads the complete published snapshots, newest first. The name of a snapshot must be the payload hash of its list. A
 * snapshot without a signature by one of the root keys is dropped, because no verifier would accept it. If the first root
 * key is not known, a published snapshot may be its, and stays: without it, SHA256SUMS would change, and the published
 * checkpoint would no longer be for the tree.
 *
 * @param signers - the root keys that may have signed, and whether the first root key of all is among them
 */
export async function readPublishedSnapshots(
  { folder: out, checksums }: PublishedTree,
  { roots, isFirstKnown }: { readonly roots: readonly RootKey[]; readonly isFirstKnown: boolean },
): Promise<Snapshot[]> {
  const isPublished = (hash: string, signature: Uint8Array) =>
    checksums()?.get(PATHS.snapshot(hash, PATHS.signature)) === sha256(signature);
  const found: Snapshot[] = [];
  for (const hash of namesIn(join(out, 'snapshots'))) {
    const list = readIfReadable(out, PATHS.snapshot(hash, PATHS.list));
    const signature = readIfReadable(out, PATHS.snapshot(hash, PATHS.signature));
    if (list === undefined || signature === undefined || sha256(list) !== hash) continue;
    const mayBeOfFirst = !isFirstKnown && isPublished(hash, signature);
    if (!mayBeOfFirst && !(await isSignedByAny(list, signature, roots))) continue;
    const statement = readIfReadable(out, PATHS.snapshot(hash, PATHS.publication));
    found.push({ hash, list, signature, statement, updatedAt: updatedAtOf(list) ?? '' });
  }
  return found.sort((a, b) => (a.updatedAt > b.updatedAt ? -1 : 1));
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder does not exist, or is not a folder.
    return [];
  }
}

async function isSignedByAny(
  list: Uint8Array,
  signature: Uint8Array,
  roots: readonly RootKey[],
): Promise<boolean> {
  const verifications = roots.map(async (root) => verifySignature(list, decodeUtf8(signature), root));
  return (await Promise.allSettled(verifications)).some(({ status }) => status === 'fulfilled');
}
