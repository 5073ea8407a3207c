import { type Issuer, sha256Hex } from '@passport-registry/verifier';
import { fetchFile } from './fetch-file.js';

/** A change of a status or tier. `from` is null for a new issuer, and `to` is null for a removed issuer. */
export interface Change {
  readonly updated_at: string;
  readonly issuer_id: string;
  readonly field: string;
  readonly from: string | null;
  readonly to: string | null;
}

/** A file with so many changes lacks older ones. */
const MAX_CHANGES = 1000;

/** All changes since a time, newest first. */
export interface Changes {
  readonly since: string;
  readonly changes: readonly Change[];
}

/** The verified change that gave an issuer its status. The changes are sorted, newest first. */
export function latestStatusChange(
  { issuer_id, status }: Issuer,
  changes: Changes | null | undefined,
): Change | undefined {
  const latest = changes?.changes.find((one) => one.issuer_id === issuer_id && one.field === 'status');
  return latest?.to === status && latest.from !== null ? latest : undefined;
}

/**
 * Fetches the changes that the registry publishes, and verifies them. The root key does not sign `changes.json`. The
 * checkpoint contains the hash of `SHA256SUMS`, which contains the hash of `changes.json` (rule changes-unsigned).
 *
 * @param treeSha256 - the hash of `SHA256SUMS` from the verified checkpoint
 * @returns null if there is no checkpoint, or if a hash does not match
 */
export async function fetchVerifiedChanges(
  base: URL,
  treeSha256: string | undefined,
): Promise<Changes | null> {
  if (treeSha256 === undefined) return null;
  const [sums, changes] = await Promise.all(
    ['SHA256SUMS', 'changes.json'].map((path) => fetchFile(base, path).catch(() => undefined)),
  );
  if (sums === undefined || changes === undefined) return null;
  if ((await sha256Hex(sums)) !== treeSha256) return null;
  const line = `${await sha256Hex(changes)}  changes.json\n`;
  if (!new TextDecoder().decode(sums).includes(line)) return null;
  return sinceOldest(JSON.parse(new TextDecoder().decode(changes)));
}

function sinceOldest({ since, changes }: Changes): Changes {
  const oldest = changes.length < MAX_CHANGES ? undefined : changes.at(-1);
  return { since: oldest?.updated_at ?? since, changes };
}
