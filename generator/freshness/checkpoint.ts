import type { Signer } from '../signing/sign.js';
import { CHECKSUMS_PATH } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import type { Tree } from '../tree/tree.js';
import { checkpointStatement } from './statements.js';

/** Which key signs a checkpoint, and for how long it holds. */
export interface CheckpointChoice {
  /** An online key that the root key has delegated, or the root key itself. */
  readonly signer: Signer;
  readonly hours: number;
}

/** A tree with its checkpoint signed anew; the tree itself when none is wanted. */
export async function withCheckpoint(
  tree: Tree,
  updatedAt: string,
  choice: CheckpointChoice | undefined,
): Promise<Tree> {
  if (choice === undefined) return tree;
  const bytes = (path: string) => tree.get(path) ?? new Uint8Array();
  const subject = { list: bytes(PATHS.list), checksums: bytes(CHECKSUMS_PATH), updatedAt };
  const text = await checkpointStatement(choice.signer, subject, choice.hours, Date.now());
  return new Map([...tree, [PATHS.checkpoint, Buffer.from(text)]]);
}
