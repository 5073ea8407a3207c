import { canonicalBytes, type Issuer } from '@passport-registry/verifier';
import type { JWTPayload } from 'jose';
import { type Files, publish, sha256, signature, statement, type TestKey } from './publication.js';

/** The place of a record: SHA-256 of its id. */
export const placeOf = (id: string) => sha256(Buffer.from(id));

/**
 * The tree of sums, written as docs/protocol.md, section 29, describes it, and not as the verifier computes it: from the
 * root down, one file after the other.
 *
 * @param records - SHA-256 of each record, by id
 */
export function naiveSums(records: ReadonlyMap<string, string>, levels: number): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const write = (prefix: string): string | undefined => {
    const ids = [...records.keys()].filter((id) => placeOf(id).startsWith(prefix));
    if (ids.length === 0 && prefix !== '') return undefined;
    const lines =
      prefix.length === levels
        ? ids.map((id) => `${records.get(id)}  issuers/${id}\n`)
        : [...'0123456789abcdef'].flatMap((digit) => {
            const hash = write(prefix + digit);
            return hash === undefined ? [] : [`${hash}  sums/${prefix}${digit}\n`];
          });
    const paths = lines.map((line) => [line.slice(66), line] as const);
    const sorted = paths.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
    const bytes = Buffer.from(sorted.join(''));
    files.set(prefix === '' ? 'sums/root' : `sums/${prefix}`, bytes);
    return sha256(bytes);
  };
  write('');
  return files;
}

/** What a publication says, apart from its issuers. */
export interface StatedOptions {
  readonly levels?: number;
  readonly updatedAt?: string;
  /** Claims to add, to replace, or to remove with undefined. */
  readonly claims?: JWTPayload;
}

/** Creates a publication with its records, its tree of sums and its statement. */
export async function publishStated(
  key: TestKey,
  issuers: readonly Issuer[],
  { levels = 0, updatedAt, claims = {} }: StatedOptions = {},
): Promise<Files> {
  const sorted = [...issuers].sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1));
  const files = publish(key, sorted, updatedAt);
  const hashes = new Map<string, string>();
  for (const issuer of sorted) {
    const bytes = Buffer.from(canonicalBytes(issuer));
    files.set(`issuers/${issuer.issuer_id}`, bytes);
    hashes.set(issuer.issuer_id, sha256(bytes));
  }
  for (const [path, bytes] of naiveSums(hashes, levels)) files.set(path, bytes);
  return withStatement(files, key, { levels, ...claims });
}

/** Adds a publication statement that names the list and the root of the tree of sums. */
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
