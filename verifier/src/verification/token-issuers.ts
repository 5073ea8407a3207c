import type { Registry } from '../client/registry.js';
import type { Issuer } from '../core/generated/schemas.js';
import { Rejection, reject } from '../passport/rejection.js';
import { holdsList, type TrustOptions } from './options.js';
import { rejectUnavailable, trustedIssuer } from './trusted-issuer.js';
import type { Findings, JudgedBy } from './verdict.js';

/** A token's issuer to find. */
export interface WantedIssuer {
  /** The `iss` of the token: a base URL. */
  readonly iss: string;
  /** The only accepted issuer, by id. */
  readonly issuerId: string | undefined;
}

type IdsByUrl = ReadonlyMap<string, readonly string[]>;

/** Finds the issuers of tokens by their `iss`. Indexes each list once, at the first token. */
export class TokenIssuers {
  readonly #trust: TrustOptions;
  #index: { readonly sha256: string; readonly ids: IdsByUrl } | undefined;

  constructor(trust: TrustOptions) {
    this.#trust = trust;
  }

  /** Returns the record to which an `iss` belongs (rule token-issuer), if the policy trusts the issuer. */
  async trusted(
    { iss, issuerId }: WantedIssuer,
    findings: Findings,
  ): Promise<{ issuer: Issuer; registry: JudgedBy }> {
    const { registry } = this.#trust;
    const urls = discoveryUrls(iss);
    const id = holdsList(registry) ? this.#onlyIdAt(urls, registry, findings) : issuerId;
    if (id === undefined || id !== (issuerId ?? id)) {
      return reject('iss-mismatch', 'iss does not belong to the issuer of the profile');
    }
    const trusted = await trustedIssuer(id, this.#trust, findings);
    if (!urls.includes(trusted.issuer.discovery_uri)) {
      return reject('iss-mismatch', `iss does not belong to the discovery_uri of the issuer ${id}`);
    }
    return trusted;
  }

  #onlyIdAt(urls: readonly string[], registry: Registry, findings: Findings): string {
    const ids = this.#idsOf(registry, findings);
    const [id, another] = urls.flatMap((url) => ids.get(url) ?? []);
    if (id === undefined) {
      throw new Rejection([{ code: 'issuer-unknown', message: 'the registry has no issuer with this iss' }]);
    }
    if (another !== undefined) reject('issuer-ambiguous', `iss belongs to both ${id} and ${another}`);
    return id;
  }

  /** Returns the ids of the issuers in the current list, by `discovery_uri`. */
  #idsOf(registry: Registry, findings: Findings): IdsByUrl {
    try {
      const { updatedAt, sha256 } = registry;
      findings.registry = { updatedAt, sha256 };
      if (this.#index?.sha256 !== sha256) this.#index = { sha256, ids: idsByUrl(registry.list()) };
      return this.#index.ids;
    } catch (error) {
      return rejectUnavailable(error);
    }
  }
}

function idsByUrl(issuers: readonly Issuer[]): IdsByUrl {
  const ids = new Map<string, string[]>();
  for (const { issuer_id, discovery_uri } of issuers) {
    const others = ids.get(discovery_uri);
    if (others === undefined) ids.set(discovery_uri, [issuer_id]);
    else others.push(issuer_id);
  }
  return ids;
}

/**
 * Returns the well-known URLs of an issuer (rule token-issuer), as in OpenID Connect Discovery and in RFC 8414. No URL is
 * normalized: the metadata must name exactly this `iss`.
 */
function discoveryUrls(iss: string): readonly string[] {
  const base = iss.replace(/\/$/, '');
  const path = base.indexOf('/', base.indexOf('://') + 3);
  const [origin, rest] = path === -1 ? [base, ''] : [base.slice(0, path), base.slice(path)];
  return [
    `${base}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${rest}`,
  ];
}
