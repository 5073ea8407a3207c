import { RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  ANY_TIME,
  type Checkpoint,
  isOlderCheckpoint,
  rootKeysOf,
  verifyCheckpoint,
} from '@passport-registry/verifier/core';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { PATHS } from '../../generator/tree/paths.js';
import { issuerChanged } from './finding.js';
import type { HostView } from './host-view.js';
import type { KnownHold } from './known-log.js';
import type { Round } from './round.js';

/**
 * Reports which issuers the newest checkpoint of all hosts begins to hold, and which it releases (rule hold). The first
 * round only remembers them, unless the user asks for changes of the past.
 *
 * @returns what the next round compares with
 */
export async function followHold(views: readonly HostView[], round: Round): Promise<KnownHold | undefined> {
  const { before, log, options, findings } = round;
  const roots = await rootKeysOf(log.state);
  let newest = before.hold;
  for (const view of views) {
    const checkpoint = await checkpointOf(view, roots);
    const known = newest && { issuedAt: newest.issuedAt, hold: newest.issuers };
    if (checkpoint === undefined || (known && isOlderCheckpoint(checkpoint, known))) continue;
    newest = { issuedAt: checkpoint.issuedAt, issuers: checkpoint.hold };
  }
  const isTold = before.head !== undefined || options.sinceMs !== undefined;
  if (newest === undefined || !isTold) return newest;
  const [old, current] = [before.hold?.issuers ?? [], newest.issuers];
  const at = formatUpdatedAt(newest.issuedAt);
  const tell = (kind: 'held' | 'released', says: string) => (issuer_id: string) =>
    issuerChanged(options.watch, `${issuer_id} ${says}, by the checkpoint of ${at}`, { issuer_id, kind, at });
  findings.push(
    ...current
      .filter((id) => !old.includes(id))
      .flatMap(tell('held', 'is on hold, so verifiers treat it as suspended')),
    ...old.filter((id) => !current.includes(id)).flatMap(tell('released', 'is no longer on hold')),
  );
  return newest;
}

/** Returns the checkpoint of a host. Undefined if no root key of the log leads to it: then no verifier accepts it. */
async function checkpointOf({ files }: HostView, roots: readonly RootKey[]): Promise<Checkpoint | undefined> {
  const [checkpoint, delegation] = [files.get(PATHS.checkpoint), files.get(PATHS.delegation)];
  if (checkpoint === undefined) return undefined;
  for (const root of roots.toReversed()) {
    try {
      return await verifyCheckpoint({ checkpoint, delegation }, root, ANY_TIME);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
    }
  }
  return undefined;
}
