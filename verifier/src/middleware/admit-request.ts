import type { ActionVerdict } from '../passport/verdict.js';
import { admit, isRefusal, PROOF_HEADER, presentedBy, type RequirePassportOptions } from './admit.js';
import { ambiguous, queryPayload } from './payload.js';
import { type Refusal, unreadable } from './refusal.js';

/** The verdict on a Request, or its refusal. The body is read from a copy: it is still there for the handler. */
export async function admitRequest(
  request: Request,
  { verifier, action, payload, maxBodyBytes = 1024 * 1024 }: RequirePassportOptions<Request>,
): Promise<ActionVerdict | Refusal> {
  const { headers } = request;
  const presented = presentedBy({
    authorization: headers.get('authorization'),
    proof: headers.get(PROOF_HEADER),
  });
  if (isRefusal(presented)) return presented;
  const read =
    payload === undefined ? await requestPayload(request, maxBodyBytes) : { payload: await payload(request) };
  if (isRefusal(read)) return read;
  const name = typeof action === 'string' ? action : await action(request);
  return admit(verifier, { ...presented, action: name, payload: read.payload });
}

/** A refusal as a Response. */
export function refusalResponse({ status, headers, body }: Refusal): Response {
  return Response.json(body, { status, headers: { ...headers, 'Cache-Control': 'no-store' } });
}

async function requestPayload(request: Request, maxBytes: number): Promise<{ payload: unknown } | Refusal> {
  const { searchParams } = new URL(request.url);
  const text = request.body === null ? '' : await bodyText(request, maxBytes);
  if (text === undefined)
    return unreadable(413, 'body-too-large', `the body is larger than ${maxBytes} bytes`);
  if (text === '') return { payload: queryPayload(searchParams) };
  if (searchParams.size > 0) return ambiguous();
  try {
    return { payload: JSON.parse(text) };
  } catch {
    return unreadable(400, 'body-not-json', 'the body is not JSON');
  }
}

/** The text of a copy of the body; undefined when there is more of it than may be. */
async function bodyText(request: Request, maxBytes: number): Promise<string | undefined> {
  const reader = request.clone().body?.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let size = 0;
  for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
    size += next.value.length;
    if (size > maxBytes) {
      // Not awaited: a copy is only ever cancelled together with its original.
      void reader?.cancel();
      return undefined;
    }
    text += decoder.decode(next.value, { stream: true });
  }
  return text + decoder.decode();
}
