import type { Issuer } from '@passport-registry/verifier';
import type { JWTPayload } from 'jose';
import { at, type Files, type PublishOptions, publish, sha256, stated, type TestKey } from './publication.js';
import { proofPaths, sortedByPath } from './sums.js';

export { claimsAbout } from './publication.js';

/** What a test chooses about a publication in an order of its own. */
export interface SummedOptions extends PublishOptions {
  readonly updatedAt?: string;
}

/** Creates a first publication, or one with a sequence. */
export async function publishSummed(
  key: TestKey,
  issuers: readonly Issuer[],
  { updatedAt = at(-60), sequence = 1, ...options }: SummedOptions = {},
): Promise<Files> {
  const sorted = issuers.toSorted((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1));
  return publish(key, sorted, updatedAt, { sequence, ...options });
}

/** Replaces the publication statement. By default, it is a first one, and names the list and the root of the tree of sums. */
export async function withStatement(files: Files, key: TestKey, claims: JWTPayload = {}): Promise<Files> {
  return stated(files, key, { sequence: 1, ...claims });
}

/** Signs a publication statement about the files. */
export async function publicationJwt(files: Files, key: TestKey, claims: JWTPayload = {}): Promise<string> {
  return String((await withStatement(files, key, claims)).get('publication.jwt'));
}

/** Decodes the claims of the publication statement. */
export function statementClaims(files: Files): JWTPayload & { sums_sha256: string; levels: number } {
  const [, payload = ''] = (files.get('publication.jwt')?.toString() ?? '').split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

/**
 * Replaces a file of a proof, and signs everything above it anew, as only the operator could. `undefined` removes the
 * line of the file.
 */
export async function resummed(
  files: Files,
  key: TestKey,
  { id, path, bytes }: { readonly id: string; readonly path: string; readonly bytes: Buffer | undefined },
): Promise<Files> {
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
  return withStatement(changed, key, { ...claims, sums_sha256: sha256(changed.get('sums/root') as Buffer) });
}
