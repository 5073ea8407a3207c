import { RegistryError } from '../errors.js';
import type { Issuer, TrustPolicy } from '../generated/schemas.js';
import type { Registry } from '../registry.js';
import { type Findings, Rejection, reject } from './verdict.js';

/** The issuer's record, if the registry has it and the policy trusts it (SPEC A3). */
export function trustedIssuer(
  id: string,
  registry: Registry,
  policy: TrustPolicy,
  findings: Findings,
): Issuer {
  try {
    const { accepted, reasons, issuer } = registry.decide(id, policy);
    findings.issuer = issuer;
    findings.registry = { updatedAt: registry.updatedAt, sha256: registry.sha256 };
    if (!accepted || issuer === undefined) throw new Rejection(reasons);
    return issuer;
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return reject('registry-unavailable', error.message, error);
  }
}
