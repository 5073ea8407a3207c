import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { formatNote, type LogTree, type SignedHead } from '@passport-registry/verifier/core';
import { IoFailed } from '../../generator/errors.js';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import { sha256 } from '../../generator/tree/checksums.js';

/** A log by its head, and the tree of its entries if they are known. */
export interface LogEvidence {
  readonly head: SignedHead;
  readonly tree: LogTree | undefined;
}

/** Returns the signed heads of a forked log as text: everybody who has the key of the log can verify them. */
export function headTexts(logs: readonly LogEvidence[]): readonly string[] {
  return logs.map(({ head }) => formatNote(head.note));
}

/**
 * Keeps two heads of a log that are not consistent, and the hashes of their entries. Whoever has them can compute both
 * roots, and see where the logs differ. The same two heads are kept once.
 *
 * @param folder - the folder of the monitor
 * @returns the folder with the evidence
 * @throws {@link IoFailed}
 */
export function keepEvidence(folder: string, known: LogEvidence, other: LogEvidence): string {
  const texts = headTexts([known, other]);
  const kept = join(folder, 'evidence', sha256(texts.join('')).slice(0, 16));
  try {
    mkdirSync(kept, { recursive: true });
  } catch (cause) {
    throw new IoFailed(`${kept} cannot be created: ${(cause as Error).message}`, { cause });
  }
  for (const [index, name] of ['known', 'other'].entries()) {
    const { tree } = index === 0 ? known : other;
    writeWholeFile(join(kept, `${name}.checkpoint`), texts[index] ?? '');
    if (tree === undefined) continue;
    const lines = tree.leaves.map((hash) => `${Buffer.from(hash).toString('hex')}\n`);
    writeWholeFile(join(kept, `${name}.hashes`), lines.join(''));
  }
  return kept;
}
