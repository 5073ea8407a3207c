import { LimitExceeded, readLimited } from '../http/read-limited.js';
import { type Admission, admit, isRefusal, PROOF_HEADER, type RequirePassportOptions } from './admit.js';
import { MAX_BODY_BYTES, parseBody, payloadOf, type Read, tooLarge } from './payload.js';
import type { Refusal } from './refusal.js';
import { refuseUrl } from './request-target.js';

/** What a handler gets. */
export interface Admitted {
  /** The request, whose body can be read. */
  readonly request: Request;
  readonly admission: Admission;
}

/**
 * Admits or refuses a Request. Reads the body once, and passes on a request with the bytes that were read: a copy of a
 * request costs more than the verification.
 */
export async function admitRequest(
  received: Request,
  options: RequirePassportOptions<Request>,
): Promise<Admitted | Refusal> {
  const refused = refuseUrl(received.url);
  if (refused !== undefined) return refused;
  let request = received;
  const readPayload = async (): Promise<Read<unknown>> => {
    const bytes = await readBody(received, options.maxBodyBytes ?? MAX_BODY_BYTES);
    if (isRefusal(bytes)) return bytes;
    if (received.body !== null) request = new Request(received, { body: bytes.value });
    const body = parseBody(bytes.value);
    return isRefusal(body) ? body : payloadOf(body.value, new URL(received.url).searchParams);
  };
  const admission = await admit(
    {
      request: () => request,
      authorization: received.headers.get('authorization'),
      proof: received.headers.get(PROOF_HEADER),
      readPayload,
    },
    options,
  );
  return isRefusal(admission) ? admission : { request, admission };
}

/** Converts a refusal to a Response. */
export function refusalResponse({ status, headers, body }: Refusal): Response {
  return Response.json(body, { status, headers: { ...headers, 'Cache-Control': 'no-store' } });
}

async function readBody(
  { body, bodyUsed }: Request,
  maxBytes: number,
): Promise<Read<Uint8Array<ArrayBuffer>>> {
  if (bodyUsed) {
    throw new Error(
      'requirePassport runs too late: the body has already been read. Put requirePassport first, or set its payload option',
    );
  }
  try {
    return { value: await readLimited(body, maxBytes) };
  } catch (error) {
    if (error instanceof LimitExceeded) return tooLarge(maxBytes);
    throw error;
  }
}
