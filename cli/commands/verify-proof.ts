import { OptionsInvalid, RegistryError } from '@passport-registry/verifier';
import { verifyHistoryProof } from '@passport-registry/verifier/history';
import { TreeRejected, UsageError } from '../../generator/errors.js';
import { readBytes } from '../../generator/files/read-file.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { type PinnedTrust, trustAnchorOf } from '../../generator/verification/pinned-trust.js';
import { emit, type Io, say } from '../terminal/io.js';
import { inWords, sayPublication } from '../terminal/say-past.js';

/** Verifies a file that `resolve --proof-out` has written, without a network. */
export async function verifyProof(
  io: Io,
  file: string,
  { trust, json }: { readonly trust: PinnedTrust; readonly json?: true | undefined },
): Promise<number> {
  const { from, until, issuer = null, issuerId, ...rest } = await proven(file, trust);
  const times = { from: formatUpdatedAt(from.getTime()), until: formatUpdatedAt(until.getTime()) };
  const said = { ...times, ...rest, listed: issuer !== null, issuer };
  if (json) emit(io, { ok: true, issuerId, ...said });
  say(io, `${file} is valid: ${issuerId} was ${inWords(said)}`);
  sayPublication(io, said);
  return 0;
}

async function proven(file: string, trust: PinnedTrust) {
  try {
    return await verifyHistoryProof(readBytes(file), { trustAnchor: trustAnchorOf(trust) });
  } catch (error) {
    if (error instanceof OptionsInvalid) {
      throw new UsageError('--proof needs --root-key with a trust anchor that has witnesses and a quorum');
    }
    if (!(error instanceof RegistryError)) throw error;
    throw new TreeRejected(`${file} is NOT valid: ${error.code}: ${error.message}`, { cause: error });
  }
}
