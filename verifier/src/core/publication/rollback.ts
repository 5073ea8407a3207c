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
  if (updatedAt < accepted.updatedAt) {
    throw new RegistryError(
      'ERR_LIST_ROLLED_BACK',
      `the source has a list dated ${updatedAt}, but a list dated ${accepted.updatedAt} was accepted before`,
    );
  }
  if (updatedAt === accepted.updatedAt && sha256 !== accepted.sha256) {
    throw new RegistryError(
      'ERR_LIST_ROLLED_BACK',
      `the source has a list dated ${updatedAt} that differs from the accepted list of the same date`,
    );
  }
}

interface DatedCheckpoint {
  /** In milliseconds since 1970. */
  readonly issuedAt: number;
  /** The ids of the held issuers. */
  readonly hold: readonly string[];
}

/** Whether a checkpoint is older than another one. Of two of the same second, the one that holds fewer issuers is older. */
export function isOlderCheckpoint({ issuedAt, hold }: DatedCheckpoint, accepted: DatedCheckpoint): boolean {
  if (issuedAt === accepted.issuedAt) return !accepted.hold.every((id) => hold.includes(id));
  return !(issuedAt > accepted.issuedAt);
}

/**
 * Refuses an older checkpoint, whatever list it names (rule checkpoint-rollback). An older checkpoint could release an issuer that is held, or make
 * a list look less fresh than it is. A checkpoint of the same second may hold more issuers, but releases none.
 */
export function refuseOlderCheckpoint(
  checkpoint: DatedCheckpoint,
  accepted: DatedCheckpoint | undefined,
): void {
  if (accepted === undefined || !isOlderCheckpoint(checkpoint, accepted)) return;
  throw new RegistryError(
    'ERR_CHECKPOINT_ROLLED_BACK',
    `the checkpoint is dated ${toText(checkpoint.issuedAt)}, but a checkpoint dated ${toText(accepted.issuedAt)} was accepted before`,
  );
}

/**
 * Refuses an older publication statement, a different one of the same sequence, and one that withdraws the log (rule statement-rollback). Only statements by the same root key are compared: a rotation lets a registry
 * recover from a sequence that a thief has driven up.
 *
 * @param accepted - the accepted statement, if the same root key signed it
 */
export function refuseOlderStatement(
  statement: PublicationStatement,
  accepted: PublicationStatement | undefined,
): void {
  const fault = accepted && faultAfter(statement, accepted);
  if (fault !== undefined) throw new RegistryError('ERR_PUBLICATION_ROLLED_BACK', fault);
}

function faultAfter(
  { sequence, payload, log }: PublicationStatement,
  accepted: PublicationStatement,
): string | undefined {
  if (sequence < accepted.sequence)
    return `the source has publication ${sequence}, but publication ${accepted.sequence} was accepted before`;
  if (sequence === accepted.sequence && payload !== accepted.payload)
    return `the source has a publication ${sequence} that differs from the accepted one of the same sequence`;
  if (accepted.log !== undefined && log?.origin !== accepted.log.origin)
    return `publication ${sequence} names the log ${log?.origin ?? 'none'}, but publication ${accepted.sequence} named ${accepted.log.origin}`;
  return undefined;
}

/**
 * The checkpoint says which list was the newest when it was signed. A publication statement may name that list, or a
 * newer one: the root key has signed it since. An older statement comes from a cache, or hides a change
 * (rule statement-checkpoint).
 *
 * @returns why the statement does not fit the checkpoint. Undefined if it does
 */
export function checkpointFault(statement: PublicationStatement, checkpoint: Checkpoint): string | undefined {
  const isSame =
    statement.sha256 === checkpoint.sha256 &&
    statement.size === checkpoint.size &&
    statement.updatedAt === checkpoint.updatedAt;
  const isNewer = statement.updatedAt > checkpoint.updatedAt && statement.sequence !== checkpoint.sequence;
  if (statement.sequence >= checkpoint.sequence && (isSame || isNewer)) return undefined;
  return (
    `the checkpoint names the list ${checkpoint.sha256} of ${checkpoint.updatedAt} and publication ${checkpoint.sequence}, but ` +
    `publication ${statement.sequence} names the list ${statement.sha256} of ${statement.updatedAt}`
  );
}

const toText = (instant: number) => new Date(instant).toISOString();
