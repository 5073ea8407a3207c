// Makes the compiler find the module for the augmentation below.
import type {} from 'fastify';
import { type Admission, assertRequireOptions, isRefusal, type RequirePassportOptions } from './admit.js';
import { admitNodeRequest, type NodeHeaders, type NodeStream } from './admit-node-request.js';
import type { Refusal } from './refusal.js';

export { type Admission, PROOF_HEADER, type RequirePassportOptions } from './admit.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The verdict with the verified payload. Only behind `requirePassport`. */
    passport: Admission;
  }
}

/** The part of a Fastify request that the adapter uses. */
export interface FastifyRequestParts {
  readonly headers: NodeHeaders;
  readonly originalUrl: string;
  readonly raw: NodeStream;
  /** The body, as parsed by a content type parser. */
  body?: unknown;
}

/** The part of a Fastify reply that the adapter uses. */
export interface FastifyReplyParts {
  code(status: number): this;
  headers(headers: Record<string, string>): this;
  send(payload: string): this;
}

/**
 * Creates a Fastify hook that admits only requests with a passport and a proof of the action. For details, see
 * `requirePassport` of `@passport-registry/passports/fetch`. Handlers get the verdict with the verified payload from
 * `request.passport`. If the payload came from the body, `request.body` has the same content.
 *
 * Use it as a `preValidation` hook of a route, of a plugin or of the application. As a `preHandler` hook, it runs after the
 * validation of the route's schema, which may have changed the body that the agent signed. Without the option `payload`, a
 * semicolon in the path is refused, because Fastify can begin the query there.
 *
 * @throws {@link OptionsInvalid}
 *
 * @example
 * ```ts
 * import { createPassportVerifier } from '@passport-registry/passports';
 * import { createRegistryClient } from '@passport-registry/verifier';
 * import { requirePassport } from '@passport-registry/passports/fastify';
 * import fastify from 'fastify';
 *
 * const registry = createRegistryClient({ sources: ['https://registry.example'], rootKey: pinnedJwk });
 * const verifier = createPassportVerifier({
 *   registry,
 *   policy: { tiers: ['certified'] },
 *   audience: 'https://mail.example',
 * });
 * const app = fastify();
 * app.post('/send', { preValidation: requirePassport({ verifier, action: 'email.send' }) }, async (request) => {
 *   const { passport, payload } = request.passport;
 *   return { sentFor: passport.principal_id, to: payload.to };
 * });
 * console.log((await app.inject({ method: 'POST', url: '/send' })).statusCode); // 401
 * ```
 */
export function requirePassport<Request extends FastifyRequestParts>(
  options: RequirePassportOptions<Request>,
): (request: NoInfer<Request>, reply: FastifyReplyParts) => Promise<FastifyReplyParts | undefined> {
  assertRequireOptions(options);
  return async (request, reply) => {
    const outcome = await admitNodeRequest(request, partsOf(request), options);
    if (isRefusal(outcome)) return refuse(reply, outcome);
    // A copy: validation may change the body, but never the payload that was verified.
    const admission: Admission = { ...outcome, payload: structuredClone(outcome.payload) };
    Object.assign(request, { passport: admission });
    return undefined;
  };
}

function partsOf(request: FastifyRequestParts & { readonly rawBody?: unknown }) {
  const { headers, originalUrl, body, rawBody, raw } = request;
  const replaceBody = (value: unknown) => {
    request.body = value;
  };
  // The option `useSemicolonDelimiter` of Fastify, which is the default of Fastify 4.
  const semicolonDelimiter = true;
  return { headers, originalUrl, semicolonDelimiter, body, rawBody, stream: raw, replaceBody };
}

/** Sends a string, because a schema of the route for this status would remove members of an object. */
function refuse(reply: FastifyReplyParts, { status, headers, body }: Refusal): FastifyReplyParts {
  const type = { 'Content-Type': 'application/json; charset=utf-8' };
  return reply
    .code(status)
    .headers({ ...headers, ...type })
    .send(JSON.stringify(body));
}
