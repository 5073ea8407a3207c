import {
  createIssuerLookup,
  type Issuer,
  type RegistryStatus,
  type RootKey,
} from '@passport-registry/verifier';

/** What the registry proves of one issuer, without its list. */
export interface ProvenIssuer {
  readonly id: string;
  /** The record. Undefined if it is proven that the list has no such issuer. */
  readonly issuer: Issuer | undefined;
  /** The payload hash of the list to which the proof belongs. */
  readonly sha256: string;
  /** The ids of the issuers that the checkpoint holds. */
  readonly hold: readonly string[];
  readonly status: RegistryStatus;
}

/**
 * Looks up one issuer, which takes some kilobytes, however large the list is.
 *
 * @returns undefined if there is no proof. The list then decides
 */
export async function proveIssuer(
  base: URL,
  rootKey: RootKey,
  id: string,
): Promise<ProvenIssuer | undefined> {
  const lookup = createIssuerLookup({ sources: [base.href], rootKey: rootKey.jwk });
  try {
    const issuer = await lookup.resolve(id);
    return { id, issuer, sha256: lookup.sha256, hold: lookup.hold, status: lookup.status() };
  } catch {
    return undefined;
  } finally {
    lookup.close();
  }
}
