import { type Admission, admit, isRefusal, PROOF_HEADER, type RequirePassportOptions } from './admit.js';
import { type NodeBody, readNodeBody } from './node-body.js';
import { MAX_BODY_BYTES, payloadOf, queryOf, type Read } from './payload.js';
import { type Refusal, unreadable } from './refusal.js';
import { refuseTarget } from './request-target.js';

/** The parts of a request that the adapters of Node.js frameworks present. */
export interface NodeRequestParts extends NodeBody {
  /** The URL as sent: path and query. */
  readonly originalUrl: string;
  /** Whether the framework may begin the query at a semicolon, which the agent did not sign as one. */
  readonly semicolonDelimiter?: boolean;
  /** Gives the handler the value that is verified, in place of the body. */
  readonly replaceBody: (value: unknown) => void;
}

/** Admits or refuses a request of a Node.js framework, which may have read the body already. */
export async function admitNodeRequest<Request>(
  request: Request,
  parts: NodeRequestParts,
  options: RequirePassportOptions<Request>,
): Promise<Admission | Refusal> {
  const refused = refuseTarget(parts.originalUrl);
  if (refused !== undefined) return refused;
  const presented = {
    request,
    authorization: singleHeader(parts.headers['authorization']),
    proof: singleHeader(parts.headers[PROOF_HEADER.toLowerCase()]),
    readPayload: () => readPayload(parts, options.maxBodyBytes ?? MAX_BODY_BYTES),
  };
  return admit(presented, options);
}

async function readPayload(parts: NodeRequestParts, maxBytes: number): Promise<Read<unknown>> {
  const [path = ''] = parts.originalUrl.split('?', 1);
  if (parts.semicolonDelimiter === true && path.includes(';')) {
    const message = 'the path contains a semicolon, at which the query may begin: write %3B';
    return unreadable(400, 'payload-ambiguous', message);
  }
  const body = await readNodeBody(parts, maxBytes);
  if (isRefusal(body)) return body;
  if (body.value !== undefined) parts.replaceBody(body.value);
  return payloadOf(body.value, queryOf(parts.originalUrl));
}

/** Returns a header that occurs once. A repeated header is not trusted. */
function singleHeader(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : undefined;
}
