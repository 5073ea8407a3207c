import { type RegistryClient, RegistryError } from '@passport-registry/verifier';
import {
  ANY_TIME,
  acceptHead,
  COSIGNED_ANY_TIME,
  type LoggedHead,
  type PublicationStatement,
  TREE_FILES,
  verifyPublicationProof,
  verifyPublicationStatement,
} from '@passport-registry/verifier/core';
import { fetchIfThere } from '../registry/fetch-file.js';
import { fetchRootKey, notVerified } from '../registry/verified-registry.js';

/** The list of the page, with the proof that it is logged. */
export interface LoggedList {
  /** The name of the log. */
  readonly origin: string;
  readonly sequence: number;
  readonly head: LoggedHead;
}

/**
 * Verifies that the list of a registry is in the log that the root key names. The page pins no witnesses, so it demands
 * no cosignatures.
 *
 * @param origin - the name of the log in which the list must be. Undefined if it need not be in a log
 * @param accepted - what was verified before. The log must continue it
 * @returns null if the registry has no log
 * @throws {@link NotVerified}
 */
export async function readLog(
  base: URL,
  registry: RegistryClient,
  { origin, accepted }: Pick<Shown, 'origin' | 'accepted'>,
): Promise<LoggedList | null> {
  const { rootKeys } = registry.status();
  const shown = { sha256: registry.sha256, rootKey: rootKeys[0] ?? '', origin, accepted };
  try {
    return await readOnce(base, shown, '');
  } catch (error) {
    // A cache may hold an older proof than the statement. The query passes by caches, but not every host knows it.
    return readOnce(base, shown, `?${Date.now().toString(36)}`).catch(() => {
      throw notVerified(error);
    });
  }
}

/** What the page shows: a list by its payload hash, and what it accepted of the log before. */
interface Shown {
  readonly sha256: string;
  /** The thumbprint of the root key. */
  readonly rootKey: string;
  readonly origin: string | undefined;
  readonly accepted: LoggedList | undefined;
}

async function readOnce(
  base: URL,
  { accepted, origin: required, ...list }: Shown,
  query: string,
): Promise<LoggedList | null> {
  const statement = await readStatement(base, list, query);
  const origin = accepted?.origin ?? required ?? statement.log?.origin;
  if (origin === undefined) return null;
  const trust = { origin, witnesses: [], quorum: 0 };
  const proof = await fetchIfThere(base, TREE_FILES.logProof, query);
  const proven = await verifyPublicationProof(proof, statement, { ...trust, ...COSIGNED_ANY_TIME });
  const heads = { head: proven, accepted: accepted?.head };
  const head = await acceptHead(heads, (path) => fetchIfThere(base, path));
  return { origin, sequence: statement.sequence, head };
}

/** Reads the statement with which the root key names the list of the page, and the log. */
async function readStatement(
  base: URL,
  { sha256, rootKey }: Pick<Shown, 'sha256' | 'rootKey'>,
  query: string,
): Promise<PublicationStatement> {
  const [key, bytes] = await Promise.all([
    fetchRootKey(base, rootKey),
    fetchIfThere(base, TREE_FILES.publication, query),
  ]);
  if (bytes === undefined)
    throw new RegistryError('ERR_PUBLICATION_MISSING', 'the host does not send its publication statement');
  const statement = await verifyPublicationStatement(bytes, key, ANY_TIME);
  if (statement.sha256 === sha256) return statement;
  throw new RegistryError(
    'ERR_PUBLICATION_MISMATCH',
    'the publication statement of the host names another list than the one shown',
  );
}
