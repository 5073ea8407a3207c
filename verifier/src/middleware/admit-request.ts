import { LimitExceeded, readLimited } from '../http/read-limited.js';
import { type Admission, admit, isRefusal, PROOF_HEADER, type RequirePassportOptions } from './admit.js';
import { MAX_BODY_BYTES, parseBody, payloadOf, type Read, tooLarge } from './payload.js';
import type { Refusal } from './refusal.js';
import { refuseUrl } from './request-target.js';

/** An admitted Request. */
export interface AdmittedRequest {
  readonly admission: Admission;
  /** The request for the handler: its body has not been read. */
  readonly request: Request;
}

/** Admits or refuses a Request. A handler can read its body again. */
export async function admitRequest(
  request: Request,
  options: RequirePassportOptions<Request>,
): Promise<AdmittedRequest | Refusal> {
  const refused = refuseUrl(request.url);
  if (refused !== undefined) return refused;
  let body: Uint8Array<ArrayBuffer> | undefined;
  const presented = {
    request,
    authorization: request.headers.get('authorization'),
    proof: request.headers.get(PROOF_HEADER),
    readPayload: async () => {
      const read = await readBody(request, options.maxBodyBytes ?? MAX_BODY_BYTES);
      if (isRefusal(read)) return read;
      if (isWhole(request)) body = read.value;
      const parsed = parseBody(read.value);
      return isRefusal(parsed) ? parsed : payloadOf(parsed.value, new URL(request.url).searchParams);
    },
  };
  const admission = await admit(presented, options);
  if (isRefusal(admission)) return admission;
  return { admission, request: body === undefined ? request : new Request(request, { body }) };
}

/** Converts a refusal to a Response. */
export function refusalResponse({ status, headers, body }: Refusal): Response {
  return Response.json(body, { status, headers: { ...headers, 'Cache-Control': 'no-store' } });
}

/**
 * Whether a request can be made again from itself and its body. A framework's own class of requests can have more members, so
 * its body is read from a copy, which costs more.
 */
function isWhole(request: Request): boolean {
  return request.body !== null && request.constructor === Request;
}

async function readBody(request: Request, maxBytes: number): Promise<Read<Uint8Array<ArrayBuffer>>> {
  if (request.bodyUsed) {
    throw new Error(
      'requirePassport runs too late: the body has already been read. Put requirePassport first, or set its payload option',
    );
  }
  try {
    const { body } = isWhole(request) ? request : request.clone();
    return { value: await readLimited(body, maxBytes) };
  } catch (error) {
    if (error instanceof LimitExceeded) return tooLarge(maxBytes);
    throw error;
  }
}
