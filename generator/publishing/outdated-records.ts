import { IoFailed, ignoring } from '../errors.js';
import { readIfReadable } from '../files/read-file.js';
import type { RecordSet } from '../records/check-records.js';
import { liftedSuspensions } from '../review/assert-publishable.js';
import { type StatusChange, statusChanges } from '../review/status-changes.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import { parseChanges } from '../tree/site/changes.js';
import { publishedRecords } from './predecessor.js';

/** Where the records are, and the environment for git. */
export interface RecordsFolder {
  readonly issuers: string;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Returns the issuers that the published list suspends, and whose records are active since before that, as git shows: these
 * records know nothing of the suspension. Whoever ends one edits the record, or commits the end, after it. Where git does not
 * know when a record got its status, the record is not among them. In a shallow clone, it got it with the oldest commit.
 */
export function outdatedRecords(
  { issuers, env }: RecordsFolder,
  after: RecordSet,
  published: PublishedTree,
): readonly string[] {
  const lifted = liftedSuspensions({ before: publishedRecords(published, published.folder), after });
  const known = lifted.length === 0 ? [] : committedChanges(issuers, env, lifted);
  return lifted.filter((id) => {
    const last = known.find(({ issuer }) => issuer === id);
    const suspended = suspendedAt(id, published);
    return last?.to === 'active' && suspended !== undefined && Date.parse(last.at) < Date.parse(suspended);
  });
}

function committedChanges(issuers: string, env: NodeJS.ProcessEnv, ids: readonly string[]): StatusChange[] {
  try {
    return statusChanges(issuers, env, ids);
  } catch (error) {
    return ignoring(IoFailed)(error) ?? [];
  }
}

/** When an issuer was suspended: at the latest with the published list, of which the last change may be in the log only. */
function suspendedAt(id: string, { folder, updatedAt }: PublishedTree): string | undefined {
  const bytes = readIfReadable(folder, PATHS.changes);
  const { changes = [] } = (bytes && parseChanges(bytes)) ?? {};
  const last = changes.find(({ issuer_id, field }) => issuer_id === id && field === 'status');
  return last?.to === 'suspended' ? last.updated_at : updatedAt;
}
