import { isValidIssuerId } from '../core/generated/predicates.js';
import type { Issuer, TrustPolicy } from '../core/generated/schemas.js';
import { type AcceptedStatements, readAcceptedStatements } from '../core/publication/statements.js';
import { statementsToStored } from '../core/publication/stored-publication.js';
import { type Decision, decideWith } from '../policy/decide.js';
import { compilePolicy } from '../policy/trust-policy.js';
import {
  type AnchoredLookupOptions,
  clientSettings,
  type IssuerLookupOptions,
  type RegistryStatus,
} from './client-options.js';
import { namingClients } from './naming-client.js';
import { Proofs, type ProvenRecord } from './proofs.js';
import { RefreshingRegistry } from './refreshing-registry.js';
import type { Registry } from './registry.js';

/** A decision about an issuer that was looked up. */
export interface ProvenDecision extends Decision {
  /**
   * The list that the proof belongs to. A refresh may have replaced it since. Undefined if the id is not a valid
   * `issuer_id`: no list has such an issuer, and none was asked.
   */
  readonly registry: Pick<Registry, 'updatedAt' | 'sha256'> | undefined;
}

/** Looks up single issuers of a registry. Every answer is proven, and refers to the newest publication. */
export interface IssuerLookup {
  /** The `updated_at` of the list in which issuers are looked up. Throws before the first look-up. */
  readonly updatedAt: string;
  /** SHA-256 of that list, in lower-case hexadecimal. Throws before the first look-up. */
  readonly sha256: string;
  /**
   * The ids of the issuers that the checkpoint holds, sorted. `decide` rejects them. Throws
   * before the first look-up.
   */
  readonly hold: readonly string[];
  /**
   * Returns the record of an issuer, whatever its status. Returns undefined only if it is proven that the list has no
   * such record. A record alone does not make an issuer trusted.
   *
   * @throws {@link NoUsableSource} | {@link RegistryStale} | `ERR_REGISTRY_CLOSED`
   */
  resolve(issuerId: string): Promise<Issuer | undefined>;
  /**
   * Decides whether a policy trusts an issuer. See {@link decide}. The decision names the list that it is about.
   *
   * @throws `ERR_POLICY_INVALID`, and the errors of `resolve`
   */
  decide(issuer: string | Issuer, policy: TrustPolicy): Promise<ProvenDecision>;
  /**
   * Resolves once the client has the statements of the registry: from the store if possible, otherwise from a source.
   *
   * @throws {@link NoUsableSource} | `ERR_REGISTRY_CLOSED`
   */
  ready(): Promise<void>;
  /**
   * Asks the sources for newer statements now. Concurrent calls share one refresh.
   *
   * @throws {@link NoUsableSource} | `ERR_REGISTRY_CLOSED`
   */
  refresh(): Promise<void>;
  /** Returns information about the newest publication and its source, and the errors of the sources. */
  status(): RegistryStatus;
  /** Stops all requests. From then on, look-ups reject with `ERR_REGISTRY_CLOSED`. */
  close(): void;
}

/**
 * Creates a client that looks up single issuers instead of loading the whole list. A look-up downloads about 10 kB. The
 * rules are those of {@link createRegistryClient}. The host learns which issuer is looked up.
 *
 * The client sends requests only during a call: it has no timers. If `refreshInterval` has passed, a look-up first asks
 * for new statements. The client keeps what it has verified, and requests only files that have changed.
 *
 * @throws {@link OptionsInvalid} | `ERR_ROOT_KEY_INVALID` | `ERR_TRUST_ANCHOR_INVALID`
 *
 * @example
 * ```ts
 * import { createIssuerLookup } from '@passport-registry/verifier';
 *
 * const lookup = createIssuerLookup({ sources: ['https://registry.example'], rootKey: pinnedJwk });
 * const { accepted, reasons } = await lookup.decide('alpha', { tiers: ['founding', 'certified'] });
 * console.log(accepted, reasons[0].code); // true policy-met
 * lookup.close();
 * ```
 */
export function createIssuerLookup(options: IssuerLookupOptions | AnchoredLookupOptions): IssuerLookup {
  const settings = clientSettings(options, 'createIssuerLookup');
  const client = new RefreshingRegistry<AcceptedStatements>(settings, STATEMENTS_READER, false);
  const proofs = new Proofs(client);
  const prove = async (id: string): Promise<Partial<ProvenRecord>> => {
    client.assertOpen();
    // No list has such an issuer, so nobody needs to prove it.
    return isValidIssuerId(id) ? proofs.prove(id) : {};
  };
  const made: IssuerLookup = {
    get updatedAt() {
      return client.current().updatedAt;
    },
    get sha256() {
      return client.current().sha256;
    },
    get hold() {
      return client.current().checkpoint.hold;
    },
    resolve: async (id) => (await prove(id)).issuer,
    decide: async (issuer, policy) => {
      compilePolicy(policy);
      // The caller's record proves nothing. The decision uses the record with the same id in the list.
      const { issuer: found, statements } = await prove(
        typeof issuer === 'string' ? issuer : issuer.issuer_id,
      );
      const registry = statements && { updatedAt: statements.updatedAt, sha256: statements.sha256 };
      return {
        ...decideWith(found, policy, { now: settings.now, hold: statements?.checkpoint.hold }),
        registry,
      };
    },
    ready: () => client.ready(),
    refresh: () => client.refresh(),
    status: () => client.status(),
    close: () => {
      client.close();
      proofs.close();
    },
  };
  namingClients.set(made, client);
  return made;
}

const STATEMENTS_READER = {
  pathsReadFirst: () => [],
  read: readAcceptedStatements,
  toStored: statementsToStored,
};
