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
import type { LogTrust } from '../statements/log-trust.js';
import {
  type PublicationStatement,
  verifyPublicationStatement,
} from '../statements/publication-statement.js';
import { TREE_FILES } from '../tree-files.js';
import { limitFiles, type RegistryFiles } from './registry-files.js';
import {
  checkpointFault,
  type DatedList,
  refuseOlderCheckpoint,
  refuseOlderList,
  refuseOlderStatement,
} from './rollback.js';

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

/** Returns the files of {@link readStatements}, so that the caller can request all of them at once. */
export function statementFiles({ log }: Pick<StatementTrust, 'log'>): readonly string[] {
  const { checkpoint, publication, logProof } = TREE_FILES;
  return [checkpoint, publication, ...(log === undefined ? [] : [logProof])];
}

/**
 * Reads and verifies the statements of a source under one root key: the publication statement, the checkpoint by the root key
 * or an online key of the publication, and the proof that the publication is logged (rule client-steps). No source lacks one of
 * them (rule missing-files). Then refuses what is older than the accepted statements, or does not fit together
 * (rule statement-checks).
 */
export async function readStatements(
  files: RegistryFiles,
  rootKey: RootKey,
  trust: StatementTrust,
): Promise<Statements> {
  const { accepted } = trust;
  const reading = files.get(TREE_FILES.checkpoint);
  // If the statement is refused, a failed download does not matter.
  reading.catch(() => undefined);
  const bytes = await files.get(TREE_FILES.publication);
  if (bytes === undefined)
    throw new RegistryError('ERR_PUBLICATION_MISSING', 'the source has no publication statement');
  const publication = await verifyPublicationStatement(bytes, rootKey, trust);
  const text = await reading;
  if (text === undefined) throw new RegistryError('ERR_CHECKPOINT_MISSING', 'the source has no checkpoint');
  const checkpoint = await verifyCheckpoint(text, { rootKey, online: publication.online }, trust);
  // A checkpoint may name an older list than the accepted one: the next checkpoint is not signed yet.
  refuseOlderList(checkpoint, accepted?.checkpoint);
  refuseOlderCheckpoint(checkpoint, accepted?.checkpoint);
  refuseOlderStatement(publication, acceptedUnder(rootKey, accepted)?.publication);
  const fault = checkpointFault(publication, checkpoint);
  if (fault !== undefined) throw new RegistryError('ERR_CHECKPOINT_MISMATCH', fault);
  refuseOlderList(publication, accepted);
  return {
    rootKey,
    checkpoint,
    publication,
    logged: await readLoggedHead(files, publication, trust),
  };
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
export function acceptedUnder<S extends AcceptedStatements>(
  rootKey: RootKey,
  accepted: S | undefined,
): S | undefined {
  return accepted?.rootKey.thumbprint === rootKey.thumbprint ? accepted : undefined;
}

/** Verifies that the publication is logged, if the verifier demands it. */
async function readLoggedHead(
  files: RegistryFiles,
  statement: PublicationStatement,
  { log, clock, expiry, accepted }: StatementTrust,
): Promise<LoggedHead | undefined> {
  if (log === undefined) return undefined;
  const times = recentCosignatures(clock, expiry ? COSIGNATURE_AGE_MS : Number.POSITIVE_INFINITY);
  const proof = await files.get(TREE_FILES.logProof);
  const head = await verifyPublicationProof(proof, statement, { ...log, ...times });
  const newer = await acceptHead({ head, accepted: accepted?.logged }, (path) => files.get(path));
  // The accepted one may be from a time when the clock was ahead. It would make the list look fresh for too long.
  return (newer.witnessedAt ?? 0) > times.until ? head : newer;
}

/**
 * Accepts the list that verified statements name, if it is not from the future. Whoever reads the list has verified it before
 * (rule client-steps).
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
  const ends = [checkpoint.expiresAt, publication.expiresAt];
  if (logged?.witnessedAt !== undefined) ends.push(logged.witnessedAt + COSIGNATURE_AGE_MS);
  return { ...statements, updatedAt, sha256, freshUntil: Math.min(...ends) };
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
