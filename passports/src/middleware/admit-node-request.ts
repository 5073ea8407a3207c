import { type Admission, admit, isRefusal, PROOF_HEADER, type RequirePassportOptions } from './admit.js';
import {
  isEmptyBody,
  MAX_BODY_BYTES,
  parseBody,
  payloadOf,
  queryOf,
  type Read,
  readBody,
  refuseTarget,
  tooLarge,
} from './payload.js';
import { type Refusal, refuseCoding, unreadable } from './refusal.js';

/** The part of a Node.js stream that the adapters use. Platforms with their own requests have no stream. */
export interface NodeStream {
  /** Whether data has been read. */
  readonly readableDidRead?: boolean;
  /** Whether all data has been read. */
  readonly readableEnded?: boolean;
  /** Whether the stream has been destroyed. */
  readonly destroyed?: boolean;
  /** Starts the stream. */
  resume?(): unknown;
  // biome-ignore lint/suspicious/noExplicitAny: the listeners of Node.js differ by the event
  on?(event: string, listener: (value: any) => void): unknown;
}

/** The headers of a request, with names in lower case. */
export type NodeHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** The parts of a request that the adapters of Node.js frameworks present. */
interface NodeRequestParts {
  readonly headers: NodeHeaders;
  /** The URL as sent: path and query. */
  readonly originalUrl: string;
  /** Whether the framework may begin the query at a semicolon, which the agent did not sign as one. */
  readonly semicolonDelimiter?: boolean;
  /** The body, as parsed by a parser or by the platform. */
  readonly body?: unknown;
  /** The body as sent, if the platform or the `verify` option of a parser keeps the bytes. */
  readonly rawBody?: unknown;
  readonly stream: NodeStream;
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

/**
 * Returns the body of a request, whether or not something has read it before. Headers do not decide, because some
 * platforms pass bodies without a length. Bytes are parsed strictly. If only a parsed body is left, without its bytes,
 * this value is verified, and the handler gets the same value.
 */
async function readNodeBody(request: NodeRequestParts, maxBytes: number): Promise<Read<unknown>> {
  const { body, rawBody, stream } = request;
  const raw = [rawBody, body].map(bytesOf).find((bytes) => bytes !== undefined && bytes.length > 0);
  const encoded = refuseCoding(singleHeader(request.headers['content-encoding']));
  if (raw !== undefined) {
    const parsed = raw.length > maxBytes ? tooLarge(maxBytes) : parseBody(raw);
    // A parser may have decoded the bytes: then they are JSON.
    return isRefusal(parsed) && parsed.status === 400 ? (encoded ?? parsed) : parsed;
  }
  if (!isEmptyBody(body)) return { value: body };
  if (stream.readableDidRead === false && stream.readableEnded !== true) {
    const read = await readBody(toWebStream(stream), maxBytes);
    if (isRefusal(read)) return read;
    return encoded !== undefined && read.value.length > 0 ? encoded : parseBody(read.value);
  }
  const wasSent = stream.readableDidRead ?? declaresBody(request);
  if (wasSent && body !== undefined && declaresType(FORM, request)) {
    return unreadable(400, 'body-not-json', 'the body is a form without fields, and not JSON');
  }
  // A JSON parser returns an empty object for `{}`. Other parsers may have stored the body in another member.
  if (wasSent && !(body !== undefined && declaresType(JSON_TYPE, request))) {
    throw new Error(
      'requirePassport runs too late: the body has been read. Put requirePassport first, keep the bytes as rawBody, ' +
        'or set its payload option',
    );
  }
  return { value: undefined };
}

function bytesOf(body: unknown): Uint8Array | undefined {
  if (typeof body === 'string') return new TextEncoder().encode(body);
  return body instanceof Uint8Array ? body : undefined;
}

/** Converts a Node.js stream to a Web stream. Never destroys the Node.js stream: the response needs its connection. */
function toWebStream(stream: NodeStream): ReadableStream<Uint8Array> {
  let open = true;
  return new ReadableStream({
    start: (controller) => {
      const end = (ended: () => void) => {
        if (open) ended();
        open = false;
      };
      const breakOff = () => end(() => controller.error(new Error('the request body was cut off')));
      if (stream.destroyed === true) return breakOff();
      stream.on?.('data', (chunk: Uint8Array) => open && controller.enqueue(chunk));
      stream.on?.('end', () => end(() => controller.close()));
      stream.on?.('error', breakOff);
      stream.on?.('close', breakOff);
      // An earlier middleware may have paused the stream.
      stream.resume?.();
    },
    cancel: () => {
      open = false;
    },
  });
}

function declaresBody({ headers }: NodeRequestParts): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;
const FORM = /^application\/x-www-form-urlencoded\b/i;

function declaresType(type: RegExp, { headers }: NodeRequestParts): boolean {
  return type.test(String(headers['content-type'] ?? ''));
}
