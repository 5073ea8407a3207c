import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  entryBytes,
  formatLogProof,
  type LogEntry,
  parseLogProof,
  publicationEntry,
  statementHash,
} from '@passport-registry/verifier/core';
import { cosignatureBy, invalid, noteSigner, pairIn } from './note-keys.js';
import { claimsOf } from './signed-tree.js';
import { readTreeFile, STATEMENT_PATHS } from './statements.js';
import { ORIGIN, testLog } from './test-log.js';
import { writeFiles } from './workspace.js';

export { ORIGIN };
export const PROOF = STATEMENT_PATHS.log_proof;

/** Returns a proof to whose head new witnesses have added their cosignatures. @param times - seconds, by name */
export function cosigned(proof: Uint8Array, times: readonly (readonly [string, number])[]): Buffer {
  const parsed = parseLogProof(Buffer.from(proof).toString(), invalid);
  const { note } = parsed.head;
  const added = times.map(([name, seconds]) =>
    cosignatureBy(noteSigner(name, 'witness'), note.text, seconds),
  );
  const head = { ...parsed.head, note: { ...note, signatures: [...note.signatures, ...added] } };
  return Buffer.from(formatLogProof({ ...parsed, head }));
}

/** Returns an entry of a publication that nobody has signed. */
export function madeUpEntry(sequence: number, list: string): LogEntry {
  return publicationEntry({
    ...{
      sha256: list,
      sequence,
      updatedAt: '2026-01-01T00:00:00Z',
      hash: statementHash(`statement.${sequence}`),
    },
  });
}

/**
 * Replaces the log in `dist` with one that has other entries around the entry of the published statement, as a thief of
 * the key `log.pem` could.
 */
export async function replaceLog(
  folder: string,
  { before, after = [] }: { readonly before: readonly LogEntry[]; readonly after?: readonly LogEntry[] },
): Promise<void> {
  const dist = join(folder, 'dist');
  const text = readTreeFile(join(dist, 'publication.jwt')).toString();
  const { sha256, sequence, updated_at: updatedAt } = claimsOf(Buffer.from(text)) as unknown as Claims;
  const own = publicationEntry({ hash: statementHash(text), sha256, sequence, updatedAt });
  const log = testLog(pairIn(join(folder, 'log.pem')), [...before, own, ...after].map(entryBytes));
  rmSync(join(dist, 'log/tile'), { recursive: true });
  writeFiles(dist, {
    ...Object.fromEntries(log.files),
    'log/checkpoint': await log.note(),
    [PROOF]: await log.proof(before.length),
  });
}

/** What an entry repeats of a publication statement. */
interface Claims {
  readonly sha256: string;
  readonly sequence: number;
  readonly updated_at: string;
}
