import { importRootKey, openRegistry, RegistryError, walkRotation } from '@passport-registry/verifier';
import {
  decodeUtf8,
  publicationClaims,
  readStatement,
  type Statement,
} from '@passport-registry/verifier/internal';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { type Expiry, expiryOf } from '../../generator/freshness/expiry.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { ANY_AGE_SECONDS } from '../../generator/verification/assert-client-accepts.js';
import { type PinnedTrust, trustAnchorOf } from '../../generator/verification/pinned-trust.js';
import { SeenFiles } from '../../generator/verification/seen-files.js';
import { checkRootKey } from '../../generator/verification/tree-checks.js';
import { sourceOf } from '../../generator/verification/tree-source.js';
import { type ServedLog, servedLog } from './served-log.js';

/** A statement that a host serves. */
export interface ServedStatement {
  /** When the statement was signed, RFC 3339. */
  readonly issuedAt: string;
  /** SHA-256 of the file, lower-case hexadecimal. */
  readonly sha256: string;
}

/** The publication statement that a host serves. */
export interface ServedPublication extends ServedStatement {
  /** Every new statement has a higher sequence. */
  readonly sequence: number;
}

/** What a host says of its tree. */
export interface ClaimedTree {
  /** RFC 7638 thumbprint of its root key; undefined if it cannot be read. */
  readonly rootKey: string | undefined;
  /** Whether it has the mark of a development key. */
  readonly development: boolean;
}

/** What a host serves, or what a folder contains. */
export interface ServedTree {
  /** The URL of the host, or the folder. */
  readonly url: string;
  /** Why the host cannot be compared; undefined if a verifier accepts what it serves. */
  readonly failure: 'expired' | 'altered' | 'unreachable' | undefined;
  /** Whether the host answers that it has no list. */
  readonly empty?: boolean;
  /** What a host says of itself that is `altered`. This proves nothing. */
  readonly claimed?: ClaimedTree | undefined;
  readonly updatedAt: string | undefined;
  /** SHA-256 of the list, lower-case hexadecimal. */
  readonly sha256: string | undefined;
  /** RFC 7638 thumbprint of the root key of the tree; undefined if the host cannot be read. */
  readonly rootKey: string | undefined;
  /** Undefined if the host serves none, or none that can be read. */
  readonly delegation: ServedStatement | undefined;
  /** Undefined if the host serves none. */
  readonly checkpoint: ServedStatement | undefined;
  /** Undefined if the host serves none. */
  readonly publication: ServedPublication | undefined;
  /** The newest head of the log. Undefined if the registry has no log. */
  readonly log: ServedLog | undefined;
  /** The problem, in words. */
  readonly problem: string | undefined;
}

/** How to read hosts. */
export interface HostReading {
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
  /** Ends all requests. A host that has not been read by then is unreachable. */
  readonly signal?: AbortSignal | undefined;
}

/** How often to read a registry again, if a publication may have happened between list and signature (rule retries). */
const RETRIES = 2;

/**
 * Reads the registry of a host or a folder as a client does, and says what the host serves.
 *
 * @param url - the URL of the host, or the folder
 */
export async function readHost(
  url: string,
  trust: PinnedTrust,
  { now, signal }: HostReading,
): Promise<ServedTree> {
  const failed = (failure: 'altered' | 'unreachable', { message }: Error): ServedTree => ({
    ...{ url, failure, updatedAt: undefined, sha256: undefined, problem: message },
    ...{ rootKey: undefined, delegation: undefined, checkpoint: undefined, publication: undefined },
    log: undefined,
  });
  for (let retry = 0; ; retry++) {
    const files = new SeenFiles(sourceOf(url, signal));
    try {
      // Reads the registry as a client does, with rotations and checkpoints, but ignores the age of the list.
      const { updatedAt, sha256 } = await openRegistry(files, {
        trustAnchor: trustAnchorOf(trust),
        maxAge: ANY_AGE_SECONDS,
      });
      const [problem] = (await expiryIn(files, now))?.problems ?? [];
      const failure = problem === undefined ? undefined : 'expired';
      const rotation = await files.get(PATHS.rotation);
      const rootKey = await walkRotation(trust.rootKey, rotation === undefined ? '[]' : decodeUtf8(rotation));
      return {
        ...{ url, failure, updatedAt, sha256, problem },
        rootKey: rootKey.thumbprint,
        delegation: await servedStatement(files, PATHS.delegation, 'registry-delegation+jwt'),
        checkpoint: await servedStatement(files, PATHS.checkpoint, 'registry-checkpoint+jwt'),
        publication: await servedPublication(files),
        log: await servedLog(files, rootKey),
      };
    } catch (error) {
      if (error instanceof IoFailed) return failed('unreachable', error);
      if (!(error instanceof RegistryError)) throw error;
      if (retry === RETRIES) {
        const [empty, claimed] = [await hasNoList(files), await claimedTree(files)];
        return { ...failed('altered', error), empty, claimed };
      }
    }
  }
}

/** Whether the host answers that there is no list. No answer, or a file that cannot be read, does not say so. */
async function hasNoList(files: SeenFiles): Promise<boolean> {
  try {
    return (await files.get(PATHS.list)) === undefined;
  } catch (error) {
    if (error instanceof IoFailed) return false;
    throw error;
  }
}

async function claimedTree(files: SeenFiles): Promise<ClaimedTree> {
  const mark = await files.get(PATHS.developmentMark).catch(() => undefined);
  const rootKey = await checkRootKey(files).catch(() => undefined);
  return { rootKey: rootKey?.thumbprint, development: mark !== undefined };
}

/** Clients ignore a delegation without a checkpoint, so such a delegation may be anything. */
async function servedStatement(
  files: SeenFiles,
  path: string,
  type: Statement['type'],
): Promise<ServedStatement | undefined> {
  const bytes = await files.get(path);
  if (bytes === undefined) return undefined;
  try {
    const { issuedAt } = readStatement(bytes, type, notReadable);
    return { issuedAt: formatUpdatedAt(issuedAt), sha256: sha256(bytes) };
  } catch (error) {
    if (error instanceof TreeRejected) return undefined;
    throw error;
  }
}

/** Reads the publication statement, which a client has verified. */
async function servedPublication(files: SeenFiles): Promise<ServedPublication | undefined> {
  const bytes = await files.get(PATHS.publication);
  if (bytes === undefined) return undefined;
  const { sequence, issuedAt } = publicationClaims(
    readStatement(bytes, 'registry-publication+jwt', notReadable),
  );
  return { sequence, issuedAt: formatUpdatedAt(issuedAt), sha256: sha256(bytes) };
}

/** Checks the times of a checkpoint that a client has verified, and of its delegation. Undefined without a checkpoint. */
async function expiryIn(files: SeenFiles, now: number): Promise<Expiry | undefined> {
  const bytes = await files.get(PATHS.checkpoint);
  if (bytes === undefined) return undefined;
  const checkpoint = readStatement(bytes, 'registry-checkpoint+jwt', notReadable);
  return expiryOf(checkpoint, await delegationOf(checkpoint, files), now);
}

/** Returns the delegation that names the key of a checkpoint. A delegation that is not needed may be invalid. */
async function delegationOf({ kid }: Statement, files: SeenFiles): Promise<Statement | undefined> {
  try {
    const delegation = readStatement(
      await files.require(PATHS.delegation),
      'registry-delegation+jwt',
      notReadable,
    );
    const keys = await Promise.all((delegation.claims['keys'] as unknown[]).map(importRootKey));
    return keys.some(({ thumbprint }) => thumbprint === kid) ? delegation : undefined;
  } catch {
    return undefined;
  }
}

const notReadable = (message: string, cause?: unknown) =>
  new TreeRejected(`a statement ${message}`, { cause });
