import type { ActionVerdict } from '../passport/verdict.js';
import { isRefusal, type RequirePassportOptions } from './admit.js';
import { admitRequest, refusalResponse } from './admit-request.js';

export type { RequirePassportOptions } from './admit.js';
export { PROOF_HEADER } from './admit.js';

/** What is needed of Hono's context. */
export interface HonoContext {
  readonly req: { readonly raw: Request };
  set(key: 'passport', verdict: ActionVerdict): void;
}

/**
 * Hono middleware that lets only requests with a passport and a proof of their action pass; see `requirePassport` of
 * `@passport-registry/verifier/fetch`. Handlers find the verdict by `c.get('passport')`.
 *
 * @example
 * ```ts
 * import { requirePassport } from '@passport-registry/verifier/hono';
 * import { Hono } from 'hono';
 *
 * const verifier = { verifyAction: async () => ({ allowed: true, passport: { sub: 'did:passport:1' } }) };
 * const app = new Hono();
 * app.post('/send', requirePassport({ verifier, action: 'email.send' }), (c) => c.json(c.get('passport').passport));
 * console.log((await app.request('/send', { method: 'POST' })).status); // 401
 * ```
 */
export function requirePassport(
  options: RequirePassportOptions<Request>,
): (c: HonoContext, next: () => Promise<void>) => Promise<Response | undefined> {
  return async (c, next) => {
    const outcome = await admitRequest(c.req.raw, options);
    if (isRefusal(outcome)) return refusalResponse(outcome);
    c.set('passport', outcome);
    await next();
    return undefined;
  };
}
