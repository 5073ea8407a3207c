import type { RootKey } from '@passport-registry/verifier';
import {
  CLOCK_TOLERANCE_MS,
  COSIGNED_ANY_TIME,
  newestCosignatures,
  type Operations,
  parseLogProof,
  parseNoteKey,
  TREE_FILES,
  verifyDelegation,
  verifyOperations,
} from '@passport-registry/verifier/core';
import type { LoggedList } from '../log/verified-log.js';
import { fetchIfThere } from '../registry/fetch-file.js';
import { NotVerified, notVerified } from '../registry/verified-registry.js';

/** A witness that the registry names, and when it cosigned the head of the log. Undefined if it has not. */
interface NamedWitness {
  readonly name: string;
  readonly cosignedAt: Date | undefined;
}

/** What is known of the operations of a registry besides its list, verified under its root key. */
export interface KnownOperations {
  /** Undefined without a delegation, or if it is not valid. */
  readonly delegation?: Awaited<ReturnType<typeof verifyDelegation>> | undefined;
  /** Undefined without an operations statement, or if it is not valid. */
  readonly report?: Operations | undefined;
  /** Why the operations statement of the host is not valid. */
  readonly refusal?: NotVerified | undefined;
  /** The proven log. Null if the registry has none, by what its root key has signed. Undefined if nothing proves either. */
  readonly log: LoggedList | null | undefined;
  /** The witnesses that the registry names. */
  readonly witnesses: readonly NamedWitness[];
}

/**
 * Finds out what is known of the operations of a registry. An expired statement is still a fact of the past.
 *
 * @param delegatedAt - when the delegation was signed that the registry's client accepted
 */
export async function readOperations(
  base: URL,
  rootKey: RootKey,
  { log, delegatedAt }: Pick<KnownOperations, 'log'> & { readonly delegatedAt: Date | undefined },
): Promise<KnownOperations> {
  const times = { clock: { now: Date.now(), tolerance: CLOCK_TOLERANCE_MS }, expiry: false };
  const [delegation, operations] = await Promise.all(
    [TREE_FILES.delegation, 'operations.jwt'].map((path) => fetchIfThere(base, path).catch(() => undefined)),
  );
  const found = delegation && (await verifyDelegation(delegation, rootKey, times).catch(() => undefined));
  // Another delegation than that of the checkpoint may name keys that were withdrawn.
  const delegated = found?.issuedAt === delegatedAt?.getTime() ? found : undefined;
  // An online key may have signed the report before the root key signed the checkpoint, which then names no delegation.
  const signers = { delegation: delegatedAt === undefined ? delegation : delegated && delegation };
  const report =
    operations && (await verifyOperations({ operations, ...signers }, rootKey, times).catch(notVerified));
  if (report instanceof NotVerified) return { delegation: delegated, refusal: report, log, witnesses: [] };
  const witnesses = log && report ? await cosignaturesBy(report.witnesses, log) : [];
  return { delegation: delegated, report, log, witnesses };
}

/** Finds out which of the named witnesses have cosigned the head of the log. */
async function cosignaturesBy(keys: readonly string[], log: LoggedList): Promise<NamedWitness[]> {
  const refuse = (message: string) => new NotVerified('ERR_NOT_LOGGED', message);
  const witnesses = keys.map((key) => parseNoteKey(key, 'witness', refuse));
  const { note } = parseLogProof(log.head.proof, refuse).head;
  const valid = await newestCosignatures(note, { witnesses, quorum: witnesses.length, ...COSIGNED_ANY_TIME });
  return witnesses.map(({ name, jwk }) => {
    const found = valid.find(({ witness }) => witness.jwk.x === jwk.x);
    return { name, cosignedAt: found && new Date(found.time) };
  });
}
