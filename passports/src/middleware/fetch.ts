import { OptionsInvalid } from '@passport-registry/verifier';
import { type Admission, assertRequireOptions, isRefusal, type RequirePassportOptions } from './admit.js';
import { admitRequest, refusalResponse } from './admit-request.js';

export { type Admission, PROOF_HEADER, type RequirePassportOptions } from './admit.js';

/**
 * Handles an admitted request. The admission contains the passport, the mandate and the payload that the agent signed.
 */
export type PassportHandler<Rest extends unknown[]> = (
  request: Request,
  admission: Admission,
  ...rest: Rest
) => Response | Promise<Response>;

/**
 * Wraps a fetch handler, so that it receives only requests with a passport and a proof of the action. Fetch handlers
 * take a Request and return a Response, as in Deno, Bun, Cloudflare Workers and Next.js. A request must have the
 * passport in `Authorization: Bearer` and the proof in `Action-Proof`. Otherwise the response has the status 401, 403,
 * 400, 413 or 503, and the handler is not called. The handler gets the verdict with the verified payload.
 *
 * @throws {@link OptionsInvalid}
 *
 * @example
 * ```ts
 * import { createPassportVerifier } from '@passport-registry/passports';
 * import { createRegistryClient } from '@passport-registry/verifier';
 * import { requirePassport } from '@passport-registry/passports/fetch';
 *
 * const registry = createRegistryClient({ sources: ['https://registry.example'], rootKey: pinnedJwk });
 * const verifier = createPassportVerifier({
 *   registry,
 *   policy: { tiers: ['certified'] },
 *   audience: 'https://mail.example',
 * });
 * const handler = requirePassport({ verifier, action: 'email.send' }, (_request, { passport, payload }) =>
 *   Response.json({ sentFor: passport.principal_id, to: payload.to }),
 * );
 * const response = await handler(new Request('https://mail.example/send', { method: 'POST' }));
 * console.log(response.status, response.headers.get('www-authenticate')); // 401 Bearer realm="agent passport"
 * ```
 */
export function requirePassport<Rest extends unknown[]>(
  options: RequirePassportOptions<Request>,
  handler: PassportHandler<Rest>,
): (request: Request, ...rest: Rest) => Promise<Response> {
  assertRequireOptions(options);
  if (typeof handler !== 'function') {
    throw new OptionsInvalid(
      'requirePassport',
      undefined,
      'the second argument must be the handler, a function',
    );
  }
  return async (request, ...rest) => {
    const outcome = await admitRequest(request, options);
    return isRefusal(outcome) ? refusalResponse(outcome) : handler(request, outcome, ...rest);
  };
}
