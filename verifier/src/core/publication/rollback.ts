import { RegistryError } from '../errors.js';
import type { Checkpoint } from '../statements/checkpoint.js';
import type { PublicationStatement } from '../statements/publication-statement.js';

/** A list by its time and its hash: one that is accepted, or one that a statement names. */
export interface DatedList {
  readonly updatedAt: string;
  /** The payload hash: SHA-256 of the list, in lower-case hexadecimal. */
  readonly sha256: string;
}

/** Refuses a list that is older than the accepted list, and a different list of the same date (rule list-rollback). */
export function refuseOlderList({ updatedAt, sha256 }: DatedList, accepted: DatedList | undefined): void {
  if (accepted === undefined) return;
  if (updatedAt > accepted.updatedAt) return;
  if (updatedAt === accepted.updatedAt && sha256 === accepted.sha256) return;
  throw new RegistryError(
    'ERR_LIST_ROLLED_BACK',
    `the list ${sha256} of ${updatedAt} does not follow the accepted list ${accepted.sha256} of ${accepted.updatedAt}`,
  );
}

/** What two checkpoints are compared by. */
type ComparedCheckpoint = Pick<Checkpoint, 'publication' | 'issuedAt' | 'hold'>;

/**
 * Returns whether a checkpoint is older than another one (rule checkpoint-rollback). A checkpoint that was signed later is not. Any
 * other checkpoint is older if it lacks a hold, or if it was signed earlier for the same publication.
 */
export function isOlderCheckpoint(
  { publication, issuedAt, hold }: ComparedCheckpoint,
  accepted: ComparedCheckpoint,
): boolean {
  if (issuedAt > accepted.issuedAt) return false;
  if (!accepted.hold.every((id) => hold.includes(id))) return true;
  return publication === accepted.publication && issuedAt < accepted.issuedAt;
}

/**
 * Refuses an older checkpoint (rule checkpoint-rollback). It could release an issuer that is held, or make a list look less
 * fresh than it is.
 */
export function refuseOlderCheckpoint(checkpoint: Checkpoint, accepted: Checkpoint | undefined): void {
  if (accepted === undefined || !isOlderCheckpoint(checkpoint, accepted)) return;
  throw new RegistryError(
    'ERR_CHECKPOINT_ROLLED_BACK',
    `the checkpoint of ${toText(checkpoint.issuedAt)} does not follow the accepted checkpoint of ${toText(accepted.issuedAt)}`,
  );
}

/**
 * Refuses an older publication statement, and a different one of the same sequence (rule statement-rollback). Only statements
 * by the same root key are compared: after a theft, a rotation lets a registry recover from a sequence that the thief made
 * huge.
 *
 * @param accepted - the accepted statement, if the same root key signed it
 */
export function refuseOlderStatement(
  { sequence, hash }: PublicationStatement,
  accepted: PublicationStatement | undefined,
): void {
  if (accepted === undefined || sequence > accepted.sequence) return;
  if (sequence === accepted.sequence && hash === accepted.hash) return;
  throw new RegistryError(
    'ERR_PUBLICATION_ROLLED_BACK',
    `publication ${sequence}, ${hash}, does not follow the accepted publication ${accepted.sequence}, ${accepted.hash}`,
  );
}

/** Refuses a publication statement that withdraws the log, or names another one, under any root key (rule log-stays). */
export function refuseOtherLog(
  { sequence, log }: PublicationStatement,
  accepted: PublicationStatement | undefined,
): void {
  if (accepted?.log === undefined || log?.origin === accepted.log.origin) return;
  throw new RegistryError(
    'ERR_PUBLICATION_ROLLED_BACK',
    `publication ${sequence} names ${log?.origin ?? 'no log'}, but publication ${accepted.sequence} named ${accepted.log.origin}`,
  );
}

/** Asserts that a checkpoint is for a publication statement (rule statement-checkpoint). @throws `ERR_CHECKPOINT_MISMATCH` */
export function assertCheckpointFits(
  { publication }: Checkpoint,
  { hash, sequence }: PublicationStatement,
): void {
  if (publication === hash) return;
  throw new RegistryError(
    'ERR_CHECKPOINT_MISMATCH',
    `the checkpoint is for the publication ${publication}, but publication ${sequence} is ${hash}`,
  );
}

const toText = (instant: number) => new Date(instant).toISOString();
