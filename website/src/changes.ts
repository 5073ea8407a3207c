import { sha256Hex } from '@passport-registry/verifier';
import { fetchFile } from './fetch-file.js';

/** A status or tier that became another; null is an issuer that was not, or is no longer, in the list. */
export interface Change {
  readonly updated_at: string;
  readonly issuer_id: string;
  readonly field: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** The changes since some time, newest first. */
export interface Changes {
  readonly since: string;
  readonly changes: readonly Change[];
}

/**
 * The changes that the registry publishes, if its checkpoint vouches for them: by the hash of SHA256SUMS, which has the
 * hash of changes.json. Undefined where nobody does, since the root key does not sign them.
 *
 * @param treeSha256 - what the verified checkpoint says of SHA256SUMS
 */
export async function vouchedChanges(
  base: URL,
  treeSha256: string | undefined,
): Promise<Changes | undefined> {
  if (treeSha256 === undefined) return undefined;
  const [sums, changes] = await Promise.all(
    ['SHA256SUMS', 'changes.json'].map((path) => fetchFile(base, path).catch(() => undefined)),
  );
  if (sums === undefined || changes === undefined) return undefined;
  if ((await sha256Hex(sums)) !== treeSha256) return undefined;
  const line = `${await sha256Hex(changes)}  changes.json\n`;
  if (!new TextDecoder().decode(sums).includes(line)) return undefined;
  return JSON.parse(new TextDecoder().decode(changes));
}
