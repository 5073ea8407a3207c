import { isRefusal } from '../middleware/admit.js';
import { parseBody, payloadOf, queryOf, type Read, readBody, refuseTarget } from '../middleware/payload.js';
import { type Refusal, refuseCoding, unreadable } from '../middleware/refusal.js';

/** How a gateway describes a request to the door. */
interface Description {
  /** The start of the header names that end in Method, Uri and Host. Without it, the check itself is the request. */
  readonly headers?: string;
  /** The header that names the request, if the gateway asks more than once for one request. */
  readonly requestId?: string;
  /** Whether the gateway sends the body of each request, as docs/gateways.md configures it. */
  readonly sendsBody: boolean;
  /** Whether the gateway turns every status but 200, 401 and 403 into an error of its own. */
  readonly isLimited?: true;
}

/** The gateways, with the headers of their documentation (docs/gateways.md). @internal */
export const GATEWAYS = {
  nginx: { headers: 'X-Original', requestId: 'X-Original-Request-Id', sendsBody: false, isLimited: true },
  caddy: { headers: 'X-Forwarded', sendsBody: false },
  traefik: { headers: 'X-Forwarded', sendsBody: true },
  envoy: { sendsBody: true },
} as const satisfies Record<string, Description>;

/** The name of a gateway that the door knows. */
export type GatewayName = keyof typeof GATEWAYS;

/** A request that a gateway asks about. */
export interface AskedRequest {
  readonly method: string;
  readonly uri: string;
  readonly host: string;
  /** Names the request among all of the gateway. Undefined if the gateway asks once for each request. */
  readonly id: string | undefined;
}

/** What a gateway sends to the door: the check, and what follows the profile in its target. */
export interface Check {
  readonly request: Request;
  readonly rest: string;
}

const METHOD = /^[A-Z]{1,32}$/;
const REQUEST_ID = /^[\w.:-]{16,128}$/;

/** Reads which request a gateway asks about. Refuses a header that is missing or occurs twice: a client may have set it. */
export function askedRequest(name: GatewayName, { request, rest }: Check): AskedRequest | Refusal {
  const gateway: Description = GATEWAYS[name];
  const { headers: prefix, requestId } = gateway;
  const header = (end: string) => request.headers.get(prefix === undefined ? end : `${prefix}-${end}`) ?? '';
  const asked = {
    method: prefix === undefined ? request.method : header('Method'),
    uri: prefix === undefined ? rest : header('Uri'),
    host: header('Host'),
  };
  if (!METHOD.test(asked.method) || asked.uri === '' || !/^[\x21-\x2b\x2d-\x7e]+$/.test(asked.host)) {
    return unreadable(400, 'gateway-headers', `the gateway ${name} does not say which request it asks about`);
  }
  const id = requestId === undefined ? undefined : (request.headers.get(requestId) ?? '');
  // Required, so that a gateway that does not set the header fails at its first request.
  if (id !== undefined && !REQUEST_ID.test(id)) {
    return unreadable(400, 'gateway-headers', `${requestId} is not one id of 16 to 128 characters`);
  }
  return refuseTarget(asked.uri) ?? { ...asked, id };
}

/** Methods whose requests have a body only by mistake. */
const WITHOUT_BODY = ['GET', 'HEAD', 'DELETE'];

/** The header with which Envoy says whether it has sent only a part of the body. */
const PARTIAL_BODY = 'x-envoy-auth-partial-body';

/** Reads the payload of a request: the body that the gateway sends, or else the query. */
export async function readPayload(
  { method, uri }: AskedRequest,
  { request }: Check,
  { name, maxBytes }: { name: GatewayName; maxBytes: number },
): Promise<Read<unknown>> {
  const parameters = queryOf(uri);
  const mayHaveBody = !WITHOUT_BODY.includes(method);
  if (!GATEWAYS[name].sendsBody) {
    return mayHaveBody
      ? unreadable(
          400,
          'body-not-verified',
          `a request with ${method} can have a body, which nobody verifies`,
        )
      : payloadOf(undefined, parameters);
  }
  const encoded = request.body === null ? undefined : refuseCoding(request.headers.get('content-encoding'));
  if (encoded !== undefined) return encoded;
  const read = await readBody(request.body, maxBytes);
  if (isRefusal(read)) return read;
  const bytes = read.value;
  const partial = request.headers.get(PARTIAL_BODY);
  const isWhole = name === 'envoy' && bytes.length > 0 ? partial === 'false' : partial === null;
  // Some platforms hide the body of a request with GET.
  const isHidden = bytes.length === 0 && (mayHaveBody || declaresBody(request.headers));
  if (isHidden || !isWhole) {
    return unreadable(400, 'body-not-sent', 'the gateway has not sent the whole body to the door');
  }
  const body = parseBody(bytes);
  return isRefusal(body) ? body : payloadOf(body.value, parameters);
}

function declaresBody(headers: Headers): boolean {
  return headers.get('transfer-encoding') !== null || Number(headers.get('content-length') ?? 0) !== 0;
}
