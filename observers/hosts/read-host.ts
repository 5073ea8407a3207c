import { RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  encodeBase64,
  headSigner,
  type Proven,
  type Publication,
  type PublicationStatement,
  parseHead,
  statementHash,
} from '@passport-registry/verifier/core';
import { IoFailed } from '../../generator/errors.js';
import { expiryOf } from '../../generator/freshness/expiry.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { PATHS } from '../../generator/tree/paths.js';
import { verifyAnyAge } from '../../generator/verification/accept.js';
import { checkRootKey } from '../../generator/verification/file-checks.js';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import { readUnlessTorn, type SeenFiles } from '../../generator/verification/seen-files.js';
import { sourceOf } from '../../generator/verification/tree-source.js';

/** A statement that a host serves. */
export interface ServedStatement {
  /** When the statement was signed, RFC 3339. */
  readonly issuedAt: string;
  /** The hash of the statement (rule statement-hash), lower-case hexadecimal. */
  readonly sha256: string;
}

/** The publication statement that a host serves. */
export interface ServedPublication extends ServedStatement {
  /** Every new statement has a higher sequence. */
  readonly sequence: number;
  /** The hashes of the statements before it, newest first. Empty in the first. */
  readonly previous: readonly string[];
}

/** The checkpoint that a host serves. */
interface ServedCheckpoint extends ServedStatement {
  /** The ids of the held issuers, sorted. */
  readonly hold: readonly string[];
  /** RFC 7638 thumbprint of the key that signed it. */
  readonly signer: string | undefined;
}

/** The head of the log that a host serves, signed by the key of the log. */
export interface ServedLog {
  readonly origin: string;
  /** The number of entries. */
  readonly size: number;
  /** The root of the Merkle tree, in base64 as in the head. */
  readonly root: string;
}

/** What a host says of its tree. */
interface ClaimedTree {
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
  /** Whether the host answers that it has no statements, and so no registry. */
  readonly empty?: boolean;
  /** What a host says of itself that is `altered`. This proves nothing. */
  readonly claimed?: ClaimedTree | undefined;
  readonly updatedAt: string | undefined;
  /** SHA-256 of the list, lower-case hexadecimal. */
  readonly sha256: string | undefined;
  /** RFC 7638 thumbprint of the root key of the tree; undefined if the host cannot be read. */
  readonly rootKey: string | undefined;
  /** Undefined if no verifier accepts what the host serves. */
  readonly checkpoint: ServedCheckpoint | undefined;
  /** Undefined if no verifier accepts what the host serves. */
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

/**
 * Reads the registry of a host or a folder as a client does, but of any age, and says what the host serves.
 *
 * @param url - the URL of the host, or the folder
 */
export async function readHost(
  url: string,
  trust: PinnedTrust,
  { now, signal }: HostReading,
): Promise<ServedTree> {
  let files: SeenFiles | undefined;
  try {
    return await readUnlessTorn(sourceOf(url, signal), async (read) => {
      files = read;
      return { url, ...(await describe(read, await verifyAnyAge(read, trust), now)) };
    });
  } catch (error) {
    if (error instanceof IoFailed) return failed(url, 'unreachable', error);
    if (!(error instanceof RegistryError)) throw error;
    if (files === undefined) throw error;
    // This file was read first, so the host has answered.
    const empty = (await files.get(PATHS.statements)) === undefined;
    return { ...failed(url, 'altered', error), empty, claimed: await claimedTree(files) };
  }
}

async function describe(
  files: SeenFiles,
  facts: Proven<Publication>,
  now: number,
): Promise<Omit<ServedTree, 'url'>> {
  const { rootKey: root, checkpoint, publication, updatedAt, sha256: list } = facts;
  const [problem] = expiryOf(checkpoint, now).problems;
  return {
    ...{ failure: problem === undefined ? undefined : 'expired', updatedAt, sha256: list, problem },
    rootKey: root.thumbprint,
    checkpoint: {
      ...served(checkpoint.issuedAt, statementHash(checkpoint.text)),
      hold: checkpoint.hold,
      signer: checkpoint.kid,
    },
    publication: {
      ...served(publication.issuedAt, publication.hash),
      sequence: publication.sequence,
      previous: publication.previous,
    },
    log: await servedLog(files, publication, root),
  };
}

function failed(url: string, failure: 'altered' | 'unreachable', { message }: Error): ServedTree {
  return {
    ...{ url, failure, updatedAt: undefined, sha256: undefined, problem: message },
    ...{ rootKey: undefined, checkpoint: undefined, publication: undefined },
    log: undefined,
  };
}

function served(issuedAt: number, sha256: string): ServedStatement {
  return { issuedAt: formatUpdatedAt(issuedAt), sha256 };
}

async function claimedTree(files: SeenFiles): Promise<ClaimedTree> {
  const mark = await files.get(PATHS.developmentMark).catch(() => undefined);
  const rootKey = await checkRootKey(files).catch(() => undefined);
  return { rootKey: rootKey?.thumbprint, development: mark !== undefined };
}

/**
 * Reads the head of the log of a host.
 *
 * @param statement - the publication statement, which the root key has signed
 * @returns undefined if the registry has no log
 * @throws `ERR_LOG_INCONSISTENT` if there is no head, or the key of the log has not signed it
 */
async function servedLog(
  files: SeenFiles,
  statement: PublicationStatement,
  rootKey: RootKey,
): Promise<ServedLog | undefined> {
  if (statement.log === undefined) return undefined;
  const bytes = await files.get(PATHS.logHead);
  if (bytes === undefined) throw invalidHead('is missing, but the publication statement names a log');
  const head = parseHead(bytes, invalidHead);
  const read = (index: number) => files.get(PATHS.loggedStatement(index));
  if ((await headSigner(head, statement.text, { roots: [rootKey], read })) === undefined)
    throw invalidHead('is not signed by the key of the log');
  return { origin: head.origin, size: head.size, root: encodeBase64(head.root) };
}

const invalidHead = (message: string) =>
  new RegistryError('ERR_LOG_INCONSISTENT', `${PATHS.logHead} ${message}`);
