import { type Issuer, OptionsInvalid, type Registry } from '@passport-registry/verifier';
import { type Clock, LruMap } from '@passport-registry/verifier/core';
import type { Issuers } from '../issuer/issuers.js';
import type { IssuerToken } from '../passport/issuer-token.js';
import { assertValidNow } from '../passport/passport-jws.js';
import { reject } from '../passport/rejection.js';
import { assertAudience, checkAge, readUnderProfile, type TokenClaims } from '../passport/token-profile.js';
import { rejectUnavailable, type TrustedIssuer, trustedIssuer, verifyIssued } from './issuer-steps.js';
import {
  holdsList,
  MAX_CACHED_TOKENS,
  type PassportVerifierOptions,
  readTokenProfiles,
  type TrustOptions,
} from './options.js';
import { type AcceptedToken, type CheckName, type Findings, inspect, type RejectedToken } from './verdict.js';

/** The steps of {@link PassportVerifier.verifyToken}, in order (rule token-profile). */
const TOKEN_CHECKS: readonly CheckName[] = [
  'token',
  'issuer',
  'discovery',
  'jwks',
  'signature',
  'times',
  'audience',
];

/** Creates the method `verifyToken` of a passport verifier. */
export function createTokenCheck(
  options: PassportVerifierOptions,
  { trust, issuers, clock }: { trust: TrustOptions; issuers: Issuers; clock: Clock },
): (token: string, profile: string) => Promise<AcceptedToken | RejectedToken> {
  const tokenIssuers = new TokenIssuers(trust);
  const profiles = new Map(
    [...readTokenProfiles(options)].map(([name, profile]) => [
      name,
      { profile, tokens: new LruMap<string, IssuerToken<TokenClaims>>(MAX_CACHED_TOKENS) },
    ]),
  );

  return async (token, name) => {
    const named = profiles.get(name);
    if (named === undefined) {
      throw new OptionsInvalid('verifyToken', 'profile', 'there is no such profile in tokenProfiles');
    }
    const { profile, tokens } = named;
    let signed: TokenClaims | undefined;
    const { passed, verdict } = await inspect(TOKEN_CHECKS, async (check, findings) => {
      const read = check('token', () => tokens.get(token) ?? readUnderProfile(token, profile));
      const { claims } = read;
      const find = () => tokenIssuers.find(claims.iss, profile.issuerId, findings);
      const trusted = await check('issuer', find);
      const { issuer } = trusted;
      await verifyIssued(read, { issuer_id: issuer.issuer_id, known: issuer, issuers }, check);
      // Only what has been verified, so that an attacker cannot evict others.
      tokens.set(token, read);
      signed = claims;
      check('times', () => {
        assertValidNow(claims, 'token', clock);
        checkAge(claims, profile, clock);
      });
      check('audience', () => assertAudience(profile.audience, claims.aud));
      return { ...trusted, claims };
    });
    if (passed) return { accepted: true, proven: 'token', ...verdict };
    const { reasons, checks, issuer, registry: judgedBy } = verdict;
    return { accepted: false, reasons, checks, issuer, claims: signed, registry: judgedBy };
  };
}

type IdsByUrl = ReadonlyMap<string, readonly string[]>;

/** Finds the issuers of tokens by their `iss`. Indexes each list once, at the first token. */
class TokenIssuers {
  readonly #trust: TrustOptions;
  #index: { readonly sha256: string; readonly ids: IdsByUrl } | undefined;

  constructor(trust: TrustOptions) {
    this.#trust = trust;
  }

  /**
   * Returns the record to which an `iss` belongs (rule token-issuer), if the policy trusts the issuer.
   *
   * @param issuerId - the only accepted issuer. Undefined accepts any
   */
  async find(iss: string, issuerId: string | undefined, findings: Findings): Promise<TrustedIssuer> {
    const { registry } = this.#trust;
    const urls = discoveryUrls(iss);
    const id = holdsList(registry) ? this.#onlyIdAt(urls, registry, findings) : issuerId;
    const isAccepted = id !== undefined && (issuerId === undefined || id === issuerId);
    if (!isAccepted) return reject('iss-mismatch', 'iss does not belong to the issuer of the profile');
    const trusted = await trustedIssuer(id, this.#trust, findings);
    if (!urls.includes(trusted.issuer.discovery_uri)) {
      return reject('iss-mismatch', `iss does not belong to the discovery_uri of the issuer ${id}`);
    }
    return trusted;
  }

  #onlyIdAt(urls: readonly string[], registry: Registry, findings: Findings): string {
    const ids = this.#idsOf(registry, findings);
    const [id, another] = urls.flatMap((url) => ids.get(url) ?? []);
    if (id === undefined) return reject('issuer-unknown', 'the registry has no issuer with this iss');
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
  const slash = base.indexOf('/', base.indexOf('://') + 3);
  const path = slash === -1 ? '' : base.slice(slash);
  const origin = base.slice(0, base.length - path.length);
  return [
    `${base}/.well-known/openid-configuration`,
    `${origin}/.well-known/oauth-authorization-server${path}`,
  ];
}
