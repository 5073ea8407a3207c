import type { ActionVerdict } from '../passport/verdict.js';
import { isRefusal, type RequirePassportOptions } from './admit.js';
import { admitRequest, refusalResponse } from './admit-request.js';

export type { RequirePassportOptions } from './admit.js';
export { PROOF_HEADER } from './admit.js';

/** Answers requests that may go ahead; `verdict` tells who asks and by what right. */
export type PassportHandler<Rest extends unknown[]> = (
  request: Request,
  verdict: ActionVerdict,
  ...rest: Rest
) => Response | Promise<Response>;

/**
 * Puts a passport in front of a fetch handler: of Deno, Bun, Cloudflare Workers, Next.js, and all others that make a
 * Response of a Request. The request must bring the passport as `Authorization: Bearer`, and the proof of its action as
 * `Action-Proof`; else it is answered with 401, 403, 400, 413 or 503, and the handler never sees it.
 *
 * @example
 * ```ts
 * import { requirePassport } from '@passport-registry/verifier/fetch';
 *
 * const verifier = { verifyAction: async () => ({ allowed: true, passport: { sub: 'did:passport:1' } }) };
 * const handler = requirePassport({ verifier, action: 'email.send' }, (_request, { passport }) =>
 *   Response.json({ sentFor: passport.sub }),
 * );
 * const response = await handler(new Request('https://mail.example/send', { method: 'POST' }));
 * console.log(response.status, response.headers.get('www-authenticate')); // 401 Bearer realm="agent passport"
 * ```
 */
export function requirePassport<Rest extends unknown[]>(
  options: RequirePassportOptions<Request>,
  handler: PassportHandler<Rest>,
): (request: Request, ...rest: Rest) => Promise<Response> {
  return async (request, ...rest) => {
    const outcome = await admitRequest(request, options);
    return isRefusal(outcome) ? refusalResponse(outcome) : handler(request, outcome, ...rest);
  };
}
