import {
  assertSignedByLog,
  entryBytes,
  isSameHash,
  namedLogKey,
  type PlacedEntry,
  parseLogProof,
  provesEntry,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../errors.js';
import type { LogTree } from '../log/log-tree.js';

/** An entry of a publication, and the log that contains it. */
export interface ProvenEntry extends PlacedEntry {
  /** The publication statement, which names the key of the log. */
  readonly statement: Uint8Array | string;
  readonly tree: LogTree;
}

/**
 * Asserts that a proof shows that a log contains a publication: the key that the publication names has signed the head of the
 * proof, which is an earlier head of the log, or its newest one.
 *
 * @throws {@link TreeRejected}
 */
export async function assertProves(
  proof: Uint8Array,
  { index, entry, statement, tree }: ProvenEntry,
  path: string,
): Promise<void> {
  const invalid = (message: string) => new TreeRejected(`${path} ${message}`);
  const parsed = parseLogProof(proof, invalid);
  const { head } = parsed;
  await assertSignedByLog(head, await namedLogKey(statement, invalid), invalid);
  if (parsed.index !== index || !provesEntry(parsed, entryBytes(entry))) {
    throw invalid(`does not prove that the log contains its publication statement at ${index}`);
  }
  if (head.size > tree.size) throw invalid('is for a larger log than log/checkpoint');
  if (!isSameHash(await tree.rootAt(head.size), head.root)) {
    throw invalid('has a head that is not an earlier head of this log');
  }
}
