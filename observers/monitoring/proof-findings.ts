import { hasCode, recentCosignatures, verifyPublicationProof } from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { readPublicationStatement } from '../../generator/freshness/statements.js';
import { clockAt, formatUpdatedAt } from '../../generator/list/updated-at.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { type Finding, finding } from './finding.js';
import type { HostView } from './host-view.js';
import type { Round } from './round.js';

/** Verifies the proof that the publication of a host is logged, as a verifier does that has the same trust anchor. */
export async function proofFindings(
  { host, files }: HostView,
  { log: { entries, head }, logTrust, options, now }: Round,
): Promise<Finding[]> {
  const bytes = files.get(PATHS.publication);
  const hash = bytes && sha256(bytes);
  const isLogged = entries.some((entry) => entry.type === 'publication' && entry.sha256 === hash);
  const mayHaveProof = files.get(PATHS.logHead) !== undefined && files.has(PATHS.logProof);
  if (bytes === undefined || !isLogged || !mayHaveProof) return [];
  const { since, until } = recentCosignatures(clockAt(now), options.maxAgeMs);
  const trust = logTrust ?? { origin: head?.origin ?? '', witnesses: [], quorum: 0 };
  const verify = async (since: number) => {
    const statement = readPublicationStatement(bytes);
    const rules = { ...trust, since, until };
    return verifyPublicationProof(files.get(PATHS.logProof), statement, rules);
  };
  const tell = (code: 'proof-invalid' | 'too-few-cosignatures' | 'cosignatures-too-old', message: string) => [
    finding(code, `${PATHS.logProof}: ${message}`, { host: host.url }),
  ];
  try {
    await verify(since);
    return [];
  } catch (error) {
    if (hasCode(error, 'ERR_NOT_LOGGED') || error instanceof TreeRejected)
      return tell('proof-invalid', error.message);
    if (!hasCode(error, 'ERR_TOO_FEW_COSIGNATURES')) throw error;
    const old = await verify(Number.NEGATIVE_INFINITY).catch(() => undefined);
    if (old === undefined) return tell('too-few-cosignatures', error.message);
    const time = formatUpdatedAt(old.witnessedAt ?? 0);
    return tell('cosignatures-too-old', `the quorum is of ${time}, and verifiers refuse the list`);
  }
}
