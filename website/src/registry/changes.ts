import { type Issuer, sha256Hex } from '@passport-registry/verifier';
import { type Change, type Changes, MAX_CHANGES } from '@passport-registry/verifier/core';
import { fetchFile } from './fetch-file.js';

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
 * @returns null if a hash does not match, or a file is missing
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

function sinceOldest(found: Changes): Changes {
  const oldest = found.changes.length < MAX_CHANGES ? undefined : found.changes.at(-1);
  return { ...found, since: oldest?.updated_at ?? found.since };
}
