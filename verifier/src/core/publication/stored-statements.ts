import { sha256Hex } from '../bytes/sha256.js';
import { decodeUtf8 } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import { verifySignature } from '../keys/signature.js';
import { isUpdatedAt } from '../list/date-time.js';
import type { RootChain } from '../statements/root-chain.js';
import { limitFiles, type RegistryFiles } from './registry-files.js';
import { LIST, readSignature } from './signed-pair.js';
import {
  type AcceptedStatements,
  acceptStatements,
  type NamedList,
  namedBy,
  readStatements,
  type SourceTrust,
  type Statements,
  underAnyRoot,
} from './statements.js';

/**
 * Returns how to read a store: whatever its age, and under every root key that is known. A list by a root key that was
 * replaced since is not used any more, but it still protects against older ones. So does one that seems to be from the
 * future after the clock was set back (rule store-times).
 */
export function trustInStore<T extends Pick<SourceTrust, 'clock'>>(trust: T, chains: readonly RootChain[]) {
  return {
    ...trust,
    roots: chains.flatMap(({ keys }) => [...keys].reverse()),
    clock: { now: trust.clock.now, tolerance: Number.POSITIVE_INFINITY },
    expiry: false,
  };
}

/**
 * Reads what the files of a store prove about the newest list that was accepted: its statements, or else the list itself.
 * A store that lacks what the verifier requires today, or that has no list, still protects against rollbacks
 * (rule store-times).
 */
export async function readAccepted(files: RegistryFiles, trust: SourceTrust): Promise<AcceptedStatements> {
  const source = limitFiles(files);
  const anyForm = { ...trust, requireCheckpoint: false, requirePublication: false, log: undefined };
  // The head of the log counts even if its cosignatures do not suffice any more.
  const log = trust.log && { ...trust.log, quorum: 0 };
  return underAnyRoot(trust.roots, async (root) => {
    const statements = await readStatements(source, root, { ...anyForm, log }).catch(() =>
      // An older version wrote the store, or a client that does not read the log.
      readStatements(source, root, anyForm),
    );
    const named = namedBy(statements) ?? (await readList(source, statements));
    return acceptStatements(statements, named, anyForm);
  });
}

/**
 * Reads the time and the hash of a list that the root key has signed. No issuer is read from the list, so its form does
 * not matter.
 */
async function readList(files: RegistryFiles, { root }: Statements): Promise<NamedList> {
  const list = (await files.get(LIST)) ?? new Uint8Array();
  await verifySignature(list, (await readSignature(files)) ?? '', root);
  const { updated_at: updatedAt } = JSON.parse(decodeUtf8(list)) as { updated_at?: unknown };
  if (typeof updatedAt !== 'string' || !isUpdatedAt(updatedAt)) {
    throw new RegistryError('ERR_LIST_MALFORMED', 'the list has no updated_at');
  }
  return { updatedAt, sha256: await sha256Hex(list) };
}
