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
import { readIfThere } from '../../build/generator/files/read-file.js';
import { appendEntries } from '../../build/generator/log/append.js';
import { EMPTY_LOG, rootOf } from '../../build/generator/log/log-files.js';
import { signHead } from '../../build/generator/log/sign-head.js';
import type { Signer } from '../../build/generator/signing/sign.js';
import { claimsOf, jwt, resealed, restated, type SignerKey, sha256 } from './signed-tree.js';
import { filesOf, writeFiles } from './workspace.js';

/** The keys of a registry with a log. */
export interface LogKeys {
  readonly root: SignerKey;
  readonly log: Signer;
}

/**
 * Gives a tree the log that it would have after so many publications. The published statement is signed again, so that it
 * follows them, and becomes the last entry. The lists before it are kept, as are first and last proofs.
 */
export async function lengthenLog(tree: string, { root, log }: LogKeys, count: number): Promise<void> {
  const list = readIfThere(tree, 'issuers.json') as Buffer;
  const claims = claimsOf(readIfThere(tree, 'publication.jwt') as Buffer) as unknown as Claims;
  const texts: string[] = [];
  const lists = new Map<string, Buffer>();
  const follows = () => (texts.length === 0 ? {} : { previous: sha256(Buffer.from(texts.at(-1) ?? '')) });
  for (let index = 0; index < count - 1; index++) {
    const other = Buffer.concat([list, Buffer.from(`${index}`)]);
    lists.set(sha256(other), other);
    const own = { sequence: index, sha256: sha256(other), updated_at: earlier(claims, count - 1 - index) };
    texts.push(await jwt(root, 'registry-publication+jwt', { ...claims, ...own, ...follows() }));
  }
  const last = { sequence: Math.max(claims.sequence, count - 1), ...follows() };
  const files = await resealed(await restated(filesOf(tree), root, last), root);
  const published = files.get('publication.jwt') as Buffer;
  texts.push(published.toString());
  const entries = texts.map((text) => {
    const { sha256: hash, sequence, updated_at } = claimsOf(Buffer.from(text)) as unknown as Claims;
    return entryBytes(publicationEntry({ text, sha256: hash, sequence, updatedAt: updated_at }));
  });
  const { end, files: tiles } = appendEntries(EMPTY_LOG, entries);
  const head = await signHead({ origin: claims.log.origin, size: count, root: await rootOf(end) }, log);
  const read = tileReader(async (path) => tiles.get(path));
  const proofs: Record<string, string> = {};
  for (let index = 0; index < count; index++) {
    const path = await inclusionProof(index, count, hashesFromTiles(count, read));
    const proof = formatLogProof({ index, path, head });
    proofs[`log/proofs/${index}/first.tlog-proof`] = proof;
    proofs[index === count - 1 ? 'log/publication.tlog-proof' : `log/proofs/${index}/last.tlog-proof`] =
      proof;
  }
  rmSync(join(tree, 'log'), { recursive: true, force: true });
  const changed = [...files].filter(([path]) => !path.startsWith('log/'));
  writeFiles(tree, {
    ...Object.fromEntries([...changed, ...tiles]),
    ...Object.fromEntries(texts.map((text, index) => [`log/statements/${index}.jwt`, text])),
    ...Object.fromEntries(
      [...lists, [sha256(list), list] as const].map(([hash, bytes]) => [`log/lists/${hash}.json`, bytes]),
    ),
    ...proofs,
    'log/checkpoint': formatNote(head.note),
  });
}

/** The claims of a publication statement that entries need. */
interface Claims {
  readonly log: { readonly origin: string };
  readonly sequence: number;
  readonly sha256: string;
  readonly updated_at: string;
}

function earlier({ updated_at }: Claims, seconds: number): string {
  return new Date(Date.parse(updated_at) - seconds * 1000).toISOString().replace('.000', '');
}
