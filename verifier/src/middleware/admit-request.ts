import { LimitExceeded, readLimited } from '../http/read-limited.js';
import { type Admission, admit, isRefusal, PROOF_HEADER, type RequirePassportOptions } from './admit.js';
import { MAX_BODY_BYTES, payloadOf, type Read, readBody, tooLarge } from './payload.js';
import type { Refusal } from './refusal.js';

/** The admission of a Request, or its refusal. The body is read from a copy: it is still there for the handler. */
export function admitRequest(
  request: Request,
  options: RequirePassportOptions<Request>,
): Promise<Admission | Refusal> {
  const presented = {
    request,
    authorization: request.headers.get('authorization'),
    proof: request.headers.get(PROOF_HEADER),
    readPayload: () => readPayload(request, options.maxBodyBytes ?? MAX_BODY_BYTES),
  };
  return admit(presented, options);
}

/** A refusal as a Response. */
export function refusalResponse({ status, headers, body }: Refusal): Response {
  return Response.json(body, { status, headers: { ...headers, 'Cache-Control': 'no-store' } });
}

async function readPayload(request: Request, maxBytes: number): Promise<Read<unknown>> {
  if (request.bodyUsed) {
    throw new Error(
      'requirePassport runs too late: the body has already been read. Put requirePassport first, or set its payload option',
    );
  }
  const body = await requestBody(request, maxBytes);
  return isRefusal(body) ? body : payloadOf(body.value, new URL(request.url).searchParams);
}

async function requestBody(request: Request, maxBytes: number): Promise<Read<unknown>> {
  try {
    return readBody(await readLimited(request.clone().body, maxBytes));
  } catch (error) {
    if (error instanceof LimitExceeded) return tooLarge(maxBytes);
    throw error;
  }
}
