import { assertRequireOptions, isRefusal, type RequirePassportOptions } from './admit.js';
import { admitNodeRequest, type NodeHeaders, type NodeStream } from './admit-node-request.js';
import type { Refusal } from './refusal.js';

export { type Admission, PROOF_HEADER, type RequirePassportOptions } from './admit.js';

/** The part of an Express request that the adapter uses. */
export interface ExpressRequest extends NodeStream {
  readonly headers: NodeHeaders;
  readonly originalUrl: string;
  /** The body, as parsed by a parser or by the platform. */
  body?: unknown;
  /** The body as sent, if the platform or the `verify` option of a parser keeps the bytes. */
  readonly rawBody?: unknown;
}

/** The part of an Express response that the adapter uses. */
export interface ExpressResponse {
  // biome-ignore lint/suspicious/noExplicitAny: as in Express itself: another type would change the types of handlers
  readonly locals: Record<string, any>;
  status(code: number): this;
  set(headers: Record<string, string>): this;
  json(body: unknown): unknown;
}

/**
 * Creates Express middleware that admits only requests with a passport and a proof of the action. For details, see
 * `requirePassport` of `@passport-registry/passports/fetch`. Handlers get the verdict with the verified payload from
 * `res.locals.passport`. If the payload came from the body, `req.body` is the same payload.
 *
 * The middleware reads the body itself, unless a parser or the platform has read it. You do not need `express.json()`.
 *
 * @throws {@link OptionsInvalid}
 *
 * @example
 * ```ts
 * import { createPassportVerifier } from '@passport-registry/passports';
 * import { createRegistryClient } from '@passport-registry/verifier';
 * import { type Admission, requirePassport } from '@passport-registry/passports/express';
 * import express from 'express';
 *
 * const registry = createRegistryClient({ sources: ['https://registry.example'], rootKey: pinnedJwk });
 * const verifier = createPassportVerifier({
 *   registry,
 *   policy: { tiers: ['certified'] },
 *   audience: 'https://mail.example',
 * });
 * const app = express();
 * app.post('/send', requirePassport({ verifier, action: 'email.send' }), (_req, res) => {
 *   const { passport, payload }: Admission = res.locals.passport;
 *   res.json({ sentFor: passport.principal_id, to: payload.to });
 * });
 * ```
 */
export function requirePassport<Request extends ExpressRequest>(
  options: RequirePassportOptions<Request>,
): (request: Request, response: ExpressResponse, next: (error?: unknown) => void) => Promise<void> {
  assertRequireOptions(options);
  return async (request, response, next) => {
    try {
      const { headers, originalUrl, body, rawBody } = request;
      const replaceBody = (value: unknown) => {
        request.body = value;
      };
      const parts = { headers, originalUrl, body, rawBody, stream: request, replaceBody };
      const outcome = await admitNodeRequest(request, parts, options);
      if (isRefusal(outcome)) return refuse(response, outcome);
      response.locals['passport'] = outcome;
    } catch (error) {
      return next(error);
    }
    next();
  };
}

function refuse(response: ExpressResponse, { status, headers, body }: Refusal): void {
  response.status(status).set(headers).json(body);
}
