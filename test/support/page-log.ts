import { createPrivateKey } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  entryBytes,
  formatLogProof,
  formatNote,
  hashesFromTiles,
  inclusionProof,
  type LogEntry,
  PROOF,
  parseLogProof,
  publicationEntry,
  tileReader,
} from '@passport-registry/verifier/internal';
import { readPublicationStatement } from '../../build/generator/freshness/read-publication.js';
import { appendEntries } from '../../build/generator/log/append.js';
import { EMPTY_LOG, rootOf } from '../../build/generator/log/log-files.js';
import { signHead } from '../../build/generator/log/sign-head.js';
import { signerFor } from '../../build/generator/signing/key-file.js';
import { cosignatureBy, invalid, noteSigner } from './note-keys.js';
import { ORIGIN } from './test-log.js';
import { writeFiles } from './workspace.js';

export { ORIGIN, PROOF };

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
    ...{ sha256: list, sequence, updatedAt: '2026-01-01T00:00:00Z', text: `statement ${sequence}` },
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
  const text = readFileSync(join(dist, 'publication.jwt'), 'utf8');
  const own = publicationEntry({ ...readPublicationStatement(text), text });
  const { end, files } = appendEntries(EMPTY_LOG, [...before, own, ...after].map(entryBytes));
  const signer = await signerFor(createPrivateKey(readFileSync(join(folder, 'log.pem'))), false);
  const head = await signHead({ origin: ORIGIN, size: end.size, root: await rootOf(end) }, signer);
  const index = before.length;
  const hashes = hashesFromTiles(
    end.size,
    tileReader(async (path) => files.get(path)),
  );
  const path = await inclusionProof(index, end.size, hashes);
  rmSync(join(dist, 'log/tile'), { recursive: true });
  writeFiles(dist, {
    ...Object.fromEntries(files),
    'log/checkpoint': formatNote(head.note),
    [PROOF]: formatLogProof({ index, path, head }),
  });
}
