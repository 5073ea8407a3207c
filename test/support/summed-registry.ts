import type { Issuer } from '@passport-registry/verifier';
import { canonicalBytes } from '@passport-registry/verifier/core';
import type { JWTPayload } from 'jose';
import { at, type Files, publish, sha256, signature, statement, type TestKey } from './publication.js';
import { naiveSums, proofPaths, sortedByPath } from './sums.js';

/** What a test chooses about a publication with a tree of sums. */
export interface SummedOptions {
  readonly updatedAt?: string;
  readonly sequence?: number;
  /** The number of levels. Default: what a build chooses for a first publication. */
  readonly levels?: number;
  /** Claims to add to the publication statement, to replace, or to remove with undefined. */
  readonly claims?: JWTPayload;
}

/** Creates a publication with a publication statement, a tree of sums and records. */
export async function publishSummed(
  key: TestKey,
  issuers: readonly Issuer[],
  { updatedAt = at(-60), sequence = 1, levels = levelsFor(issuers.length), claims }: SummedOptions = {},
): Promise<Files> {
  const sorted = issuers.toSorted((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1));
  const files = publish(key, sorted, updatedAt);
  const hashes = new Map<string, string>();
  for (const issuer of sorted) {
    const bytes = Buffer.from(canonicalBytes(issuer));
    files.set(`issuers/${issuer.issuer_id}`, bytes);
    hashes.set(issuer.issuer_id, sha256(bytes));
  }
  for (const [path, bytes] of naiveSums(hashes, levels)) files.set(path, bytes);
  return withStatement(files, key, { sequence, levels, ...claims });
}

function levelsFor(records: number): number {
  let levels = 0;
  while (records / 16 ** levels > 64) levels++;
  return levels;
}

/** Replaces the publication statement. By default, it names the list and the root of the tree of sums. */
export async function withStatement(files: Files, key: TestKey, claims: JWTPayload = {}): Promise<Files> {
  return new Map(files).set('publication.jwt', Buffer.from(await publicationJwt(files, key, claims)));
}

/** Signs a publication statement about the files. */
export function publicationJwt(files: Files, key: TestKey, claims: JWTPayload = {}): Promise<string> {
  const all = { ...claimsAbout(files), ...claims };
  const present = Object.entries(all).filter(([, value]) => value !== undefined);
  return statement(key, 'registry-publication+jwt', Object.fromEntries(present));
}

/** The claims of a first publication statement about the files. */
export function claimsAbout(files: Files) {
  const list = files.get('issuers.json') as Buffer;
  const { issuers, updated_at } = JSON.parse(list.toString());
  return {
    iat: Math.floor(Date.parse(updated_at) / 1000),
    sequence: 1,
    updated_at,
    sha256: sha256(list),
    size: list.length,
    issuers: issuers.length,
    sums_sha256: sha256(files.get('sums/root') ?? Buffer.from('')),
    levels: 0,
  };
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

/**
 * Signs any payload as a publication statement. Header and payload are canonical, as publishers write them, unless the
 * payload is a string.
 */
export function signedJwt(key: TestKey, payload: object | string, header: object = {}): string {
  const alg = key.rootKey.algorithm === 'ES256' ? 'ES256' : 'EdDSA';
  const all = { alg, kid: key.rootKey.thumbprint, typ: 'registry-publication+jwt', ...header };
  const encoded = (part: object | string) =>
    Buffer.from(typeof part === 'string' ? part : canonicalBytes(part)).toString('base64url');
  const input = `${encoded(all)}.${encoded(payload)}`;
  return `${input}.${signature(Buffer.from(input), key)}`;
}
