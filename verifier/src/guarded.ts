import type { Decision } from './decide.js';
import type { Issuer, TrustPolicy } from './generated/schemas.js';
import type { IssuerFilter, Registry } from './registry.js';

/** A registry that asks, before every answer, whether it may still be given. */
export function guarded(current: () => Registry): Registry {
  return {
    get updatedAt() {
      return current().updatedAt;
    },
    get sha256() {
      return current().sha256;
    },
    resolve: (id: string): Issuer | undefined => current().resolve(id),
    list: (filter?: IssuerFilter): Issuer[] => current().list(filter),
    decide: (issuer: string | Issuer, policy: TrustPolicy): Decision => current().decide(issuer, policy),
  };
}
