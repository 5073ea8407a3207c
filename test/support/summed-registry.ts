import { canonicalBytes, type Issuer } from '@passport-registry/verifier';
import { levelsFor, type SummedRecord, sumsTree } from '@passport-registry/verifier/internal';
import type { JWTPayload } from 'jose';
import { at, type Files, publish, sha256, statement, type TestKey } from './publication.js';

/** What a test chooses about a publication with a tree of sums. */
export interface SummedOptions {
  readonly updatedAt?: string;
  readonly sequence?: number;
  /** The number of levels. Default: what a build chooses for a first publication. */
  readonly levels?: number;
  /** Claims that replace those of the publication statement. */
  readonly claims?: JWTPayload;
}

/** Creates a publication with a publication statement, a tree of sums and records. */
export async function publishSummed(
  key: TestKey,
  issuers: readonly Issuer[],
  { updatedAt = at(-60), sequence = 1, levels, claims }: SummedOptions = {},
): Promise<Files> {
  const sorted = issuers.toSorted((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1));
  const files = publish(key, sorted, updatedAt);
  const records = new Map(sorted.map((one) => [one.issuer_id, Buffer.from(canonicalBytes(one))]));
  const summed = [...records].map(([id, bytes]) => summedRecord(id, bytes));
  const tree = sumsTree(summed, levels ?? levelsFor(summed, 0), sha256);
  for (const [id, bytes] of records) files.set(`issuers/${id}`, bytes);
  for (const [path, bytes] of tree.files) files.set(path, Buffer.from(bytes));
  const list = files.get('issuers.json') as Buffer;
  return withStatement(files, key, {
    ...{ sequence, updated_at: updatedAt, sha256: sha256(list), size: list.length, issuers: sorted.length },
    ...{ sums_sha256: tree.sha256, levels: tree.levels, ...claims },
  });
}

function summedRecord(id: string, bytes: Buffer): SummedRecord {
  return { id, idHash: sha256(Buffer.from(id)), sha256: sha256(bytes) };
}

/** Replaces the publication statement. */
export async function withStatement(files: Files, key: TestKey, claims: JWTPayload): Promise<Files> {
  const signed = await statement(key, 'registry-publication+jwt', { iat: seconds() - 60, ...claims });
  return new Map([...files, ['publication.jwt', Buffer.from(signed)]]);
}

/** Decodes the claims of the publication statement. */
export function statementClaims(files: Files): JWTPayload & { sums_sha256: string; levels: number } {
  const [, payload = ''] = (files.get('publication.jwt')?.toString() ?? '').split('.');
  return JSON.parse(Buffer.from(payload, 'base64url').toString());
}

/** The SHA-256 of an id, which decides the place of its record. */
export function idHash(id: string): string {
  return sha256(Buffer.from(id));
}

/** Returns the paths of the proof of an id, from the root to the record. */
export function proofPaths(id: string, levels: number): string[] {
  const hash = idHash(id);
  const prefixes = Array.from({ length: levels }, (_one, index) => `sums/${hash.slice(0, index + 1)}`);
  return ['sums/root', ...prefixes, `issuers/${id}`];
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
      lines
        .sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1))
        .map((line) => `${line}\n`)
        .join(''),
    );
  }
  return withStatement(changed, key, { ...claims, sums_sha256: sha256(changed.get('sums/root') as Buffer) });
}

const seconds = () => Math.floor(Date.now() / 1000);
