import { memoryReplayStore } from '../replay-store.js';
import { compilePolicy } from '../trust-policy.js';
import {
  type ActionClaims,
  checkProofTimes,
  LONGEST_ACTION,
  payloadHash,
  readProof,
} from './action-proof.js';
import type { PassportClaims } from './claims.js';
import { Issuers } from './issuers.js';
import { checkPolicy, readMandate } from './mandate.js';
import { type PassportVerifierOptions, withDefaults } from './options.js';
import { type ReadPassport, ReadPassports } from './read-passport.js';
import { assertCovered } from './scope.js';
import { trustedIssuer } from './trusted-issuer.js';
import {
  type ActionVerdict,
  type Findings,
  inspect,
  type PassportVerdict,
  type RunCheck,
  reject,
  VERDICT_CHECKS,
} from './verdict.js';
import { verifyAtIssuer } from './verify-at-issuer.js';

/** An action, as it reached a verifier. */
export interface ActionRequest {
  /** The passport: a JWS in compact form. */
  readonly token: string;
  /** What is to be done: `email.send`. */
  readonly action: string;
  /** With what: an object of plain JSON. */
  readonly payload: unknown;
  /** The agent's proof: a JWS in compact form. */
  readonly proof: string;
}

/** Verifies passports and actions at run time. */
export interface PassportVerifier {
  /** Whether a passport is good, and whose it is. Who presents it may have stolen it: only an action's proof tells. */
  verifyPassport(token: string): Promise<PassportVerdict>;
  /** Whether an action may go ahead: the passport, its mandate, and the proof that its holder wants this action. */
  verifyAction(request: ActionRequest): Promise<ActionVerdict>;
}

const PASSPORT_CHECKS = VERDICT_CHECKS.slice(0, VERDICT_CHECKS.indexOf('scope'));

/**
 * A verifier of passports and actions (SPEC A3, runtime verification), bound to a registry, a trust policy and an
 * audience. Whatever a stranger sends leads to a verdict, never to an exception; every rejection has its own code
 * ({@link PASSPORT_REASONS}), and nothing fails open.
 *
 * @throws {@link PolicyInvalid}
 *
 * @example
 * ```ts
 * import { createPassportVerifier, createRegistryClient } from '@passport-registry/verifier';
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
  const { registry, policy, audience } = options;
  compilePolicy(policy);
  const settings = withDefaults(options);
  const { clock, policyHandlers } = settings;
  const issuers = new Issuers(settings);
  const passports = new ReadPassports();
  const replayStore = options.replayStore ?? memoryReplayStore({ now: clock.now });

  async function passportSteps(token: string, check: RunCheck, findings: Findings): Promise<ReadPassport> {
    const read = await check('token', () => passports.read(token));
    const { issuer_id } = read.claims;
    const issuer = await check('issuer', () => trustedIssuer(issuer_id, registry, policy, findings));
    await verifyAtIssuer(read, issuer, issuers, clock, check, findings);
    passports.remember(read);
    return read;
  }

  return {
    verifyPassport: async (token) => {
      const { passed, ...verdict } = await inspect(PASSPORT_CHECKS, async (check, findings) => {
        const { claims: passport } = await passportSteps(token, check, findings);
        if (passport.mandate === undefined) return;
        findings.mandate = await check('mandate', () => readMandate(passport, clock));
      });
      return { accepted: passed, ...verdict };
    },

    verifyAction: async ({ token, action, payload, proof }) => {
      // WebCrypto verifies on another thread. What comes of it is looked at in its turn, and not before.
      const known = passports.known(token);
      const early = known && begun(async () => readProof(proof, await known.holder()));
      const { passed, ...verdict } = await inspect(VERDICT_CHECKS, async (check, findings) => {
        const read = await passportSteps(token, check, findings);
        const passport = read.claims;
        const mandate = await check('mandate', () => readMandate(passport, clock));
        findings.mandate = mandate;
        await check('scope', () => assertCovered(mandate.scope, action, payload));
        const context = { action, payload, passport, mandate };
        await check('mandate-policy', () => checkPolicy(context, policyHandlers));
        const claims = await check('proof', async () => early?.() ?? readProof(proof, await read.holder()));
        await check('proof-passport', () => {
          if (claims.passport !== passport.jti) {
            reject('proof-passport-mismatch', 'the proof is for another passport');
          }
          if (claims.ath !== read.hash()) {
            reject('proof-token-mismatch', 'the proof is for another token of this passport');
          }
        });
        await check('proof-action', () => {
          if (claims.action !== action) reject('action-mismatch', 'the proof is for another action');
        });
        await check('payload', () => {
          if (claims.payload_sha256 !== payloadHash(payload)) {
            reject('payload-mismatch', 'the proof is for another payload');
          }
        });
        await check('audience', () => {
          if (claims.aud !== audience) reject('audience-mismatch', 'the proof is for another verifier');
        });
        await check('proof-times', () => checkProofTimes(claims, clock));
        // Last, so that only what is right in all else is used up.
        await check('replay', () => assertFirst(passport, claims));
      });
      return { allowed: passed, ...verdict };
    },
  };

  /** A key is remembered for longer than any verifier of the fleet, whatever its clock says, takes the proof for valid. */
  async function assertFirst({ issuer_id, jti }: PassportClaims, proof: ActionClaims): Promise<void> {
    const key = `${issuer_id}:${jti}:${proof.jti}`;
    const lifetime = LONGEST_ACTION * 1000 + 3 * clock.tolerance;
    const claimed = inTime(async () => replayStore.claim(key, lifetime), settings.host.timeout);
    const first = await claimed.catch((error: Error) =>
      reject('replay-store-failed', `the replay store failed: ${error.message}`, error),
    );
    if (first !== true) reject('action-replayed', 'the proof has been used before');
  }
}

/** Begins some work. What comes of it, also an error, comes out of a call. */
function begun<T>(work: () => Promise<T>): () => Promise<T> {
  const promise = work();
  // The error is thrown where it is asked for, or nowhere: an earlier step may have failed.
  promise.catch(() => undefined);
  return () => promise;
}

async function inTime<T>(work: () => Promise<T>, timeout: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_resolve, fail) => {
    timer = setTimeout(() => fail(new Error('it did not answer in time')), timeout);
  });
  try {
    return await Promise.race([work(), late]);
  } finally {
    clearTimeout(timer);
  }
}
