import { RegistryError, type RootKey, walkRotation } from '@passport-registry/verifier';
import { IoFailed } from '../../generator/errors.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { statementsIn } from '../../generator/tree/statements-file.js';
import { checkRootKey } from '../../generator/verification/file-checks.js';
import { pinnedKey } from '../../generator/verification/pinned-trust.js';
import { Problems, SeenFiles } from '../../generator/verification/seen-files.js';
import { sourceOf } from '../../generator/verification/tree-source.js';
import { compareHosts, type HostStatus } from '../../observers/hosts/compare-hosts.js';
import { type HostReading, readHost } from '../../observers/hosts/read-host.js';
import { idsOf, type OwnTree } from './own-tree.js';

/** The time limit for all hosts together, for a command that goes on without their answer, for example without a network. */
export const HOSTS_TIMEOUT_MS = 5000;

/** How to ask hosts. */
interface HostQuestion extends HostReading {
  readonly rootKey: RootKey;
  /** The folder of the operator's own tree. Undefined if there is none. */
  readonly folder: string | undefined;
}

/**
 * Compares hosts under the root key or, for a host that lacks the newest rotation of the tree, under the outgoing key.
 *
 * @param urls - the URL of the primary or its folder, then the URLs of its mirrors
 */
export function askHosts(
  urls: readonly string[],
  { rootKey, folder, ...reading }: HostQuestion,
): Promise<readonly HostStatus[]> {
  const { signal } = reading;
  const read = async (url: string) => {
    const host = await readHost(url, pinnedKey(rootKey), reading);
    const mayBeOlder = folder !== undefined && host.failure === 'altered';
    const outgoing = mayBeOlder ? await outgoingKeyAt(url, { folder, rootKey }, signal) : undefined;
    return outgoing === undefined ? host : readHost(url, pinnedKey(outgoing), reading);
  };
  return compareHosts(urls, read, signal);
}

/**
 * Returns the root key of a host if the rotation of the operator's own tree leads from there to where it leads from the trusted
 * key: the tree was rotated, and is not on the host yet. The own tree proves this, so the host need not be trusted.
 */
async function outgoingKeyAt(
  url: string,
  { folder, rootKey }: { readonly folder: string; readonly rootKey: RootKey },
  signal: AbortSignal | undefined,
): Promise<RootKey | undefined> {
  const { rotation = [] } = statementsIn((path) => readIfReadable(folder, path)) ?? {};
  if (rotation.length === 0) return undefined;
  try {
    const key = await checkRootKey(new SeenFiles(sourceOf(url, signal)));
    const own = await walkRotation(rootKey, rotation);
    const theirs = await walkRotation(key, rotation);
    return theirs.thumbprint === own.thumbprint && key.thumbprint !== own.thumbprint ? key : undefined;
  } catch (error) {
    const isRefused =
      error instanceof RegistryError || error instanceof Problems || error instanceof IoFailed;
    if (isRefused) return undefined;
    throw error;
  }
}

/** A larger list is not read again only to see whether a copy is complete. */
const MAX_SAMPLE_BYTES = 4 * 1024 * 1024;

/** How many records of stopped issuers are looked at. */
const MAX_RECORDS = 10;

/**
 * Returns a file that a host serves otherwise than the tree, although it serves the same publication: somebody has copied only a
 * part. Looks at what verifiers read first, and at the records of stopped issuers. Undefined if those are the same.
 */
export async function tornFile(url: string, { folder, issuers }: OwnTree): Promise<string | undefined> {
  const records = idsOf(issuers, 'stopped').slice(0, MAX_RECORDS).map(PATHS.record);
  const files = [PATHS.list, PATHS.signature, PATHS.checksums, PATHS.statements, 'sums/root', ...records];
  const source = sourceOf(url);
  const differ = await Promise.all(
    files.map(async (path) => {
      const own = readIfReadable(folder, path);
      if (own === undefined || own.length > MAX_SAMPLE_BYTES) return [];
      try {
        const served = await source.get(path, sha256(own));
        return served !== undefined && own.equals(served.bytes) ? [] : [path];
      } catch (error) {
        if (!(error instanceof IoFailed)) throw error;
        return [];
      }
    }),
  );
  return differ.flat()[0];
}
