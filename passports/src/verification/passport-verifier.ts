import { assertTrustPolicy } from '@passport-registry/verifier';
import { assertOptions, deepFreeze, LruMap } from '@passport-registry/verifier/core';
import { inTime } from '@passport-registry/verifier/http';
import { Issuers } from '../issuer/issuers.js';
import {
  type ActionClaims,
  checkProofTimes,
  hashUntrustedPayload,
  MAX_ACTION_SECONDS,
  readProof,
} from '../passport/action-proof.js';
import type { PassportClaims } from '../passport/claims.js';
import { checkPolicy, readMandate } from '../passport/mandate.js';
import { HolderKey, PASSPORT_TYPE, ReadPassport } from '../passport/read-passport.js';
import { reject } from '../passport/rejection.js';
import { checkScope } from '../passport/scope.js';
import { memoryReplayStore } from '../replay/replay-store.js';
import { trustedIssuer, verifyAtIssuer } from './issuer-steps.js';
import {
  MAX_CACHED_TOKENS,
  PASSPORT_VERIFIER_OPTIONS,
  type PassportVerifierOptions,
  trustOf,
  withDefaults,
} from './options.js';
import {
  type AcceptedToken,
  type ActionVerdict,
  type Findings,
  inspect,
  type PassportVerdict,
  type RejectedToken,
  type RunCheck,
  VERDICT_CHECKS,
} from './verdict.js';
import { createTokenCheck } from './verify-token.js';

/** An action to verify, with the passport and the proof. */
export interface ActionRequest {
  /** The passport: a JWS in compact form. */
  readonly token: string;
  /** The action, such as `email.send`. */
  readonly action: string;
  /** The payload: an object of plain JSON. */
  readonly payload: unknown;
  /** The agent's proof: a JWS in compact form. */
  readonly proof: string;
  /**
   * An id of the request, for servers that ask more than once for one request. The same proof with the same id is accepted
   * again for ten seconds. A client must not be able to choose the id.
   */
  readonly requestId?: string | undefined;
}

/** Verifies passports and actions at run time. */
export interface PassportVerifier {
  /**
   * Returns whether a passport is valid, and its claims. Anyone can present a stolen passport: only a proof rules that
   * out.
   */
  verifyPassport(token: string): Promise<PassportVerdict>;
  /**
   * Returns whether an action is allowed. Verifies the passport, its mandate, and the proof that the holder wants the
   * action.
   */
  verifyAction(request: ActionRequest): Promise<ActionVerdict>;
  /**
   * Returns whether any other JWT of an issuer is valid under a profile (docs/protocol/passports.md#token-profile), such
   * as an access token (RFC 9068) or an ID-JAG. The issuer is the one whose `discovery_uri` is the well-known URL of the
   * token's `iss` (docs/protocol/passports.md#token-issuer).
   *
   * **An accepted token means:** the registry has the issuer, and the policy trusts it; the issuer signed the token; the
   * token has the type, the audience and the claims of the profile, and is valid now.
   *
   * **An accepted token does not mean:** that the presenter of the token may have it, that the request is not a replay, or
   * that the issuer has not withdrawn the token since. A token that is bound to a key (`cnf`) is refused, because no proof
   * of the key is verified: for a passport, use `verifyAction`.
   *
   * @param token - a JWS in compact form
   * @param profile - the name of a profile in the option `tokenProfiles`
   * @throws {@link OptionsInvalid} if there is no such profile
   *
   * @example
   * ```ts
   * import { createPassportVerifier } from '@passport-registry/passports';
   * import { createRegistryClient } from '@passport-registry/verifier';
   *
   * const registry = createRegistryClient({ sources: ['https://registry.example'], rootKey: pinnedJwk });
   * await registry.ready();
   * const verifier = createPassportVerifier({
   *   registry,
   *   policy: { tiers: ['sandbox'] },
   *   audience: 'https://mail.example',
   *   tokenProfiles: {
   *     access: { type: 'at+jwt', maxAge: 3600, requiredClaims: ['sub', 'client_id', 'jti'] },
   *   },
   * });
   * const { accepted, reasons } = await verifier.verifyToken('what the client sent', 'access');
   * console.log(accepted, reasons[0].code); // false token-malformed
   * registry.close();
   * ```
   */
  verifyToken(token: string, profile: string): Promise<AcceptedToken | RejectedToken>;
}

const PASSPORT_CHECKS = VERDICT_CHECKS.slice(0, VERDICT_CHECKS.indexOf('scope'));

/**
 * Creates a verifier of passports and actions (docs/protocol/passports.md#run-time-order) for a registry, a trust
 * policy and an audience. Every input leads to a verdict, never to an exception. Each kind of rejection has its own
 * code ({@link PASSPORT_REASONS}). Nothing fails open.
 *
 * @throws {@link OptionsInvalid} | `ERR_POLICY_INVALID`
 *
 * @example
 * ```ts
 * import { createPassportVerifier } from '@passport-registry/passports';
 * import { createRegistryClient } from '@passport-registry/verifier';
 *
 * const registry = createRegistryClient({ sources: ['https://registry.example'], rootKey: pinnedJwk });
 * await registry.ready();
 * const verifier = createPassportVerifier({
 *   registry,
 *   policy: { tiers: ['sandbox'] },
 *   audience: 'https://mail.example',
 * });
 * const { allowed, reasons } = await verifier.verifyAction({
 *   token: 'what the agent sent',
 *   action: 'email.send',
 *   payload: { to: 'you@example.com' },
 *   proof: 'what the agent sent',
 * });
 * console.log(allowed, reasons[0].code); // false token-malformed
 * registry.close();
 * ```
 */
export function createPassportVerifier(options: PassportVerifierOptions): PassportVerifier {
  assertOptions<PassportVerifierOptions>(options, PASSPORT_VERIFIER_OPTIONS, 'createPassportVerifier');
  const { audience } = options;
  const trust = trustOf(options);
  assertTrustPolicy(trust.policy);
  // Later changes would not be checked.
  deepFreeze(trust.policy);
  const settings = withDefaults(options);
  const { clock, policyHandlers } = settings;
  const issuers = new Issuers(settings);
  // A passport is parsed once for its exact text. Every use repeats all other checks, such as times, status and trust policy.
  const passports = new LruMap<string, ReadPassport>(MAX_CACHED_TOKENS);
  // An agent renews its passport often, and keeps its key, which is imported once for the exact text of its JWK.
  const holders = new LruMap<string, HolderKey>(MAX_CACHED_TOKENS);
  const holderOf = (jwk: object) => holders.get(JSON.stringify(jwk)) ?? new HolderKey(jwk);
  const replayStore = options.replayStore ?? memoryReplayStore({ now: () => clock.now });

  async function passportSteps(token: string, check: RunCheck, findings: Findings) {
    const read = check(
      'token',
      () => passports.get(token) ?? new ReadPassport(token, [PASSPORT_TYPE], holderOf),
    );
    const { issuer_id } = read.claims;
    const trusted = await check('issuer', () => trustedIssuer(issuer_id, trust, findings));
    const issuer = { known: trusted.issuer, issuers, clock };
    const passport = await verifyAtIssuer(read, issuer, { check, findings });
    // Only what has been verified, so that an attacker cannot evict others.
    passports.set(token, read);
    holders.set(JSON.stringify(read.claims.cnf.jwk), read.holder);
    return { read, found: { ...trusted, passport } };
  }

  return {
    verifyPassport: async (token) => {
      const { passed, verdict } = await inspect(PASSPORT_CHECKS, async (check, findings) => {
        const { found } = await passportSteps(token, check, findings);
        const { passport } = found;
        if (passport.mandate === undefined) return { ...found, mandate: undefined };
        return { ...found, mandate: await check('mandate', () => readMandate(passport, clock)) };
      });
      return passed ? { accepted: true, ...verdict } : { accepted: false, ...verdict };
    },

    verifyAction: async (request) => {
      // Callers without types can pass nothing. It is refused as a request without a token.
      const { token, action, payload, proof, requestId } = (request ?? {}) as ActionRequest;
      // WebCrypto verifies on another thread, so start early for a cached passport. The step `proof` uses the result.
      const cached = passports.get(token);
      const early = cached && start(async () => readProof(proof, await cached.holder.imported()));
      const { passed, verdict } = await inspect(VERDICT_CHECKS, async (check, findings) => {
        const { read, found } = await passportSteps(token, check, findings);
        const { passport } = found;
        const mandate = await check('mandate', () => readMandate(passport, clock));
        findings.mandate = mandate;
        const plain = check('scope', () => checkScope(mandate.scope, action, payload));
        const context = { action, payload: plain, passport, mandate };
        await check('mandate-policy', () => checkPolicy(context, policyHandlers));
        const claims = await check('proof', async () =>
          early === undefined ? readProof(proof, await read.holder.imported()) : early(),
        );
        check('proof-passport', () => {
          if (claims.passport !== passport.jti) {
            reject('proof-passport-mismatch', 'the proof is for another passport');
          }
          if (claims.ath !== read.hash()) {
            reject('proof-token-mismatch', 'the proof is for another token of this passport');
          }
        });
        check('proof-action', () => {
          if (claims.action !== action) reject('action-mismatch', 'the proof is for another action');
        });
        check('payload', () => {
          if (claims.payload_sha256 !== hashUntrustedPayload(payload)) {
            reject('payload-mismatch', 'the proof is for another payload');
          }
        });
        check('audience', () => {
          if (claims.aud !== audience) reject('audience-mismatch', 'the proof is for another verifier');
        });
        check('proof-times', () => checkProofTimes(claims, clock));
        // This step is the last, so that only valid proofs are marked as used.
        await check('replay', () => assertFirst(passport, { jti: claims.jti, requestId }));
        return { ...found, mandate };
      });
      return passed ? { allowed: true, ...verdict } : { allowed: false, ...verdict };
    },

    verifyToken: createTokenCheck(options, { trust, issuers, clock }),
  };

  /**
   * Asserts that the proof is new, or belongs to the same request as before. The store keeps its key longer than any
   * verifier with a tolerated clock accepts the proof.
   */
  async function assertFirst(
    { issuer_id, jti }: PassportClaims,
    proof: Pick<ActionClaims, 'jti'> & Pick<ActionRequest, 'requestId'>,
  ): Promise<void> {
    const key = `${issuer_id}:${jti}:${proof.jti}`;
    const lifetime = MAX_ACTION_SECONDS * 1000 + 3 * clock.tolerance;
    // A store may throw before it returns a promise.
    const claim = async () => replayStore.claim(key, lifetime, proof.requestId);
    const late = () => {
      throw new Error('it did not respond in time');
    };
    const isFirst = await inTime(claim(), settings.host.timeout, late).catch(
      (error: Partial<Error> | undefined) =>
        reject('replay-store-failed', `the replay store failed: ${error?.message}`, error),
    );
    if (isFirst !== true) reject('action-replayed', 'the proof has been used before');
  }
}

/** Starts some work. The returned function returns the result or throws the error. */
function start<T>(work: () => Promise<T>): () => Promise<T> {
  const promise = work();
  // The error is ignored here. The returned function throws it, unless an earlier step has failed.
  promise.catch(() => undefined);
  return () => promise;
}
