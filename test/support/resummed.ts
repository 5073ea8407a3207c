import { type Files, stated, statementClaims, type TestKey } from './publication.js';
import { sha256 } from './sha256.js';
import { proofPaths, sortedByPath } from './sums.js';

/**
 * Replaces a file of a proof, and signs everything above it anew, as only the operator could. `undefined` removes the
 * line of the file.
 */
export function resummed(
  files: Files,
  key: TestKey,
  { id, path, bytes }: { readonly id: string; readonly path: string; readonly bytes: Buffer | undefined },
): Files {
  const claims = statementClaims(files);
  const paths = proofPaths(id, claims.levels);
  const changed = new Map(files);
  let content = bytes;
  for (let index = paths.indexOf(path); ; index--) {
    const place = paths[index] as string;
    if (content === undefined) changed.delete(place);
    else changed.set(place, content);
    if (index === 0) break;
    const above = changed.get(paths[index - 1] as string)?.toString() ?? '';
    const lines = above.split('\n').filter((line) => line !== '' && !line.endsWith(`  ${place}`));
    if (content !== undefined) lines.push(`${sha256(content)}  ${place}`);
    content = Buffer.from(
      sortedByPath(lines)
        .map((line) => `${line}\n`)
        .join(''),
    );
  }
  return stated(changed, key, { ...claims, sums_sha256: sha256(changed.get('sums/root') as Buffer) });
}
