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
  if ((witnesses === undefined) !== (quorum === undefined)) {
    throw new RegistryError('ERR_TRUST_ANCHOR_INVALID', 'witnesses and quorum need each other');
  }
  if (log === undefined) {
    if (witnesses === undefined) return undefined;
    throw new RegistryError(
      'ERR_TRUST_ANCHOR_INVALID',
      'witnesses need log, the name of the log that they cosign',
    );
  }
  const keys = (witnesses ?? []).map((vkey, index) =>
    parseNoteKey(
      vkey,
      'witness',
      (message) => new RegistryError('ERR_TRUST_ANCHOR_INVALID', `witnesses[${index}] ${message}`),
    ),
  );
  const publicKeys = keys.map(({ jwk }) => jwk.x);
  const repeated = publicKeys.findIndex((key, index) => publicKeys.indexOf(key) !== index);
  if (repeated !== -1) {
    throw new RegistryError(
      'ERR_TRUST_ANCHOR_INVALID',
      `witnesses[${repeated}] has the public key of witnesses[${publicKeys.indexOf(publicKeys[repeated] ?? '')}]: a witness counts once`,
    );
  }
  if (quorum !== undefined && quorum > keys.length) {
    throw new RegistryError(
      'ERR_TRUST_ANCHOR_INVALID',
      `quorum is ${quorum}, but there are only ${keys.length} witnesses`,
    );
  }
  return { origin: log, witnesses: keys, quorum: quorum ?? 0 };
}
