import { openRegistry, RegistryError, type RootKey } from '@passport-registry/verifier';
import { IoFailed } from '../errors.js';
import { ANY_AGE_SECONDS } from '../verification/assert-client-accepts.js';
import { httpSource, registryFiles } from '../verification/tree-source.js';

/** How a mirror stands to its primary. */
export interface MirrorStatus {
  readonly url: string;
  readonly state: 'primary' | 'in sync' | 'behind' | 'ahead' | 'altered' | 'unreachable';
  readonly updatedAt: string | undefined;
  /** By how much its list is older than the primary's, in seconds. */
  readonly behind: number | undefined;
  /** What is wrong. */
  readonly problem: string | undefined;
}

/** How often a pair is asked for again that straddles a publication (SPEC B6). */
const RETRIES = 2;

/**
 * Compares a primary with its mirrors, by what they serve under the pinned root key.
 *
 * @param urls - the primary first
 */
export async function mirrorStatus(urls: readonly string[], rootKey: RootKey): Promise<MirrorStatus[]> {
  const [primary, ...mirrors] = await Promise.all(urls.map((url) => look(url, rootKey)));
  if (primary === undefined) return [];
  const asPrimary = primary.state === 'in sync' ? { ...primary, state: 'primary' as const } : primary;
  return [asPrimary, ...mirrors.map((mirror) => compared(mirror, primary))];
}

function compared(mirror: MirrorStatus, primary: MirrorStatus): MirrorStatus {
  if (mirror.updatedAt === undefined || primary.updatedAt === undefined) return mirror;
  const behind = (Date.parse(primary.updatedAt) - Date.parse(mirror.updatedAt)) / 1000;
  const state = behind === 0 ? 'in sync' : behind > 0 ? 'behind' : 'ahead';
  return { ...mirror, state, behind };
}

async function look(url: string, rootKey: RootKey): Promise<MirrorStatus> {
  const bad = (state: 'altered' | 'unreachable', { message }: Error): MirrorStatus => ({
    ...{ url, state, updatedAt: undefined, behind: undefined, problem: message },
  });
  for (let retry = 0; ; retry++) {
    try {
      // As a client reads it, rotations and checkpoints included; how old it may be is another matter.
      const { updatedAt } = await openRegistry(registryFiles(httpSource(url)), {
        rootKey: rootKey.jwk,
        maxAge: ANY_AGE_SECONDS,
      });
      return { url, state: 'in sync', updatedAt, behind: 0, problem: undefined };
    } catch (error) {
      if (error instanceof IoFailed) return bad('unreachable', error);
      if (!(error instanceof RegistryError)) throw error;
      if (retry === RETRIES) return bad('altered', error);
    }
  }
}
