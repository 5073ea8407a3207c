import type { RegistryClient } from '@passport-registry/verifier';

/** The issuers that the checkpoint holds. */
export interface Hold {
  /** The ids, sorted. */
  readonly ids: readonly string[];
  /** When the checkpoint was signed. Nothing says since when an issuer is on hold. */
  readonly signedAt: Date | undefined;
}

/** Returns the hold of a client or a look-up. */
export function holdOf(registry: Pick<RegistryClient, 'hold' | 'status'>): Hold {
  const { checkpointSignedAt: signedAt } = registry.status();
  return { ids: registry.hold, signedAt };
}
