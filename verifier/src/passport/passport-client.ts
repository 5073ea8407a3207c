import { issuerBase } from '../addresses.js';
import type { TrustPolicy } from '../generated/schemas.js';
import type { Registry } from '../registry.js';
import { Issuers } from './issuers.js';
import { checkPolicy, readMandate } from './mandate.js';
import { type IssuerAccessOptions, withDefaults } from './options.js';
import { PASSPORT_TYPE, type ReadPassport, readPassport } from './read-passport.js';
import { assertCovered } from './scope.js';
import { trustedIssuer } from './trusted-issuer.js';
import { type ActionVerdict, inspect, reject, VERDICT_CHECKS } from './verdict.js';
import { verifyAtIssuer } from './verify-at-issuer.js';

/** How a client works. */
export interface PassportClientOptions extends IssuerAccessOptions {
  /** Demands that the issuer be trusted, too. Without it, the caller vouches for the issuer. */
  readonly trust?: { readonly registry: Registry; readonly policy: TrustPolicy };
  /** Who the caller is: what the `aud` of an access token must name. */
  readonly audience?: string;
}

/** The `typ` of an access token (RFC 9068). */
const ACCESS_TOKEN_TYPE = 'at+jwt';

/**
 * Asks whether a token allows an action, for callers who hold no proof of the action (SPEC A5).
 *
 * **What it proves:** the issuer at this address signed the token; it is valid now; the issuer says that the passport
 * is active and not revoked; its mandate covers the action.
 *
 * **What it does not prove:** that whoever presented the token holds the agent's key, that the agent wanted this
 * action or sent this payload, or that it is not a repetition. Nor, unless `trust` is given, that the issuer is
 * recognised by any registry: the caller vouches for the address, which must never be taken from the token.
 * For all of that, use {@link createPassportVerifier} with a proof.
 *
 * The token is a passport, or an access token (RFC 9068, `typ: at+jwt`) with the claims of one, whose `aud` must be
 * the option `audience`. An opaque token cannot be verified, and is refused.
 *
 * @example
 * ```ts
 * import { PassportClient } from '@passport-registry/verifier';
 *
 * const client = new PassportClient('what the agent sent', 'https://issuer.example');
 * const { allowed, reasons } = await client.verifyAction('email.send', { to: 'you@example.com' });
 * console.log(allowed, reasons[0].code); // false token-malformed
 * ```
 */
export class PassportClient {
  readonly #token: string;
  readonly #base: string;
  readonly #options: PassportClientOptions;
  readonly #settings: ReturnType<typeof withDefaults>;
  readonly #issuers: Issuers;

  /**
   * @param token - a passport or an access token
   * @param issuerUrl - the issuer's base address, known beforehand; its metadata are at the usual place below it
   * @throws {@link AddressInvalid} unless the address is https, or http on this machine
   */
  constructor(token: string, issuerUrl: string, options: PassportClientOptions = {}) {
    this.#token = token;
    this.#base = issuerBase(issuerUrl);
    this.#options = options;
    // Without a registry, only the host that the caller has named is asked.
    this.#settings = withDefaults({ allowPrivateAddresses: options.trust === undefined, ...options });
    this.#issuers = new Issuers(this.#settings);
  }

  /**
   * Whether the token allows an action. See the class for what that proves.
   *
   * @param action - dotted: `email.send`
   * @param payload - an object; it is shown to the handlers of the mandate's policy, and nothing binds it to the agent
   */
  async verifyAction(action: string, payload: Readonly<Record<string, unknown>>): Promise<ActionVerdict> {
    const { clock, policyHandlers } = this.#settings;
    const { trust, audience } = this.#options;
    const { passed, ...verdict } = await inspect(VERDICT_CHECKS, async (check, findings) => {
      const token = await check('token', () => this.#readToken());
      if (trust !== undefined) {
        await check('issuer', () =>
          trustedIssuer(token.claims.issuer_id, trust.registry, trust.policy, findings),
        );
      }
      const known = {
        discovery_uri: `${this.#base}/.well-known/openid-configuration`,
        jwks_uri: undefined,
        ...findings.issuer,
      };
      const passport = await verifyAtIssuer(token, known, this.#issuers, clock, check, findings);
      const mandate = await check('mandate', () => readMandate(passport, clock));
      findings.mandate = mandate;
      await check('scope', () => assertCovered(mandate.scope, action, payload));
      const context = { action, payload, passport, mandate };
      await check('mandate-policy', () => checkPolicy(context, policyHandlers));
      if (token.jws.type === ACCESS_TOKEN_TYPE) {
        await check('audience', () => assertFor(audience, passport['aud']));
      }
    });
    return { allowed: passed, ...verdict };
  }

  #readToken(): ReadPassport {
    const token = readPassport(this.#token, [PASSPORT_TYPE, ACCESS_TOKEN_TYPE]);
    if (token.claims.iss.replace(/\/$/, '') !== this.#base) {
      reject('iss-mismatch', `iss is not the issuer's address, ${this.#base}`);
    }
    return token;
  }

  /** {@link PassportClient.verifyAction}, as the specification spells it. */
  verify_action(action: string, payload: Readonly<Record<string, unknown>>): Promise<ActionVerdict> {
    return this.verifyAction(action, payload);
  }
}

function assertFor(audience: string | undefined, aud: unknown): void {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (audience === undefined || !named.includes(audience)) {
    reject(
      'audience-mismatch',
      'the access token is for another verifier, or the caller did not say who it is',
    );
  }
}
