import type { MiddlewareHandler } from 'hono';
import { type Admission, assertRequireOptions, isRefusal, type RequirePassportOptions } from './admit.js';
import { admitRequest, refusalResponse } from './admit-request.js';

export { type Admission, PROOF_HEADER, type RequirePassportOptions } from './admit.js';

/**
 * The variables that the middleware adds to the environment of an application. TypeScript infers them for handlers in
 * the same call as the middleware. For other handlers, use `new Hono<PassportEnv>()`.
 */
export interface PassportEnv {
  Variables: { passport: Admission };
}

/**
 * Creates Hono middleware that admits only requests with a passport and a proof of the action. For details, see
 * `requirePassport` of `@passport-registry/passports/fetch`. Handlers get the verdict with the verified payload from
 * `c.get('passport')`.
 *
 * @throws {@link OptionsInvalid}
 *
 * @example
 * ```ts
 * import { createPassportVerifier } from '@passport-registry/passports';
 * import { createRegistryClient } from '@passport-registry/verifier';
 * import { requirePassport } from '@passport-registry/passports/hono';
 * import { Hono } from 'hono';
 *
 * const registry = createRegistryClient({ sources: ['https://registry.example'], rootKey: pinnedJwk });
 * const verifier = createPassportVerifier({
 *   registry,
 *   policy: { tiers: ['certified'] },
 *   audience: 'https://mail.example',
 * });
 * const app = new Hono();
 * app.post('/send', requirePassport({ verifier, action: 'email.send' }), (c) => {
 *   const { passport, payload } = c.get('passport');
 *   return c.json({ sentFor: passport.principal_id, to: payload.to });
 * });
 * console.log((await app.request('/send', { method: 'POST' })).status); // 401
 * ```
 */
export function requirePassport(options: RequirePassportOptions<Request>): MiddlewareHandler<PassportEnv> {
  assertRequireOptions(options);
  return async (c, next) => {
    const outcome = await admitRequest(c.req.raw, options);
    if (isRefusal(outcome)) return refusalResponse(outcome);
    c.set('passport', outcome);
    await next();
    return undefined;
  };
}
