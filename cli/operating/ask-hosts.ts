import { RegistryError, type RootKey, walkRotation } from '@passport-registry/verifier';
import { decodeUtf8 } from '@passport-registry/verifier/core';
import { IoFailed } from '../../generator/errors.js';
import { pinnedKey } from '../../generator/verification/pinned-trust.js';
import { Problems, SeenFiles } from '../../generator/verification/seen-files.js';
import { checkRootKey } from '../../generator/verification/tree-checks.js';
import { httpSource } from '../../generator/verification/tree-source.js';
import { type HostReading, readHost } from '../../observers/mirroring/read-host.js';
import { type MirrorStatus, mirrorStatus } from '../../observers/mirroring/status.js';

/** The time limit for all hosts together, for a command that goes on without their answer, for example without a network. */
export const HOSTS_TIMEOUT_MS = 5000;

/** How to ask hosts. */
export interface HostQuestion extends HostReading {
  readonly rootKey: RootKey;
  /** The rotation of the operator's own tree. Undefined if the tree has no valid rotation. */
  readonly own: OwnRotation | undefined;
}

/**
 * Compares hosts under the root key or, for a host that lacks the newest rotation of the tree, under the outgoing key.
 *
 * @param urls - the URL of the primary or its folder, then the URLs of its mirrors
 */
export function askHosts(
  urls: readonly string[],
  { rootKey, own, ...reading }: HostQuestion,
): Promise<readonly MirrorStatus[]> {
  const { signal } = reading;
  const read = async (url: string) => {
    const host = await readHost(url, pinnedKey(rootKey), reading);
    const mayBeOlder = own !== undefined && host.failure === 'altered';
    const outgoing = mayBeOlder ? await outgoingKeyAt(url, own, signal) : undefined;
    return outgoing === undefined ? host : readHost(url, pinnedKey(outgoing), reading);
  };
  return mirrorStatus(urls, read, signal);
}

/** The rotation of the operator's own tree. */
export interface OwnRotation {
  /** The bytes of keys/rotation.json. */
  readonly rotation: Uint8Array;
  /** The thumbprint of the tree's own root key. */
  readonly rootKey: string;
}

/**
 * Returns the root key of a host if the rotation in the output folder leads from that key to the tree's own key: the
 * tree was rotated, and is not on the host yet. The operator's own tree proves this, so the host need not be trusted.
 */
async function outgoingKeyAt(
  url: string,
  { rotation, rootKey }: OwnRotation,
  signal: AbortSignal | undefined,
): Promise<RootKey | undefined> {
  try {
    const key = await checkRootKey(new SeenFiles(httpSource(url, signal)));
    const current = await walkRotation(key, decodeUtf8(rotation));
    const isOutgoing = key.thumbprint !== rootKey && current.thumbprint === rootKey;
    return isOutgoing ? key : undefined;
  } catch (error) {
    const isRefused =
      error instanceof RegistryError || error instanceof Problems || error instanceof IoFailed;
    if (isRefused) return undefined;
    throw error;
  }
}
