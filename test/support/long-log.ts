import { rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  entryBytes,
  formatLogProof,
  formatNote,
  hashesFromTiles,
  inclusionProof,
  publicationEntry,
  tileReader,
} from '@passport-registry/verifier/internal';
import { readIfThere } from '../../build/files/read-file.js';
import { appendEntries } from '../../build/log/append.js';
import { EMPTY_LOG, rootOf } from '../../build/log/log-files.js';
import { signHead } from '../../build/log/sign-head.js';
import type { Signer } from '../../build/signing/sign.js';
import { claimsOf, jwt, type SignerKey, sha256 } from './signed-tree.js';
import { writeFiles } from './workspace.js';

/** The keys of a registry with a log. */
export interface LogKeys {
  readonly root: SignerKey;
  readonly log: Signer;
}

/**
 * Gives a tree the log that it would have after so many publications. The published statement becomes the last entry. The
 * lists before it are kept, as are first and last proofs.
 */
export async function lengthenLog(tree: string, { root, log }: LogKeys, count: number): Promise<void> {
  const published = readIfThere(tree, 'publication.jwt') as Buffer;
  const list = readIfThere(tree, 'issuers.json') as Buffer;
  const claims = claimsOf(published) as { log: { origin: string }; updated_at: string };
  const texts: string[] = [];
  const lists = new Map<string, Buffer>();
  for (let index = 0; index < count - 1; index++) {
    const other = Buffer.concat([list, Buffer.from(`${index}`)]);
    lists.set(sha256(other), other);
    texts.push(
      await jwt(root, 'registry-publication+jwt', { ...claims, sequence: index, sha256: sha256(other) }),
    );
  }
  texts.push(published.toString());
  const names = [...lists.keys(), sha256(list)];
  const entries = texts.map((text, sequence) =>
    entryBytes(
      publicationEntry({
        text,
        sha256: names[sequence] as string,
        sequence: sequence === count - 1 ? Number(claimsOf(published)['sequence']) : sequence,
        updatedAt: claims.updated_at,
      }),
    ),
  );
  const { end, files } = appendEntries(EMPTY_LOG, entries);
  const head = await signHead({ origin: claims.log.origin, size: count, root: await rootOf(end) }, log);
  const read = tileReader(async (path) => files.get(path));
  const proofs: Record<string, string> = {};
  for (let index = 0; index < count; index++) {
    const path = await inclusionProof(index, count, hashesFromTiles(count, read));
    const proof = formatLogProof({ index, path, head });
    proofs[`log/proofs/${index}/first.tlog-proof`] = proof;
    proofs[index === count - 1 ? 'log/publication.tlog-proof' : `log/proofs/${index}/last.tlog-proof`] =
      proof;
  }
  rmSync(join(tree, 'log'), { recursive: true, force: true });
  writeFiles(tree, {
    ...Object.fromEntries(files),
    ...Object.fromEntries(texts.map((text, index) => [`log/statements/${index}.jwt`, text])),
    ...Object.fromEntries(
      [...lists, [sha256(list), list] as const].map(([hash, bytes]) => [`log/lists/${hash}.json`, bytes]),
    ),
    ...proofs,
    'log/checkpoint': formatNote(head.note),
  });
}
