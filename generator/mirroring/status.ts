import { openRegistry, RegistryError } from '@passport-registry/verifier';
import { IoFailed } from '../errors.js';
import { ANY_AGE_SECONDS } from '../verification/assert-client-accepts.js';
import type { PinnedTrust } from '../verification/pinned-trust.js';
import { httpSource, registryFiles } from '../verification/tree-source.js';

/** The state of a mirror, compared with its primary. */
export interface MirrorStatus {
  readonly url: string;
  readonly state: 'primary' | 'in sync' | 'behind' | 'ahead' | 'altered' | 'unreachable';
  readonly updatedAt: string | undefined;
  /** How much older the list is than the primary's, in seconds. */
  readonly behind: number | undefined;
  /** The problem, in words. */
  readonly problem: string | undefined;
}

/** How often to read a registry again, if a publication may have happened between list and signature (SPEC B6). */
const RETRIES = 2;

/**
 * Compares the lists that a primary and its mirrors serve, under the pinned trust.
 *
 * @param urls - the URL of the primary, then those of its mirrors
 */
export async function mirrorStatus(urls: readonly string[], trust: PinnedTrust): Promise<MirrorStatus[]> {
  const [primary, ...mirrors] = await Promise.all(urls.map((url) => readStatus(url, trust)));
  if (primary === undefined) return [];
  const asPrimary = primary.state === 'in sync' ? { ...primary, state: 'primary' as const } : primary;
  return [asPrimary, ...mirrors.map((mirror) => compareWithPrimary(mirror, primary))];
}

function compareWithPrimary(mirror: MirrorStatus, primary: MirrorStatus): MirrorStatus {
  if (mirror.updatedAt === undefined || primary.updatedAt === undefined) return mirror;
  const behind = (Date.parse(primary.updatedAt) - Date.parse(mirror.updatedAt)) / 1000;
  const state = behind === 0 ? 'in sync' : behind > 0 ? 'behind' : 'ahead';
  return { ...mirror, state, behind };
}

async function readStatus(url: string, { rootKey, requireCheckpoint }: PinnedTrust): Promise<MirrorStatus> {
  const failed = (state: 'altered' | 'unreachable', { message }: Error): MirrorStatus => ({
    ...{ url, state, updatedAt: undefined, behind: undefined, problem: message },
  });
  for (let retry = 0; ; retry++) {
    try {
      // Reads the registry as a client does, with rotations and checkpoints, but ignores the age of the list.
      const { updatedAt } = await openRegistry(registryFiles(httpSource(url)), {
        rootKey: rootKey.jwk,
        requireCheckpoint,
        maxAge: ANY_AGE_SECONDS,
      });
      return { url, state: 'in sync', updatedAt, behind: 0, problem: undefined };
    } catch (error) {
      if (error instanceof IoFailed) return failed('unreachable', error);
      if (!(error instanceof RegistryError)) throw error;
      if (retry === RETRIES) return failed('altered', error);
    }
  }
}
