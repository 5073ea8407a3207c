import { RegistryError } from '../errors.js';
import type { TrustAnchor } from '../generated/schemas.js';
import { type NoteKey, parseNoteKey } from '../keys/note-key.js';

/** What a verifier trusts of the log of a registry (rule trust-anchor). */
export interface LogTrust {
  /** The name of the log. */
  readonly origin: string;
  readonly witnesses: readonly NoteKey[];
  /** How many witnesses must have cosigned; 0 if there are none. */
  readonly quorum: number;
}

/**
 * Returns what a trust anchor says of the log. Undefined if it says nothing.
 *
 * @throws `ERR_TRUST_ANCHOR_INVALID` if its members contradict each other
 */
export function logTrustOf({
  log,
  witnesses,
  quorum,
}: Pick<TrustAnchor, 'log' | 'witnesses' | 'quorum'>): LogTrust | undefined {
  const hasWitnesses = witnesses !== undefined;
  if (hasWitnesses !== (quorum !== undefined) || (hasWitnesses && log === undefined)) {
    throw invalid('witnesses and quorum need each other, and log');
  }
  if (log === undefined) return undefined;
  const keys = (witnesses ?? []).map((vkey, index) =>
    parseNoteKey(vkey, 'witness', (message) => invalid(`witnesses[${index}] ${message}`)),
  );
  const publicKeys = keys.map(({ jwk }) => jwk.x);
  const repeated = publicKeys.findIndex((key, index) => publicKeys.indexOf(key) !== index);
  if (repeated !== -1) {
    const first = publicKeys.indexOf(publicKeys[repeated] ?? '');
    throw invalid(`witnesses[${repeated}] has the public key of witnesses[${first}]: a witness counts once`);
  }
  if (quorum !== undefined && quorum > keys.length) {
    throw invalid(`quorum is ${quorum}, but there are only ${keys.length} witnesses`);
  }
  return { origin: log, witnesses: keys, quorum: quorum ?? 0 };
}

const invalid = (problem: string) => new RegistryError('ERR_TRUST_ANCHOR_INVALID', problem);
