import { type Decision, type Issuer, type ProvenDecision, RegistryError } from '@passport-registry/verifier';
import type { Clock } from '@passport-registry/verifier/core';
import type { KnownIssuer } from '../documents/issuer-documents.js';
import type { Issuers } from '../issuer/issuers.js';
import type { PassportClaims } from '../passport/claims.js';
import type { IssuerToken } from '../passport/issuer-token.js';
import { assertValidNow } from '../passport/passport-jws.js';
import type { ReadPassport } from '../passport/read-passport.js';
import { Rejection, reject } from '../passport/rejection.js';
import type { TrustOptions } from './options.js';
import type { Findings, JudgedBy, RunCheck } from './verdict.js';

/** The record of an issuer that the policy trusts, and the list that contains the record. */
export interface TrustedIssuer {
  readonly issuer: Issuer;
  readonly registry: JudgedBy;
}

/**
 * Finds an issuer that the policy trusts (rule trust-policy). A look-up of single issuers answers later than a registry that
 * holds the list.
 */
export async function trustedIssuer(
  id: string,
  { registry, policy }: TrustOptions,
  findings: Findings,
): Promise<TrustedIssuer> {
  try {
    const deciding = registry.decide(id, policy);
    // A decision from a list is used without a pause: the client may replace its list at any time.
    const decision: Decision & Partial<ProvenDecision> =
      deciding instanceof Promise ? await deciding : deciding;
    const { accepted, reasons, issuer } = decision;
    findings.issuer = issuer;
    const judgedBy =
      'registry' in decision ? decision.registry : { updatedAt: registry.updatedAt, sha256: registry.sha256 };
    findings.registry = judgedBy;
    if (!accepted || issuer === undefined || judgedBy === undefined) throw new Rejection(reasons);
    return { issuer, registry: judgedBy };
  } catch (error) {
    return rejectUnavailable(error);
  }
}

/** Ends a verification because of an error of the registry. */
export function rejectUnavailable(error: unknown): never {
  if (!(error instanceof RegistryError)) throw error;
  // The message of the error tells programmers what to call. A verdict is also read by operators.
  const message =
    error.code === 'ERR_REGISTRY_NOT_READY' ? 'no list has been loaded yet: try again soon' : error.message;
  return reject('registry-unavailable', message, error);
}

/** The issuer of a passport, and how to request its documents. */
interface PassportIssuer {
  readonly known: KnownIssuer;
  readonly issuers: Issuers;
  readonly clock: Clock;
}

/**
 * Verifies a passport with the documents of its issuer (rule run-time-order): metadata, keys, signature, times and
 * status.
 *
 * @returns the verified claims
 */
export async function verifyAtIssuer(
  passport: ReadPassport,
  { known, issuers, clock }: PassportIssuer,
  { check, findings }: { check: RunCheck; findings: Findings },
): Promise<PassportClaims> {
  const { claims } = passport;
  const { issuer_id } = claims;
  await verifyIssued(passport, { issuer_id, known, issuers }, check);
  findings.passport = claims;
  check('times', () => assertValidNow(claims, 'token', clock));
  await check('status', async () => {
    if (claims.revocation_nonce !== (await issuers.revocationNonce(claims))) {
      reject('revocation-nonce-mismatch', 'the passport was issued before a revocation');
    }
  });
  return claims;
}

/** Verifies that an issuer has signed a token: with its metadata, which must name the same issuer, and its keys. */
export async function verifyIssued(
  token: IssuerToken<{ readonly iss: string }>,
  { issuer_id, known, issuers }: { issuer_id: string; known: KnownIssuer; issuers: Issuers },
  check: RunCheck,
): Promise<void> {
  const metadata = await check('discovery', async () => {
    const found = await issuers.metadata(known);
    if (token.claims.iss !== found.issuer)
      reject('iss-mismatch', `iss is not the issuer's URL, ${found.issuer}`);
    if (issuer_id !== found.issuer_id) {
      reject('discovery-mismatch', `the metadata belongs to the issuer ${JSON.stringify(found.issuer_id)}`);
    }
    return found;
  });
  const key = await check('jwks', () => issuers.key(metadata.jwks_uri, token.kid));
  await check('signature', () => token.verifySignature(key));
}
