import { admit, isRefusal, PROOF_HEADER, presentedBy, type RequirePassportOptions } from './admit.js';
import { ambiguous, queryPayload } from './payload.js';
import { type Refusal, unreadable } from './refusal.js';

export type { RequirePassportOptions } from './admit.js';
export { PROOF_HEADER } from './admit.js';

/** What is needed of Express's request. */
export interface ExpressRequest {
  readonly originalUrl: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** What a parser such as `express.json()` made of the body. */
  readonly body?: unknown;
}

/** What is needed of Express's response. */
export interface ExpressResponse {
  readonly locals: Record<string, unknown>;
  status(code: number): this;
  set(headers: Record<string, string>): this;
  json(body: unknown): unknown;
}

/**
 * Express middleware that lets only requests with a passport and a proof of their action pass; see `requirePassport` of
 * `@passport-registry/verifier/fetch`. Handlers find the verdict in `res.locals.passport`. Bodies must have been parsed
 * before: put `express.json()` in front, which also limits them.
 *
 * @example
 * ```ts
 * import { requirePassport } from '@passport-registry/verifier/express';
 * import express from 'express';
 *
 * const verifier = { verifyAction: async () => ({ allowed: true, passport: { sub: 'did:passport:1' } }) };
 * const app = express();
 * app.use(express.json());
 * app.post('/send', requirePassport({ verifier, action: 'email.send' }), (_req, res) => res.json(res.locals.passport));
 * ```
 */
export function requirePassport<Request extends ExpressRequest>(
  options: Omit<RequirePassportOptions<Request>, 'maxBodyBytes'>,
): (request: Request, response: ExpressResponse, next: (error?: unknown) => void) => Promise<void> {
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

async function admitExpress<Request extends ExpressRequest>(
  request: Request,
  { verifier, action, payload }: RequirePassportOptions<Request>,
) {
  const { headers } = request;
  const presented = presentedBy({
    authorization: single(headers['authorization']),
    proof: single(headers[PROOF_HEADER.toLowerCase()]),
  });
  if (isRefusal(presented)) return presented;
  const read = payload === undefined ? bodyOrQuery(request) : { payload: await payload(request) };
  if (isRefusal(read)) return read;
  const name = typeof action === 'string' ? action : await action(request);
  return admit(verifier, { ...presented, action: name, payload: read.payload });
}

function bodyOrQuery({ originalUrl, headers, body }: ExpressRequest): { payload: unknown } | Refusal {
  const query = new URL(originalUrl, 'http://localhost').searchParams;
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  if (!hasBody) return { payload: queryPayload(query) };
  if (body === undefined && !/^application\/json\b/i.test(single(headers['content-type']) ?? '')) {
    return unreadable(400, 'body-not-json', 'the body must be JSON, with Content-Type: application/json');
  }
  if (body === undefined) {
    throw new Error(
      'requirePassport needs a parsed body: put express.json() before it, or say what the payload is',
    );
  }
  return query.size > 0 ? ambiguous() : { payload: body };
}

function refuse(response: ExpressResponse, { status, headers, body }: Refusal): void {
  response
    .status(status)
    .set({ ...headers, 'Cache-Control': 'no-store' })
    .json(body);
}

/** Node.js joins headers that come twice; what is no single text is not one to trust. */
function single(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
