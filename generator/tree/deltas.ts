import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalBytes, type Issuer } from '@passport-registry/verifier';
import type { ListDiff } from '../list/list-diff.js';
import type { SignedList } from '../list/signed-list.js';
import { sha256 } from './checksums.js';
import { PATHS } from './paths.js';
import type { PublishedTree } from './published-tree.js';
import type { Tree } from './tree.js';

/** A verifier that is more lists behind than this downloads the whole list. */
const MAX_DELTAS = 16;
/** The maximum size of all deltas together, as a share of the list. Above it, downloading the list is better. */
const MAX_SIZE_SHARE = 0.25;

/**
 * Returns the deltas of a tree (docs/protocol.md, section 21): the delta from the published list to the new list, and
 * the published deltas that lead to the published list.
 *
 * @param published - the tree that the new tree replaces
 * @param diff - undefined if no list with a valid signature is published
 */
export function deltaFiles(
  published: PublishedTree | undefined,
  diff: ListDiff | undefined,
  signed: SignedList,
): Tree {
  const deltas = new Map<string, Uint8Array>();
  if (published === undefined || diff === undefined) return deltas;
  const publishedDeltas = readPublishedDeltas(published);
  const { list } = signed;
  let left = list.list.length * MAX_SIZE_SHARE;
  let to = signed.sha256;
  const from = diff.before.sha256;
  const newest =
    from === to ? publishedDeltas.get(to) : { from, bytes: encodeDelta(diff, list.updatedAt, to) };
  for (let next = newest; next !== undefined && deltas.size < MAX_DELTAS; next = publishedDeltas.get(to)) {
    left -= next.bytes.length;
    if (left < 0) break;
    deltas.set(PATHS.delta(next.from), next.bytes);
    to = next.from;
  }
  return deltas;
}

function encodeDelta({ before, changed, removed }: ListDiff, updated_at: string, to: string): Uint8Array {
  const issuers = [...changed.values()].map((bytes): Issuer => JSON.parse(new TextDecoder().decode(bytes)));
  return canonicalBytes({ from: before.sha256, to, updated_at, issuers, removed });
}

interface PublishedDelta {
  readonly from: string;
  readonly bytes: Uint8Array;
}

/**
 * Reads the published deltas, by the hash of the list that each produces. Skips a delta whose hash is not in
 * SHA256SUMS, because the file was changed after its publication.
 */
function readPublishedDeltas(published: PublishedTree): Map<string, PublishedDelta> {
  const found = new Map<string, PublishedDelta>();
  const folder = join(published.folder, 'deltas');
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return found;
  const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { name } of files) {
    const bytes = readFileSync(join(folder, name));
    if (published.checksums()?.get(`deltas/${name}`) !== sha256(bytes)) continue;
    const ends = parseEnds(bytes);
    if (ends !== undefined) found.set(ends.to, { from: ends.from, bytes });
  }
  return found;
}

/** Reads the hashes of the two lists that a delta connects. Returns undefined if the file is not a delta. */
function parseEnds(bytes: Buffer): { from: string; to: string } | undefined {
  try {
    const { from, to } = JSON.parse(bytes.toString('utf8'));
    return /^[0-9a-f]{64} [0-9a-f]{64}$/.test(`${from} ${to}`) ? { from, to } : undefined;
  } catch {
    return undefined;
  }
}
