import { type Clock, COSIGNATURE_AGE_MS, clockNote, isToCome } from '../bytes/clock.js';
import { RegistryError } from '../errors.js';
import type { RootKey } from '../keys/root-key.js';
import { instantOf } from '../list/date-time.js';
import {
  acceptHead,
  type LoggedHead,
  recentCosignatures,
  verifyPublicationProof,
} from '../log/publication-proof.js';
import { type Checkpoint, verifyCheckpoint } from '../statements/checkpoint.js';
import {
  type PublicationStatement,
  verifyPublicationStatement,
} from '../statements/publication-statement.js';
import type { LogTrust } from '../statements/trust-anchor.js';
import { limitFiles, type RegistryFiles } from './registry-files.js';
import {
  assertCheckpointFits,
  type DatedList,
  refuseOlderCheckpoint,
  refuseOlderList,
  refuseOlderStatement,
  refuseOtherLog,
} from './rollback.js';
import { readStatementsFile, type StatementsFile } from './statements-file.js';

/** What a verifier requires of the statements of a registry. */
export interface StatementTrust {
  /** The newest statements that were accepted. Nothing older is accepted, even if its list cannot be used. */
  readonly accepted: AcceptedStatements | undefined;
  readonly clock: Clock;
  /** Whether to refuse expired files. If false, the caller must check the age. */
  readonly expiry: boolean;
  /** What the verifier trusts of the log. Undefined if lists need not be logged. */
  readonly log: LogTrust | undefined;
}

/** What a verifier trusts and requires when it reads a source. */
export interface SourceTrust extends StatementTrust {
  /** The current root keys, after all rotations. */
  readonly roots: readonly RootKey[];
}

/** The statements of a registry, verified under one root key. `publication` is the publication statement alone. */
export interface Statements {
  /** The root key that signed everything. */
  readonly rootKey: RootKey;
  readonly checkpoint: Checkpoint;
  readonly publication: PublicationStatement;
  /** The head of the log. Undefined if the verifier does not read the log. */
  readonly logged: LoggedHead | undefined;
}

/** The newest list of a registry, as far as its statements say, and how long it is fresh. */
export interface AcceptedStatements extends Statements, DatedList {
  /** When the publication stops being fresh, in milliseconds since 1970, without the tolerance. */
  readonly freshUntil: number;
}

/**
 * Reads and verifies the statements of a source under one root key: the publication statement, the checkpoint for it by the
 * root key or an online key of the publication, and the proof that the publication is logged. Then compares them with the
 * accepted ones (rule client-steps).
 */
export async function readStatements(
  files: RegistryFiles,
  rootKey: RootKey,
  trust: StatementTrust,
): Promise<Statements> {
  const file = await readStatementsFile(files);
  const publication = await verifyPublicationStatement(file.publication, rootKey, trust);
  const checkpoint = await verifyCheckpoint(file.checkpoint, { rootKey, online: publication.online }, trust);
  assertCheckpointFits(checkpoint, publication);
  const head = await verifyLogged(file, publication, trust);
  const { accepted } = trust;
  refuseOlderStatement(publication, acceptedUnder(rootKey, accepted)?.publication);
  refuseOtherLog(publication, accepted?.publication);
  refuseOlderCheckpoint(checkpoint, accepted?.checkpoint);
  refuseOlderList(publication, accepted);
  const logged = head && (await newerHead(files, head, trust));
  return { rootKey, checkpoint, publication, logged };
}

/** Returns the first result under one of the root keys. If none has a result, the error of the first key counts. */
export async function underAnyRoot<T>(
  roots: readonly RootKey[],
  read: (rootKey: RootKey) => Promise<T>,
): Promise<T> {
  let firstError: unknown;
  for (const rootKey of roots) {
    try {
      return await read(rootKey);
    } catch (error) {
      firstError ??= error;
    }
  }
  throw firstError ?? new RegistryError('ERR_ROOT_KEY_INVALID', 'no root key is trusted');
}

/** Returns accepted statements if this root key signed them. They prove nothing about another root key. */
function acceptedUnder<S extends AcceptedStatements>(
  rootKey: RootKey,
  accepted: S | undefined,
): S | undefined {
  return accepted?.rootKey.thumbprint === rootKey.thumbprint ? accepted : undefined;
}

/** Verifies that the publication is logged, if the verifier demands it. */
async function verifyLogged(
  { logProof }: StatementsFile,
  statement: PublicationStatement,
  { log, clock, expiry }: StatementTrust,
): Promise<LoggedHead | undefined> {
  if (log === undefined) return undefined;
  const times = recentCosignatures(clock, expiry ? COSIGNATURE_AGE_MS : Number.POSITIVE_INFINITY);
  return verifyPublicationProof(logProof, statement, { ...log, ...times });
}

/** Accepts a head that continues the accepted one. Of the same head, the newer cosignatures count. */
async function newerHead(
  files: RegistryFiles,
  head: LoggedHead,
  { accepted, clock }: StatementTrust,
): Promise<LoggedHead> {
  const newer = await acceptHead({ head, accepted: accepted?.logged }, (path) => files.get(path));
  // The accepted one may be from a time when the clock was ahead. It would make the list look fresh for too long.
  return (newer.witnessedAt ?? 0) > clock.now + clock.tolerance ? head : newer;
}

/**
 * Accepts the list that verified statements name, if it is not from the future. A client with a list has verified the list
 * before (rule client-steps).
 */
export function acceptStatements(statements: Statements, clock: Clock): AcceptedStatements {
  const { checkpoint, publication, logged } = statements;
  const { updatedAt, sha256 } = publication;
  if (isToCome(instantOf(updatedAt), clock)) {
    throw new RegistryError(
      'ERR_NOT_YET_VALID',
      `the list is dated ${updatedAt}, which is in the future ${clockNote(clock.now)}`,
    );
  }
  const witnessedUntil = (logged?.witnessedAt ?? Number.POSITIVE_INFINITY) + COSIGNATURE_AGE_MS;
  const freshUntil = Math.min(checkpoint.expiresAt, witnessedUntil);
  return { ...statements, updatedAt, sha256, freshUntil };
}

/** Reads and verifies the statements of a source, without the list. The rules are those for a whole publication. */
export async function readAcceptedStatements(
  files: RegistryFiles,
  trust: SourceTrust,
): Promise<AcceptedStatements> {
  const source = limitFiles(files);
  return underAnyRoot(trust.roots, async (rootKey) =>
    acceptStatements(await readStatements(source, rootKey, trust), trust.clock),
  );
}
