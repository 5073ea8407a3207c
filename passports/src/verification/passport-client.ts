import { assertTrustPolicy } from '@passport-registry/verifier';
import { assertOptions, deepFreeze } from '@passport-registry/verifier/core';
import { issuerBase } from '../documents/issuer-url.js';
import { Issuers } from '../issuer/issuers.js';
import { checkPolicy, readMandate } from '../passport/mandate.js';
import { PASSPORT_TYPE, ReadPassport } from '../passport/read-passport.js';
import { reject } from '../passport/rejection.js';
import { checkScope } from '../passport/scope.js';
import { assertAudience } from '../passport/token-profile.js';
import { trustedIssuer, verifyAtIssuer } from './issuer-steps.js';
import {
  PASSPORT_CLIENT_OPTIONS,
  type PassportClientOptions,
  TRUST_OPTIONS,
  withDefaults,
} from './options.js';
import { type AllowedAction, type Findings, inspect, type RefusedAction, VERDICT_CHECKS } from './verdict.js';

/** An action that a token allows. `issuer` and `registry` are present if the client has the option `trust`. */
export type AllowedToken = Omit<AllowedAction, 'issuer' | 'registry'> &
  Readonly<Pick<Findings, 'issuer' | 'registry'>>;

/** Whether a token allows an action. Check `allowed`. */
export type TokenVerdict = AllowedToken | RefusedAction;

/** The `typ` of an access token (RFC 9068). */
const ACCESS_TOKEN_TYPE = 'at+jwt';

/**
 * Checks whether a token allows an action, for callers without a proof of the action
 * (docs/protocol/annexes.md#access-token).
 *
 * **An allowed action means:** the issuer at this URL signed the token; the token is valid now; the issuer reports that
 * the passport is active and not revoked; the mandate covers the action.
 *
 * **An allowed action does not mean:** that the presenter of the token has the agent's key, that the agent wanted this
 * action or sent this payload, or that the request is not a replay. Without the option `trust`, it also does not mean
 * that a registry lists the issuer: the caller must know the URL of the issuer, and must never take the URL from the
 * token. For these guarantees, use {@link createPassportVerifier} with a proof.
 *
 * The token is a passport, or an access token (RFC 9068, `typ: at+jwt`) with the claims of a passport. The `aud` of an
 * access token must contain the value of the option `audience`. Opaque tokens cannot be verified, and are refused.
 *
 * @example
 * ```ts
 * import { PassportClient } from '@passport-registry/passports';
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
   * @param issuerUrl - the issuer's base URL, which must never come from the token. The metadata is under
   *   `/.well-known/` below this URL
   * @throws `ERR_ADDRESS_INVALID` unless the URL is an https URL, or an http URL on this machine;
   *   {@link OptionsInvalid}; `ERR_POLICY_INVALID`
   */
  constructor(token: string, issuerUrl: string, options: PassportClientOptions = {}) {
    assertOptions<PassportClientOptions>(options, PASSPORT_CLIENT_OPTIONS, 'PassportClient');
    if (options.trust !== undefined) {
      assertOptions(options.trust, TRUST_OPTIONS, 'PassportClient: trust');
      assertTrustPolicy(options.trust.policy);
      // Later changes would not be checked.
      deepFreeze(options.trust.policy);
    }
    this.#token = token;
    this.#base = issuerBase(issuerUrl);
    this.#options = options;
    // Without a registry, the client contacts only the host that the caller names.
    this.#settings = withDefaults({ allowPrivateAddresses: options.trust === undefined, ...options });
    this.#issuers = new Issuers(this.#settings);
  }

  /**
   * Returns whether the token allows an action. See {@link PassportClient} for the meaning of the result.
   *
   * @param action - the action as a dotted name, such as `email.send`
   * @param payload - the payload for the handlers of the mandate's policy. Nothing binds the payload to the agent
   */
  async verifyAction(action: string, payload: Readonly<Record<string, unknown>>): Promise<TokenVerdict> {
    const { clock, policyHandlers } = this.#settings;
    const { trust, audience } = this.#options;
    const { passed, verdict } = await inspect(VERDICT_CHECKS, async (check, findings) => {
      const token = await check('token', () => this.#readToken());
      const trusted =
        trust === undefined
          ? { issuer: undefined, registry: undefined }
          : await check('issuer', () => trustedIssuer(token.claims.issuer_id, trust, findings));
      const known = {
        discovery_uri: `${this.#base}/.well-known/openid-configuration`,
        jwks_uri: undefined,
        ...trusted.issuer,
      };
      const passport = await verifyAtIssuer(
        token,
        { known, issuers: this.#issuers, clock },
        { check, findings },
      );
      const mandate = await check('mandate', () => readMandate(passport, clock));
      findings.mandate = mandate;
      const plain = await check('scope', () => checkScope(mandate.scope, action, payload));
      const context = { action, payload: plain, passport, mandate };
      await check('mandate-policy', () => checkPolicy(context, policyHandlers));
      if (token.jws.type === ACCESS_TOKEN_TYPE) {
        await check('audience', () => assertAudience(audience, passport['aud']));
      }
      return { ...trusted, passport, mandate };
    });
    return passed ? { allowed: true, ...verdict } : { allowed: false, ...verdict };
  }

  #readToken(): ReadPassport {
    const token = new ReadPassport(this.#token, [PASSPORT_TYPE, ACCESS_TOKEN_TYPE]);
    if (token.claims.iss.replace(/\/$/, '') !== this.#base) {
      reject('iss-mismatch', `iss is not the issuer's URL, ${this.#base}`);
    }
    return token;
  }

  /** Equivalent to {@link PassportClient.verifyAction}, with the name in the specification. */
  verify_action(action: string, payload: Readonly<Record<string, unknown>>): Promise<TokenVerdict> {
    return this.verifyAction(action, payload);
  }
}
