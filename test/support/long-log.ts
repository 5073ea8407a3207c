import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { entryBytes, publicationEntry, statementHash } from '@passport-registry/verifier/core';
import type { NoteSigner } from './note-keys.js';
import { statement, type TestKey } from './publication.js';
import { sha256 } from './sha256.js';
import { resealed, restated } from './signed-tree.js';
import { claimsOf, statementIn } from './statements.js';
import { TestLog } from './test-log.js';
import { filesOf, writeFiles } from './workspace.js';

/** The keys of a registry with a log. */
export interface LogKeys {
  readonly root: TestKey;
  readonly log: NoteSigner;
}

/**
 * Gives a tree the log that it would have after so many publications. The published statement is signed again, so that it
 * follows them, and becomes the last entry. The lists before it are kept.
 */
export async function lengthenLog(
  tree: string,
  { root, log: signer }: LogKeys,
  count: number,
): Promise<void> {
  const list = readFileSync(join(tree, 'issuers.json'));
  const claims = claimsOf<Claims>(statementIn(tree, 'publication'));
  const texts: string[] = [];
  const lists = new Map<string, Buffer>();
  const follows = () => (texts.length === 0 ? {} : { previous: [statementHash(texts.at(-1) ?? '')] });
  for (let index = 0; index < count - 1; index++) {
    const other = Buffer.concat([list, Buffer.from(`${index}`)]);
    lists.set(sha256(other), other);
    const own = { sequence: index, sha256: sha256(other), updated_at: earlier(claims, count - 1 - index) };
    texts.push(await statement(root, 'registry-publication+jwt', { ...claims, ...own, ...follows() }));
  }
  const last = { sequence: Math.max(claims.sequence, count - 1), ...follows() };
  const files = await resealed(await restated(filesOf(tree), root, last), root);
  const published = files.get('publication.jwt') as Buffer;
  texts.push(published.toString());
  const log = new TestLog(signer);
  for (const text of texts) {
    const { sha256: hash, sequence, updated_at } = claimsOf<Claims>(text);
    log.append(
      entryBytes(
        publicationEntry({ hash: statementHash(text), sha256: hash, sequence, updatedAt: updated_at }),
      ),
    );
  }
  rmSync(join(tree, 'log'), { recursive: true, force: true });
  const changed = [...files].filter(([path]) => !path.startsWith('log/'));
  writeFiles(tree, {
    ...Object.fromEntries([...changed, ...log.files]),
    ...Object.fromEntries(texts.map((text, index) => [`log/statements/${index}.jwt`, text])),
    ...Object.fromEntries(
      [...lists, [sha256(list), list] as const].map(([hash, bytes]) => [`lists/${hash}.json`, bytes]),
    ),
    'log/publication.tlog-proof': await log.proof(count - 1),
    'log/checkpoint': await log.note(),
  });
}

/** The claims of a publication statement that entries need. */
interface Claims {
  readonly sequence: number;
  readonly sha256: string;
  readonly updated_at: string;
}

function earlier({ updated_at }: Claims, seconds: number): string {
  return new Date(Date.parse(updated_at) - seconds * 1000).toISOString().replace('.000', '');
}
