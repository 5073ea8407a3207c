import type { ProvenDecision } from '../client/issuer-lookup.js';
import { RegistryError } from '../core/errors.js';
import type { Issuer } from '../core/generated/schemas.js';
import { Rejection, reject } from '../passport/rejection.js';
import type { Decision } from '../policy/decide.js';
import type { TrustOptions } from './options.js';
import type { Findings, JudgedBy } from './verdict.js';

/** The record of an issuer that the policy trusts, and the list that contains the record. */
export interface TrustedIssuer {
  readonly issuer: Issuer;
  readonly registry: JudgedBy;
}

/**
 * Finds an issuer that the policy trusts (rule trust-policy). A look-up of single issuers answers later than a registry that
 * holds the list.
 */
export async function trustedIssuer(
  id: string,
  { registry, policy }: TrustOptions,
  findings: Findings,
): Promise<TrustedIssuer> {
  try {
    const deciding = registry.decide(id, policy);
    // No pause after a decision from a list: at any time, a client may replace its list, and what names it.
    const decision: Decision & Partial<ProvenDecision> =
      deciding instanceof Promise ? await deciding : deciding;
    const { accepted, reasons, issuer } = decision;
    findings.issuer = issuer;
    const judgedBy =
      'registry' in decision ? decision.registry : { updatedAt: registry.updatedAt, sha256: registry.sha256 };
    findings.registry = judgedBy;
    if (!accepted || issuer === undefined || judgedBy === undefined) throw new Rejection(reasons);
    return { issuer, registry: judgedBy };
  } catch (error) {
    return rejectUnavailable(error);
  }
}

/** Ends a verification because of an error of the registry. */
export function rejectUnavailable(error: unknown): never {
  if (!(error instanceof RegistryError)) throw error;
  // The message of the error tells programmers what to call. A verdict is also read by operators.
  const message =
    error.code === 'ERR_REGISTRY_NOT_READY' ? 'no list has been loaded yet: try again soon' : error.message;
  return reject('registry-unavailable', message, error);
}
