import { randomUUID } from 'node:crypto';
import { RegistryError } from '@passport-registry/verifier';
import {
  type AcceptedStatements,
  logTrustOf,
  type PublicationStatement,
  parseStatementsFile,
  pinnedMemory,
  statementHash,
  verifyStatements,
} from '@passport-registry/verifier/core';
import { IoFailed } from '../../generator/errors.js';
import { releasedBy } from '../../generator/freshness/previous-checkpoint.js';
import { clockAt } from '../../generator/list/updated-at.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import { sourceOf } from '../../generator/verification/tree-source.js';

/** The statements that decide what a client accepts. */
export type Statements = Pick<AcceptedStatements, 'publication' | 'checkpoint'>;

/** What a host answers when it is asked for its statements. */
export type Served =
  | ({ readonly state: 'registry' } & Statements)
  /** The host answers that it has no statements. */
  | { readonly state: 'nothing' }
  /** No client accepts the statements. `hash` is the unverified hash of their publication, if it can be read. */
  | { readonly state: 'refused'; readonly problem: string; readonly hash: string | undefined }
  | { readonly state: 'unreachable'; readonly problem: string };

/**
 * Asks a host for its statements, with one request, and verifies them like a client without memory. The caller checks whether
 * the checkpoint has expired.
 *
 * @param url - the URL of the host, or a folder
 * @param now - milliseconds since 1970
 * @param signal - ends the request: the host then counts as unreachable
 */
export async function readServed(
  url: string,
  { rootKey, log }: PinnedTrust,
  { now, signal }: { readonly now: number; readonly signal?: AbortSignal },
): Promise<Served> {
  let bytes: Uint8Array | undefined;
  try {
    // A cache may have an older file.
    bytes = (await sourceOf(url, signal).get(PATHS.statements, randomUUID()))?.bytes;
    if (bytes === undefined) return { state: 'nothing' };
    const files = { get: async () => bytes };
    const conditions = { log: logTrustOf(log), clock: clockAt(now), expiry: false };
    const found = await verifyStatements(files, pinnedMemory([rootKey]), conditions);
    return { state: 'registry', publication: found.publication, checkpoint: found.checkpoint };
  } catch (error) {
    if (error instanceof IoFailed) return { state: 'unreachable', problem: error.message };
    if (!(error instanceof RegistryError)) throw error;
    return { state: 'refused', problem: error.message, hash: bytes && hashIn(bytes) };
  }
}

function hashIn(bytes: Uint8Array): string | undefined {
  try {
    return statementHash(parseStatementsFile(bytes).publication);
  } catch {
    return undefined;
  }
}

/** How a publication or a checkpoint relates to another one. `other`: neither follows the other. */
type Order = 'same' | 'older' | 'newer' | 'other';

/** How the statements of a host relate to the statements of a tree or a registry. */
export interface Comparison {
  readonly publication: Order;
  /** Checkpoints are compared by their publications, then by their times. */
  readonly checkpoint: Order;
  /** The issuers that only the other checkpoint holds. A newer checkpoint of the host has ended these holds. */
  readonly notHeld: readonly string[];
}

/** Compares the statements of a host with those that it should serve. */
export function compareStatements(served: Statements, wanted: Statements): Comparison {
  const publication = orderOf(served.publication, wanted.publication);
  const checkpoint = publication === 'same' ? checkpointOrder(served, wanted) : publication;
  return { publication, checkpoint, notHeld: releasedBy(served.checkpoint, wanted.checkpoint) };
}

function checkpointOrder({ checkpoint: its }: Statements, { checkpoint: wanted }: Statements): Order {
  if (its.text === wanted.text) return 'same';
  if (its.issuedAt === wanted.issuedAt) return 'other';
  return its.issuedAt < wanted.issuedAt ? 'older' : 'newer';
}

/** What a publication says of its place in a history. */
type Place = Pick<PublicationStatement, 'hash' | 'previous' | 'sequence'>;

/**
 * Returns how a publication relates to another one. Each names up to 16 earlier ones. If two are further apart, the sequence
 * decides.
 */
export function orderOf(one: Place, reference: Place): Order {
  if (one.hash === reference.hash) return 'same';
  if (reference.previous.includes(one.hash)) return 'older';
  if (one.previous.includes(reference.hash)) return 'newer';
  const isEarlier = one.sequence < reference.sequence;
  const earlier = isEarlier ? one : reference;
  const later = isEarlier ? reference : one;
  // The later one would have named the earlier one.
  if (later.sequence - earlier.sequence <= later.previous.length) return 'other';
  return isEarlier ? 'older' : 'newer';
}
