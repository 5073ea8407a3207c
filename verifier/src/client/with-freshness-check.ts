import type { Issuer, TrustPolicy } from '../core/generated/schemas.js';
import type { Decision } from '../policy/decide.js';
import type { IssuerFilter, Registry } from './registry.js';

/** Creates a registry that calls `current` for every query. `current` throws once the list is stale. */
export function withFreshnessCheck(current: () => Registry): Registry {
  return {
    get updatedAt() {
      return current().updatedAt;
    },
    get sha256() {
      return current().sha256;
    },
    get hold() {
      return current().hold;
    },
    resolve: (id: string): Issuer | undefined => current().resolve(id),
    list: (filter?: IssuerFilter): Issuer[] => current().list(filter),
    decide: (issuer: string | Issuer, policy: TrustPolicy): Decision => current().decide(issuer, policy),
  };
}
