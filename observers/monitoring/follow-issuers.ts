import { RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  type AboutIssuers,
  ANY_TIME,
  type Checkpoint,
  isOlderCheckpoint,
  type OnlineKeys,
  rootKeysOf,
  verifyAbout,
  verifyCheckpoint,
} from '@passport-registry/verifier/core';
import { IoFailed } from '../../generator/errors.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { aboutChanges, NO_RECORDS } from '../../generator/review/difference.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { issuerChanged } from './finding.js';
import type { HostView } from './host-view.js';
import { readFromAny } from './monitored-host.js';
import { changeOf } from './read-lists.js';
import type { KnownAbout, KnownHold, KnownPublication, Round } from './round.js';

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
    const checkpoint = await checkpointOf(view, roots, log.publication?.online);
    if (checkpoint === undefined || (newest && isOlderCheckpoint(checkpoint, newest))) continue;
    const { publication, issuedAt, hold } = checkpoint;
    newest = { publication, issuedAt, hold };
  }
  const isTold = before.head !== undefined || options.sinceMs !== undefined;
  if (newest === undefined || !isTold) return newest;
  const old = before.hold?.hold ?? [];
  const current = newest.hold;
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

/**
 * Returns the checkpoint of a host. Undefined if neither a root key of the log nor an online key of its newest publication has
 * signed it.
 */
async function checkpointOf(
  { statements }: HostView,
  roots: readonly RootKey[],
  online: OnlineKeys | undefined,
): Promise<Checkpoint | undefined> {
  if (statements === undefined) return undefined;
  for (const rootKey of roots.toReversed()) {
    try {
      return await verifyCheckpoint(statements.checkpoint, { rootKey, online }, ANY_TIME);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
    }
  }
  return undefined;
}

/**
 * Reports which names and reasons the newest publication changes (rule about-file). The first round only remembers them. No
 * log has names, so changes that a later publication undid between two rounds are not reported.
 *
 * @returns what the next round compares with
 */
export async function followAbout(round: Round): Promise<KnownAbout | undefined> {
  const { before, log } = round;
  const known = before.about;
  if (log.publication === undefined || known?.sha256 === (log.publication.aboutSha256 ?? null)) return known;
  const about = await readAboutOf(log.publication, round);
  if (about === undefined) return known;
  if (known !== undefined) tellChanges(known, about, round);
  return { sha256: log.publication.aboutSha256 ?? null, issuers: Object.fromEntries(about) };
}

/** Returns undefined if no host has the file that the publication names. */
async function readAboutOf(
  publication: KnownPublication,
  { hosts }: Pick<Round, 'hosts'>,
): Promise<AboutIssuers | undefined> {
  const { aboutSha256 } = publication;
  if (aboutSha256 === undefined) return new Map();
  try {
    const bytes = await readFromAny(hosts, { path: PATHS.about, hash: aboutSha256, hashOf: sha256 });
    return await verifyAbout(bytes, publication);
  } catch (error) {
    if (error instanceof IoFailed) return undefined;
    throw error;
  }
}

function tellChanges({ issuers }: KnownAbout, about: AboutIssuers, { log, options, findings }: Round): void {
  const publication = log.publication as KnownPublication;
  const watch = { issuers: options.watch };
  const old = new Map(Object.entries(issuers));
  for (const issuer_id of [...new Set([...old.keys(), ...about.keys()])].sort()) {
    const fields = aboutChanges(old.get(issuer_id), about.get(issuer_id));
    if (fields.length === 0) continue;
    const change = { issuer_id, kind: 'changed', fields } as const;
    findings.push(...changeOf(change, NO_RECORDS, { publication, watch }));
  }
}
