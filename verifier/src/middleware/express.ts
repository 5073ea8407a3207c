import { assertOptions } from '../encoding/options.js';
import {
  type Admission,
  admit,
  isRefusal,
  PROOF_HEADER,
  REQUIRE_PASSPORT_OPTIONS,
  type RequirePassportOptions,
} from './admit.js';
import { expressBody, type RequestWithBody } from './express-body.js';
import { MAX_BODY_BYTES, payloadOf, type Read } from './payload.js';
import type { Refusal } from './refusal.js';

export type { Admission, RequirePassportOptions } from './admit.js';
export { PROOF_HEADER } from './admit.js';

/** The part of an Express request that the adapter uses. */
export interface ExpressRequest extends RequestWithBody {
  readonly originalUrl: string;
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
 * `requirePassport` of `@passport-registry/verifier/fetch`. Handlers get the verdict with the verified payload from
 * `res.locals.passport`. If the payload came from the body, `req.body` is the same payload.
 *
 * The middleware reads the body itself, unless a parser or the platform has read it. You do not need `express.json()`.
 *
 * @throws {@link OptionsInvalid}
 *
 * @example
 * ```ts
 * import { createPassportVerifier, createRegistryClient } from '@passport-registry/verifier';
 * import { type Admission, requirePassport } from '@passport-registry/verifier/express';
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
  assertOptions<RequirePassportOptions<never>>(options, REQUIRE_PASSPORT_OPTIONS, 'requirePassport');
  return async (request, response, next) => {
    try {
      const outcome = await admitExpress(request, options);
      if (isRefusal(outcome)) return refuse(response, outcome);
      response.locals['passport'] = outcome;
    } catch (error) {
      return next(error);
    }
    next();
  };
}

function admitExpress<Request extends ExpressRequest>(
  request: Request,
  options: RequirePassportOptions<Request>,
): Promise<Admission | Refusal> {
  const presented = {
    request,
    authorization: singleHeader(request.headers['authorization']),
    proof: singleHeader(request.headers[PROOF_HEADER.toLowerCase()]),
    readPayload: () => readPayload(request, options.maxBodyBytes ?? MAX_BODY_BYTES),
  };
  return admit(presented, options);
}

async function readPayload(request: ExpressRequest, maxBytes: number): Promise<Read<unknown>> {
  const body = await expressBody(request, maxBytes);
  if (isRefusal(body)) return body;
  // Handlers that read `req.body` get the verified payload.
  if (body.value !== undefined) request.body = body.value;
  const [, query = ''] = /\?(.*)$/s.exec(request.originalUrl) ?? [];
  return payloadOf(body.value, new URLSearchParams(query));
}

function refuse(response: ExpressResponse, { status, headers, body }: Refusal): void {
  response
    .status(status)
    .set({ ...headers, 'Cache-Control': 'no-store' })
    .json(body);
}

/** Returns a header that occurs once. A repeated header is not trusted. */
function singleHeader(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
