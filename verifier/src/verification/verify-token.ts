import { OptionsInvalid } from '../core/errors.js';
import type { Issuers } from '../issuer/issuers.js';
import type { RunningClock } from '../passport/running-clock.js';
import { assertAudience, checkAge, readUnderProfile, type TokenClaims } from '../passport/token-profile.js';
import { type PassportVerifierOptions, readTokenProfiles, type TrustOptions } from './options.js';
import { TokenCache } from './token-cache.js';
import { TokenIssuers } from './token-issuers.js';
import { type AcceptedToken, type CheckName, inspect, type RejectedToken } from './verdict.js';
import { checkTimes, verifyIssued } from './verify-passport.js';

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
  { trust, issuers, clock }: { trust: TrustOptions; issuers: Issuers; clock: RunningClock },
): (token: string, profile: string) => Promise<AcceptedToken | RejectedToken> {
  const tokenIssuers = new TokenIssuers(trust);
  const profiles = new Map(
    [...readTokenProfiles(options)].map(([name, profile]) => [
      name,
      { profile, tokens: new TokenCache((token) => readUnderProfile(token, profile)) },
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
      const read = check('token', () => tokens.read(token));
      const { claims } = read;
      const wanted = { iss: claims.iss, issuerId: profile.issuerId };
      const trusted = await check('issuer', () => tokenIssuers.trusted(wanted, findings));
      const { issuer } = trusted;
      await verifyIssued(read, { issuer_id: issuer.issuer_id, known: issuer, issuers }, check);
      tokens.add(read);
      signed = claims;
      check('times', () => {
        checkTimes(claims, clock);
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
