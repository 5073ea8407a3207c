import type { RegistryClient } from '@passport-registry/verifier';

/** The issuers that the checkpoint holds. */
export interface Hold {
  /** The ids, sorted. */
  readonly ids: readonly string[];
  /** When the checkpoint was signed. */
  readonly signedAt: Date | undefined;
  /**
   * The checkpoint with which each hold began, by the id of the issuer. A checkpoint says only who is on hold now, so this is
   * known only of holds that began while the page was open.
   */
  readonly since: ReadonlyMap<string, Date>;
}

/** Compares the hold of a client or a look-up with the one before. @param before - undefined for the first list */
export function holdOf(registry: Pick<RegistryClient, 'hold' | 'status'>, before?: Hold): Hold {
  const { hold } = registry;
  const { checkpointSignedAt: signedAt } = registry.status();
  const since = new Map<string, Date>();
  for (const id of hold) {
    const isNew = before !== undefined && !before.ids.includes(id);
    const began = isNew ? signedAt : before?.since.get(id);
    if (began !== undefined) since.set(id, began);
  }
  return { ids: hold, signedAt, since };
}
