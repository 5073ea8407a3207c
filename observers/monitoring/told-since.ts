import {
  type LogTree,
  type LogTrust,
  newestCosignatures,
  type PlacedEntry,
  parseLogProof,
} from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { MonitoredHost } from './monitored-host.js';

/** A log that is read for the first time. */
export interface FirstReading {
  readonly entries: readonly PlacedEntry[];
  readonly tree: LogTree;
  readonly host: MonitoredHost;
  /** What the user trusts of the log. */
  readonly trust: LogTrust | undefined;
}

/**
 * Returns the first entry of a log that is to be told as new, although nothing of the log is known: what was not in the log
 * yet at a time. The witnesses of the user decide, because whoever has the root key can date a list back. Without
 * witnesses, the dates of the lists decide.
 *
 * @param since - milliseconds since 1970
 */
export async function firstSince(since: number, reading: FirstReading): Promise<number> {
  const { entries, tree, trust } = reading;
  if (trust !== undefined && trust.quorum > 0) return witnessedBefore(since, { ...reading, trust });
  const first = entries.find(
    ({ entry }) => entry.type === 'publication' && Date.parse(entry.updated_at) >= since,
  );
  return first?.index ?? tree.size;
}

/** Returns the size of the largest log that enough witnesses had cosigned before a time; 0 if no proof is from before. */
async function witnessedBefore(
  since: number,
  reading: FirstReading & { readonly trust: LogTrust },
): Promise<number> {
  const publications = reading.entries.filter(({ entry }) => entry.type === 'publication');
  for (const { index } of publications.reverse()) {
    for (const path of [PATHS.lastProof(index), PATHS.firstProof(index)]) {
      const size = await provenSize(path, since, reading);
      if (size !== undefined) return size;
    }
  }
  return 0;
}

/** Returns the size of the head of a proof, if it belongs to the log and was cosigned before a time. */
async function provenSize(
  path: string,
  since: number,
  { host, tree, trust }: FirstReading & { readonly trust: LogTrust },
): Promise<number | undefined> {
  try {
    const bytes = await host.read(path);
    if (bytes === undefined) return undefined;
    const invalid = (message: string) => new TreeRejected(message);
    const { head } = parseLogProof(bytes, invalid);
    const times = { since: Number.NEGATIVE_INFINITY, until: since };
    const cosignatures = await newestCosignatures(head.note, { ...trust, ...times });
    const isProven = cosignatures.length >= trust.quorum && head.origin === trust.origin;
    return isProven && (await tree.contains(head)) ? head.size : undefined;
  } catch (error) {
    if (error instanceof TreeRejected || error instanceof IoFailed) return undefined;
    throw error;
  }
}
