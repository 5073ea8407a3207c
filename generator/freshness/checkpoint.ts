import { CHECKSUMS_PATH } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import type { Tree } from '../tree/tree.js';
import { type CheckpointChoice, checkpointStatement } from './statements.js';

/** Adds a new checkpoint to a tree. Without a choice, returns the tree unchanged. */
export async function withCheckpoint(
  tree: Tree,
  updatedAt: string,
  choice: CheckpointChoice | undefined,
): Promise<Tree> {
  if (choice === undefined) return tree;
  const bytes = (path: string) => tree.get(path) ?? new Uint8Array();
  const subject = { list: bytes(PATHS.list), checksums: bytes(CHECKSUMS_PATH), updatedAt };
  const text = await checkpointStatement(choice, subject, Date.now());
  return new Map([...tree, [PATHS.checkpoint, Buffer.from(text)]]);
}
