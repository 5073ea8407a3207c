import {
  type CosignatureRules,
  type LogTrust,
  newestCosignatures,
  parseLogProof,
  type SignedHead,
} from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { Grown } from './follow-head.js';
import type { MonitoredHost } from './monitored-host.js';
import type { Round } from './round.js';

/** Returns the first new entry that is verified, and the first whose changes are told. */
export async function firstTold(
  grown: Pick<Grown, 'entries' | 'tree'>,
  host: MonitoredHost,
  { before, options, now, logTrust }: Round,
): Promise<{ readonly from: number; readonly told: number }> {
  if (before.head !== undefined) return { from: 0, told: 0 };
  if (options.sinceMs === undefined) return { from: 0, told: Number.POSITIVE_INFINITY };
  const since = now - options.sinceMs;
  const isWitnessed = logTrust !== undefined && logTrust.quorum > 0;
  const told = isWitnessed
    ? await witnessedBefore(grown, host, { ...logTrust, since: Number.NEGATIVE_INFINITY, until: since })
    : datedSince(since, grown);
  // The publication before is what the changes are compared with.
  const from = grown.entries.findLast(
    ({ index, entry }) => index < told && entry.type === 'publication',
  )?.index;
  return { from: from ?? 0, told };
}

/**
 * Returns the first entry that was not in the log yet at a time, by the dates of the lists. With witnesses, they decide,
 * because whoever has the root key can date a list back.
 */
function datedSince(since: number, { entries, tree }: Pick<Grown, 'entries' | 'tree'>): number {
  const first = entries.find(
    ({ entry }) => entry.type === 'publication' && Date.parse(entry.updated_at) >= since,
  );
  return first?.index ?? tree.size;
}

/** Returns the size of the largest log that enough witnesses had cosigned before a time; 0 if no proof is from before. */
async function witnessedBefore(
  { entries, tree }: Pick<Grown, 'entries' | 'tree'>,
  host: MonitoredHost,
  rules: CosignatureRules & LogTrust,
): Promise<number> {
  const publications = entries.filter(({ entry }) => entry.type === 'publication');
  for (const { index } of publications.reverse()) {
    for (const path of [PATHS.lastProof(index), PATHS.firstProof(index)]) {
      const head = await witnessedHead(path, host, rules);
      if (head !== undefined && (await tree.contains(head))) return head.size;
    }
  }
  return 0;
}

/** Returns the head of a proof that enough witnesses have cosigned. */
async function witnessedHead(
  path: string,
  host: MonitoredHost,
  rules: CosignatureRules & LogTrust,
): Promise<SignedHead | undefined> {
  try {
    const bytes = await host.read(path);
    if (bytes === undefined) return undefined;
    const { head } = parseLogProof(bytes, (message) => new TreeRejected(message));
    const cosignatures = await newestCosignatures(head.note, rules);
    return cosignatures.length >= rules.quorum && head.origin === rules.origin ? head : undefined;
  } catch (error) {
    if (error instanceof TreeRejected || error instanceof IoFailed) return undefined;
    throw error;
  }
}
