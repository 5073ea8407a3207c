import { type Clock, clockNote, isToCome } from '../bytes/clock.js';
import { RegistryError } from '../errors.js';
import type { RootKey } from '../keys/root-key.js';
import { instantOf, MAX_DATE_MS } from '../list/date-time.js';
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
  /** The maximum age of `updated_at` for a list without a checkpoint, in milliseconds. */
  readonly maxAge: number;
  /** Whether to refuse a registry without a checkpoint. */
  readonly requireCheckpoint: boolean;
  /** What the verifier trusts of the log. Undefined if lists need not be logged. */
  readonly log: LogTrust | undefined;
  /** Whether to refuse a registry without a publication statement. */
  readonly requirePublication: boolean;
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
  readonly checkpoint: Checkpoint | undefined;
  readonly publication: PublicationStatement | undefined;
  /** The head of the log. Undefined if the verifier does not read the log. */
  readonly logged: LoggedHead | undefined;
}

/** The newest list of a registry, as far as its statements say, and how long it is fresh. */
export interface AcceptedStatements extends Statements, DatedList {
  /** When the publication stops being fresh, in milliseconds since 1970, without the tolerance. */
  readonly freshUntil: number;
}

/** A list by its time, its hash, its size and the number of its issuers. */
export interface SizedList extends DatedList {
  /** The size of the list in bytes. */
  readonly size: number;
  /** Undefined in a checkpoint, which does not say it. */
  readonly issuers?: number;
}

/** Returns what statements say of the list: the publication statement, or else the checkpoint. */
export function namedBy({ publication, checkpoint }: Statements): SizedList | undefined {
  return publication ?? checkpoint;
}

/** Returns the files of {@link readStatements}, so that the caller can request all of them at once. */
export function statementFiles({ log }: Pick<StatementTrust, 'log'>): readonly string[] {
  const { checkpoint, publication, logProof } = TREE_FILES;
  return [checkpoint, publication, ...(log === undefined ? [] : [logProof])];
}

/**
 * Reads and verifies the statements of a source under one root key: the publication statement, the checkpoint by the root key
 * or an online key of the publication, and the proof that the publication is logged (rule client-steps). Then refuses what lacks
 * something, is older than the accepted statements, or does not fit together (rule statement-checks).
 */
export async function readStatements(
  files: RegistryFiles,
  rootKey: RootKey,
  trust: StatementTrust,
): Promise<Statements> {
  const { accepted } = trust;
  const [bytes, text] = await Promise.all([
    files.get(TREE_FILES.publication),
    files.get(TREE_FILES.checkpoint),
  ]);
  const publication = bytes && (await verifyPublicationStatement(bytes, rootKey, trust));
  const checkpoint = text && (await verifyCheckpoint(text, { rootKey, online: publication?.online }, trust));
  assertPresent({ checkpoint, publication }, trust);
  if (checkpoint !== undefined) {
    // With a statement, a checkpoint may name an older list than the accepted one: the next checkpoint is not signed yet.
    refuseOlderList(checkpoint, publication === undefined ? accepted : accepted?.checkpoint);
    refuseOlderCheckpoint(checkpoint, accepted?.checkpoint);
  }
  if (publication !== undefined) {
    refuseOlderStatement(publication, acceptedUnder(rootKey, accepted)?.publication);
    const fault = checkpoint && checkpointFault(publication, checkpoint);
    if (fault !== undefined) throw new RegistryError('ERR_CHECKPOINT_MISMATCH', fault);
    refuseOlderList(publication, accepted);
  }
  return {
    rootKey,
    checkpoint,
    publication,
    logged: publication && (await readLoggedHead(files, publication, trust)),
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
  { log, clock, maxAge, expiry, accepted }: StatementTrust,
): Promise<LoggedHead | undefined> {
  if (log === undefined) return undefined;
  const times = recentCosignatures(clock, expiry ? maxAge : Number.POSITIVE_INFINITY);
  const proof = await files.get(TREE_FILES.logProof);
  const head = await verifyPublicationProof(proof, statement, { ...log, ...times });
  const newer = await acceptHead({ head, accepted: accepted?.logged }, (path) => files.get(path));
  // The accepted one may be from a time when the clock was ahead. It would make the list look fresh for too long.
  return (newer.witnessedAt ?? 0) > times.until ? head : newer;
}

/** An attacker could remove a statement to hide that the list is old (rules checkpoint-required, statement-required). */
function assertPresent(
  { checkpoint, publication }: Pick<Statements, 'checkpoint' | 'publication'>,
  { accepted, log, requireCheckpoint, requirePublication }: StatementTrust,
): void {
  const needsCheckpoint =
    requireCheckpoint || accepted?.checkpoint !== undefined || publication?.checkpoint === true;
  if (checkpoint === undefined && needsCheckpoint) {
    throw new RegistryError(
      'ERR_CHECKPOINT_MISSING',
      'the source has no checkpoint, but a checkpoint is required',
    );
  }
  const needsStatement =
    requirePublication ||
    // Only a publication statement can be logged.
    log !== undefined ||
    accepted?.publication !== undefined ||
    checkpoint?.sequence !== undefined;
  if (publication === undefined && needsStatement) {
    throw new RegistryError(
      'ERR_PUBLICATION_MISSING',
      'the source has no publication statement, but one is required',
    );
  }
}

/**
 * Accepts the list that verified statements name, if it is not older than the accepted list, not from the future, and not too
 * old. Without a publication statement, the list itself must have been verified before.
 */
export function acceptList(
  statements: Statements,
  { updatedAt, sha256 }: DatedList,
  { accepted, clock, maxAge, expiry }: StatementTrust,
): AcceptedStatements {
  const { checkpoint, publication, logged } = statements;
  // If a statement names the list, readStatements has compared it already.
  refuseOlderList({ updatedAt, sha256 }, accepted);
  if (isToCome(instantOf(updatedAt), clock)) {
    throw new RegistryError(
      'ERR_NOT_YET_VALID',
      `the list is dated ${updatedAt}, which is in the future ${clockNote(clock.now)}`,
    );
  }
  const latest = checkpoint
    ? checkpoint.expiresAt
    : Math.min(instantOf(updatedAt) + maxAge, MAX_DATE_MS);
  if (expiry && checkpoint === undefined && !(clock.now <= latest + clock.tolerance)) {
    throw new RegistryError(
      'ERR_LIST_EXPIRED',
      `the list is dated ${updatedAt}: it is older than the maximum age and has no checkpoint ${clockNote(clock.now)}`,
    );
  }
  const witnessedUntil = logged?.witnessedAt === undefined ? latest : logged.witnessedAt + maxAge;
  const freshUntil = Math.min(latest, publication?.expiresAt ?? latest, witnessedUntil);
  return { ...statements, updatedAt, sha256, freshUntil };
}

/** The statements of a registry that has a publication statement, which also names the tree of sums. */
export interface SummedStatements extends AcceptedStatements {
  readonly publication: PublicationStatement;
}

/**
 * Reads and verifies the statements of a source, without the list. The rules are those for a whole publication, but the
 * publication statement is required: nothing else proves what the list contains.
 */
export async function readSummedStatements(
  files: RegistryFiles,
  trust: SourceTrust,
): Promise<SummedStatements> {
  const source = limitFiles(files);
  return underAnyRoot(trust.roots, async (rootKey) => {
    const statements = await readStatements(source, rootKey, { ...trust, requirePublication: true });
    const publication = statements.publication as PublicationStatement;
    return { ...acceptList(statements, publication, trust), publication };
  });
}
