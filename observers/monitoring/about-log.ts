import { readList } from '@passport-registry/verifier/core';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { type Finding, finding } from './finding.js';
import type { Round } from './round.js';

/** Returns what a round finds out about the log as a whole, whatever host showed it. */
export function aboutLog(round: Round): Finding[] {
  return [...notPinned(round), ...tooOld(round), ...unknownIssuers(round)];
}

function notPinned({ options: { trust, url }, before }: Round): Finding[] {
  if (trust !== undefined || before.head !== undefined) return [];
  const message = `no --root-key was given, so the root key ${before.state.roots[0]?.thumbprint} of ${url} is trusted`;
  return [finding('root-key-not-pinned', message)];
}

/** Cosignatures and checkpoints show that a log is fresh. Without them, verifiers refuse a list at some age. */
function tooOld({ log: { publication }, logTrust, options, now }: Round): Finding[] {
  if (publication === undefined || publication.checkpoint || (logTrust?.quorum ?? 0) > 0) return [];
  if (now - publication.issuedAt <= options.maxAgeMs) return [];
  const message = `the newest publication is of ${formatUpdatedAt(publication.issuedAt)}, and nothing newer shows that it is the newest`;
  return [finding('head-too-old', message)];
}

function unknownIssuers({ log: { list }, options: { watch } }: Round): Finding[] {
  if (list === undefined || watch.length === 0) return [];
  const ids = new Set(readList(list.bytes).issuers.map(({ issuer_id }) => issuer_id));
  return watch
    .filter((id) => !ids.has(id))
    .map((id) => finding('watched-issuer-unknown', `${id} is not in the list`, { issuer_id: id }));
}
