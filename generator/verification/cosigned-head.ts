import { isSameHash, parseHead } from '@passport-registry/verifier/internal';
import type { LogTree } from '../log/log-tree.js';
import { Problems } from './seen-files.js';

/**
 * Checks the head that a mirror has cosigned as a witness: it is an earlier head of the log, or its newest one. Whoever trusts
 * the witness verifies the cosignature. A mirror that could not switch yet may have cosigned a larger log.
 */
export async function checkCosignedHead(
  bytes: Uint8Array,
  { origin, tree }: { readonly origin: string; readonly tree: LogTree },
  path: string,
): Promise<void> {
  const invalid = (message: string) => new Problems([`${path} ${message}`]);
  const head = parseHead(bytes, invalid);
  if (head.origin !== origin) throw invalid(`is a head of ${head.origin}, not of ${origin}`);
  if (head.size <= tree.size && !isSameHash(await tree.rootAt(head.size), head.root)) {
    throw invalid('is not an earlier head of this log');
  }
}
