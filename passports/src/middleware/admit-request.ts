import { type Admission, admit, isRefusal, PROOF_HEADER, type RequirePassportOptions } from './admit.js';
import { MAX_BODY_BYTES, parseBody, payloadOf, queryOf, type Read, readBody, refuseUrl } from './payload.js';
import { type Refusal, refuseCoding } from './refusal.js';

/**
 * Admits or refuses a Request. Reads the body from a copy, so that the handler, the function that names the action and
 * earlier middleware can read it, too. A new Request from the same body would cost less, but lose what belongs to the
 * original: headers that earlier middleware has changed, members that frameworks have added, its signal, and in Bun the
 * address of the client.
 */
export async function admitRequest(
  request: Request,
  options: RequirePassportOptions<Request>,
): Promise<Admission | Refusal> {
  const refused = refuseUrl(request.url);
  if (refused !== undefined) return refused;
  const presented = {
    request,
    authorization: request.headers.get('authorization'),
    proof: request.headers.get(PROOF_HEADER),
    readPayload: () => readPayload(request, options.maxBodyBytes ?? MAX_BODY_BYTES),
  };
  return admit(presented, options);
}

/** Converts a refusal to a Response. */
export function refusalResponse({ status, headers, body }: Refusal): Response {
  return Response.json(body, { status, headers });
}

async function readPayload(request: Request, maxBytes: number): Promise<Read<unknown>> {
  if (request.bodyUsed) {
    throw new Error(
      'requirePassport runs too late: the body has been read. Put requirePassport first, or set its payload option',
    );
  }
  const encoded = request.body === null ? undefined : refuseCoding(request.headers.get('content-encoding'));
  if (encoded !== undefined) return encoded;
  // Without a body, there is nothing to copy.
  const read = await readBody(request.body === null ? null : request.clone().body, maxBytes);
  const body = isRefusal(read) ? read : parseBody(read.value);
  return isRefusal(body) ? body : payloadOf(body.value, queryOf(request.url));
}
