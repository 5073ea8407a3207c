import { type AboutIssuers, verifyAbout } from '@passport-registry/verifier/core';
import { IoFailed } from '../../generator/errors.js';
import { aboutChanges, describeDifference, NO_RECORDS } from '../../generator/review/difference.js';
import { PATHS } from '../../generator/tree/paths.js';
import { issuerChanged } from './finding.js';
import type { KnownAbout, KnownPublication } from './known-log.js';
import { readFromAny } from './monitored-host.js';
import type { Round } from './round.js';

/**
 * Reports which names and reasons the newest publication changes (rule about-file). The first round only remembers them. No
 * log has them, so those of publications between two rounds are not told, and none is told while no host has them.
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
  const { aboutSha256, sha256 } = publication;
  if (aboutSha256 === undefined) return new Map();
  const paths = [PATHS.about, PATHS.snapshot(sha256, PATHS.about)];
  try {
    const bytes = await readFromAny(hosts, { paths, sha256: aboutSha256 });
    return await verifyAbout(bytes, publication);
  } catch (error) {
    if (error instanceof IoFailed) return undefined;
    throw error;
  }
}

function tellChanges({ issuers }: KnownAbout, about: AboutIssuers, { log, options, findings }: Round): void {
  const { sequence, updatedAt: since, index: entry } = log.publication as KnownPublication;
  const old = new Map(Object.entries(issuers));
  for (const issuer_id of [...new Set([...old.keys(), ...about.keys()])].sort()) {
    const fields = aboutChanges(old.get(issuer_id), about.get(issuer_id));
    if (fields.length === 0) continue;
    const lines = describeDifference([{ issuer_id, kind: 'changed', fields }], NO_RECORDS);
    const text = lines.map((line) => line.slice(2)).join('; ');
    findings.push(
      ...issuerChanged(options.watch, `${text}, since ${since}, by publication ${sequence}`, {
        ...{ entry, sequence, since, issuer_id, kind: 'changed' },
        fields: fields.map(({ field, from, to }) => ({ field, from: from ?? null, to: to ?? null })),
      }),
    );
  }
}
