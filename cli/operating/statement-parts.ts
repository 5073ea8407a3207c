import { COSIGNATURE_AGE_MS, clockNote } from '@passport-registry/verifier/core';
import { checkpointValidity, formatDuration } from '../../generator/freshness/expiry.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { countEntries } from '../../generator/log/log-files.js';
import type { LogFacts, TreeFacts } from './facts.js';
import type { Level, Part } from './part.js';

/** Says how long the checkpoint is valid, and whom it holds. */
export function checkpointPart(
  { checkpoint, publication, issuers }: Pick<TreeFacts, 'checkpoint' | 'publication' | 'issuers'>,
  now: number,
): Part | undefined {
  if (checkpoint === undefined || publication === undefined) return undefined;
  const { hold, expiresAt, issuedAt } = checkpoint;
  const expires = formatUpdatedAt(expiresAt);
  const stopped = issuers.filter(({ status }) => status !== 'active').map(({ issuer_id }) => issuer_id);
  const releasable = hold.filter((id) => stopped.includes(id));
  const data = { publication: publication.sequence, expires, hold, releasable };
  const holds = hold.length === 0 ? '' : `; it holds ${hold.join(', ')}`;
  const say = (level: Level, fact: string, hint?: string): Part => ({
    level,
    fact: `publication ${publication.sequence}, ${fact}${holds}`,
    hint,
    data,
  });

  const renew = 'Run `checkpoint`';
  switch (checkpointValidity(checkpoint, now)) {
    case 'ahead of time':
      return say('error', `signed at ${formatUpdatedAt(issuedAt)}, in the future ${clockNote(now)}`);
    case 'expired':
      return say('error', `expired at ${expires} ${clockNote(now)}`, renew);
    case 'expires soon':
      return say('warning', `valid until ${expires}, for ${formatDuration(expiresAt - now)}`, renew);
  }
  const valid = `valid until ${expires}, for ${formatDuration(expiresAt - now)}`;
  if (hold.length > releasable.length)
    return say('warning', valid, 'Run `suspend` with the root key or, after a false alarm, `hold --end`');
  if (releasable.length > 0)
    return say('note', valid, `The list stops ${releasable.join(', ')}: run \`hold --end\``);
  return say('ok', valid);
}

/** The share of the time of cosignatures after which new ones are due. */
const COSIGNATURE_NOTICE_SHARE = 2 / 3;

/** Says whether the log was begun, and whether a quorum of its witnesses has cosigned it lately. */
export function logPart(
  log: LogFacts,
  { publication }: Pick<TreeFacts, 'publication'>,
  now: number,
): Part | undefined {
  const { isConfigured, origin: configured, hasSigner, signer, size, cosigned, witnesses, quorum } = log;
  const origin = publication?.log?.origin;
  // The cosignature that completes the quorum ends first.
  const since = quorum === 0 ? undefined : cosigned[quorum - 1]?.time;
  const cosignedUntil = since === undefined ? undefined : formatUpdatedAt(since + COSIGNATURE_AGE_MS);
  const data = { origin, size, cosigned, quorum, cosignedUntil };
  const say = (level: Level, fact: string, hint?: string): Part => ({ level, fact, hint, data });

  if (publication === undefined) return undefined;
  if (origin === undefined) {
    if (!isConfigured) return undefined;
    const fact = `${configured ?? 'a log'} is configured, and was never begun: nothing is logged`;
    return say('warning', fact, 'Run `build`');
  }
  if (configured !== undefined && configured !== origin)
    return say('error', `the log is ${origin}, and registry.yaml names ${configured}: a build stops`);
  if (!hasSigner)
    return say(
      'warning',
      `${origin}: registry.yaml has no signer for it, and a build needs one`,
      'Set log.signer',
    );
  const entries = `${origin}, ${countEntries(size ?? 0)}`;
  if (quorum === 0) return say(signer.level, `${entries}; ${signer.message}`);
  const renew = 'Run `checkpoint`, which asks the witnesses again';
  if (since === undefined)
    return say(
      'warning',
      `${entries}, cosigned by ${cosigned.length} of ${witnesses}, and the quorum is ${quorum}`,
      renew,
    );
  const fact = `${entries}, cosigned by ${cosigned.map(({ name }) => name).join(', ')}, which counts until ${cosignedUntil}`;
  const age = now - since;
  if (age > COSIGNATURE_AGE_MS) return say('error', fact, renew);
  if (age > COSIGNATURE_AGE_MS * COSIGNATURE_NOTICE_SHARE) return say('warning', fact, renew);
  return say(signer.level, `${fact}; ${signer.message}`);
}
