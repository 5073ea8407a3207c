import { assertSignedByLog, isSameHash, type NoteKey, parseHead } from '@passport-registry/verifier/internal';
import type { LogTree } from '../log/log-tree.js';
import { Problems } from './seen-files.js';

/** The log whose head a mirror has cosigned. */
interface CosignedLog {
  readonly origin: string;
  readonly tree: LogTree;
  /** Returns the key of the log when the log had a number of entries. */
  readonly keyAt: (size: number) => Promise<NoteKey>;
}

/**
 * Checks the head that a mirror has cosigned as a witness: the key of the log has signed it, and it is an earlier head of the
 * log, or its newest one. Whoever trusts the witness verifies the cosignature. A mirror that could not switch yet may have
 * cosigned a larger log.
 */
export async function checkCosignedHead(
  bytes: Uint8Array,
  { origin, tree, keyAt }: CosignedLog,
  path: string,
): Promise<void> {
  const invalid = (message: string) => new Problems([`${path} ${message}`]);
  const head = parseHead(bytes, invalid);
  if (head.origin !== origin) throw invalid(`is a head of ${head.origin}, not of ${origin}`);
  if (head.size <= tree.size && !isSameHash(await tree.rootAt(head.size), head.root)) {
    throw invalid('is not an earlier head of this log');
  }
  await assertSignedByLog(head, await keyAt(head.size), invalid);
}
