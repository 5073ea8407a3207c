import type {
  Decision,
  Issuer,
  IssuerLookup,
  RegistryStatus,
  TrustPolicy,
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
  /** Decides under a policy as a verifier would. */
  readonly decide: (policy: TrustPolicy) => Promise<Decision>;
}

/**
 * Looks up one issuer, which takes some kilobytes, however large the list is.
 *
 * @returns undefined if there is no proof. The list then decides
 */
export async function proveIssuer(lookup: IssuerLookup, id: string): Promise<ProvenIssuer | undefined> {
  try {
    const issuer = await lookup.resolve(id);
    const { sha256, hold } = lookup;
    const decide = (policy: TrustPolicy) => lookup.decide(id, policy);
    return { id, issuer, sha256, hold, status: lookup.status(), decide };
  } catch {
    return undefined;
  }
}
